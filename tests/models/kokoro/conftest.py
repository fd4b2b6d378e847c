"""The oracle's cases for Kokoro with their weights, loaded once a session; and the released weights, where they are."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import mlx_tts
from tests.helpers.family_cases import KOKORO, FamilyCase, family_cases

REAL = "MLX_TTS_KOKORO"  # the folder that scripts/oracle/kokoro/real_weights.py made
HOW = "scripts/oracle/kokoro/real_weights.py makes a folder of them, and MLX_TTS_KOKORO names it"


@pytest.fixture(scope="session")
def kokoro(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], FamilyCase]]:
    from kokoro.materialise import materialise

    def make(case: Path, out: Path) -> None:
        materialise(case, out / "folder")
        for file in (out / "folder").iterdir():
            file.chmod(0o755 if file.is_dir() else 0o644)

    with family_cases(KOKORO, make, tmp_path_factory) as case:
        yield case


@pytest.fixture(scope="session")
def released() -> Iterator[Any]:
    """The model with its released weights."""
    folder = os.environ.get(REAL)
    if not folder:
        pytest.skip(f"RELEASED WEIGHTS NOT CHECKED: {HOW}")
    with mlx_tts.load(folder) as tts:
        yield tts
