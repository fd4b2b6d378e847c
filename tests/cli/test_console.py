"""Notes for people at a terminal: once a day, and always with -v."""

import os
import time

import pytest

from mlx_tts.cli.console import Console


@pytest.fixture
def terminal(monkeypatch, tmp_path):
    monkeypatch.setenv("MLX_TTS_HOME", str(tmp_path))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    return tmp_path


def test_a_note_comes_once_a_day(terminal, capsys, monkeypatch):
    monkeypatch.setattr(Console, "is_watched", True)
    for _ in range(3):
        Console().daily_hint("a note")
    Console().daily_hint("another")
    assert capsys.readouterr().err == "a note\nanother\n"
    for stamp in (terminal / "notes").iterdir():
        os.utime(stamp, (time.time() - 90_000,) * 2)
    Console().daily_hint("a note")
    Console(verbose=True).daily_hint("a note")
    assert capsys.readouterr().err == "a note\na note\n"


def test_a_script_gets_no_note(terminal, capsys, monkeypatch):
    monkeypatch.setattr(Console, "is_watched", False)
    Console().daily_hint("a note")
    assert capsys.readouterr().err == ""
    assert not (terminal / "notes").exists()
