"""What tests of the form that a GPU runs share: a package that believes to be on one, and a generator's result."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from mlx_tts.kernels.core import source
from mlx_tts.runtime import device, first_start


def as_on_gpu(patch: pytest.MonkeyPatch) -> None:
    """Have the whole package believe that there is a GPU, on Linux one that speaks CUDA. Nothing is prepared for it:
    that would start processes, and turn MLX's fusions off."""
    patch.setattr(device, "on_gpu", lambda: True)
    patch.setattr(first_start, "is_needed", lambda folder: False)


def with_policy(patch: pytest.MonkeyPatch, module: ModuleType, **fields: Any) -> None:
    """Have one module read a policy with other fields than the device's."""
    patch.setattr(module, "policy", lambda: replace(device.policy(), **fields))


def planted(patch: pytest.MonkeyPatch, file: str, part: str, old: str, new: str) -> None:
    """Have a part of the kernels' text be another."""
    parts = source._parts_of(file)
    assert old in parts[part]
    faulty = {**parts, part: parts[part].replace(old, new)}
    original = source._parts_of
    patch.setattr(source, "_parts_of", lambda name: faulty if name == file else original(name))
    source.text_of.cache_clear()


def result_of(generator: Generator[Any, None, Any]) -> Any:
    """Run it to its end: what it returns."""
    while True:
        try:
            next(generator)
        except StopIteration as done:
            return done.value
