"""A server in a process of its own, on a free port, with the built-in voices; tests talk to it like strangers."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.forked import ForkedCommand, start_command
from tests.helpers.short_model import short_model

# Looked for, not imported: the openai client alone takes a second and a half, in each process that collects tests.
for package in ("fastapi", "uvicorn", "av", "prometheus_client", "python_multipart", "wyoming", "openai"):
    if find_spec(package) is None:
        reason = f"NOT CHECKED: the server, for {package} is not installed (extra server)"
        pytest.skip(reason, allow_module_level=True)

import httpx  # noqa: E402
from httpx._transports import default as transports  # noqa: E402

# Each call of httpx, and each client that is built on it, reads all certificates anew: 25 ms of the processor, where a
# request to a server on this machine takes 2. Tests ask for /ready and /metrics many times a second, none by TLS.
if hasattr(transports, "create_ssl_context"):
    transports.create_ssl_context = cache(transports.create_ssl_context)

READY_SECONDS = 60.0
# The built-in voices; a server that is told its rows measures no speed, which takes half a second of the processor.
FEW_ROWS = ("--model", "tiny", "--rows", "4")
LONG_TEXT = "This is a long story, and nobody knows yet how it will end. " * 12


class RunningServer:
    """url: without the /v1. lines: what it printed so far. log: what it said on standard error."""

    def __init__(self, process: subprocess.Popen[str] | ForkedCommand, home: Path):
        self.process, self.home = process, home
        self.lines: list[str] = []
        self.log: list[str] = []
        self._readers = [
            threading.Thread(target=self._read, args=(stream, lines), daemon=True)
            for stream, lines in ((process.stdout, self.lines), (process.stderr, self.log))
        ]
        for reader in self._readers:
            reader.start()

    @staticmethod
    def _read(stream: Any, lines: list[str]) -> None:
        for line in stream:
            lines.append(line.rstrip("\n"))

    def wait_for_line(self, number: int = 0) -> str:
        until = time.monotonic() + READY_SECONDS
        while len(self.lines) <= number:
            assert self.process.poll() is None, "\n".join(self.log)
            assert time.monotonic() < until, "nothing was printed"
            time.sleep(0.01)
        return self.lines[number]

    def wait_for_log(self, text: str) -> None:
        """Until a line on standard error has this text: it comes through a pipe, a little later."""
        until = time.monotonic() + 5
        while not any(text in line for line in self.log):
            assert time.monotonic() < until, f"{text!r} is not in the log:\n" + "\n".join(self.log)
            time.sleep(0.01)

    @property
    def url(self) -> str:
        return self.wait_for_line().removeprefix("serving on ")

    @property
    def address(self) -> tuple[str, int]:
        host, _, port = self.url.removeprefix("http://").rpartition(":")
        return host, int(port)

    def wait_until_ready(self) -> None:
        until = time.monotonic() + READY_SECONDS
        while not self._is_ready():
            assert time.monotonic() < until, "\n".join(self.log)
            time.sleep(0.05)

    def _is_ready(self) -> bool:
        try:
            return httpx.get(f"{self.url}/ready").status_code == 200
        except httpx.ConnectError:
            code = self.process.poll()  # it listens before it says so, thus it is ending
            assert code is None, f"the server ended with {code}:\n" + "\n".join(self.log)
            return False

    def metric(self, name: str) -> float:
        """The value of one line of /metrics."""
        page = httpx.get(f"{self.url}/metrics").text
        return next(float(line.rpartition(" ")[2]) for line in page.splitlines() if line.startswith(f"{name} "))

    def wait_for_metric(self, name: str, value: float, seconds: float = 5.0) -> float:
        """Seconds until a figure has this value."""
        begin = time.monotonic()
        while self.metric(name) != value:
            assert time.monotonic() < begin + seconds, f"{name} is {self.metric(name)} after {seconds} s, not {value}"
            time.sleep(0.03)
        return time.monotonic() - begin

    def post(self, **body: Any) -> httpx.Response:
        return httpx.post(f"{self.url}/v1/audio/speech", json=body, timeout=60)

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait(40)


@contextmanager
def running(
    home: Path, *options: str, plant: str | None = None, forked: bool = True, **environment: str
) -> Iterator[RunningServer]:
    """`mlx-tts serve` with these options; stopped at the end. plant: code that breaks something before it starts.
    forked: from a process that has imported what it needs, where the system can do that."""
    # Tests say the same words often, and mean to have them made.
    keeps = () if "--cache-mb" in options else ("--cache-mb", "0")
    command = ["serve", "--port", "0", *keeps, *options]
    variables = {name: value for name, value in os.environ.items() if not name.startswith("MLX_TTS_API")}
    variables |= {
        "MLX_TTS_HOME": str(home),
        "HF_HUB_OFFLINE": "1",
        "HF_HOME": str(home / "hf"),
    }
    server = RunningServer(start_command(command, {**variables, **environment}, plant, forked), home)
    process = server.process
    try:
        yield server
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(10)


@pytest.fixture(scope="session")
def base_model(oracle: Callable[[str], Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder named `cloner`: a small model that clones, with random weights, so its speech is cut short."""
    return short_model(oracle("base_tiny").folder, tmp_path_factory.mktemp("models") / "cloner")


@pytest.fixture(scope="session")
def openai() -> Any:
    """The client's module."""
    import openai

    return openai


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """The one that most tests share."""
    with running(tmp_path_factory.mktemp("home"), "--model", "tiny", "-v") as server:
        server.wait_until_ready()
        yield server


@pytest.fixture(scope="session")
def one_row(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server that speaks one text at a time."""
    with running(tmp_path_factory.mktemp("home"), "--model", "tiny", "--rows", "1") as server:
        server.wait_until_ready()
        yield server


@pytest.fixture(scope="session")
def wyoming(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server that speaks Home Assistant's protocol as well."""
    with running(tmp_path_factory.mktemp("wyoming"), "--model", "tiny", "--wyoming", "0") as server:
        server.wait_until_ready()
        yield server


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., RunningServer]]:
    """Servers with other options: `serve("--rows", "1")`."""
    from contextlib import ExitStack

    with ExitStack() as stack:

        def start(
            *options: str, ready: bool = True, plant: str | None = None, forked: bool = True, **environment: str
        ) -> RunningServer:
            server = stack.enter_context(running(tmp_path, *options, plant=plant, forked=forked, **environment))
            if ready:
                server.wait_until_ready()
            return server

        yield start
