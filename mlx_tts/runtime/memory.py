"""The machine's memory -> how much of it buffers may keep and how many utterances fit side by side; what was used."""

from __future__ import annotations

MOST_ROWS = 8  # more give little, and delay the first finished piece
MOST_CACHE = 512 << 20  # a frame and a piece of sound need far less; what lies beyond only looks like a leak
MOST_CACHE_CPU = 64 << 20  # there a fresh buffer costs little, and what is kept counts as the process's own


def total_bytes() -> int:
    """Memory of the machine, or of its GPU where that has its own."""
    import os

    import mlx.core as mx

    if mx.default_device().type == mx.gpu:
        size = mx.device_info().get("memory_size")
        if isinstance(size, int) and size:
            return size
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def limit_cache() -> int:
    """Let MLX keep freed buffers up to a share of the memory: no more, so that a long run does not grow; no less, so
    that a frame's buffers are there for the next one. The limit in bytes."""
    import mlx.core as mx

    most = MOST_CACHE if mx.default_device().type == mx.gpu else MOST_CACHE_CPU
    limit = min(most, total_bytes() // 32)
    mx.set_cache_limit(limit)
    return limit


def default_rows(row_bytes: int) -> int:
    """How many utterances to make side by side: they may take a quarter of the memory."""
    return max(1, min(MOST_ROWS, total_bytes() // 4 // max(1, row_bytes)))


def peak_bytes() -> int:
    """MLX's own peak on a GPU, whose buffers the system does not count; the resident peak on a CPU."""
    import sys

    import mlx.core as mx

    if mx.default_device() == mx.Device(mx.gpu):
        return int(mx.get_peak_memory())
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak) if sys.platform == "darwin" else int(peak) * 1024  # macOS counts bytes, Linux kibibytes
