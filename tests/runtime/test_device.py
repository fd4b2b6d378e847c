"""What a device is told before it works."""

import os

import mlx.core as mx
import pytest

from mlx_tts.nn import linear
from mlx_tts.runtime import device
from mlx_tts.runtime.device import CPU, CUDA, METAL

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("cuda", "asked", "left"), [(True, None, "0"), (True, "1", "1"), (False, None, None), (False, "1", "1")]
)
def test_cuda_launches_directly_unless_somebody_asks_for_graphs(cuda, asked, left, monkeypatch):
    monkeypatch.setattr(device, "on_cuda", lambda: cuda)
    monkeypatch.delenv("MLX_USE_CUDA_GRAPHS", raising=False)
    if asked is not None:
        monkeypatch.setenv("MLX_USE_CUDA_GRAPHS", asked)
    device.launch_directly()
    assert os.environ.get("MLX_USE_CUDA_GRAPHS") == left
    monkeypatch.delenv("MLX_USE_CUDA_GRAPHS", raising=False)


@pytest.mark.parametrize(("gpu", "cuda", "kind"), [(False, False, CPU), (True, False, METAL), (True, True, CUDA)])
def test_the_policy_is_that_of_the_device_at_hand(gpu, cuda, kind, monkeypatch):
    monkeypatch.setattr(device, "on_gpu", lambda: gpu)
    monkeypatch.setattr(device, "on_cuda", lambda: cuda)
    assert device.policy() is kind
    assert (device.compiled(abs) is abs) == (not gpu)


@pytest.mark.parametrize(
    ("kind", "stored", "asked", "feeds_back", "wanted"),
    [
        (CPU, mx.bfloat16, None, False, mx.float32),
        (CPU, mx.float32, "bfloat16", False, mx.bfloat16),  # cast_network makes it float32, and says so
        (METAL, mx.bfloat16, None, False, mx.bfloat16),
        (METAL, mx.bfloat16, None, True, mx.float32),
        (METAL, mx.bfloat16, "bfloat16", True, mx.bfloat16),
        (CUDA, mx.bfloat16, None, True, mx.bfloat16),
        (CUDA, mx.float16, None, False, mx.float32),
    ],
)
def test_the_dtype_that_a_device_computes_in(kind, stored, asked, feeds_back, wanted, monkeypatch):
    monkeypatch.setattr(linear, "policy", lambda: kind)
    assert linear.choose_dtype(stored, asked, feeds_back) == wanted
