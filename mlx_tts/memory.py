"""Process -> the most memory it has used, in bytes."""

from __future__ import annotations


def peak_bytes() -> int:
    """MLX's own peak on a GPU, whose buffers the system does not count; the resident peak on a CPU."""
    import sys

    import mlx.core as mx

    if mx.default_device() == mx.Device(mx.gpu):
        return int(mx.get_peak_memory())
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak) if sys.platform == "darwin" else int(peak) * 1024  # macOS counts bytes, Linux kibibytes
