"""A list of utterances -> a folder of files, each made exactly once, on one machine or on many.

Read in this order: lines (what is asked for), plan (what is missing), worker (lines -> files), run (all of it).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlx_tts.batch.run import Outcome, run_batch
    from mlx_tts.batch.settings import BatchSettings

__all__ = ["BatchSettings", "Outcome", "run_batch"]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in __all__:
        raise AttributeError(f"module 'mlx_tts.batch' has no attribute {name!r}")
    return getattr(import_module("mlx_tts.batch.settings" if name == "BatchSettings" else "mlx_tts.batch.run"), name)
