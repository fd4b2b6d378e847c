"""A voice box that hums through a sound device that is heard in real time, or forty times as fast."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from mlx_tts.job.settings import SpeechSettings
from mlx_tts.mcp.planning import plan_text
from tests.helpers.fakes import FakeModels, FakeSoundDevice, make_folder


@pytest.fixture
def mcp() -> None:
    """For tests that need the package of the protocol."""
    if find_spec("mcp") is None:
        pytest.skip("NOT CHECKED: tools for agents, for mcp is not installed (extra mcp)")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder and home."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MLX_TTS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return tmp_path


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> FakeSoundDevice:
    fake = FakeSoundDevice()
    monkeypatch.setitem(sys.modules, "sounddevice", fake)
    return fake


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeModels:
    """25 frames of 80 ms of each text, the voices of a CustomVoice model."""
    fake = FakeModels()
    monkeypatch.setattr("mlx_tts.models.families.open_checkpoint", fake.open_checkpoint)
    monkeypatch.setattr("mlx_tts.api.load_checkpoint", fake.load_checkpoint)
    make_folder(tmp_path / "home" / "custom_voice")
    return fake


@pytest.fixture
def settings(models: FakeModels, tmp_path: Path) -> SpeechSettings:
    return SpeechSettings(model=str(tmp_path / "home" / "custom_voice"), loudness="off", seed=1)


@pytest.fixture
def box(device: FakeSoundDevice, models: FakeModels, tmp_path: Path) -> Iterator[Any]:
    from mlx_tts.mcp.voice_box import VoiceBox

    box = VoiceBox(tmp_path / "speaking.lock")
    yield box
    box.close()


@pytest.fixture
def plan(settings: SpeechSettings) -> Callable[[str], Any]:
    return lambda text: plan_text(settings, text)


def until(condition: Callable[[], bool], seconds: float = 5.0) -> None:
    """Wait for it; an error after so long."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.002)
