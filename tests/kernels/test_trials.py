"""What a trial of each family is made of, and the plain products that stacks in one launch read."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest
from mlx import nn
from mlx.utils import tree_flatten, tree_map

from benchmarks.random_model import talker_config
from benchmarks.voxcpm_shapes import SHAPES, config
from mlx_tts.checkpoints.quantising import dequantised, make_plain
from mlx_tts.kernels.core.forms import PLAIN, StepKernels
from mlx_tts.models.qwen3_tts.autotune import random_talker
from mlx_tts.models.voxcpm2 import autotune
from mlx_tts.models.voxcpm2.config import model_config
from mlx_tts.models.voxcpm2.network import VoxCPM
from mlx_tts.nn import linear
from mlx_tts.runtime.device import CPU, CUDA


@pytest.fixture
def talker(on_cuda):
    """As it is loaded on CUDA, where every quantised product expands its weight for prompts."""
    return small_talker("4,64,affine", "bfloat16")


def small_talker(form, dtype):
    config = asdict(replace(talker_config("tiny"), num_hidden_layers=1))
    return random_talker({"config": config, "formats": [form], "dtype": dtype})


@pytest.fixture
def on_cuda(monkeypatch):
    monkeypatch.setattr(linear, "policy", lambda: CUDA)
    monkeypatch.setattr(linear, "total_bytes", lambda: 1 << 36)


def described(model):
    return {path: (value.shape, value.dtype) for path, value in tree_flatten(model.parameters())}


def quantised_layers(model):
    return [path for path, layer in model.named_modules() if isinstance(layer, nn.QuantizedLinear)]


@pytest.mark.slow
def test_stacks_read_plain_products_and_the_model_keeps_its_own(talker, monkeypatch):
    before = quantised_layers(talker)
    plain = linear.expanded_for_stacks(talker)
    assert before
    assert quantised_layers(talker) == before
    assert quantised_layers(plain) == []
    layer, own = talker.model.layers[0].mlp.down_proj, plain.model.layers[0].mlp.down_proj
    exact = dequantised([layer.weight, layer.scales, layer.biases], 4, 64)
    assert mx.array_equal(own.weight, exact.astype(mx.bfloat16)).item()
    assert plain.model.norm.weight is talker.model.norm.weight
    assert plain.config is talker.config
    x = mx.random.normal((1, 3, talker.config.hidden_size), key=mx.random.key(0)).astype(mx.bfloat16)
    made = np.array(plain(x, plain.make_cache())[0].astype(mx.float32))
    monkeypatch.setattr(linear, "policy", lambda: CPU)
    again = small_talker("4,64,affine", "bfloat16")
    make_plain(again)  # in float32, what the quantised numbers stand for
    again.update(tree_map(lambda value: value.astype(mx.float32), again.parameters()))
    exact = np.array(again(x.astype(mx.float32), again.make_cache())[0])
    assert np.linalg.norm(made - exact) < 0.01 * np.linalg.norm(exact)  # bfloat16 was 0.006 off, MLX's product 0.033


@pytest.mark.slow
def test_nothing_is_expanded_where_nothing_is_gained(talker, on_cuda, monkeypatch):
    wide = small_talker("4,64,affine", "float32")
    assert linear.expanded_for_stacks(wide) is wide
    unquantised = small_talker("plain", "bfloat16")
    assert linear.expanded_for_stacks(unquantised) is unquantised
    monkeypatch.setattr(linear, "total_bytes", lambda: 1 << 20)
    assert linear.expanded_for_stacks(talker) is talker
    monkeypatch.setattr(linear, "total_bytes", lambda: 1 << 36)
    monkeypatch.setattr(linear, "policy", lambda: CPU)
    assert linear.expanded_for_stacks(talker) is talker


@pytest.mark.slow
def test_a_voxcpm_of_the_same_shapes_and_formats_is_tried():
    model = VoxCPM(model_config(config(SHAPES["tiny"], "bfloat16"), Path("config.json")))
    shapes = json.loads(json.dumps(autotune.shapes_of(model)))
    assert shapes["config"]["vocab_size"] == 8
    model = autotune.random_model(shapes)
    nn.quantize(
        model, 64, 4, class_predicate=lambda path, layer: "base_lm.layers" in path and isinstance(layer, nn.Linear)
    )
    shapes = json.loads(json.dumps(autotune.shapes_of(model)))
    again = autotune.random_model(shapes)
    assert json.loads(json.dumps(autotune.shapes_of(again))) == shapes
    assert again.base_lm.layers[0].mlp.down_proj.bits == 4
    assert isinstance(again.residual_lm.layers[0].mlp.down_proj, nn.Linear)
    described = [
        {path: (value.shape, value.dtype) for path, value in tree_flatten(own.parameters())} for own in (model, again)
    ]
    assert described[0] == described[1]
    assert autotune.milliseconds(again, StepKernels(PLAIN), 2, 2) > 0
