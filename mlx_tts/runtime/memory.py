"""The machine's memory -> how much of it buffers may keep and how many utterances fit side by side; what was used."""

from __future__ import annotations

import ctypes
import os
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import mlx.core as mx

from mlx_tts.runtime.device import gpu_info, policy

_generating: set[int] = set()  # engines with something to do

MOST_ROWS = 8  # more give little, and delay the first finished piece
WIRED_RESERVE = 1 << 30  # beyond what is in use: caches and a piece of sound


def total_bytes() -> int:
    """Memory of the machine, or of its GPU where that has its own."""
    found = gpu_info() or {}
    size = found.get("memory_size", found.get("total_memory"))  # as Metal and as CUDA call it
    if isinstance(size, int) and size:
        return size
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def limit_cache() -> int:
    """Let MLX keep freed buffers up to a share of the memory: no more, so that a long run does not grow; no less, so
    that a frame's buffers are there for the next one. The limit in bytes."""
    limit = min(policy().most_cache_bytes, total_bytes() // 32)
    mx.set_cache_limit(limit)
    return limit


@contextmanager
def no_freed_buffers() -> Iterator[None]:
    """While it lasts MLX keeps no buffer that was freed: for loading, where each tensor has a size of its own."""
    limit = mx.set_cache_limit(0)
    try:
        yield
    finally:
        mx.set_cache_limit(limit)


def give_back_freed() -> None:
    """Return what was freed to the system: MLX's cache, and on Linux the pages that malloc keeps. Worth it after a
    model was loaded, which frees much that speaking does not take again: 140 MB of 1,170 for the smaller Magpie."""
    mx.clear_cache()
    give_back_pages()


def give_back_pages() -> None:
    """On Linux, return the pages that malloc keeps free. Takes 5 ms for 50 MB; other threads go on meanwhile."""
    if sys.platform.startswith("linux"):
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of glibc; other C libraries have none
        if trim is not None:
            trim(0)


def keep_weights_resident(user: object) -> None:
    """Keep macOS (15 and later) from paging weights out while `user` generates: after a pause of some seconds it takes
    a frame a long time to fetch them back. Released by `let_weights_go`; nothing happens elsewhere."""
    _generating.add(id(user))
    _set_wired_limit(WIRED_RESERVE)


def let_weights_go(user: object) -> None:
    """`user` rests: where nobody generates, other programs may have the memory."""
    _generating.discard(id(user))
    if not _generating:
        _set_wired_limit(None)


def _set_wired_limit(reserve: int | None) -> None:
    """What is in use and so much more, as far as the system recommends; None: nothing."""
    if not policy().wires_weights:
        return
    limit = 0
    if reserve is not None:
        most = int((gpu_info() or {}).get("max_recommended_working_set_size", 0))
        limit = min(most, mx.get_active_memory() + reserve)
    with suppress(RuntimeError, ValueError):  # an older macOS refuses
        mx.set_wired_limit(limit)


def default_rows(row_bytes: int) -> int:
    """How many utterances to make side by side: they may take a quarter of the memory."""
    return max(1, min(MOST_ROWS, total_bytes() // 4 // max(1, row_bytes)))


def active_bytes() -> int:
    """What MLX's arrays hold now: of a model at rest, its weights."""
    return int(mx.get_active_memory())


def peak_bytes() -> int:
    """MLX's own peak on a GPU, whose buffers the system does not count; the resident peak on a CPU."""
    if policy().counts_own_memory:
        return int(mx.get_peak_memory())
    return resident_peak_bytes()


def resident_peak_bytes() -> int:
    """The most memory that this process has held.

    On Linux `getrusage` also counts what the process that started this one held before, so /proc is asked first.
    """
    with suppress(OSError), Path("/proc/self/status").open(encoding="ascii", errors="replace") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak) if sys.platform == "darwin" else int(peak) * 1024  # macOS counts bytes, Linux kibibytes
