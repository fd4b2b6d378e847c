"""What follows from the device at hand, as one value: the place that asks whether arrays live on a GPU.

Layers, families and the queue read `policy()`. Only `kernels/` asks as well: which language the GPU compiles.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import mlx.core as mx

from mlx_tts.runtime.compiled_kernels import keep_compiled_kernels, let_caches_fill

_LIMITS = (16, 97)  # CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, ..._MAX_SHARED_MEMORY_PER_BLOCK_OPTIN


@dataclass(frozen=True)
class DevicePolicy:
    """What a kind of device is good at. The first group decides how layers compute, the second how rows share it, the
    third what is done about memory."""

    compiles: bool  # functions of arrays; on the CPU that needs a C++ compiler on the user's machine
    float32_only: bool  # other products of MLX are 10 to 100 times slower
    prefers_products: bool  # over convolutions, with all weights laid out for products of one row
    avoids_libraries: bool  # theirs take 10 to 40 ms to plan each new shape, and their calls cost the host
    drifts_in_bfloat16: bool  # a model that reads back its own sound: as official code has it, float32 there
    projects_text_as_prompt: bool  # one row of positions, which `expand_for_prompts` multiplies by plain weights
    starts_slowly: bool  # MLX compiles what it uses first for seconds each: runtime/first_start.py
    few_launches: bool  # each costs microseconds, so steps come in forms of their own
    begins_early: bool  # a thread of MLX computes while Python puts together what follows, which takes as long
    multiplies_by_blas: bool  # the library that was loaded before MLX decides how fast: runtime/blas.py

    looks_ahead: bool  # it is sent the next step before the results of this one are read
    shares_prefill: bool  # prompts of newcomers are read in one step
    shares_pieces: bool  # pieces of sound of several rows are decoded in one step, and lengths are made equal for it
    early_frames: int  # that a row makes while its piece waits for others; to leave a batch of many rows costs more
    hurries_first_sounds: bool  # each row of a step takes its time, so rows that are ahead wait for a first sound
    step_cost: float  # of a step besides its rows, in times of a row without its sound; measured steps correct it
    most_cache_bytes: int  # that freed buffers may keep; what lies beyond only looks like a leak
    counts_own_memory: bool  # the system does not count its buffers as the process's own
    wires_weights: bool  # macOS fetches weights back slowly that it paged out


CPU = DevicePolicy(
    compiles=False,
    float32_only=True,
    prefers_products=True,
    avoids_libraries=False,
    drifts_in_bfloat16=True,
    projects_text_as_prompt=False,
    starts_slowly=False,
    few_launches=False,
    begins_early=True,
    multiplies_by_blas=True,
    looks_ahead=False,
    shares_prefill=False,
    shares_pieces=False,
    early_frames=0,
    hurries_first_sounds=True,
    step_cost=2.0,
    most_cache_bytes=64 << 20,  # a fresh buffer costs little there
    counts_own_memory=False,
    wires_weights=False,
)
METAL = DevicePolicy(
    compiles=True,
    float32_only=False,
    prefers_products=False,
    avoids_libraries=False,
    drifts_in_bfloat16=True,
    projects_text_as_prompt=False,
    starts_slowly=False,
    few_launches=True,
    begins_early=False,
    multiplies_by_blas=False,
    looks_ahead=True,
    shares_prefill=True,
    shares_pieces=True,
    early_frames=8,
    hurries_first_sounds=False,
    step_cost=16.0,
    most_cache_bytes=512 << 20,  # a frame and a piece of sound need far less
    counts_own_memory=True,
    wires_weights=True,
)
CUDA = replace(
    METAL,
    avoids_libraries=True,
    drifts_in_bfloat16=False,
    projects_text_as_prompt=True,
    starts_slowly=True,
    wires_weights=False,
)


def policy() -> DevicePolicy:
    """Of the device on which new arrays are computed."""
    return CUDA if on_cuda() else METAL if on_gpu() else CPU


def on_gpu() -> bool:
    """Whether new arrays are computed on a GPU (Metal or CUDA)."""
    return mx.default_device().type == mx.gpu  # type: ignore[return-value]


def on_cuda() -> bool:
    """Whether that GPU speaks CUDA."""
    return on_gpu() and not mx.metal.is_available()


def backend() -> str:
    """What computes new arrays, by its name in reports: cpu, metal or cuda."""
    return "cpu" if not on_gpu() else "cuda" if on_cuda() else "metal"


def prepare_compilation() -> None:
    """On CUDA, say where MLX keeps what it compiled, and let its caches fill. Before a model is loaded."""
    if on_cuda():
        keep_compiled_kernels()
        let_caches_fill()


def launch_directly() -> None:
    """Have MLX launch on CUDA what it is asked for at once. By default it gathers launches in graphs, which takes more
    where a few launches are long: a patch of VoxCPM2 by a tenth (H200). Before MLX's first work there;
    MLX_USE_CUDA_GRAPHS decides where it is set."""
    if on_cuda():
        os.environ.setdefault("MLX_USE_CUDA_GRAPHS", "0")


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """`mx.compile` on a GPU; the plain function on the CPU, where compiling costs more at start than it saves. Only for
    pure functions of arrays."""
    return mx.compile(function) if policy().compiles else function


def begin_early(*arrays: mx.array) -> None:
    """On the CPU, have arrays computed while what follows them is put together. The numbers are the same. Call it only
    for what will be needed. Within what is traced it does nothing."""
    if not policy().begins_early:
        return
    with suppress(ValueError):  # they are traced, as in a step that is compiled: there is nothing to compute yet
        mx.async_eval(*arrays)


def made_by_device(array: mx.array) -> mx.array:
    """The same numbers in memory that the host never wrote to. Not for what is traced."""
    made = array + mx.zeros(array.shape, array.dtype)
    mx.eval(made)
    return made


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
