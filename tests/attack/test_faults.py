"""The verdicts on what a case touched and left: strace's lines are read, and what is held is counted."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.attack.faults import STRACE, Holding, can_trace, what_was_touched

CASE = Path("/case")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('7 openat(AT_FDCWD</w>, "/usr/lib/x.so", O_RDONLY|O_CLOEXEC) = 3</usr/lib/x.so>', None),
        ('7 openat(AT_FDCWD</w>, "/case/out.wav", O_WRONLY|O_CREAT, 0666) = 3</case/out.wav>', None),
        ('7 openat(AT_FDCWD</w>, "/case/../etc/x", O_WRONLY|O_CREAT, 0666) = -1 EACCES (Permission denied)', "/etc/x"),
        ('7 openat(AT_FDCWD</w>, "out.wav", O_RDWR|O_CREAT, 0666) = 3</w/out.wav>', "/w/out.wav"),
        ('7 openat(5</case/a>, "out.wav", O_WRONLY|O_CREAT, 0666 <unfinished ...>', None),
        ('7 openat(AT_FDCWD</w>, "/case/link", O_WRONLY) = 3</home/me/mine>', "/home/me/mine"),
        ('7 openat(AT_FDCWD</w>, "/casement/x", O_WRONLY) = 3</casement/x>', "/casement/x"),
        ('7 openat(AT_FDCWD</w>, "/case/a\\"\\303\\251", O_WRONLY) = 3</case/a>', None),
        ('7 openat(AT_FDCWD</w>, "/dev/null", O_RDWR) = 3</dev/null>', None),
        ('7 openat(AT_FDCWD</w>, "/case/link", O_RDONLY) = 3</etc/passwd>', "a file of the system was read"),
        ('7 rename("/case/a", "/elsewhere/b") = 0', "/elsewhere/b"),
        ('7 unlink("/elsewhere/b") = -1 ENOENT (No such file or directory)', "/elsewhere/b"),
        ('7 symlink("/nowhere", "/case/link") = 0', None),
        ('7 socket(AF_INET, SOCK_DGRAM|SOCK_CLOEXEC, IPPROTO_UDP) = 4<UDP:[1]>', "a socket"),
        ('7 socket(AF_UNIX, SOCK_STREAM|SOCK_CLOEXEC, 0) = 4<UNIX:[1]>', None),
        ('7 connect(4<UNIX:[1]>, {sa_family=AF_UNIX, sun_path="/var/run/nscd/socket"}, 110) = -1 ENOENT', None),
        ('7 connect(4<UNIX:[1]>, {sa_family=AF_UNIX, sun_path="/run/other"}, 110) = 0', "an address"),
        ('7 execve("/bin/sh", ["sh"], 0x7 /* 9 vars */) = 0', "another program: /bin/sh"),
        (f'7 execve("{sys.executable}", ["python"], 0x7 /* 9 vars */) = 0', None),
        ("7 <... openat resumed>) = 3</elsewhere>", None),
    ],
)  # fmt: skip
def test_what_was_touched_is_said(line, said):
    faults = what_was_touched([line], [CASE], Path("/w"))
    assert (not faults) if said is None else (len(faults) >= 1 and said in faults[0])


def test_the_working_folder_of_each_process_is_followed():
    lines = ['7 chdir("/elsewhere") = 0', '8 unlink("x") = 0', '7 unlink("x") = 0']
    assert what_was_touched(lines, [Path("/w")], Path("/w")) == ["a file outside: unlink /elsewhere/x"]


def test_a_program_is_looked_at(tmp_path):
    """A socket and a file outside are seen through strace itself."""
    if not can_trace():
        pytest.skip("SKIPPED: strace is not installed or not allowed here, so nothing looks at sockets and files")
    code = f"import socket; socket.socket().close(); open({str(tmp_path / 'mine')!r}, 'w').close()"
    log = tmp_path / "log"
    subprocess.run([*STRACE, "-o", str(log), sys.executable, "-S", "-c", code], check=True, cwd=tmp_path)
    lines = log.read_text().splitlines()[1:]  # behind the start of the program itself
    faults = what_was_touched(lines, [tmp_path / "case"], tmp_path)
    assert [fault.split(":")[0] for fault in faults if "pycache" not in fault] == [
        "a socket",
        "a file outside",
        "a file outside",
    ]
    assert [fault for fault in what_was_touched(lines, [tmp_path], tmp_path) if "file" in fault] == []


@pytest.fixture
def own_temporary_folder(tmp_path, monkeypatch):
    """Tests that run at the same time leave files in the common one."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.mark.usefixtures("own_temporary_folder")
def test_what_is_left_is_counted(tmp_path):
    before = Holding.now()
    assert before.left_since() is None
    with (tmp_path.parent / "open").open("w"):
        assert "1 descriptors are left" in (before.left_since() or "")
    (tmp_path / "x").touch()
    assert before.left_since() == "temporary files are left: x"
    (tmp_path / "x").unlink()
    if sys.platform.startswith("linux"):
        child = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE)
        reached = Holding(Holding.now().descriptors, before.children, before.files)
        assert "1 child processes are left" in (reached.left_since() or "")
        child.communicate(b"\n")
    assert before.left_since() is None


@pytest.mark.usefixtures("own_temporary_folder")
def test_what_hangs_on_an_error_alone_is_not_left():
    before = Holding.now()
    cycle: dict[str, object] = {"file": os.fdopen(os.dup(0), "rb")}
    cycle["self"] = cycle
    del cycle
    assert before.left_since() is None
