"""The fused kernels' own Metal text, run thread by thread on the CPU, gives the numbers of the plain form."""

from __future__ import annotations

from dataclasses import replace

import mlx.core as mx
import numpy as np
import pytest
from mlx import nn

from benchmarks.random_model import random_talker, talker_config
from mlx_tts import Sampling
from mlx_tts.api import load_folder
from mlx_tts.checkpoints.recipe import Recipe
from mlx_tts.generation.sampling import RowSampling, SamplerSettings, SamplingParams
from mlx_tts.kernels import layer_steps, products
from mlx_tts.kernels.attention import AttentionKernel
from mlx_tts.kernels.core import forms, self_check, source
from mlx_tts.kernels.products import ProductKernel
from mlx_tts.models.families import open_checkpoint
from mlx_tts.models.qwen3_tts import conversion, gpu_step, recipe, weights
from mlx_tts.models.qwen3_tts.autotune import TRIAL
from mlx_tts.models.recipes.measuring import layers_of, parts_of
from mlx_tts.nn.cache import KVCache, regrouped, unstacked
from tests.helpers import metal_emulator
from tests.helpers.converting import convert
from tests.helpers.gpu_form import planted
from tests.helpers.oracle_cases import request_for

pytestmark = [
    pytest.mark.slow,
    pytest.mark.compiled,
    pytest.mark.skipif(metal_emulator.COMPILER is None, reason="NOT CHECKED: the kernels, for want of g++"),
]
SAMPLED = SamplingParams(SamplerSettings(0.9, 50, 1.0), SamplerSettings(0.9, 50, 1.0), 1.05)
SHARP = SamplingParams(SamplerSettings(0.5, 3, 1.0), SamplerSettings(1.4, 0, 1.0), 1.6)
GREEDY = SamplingParams(SamplerSettings(0, 0, 1.0), SamplerSettings(0, 0, 1.0), 1.05)
CLOSE = {mx.float32: 1e-5, mx.bfloat16: 1e-2}


@pytest.fixture(autouse=True)
def emulated(monkeypatch):
    for module in (source, forms):
        monkeypatch.setattr(module, "gpu_language", lambda: "metal")
    monkeypatch.setattr(self_check, "_results", {})
    monkeypatch.setenv("MLX_TTS_KERNELS", "1")
    monkeypatch.setattr(mx.fast, "metal_kernel", metal_emulator.metal_kernel)
    source._built.cache_clear()
    yield
    source._built.cache_clear()
    source.text_of.cache_clear()


def off(made: mx.array, right: mx.array) -> float:
    assert made.shape == right.shape
    difference = mx.abs(made.astype(mx.float32) - right.astype(mx.float32)).max()
    return (difference / mx.abs(right).max()).item()


@pytest.mark.smoke(
    "64-34-3-4-mlx.core.bfloat16",
    "64-34-3-16-mlx.core.float32",
    "1088-10-1-16-mlx.core.bfloat16",
    "64-1030-8-6-mlx.core.bfloat16",
    "320-12-7-8-mlx.core.float32",
    "64-10-13-4-mlx.core.bfloat16",
)
@pytest.mark.parametrize("dtype", [mx.float32, mx.bfloat16], ids=str)
@pytest.mark.parametrize("bits", [4, 6, 8, 16])
@pytest.mark.parametrize(
    ("columns", "rows", "batch"), [(64, 34, 3), (1088, 10, 1), (64, 1030, 8), (320, 12, 7), (64, 10, 13)]
)
def test_product(dtype, bits, columns, rows, batch, monkeypatch):
    for most in (products.MOST_ROWS, products.MOST_QUANTISED_ROWS):
        monkeypatch.setitem(most, "metal", most["cuda"])  # the same text with more rows
    if batch > products.MOST_ROWS["cuda"] and bits == 16:
        pytest.skip("so many rows are multiplied by MLX")
    layer = nn.Linear(columns, rows, bias=False)
    layer.weight = layer.weight.astype(dtype)
    if bits < 16:
        layer = layer.to_quantized(64, bits)
    norm = nn.RMSNorm(columns, 1e-6)
    norm.weight = (1 + 0.1 * mx.random.normal((columns,))).astype(dtype)
    x = mx.random.normal((batch, columns)).astype(dtype)
    added = mx.random.normal((batch, rows)).astype(dtype)
    for before, residual, behind in (
        (norm, None, products.PLAIN),
        (None, added, products.RESIDUAL),
        (norm, None, products.GATED),
    ):
        chosen = ProductKernel.of(layer, batch, dtype, before, behind)
        assert chosen is not None
        made = chosen.run(layer, x, before, residual)
        exact = [None if part is None else products.in_float32(part) for part in (layer, before)]
        wide = None if residual is None else residual.astype(mx.float32)
        assert off(made, products.plain(exact[0], x.astype(mx.float32), exact[1], wide, behind)) < CLOSE[dtype]


def test_product_with_a_bias():
    layer, x = nn.Linear(128, 20), mx.random.normal((2, 128))
    chosen = ProductKernel.of(layer, 2, mx.float32, None, products.BIASED)
    assert chosen is not None
    assert off(chosen.run(layer, x), layer(x)) < 1e-5


@pytest.mark.smoke(
    "2-16-2-16-0-start0-mlx.core.float32",
    "2-128-2-16-0-start1-mlx.core.bfloat16",
    "2-128-1-256-255-start3-mlx.core.float32",
    "2-64-1-512-300-start4-mlx.core.bfloat16",
    "1-32-1-768-256-start5-mlx.core.float32",
)
@pytest.mark.parametrize("dtype", [mx.float32, mx.bfloat16], ids=str)
@pytest.mark.parametrize(
    ("shared_by", "head_dim", "new", "capacity", "length", "start"),
    [
        (2, 16, 2, 16, 0, [0]),
        (2, 128, 2, 16, 0, [0, 0]),
        (2, 128, 1, 16, 13, [0]),
        (2, 128, 1, 256, 255, [0, 17]),
        (2, 64, 1, 512, 300, [3]),
        (1, 32, 1, 768, 256, [0, 255]),
        (2, 16, 1, 1024, 100, [0]),
    ],
)
def test_attention(dtype, shared_by, head_dim, new, capacity, length, start):
    attn = nn.Module()
    attn.heads, attn.kv_heads, attn.scale = 3 * shared_by, 3, head_dim**-0.5
    attn._periods = mx.array((1e6 ** (np.arange(0, head_dim, 2) / head_dim)).astype(np.float32))
    for name in ("q_norm", "k_norm"):
        norm = nn.RMSNorm(head_dim, 1e-6)
        norm.weight = (1 + 0.1 * mx.random.normal((head_dim,))).astype(dtype)
        attn[name] = norm
    B = len(start)
    qkv = mx.random.normal((B * new, 3 * (shared_by + 2) * head_dim)).astype(dtype)
    cache = mx.contiguous(mx.random.normal((2, B, 3, capacity, head_dim)).astype(dtype))
    at, starts = mx.array([length], mx.int32), mx.array(start, mx.int32)
    right, right_cache = layer_steps.plain_attention(
        attn, qkv.astype(mx.float32), cache.astype(mx.float32), at, starts, new
    )
    mx.eval(right, right_cache)
    chosen = AttentionKernel.of(head_dim, shared_by, new, capacity, 1e-6, dtype)
    assert chosen is not None
    assert chosen.long == (capacity > 256)
    gains = (attn.q_norm.weight, attn.k_norm.weight)
    made = chosen.run(qkv, gains, cache, at, layer_steps.starts_of(starts, B), attn._periods)
    assert off(made, right) < CLOSE[dtype]
    assert off(cache, right_cache) < CLOSE[dtype]  # the new columns, and none of the others


@pytest.mark.smoke("6.0-greedy", "1.0-unlike")
@pytest.mark.parametrize(
    "rows", [[SAMPLED] * 2, [GREEDY] * 2, [SAMPLED, GREEDY, SHARP]], ids=["sampled", "greedy", "unlike"]
)
@pytest.mark.parametrize("spread", [0.01, 1.0, 6.0])
def test_draws(rows, spread, caplog):
    """Every output of both draws, exactly; `spread` makes the k largest logits rare among the draws or nearly all."""
    B, V, D, K = len(rows), 3072, 64, 16
    table, sampling = nn.Embedding(V, D), RowSampling.of(rows, V, V)
    logits, noise = spread * mx.random.normal((B, V)), mx.random.gumbel((B, 2 * V))
    if SHARP in rows:
        logits = mx.round(2 * logits) / 2  # many ties, also for the largest
    used, hidden, text = mx.random.uniform(shape=(B, V)) < 0.3, mx.random.normal((B, D)), mx.random.normal((B, D))
    forbidden = mx.stack([mx.where(mx.arange(V) >= 2048, -mx.inf, 0.0)] * B)

    def outputs(some=slice(None), sampling=sampling):
        part = logits[some], noise[some]
        first = gpu_step.sample_first(*part, used[some], forbidden[some], sampling, table, hidden[some], text[some], K)
        codes, _, _, total = first
        later = gpu_step.sample_following(*part, sampling, table, codes, total, (3, V), False)
        last = gpu_step.sample_following(*part, sampling, table, codes, total, (15, V), True)
        return [*first, *later, *last]

    fused = outputs()
    assert list(self_check._results.values()) == [True] * 3, caplog.text
    self_check._results.update(dict.fromkeys(self_check._results, False))
    for made, right in zip(fused, outputs(), strict=True):
        assert (made is None) == (right is None)
        assert made is None or mx.array_equal(made, right)
    for at, row in enumerate(rows):  # a row among others draws what it draws alone
        for alone, among in zip(outputs(slice(at, at + 1), RowSampling.of([row], V, V)), fused, strict=True):
            assert alone is None or mx.array_equal(alone[0], among[at])


@pytest.mark.parametrize("case", ["custom_voice_wide"])
def test_loop_with_kernels_equals_the_official_codes(oracle, case, caplog, monkeypatch):
    """All kernels together, in the loop: greedy codes are the reference's, drawn ones those of the plain loop."""
    monkeypatch.setattr(weights, "to_cpu_layout", lambda module: None)  # matrices as they lie on a GPU
    reference = oracle(case)
    synthesizer = load_folder(reference.folder)
    name = reference.requests[0]["name"]
    loop = synthesizer._synthesizer._loop
    drawn = request_for(reference, name, seed=5, max_frames=2)
    plain = synthesizer.generate_codes(drawn)
    loop.compiled = gpu_step.CompiledDecode(loop.talker, TRIAL.choose(loop.talker))
    greedy = synthesizer.generate_codes(request_for(reference, name, sampling=Sampling(temperature=0), max_frames=2))
    assert np.array_equal(greedy, reference.golden[f"{name}/codes"][:2])
    assert np.array_equal(synthesizer.generate_codes(drawn), plain)
    assert any(isinstance(chosen, ProductKernel) for chosen, _ in self_check._results)
    assert all(self_check._results.values()), caplog.text


@pytest.mark.smoke("fused")
@pytest.mark.parametrize("form", ["plain", "half", "fused"])
def test_bits_that_differ_by_part(oracle, tmp_path, form, caplog, monkeypatch):
    """A talker of 4 bits with a predictor of 6 and heads of 8 and 4: greedy codes are those of MLX's operations."""
    monkeypatch.setattr(weights, "to_cpu_layout", lambda module: None)  # matrices as they lie on a GPU
    reference = oracle("custom_voice_wide")
    source_of = open_checkpoint(reference.folder)
    parts = parts_of(layers_of(recipe.plain_network(source_of, print), recipe.PARTS, 32), recipe.PARTS)
    bits = dict(zip((part.name for part in parts), (4, 4, 8, 6, 4), strict=True))
    limits = {name: output.limit for name, output in recipe.OUTPUTS.items()}
    found = Recipe(parts, bits, {}, limits, limits, 0, None)
    monkeypatch.setattr(conversion, "measured_recipe", lambda *_: found)
    convert(source_of, tmp_path / "mixed", bits=4, group_size=32, dtype="float32")
    synthesizer = load_folder(tmp_path / "mixed")
    loop = synthesizer._synthesizer._loop
    asked = request_for(reference, reference.requests[0]["name"], sampling=Sampling(temperature=0), max_frames=2)
    plain = synthesizer.generate_codes(asked)
    loop.compiled = gpu_step.CompiledDecode(loop.talker, forms.StepKernels(forms.FORMS[form]))
    assert np.array_equal(synthesizer.generate_codes(asked), plain)
    used = {chosen.bits for chosen, _ in self_check._results if isinstance(chosen, ProductKernel)}
    assert used == (set() if form == "plain" else {4, 6, 8})
    assert all(self_check._results.values()), caplog.text


@pytest.fixture
def attention_alone(monkeypatch):
    """Steps of a small talker whose one kernel is attention, which writes to caches unseen by MLX."""
    monkeypatch.setenv("MLX_TTS_KERNELS", "off")
    monkeypatch.setenv("MLX_TTS_ATTENTION_KERNEL", "1")
    config = replace(talker_config("tiny"), num_hidden_layers=2, hidden_size=64, intermediate_size=64, head_dim=16)
    talker = random_talker(config, 32, mx.float32)
    return gpu_step.CompiledDecode(talker, TRIAL.choose(talker))


def prompted(talker, length: int) -> list[KVCache]:
    caches = talker.make_cache()
    x = mx.random.normal((1, length, talker.model.norm.weight.shape[0]), key=mx.random.key(length))
    talker.model(x, caches)
    return caches


def states(steps, caches, count: int) -> np.ndarray:
    """What `count` steps give, each fed a number of its own."""
    rows, width = caches[0].kv.shape[1], steps.talker.model.norm.weight.shape[0]
    xs = [mx.random.normal((1, 1, width), key=mx.random.key(at)) for at in range(count)]
    return np.stack([np.array(steps.decode_step(mx.repeat(x, rows, axis=0), caches)[1]) for x in xs], axis=1)


def test_unseen_writes_reach_every_cache(attention_alone, monkeypatch):
    """The kernel's input must lie row by row: MLX would hand it a copy of any other, and the new column were lost."""
    steps, lengths = attention_alone, (5, 3)

    def spoken() -> list[np.ndarray]:
        alone = [prompted(steps.talker, length) for length in lengths]
        batch = regrouped(alone[0], (), alone)
        together = states(steps, batch, 3)
        return [together, *(states(steps, unstacked(batch, row), 3) for row in (0, 1)), states(steps, batch, 2)]

    written = spoken()
    assert any(isinstance(chosen, AttentionKernel) for chosen, _ in self_check._results)
    assert all(self_check._results.values())
    monkeypatch.setenv("MLX_TTS_ATTENTION_KERNEL", "0")
    for found, wanted in zip(written, spoken(), strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_unseen_writes_are_done_before_a_cache_is_copied(attention_alone, monkeypatch):
    """Growing copies the cache, and nothing but the step's own output makes MLX wait for what the kernel writes."""
    steps, events = attention_alone, []
    caches, evaluate, grow = prompted(steps.talker, 4), mx.eval, KVCache.reserve
    x = mx.zeros((1, 1, steps.talker.model.norm.weight.shape[0]))
    assert not caches[0].has_room(253)

    def logged_eval(*arguments):
        events.extend("input" for argument in arguments if argument is x)
        evaluate(*arguments)

    def logged_reserve(cache, end):
        events.append("copy")
        grow(cache, end)

    for cache in caches:
        cache.length, cache.unseen = 256, True  # full, and a kernel wrote to it
    monkeypatch.setattr(mx, "eval", logged_eval)
    monkeypatch.setattr(KVCache, "reserve", logged_reserve)
    steps.decode_step(x, caches)
    assert events == ["input", "copy", "copy"]


def test_the_kernel_is_the_same_for_any_number_of_rows(attention_alone, monkeypatch):
    """Metal keeps inputs of fewer than 8 numbers elsewhere: one row and nine would run two kernels, one unchecked."""
    names, build = [], mx.fast.metal_kernel

    def logged(name, **options):
        names.append(name)
        return build(name=name, **options)

    monkeypatch.setattr(mx.fast, "metal_kernel", logged)
    for rows in (1, 2, 9):
        attn = attention_alone.talker.model.layers[0].self_attn
        assert layer_steps.attention_passes(attn, rows, 256, 1, mx.float32)
    assert len(names) == 1
    assert {rows for _, rows in self_check._results} == {1, 2, 9}  # each number of rows is checked


def test_attention_has_a_switch_of_its_own(monkeypatch):
    attn = random_talker(replace(talker_config("tiny"), num_hidden_layers=1), 32, mx.float32).model.layers[0].self_attn
    monkeypatch.setenv("MLX_TTS_ATTENTION_KERNEL", "0")
    assert not layer_steps.attention_passes(attn, 1, 256, 1, mx.float32)
    layer, x = nn.Linear(128, 20, bias=False), mx.random.normal((1, 128))
    products.multiply(layer, x)
    assert [type(chosen) for chosen, _ in self_check._results] == [ProductKernel]


def test_self_checks_draw_from_keys_of_their_own():
    layer, x = nn.Linear(128, 20, bias=False), mx.random.normal((1, 128))
    before = mx.array(mx.random.state[0])
    mx.eval(products.multiply(layer, x))
    assert self_check._results
    assert mx.array_equal(mx.random.state[0], before)


def test_a_kernel_that_gives_other_numbers_is_left_out(monkeypatch, caplog):
    layer, x = nn.Linear(128, 20, bias=False), mx.random.normal((1, 128))
    planted(monkeypatch, "product", "body", "(value_t)sums", "(value_t)1.01f * (value_t)sums")
    assert off(products.multiply(layer, x), layer(x)) < 1e-6
    assert "plain operations take its place" in caplog.text


def test_a_kernel_that_does_not_compile_is_left_out(monkeypatch, caplog):
    def refuse(**_):
        raise RuntimeError("Unable to build metal library from source\nmore lines")

    monkeypatch.setattr(mx.fast, "metal_kernel", refuse)
    layer, x = nn.Linear(128, 20, bias=False), mx.random.normal((1, 128))
    assert off(products.multiply(layer, x), layer(x)) < 1e-6
    assert "Unable to build metal library" in caplog.text
    assert "more lines" not in caplog.text


@pytest.mark.parametrize(
    ("language", "setting"), [("metal", None), ("metal", "0"), ("metal", "off"), ("cuda", "0"), (None, "1")]
)
def test_kernels_wait_until_they_are_asked_for(monkeypatch, language, setting):
    monkeypatch.delenv("MLX_TTS_KERNELS")
    monkeypatch.setattr(forms, "gpu_language", lambda: language)
    if setting is not None:
        monkeypatch.setenv("MLX_TTS_KERNELS", setting)
    layer, x = nn.Linear(128, 20, bias=False), mx.random.normal((1, 128))
    assert mx.array_equal(products.multiply(layer, x), layer(x))
    assert not self_check._results
