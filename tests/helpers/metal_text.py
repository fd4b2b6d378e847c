"""The Metal text of every kernel that can be chosen, checked by a real clang; nothing runs.

`every_text()` makes the texts, `complaints` compiles them. Clang is Debian's clang-19, another clang++, or the one in
the `ziglang` package, which knows C++ but not OpenCL.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from mlx import nn

from mlx_tts.generation.sampling import RowSampling, SamplerSettings, SamplingParams
from mlx_tts.kernels import attention, products
from mlx_tts.kernels.attention import AttentionKernel
from mlx_tts.kernels.core import source
from mlx_tts.kernels.products import ProductKernel
from mlx_tts.models.qwen3_tts import gpu_step

HERE = Path(__file__).resolve().parent
SHARED_BYTES = 32768  # of threadgroup memory a group may have
BUFFERS = 31
NAMES = {mx.float32: "float", mx.bfloat16: "bfloat16_t", mx.uint32: "uint32_t", mx.int32: "int32_t", mx.bool_: "bool"}
ATTRIBUTES = ("thread_position_in_threadgroup", "threadgroup_position_in_grid", "threadgroups_per_grid")
READINGS = {
    "C++": ["-x", "c++", "-std=c++17"],
    "OpenCL": ["-x", "clcpp", "-cl-std=clc++2021", "-target", "spir64", "-Xclang", "-fdeclare-opencl-builtins"],
}
WARNINGS = ["-Wall", "-Wextra", "-Wdouble-promotion", "-Wfloat-conversion"]
WARNINGS += [
    f"-Wno-{name}" for name in ("unused-parameter", "unused-function", "unused-variable", "unknown-attributes")
]
WARNINGS += ["-Wno-unused-const-variable", "-Wno-missing-prototypes", "-Wno-ignored-pragmas", "-Wno-ignored-attributes"]
# words of Metal that a body may not use for anything of its own
RESERVED = set(
    """vertex fragment half bfloat sampler texture ray_data object_data packed matrix vec imageblock mesh goto try catch
    throw new delete virtual dynamic_cast typeid double thread_local mutable asm""".split()  # noqa: SIM905
)
POINTED = ("float", "int", "bool", "uint", "uint2", "uint4", "uint32_t", "value_t", "bfloat_t", "bfloat16_t")
SPACES = {"device", "constant", "thread", "threadgroup", "DEVICE", "CONSTANT", "THREAD"}


@dataclass(frozen=True)
class MetalText:
    """One kernel as Metal would get it."""

    text: str
    threads: int
    shared_bytes: int


def clang() -> list[str] | None:
    """A command that compiles C++, or None."""
    for name in ("clang++-19", "clang++"):
        if shutil.which(name):
            return [name]
    return [sys.executable, "-m", "ziglang", "clang"] if importlib.util.find_spec("ziglang") else None


def _head(name: str, inputs: list[tuple[str, mx.array]], outputs: list[tuple[str, mx.Dtype]], source: str) -> str:
    """The function head as MLX 0.32 writes it (mlx/backend/common/metal_kernel.cpp)."""
    parameters = []
    for label, array in inputs:
        place = "constant" if array.size < 8 else "device"
        parameters.append(f"const {place} {NAMES[array.dtype]}{'*' if array.ndim else '&'} {label}")
        if array.ndim and f"{label}_shape" in source:
            parameters.append(f"const constant int* {label}_shape")
    parameters += [f"device {NAMES[dtype]}* {label}" for label, dtype in outputs]
    assert len(parameters) <= BUFFERS
    parameters += [f"uint3 {label}" for label in ATTRIBUTES if label in source]
    return f"KERNEL void {name}({', '.join(parameters)}) {{\n"


def _shared_bytes(header: str, source: str) -> int:
    """Threadgroup arrays all hold numbers of four bytes."""
    sizes = {name: int(value) for name, value in re.findall(r"^#define (\w+) (-?\d+)$", header, re.M)}
    counts = re.findall(r"SHARED\(\w+, \w+, (.+)\);", source)
    return sum(4 * eval(count, {}, dict(sizes)) for count in counts)


def every_text(patch: pytest.MonkeyPatch, edit: Mapping[str, str] | None = None) -> dict[str, MetalText]:
    """The texts by name; `edit` replaces parts of them, to plant a fault."""
    texts: dict[str, MetalText] = {}

    def metal_kernel(name: str, input_names: Any, output_names: Any, source: str, header: str) -> Any:
        def run(inputs: Any, grid: Any, threadgroup: Any, output_shapes: Any, output_dtypes: Any) -> list[mx.array]:
            head = _head(
                name,
                list(zip(input_names, inputs, strict=True)),
                list(zip(output_names, output_dtypes, strict=True)),
                source,
            )
            text = f"{header}{head}{source}\n}}\n"
            for old, new in (edit or {}).items():
                text = text.replace(old, new)
            texts[name] = MetalText(text, threadgroup[0], _shared_bytes(header, source))
            return [mx.zeros(shape, dtype) for shape, dtype in zip(output_shapes, output_dtypes, strict=True)]

        return run

    for module in (source, attention):
        patch.setattr(module, "gpu_language", lambda: "metal")
    patch.setattr(mx.fast, "metal_kernel", metal_kernel)
    patch.setattr(gpu_step, "self_checked", lambda chosen, *_, **__: chosen)
    source._built.cache_clear()
    for dtype in (mx.float32, mx.bfloat16):
        _products(dtype)
        _attentions(dtype)
        _draws(dtype)
    source._built.cache_clear()
    return texts


def _products(dtype: mx.Dtype) -> None:
    for bits in (4, 8, 16):
        for columns in (256, 3072):
            layer = nn.Linear(columns, 64, bias=False)
            layer.weight = layer.weight.astype(dtype)
            matrix = layer.to_quantized(64, bits) if bits < 16 else layer
            norm = nn.RMSNorm(columns, 1e-6)
            norm.weight = norm.weight.astype(dtype)
            for batch in (1, 2, 3, products.MOST_ROWS["metal"]):
                x, added = mx.zeros((batch, columns), dtype), mx.zeros((batch, 64), dtype)
                kinds = ((norm, None, products.PLAIN), (None, added, products.RESIDUAL), (norm, None, products.GATED))
                for before, residual, behind in kinds:
                    chosen = ProductKernel.of(matrix, batch, dtype, before, behind)
                    assert chosen is not None
                    chosen.run(matrix, x, before, residual)
    biased = nn.Linear(1024, 64)
    biased.set_dtype(dtype)
    chosen = ProductKernel.of(biased, 1, dtype, None, products.BIASED)
    assert chosen is not None
    chosen.run(biased, mx.zeros((1, 1024), dtype))


def _attentions(dtype: mx.Dtype) -> None:
    for head_dim in (32, 64, 128):
        for new, capacity, batch in ((1, 16, 1), (2, 16, 1), (1, 256, 4), (1, 768, 1), (1, 768, 9)):
            chosen = AttentionKernel.of(head_dim, 2, new, capacity, 1e-6, dtype)
            assert chosen is not None
            qkv = mx.zeros((batch * new, 12 * head_dim), dtype)
            cache = mx.zeros((2, batch, 3, capacity, head_dim), dtype)
            gains = (mx.ones((head_dim,), dtype),) * 2
            starts = mx.zeros((max(batch, 8),), mx.int32)
            chosen.run(qkv, gains, cache, mx.array([3]), starts, mx.ones((head_dim // 2,)))


def _draws(dtype: mx.Dtype) -> None:
    B, V, D, K = 2, 3072, 64, 16
    table = nn.Embedding(V, D)
    table.weight = table.weight.astype(dtype)
    logits, noise, state = mx.zeros((B, V), dtype), mx.zeros((B, 2 * V)), mx.zeros((B, D), dtype)
    masks = mx.zeros((B, V), mx.bool_), mx.zeros((B, V))
    for how in (SamplerSettings(0.9, 50, 1.0), SamplerSettings(0, 0, 1.0)):
        rows = RowSampling.of([SamplingParams(how, how, 1.05)] * B, V, V)
        first = gpu_step.sample_first(logits, noise, *masks, rows, table, state, state, K)
        for last in (False, True):
            gpu_step.sample_following(logits, noise, rows, table, first[0], first[3], (3, V), last)


def written_faults(text: str) -> Iterator[str]:
    """What a C++ compiler takes and Metal does not, or not as meant."""
    bare = re.sub(r"^#.*$", "", text, flags=re.M)
    for word in sorted(set(re.findall(r"[A-Za-z_]\w*", bare)) & RESERVED):
        yield f"'{word}' is a word of Metal's own"
    for prefix, pointer in re.findall(rf"((?:\w+\s+){{0,3}})\b((?:{'|'.join(POINTED)})\s*\*)", bare):
        if not SPACES & set(prefix.split()):
            yield f"'{prefix}{pointer}' names no address space"
    for number in re.findall(r"(?<![\w.])(?:\d+\.\d*|\.\d+)(?:e-?\d+)?(?![\w.f])", bare):
        yield f"{number} is a double: write an f behind it"


def complaints(texts: Mapping[str, MetalText], folder: Path, compiler: list[str], reading: str) -> str:
    """What clang says about all of them together; empty where it is content."""
    files = []
    for name, kernel in texts.items():
        files.append(folder / f"{name}.{'cpp' if reading == 'C++' else 'clcpp'}")
        files[-1].write_text(kernel.text.replace("#include <metal_stdlib>", '#include "metal_types.h"'))
    command = [*compiler, *READINGS[reading], "-fsyntax-only", *WARNINGS, f"-I{HERE}", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr.strip() or ("" if done.returncode == 0 else f"exit code {done.returncode}")
