"""What a device is told before it works."""

import os

import pytest

from mlx_tts.runtime import device

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
