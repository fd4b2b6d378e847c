"""The C++ compiler of the tests: what it made is kept between runs, and what MLX compiles takes a third of the time.

MLX compiles a small file for each graph that a test compiles on the CPU, and nearly all of that time goes into reading
one of MLX's headers. `speed_up_mlx` has that header read once, and puts a `g++` that knows this on the PATH.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from importlib import metadata
from pathlib import Path

import platformdirs

COMPILER = shutil.which("g++")
PREAMBLE = "mlx/backend/cpu/compiled_preamble.h"
# As MLX calls it; where it calls it otherwise, the compiler takes the header itself, and that is all.
FLAGS = ["-std=c++17", "-O3", "-Wall", "-fPIC"]


def kept(kind: str) -> Path:
    """A folder for what this version of the compiler made, which the next run finds again."""
    named = os.environ.get("MLX_TTS_TEST_CACHE") or platformdirs.user_cache_dir("mlx-tts-tests")
    folder = Path(named) / kind / version()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@cache
def version() -> str:
    """The compiler's machine and version, such as `x86_64-linux-gnu-12.2.0`."""
    assert COMPILER is not None
    asked = [COMPILER, "-dumpmachine"], [COMPILER, "-dumpfullversion", "-dumpversion"]
    return "-".join(subprocess.run(line, capture_output=True, text=True, check=True).stdout.strip() for line in asked)


def speed_up_mlx() -> None:
    """For this process and its children. On Linux with g++; elsewhere nothing is changed."""
    if COMPILER is None or not sys.platform.startswith("linux"):
        return
    folder = kept(f"mlx-{metadata.version('mlx')}")
    header, program = folder / f"{PREAMBLE}.gch", folder / "bin" / "g++"
    if not program.exists():
        header.parent.mkdir(parents=True, exist_ok=True)
        program.parent.mkdir(exist_ok=True)
        _read_header(header)
        _put(program, f'#!/bin/sh\nexec "{COMPILER}" -I "{folder}" "$@"\n'.encode())
    os.environ["PATH"] = f"{program.parent}{os.pathsep}{os.environ['PATH']}"


def _read_header(target: Path) -> None:
    import mlx.core as mx

    include = Path(mx.__file__).parent / "include"
    with tempfile.NamedTemporaryFile(dir=target.parent, suffix=".partial", delete=False) as file:
        path = Path(file.name)
    line = [COMPILER, *FLAGS, "-I", include, "-x", "c++-header", include / PREAMBLE, "-o", path]
    subprocess.run([str(part) for part in line], check=True, capture_output=True)
    path.rename(target)


def _put(target: Path, content: bytes) -> None:
    """Whole or not at all: several processes may begin at once."""
    with tempfile.NamedTemporaryFile(dir=target.parent, suffix=".partial", delete=False) as file:
        file.write(content)
    Path(file.name).chmod(0o700)
    Path(file.name).rename(target)
