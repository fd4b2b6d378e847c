"""`serve --install`: files that launchd and systemd read, with the command that was meant."""

import os
import plistlib
import shutil
import subprocess
import sys

import pytest

from mlx_tts.cli import run, service


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("PATH", str(tmp_path))  # neither launchctl nor systemctl is there
    for name in (*service.KEPT_VARIABLES, "MLX_TTS_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_the_launch_agent(home, monkeypatch, capsys):
    monkeypatch.setattr(sys, "platform", "darwin")
    (home / "key").write_text("secret")
    line = [
        "serve",
        "--install",
        "--model",
        "tiny",
        "--wyoming",
        "0",
        "--keep-alive",
        "1h",
        "--api-key-file",
        str(home / "key"),
    ]
    assert run(line) == 0
    file = home / "Library" / "LaunchAgents" / "mlx-tts.serve.plist"
    agent = plistlib.loads(file.read_bytes())
    arguments = agent["ProgramArguments"]
    assert arguments[:4] == [sys.executable, "-m", "mlx_tts", "serve"]
    assert arguments[arguments.index("--keep-alive") + 1] == "3600s"
    assert arguments[arguments.index("--api-key-file") + 1] == str(home / "key")
    assert agent["RunAtLoad"] is True and agent["Label"] == "mlx-tts.serve"
    assert "secret" not in file.read_text()
    assert "could not run, do it yourself: launchctl bootstrap" in capsys.readouterr().out
    assert run(["serve", "--uninstall"]) == 0
    assert not file.exists()


@pytest.mark.skipif(sys.platform == "darwin", reason="systemd is Linux's")
def test_the_unit(home, monkeypatch, capsys):
    monkeypatch.setenv("MLX_TTS_HOME", str(home / "a 100% folder"))
    model = home / "my model"
    model.mkdir()
    monkeypatch.chdir(home)
    assert run(["serve", "--install", "--model", "my model", "--port", "9000"]) == 0
    file = home / "config" / "systemd" / "user" / "mlx-tts.service"
    unit = file.read_text()
    assert f'"--model" "{model}"' in unit and '"--port" "9000"' in unit
    assert 'Environment="MLX_TTS_HOME=' in unit and "a 100%% folder" in unit
    assert "could not run, do it yourself: systemctl --user enable --now mlx-tts.service" in capsys.readouterr().out
    monkeypatch.undo()
    if shutil.which("systemd-analyze") is None:
        pytest.skip("NOT CHECKED by systemd-analyze: it is not installed")
    command = ["systemd-analyze", "verify", "--user", str(file)]
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(home)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
    complaints = [line for line in done.stderr.splitlines() if "mlx-tts" in line]
    assert (done.returncode, complaints) == (0, []), done.stderr


def test_uninstalling_nothing(home, capsys):
    assert run(["serve", "--uninstall"]) == 0
    assert "nothing is installed" in capsys.readouterr().out


def test_a_service_needs_its_key_in_a_file(home, monkeypatch, capsys):
    monkeypatch.setenv("MLX_TTS_API_KEY", "secret")
    assert run(["serve", "--install", "--host", "0.0.0.0"]) == 2
    assert "give --api-key-file" in capsys.readouterr().err
