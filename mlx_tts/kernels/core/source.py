"""A kernel's text in, a Metal or a CUDA launch out. All text lies in kernels/text, in files that clang-format reads.

Both languages compile the same text: text/metal.h and text/cuda.h hold the few words in which they differ. A body sees
`tid`, `lane`, `warp`, `group_x`, `group_y`, `group_z`, `groups_x` (all int) and the macros of those files; sizes are
macros too, so that loops unroll. Names carry a hash of all that was compiled: MLX keeps compiled CUDA kernels on disk
by name alone.
"""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import mlx.core as mx

from mlx_tts.kernels.core import nvrtc

SIMD_WIDTH = 32  # threads that run in step, on both kinds of GPU
FOLDER = Path(__file__).resolve().parent.parent / "text"
_PART = re.compile(r"^PART\((\w+)\) \{\n(.*?)^\}\n", re.MULTILINE | re.DOTALL)
_INCLUDE = re.compile(r'^#include "(\w+)\.h"\n', re.MULTILINE)
_INSERT = re.compile(r"^ *INSERT\((\w+), (\w+)\)\n", re.MULTILINE)
_TYPES = {
    "metal": {mx.float32: "float", mx.bfloat16: "bfloat16_t"},
    "cuda": {mx.float32: "float", mx.bfloat16: "__nv_bfloat16"},
}


@dataclass(frozen=True)
class KernelText:
    """A named body, the names of what it reads and writes, and functions that stand before it."""

    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    body: str
    functions: str = ""


@lru_cache(maxsize=64)
def _parts_of(file: str) -> dict[str, str]:
    """The parts of a file by their names; "" is what stands outside of them."""
    text = (FOLDER / f"{file}.h").read_text(encoding="utf-8")
    outside = _INCLUDE.sub(lambda found: _parts_of(found[1])[""], _PART.sub("", text))
    return {"": outside, **dict(_PART.findall(text))}


@lru_cache(maxsize=64)
def text_of(file: str, part: str = "") -> str:
    """What stands between the braces of `PART(part) { ... }` in a file of kernels/text, or outside of all parts: its
    functions. `INSERT(file, part)` stands for a part of a file. Read once, at the first launch."""
    return _INSERT.sub(lambda found: text_of(found[1], found[2]), _parts_of(file)[part])


@lru_cache(maxsize=1)
def digest_of_all_text() -> str:
    """Changes whenever some kernel does: autotune results belong to one text."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(FOLDER.glob("*.h")))).hexdigest()[:16]


def gpu_language() -> str | None:
    """ "metal" or "cuda": the language that the GPU at hand is written in; None without a GPU."""
    if mx.default_device().type != mx.gpu:
        return None
    return "metal" if mx.metal.is_available() else "cuda"


def source(
    kernel: KernelText, language: str, sizes: Mapping[str, int | str], types: Mapping[str, mx.Dtype], threads: int
) -> tuple[str, str]:
    """The header and the body that are compiled, for one language, one set of sizes and one set of types.

    Without comments: MLX hashes the whole text at each launch.
    """
    names = _TYPES[language]
    head = [f"typedef {names[mx.bfloat16]} bfloat_t;"]
    head += [f"typedef {names[dtype]} {name};" for name, dtype in types.items()]
    head += [f"#define {name} {value}" for name, value in sizes.items()]
    header = _uncommented(text_of(language) + "\n".join(head) + "\n" + text_of("common") + kernel.functions)
    if language == "metal":
        # MLX writes `[[kernel]] void` right behind: the compiler then fits the registers to so many threads
        header += f"[[max_total_threads_per_threadgroup({threads})]]\n"
    return header, _uncommented(text_of(language, "start") + text_of("common", "start") + kernel.body)


def bits_of(number: float) -> str:
    """A number as a kernel's text has it, exactly: for the macro FLOAT_OF_BITS."""
    return f"{struct.unpack('I', struct.pack('f', number))[0]}u"


def _uncommented(text: str) -> str:
    lines = (re.sub(r"\s*//.*", "", line).strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line) + "\n"


@lru_cache(maxsize=256)
def _built(
    kernel: KernelText,
    language: str,
    sizes: tuple[tuple[str, int | str], ...],
    types: tuple[tuple[str, mx.Dtype], ...],
    inputs: tuple[tuple[mx.Dtype, int, bool], ...],
    outputs: tuple[mx.Dtype, ...],
    threads: int,
    shared_bytes: int,
) -> Callable[..., Any]:
    """inputs: dtype, number of dimensions, and whether the array is small; outputs: dtypes."""
    header, body = source(kernel, language, dict(sizes), dict(types), threads)
    if language == "cuda":
        read = tuple(nvrtc.Array(name, *of[:2]) for name, of in zip(kernel.inputs, inputs, strict=True))
        written = tuple(map(nvrtc.Array, kernel.outputs, outputs))
        kept = nvrtc.kernel(nvrtc.Text(f"mlx_tts_{kernel.name}", read, written, header, body), shared_bytes)
        if kept is not None:
            return kept
    # Metal puts inputs of fewer than 8 numbers into another address space: a different kernel
    arrays = ",".join(f"{dtype}{'c' if small else ''}" for dtype, _, small in inputs)
    digest = hashlib.sha256((header + body + arrays).encode()).hexdigest()[:16]
    return build(language, f"mlx_tts_{kernel.name}_{digest}", kernel, header, body, shared_bytes)


def build(
    language: str, name: str, kernel: KernelText, header: str, body: str, shared_bytes: int
) -> Callable[..., Any]:
    """The only place where MLX is given a kernel to compile. name: unique for all that is compiled."""
    given: dict[str, Any] = {"input_names": list(kernel.inputs), "output_names": list(kernel.outputs)}
    given |= {"name": name, "source": body, "header": header}
    made: Any
    if language == "cuda":
        made = mx.fast.cuda_kernel(**given, shared_memory=shared_bytes)
    else:
        made = mx.fast.metal_kernel(**given)
    return made  # type: ignore[no-any-return]


def launch(
    kernel: KernelText,
    inputs: Sequence[mx.array],
    outputs: Sequence[tuple[tuple[int, ...], mx.Dtype]],
    groups: tuple[int, int, int],
    threads: int,
    sizes: Mapping[str, int | str],
    types: Mapping[str, mx.Dtype],
    shared_bytes: int = 0,
) -> list[mx.array]:
    """Run `groups` groups of `threads` threads; returns the outputs, [(shape, dtype), ...] as asked. shared_bytes: of a
    group, in addition to what the body declares, on CUDA."""
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
