"""mx.fast.metal_kernel without Metal: the kernel's own text, compiled by a C++ compiler and run thread by thread."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np

from tests.helpers.compiler import COMPILER, kept

FLAGS = ("-std=c++17", "-O2", "-w", "-fPIC", "-pthread")
_NAMES = {
    mx.float32: "float",
    mx.bfloat16: "bfloat16_t",
    mx.uint32: "uint32_t",
    mx.int32: "int32_t",
    mx.bool_: "bool",
}
_ATTRIBUTES = {
    "thread_position_in_threadgroup": "uint3",
    "threadgroup_position_in_grid": "uint3",
    "threadgroups_per_grid": "uint3",
}


def signature(name: str, inputs: list[tuple[str, mx.array]], outputs: list[tuple[str, mx.Dtype]], source: str) -> str:
    """The function head that MLX writes in front of a Metal body: small inputs are `constant`, shapes where asked."""
    parameters = []
    for label, array in inputs:
        place = "constant" if array.size < 8 else "device"
        parameters.append(f"const {place} {_NAMES[array.dtype]}* {label} [[buffer({len(parameters)})]]")
        if f"{label}_shape" in source:
            parameters.append(f"const constant int* {label}_shape [[buffer({len(parameters)})]]")
    for label, dtype in outputs:
        parameters.append(f"device {_NAMES[dtype]}* {label} [[buffer({len(parameters)})]]")
    parameters += [f"{kind} {label} [[{label}]]" for label, kind in _ATTRIBUTES.items() if label in source]
    return f"[[kernel]] void {name}(\n  " + ",\n  ".join(parameters) + ") {\n"


def _pointer(array: mx.array) -> int:
    return np.asarray(_memory(array)).__array_interface__["data"][0]  # type: ignore[no-any-return]


def _memory(array: mx.array) -> memoryview:
    raw = array.view(mx.uint16) if array.dtype == mx.bfloat16 else array
    mx.eval(raw)
    return memoryview(raw)


def _strided(array: mx.array) -> bool:
    return not _memory(array).c_contiguous


@cache
def _folder_of_header(header: str) -> Path:
    """A folder with this header, already read by g++: for a small kernel that would take most of the time."""
    folder = kept("emulated") / f"header-{hashlib.sha256(header.encode()).hexdigest()[:24]}"
    if not folder.exists():
        partial = Path(tempfile.mkdtemp(dir=folder.parent))  # several processes may make it at once
        (partial / "metal_emulator.h").write_text(header)
        line = [COMPILER, *FLAGS, "-x", "c++-header", partial / "metal_emulator.h"]
        subprocess.run([*line, "-o", partial / "metal_emulator.h.gch"], check=True)  # type: ignore[list-item]
        with contextlib.suppress(OSError):  # another process was first
            partial.rename(folder)
    return folder


def _compiled(text: str) -> Callable[..., Any]:
    header = Path(__file__).with_name("metal_emulator.h").read_text()
    stem = kept("emulated") / hashlib.sha256((header + text).encode()).hexdigest()[:24]
    library = stem.with_suffix(".so")
    if not library.exists():
        source = stem.with_suffix(f".{os.getpid()}.cpp")  # several processes may compile the same text at once
        source.write_text(text)
        partial = source.with_suffix(".tmp")
        command = [COMPILER, *FLAGS, "-shared", f"-I{_folder_of_header(header)}", str(source), "-o", str(partial)]
        subprocess.run(command, check=True)  # type: ignore[arg-type]
        partial.rename(library)
        source.unlink()
    return ctypes.CDLL(str(library)).run


def metal_kernel(
    name: str, input_names: list[str], output_names: list[str], source: str, header: str
) -> Callable[..., Any]:
    """As mx.fast.metal_kernel, for what the kernels of this package use of it."""
    header = header.replace("#include <metal_stdlib>", '#include "metal_emulator.h"').replace(
        "using namespace metal;", ""
    )

    def run(
        inputs: list[mx.array],
        grid: tuple[int, int, int],
        threadgroup: tuple[int, int, int],
        output_shapes: list[list[int]],
        output_dtypes: list[mx.Dtype],
    ) -> list[mx.array]:
        named = [
            (label, array + 0 if _strided(array) else array) for label, array in zip(input_names, inputs, strict=True)
        ]
        head = signature(name, named, list(zip(output_names, output_dtypes, strict=True)), source)
        outputs = [mx.full(shape, 7).astype(dtype) for shape, dtype in zip(output_shapes, output_dtypes, strict=True)]
        pointers, shapes = [], []
        call = []
        for label, array in named:
            call.append(f"({_NAMES[array.dtype]}*)pointers[{len(pointers)}]")
            pointers.append(_pointer(array))
            if f"{label}_shape" in source:
                call.append(f"(const int*)pointers[{len(pointers)}]")
                shape = np.array(array.shape, np.int32)
                shapes.append(shape)
                pointers.append(shape.ctypes.data)
        for array in outputs:
            call.append(f"({_NAMES[array.dtype]}*)pointers[{len(pointers)}]")
            pointers.append(_pointer(array))
        where = {
            "thread_position_in_threadgroup": "uint3{(uint)current, 0, 0}",
            "threadgroup_position_in_grid": "at",
            "threadgroups_per_grid": "count",
        }
        call += [text for label, text in where.items() if label in source]
        groups = (grid[0] // threadgroup[0], grid[1], grid[2])
        assert groups[0] * threadgroup[0] == grid[0]
        assert threadgroup[0] % 32 == 0
        text = f"""{header}
{head}{source}
}}
static void** pointers;
static uint3 count;
static thread_local uint3 at;
static void one() {{ {name}({", ".join(call)}); }}
extern "C" void run(void** given, int x, int y, int z, int threads) {{
  pointers = given;
  count = uint3{{(uint)x, (uint)y, (uint)z}};
  if ({int("groups_meet" in header)}) {{
    std::vector<SystemThread> groups;
    for (int group = 0; group < x; group++)
      groups.emplace_back([=] {{ at = uint3{{(uint)group, 0, 0}}; run_group(threads, one); }});
    for (auto& group : groups) group.join();
    return;
  }}
  for (at.z = 0; at.z < count.z; at.z++)
    for (at.y = 0; at.y < count.y; at.y++)
      for (at.x = 0; at.x < count.x; at.x++) run_group(threads, one);
}}
"""
        _compiled(text)((ctypes.c_void_p * len(pointers))(*pointers), *groups, threadgroup[0])
        return outputs

    return run
