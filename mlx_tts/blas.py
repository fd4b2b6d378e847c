"""On Linux, a fast BLAS for MLX's CPU backend: its wheels carry the reference one, 30 times slower (4.5 against
150 GFLOP/s on two cores). A library loaded first, with its symbols global, is the one that MLX's products find.

Imported by the packages whose modules import mlx, before they do. Never fails: without OpenBLAS all is slow but right.
"""

from __future__ import annotations

import ctypes
import os
import sys
import sysconfig
from pathlib import Path


def preload() -> str | None:
    """Load OpenBLAS before mlx; the path of what was loaded. MLX_TTS_BLAS=0 switches it off."""
    if not sys.platform.startswith("linux") or os.environ.get("MLX_TTS_BLAS") == "0" or "mlx.core" in sys.modules:
        return None
    packaged = Path(sysconfig.get_path("purelib")) / "cmeel.prefix" / "lib" / "libopenblas.so.0"
    for candidate in (str(packaged), "libopenblas.so.0"):
        try:
            ctypes.CDLL(candidate, ctypes.RTLD_GLOBAL)
        except OSError:
            continue
        return candidate
    return None
