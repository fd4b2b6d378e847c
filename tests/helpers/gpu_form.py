"""What tests of the form that a GPU runs share: modules that believe to be on one, and a generator's result."""

from __future__ import annotations

import sys
from collections.abc import Generator
from typing import Any

import pytest


def as_on_gpu(patch: pytest.MonkeyPatch) -> None:
    """Have every module of the package that is loaded by now, and asks, believe that there is a GPU."""
    for module in [module for name, module in sys.modules.items() if name.startswith("mlx_tts.")]:
        if hasattr(module, "on_gpu"):
            patch.setattr(module, "on_gpu", lambda: True)


def result_of(generator: Generator[Any, None, Any]) -> Any:
    """Run it to its end: what it returns."""
    while True:
        try:
            next(generator)
        except StopIteration as done:
            return done.value
