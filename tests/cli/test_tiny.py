"""The whole command with the built-in model: what a fresh install does first."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile

import mlx_tts
from mlx_tts import SpeechRequest
from mlx_tts.audio.encoder import to_pcm16
from mlx_tts.cli import run
from mlx_tts.library import catalog
from mlx_tts.models import families
from tests.helpers.fakes import FakeSoundDevice

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def fresh(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "HF_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setitem(sys.modules, "sounddevice", FakeSoundDevice(devices=0))
    return tmp_path


def test_the_first_command(capfd):
    assert run(["speak", "Hello there.", "--seed", "1"]) == 0
    out, error = capfd.readouterr()
    lines = error.splitlines()
    assert out == ""
    assert lines[-1] == "wrote speech.wav: 1.0 s, miles (no sound device found, so it was not played)"
    # On a busy machine it says how far it is.
    assert all(line.endswith((" spoken", ": beginning to speak", ": writing the file")) for line in lines[:-1])
    samples, rate = soundfile.read("speech.wav")
    assert rate == 24_000
    assert 0.3 < len(samples) / rate < 10
    assert np.abs(samples).max() > 0.05


def test_somebody_who_reads_along_is_told_of_the_full_model(capfd):
    assert run(["speak", "Hello there.", "-v"]) == 0
    lines = capfd.readouterr().err.splitlines()
    assert "using the small built-in model tiny; for the full one run `mlx-tts pull 0.6b-custom-8bit` (2.0 GB)" in lines
    assert "of speech in" in lines[-1]


def test_the_command_says_what_python_says(capfdbinary):
    line = [
        "speak",
        "Good morning.",
        "--model",
        "tiny",
        "--seed",
        "5",
        "--max-seconds",
        "1",
        "-o",
        "-",
        "--format",
        "pcm",
    ]
    assert run(line) == 0
    tts = mlx_tts.load("tiny")
    speech = tts.speak(SpeechRequest(text="Good morning.", voice="miles", seed=5, max_frames=13))
    assert capfdbinary.readouterr().out == to_pcm16(speech.samples)


def test_the_catalogue_knows_the_built_in_voices():
    spec = catalog.find("tiny")
    info = families.open_checkpoint(spec.folder).info
    assert (spec.voices, spec.kind, spec.family) == (info.voices, info.kind, info.family)
    size = sum(path.stat().st_size for path in Path(spec.folder).rglob("*") if path.is_file())
    assert abs(size - spec.size_bytes) < 0.15 * spec.size_bytes


def test_a_pipe_in_and_a_pipe_out():
    code = "from mlx_tts.cli import main; main()"
    command = [sys.executable, "-c", code, "speak", "-", "-m", "tiny", "-q", "--max-seconds", "0.4", "-o", "-"]
    environment = {**os.environ, "PYTHONPATH": str(Path(mlx_tts.__file__).parents[1])}
    result = subprocess.run(command, input=b"One.\n", capture_output=True, check=True, env=environment)
    assert result.stdout[:4] == b"RIFF"
    assert result.stderr == b""
    assert (len(result.stdout) - 44) % 3840 == 0
