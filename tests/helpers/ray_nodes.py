"""Real Ray nodes of one machine, each with its processes marked, so that a node can be killed as a whole."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections import defaultdict
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.helpers.paths import ROOT

START_SECONDS = 180  # on a busy machine
TICKS = os.sysconf("SC_CLK_TCK")


def must_have_ray(what: str) -> None:
    """Skip, and say what is not checked, where there is no Ray."""
    if find_spec("ray") is None or not sys.platform.startswith("linux"):
        message = f"NOT CHECKED: {what}, because Ray is not installed or this is not Linux (docs/machines.md)"
        warnings.warn(message, stacklevel=2)  # pytest lists warnings even where it only counts skipped tests
        pytest.skip(message)


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


class RayNodes:
    """A head without processors of its own, and nodes of one processor each, all on 127.0.0.1, behind a token unless
    it is switched off. Ray listens on all addresses, so this belongs into a `closed_network`."""

    def __init__(self, home: Path, token: bool = True):
        self.port = free_port()
        self.address = f"127.0.0.1:{self.port}"
        self.folder = Path(tempfile.mkdtemp(prefix="r", dir="/tmp"))  # its sockets need short names
        self.token = home / "ray-token"
        self.token.write_text(secrets.token_hex(16))
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("RAY_")},
            "PYTHONPATH": str(ROOT),
            "MLX_TTS_HOME": str(home),
            "RAY_AUTH_MODE": "token" if token else "disabled",
            "RAY_AUTH_TOKEN_PATH": str(self.token),
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "1",
            "RAY_raylet_start_wait_time_s": "120",
            "RAY_worker_niceness": "0",  # it is 15, so beside other work they would get next to nothing
            # These three stand in docs/machines.md.
            "RAY_health_check_period_ms": "1000",
            "RAY_health_check_timeout_ms": "1000",
            "RAY_health_check_failure_threshold": "3",
        }
        self.marks: list[str] = []

    def head(self) -> str:
        return self._start("--head", f"--port={self.port}", "--num-cpus=0", "--include-dashboard=false",
                           "--node-ip-address=127.0.0.1", f"--temp-dir={self.folder}")  # fmt: skip

    def node(self, core: int | None = None) -> str:
        """Start a node; its mark. core: the only one that its processes may use."""
        return self._start(f"--address={self.address}", "--num-cpus=1", "--node-ip-address=127.0.0.1", core=core)

    def _start(self, *options: str, core: int | None = None) -> str:
        """A busy machine may need a second attempt: Ray gives its helpers 15 seconds."""
        program = [] if core is None else ["taskset", "--cpu-list", str(core)]
        program.append(str(Path(sys.executable).with_name("ray")))
        for _ in range(3):
            mark = f"node-{secrets.token_hex(8)}"
            self.marks.append(mark)
            done = subprocess.run(
                [*program, "start", *options, "--disable-usage-stats", "--object-store-memory=100000000"],
                env={**self.environment, "MLX_TTS_TEST_NODE": mark},
                cwd=self.folder,
                capture_output=True,
                text=True,
                timeout=START_SECONDS,
            )
            if done.returncode == 0:
                return mark
            self.kill(mark)
        raise AssertionError(f"Ray does not start: {done.stderr[-1500:]}")

    def kill(self, mark: str, number: int = signal.SIGKILL) -> int:
        """Send every process of a node a signal at once; how many there were."""
        found = processes(mark)
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        return len(found)

    def seconds(self) -> dict[int, tuple[str, float]]:
        """What every process is that lives, and its processor time so far, by its number."""
        used = {}
        for mark in self.marks:
            for pid in processes(mark):
                with contextlib.suppress(OSError):
                    if name := _name(pid):  # a process that has ended has none
                        used[pid] = name, _seconds(pid)
        return used

    def close(self) -> None:
        for mark in self.marks:
            self.kill(mark)
        end = time.monotonic() + 5
        while any(map(processes, self.marks)) and time.monotonic() < end:
            time.sleep(0.1)
        shutil.rmtree(self.folder, ignore_errors=True)


def processes(mark: str) -> list[int]:
    """The processes that were started with this mark in their environment, and those that they have started: these
    write their titles over their environment."""
    wanted = f"MLX_TTS_TEST_NODE={mark}".encode()
    found, children = [], defaultdict[int, list[int]](list)
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                children[int(_stat(int(entry.name))[1])].append(int(entry.name))
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
    for pid in found:  # it grows meanwhile
        found += [child for child in children[pid] if child not in found]
    return found


def _stat(pid: int) -> list[str]:
    """The fields of a process from its state on; that of its parent is the second."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _seconds(pid: int) -> float:
    fields = _stat(pid)
    return (int(fields[11]) + int(fields[12])) / TICKS


def _name(pid: int) -> str:
    """`raylet`, `gcs_server`, `ray::Maker`, or the script that a Python process runs."""
    words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    if words[0].startswith("ray::"):
        return words[0].partition(".")[0].partition("(")[0]
    scripts = [word for word in words[1:] if word.endswith(".py")]
    return Path(scripts[0] if scripts and "python" in words[0] else words[0]).name
