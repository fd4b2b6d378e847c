"""What the tests of several families share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from mlx_tts.models.recipes import speech


@pytest.fixture(scope="module")
def loaded() -> Iterator[dict[str, Any]]:
    """Models by name, filled by the tests of a file and closed after the last of them."""
    models: dict[str, Any] = {}
    yield models
    for tts in models.values():
        tts.close()


@pytest.fixture
def few_frames(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Recipes are measured with few frames, and what they measure is kept for this test alone."""
    for name, value in {"MOST_FRAMES": 16, "MOST_SENTENCE_FRAMES": 4, "ROWS": 4}.items():
        monkeypatch.setattr(speech, name, value)
    monkeypatch.setenv("MLX_TTS_HOME", str(tmp_path_factory.mktemp("home")))
