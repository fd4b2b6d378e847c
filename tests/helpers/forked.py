"""The command `mlx-tts` in a process that is forked from one which has imported what it needs.

To start Python and to import takes each command 0.8 s of the processor, and a server twice that with what it loads. A
forked process begins behind its imports; it has its own streams, variables, signals and exit code. What a test says of
the start itself, or of how the interpreter ends, needs a real one: such tests start one. MLX is imported in the process
that is forked, but computes nothing there, so it has no threads yet. On macOS a process cannot be forked safely once it
has imported Apple's libraries, so `CAN_FORK` is false there.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from multiprocessing.connection import Connection
from types import ModuleType
from typing import IO

from tests.helpers.paths import ROOT

CAN_FORK = sys.platform.startswith("linux")
# None of these reads a variable of the environment when it is imported, as huggingface_hub does.
IMPORTED = [
    "av",
    "mlx_tts.cli.commands",
    "mlx_tts.cli.serve",
    "mlx_tts.server.run",
    "mlx_tts.models.qwen3_tts.family",
    "mlx_tts.models.qwen3_tts.synthesizer",
    "tests.helpers.forked",
]


def start_command(
    arguments: list[str], environment: Mapping[str, str], plant: str | None = None, forked: bool = True
) -> subprocess.Popen[str] | ForkedCommand:
    """`mlx-tts ARGUMENTS` in the current folder, with pipes for what it writes; forked where that is wished and the
    system can do it. plant: code that runs before it."""
    if forked and CAN_FORK:
        return ForkedCommand(arguments, environment, plant)
    program = ["-m", "mlx_tts"] if plant is None else ["-c", f"{plant}\nfrom mlx_tts.cli import main\nmain()"]
    line = [sys.executable, *program, *arguments]
    variables = {**environment, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=variables)


class ForkedCommand:
    """What tests use of `subprocess.Popen`, for `mlx-tts ARGUMENTS`. plant: code that runs before it."""

    def __init__(self, arguments: list[str], environment: Mapping[str, str], plant: str | None = None):
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(IMPORTED)  # the first call counts
        stdout, stdout_end = context.Pipe(duplex=False)
        stderr, stderr_end = context.Pipe(duplex=False)
        self._process = context.Process(
            target=_run, args=(arguments, dict(environment), plant, stdout_end, stderr_end), daemon=True
        )
        with _no_main_module():
            self._process.start()
        stdout_end.close()
        stderr_end.close()
        self.stdout, self.stderr = _text(stdout), _text(stderr)

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("mlx-tts", timeout or 0.0)
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


@contextmanager
def _no_main_module() -> Iterator[None]:
    """A child would first import what this process was started with, which is pytest."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _text(connection: Connection) -> IO[str]:
    """The stream behind a connection, which is a plain pipe."""
    number = os.dup(connection.fileno())
    connection.close()
    return os.fdopen(number, encoding="utf-8")


def _run(
    arguments: list[str], environment: dict[str, str], plant: str | None, stdout: Connection, stderr: Connection
) -> None:
    """In the forked process."""
    import atexit

    for stream, number in ((stdout, 1), (stderr, 2)):
        os.dup2(stream.fileno(), number)
        stream.close()
    # What stood there before may have been files, and streams know what they are.
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace", closefd=False)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["mlx-tts", *arguments]
    if plant is not None:
        exec(plant, {"__name__": "__main__"})
    from mlx_tts.cli import main

    try:
        main()
    finally:
        atexit._run_exitfuncs()  # multiprocessing leaves them out
