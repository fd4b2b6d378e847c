"""Keys while speech is played, on a pseudo-terminal: what they do, and that the terminal is always as it was."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from mlx_tts.cli import keys
from mlx_tts.cli.keys import cut_to
from tests.helpers.fakes import make_folder
from tests.helpers.paths import ROOT

TEXT = "One is first. Two is second. Three is third. Four is fourth."
FAKES = ROOT / "tests" / "helpers" / "fakes.py"


def test_keys_among_the_bytes_of_a_terminal():
    assert keys.keys_in(b" +x\x1b[Cq") == ([keys.SPACE, keys.PLUS, keys.RIGHT, keys.QUIT], b"")
    assert keys.keys_in(b"\x1bOD\x1b[1;5C\x1b[A-=") == ([keys.LEFT, keys.RIGHT, keys.MINUS, keys.PLUS], b"")
    assert keys.keys_in(b" \x1b[") == ([keys.SPACE], b"\x1b[")
    assert keys.keys_in(b"\x1b[D") == ([keys.LEFT], b"")


@pytest.mark.parametrize(
    ("line", "width", "shown"),
    [("0:01 | Hello.", 40, "0:01 | Hello."), ("a" * 60, 30, "a" * 26 + "..."), ("字" * 30, 31, "字" * 12 + "...")],
)
def test_a_line_fits_the_terminal(line, width, shown):
    assert cut_to(line, width) == shown


COMMAND = """
import sys
sys.argv = ["mlx-tts", *sys.argv[1:]]
from tests.helpers.fakes import FakeModels, FakeSoundDevice
from mlx_tts.errors import AudioError
sys.modules["sounddevice"] = FakeSoundDevice(block_seconds=0.02)
FakeModels(settings={{{settings}}}).install()
from mlx_tts.cli import main
main()
"""


class Terminal:
    """A process on a pseudo-terminal of its own, as a shell would start it."""

    def __init__(self, *arguments: str, folder: Path, pause: float = 0.0, code: str | None = None, **options) -> None:
        self.controller, self.terminal = pty.openpty()
        self.before = termios.tcgetattr(self.terminal)
        self.shown = ""
        command = [sys.executable, *(["-c", code] if code else [str(FAKES), str(pause)]), *arguments]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "MLX_TTS_HOME": str(folder / "home")}
        own = {"stdin": self.terminal, "stdout": self.terminal, "stderr": self.terminal, **options}
        self.process = subprocess.Popen(
            command, env=environment, cwd=folder, preexec_fn=self._take, start_new_session=True, **own
        )

    def _take(self) -> None:
        import fcntl

        fcntl.ioctl(self.terminal, termios.TIOCSCTTY, 0)

    def press(self, data: bytes) -> None:
        os.write(self.controller, data)

    def wait_for(self, pattern: str, seconds: float = 30) -> str:
        until = time.monotonic() + seconds
        while not (found := re.search(pattern, self.shown)):
            assert time.monotonic() < until, f"{pattern!r} was not shown: {self.shown[-2000:]!r}"
            self._read(0.05)
        self.shown = self.shown[found.end() :]
        return found.group()

    def _read(self, seconds: float) -> None:
        if select.select([self.controller], [], [], seconds)[0]:
            self.shown += os.read(self.controller, 65_536).decode("utf-8", "replace")

    def ended(self, seconds: float = 20) -> int:
        until = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < until, f"it goes on: {self.shown[-2000:]!r}"
            self._read(0.05)
        self._read(0.2)
        return self.process.returncode

    @property
    def is_as_before(self) -> bool:
        return termios.tcgetattr(self.terminal) == self.before

    @property
    def waits_for_keys(self) -> bool:
        return not termios.tcgetattr(self.terminal)[3] & (termios.ICANON | termios.ECHO)

    def close(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self.controller)
        os.close(self.terminal)


@pytest.fixture
def start(tmp_path):
    begun: list[Terminal] = []

    def start(*arguments: str, **options) -> Terminal:
        model = tmp_path / "model"
        if not model.exists():
            make_folder(model)
        arguments = ("speak", "--play", "--model", str(model), "--voice", "ryan", *arguments)
        begun.append(Terminal(*arguments, folder=tmp_path, **options))
        return begun[-1]

    yield start
    for terminal in begun:
        terminal.close()


@pytest.mark.slow
@pytest.mark.timed  # its keys are pressed at a pace that a busy machine may not keep
def test_pause_steps_speed_and_quit(start):
    terminal = start(TEXT, "--sentence-pause", "0.25", code=COMMAND.format(settings='"frames": 50'))  # 4 s each
    terminal.wait_for("space pauses")
    terminal.wait_for(r"0:01 \| One is first")
    assert terminal.waits_for_keys
    terminal.press(b" ")
    terminal.wait_for(r"0:0\d paused \| One is first")
    terminal.press(b"\x1b[C")
    terminal.wait_for(r"0:04 paused \| Two is second")
    terminal.press(b"\x1b[C")
    terminal.wait_for(r"paused \| Three is third")
    time.sleep(2)  # on a busy machine the fourth may not be made yet, and no step goes farther than what is
    terminal.press(b"\x1b[C")
    terminal.wait_for(r"paused \| Four is fourth")
    terminal.press(b"\x1b[D")
    terminal.wait_for(r"paused \| Three is third")
    terminal.press(b" ++")
    terminal.wait_for(r"(0:08|0:09) 1.2x \| Three is third")
    terminal.press(b"-")
    terminal.wait_for(r" 1.1x \|")
    terminal.press(b"q")
    assert terminal.ended() == 0
    assert terminal.is_as_before
    assert "interrupted" not in terminal.shown


@pytest.mark.slow
def test_what_is_heard_keeps_the_line_when_all_is_made(start):
    terminal = start("One is first. Two is second.", code=COMMAND.format(settings='"frames": 50'))  # 4 s in all
    terminal.wait_for(r"0:0\d \| One is first")
    terminal.press(b" ")
    terminal.wait_for(r"paused \| \w+ is")
    time.sleep(1.5)  # longer than work that nobody is told of
    terminal.press(b"q")
    assert terminal.ended() == 0
    assert "writing the file" not in terminal.shown


@pytest.mark.slow
@pytest.mark.parametrize("how", ["ctrl-c", "SIGTERM", "SIGHUP"])
def test_the_terminal_is_as_before_when_it_is_interrupted(start, how):
    terminal = start(TEXT, pause=0.05)
    terminal.wait_for(r"0:0\d \| One is first")
    assert terminal.waits_for_keys
    if how == "ctrl-c":
        terminal.press(b"\x03")
    else:
        terminal.process.send_signal(getattr(signal, how))
    assert terminal.ended() == 130
    assert terminal.is_as_before
    assert "interrupted after" in terminal.shown


@pytest.mark.slow
def test_the_terminal_is_as_before_after_an_error(start):
    terminal = start(TEXT, code=COMMAND.format(settings='"failure": AudioError("the model fell over"), "pause": 0.2'))
    terminal.wait_for(r"0:0\d \|")
    assert terminal.waits_for_keys
    assert terminal.ended() == 1
    assert terminal.is_as_before
    assert "the model fell over" in terminal.shown


@pytest.mark.slow
def test_quit_keeps_the_file_that_is_being_made(start, tmp_path):
    terminal = start(TEXT, "-o", "kept.wav", pause=0.05)
    terminal.wait_for(r"0:01 \|")
    terminal.press(b"q")
    assert terminal.ended() == 130
    assert terminal.is_as_before
    assert (tmp_path / "kept.partial.wav").stat().st_size > 10_000


@pytest.mark.slow
def test_keys_work_while_the_text_comes_through_a_pipe(start):
    read, write = os.pipe()
    terminal = start("-", stdin=read)
    os.close(read)
    os.write(write, b"One is first. Two is second.\n\n")
    terminal.wait_for(r"0:01 \| One is first")
    terminal.press(b" ")
    terminal.wait_for(r"paused \| One is first")
    terminal.press(b"q")
    assert terminal.ended() == 0
    assert terminal.is_as_before
    os.close(write)


@pytest.mark.slow
def test_nobody_at_a_terminal_means_no_keys(start, tmp_path):
    with (tmp_path / "log").open("wb") as log:
        terminal = start(TEXT, "--max-seconds", "1", stderr=log, stdout=log)
        assert terminal.ended() == 0
    assert terminal.is_as_before
    assert b"\x1b[K" not in (tmp_path / "log").read_bytes()
