"""Where MLX keeps what it compiled for an NVIDIA GPU: a private folder of the user's, so that it is compiled once.

Compiling the plain path takes a minute. MLX's own choice is a folder under the system's temporary one, which is empty
after a restart and which others on the machine could fill with kernels of theirs.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from mlx_tts.runtime.folders import cache_folder

NAME = "MLX_PTX_CACHE_DIR"
LOOK_SECONDS = 0.5  # how often compiled kernels are counted
# MLX ends a process's work with an error once so many shapes were new to one of its caches in the whole life of the
# process: 800 orders of launches, 256 convolutions. That is meant as advice; a server would fail after some hours.
CACHES = {"MLX_ENABLE_CACHE_THRASHING_CHECK": "0", "MLX_CUDA_CONV_CACHE_SIZE": "2048"}


def keep_compiled_kernels() -> Path | None:
    """Name the folder to MLX, which looks when it first compiles; where the variable is set, that decides.

    The folder, or None where it cannot be made or is not the user's own: then MLX compiles in every process.
    """
    if NAME in os.environ:
        return None
    folder = cache_folder() / "cuda"
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if belongs_to_us_alone(folder.stat()):
            os.environ[NAME] = str(folder)
            return folder
    os.environ[NAME] = os.devnull + "/nowhere"  # MLX goes on without a folder
    return None


def private_folder() -> Path | None:
    """The folder that MLX was told of, by us or by the user; None where others can write to it."""
    folder = Path(os.environ.get(NAME, os.devnull))
    try:
        return folder if folder.is_dir() and belongs_to_us_alone(folder.stat()) else None
    except OSError:
        return None


def tell_of_compiled(tell: Callable[[int], None]) -> None:
    """On a thread of its own: whenever MLX has put another kernel into the folder, tell how many are there."""

    def watch() -> None:
        folder, told = private_folder(), 0
        while folder is not None:
            count = sum(1 for _ in folder.glob("*.txt"))
            if count > told:
                tell(count)
                told = count
            time.sleep(LOOK_SECONDS)

    threading.Thread(target=watch, daemon=True).start()


def write_whole(path: Path, data: bytes) -> None:
    """A file for this user alone, which is there whole or not at all. Its folder must be there."""
    handle, partial = tempfile.mkstemp(dir=path.parent, prefix=".kernel")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(partial).replace(path)
    except BaseException:
        Path(partial).unlink(missing_ok=True)
        raise


def belongs_to_us_alone(known: os.stat_result) -> bool:
    """Whether a file or folder is this user's, and nobody else may write to it."""
    return (not hasattr(os, "getuid") or known.st_uid == os.getuid()) and not known.st_mode & 0o022


def let_caches_fill() -> None:
    """Have MLX's caches for CUDA drop what is old instead of failing, and keep the plans of all of a codec's pieces.
    Before MLX's first work on the device; a variable that is set decides."""
    for name, value in CACHES.items():
        os.environ.setdefault(name, value)
