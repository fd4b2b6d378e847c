"""Notes for people at a terminal: once a day, and always with -v."""

import io
import os
import re
import time
from types import SimpleNamespace

import pytest

from mlx_tts.cli import console as console_module
from mlx_tts.cli import run
from mlx_tts.cli.console import Console
from mlx_tts.errors import RequestError


@pytest.fixture(autouse=True)
def screen(monkeypatch):
    """Nothing stands on it."""
    monkeypatch.setattr(console_module, "_screen", console_module._Screen())


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


def drawn(capsys, monkeypatch, share, columns=80, **environment):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    for name in ("NO_COLOR", "COLUMNS", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": "xterm-256color", "COLUMNS": str(columns), **environment}.items():
        monkeypatch.setenv(name, value)
    Console().progress("12 s spoken, piece 2 of 5", share)
    return capsys.readouterr().err


def plain(text):
    return re.sub(r"\x1b\[[0-9;]*[mK]", "", text).removeprefix("\r")


def test_the_bar_grows_with_the_share(capsys, monkeypatch):
    half, full = (drawn(capsys, monkeypatch, share) for share in (0.5, 1.0))
    assert half != full and half.startswith("\r\x1b[K") and "\x1b[" in half[4:]  # colours tell done from not done
    for line in (half, full):
        assert plain(line)[20:] == " 12 s spoken, piece 2 of 5"
    without = plain(drawn(capsys, monkeypatch, 0.5, NO_COLOR="1"))
    assert len(without[:20].rstrip()) == 10, "without colours what is not done is blank"


def test_a_line_stays_on_one_row(capsys, monkeypatch):
    """What wraps cannot be overwritten."""
    assert len(plain(drawn(capsys, monkeypatch, 0.5, columns=46))) == 45
    assert plain(drawn(capsys, monkeypatch, 0.5, columns=20)) == "12 s spoken, piece "
    assert plain(drawn(capsys, monkeypatch, None)) == "12 s spoken, piece 2 of 5"


def test_nothing_is_drawn_where_nobody_looks(capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: False, raising=False)
    Console().progress("a line", 0.5)
    assert capsys.readouterr().err == ""


def test_plain_progress_has_no_control_characters(capsys, monkeypatch):
    monkeypatch.setattr("mlx_tts.cli.console.PLAIN_SECONDS", 0.0)
    console = Console(style="plain")
    console.progress("12 s spoken", 0.25)
    console.progress("")
    console.say("done")
    assert capsys.readouterr().err == "25%: 12 s spoken\ndone\n"
    assert not console.shows_progress


def test_plain_progress_comes_now_and_then(capsys):
    console = Console(style="plain")
    for _ in range(50):
        console.progress("12 s spoken", 0.25)
    assert capsys.readouterr().err.count("\n") <= 1


def test_a_command_that_was_quick_tells_no_progress_in_a_log(capsys, monkeypatch):
    """However long its process has lived: a server of commands, or these tests."""
    monkeypatch.setattr("sys.stderr.isatty", lambda: False, raising=False)
    console_module._screen.told_at -= 3600
    assert run(["models", "default"]) == 0
    capsys.readouterr()
    Console().progress("1 s: loading")
    assert capsys.readouterr().err == ""


def test_a_dumb_terminal_gets_plain_progress(monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "dumb")
    assert not Console().shows_progress
    monkeypatch.setenv("TERM", "xterm")
    assert Console().shows_progress and not Console(style="none").shows_progress


def test_no_progress_is_none(capsys, monkeypatch):
    monkeypatch.setattr("mlx_tts.cli.console.PLAIN_SECONDS", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    for console in (Console(style="none"), Console(quiet=True)):
        console.progress("12 s spoken", 0.25)
        with console.moving(lambda: ("more", None)):
            time.sleep(0.3)
    assert capsys.readouterr().err == ""


def test_a_line_moves_while_nothing_else_happens(capsys):
    seconds = iter(range(100))
    console = Console(style="bar")
    with console.moving(lambda: (f"{next(seconds)} s spoken", None)):
        time.sleep(1.2)
        console.say("a fault")
        time.sleep(0.3)
    error = capsys.readouterr().err
    shown = re.findall(r"\r\x1b\[K(\d+) s spoken", error)
    assert len(shown) >= 3, "it has to move twice a second"
    assert "\r\x1b[Ka fault\n" in error  # a message never stands behind the line
    assert error.endswith("\r\x1b[K")


def test_a_long_step_moves_on_a_narrow_terminal(capsys, monkeypatch):
    """Its time is not cut off with the end of its name."""
    monkeypatch.setenv("COLUMNS", "40")
    with Console(style="bar").working("converting") as step:
        step("recipe: all parts together, attention 4, feed forward 6, heads 8")
        time.sleep(1.9)
    shown = re.findall(r"\r\x1b\[K(\d\.\d s: recipe: all[^\r]*)", capsys.readouterr().err)
    assert len(set(shown)) >= 2
    assert all(len(line) < 40 for line in shown)


def test_the_innermost_line_has_the_place(capsys):
    console = Console(style="bar")
    with console.moving(lambda: ("outer", None)):
        with console.moving(lambda: ("inner", None)):
            time.sleep(0.6)
        with console.held():  # a download shows its own line
            time.sleep(0.3)
            console.progress("fetched")
            time.sleep(0.4)
        time.sleep(0.4)
    shown = [line for line in capsys.readouterr().err.split("\r\x1b[K") if line]
    assert shown[0] == "inner" and shown[-1] == "outer"
    assert sorted(shown, key=["inner", "fetched", "outer"].index) == shown
    assert shown.count("fetched") == 1


def test_no_line_is_written_over_a_question(capsys, monkeypatch):
    def read():
        time.sleep(0.6)
        return "y\n"

    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True, readline=read))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    console = Console(style="bar")
    with console.moving(lambda: ("loading", None)):
        time.sleep(0.4)
        assert console.agrees("Download it?")
    assert capsys.readouterr().err.split("Download it? [Y/n] ")[1].replace("\r\x1b[K", "") in ("", "loading")


@pytest.mark.parametrize(("reads", "sees"), [(True, True), (True, False), (False, True), (False, False)])
def test_a_question_is_asked_of_who_sees_it_and_can_answer(monkeypatch, capsys, reads, sees):
    monkeypatch.setattr("sys.stdin", io.StringIO("\n"))
    monkeypatch.setattr("sys.stdin.isatty", lambda: reads)
    monkeypatch.setattr("sys.stderr.isatty", lambda: sees, raising=False)
    if reads and sees:
        assert Console().agrees("Remove it?") and capsys.readouterr().err == "Remove it? [Y/n] "
    else:
        with pytest.raises(RequestError, match=r"^Remove it\? There is no terminal to ask on: --yes answers it$"):
            Console().agrees("Remove it?")
