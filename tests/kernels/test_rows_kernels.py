"""The kernels for a few rows: their own text, run thread by thread on the CPU, gives the numbers of the plain form."""

from __future__ import annotations

from types import SimpleNamespace

import mlx.core as mx
import numpy as np
import pytest
from mlx import nn
from mlx.utils import tree_map

from mlx_tts.kernels import attention, persistent_stack, products
from mlx_tts.kernels.attention import ShortAttentionKernel
from mlx_tts.kernels.core import forms, self_check, source
from mlx_tts.kernels.layer_steps import turns
from mlx_tts.kernels.products import RowsProductKernel
from mlx_tts.kernels.stack_steps import StackSteps
from mlx_tts.nn.attention import Attention, LayerOptions
from mlx_tts.nn.cache import ONE_PASS
from tests.helpers import metal_emulator
from tests.helpers.small_stacks import off, random, stack

pytestmark = [
    pytest.mark.slow,
    pytest.mark.compiled,
    pytest.mark.skipif(metal_emulator.COMPILER is None, reason="NOT CHECKED: the kernels, for want of g++"),
]


@pytest.fixture(autouse=True)
def emulated(monkeypatch):
    for module in (products, attention):
        monkeypatch.setattr(module, "gpu_language", lambda: "cuda")
    monkeypatch.setattr(source, "gpu_language", lambda: "metal")
    monkeypatch.setattr(mx.fast, "metal_kernel", metal_emulator.metal_kernel)
    monkeypatch.setattr(self_check, "_results", {})
    source._built.cache_clear()
    yield
    source._built.cache_clear()


@pytest.mark.parametrize("rows", [9, 16, 22, 32])
@pytest.mark.parametrize(("columns", "outputs"), [(64, 20), (512, 24)])
def test_product_of_a_few_rows(rows, columns, outputs):
    norm = nn.RMSNorm(columns, 1e-5)
    norm.weight = 1 + 0.1 * random(columns)
    x = 3 * random(rows, columns)
    for before, added, behind in (
        (norm, None, products.PLAIN),
        (None, random(rows, outputs), products.RESIDUAL),
        (norm, None, products.GATED),
    ):
        layer = nn.Linear(columns, outputs, bias=False)
        layer.weight = (random(outputs, columns) / columns**0.5).astype(mx.bfloat16)
        chosen = RowsProductKernel.of(layer, rows, mx.bfloat16, before, behind)
        assert chosen is not None
        made = chosen.run(layer, x, before, added)
        wide = [None if part is None else products.in_float32(part) for part in (layer, before)]
        added = None if added is None else added.astype(mx.float32)
        assert off(made, products.plain(wide[0], x.astype(mx.float32), wide[1], added, behind)) < 1e-2


@pytest.mark.parametrize("rows", [1, 8, 33])
def test_other_numbers_of_rows_have_no_kernel(rows):
    layer = nn.Linear(64, 8, bias=False)
    layer.weight = layer.weight.astype(mx.bfloat16)
    assert RowsProductKernel.of(layer, rows, mx.bfloat16, None, products.PLAIN) is None


@pytest.mark.parametrize("dtype", [mx.float32, mx.bfloat16], ids=str)
@pytest.mark.parametrize("length", [5, 11])
def test_short_attention(dtype, length):
    sizes = SimpleNamespace(hidden_size=96, num_attention_heads=6, num_key_value_heads=2, head_dim=64, rope_theta=1e4)
    options = LayerOptions(head_norms=False, rope_factors=tuple(1 + 0.1 * at for at in range(32)), rope_gain=1.2)
    attn = Attention(sizes, options)
    attn.o_proj = nn.Identity()
    qkv = random(2 * length, 10 * 64).astype(dtype)
    attn._qkv = lambda x: qkv.reshape(2, length, -1)
    right = attn(mx.zeros((2, length, 96)), ONE_PASS, None).reshape(2 * length, -1)
    chosen = ShortAttentionKernel.of(attn, length, dtype)
    assert chosen is not None
    turned = turns(np.arange(length)[None], 1e4, 64, options.rope_factors)
    made = chosen.run(qkv, turned[0])
    assert off(made, right) < (1e-5 if dtype == mx.float32 else 2e-2)


def test_a_stack_by_kernels_is_the_plain_one(monkeypatch):
    """22 rows of a patch's steps: every product and the attention by their kernels, which pass their checks."""
    model = stack(64, 96, head_norms=False)
    x, wide = random(2, 11, 64), tree_map(lambda value: value.astype(mx.float32), model.parameters())
    made = {}
    for form in ("off", "on"):
        monkeypatch.setenv("MLX_TTS_KERNELS", form)
        monkeypatch.setattr(forms, "gpu_language", lambda: "cuda")
        made[form] = StackSteps(model).read_at_once(x, persistent_stack.counters())
    results = self_check._results
    assert {chosen.kind for chosen, _ in results} == {"rows_product", "short_attention"}
    assert len(results) == 5 and all(results.values())
    model.update(wide)
    exact = model.read_at_once(x.astype(mx.float32))
    assert off(made["on"], exact) < 2e-2 and off(made["off"], exact) < 2e-2
    assert not mx.array_equal(made["on"], made["off"]).item()  # two forms, not one
