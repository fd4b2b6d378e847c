"""What a shell, cron or systemd may do to the process: closed streams, full disks, signals. The sound stays right."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import soundfile

from mlx_tts.cli import main
from mlx_tts.cli.process import Interruption, shown_line
from tests.helpers.paths import ROOT

pytestmark = pytest.mark.slow

FAKES = ROOT / "tests" / "helpers" / "fakes.py"


@pytest.fixture
def place(tmp_path, monkeypatch):
    from tests.helpers.fakes import make_folder

    make_folder(tmp_path / "model")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLX_TTS_HOME", str(tmp_path / "home"))
    return tmp_path


def command(pause, *arguments):
    """The command with a humming model: 20 s of sound, one frame each `pause` seconds."""
    return [sys.executable, str(FAKES), str(pause), *arguments]


def shell(redirections, *arguments):
    line = [
        "/bin/sh",
        "-c",
        f'exec "$@" {redirections}',
        "sh",
        *command(0, "speak", "Hi", "--model", "model", *arguments),
    ]
    return subprocess.run(
        line, capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=60, check=False
    )


@pytest.mark.smoke("<&- >&- 2>&-", "2>/dev/full", "</dev/null >/dev/null")
@pytest.mark.parametrize(
    "redirections", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", "2>/dev/full", ">/dev/full", "</dev/null >/dev/null"]
)
def test_a_file_is_whole_whatever_streams_there_are(place, redirections):
    needs(redirections)
    done = shell(redirections, "-v", "-o", "out.wav")
    assert done.returncode == 0, done.stderr
    assert soundfile.info("out.wav").frames == 250 * 1920


@pytest.mark.smoke("<&- 2>&-")
@pytest.mark.parametrize("redirections", ["2>&-", "<&- 2>&-", "2>/dev/full"])
def test_messages_never_get_into_the_sound(place, redirections):
    needs(redirections)
    whole = shell("", "-o", "-").stdout
    assert whole[:4] == b"RIFF" and len(whole) == 44 + 250 * 1920 * 2
    done = shell(redirections, "-v", "-o", "-")
    assert (done.returncode, done.stdout) == (0, whole)


def test_sound_that_nobody_can_take(place):
    done = shell(">&-", "-o", "-")
    assert done.returncode == 2 and b"standard output is closed" in done.stderr
    needs("/dev/full")
    done = shell(">/dev/full", "-o", "-")
    assert done.returncode == 1 and done.stderr.count(b"\n") <= 2 and b"No space left" in done.stderr


def as_started_by_a_shell():
    """What runs these tests may itself ignore SIGHUP, and its children would."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def interrupted(*signals, pause=0.02, seconds_between=0.0, redirect=None):
    process = subprocess.Popen(
        command(pause, "speak", "Hi", "--model", "model", "-o", "out.wav"),
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        preexec_fn=redirect or as_started_by_a_shell,
    )
    until = time.monotonic() + 30
    while not list_unfinished() and time.monotonic() < until:
        time.sleep(0.02)
    time.sleep(0.4)
    for number in signals:
        process.send_signal(number)
        time.sleep(seconds_between)
    error = process.communicate(timeout=30)[1].decode()
    return process.returncode, error


def needs(redirections):
    if "/dev/full" in redirections and not Path("/dev/full").exists():
        pytest.skip("NOT CHECKED: this system has no /dev/full")


def names():
    return sorted(path.name for path in Path().iterdir())


def list_unfinished():
    return [name for name in names() if name.endswith(".unfinished")]


@pytest.mark.smoke("15", "1")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_keeps_what_was_made(place, number):
    code, error = interrupted(number)
    assert code == 130
    assert "kept in out.partial.wav" in error
    assert 0 < soundfile.info("out.partial.wav").frames < 250 * 1920
    assert names() == ["model", "out.partial.wav"]


@pytest.mark.smoke("0.0", "0.1")
@pytest.mark.parametrize("between", [0.0, 0.005, 0.02, 0.1])
def test_two_signals_are_one_interruption(place, between):
    code, _ = interrupted(signal.SIGINT, signal.SIGINT, signal.SIGTERM, seconds_between=between)
    assert code == 130
    assert soundfile.info("out.partial.wav").frames > 0
    assert names() == ["model", "out.partial.wav"]


def test_a_resumed_run_that_ends_well_leaves_the_file_alone(place):
    text = "One is first. Two is second. Three is third."
    line = ("speak", text, "--model", "model", "--sentence-pause", "0", "--seed", "4", "-o", "out.mp3")
    line = (*line, "--subtitles", "out.srt")
    process = subprocess.Popen(
        command(0.006, *line), env={**os.environ, "PYTHONPATH": str(ROOT)}, preexec_fn=as_started_by_a_shell
    )
    until = time.monotonic() + 30
    while not list(Path().glob("out.mp3.pieces/000001.flac")) and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 130
    assert {"out.partial.mp3", "out.mp3.pieces"} <= set(names())
    Path("mine-01.partial.mp3").write_bytes(b"")
    subprocess.run(command(0, *line, "--resume"), env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True)
    assert names() == ["mine-01.partial.mp3", "model", "out.mp3", "out.srt"]


@pytest.mark.parametrize("name", ["vio_tell", "__del__"])
def test_an_interruption_is_not_lost_where_exceptions_are(name):
    code = """
import os, signal, sys, time
from mlx_tts.cli.process import interrupt_on_signals
interrupt_on_signals()
ended = []
callback = {"os": os, "signal": signal, "time": time, "ended": ended}
text = "def {name}(*_):\\n os.kill(os.getpid(), signal.SIGINT)\\n time.sleep(0.05)\\n ended.append(True)"
exec(compile(text, "soundfile.py", "exec"), callback)
try:
    callback["{name}"]()
    time.sleep(5)
    print("lost")
except KeyboardInterrupt:
    print("interrupted, callback ended:", bool(ended))
"""
    done = subprocess.run(
        [sys.executable, "-c", code.replace("{name}", name)],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
        preexec_fn=as_started_by_a_shell, check=False,
    )  # fmt: skip
    assert done.stdout == "interrupted, callback ended: True\n", done.stderr


def test_nohup_is_obeyed(place):
    def ignore():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    code, _ = interrupted(signal.SIGHUP, pause=0.001, redirect=ignore)
    assert code == 0
    assert soundfile.info("out.wav").frames == 250 * 1920


def test_a_killed_run_leaves_nothing_behind_the_next(place):
    assert interrupted(signal.SIGKILL)[0] == -signal.SIGKILL
    assert list_unfinished()
    assert shell("", "-o", "out.wav").returncode == 0
    assert names() == ["model", "out.wav"]


def test_two_runs_on_one_output(place):
    first = subprocess.Popen(
        command(0.004, "speak", "Hi", "--model", "model", "-o", "out.wav"),
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
    )
    until = time.monotonic() + 30
    while not list_unfinished() and time.monotonic() < until:
        time.sleep(0.01)
    first.send_signal(signal.SIGSTOP)  # it is in the midst of its file, however long the second takes to begin
    try:
        second = shell("", "-o", "out.wav")
    finally:
        first.send_signal(signal.SIGCONT)
    assert second.returncode == 1 and b"out.wav is being written by another run" in second.stderr
    assert (first.communicate(timeout=60), first.returncode)[1] == 0
    assert soundfile.info("out.wav").frames == 250 * 1920


def test_the_second_of_two_signals_is_not_raised(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("mlx_tts.cli.process.time.monotonic", lambda: now[0])
    handler = Interruption()
    with pytest.raises(KeyboardInterrupt):
        handler(2, None)
    for later in (100.01, 100.9, 102.5):
        now[0] = later
        handler(2, None)
    now[0] = 103.1
    with pytest.raises(KeyboardInterrupt):
        handler(2, None)


def test_lines_are_for_terminals():
    assert shown_line("a\x1b[2Jb\nc\u202ed") == "a\\x1b[2Jb c\\x202ed"
    line = shown_line("x" * 100_000 + "the end")
    assert len(line) < 420 and line.endswith("the end")


THREADS_THAT_KEEP_LITTLE = """
import threading
{begin}
turn, kept = threading.Barrier(40), []

def work():
    turn.wait()
    large = []
    for _ in range(60):
        large.append(bytearray(100_000))
        kept.append(bytes(600))  # lies between them, and stays
    large.clear()
    turn.wait()

threads = [threading.Thread(target=work) for _ in range(40)]
for thread in threads: thread.start()
for thread in threads: thread.join()
{end}
print(int(open("/proc/self/statm").read().split()[1]) * 4096 >> 20)
"""


def memory_after(begin: str, end: str) -> int:
    """MiB that a process holds whose threads had 240 MB for a moment."""
    script = THREADS_THAT_KEEP_LITTLE.format(begin=begin, end=end)
    # As on a machine of many processors, where each thread has a part of malloc's memory of its own.
    environment = {**os.environ, "MALLOC_ARENA_TEST": "64"}
    return int(subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, check=True).stdout)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="NOT CHECKED: malloc of glibc alone keeps so much")
@pytest.mark.slow
def test_the_threads_of_a_server_keep_no_memory_each():
    share = "from mlx_tts.cli.process import share_malloc; share_malloc()"
    give_back = "from mlx_tts.runtime.memory import give_back_pages; give_back_pages()"
    by_default, shared = memory_after("", ""), memory_after(share, "")
    assert 2 * shared < by_default
    assert memory_after("import mlx_tts.runtime.memory", give_back) < memory_after("import mlx_tts.runtime.memory", "")


def test_a_server_shares_memory_among_its_threads_before_it_has_any(monkeypatch):
    called: list[int] = []
    monkeypatch.setattr("mlx_tts.cli.share_malloc", lambda: called.append(threading.active_count()))
    monkeypatch.setattr("mlx_tts.cli.run", lambda _arguments: 0)
    for name in ("open_standard_streams", "interrupt_on_signals", "ignore_signals"):  # this process is pytest's
        monkeypatch.setattr(f"mlx_tts.cli.{name}", lambda: None)
    for arguments, times in ((["speak", "Hello."], 0), (["serve"], 1)):
        monkeypatch.setattr(sys, "argv", ["mlx-tts", *arguments])
        with pytest.raises(SystemExit):
            main()
        assert len(called) == times
