"""What the device at hand is good at: the one place that asks whether arrays live on a GPU."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import mlx.core as mx

_LIMITS = (16, 97)  # CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, ..._MAX_SHARED_MEMORY_PER_BLOCK_OPTIN


def on_gpu() -> bool:
    """Whether new arrays are computed on a GPU (Metal or CUDA)."""
    return mx.default_device().type == mx.gpu  # type: ignore[return-value]


def on_cuda() -> bool:
    """Whether that GPU speaks CUDA."""
    return on_gpu() and not mx.metal.is_available()


def launch_directly() -> None:
    """Have MLX launch on CUDA what it is asked for at once. By default it gathers launches in graphs, which takes more
    where a few launches are long: a patch of VoxCPM2 by a tenth (H200). Before MLX's first work there;
    MLX_USE_CUDA_GRAPHS decides where it is set."""
    if on_cuda():
        os.environ.setdefault("MLX_USE_CUDA_GRAPHS", "0")


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """`mx.compile` on a GPU; the plain function on the CPU, where compiling needs a C++ compiler on the user's machine
    and costs more at start than it saves. Only for pure functions of arrays."""
    return mx.compile(function) if on_gpu() else function


def gpu_info() -> dict[str, Any] | None:
    """What MLX says about the GPU (device_name, architecture, max_recommended_working_set_size, ...), or None."""
    if not on_gpu():
        return None
    return dict(mx.device_info()) if hasattr(mx, "device_info") else {}


class CudaLimits(NamedTuple):
    multiprocessors: int
    shared_bytes: int  # that a group of threads may ask for


@lru_cache(maxsize=1)
def cuda_limits() -> CudaLimits | None:
    """Of the CUDA device, from its driver; None where there is none, or it does not say."""
    if not on_cuda():
        return None
    try:
        driver = ctypes.CDLL("libcuda.so.1")
        found = {name: ctypes.c_int() for name in _LIMITS}
        asked = [driver.cuDeviceGetAttribute(ctypes.byref(value), name, 0) for name, value in found.items()]
    except (OSError, AttributeError):
        return None
    return None if any(asked) else CudaLimits(*(value.value for value in found.values()))
