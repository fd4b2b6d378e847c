"""Linear layers as the CPU likes them: the same numbers, and no weight there twice while they are made."""

import mlx.core as mx
import numpy as np
import pytest
from mlx import nn
from mlx.utils import tree_flatten

from mlx_tts.api import load_folder
from mlx_tts.nn import linear
from mlx_tts.nn.linear import ProductLinear, to_cpu_layout, transposed
from tests.helpers.gpu_form import with_policy
from tests.helpers.paths import TINY


@pytest.mark.parametrize("shape", [(48, 7), (30, 64), (16, 1), (1, 16)])
def test_transposed_in_memory(shape):
    x = mx.random.normal(shape)
    assert mx.array_equal(transposed(x), x.T)


@pytest.mark.parametrize(
    ("mode", "bits", "group_size"),
    [("affine", 2, 32), ("affine", 4, 64), ("affine", 6, 32), ("affine", 8, 128), ("mxfp4", 4, 32), ("mxfp8", 8, 32)],
)
@pytest.mark.parametrize("dtype", [mx.float32, mx.bfloat16])
def test_quantised_layers_are_expanded_to_the_numbers_they_multiply_with(mode, bits, group_size, dtype):
    plain = nn.Linear(256, 48)
    plain.weight = plain.weight.astype(dtype)
    layer = nn.QuantizedLinear.from_linear(plain, group_size, bits, mode)
    x = mx.random.normal((3, 256))
    if mode == "affine":  # in float32, as a quantised product computes: in bfloat16 each weight would be rounded again
        layer.scales, layer.biases = layer.scales.astype(mx.float32), layer.biases.astype(mx.float32)
    wanted = mx.dequantize(layer.weight, layer.scales, layer.get("biases"), group_size, bits, mode)
    product = ProductLinear(layer)
    assert product.weight.dtype == mx.float32
    assert mx.array_equal(product.weight, wanted.astype(mx.float32).T)
    assert mx.abs(product(x) - layer(x)).max() < 1e-5


class Stack(nn.Module):
    def __init__(self, layers: int):
        super().__init__()
        self.layers = [nn.Linear(1024, 512, bias=False) for _ in range(layers)]


def test_laying_out_holds_one_layer_twice_at_most():
    module = Stack(20)
    size = sum(value.nbytes for _, value in tree_flatten(module.parameters()))
    mx.reset_peak_memory()
    before = mx.get_active_memory()
    to_cpu_layout(module)
    assert mx.get_peak_memory() - before < 1.3 * size
    assert all(type(layer) is ProductLinear for layer in module.layers)


@pytest.mark.slow
def test_loading_holds_each_weight_once():
    mx.reset_peak_memory()
    before = mx.get_active_memory()
    loaded = load_folder(TINY)
    modules = loaded._synthesizer.talker, loaded._synthesizer._decoder
    size = sum(value.nbytes for module in modules for _, value in tree_flatten(module.parameters()))
    assert size > 60e6
    assert mx.get_active_memory() - before < 1.02 * size
    assert mx.get_peak_memory() - before < 1.2 * size


@pytest.mark.parametrize("bits", [4, 8])
def test_a_prompt_on_cuda_takes_a_dense_product(bits, monkeypatch):
    """MLX compiles its quantised product of many rows there, half a minute in every process."""
    with_policy(monkeypatch, linear, avoids_libraries=True)
    block = nn.Sequential(nn.Linear(128, 64, bias=False), nn.Linear(64, 32))
    nn.quantize(block, 32, bits)
    prompt, step = mx.random.normal((2, 5, 128)), mx.random.normal((2, 128))
    wanted = block(prompt), block(step)
    linear.expand_for_prompts(block)
    assert [type(layer) for layer in block.layers] == [linear.DensePromptLinear] * 2
    assert mx.array_equal(block(step), wanted[1])
    calls = []
    monkeypatch.setattr(mx, "quantized_matmul", lambda *_, **__: calls.append(1))
    np.testing.assert_allclose(block(prompt), wanted[0], atol=1e-5)
    assert not calls
