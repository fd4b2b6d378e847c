"""One kernel body in, a Metal or a CUDA launch out: the few words in which the two languages differ.

A body sees `tid`, `lane`, `warp`, `group_x`, `group_y`, `group_z`, `groups_x` (all int) and the macros below; sizes are
macros too, so that loops unroll. Names carry a hash of all that was compiled: MLX keeps compiled CUDA kernels on disk
by name alone.
"""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import mlx.core as mx

from mlx_tts.nn.fused import nvrtc

SIMD_WIDTH = 32  # threads that run in step, on both kinds of GPU

_METAL = """
#include <metal_stdlib>
using namespace metal;
#define DEVICE device
#define THREAD thread
#define CONSTANT constant
#define INLINE inline
#define SHARED(type, name, count) threadgroup type name[count]
#define BARRIER() threadgroup_barrier(mem_flags::mem_threadgroup)
#define SHUFFLE_XOR(x, mask) simd_shuffle_xor(x, (ushort)(mask))
#define FLOAT_OF_BITS(x) as_type<float>((uint32_t)(x))
#define FMA(a, b, c) fma(a, b, c)
#define EXP(x) precise::exp(x)
#define SIN(x) precise::sin(x)
#define COS(x) precise::cos(x)
#define RSQRT(x) precise::rsqrt(x)
#define UNROLL _Pragma("clang loop unroll(full)")
#define UNROLL_CHUNKS _Pragma("clang loop unroll_count(2)")  // of several rows: in full, they want over 128 registers
INLINE float simd_total(float x) { return simd_sum(x); }
"""
_METAL_START = """
    const int tid = (int)thread_position_in_threadgroup.x;
    const int group_x = (int)threadgroup_position_in_grid.x;
    const int group_y = (int)threadgroup_position_in_grid.y;
    const int group_z = (int)threadgroup_position_in_grid.z;
    const int groups_x = (int)threadgroups_per_grid.x;
"""
_CUDA = """
#define DEVICE
#define THREAD
#define CONSTANT
#define INLINE __device__ __forceinline__
#define SHARED(type, name, count) __shared__ type name[count]
#define BARRIER() __syncthreads()
#define SHUFFLE_XOR(x, mask) __shfl_xor_sync(0xffffffffu, x, mask)
#define FLOAT_OF_BITS(x) __uint_as_float(x)
#define FMA(a, b, c) fmaf(a, b, c)
#define EXP(x) expf(x)
#define SIN(x) sinf(x)
#define COS(x) cosf(x)
#define RSQRT(x) rsqrtf(x)
#define UNROLL _Pragma("unroll")
#define UNROLL_CHUNKS UNROLL
INLINE float simd_total(float x) {
  UNROLL for (int mask = 16; mask > 0; mask >>= 1) x += SHUFFLE_XOR(x, mask);
  return x;
}
"""
_CUDA_START = """
    const int tid = (int)threadIdx.x;
    const int group_x = (int)blockIdx.x;
    const int group_y = (int)blockIdx.y;
    const int group_z = (int)blockIdx.z;
    const int groups_x = (int)gridDim.x;
"""
_START = """
    const int lane = tid & 31;
    const int warp = tid >> 5;
    (void)lane; (void)warp; (void)group_x; (void)group_y; (void)group_z; (void)groups_x;
"""
# eight or four numbers at once, in 16-byte reads: addresses must be multiples of 16 (of 8 for four bfloat16)
_LOADS = """
#define NEGATIVE_INFINITY FLOAT_OF_BITS(0xff800000u)
INLINE void load8(const DEVICE float* from, THREAD float* to) {
  const uint4 a = *((const DEVICE uint4*)from);
  const uint4 b = *((const DEVICE uint4*)(from + 4));
  to[0] = FLOAT_OF_BITS(a.x); to[1] = FLOAT_OF_BITS(a.y); to[2] = FLOAT_OF_BITS(a.z); to[3] = FLOAT_OF_BITS(a.w);
  to[4] = FLOAT_OF_BITS(b.x); to[5] = FLOAT_OF_BITS(b.y); to[6] = FLOAT_OF_BITS(b.z); to[7] = FLOAT_OF_BITS(b.w);
}
INLINE void load4(const DEVICE float* from, THREAD float* to) {
  const uint4 a = *((const DEVICE uint4*)from);
  to[0] = FLOAT_OF_BITS(a.x); to[1] = FLOAT_OF_BITS(a.y); to[2] = FLOAT_OF_BITS(a.z); to[3] = FLOAT_OF_BITS(a.w);
}
INLINE void halves(uint32_t word, THREAD float* to) {
  to[0] = FLOAT_OF_BITS(word << 16);
  to[1] = FLOAT_OF_BITS(word & 0xffff0000u);
}
INLINE void load8(const DEVICE bfloat_t* from, THREAD float* to) {
  const uint4 a = *((const DEVICE uint4*)from);
  halves(a.x, to); halves(a.y, to + 2); halves(a.z, to + 4); halves(a.w, to + 6);
}
INLINE void load4(const DEVICE bfloat_t* from, THREAD float* to) {
  const uint2 a = *((const DEVICE uint2*)from);
  halves(a.x, to); halves(a.y, to + 2);
}
"""
_TYPES = {
    "metal": {mx.float32: "float", mx.bfloat16: "bfloat16_t"},
    "cuda": {mx.float32: "float", mx.bfloat16: "__nv_bfloat16"},
}


@dataclass(frozen=True)
class Kernel:
    """A named body, the names of what it reads and writes, and functions that stand before it."""

    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    body: str
    functions: str = ""


def gpu_language() -> str | None:
    """ "metal" or "cuda": the language that the GPU at hand is written in; None without a GPU."""
    if mx.default_device().type != mx.gpu:
        return None
    return "metal" if mx.metal.is_available() else "cuda"


def source(
    kernel: Kernel, language: str, sizes: Mapping[str, int | str], types: Mapping[str, mx.Dtype], threads: int
) -> tuple[str, str]:
    """The header and the body that are compiled, for one language, one set of sizes and one set of types.

    Without comments: MLX hashes the whole text at each launch.
    """
    names = _TYPES[language]
    head = [f"typedef {names[mx.bfloat16]} bfloat_t;"]
    head += [f"typedef {names[dtype]} {name};" for name, dtype in types.items()]
    head += [f"#define {name} {value}" for name, value in sizes.items()]
    dialect, start = (_METAL, _METAL_START) if language == "metal" else (_CUDA, _CUDA_START)
    header = _uncommented(dialect + "\n".join(head) + "\n" + _LOADS + kernel.functions)
    if language == "metal":
        # MLX writes `[[kernel]] void` right behind: the compiler then fits the registers to so many threads
        header += f"[[max_total_threads_per_threadgroup({threads})]]\n"
    return header, _uncommented(start + _START + kernel.body)


def made_by_device(array: mx.array) -> mx.array:
    """The same numbers in memory that the host never wrote to. Not for what is traced."""
    made = array + mx.zeros(array.shape, array.dtype)
    mx.eval(made)
    return made


def bits_of(number: float) -> str:
    """A number as a kernel's text has it, exactly: for the macro FLOAT_OF_BITS."""
    return f"{struct.unpack('I', struct.pack('f', number))[0]}u"


def _uncommented(text: str) -> str:
    lines = (re.sub(r"\s*//.*", "", line).strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line) + "\n"


@lru_cache(maxsize=256)
def _built(
    kernel: Kernel,
    language: str,
    sizes: tuple[tuple[str, int | str], ...],
    types: tuple[tuple[str, mx.Dtype], ...],
    inputs: tuple[tuple[mx.Dtype, int, bool], ...],
    outputs: tuple[mx.Dtype, ...],
    threads: int,
    shared_bytes: int,
) -> Callable[..., Any]:
    """inputs: dtype, dimensions, and whether it is small; outputs: dtypes."""
    header, body = source(kernel, language, dict(sizes), dict(types), threads)
    # Metal puts inputs of fewer than 8 numbers into another address space: a different kernel
    arrays = ",".join(f"{dtype}{'c' if small else ''}" for dtype, _, small in inputs)
    digest = hashlib.sha256((header + body + arrays).encode()).hexdigest()[:16]
    build: Any = mx.fast.metal_kernel
    if language == "cuda":
        read = tuple(nvrtc.Array(name, *of[:2]) for name, of in zip(kernel.inputs, inputs, strict=True))
        written = tuple(map(nvrtc.Array, kernel.outputs, outputs))
        kept = nvrtc.kernel(nvrtc.Text(f"mlx_tts_{kernel.name}", read, written, header, body), shared_bytes)
        if kept is not None:
            return kept
        build = partial(mx.fast.cuda_kernel, shared_memory=shared_bytes)
    return build(  # type: ignore[no-any-return]
        name=f"mlx_tts_{kernel.name}_{digest}",
        input_names=list(kernel.inputs),
        output_names=list(kernel.outputs),
        source=body,
        header=header,
    )


def launch(
    kernel: Kernel,
    inputs: Sequence[mx.array],
    outputs: Sequence[tuple[tuple[int, ...], mx.Dtype]],
    groups: tuple[int, int, int],
    threads: int,
    sizes: Mapping[str, int | str],
    types: Mapping[str, mx.Dtype],
    shared_bytes: int = 0,
) -> list[mx.array]:
    """Run `groups` groups of `threads` threads; returns the outputs, [(shape, dtype), ...] as asked. shared_bytes: of a
    group, beside what the body declares, on CUDA."""
    language = gpu_language()
    assert language is not None
    arrays = tuple((array.dtype, array.ndim, array.size < 8) for array in inputs)
    dtypes = tuple(dtype for _, dtype in outputs)
    built = _built(kernel, language, tuple(sizes.items()), tuple(types.items()), arrays, dtypes, threads, shared_bytes)
    return built(  # type: ignore[no-any-return]
        inputs=list(inputs),
        grid=(groups[0] * threads, groups[1], groups[2]),
        threadgroup=(threads, 1, 1),
        output_shapes=[list(shape) for shape, _ in outputs],
        output_dtypes=[dtype for _, dtype in outputs],
    )
