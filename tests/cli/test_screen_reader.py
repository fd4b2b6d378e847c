"""`mlx-tts screen-reader`: what is installed, and the command as speech-dispatcher starts it, with a real voice."""

import os
import shlex
import subprocess
import sys

import pytest

from mlx_tts.cli import run
from tests.helpers.paths import ROOT

MODULE = ".local/libexec/speech-dispatcher-modules/sd_mlx-tts"


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MLX_TTS_HOME", str(tmp_path / "own"))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setattr("shutil.which", lambda name: f"/opt/my programs/{name}")
    return tmp_path


def test_it_is_installed_and_taken_away(home, capsys):
    assert run(["screen-reader", "--voice", "ivy", "--speed", "1.2", "--no-guard", "--install"]) == 0
    file = home / MODULE
    assert capsys.readouterr().out.startswith(f"wrote {file}\n")
    assert (home / ".local/share/../libexec").is_dir()  # the way on which speech-dispatcher looks for it
    begin, command = file.read_text().splitlines()
    assert begin == "#!/bin/sh" and os.access(file, os.X_OK)
    words = shlex.split(command)
    assert words[:3] == ["exec", "/opt/my programs/mlx-tts", "screen-reader"]
    assert sorted(words[3:]) == sorted(["--voice", "ivy", "--speed", "1.2", "--no-guard"])
    assert run(["screen-reader", "--uninstall"]) == 0 and not file.exists()
    assert run(["screen-reader", "--uninstall"]) == 0
    assert "nothing is installed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "said"),
    [(["--install", "--uninstall"], "exclude each other"), (["--speed", "9", "--install"], "--speed")],
)
def test_what_is_wrong_is_said_and_nothing_is_written(home, capsys, options, said):
    assert run(["screen-reader", *options]) == 2
    assert said in capsys.readouterr().err and not (home / MODULE).exists()


@pytest.mark.slow
def test_a_voice_that_is_not_there_ends_it(home):
    done = module(b"INIT\n", "--voice", "nobody")
    assert done.returncode == 1 and done.stdout.endswith(b"399 ERR CANT INIT MODULE\n")


@pytest.mark.slow
def test_a_real_voice_speaks(home):
    done = module(b"INIT\nSPEAK\n<speak>Hello.</speak>\n.\n", "--voice", "ivy", hold=True)
    assert done.returncode == 0
    assert done.stdout.startswith(b"299-mlx-tts speaks with the model tiny\n299 OK LOADED SUCCESSFULLY\n")
    assert done.stdout.count(b"705 AUDIO\n") >= 2 and done.stdout.endswith(b"702 END\n210 OK QUIT\n")


def module(lines, *options, hold=False):
    """The process after these lines. hold: QUIT follows when the text has ended."""
    command = [sys.executable, "-m", "mlx_tts", "screen-reader", *options]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    process.stdin.write(lines)
    process.stdin.flush()
    out = b""
    while hold and not out.endswith(b"702 END\n"):
        line = process.stdout.readline()
        assert line, out[-200:]
        out += line
    rest, _ = process.communicate(b"QUIT\n" if hold else None, timeout=60)
    return subprocess.CompletedProcess(command, process.returncode, out + rest)
