"""`serve --install`: the command line of a server -> a service of the user's that starts with the session."""

from __future__ import annotations

import os
import plistlib
import subprocess
import sys
from pathlib import Path

from mlx_tts.errors import MlxTtsError

LABEL = "mlx-tts.serve"
UNIT = "mlx-tts.service"
KEPT_VARIABLES = ("MLX_TTS_HOME", "HF_HOME", "HF_HUB_CACHE", "HF_HUB_OFFLINE")


def service_file() -> Path:
    """Where the system looks for the user's own services."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    folder = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return folder / "systemd" / "user" / UNIT


def install(options: list[str]) -> list[str]:
    """Write the service and start it; lines that say what was done, and what is left to do."""
    command = [sys.executable, "-m", "mlx_tts", "serve", *options]
    environment = {name: os.environ[name] for name in KEPT_VARIABLES if os.environ.get(name)}
    file = service_file()
    content = launchd_plist(command, environment) if sys.platform == "darwin" else systemd_unit(command, environment)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    except OSError as error:
        raise MlxTtsError(f"cannot write {file}: {error.strerror}") from None
    return [f"wrote {file}", *_told(_start_commands(file))]


def uninstall() -> list[str]:
    """Stop the service and remove its file."""
    file = service_file()
    if not file.exists():
        return [f"nothing is installed: there is no {file}"]
    lines = _told(_stop_commands())
    file.unlink()
    return [*lines, f"removed {file}"]


def launchd_plist(command: list[str], environment: dict[str, str]) -> bytes:
    """A launch agent: started at login, and again when it fails; what it says goes to a file."""
    log = str(Path.home() / "Library" / "Logs" / "mlx-tts.log")
    return plistlib.dumps(
        {
            "Label": LABEL,
            "ProgramArguments": command,
            "EnvironmentVariables": environment,
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
            "ProcessType": "Interactive",
            "ExitTimeOut": 35,
            "StandardOutPath": log,
            "StandardErrorPath": log,
        }
    )


def systemd_unit(command: list[str], environment: dict[str, str]) -> bytes:
    """A unit of the user's systemd, with the rights that a server of speech needs and no more."""
    # Only in a command a dollar sign means something.
    words = [_quoted(word.replace("$", "$$")) for word in command]
    lines = [
        "[Unit]",
        "Description=mlx-tts, text to speech for the programs of this machine",
        "",
        "[Service]",
        f"ExecStart={' '.join(words)}",
        *(f"Environment={_quoted(f'{name}={value}')}" for name, value in environment.items()),
        "Restart=on-failure",
        "TimeoutStopSec=35",
        "NoNewPrivileges=yes",
        "",
        "[Install]",
        "WantedBy=default.target",
        "",
    ]
    return "\n".join(lines).encode()


def _quoted(word: str) -> str:
    """A word as systemd reads it: quotes, backslashes and per cent signs mean themselves."""
    for sign, escaped in (("\\", "\\\\"), ('"', '\\"'), ("%", "%%")):
        word = word.replace(sign, escaped)
    return f'"{word}"'


def _start_commands(file: Path) -> list[list[str]]:
    if sys.platform == "darwin":
        return [["launchctl", "bootstrap", f"gui/{os.getuid()}", str(file)]]
    return [["systemctl", "--user", "daemon-reload"], ["systemctl", "--user", "enable", "--now", UNIT]]


def _stop_commands() -> list[list[str]]:
    if sys.platform == "darwin":
        return [["launchctl", "bootout", f"gui/{os.getuid()}/{LABEL}"]]
    return [["systemctl", "--user", "disable", "--now", UNIT]]


def _told(commands: list[list[str]]) -> list[str]:
    """Run commands of the system; one that does not work here is named, for the user to run it later."""
    lines = []
    for command in commands:
        try:
            done = subprocess.run(command, capture_output=True, timeout=60, check=False).returncode == 0
        except (OSError, subprocess.TimeoutExpired):
            done = False
        lines.append(f"{'ran' if done else 'could not run, do it yourself:'} {' '.join(command)}")
    return lines
