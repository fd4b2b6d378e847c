"""Real Ray nodes of one machine, each with its processes marked, so that a node can be killed as a whole."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.helpers.paths import ROOT

START_SECONDS = 180  # on a busy machine


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


class RayNodes:
    """A head without processors of its own, and nodes of one processor each, all on 127.0.0.1 behind a token."""

    def __init__(self, home: Path):
        self.port = free_port()
        self.address = f"127.0.0.1:{self.port}"
        self.folder = Path(tempfile.mkdtemp(prefix="r", dir="/tmp"))  # its sockets need short names
        token = home / "ray-token"
        token.write_text(secrets.token_hex(16))
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "MLX_TTS_HOME": str(home),
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN_PATH": str(token),
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "1",
            "RAY_raylet_start_wait_time_s": "120",
            "RAY_health_check_initial_delay_ms": "1000",
            "RAY_health_check_period_ms": "1000",
            "RAY_health_check_timeout_ms": "1000",
            "RAY_health_check_failure_threshold": "3",
        }
        self.marks: list[str] = []

    def head(self) -> str:
        return self._start("--head", f"--port={self.port}", "--num-cpus=0", "--include-dashboard=false",
                           "--node-ip-address=127.0.0.1", f"--temp-dir={self.folder}")  # fmt: skip

    def node(self) -> str:
        return self._start(f"--address={self.address}", "--num-cpus=1", "--node-ip-address=127.0.0.1")

    def _start(self, *options: str) -> str:
        """Start a node; its mark. A busy machine may need a second attempt: Ray gives its helpers 15 seconds."""
        for _ in range(3):
            mark = f"node-{secrets.token_hex(8)}"
            self.marks.append(mark)
            program = Path(sys.executable).with_name("ray")
            done = subprocess.run(
                [str(program), "start", *options, "--disable-usage-stats", "--object-store-memory=100000000"],
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
        """Kill every process of a node at once; how many there were."""
        found = processes(mark)
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        return len(found)

    def seconds(self) -> float:
        """Processor time of Ray's own processes so far, of those that live."""
        ticks = os.sysconf("SC_CLK_TCK")
        total = 0.0
        for mark in self.marks:
            for pid in processes(mark):
                with contextlib.suppress(OSError):
                    if b"ray::Maker" not in Path(f"/proc/{pid}/cmdline").read_bytes():
                        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                        total += (int(fields[11]) + int(fields[12])) / ticks
        return total

    def close(self) -> None:
        for mark in self.marks:
            self.kill(mark)
        end = time.monotonic() + 5
        while any(map(processes, self.marks)) and time.monotonic() < end:
            time.sleep(0.1)
        import shutil

        shutil.rmtree(self.folder, ignore_errors=True)


def processes(mark: str) -> list[int]:
    """The processes that were started with this mark in their environment."""
    wanted = f"MLX_TTS_TEST_NODE={mark}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
    return found
