"""All steps of the diffusion as one launch, run thread by thread on the CPU: the numbers of the plain form."""

from __future__ import annotations

import json
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest
from mlx.utils import tree_map

from benchmarks.voxcpm_shapes import SHAPES, config
from mlx_tts.kernels import attention, persistent_stack, products
from mlx_tts.kernels.core import forms, self_check, source
from mlx_tts.models.voxcpm2 import gpu_step
from mlx_tts.models.voxcpm2.config import model_config
from mlx_tts.models.voxcpm2.diffusion import Diffusion
from mlx_tts.models.voxcpm2.gpu_step import GpuDiffusion
from mlx_tts.models.voxcpm2.network import VoxCPM
from mlx_tts.runtime.device import CudaLimits
from tests.helpers import metal_emulator
from tests.helpers.gpu_form import as_on_gpu

pytestmark = [
    pytest.mark.slow,
    pytest.mark.compiled,
    pytest.mark.skipif(metal_emulator.COMPILER is None, reason="NOT CHECKED: the kernel, for want of g++"),
]


@pytest.fixture
def model(monkeypatch):
    for module in (persistent_stack, products, attention, forms):
        monkeypatch.setattr(module, "gpu_language", lambda: "cuda")
    monkeypatch.setattr(source, "gpu_language", lambda: "metal")
    monkeypatch.setattr(persistent_stack, "cuda_limits", lambda: CudaLimits(3, 128_000))
    monkeypatch.setattr(mx.fast, "metal_kernel", metal_emulator.metal_kernel)
    monkeypatch.setattr(self_check, "_results", {})
    monkeypatch.setattr(gpu_step, "compiled", lambda function: function)  # what is emulated cannot be put into a graph
    monkeypatch.setenv("MLX_TTS_KERNELS", "on")
    source._built.cache_clear()
    shape = json.loads(json.dumps(SHAPES["tiny"]))
    shape["local"] |= {"hidden_dim": 256, "ffn_dim": 256}
    made = VoxCPM(model_config(config(shape, "bfloat16"), Path("config.json")))
    random = np.random.default_rng(1)

    def drawn(value):
        numbers = 1 + random.normal(size=value.shape) * 0.1 if value.ndim == 1 else random.normal(size=value.shape)
        return mx.array((numbers / (1 if value.ndim == 1 else value.shape[-1] ** 0.5)).astype(np.float32))

    made.update(tree_map(lambda value: drawn(value).astype(mx.bfloat16), made.parameters()))
    made.prepare()
    mx.eval(made.parameters())
    yield made
    source._built.cache_clear()


@pytest.mark.smoke("1-1.0")
@pytest.mark.parametrize(("batch", "guidance"), [(1, 2.0), (1, 1.0), (2, 1.5)])
def test_all_steps_in_one_launch_are_the_plain_ones(model, monkeypatch, batch, guidance):
    sizes = model.estimator, 4, 2, False
    monkeypatch.setattr(forms, "_in_use", [forms.StepKernels(forms.PLAIN)])
    plain = Diffusion(*sizes)
    random, D = np.random.default_rng(2), model.config.fields.feat_dim
    noise, last = (mx.array(random.normal(size=(batch, 4, D)).astype(np.float32)) for _ in range(2))
    mu = mx.array(random.normal(size=(batch, 2 * 256)).astype(np.float32)).astype(mx.bfloat16)
    given = noise, mu, last, 3, [guidance + 0.5 * row if guidance > 1 else 1.0 for row in range(batch)]
    right = plain(*given)
    monkeypatch.setattr(forms, "_in_use", [])
    as_on_gpu(monkeypatch)
    whole = GpuDiffusion(*sizes)
    assert whole._solver(batch, D, 1 if guidance == 1 else 2) is not None, "its check"
    monkeypatch.setattr(whole, "_own_step", None)  # not step by step
    made = whole(*given)
    moved = np.array(right - noise)
    assert np.abs(moved).max() > 0.5
    assert np.abs(np.array(made - right)).max() < 0.03 * np.abs(moved).max()
    if batch == 1:
        monkeypatch.setenv("MLX_TTS_KERNELS", "off")
        steps = GpuDiffusion(*sizes)
        assert np.abs(np.array(steps(*given) - right)).max() < 0.03 * np.abs(moved).max()
