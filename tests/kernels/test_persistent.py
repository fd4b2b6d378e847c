"""A whole stack as one persistent kernel: its text, run thread by thread on the CPU with several groups at once, gives
the numbers of the plain form."""

from __future__ import annotations

from types import SimpleNamespace

import mlx.core as mx
import numpy as np
import pytest
from mlx import nn
from mlx.utils import tree_map

from mlx_tts.generation.sampling import RowSampling, SamplerSettings, SamplingParams
from mlx_tts.kernels import attention, layer_steps, persistent_sizes, persistent_stack, stack_steps
from mlx_tts.kernels.core import forms, self_check, source
from mlx_tts.kernels.layer_steps import turns
from mlx_tts.models.qwen3_tts import gpu_step
from mlx_tts.models.qwen3_tts.talker import CodePredictor
from mlx_tts.nn.cache import KVCache
from mlx_tts.runtime.device import CudaLimits
from tests.helpers import metal_emulator
from tests.helpers.small_stacks import off, random
from tests.helpers.small_stacks import stack as small_stack

pytestmark = [
    pytest.mark.slow,
    pytest.mark.compiled,
    pytest.mark.skipif(metal_emulator.COMPILER is None, reason="NOT CHECKED: the kernels, for want of g++"),
]
GROUPS = 2


@pytest.fixture(autouse=True)
def emulated(monkeypatch):
    for module in (persistent_stack, attention):
        monkeypatch.setattr(module, "gpu_language", lambda: "cuda")
    monkeypatch.setattr(source, "gpu_language", lambda: "metal")
    monkeypatch.setattr(persistent_stack, "cuda_limits", lambda: CudaLimits(GROUPS, 128_000))
    monkeypatch.setattr(mx.fast, "metal_kernel", metal_emulator.metal_kernel)
    source._built.cache_clear()
    yield
    source._built.cache_clear()


def stack(layers=2, head_norms=True):
    """The least that the kernel has."""
    return small_stack(256, 256, layers, head_norms)


def in_float32(model):
    wide = stack(len(model.layers), "q_norm" in model.layers[0].self_attn)
    wide.update(tree_map(lambda value: value.astype(mx.float32), model.parameters()))
    return wide


@pytest.mark.smoke("1")
@pytest.mark.parametrize("rows", [1, 2])
def test_short_rows_that_see_all_of_themselves(rows):
    model, length = stack(head_norms=False), 11
    x = random(rows * length, 256)
    turned = turns(np.arange(length)[None], 1e4, 64)
    chosen = persistent_stack.of_stack(model, rows * length, length, mx.bfloat16, None)
    assert chosen is not None and chosen.tiles == rows
    barrier = persistent_stack.counters()
    made = persistent_stack.read_at_once(chosen, model, x, turned[0], barrier)
    wide = in_float32(model)
    wide.norm = lambda value: value
    exact = wide.read_at_once(x.astype(mx.float32).reshape(rows, length, -1)).reshape(rows * length, -1)
    assert off(made, exact) < 1e-2
    assert not mx.any(barrier).item()  # left as they were: the next launch may take them


@pytest.mark.smoke("3-1-256-130-start2")
@pytest.mark.parametrize(
    ("batch", "new", "capacity", "length", "start"),
    [
        (1, 2, 16, 0, [0]),
        (1, 1, 16, 13, [0]),
        (3, 1, 256, 130, [0, 17, 129]),
        (1, 1, 512, 300, [3]),
        (17, 1, 256, 200, list(range(17))),
        (33, 1, 16, 9, [0] * 33),
    ],
)
def test_new_positions_over_caches(batch, new, capacity, length, start):
    model = stack()
    x = random(batch * new, 256)
    caches = [mx.contiguous(random(2, batch, 2, capacity, 64)) for _ in model.layers]
    exact_caches = [cache.astype(mx.float32) for cache in caches]
    mx.eval(caches, exact_caches)
    at, starts = mx.array([length], mx.int32), layer_steps.starts_of(mx.array(start, mx.int32), batch)
    wide, exact = in_float32(model), x.astype(mx.float32)
    for number, block in enumerate(wide.layers):
        qkv = layer_steps.before_attention(block, exact)
        given = exact_caches[number], at, starts[:batch]
        y, exact_caches[number] = layer_steps.plain_attention(block.self_attn, qkv, *given, new)
        exact = layer_steps.after_attention(block, exact, y)
    chosen = persistent_stack.of_stack(model, batch * new, new, mx.bfloat16, capacity)
    assert chosen is not None and chosen.parts == (capacity > 64)
    made = persistent_stack.decode(chosen, model, x, caches, at, starts, persistent_stack.counters())
    assert off(made, exact) < 1e-2
    for cache, right in zip(caches, exact_caches, strict=True):
        assert off(cache, right) < 1e-2


def of_many_slices(monkeypatch, length):
    """A model whose weights come in slices, and the kernel of it."""
    monkeypatch.setattr(persistent_stack, "cuda_limits", lambda: CudaLimits(7, 98_000))
    model = small_stack(512, 2304, 2, head_norms=False)
    chosen = persistent_stack.of_stack(model, 2 * length, length, mx.bfloat16, None)
    assert chosen is not None
    return model, chosen


def test_a_ring_has_fewer_slots_than_a_layer_has_chunks(monkeypatch):
    _, chosen = of_many_slices(monkeypatch, 3)
    ring = persistent_sizes.ring_of(chosen)
    chunks = sum(own.passes * own.together * own.parts * own.columns // own.slice for own in ring.products)  # a layer
    assert ring.slots < chunks and chunks % ring.slots
    assert max(product.passes for product in ring.products) > 2
    assert max(product.columns // product.slice for product in ring.products) == 9
    assert any(product.tiles % 7 for product in ring.products)  # groups that lack a tile


@pytest.mark.long
def test_weights_that_come_in_slices_and_passes_through_a_ring_of_few_slots(monkeypatch):
    length = 3
    model, chosen = of_many_slices(monkeypatch, length)
    x, turned, barrier = random(2 * length, 512), turns(np.arange(length)[None], 1e4, 64), persistent_stack.counters()
    made = persistent_stack.read_at_once(chosen, model, x, turned[0], barrier)
    wide = small_stack(512, 2304, 2, head_norms=False)
    wide.update(tree_map(lambda value: value.astype(mx.float32), model.parameters()))
    wide.norm = lambda value: value
    exact = wide.read_at_once(x.astype(mx.float32).reshape(2, length, -1)).reshape(2 * length, -1)
    assert off(made, exact) < 1e-2


@pytest.mark.smoke("two queries a key")
@pytest.mark.parametrize("kv_heads", [2, 1], ids=["two queries a key", "four, parted among groups"])
def test_one_position_without_head_norms_by_its_check_and_beside_the_plain_form(monkeypatch, kv_heads):
    """As VoxCPM's language models: kernels write to the cache, then rows join and MLX's own operations go on."""
    monkeypatch.setattr(self_check, "_results", {})
    monkeypatch.setattr(forms, "gpu_language", lambda: "cuda")
    model = small_stack(256, 256, 2, False, kv_heads)
    made = {}
    for form in ("off", "on"):
        monkeypatch.setenv("MLX_TTS_KERNELS", form)
        caches = [[KVCache() for _ in model.layers] for _ in range(2)]
        for at, own in enumerate(caches):
            for cache in own:
                cache.append(random(1, kv_heads, 100 + at, 64), random(2, 1, kv_heads, 100 + at, 64)[0])
        steps, x = stack_steps.StackSteps(model), random(1, 256)
        for _ in range(2):
            x = steps.decode_rows(x, caches[:1])
        assert caches[0][0].unseen == (form == "on") and caches[0][0].length == 102
        made[form] = steps.decode_rows(mx.concatenate([x, x]), caches)
        assert not caches[0][0].unseen
    kinds = [chosen.kind for chosen, _ in self_check._results]
    assert "resident_stack" in kinds and all(self_check._results.values())
    assert off(made["on"], made["off"]) < 3e-2


def ends_of(ids, steps):
    heads = [nn.Linear(256, ids, bias=False) for _ in range(steps)]
    tables = [nn.Embedding(ids, 256) for _ in range(steps)]
    for at, layer in enumerate([*heads, *tables]):
        layer.weight = random(ids, 256 + at)[:, :256] * (0.3 if at < steps else 1)
    return heads, tables


@pytest.mark.smoke("2-sampled")
@pytest.mark.parametrize("greedy", [True, False], ids=["greedy", "sampled"])
@pytest.mark.parametrize("rows", [1, 2, 9])
def test_the_later_codes_of_a_frame_in_one_launch(rows, greedy):
    """Each code is the best of what the plain form says behind those that the kernel sampled, or as good."""
    model, ids, slot, steps = stack(), 512, 2, 3
    model.norm.weight = random(256)
    heads, tables = ends_of(ids, steps)
    width = 40 + steps * ids
    later = persistent_sizes.LaterCodes(ids, slot + steps, slot, 40, 0 if greedy else width, greedy)
    chosen = persistent_stack.of_codes(model, (heads, tables), later, rows, mx.bfloat16, slot + steps)
    assert chosen is not None and chosen.later.steps == steps
    x, total = random(rows, 256), random(rows, 256).astype(mx.float32)
    caches = [mx.contiguous(random(2, rows, 2, slot + steps, 64)) for _ in model.layers]
    noise = None if greedy else mx.random.gumbel((rows, width), key=mx.random.key(rows))
    most = [5 if row % 2 else 50 for row in range(rows)]
    how = [SamplerSettings(0, 0, 1.0) if greedy else SamplerSettings(0.9, k, 1.0) for k in most]
    settings = RowSampling.of([SamplingParams(own, own, 1.0) for own in how], ids, ids)
    before = mx.array(np.arange(rows * (slot + steps)).reshape(rows, -1) % 7).astype(mx.uint32)
    wide, exact_caches, step = in_float32(model), [cache.astype(mx.float32) for cache in caches], x.astype(mx.float32)
    starts, barrier = layer_steps.starts_of(None, rows), persistent_stack.counters()
    mx.eval(caches, exact_caches, barrier)
    given = x, caches, starts, barrier, settings.packed, noise, before, total
    codes, made_total, logits = persistent_stack.sample_codes(chosen, model, (heads, tables), *given)
    assert codes[:, :slot].tolist() == before[:, :slot].tolist()
    assert not mx.any(barrier).item()
    for at in range(steps):
        exact = step
        for number, block in enumerate(wide.layers):
            seen = (
                layer_steps.before_attention(block, exact),
                exact_caches[number],
                mx.array([slot + at]),
                starts[:rows],
            )
            y, exact_caches[number] = layer_steps.plain_attention(block.self_attn, *seen, 1)
            exact = layer_steps.after_attention(block, exact, y)
        right = (
            mx.fast.rms_norm(exact, model.norm.weight.astype(mx.float32), 1e-5) @ heads[at].weight.astype(mx.float32).T
        )
        slack, said, sure = 2e-2 * mx.abs(right).max(), right, right
        sampled = codes[:, slot + at]
        if noise is not None:
            least = mx.stack([mx.sort(row)[ids - k] for row, k in zip(right, most, strict=True)])[:, None]
            said = right / 0.9 + noise[:, 40 + at * ids : 40 + (at + 1) * ids]
            sure = mx.where(right >= least + slack, said, -mx.inf)  # surely among the k likeliest
            said = mx.where(right >= least - slack, said, -mx.inf)  # perhaps among them
        chances = mx.take_along_axis(said, sampled[:, None].astype(mx.int32), axis=1)[:, 0]
        assert mx.all(chances >= sure.max(axis=1) - 2 * slack).item()
        step = tables[at](sampled).astype(mx.float32)
        total = total + step
    assert off(logits, right) < 2e-2
    assert off(made_total, total) < 1e-2
    for cache, right in zip(caches, exact_caches, strict=True):
        assert off(cache, right) < 1e-2


@pytest.mark.smoke("sampled")
@pytest.mark.parametrize("greedy", [True, False], ids=["greedy", "sampled"])
def test_the_check_of_the_later_codes_passes_and_finds_a_wrong_one(monkeypatch, greedy):
    config = SimpleNamespace(hidden_size=256, intermediate_size=256, num_hidden_layers=2, num_attention_heads=4)
    config.num_key_value_heads, config.head_dim, config.rms_norm_eps, config.rope_theta = 2, 64, 1e-5, 1e4
    config.vocab_size, config.num_code_groups = 512, 5
    predictor = CodePredictor(config, 256)
    predictor.update(tree_map(lambda value: value.astype(mx.bfloat16), predictor.parameters()))
    predictor.model.fuse_projections()
    caches = [mx.contiguous(random(2, 2, 2, 5, 64)) for _ in predictor.model.layers]
    noise = mx.random.gumbel((2, 640 + 4 * 512), key=mx.random.key(1))
    how = SamplerSettings(0, 0, 1.0) if greedy else SamplerSettings(0.9, 50, 1.0)
    sampling = RowSampling.of([SamplingParams(how, how, 1.0)] * 2, 640, 512)
    before, total = mx.zeros((2, 5), mx.uint32), random(2, 256).astype(mx.float32)
    given = random(2, 256), caches, layer_steps.starts_of(None, 2), persistent_stack.counters()

    def made():
        monkeypatch.setattr(self_check, "_results", {})
        with forms.StepKernels(forms.PERSISTENT).in_use():
            return gpu_step.later_codes(predictor, 640, *given, sampling, noise, before, total)

    codes, following = made()
    assert codes.shape == (2, 5) and following.shape == (2, 256)
    assert list(self_check._results.values()) == [True]
    right = persistent_stack.sample_codes

    def last_is_another(*arguments, **options):
        codes, *others = right(*arguments, **options)
        return [mx.concatenate([codes[:, :-1], (codes[:, -1:] + 1) % 512], axis=1), *others]

    monkeypatch.setattr(persistent_stack, "sample_codes", last_is_another)
    assert made() is None


def test_a_stack_that_the_kernel_does_not_have():
    assert persistent_stack.of_stack(stack(), 65, 1, mx.bfloat16, 64) is None
    assert persistent_stack.of_stack(stack(), 1, 1, mx.float32, 64) is None
    quantised = stack()
    nn.quantize(quantised, 64, 4)
    assert persistent_stack.of_stack(quantised, 1, 1, mx.bfloat16, 64) is None
    at_once = persistent_stack.of_stack(stack(), 11, 11, mx.bfloat16, None)
    assert at_once is None  # where all are read at once it knows no head norms


@pytest.mark.smoke("1-13-256-True")
@pytest.mark.parametrize(
    ("batch", "length", "capacity", "head_norms"), [(1, 13, 256, True), (3, 20, 20, True), (1, 13, 256, False)]
)
def test_prompts_are_read_and_cached(batch, length, capacity, head_norms):
    model = stack(head_norms=head_norms)
    x = random(batch, length, 256)
    wide, caches = in_float32(model), [KVCache() for _ in model.layers]
    wide.norm = lambda value: value
    exact = wide(x.astype(mx.float32), caches)
    chosen = persistent_stack.of_prompts(model, batch * length, mx.bfloat16)
    assert chosen is not None
    made, kv = persistent_stack.prefill(chosen, model, x, capacity, persistent_stack.counters())
    assert off(made, exact) < 1e-2
    for own, right in zip(kv, caches, strict=True):
        assert own.shape[3] == capacity and off(own[:, :, :, :length], right.kv[:, :, :, :length]) < 1e-2


def test_a_short_prompt_is_read_by_its_kernel_once_that_has_passed(monkeypatch):
    monkeypatch.setattr(self_check, "_results", {})
    model, x, made = stack(), random(1, 9, 256), {}
    for form, choice in (("fused", forms.FUSED), ("resident", forms.PERSISTENT)):
        caches = [KVCache() for _ in model.layers]
        with forms.StepKernels(choice).in_use():
            assert (stack_steps.PrefillStep(model).prefill(x, caches) is not None) == (form == "resident")
        if form == "fused":
            model(x, caches)
        assert caches[0].kv.shape[3] == 256 and caches[1].length == 9
        made[form] = caches[1].kv[:, :, :, :9]
    assert all(self_check._results.values())
    assert off(made["resident"], made["fused"]) < 3e-2
