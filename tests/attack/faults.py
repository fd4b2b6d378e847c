"""What a case did to the machine, as verdicts: what it left behind, and which sockets, files and programs it touched.

What is left (descriptors, child processes, temporary files) is looked up by the attacked process itself. What it touched
is told by strace where it is installed and may be used: libraries in C open files and sockets too. Without it that part
is not judged, and the run says so.
"""

from __future__ import annotations

import codecs
import contextlib
import gc
import os
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

CALLS = ("socket", "bind", "connect", "chdir", "execve", "?open", "openat", "?creat", "truncate", "?rename", "?renameat",
         "renameat2", "?unlink", "unlinkat", "?rmdir", "?mkdir", "mkdirat", "?link", "linkat", "?symlink", "symlinkat")  # fmt: skip
STRACE = (
    "strace",
    "-f",
    "--seccomp-bpf",
    "-y",
    "-qq",
    "-s",
    "5000",
    "-e",
    f"trace={','.join(CALLS)}",
    "-e",
    "signal=none",
)
LINE = re.compile(r"(?:\[pid +)?(\d+)\]? +(?P<call>\w+)\((?P<arguments>.*)")
QUOTED = re.compile(r'(?:AT_FDCWD|\d+)?(?:<(?P<folder>[^>"]*)>)?(?:, )?"(?P<path>(?:[^"\\]|\\.)*)"')
FOUND = re.compile(r"= \d+<(?P<path>[^>]*)>$")  # what was opened, with all links followed
WRITES = re.compile(r"O_(WRONLY|RDWR|CREAT|TRUNC|APPEND)")
# Every user may write there, and nothing stays.
DEVICES = ("/dev/null", "/dev/full", "/dev/zero", "/dev/tty", "/dev/stdout", "/dev/stderr", "/proc/self/")
MAPPED = ("/mlx_tts/text/phonemes/english.txt", "/mlx_tts/text/phonemes/names.txt")
WEIGHTS, MOST_WEIGHTS = ".safetensors", 8  # files of the two models that are in use at most, while the next is loaded
NAME_SERVICE = "/var/run/nscd/socket"  # the C library asks there for the home folders of users
PACKAGE = Path(__file__).resolve().parents[2] / "mlx_tts"
SECRETS = ("/etc/passwd", "/etc/shadow")  # which hostile files name


@cache
def can_trace() -> bool:
    """Whether strace is there and allowed."""
    if shutil.which(STRACE[0]) is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log")
        done = subprocess.run([*STRACE, "-o", str(log), "true"], capture_output=True, check=False)
        return done.returncode == 0 and log.exists() and log.stat().st_size > 0


def what_was_touched(lines: Iterable[str], allowed: Iterable[Path], folder: Path) -> list[str]:
    """What strace's lines tell that a parser of a file has no business with: sockets, files written or removed outside
    the `allowed` folders, names of accounts, other programs. folder: the working folder at the beginning."""
    inside = [f"{Path(path).resolve()}/" for path in allowed]
    faults, where = [], {}
    for line in lines:
        if (found := LINE.match(line)) is None:
            continue
        process, call, arguments = found[1], found["call"], found["arguments"]
        paths = list(_paths(arguments, where.get(process, str(folder))))
        if call == "chdir" and paths:
            where[process] = paths[0]
        elif call == "socket":
            if not arguments.startswith("AF_UNIX"):
                faults.append(f"a socket: {line.strip()[:200]}")
        elif call in ("bind", "connect"):
            if NAME_SERVICE not in arguments:
                faults.append(f"an address: {line.strip()[:200]}")
        elif call == "execve":
            if paths and Path(paths[0]).resolve() != Path(sys.executable).resolve() and "ENOENT" not in line:
                faults.append(f"another program: {paths[0]}")
        elif call in ("open", "openat") and not WRITES.search(arguments):
            if (opened := FOUND.search(line.rstrip())) and opened["path"] in SECRETS and paths[0] != opened["path"]:
                faults.append(f"a file of the system was read: {line.strip()[:200]}")
        else:
            opened = FOUND.search(line.rstrip())
            if call.startswith(("symlink", "link")):
                paths = paths[-1:]  # where it is made; what it points at is only text
            for path in [*paths, *([opened["path"]] if opened else [])]:
                if not f"{path}/".startswith((*inside, *DEVICES)) and not _is_bytecode(path):
                    faults.append(f"a file outside: {call} {path}")
    return faults


def _is_bytecode(path: str) -> bool:
    """Whether the interpreter writes down a module that it has compiled, next to it."""
    return f"{path}/".startswith((f"{PACKAGE}/", f"{sys.prefix}/")) and "/__pycache__" in path


def _paths(arguments: str, folder: str) -> Iterable[str]:
    """The paths of a call, absolute and without `..`."""
    for found in QUOTED.finditer(arguments):
        path = codecs.escape_decode(found["path"].encode())[0].decode("utf-8", "surrogateescape")  # type: ignore[attr-defined]
        yield posixpath.normpath(posixpath.join(found["folder"] or folder, path))


def children_of(process: Path) -> frozenset[str]:
    """The child processes of a folder in /proc, where there is one. A thread that ends meanwhile has none."""
    children: set[str] = set()
    for task in (process / "task").glob("*"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            children.update((task / "children").read_text().split())
    return frozenset(children)


@dataclass(frozen=True)
class Holding:
    """What this process holds. files: in its folder for temporary ones."""

    descriptors: dict[int, str]
    children: frozenset[str]
    files: frozenset[str]

    @classmethod
    def now(cls) -> Holding:
        descriptors = {}
        for entry in Path("/proc/self/fd" if sys.platform.startswith("linux") else "/dev/fd").iterdir():
            with contextlib.suppress(OSError):  # the one that lists them
                descriptors[int(entry.name)] = str(
                    entry.readlink() if entry.is_symlink() else os.fstat(int(entry.name))
                )
        return cls(
            descriptors,
            children_of(Path("/proc/self")),
            frozenset(path.name for path in Path(tempfile.gettempdir()).iterdir()),
        )

    def left_since(self) -> str | None:
        """What is held now and was not then, in words."""
        if (fault := self._more(Holding.now())) is None:
            return None
        gc.collect()  # what only hangs on an error that was caught is not left
        return fault and self._more(Holding.now())

    def _more(self, now: Holding) -> str | None:
        opened = [now.descriptors[number] for number in now.descriptors if number not in self.descriptors]
        # A command that ends in any case does not close its model, whose weights are read when they are first used.
        weights = sum(path.removesuffix(" (deleted)").endswith(WEIGHTS) for path in now.descriptors.values())
        if weights <= MOST_WEIGHTS:
            opened = [path for path in opened if not path.removesuffix(" (deleted)").endswith(WEIGHTS)]
        # A dictionary is mapped at the first word that is looked up, and stays so: once.
        for mapped in MAPPED:
            if sum(path.endswith(mapped) for path in now.descriptors.values()) <= 1:
                opened = [path for path in opened if not path.endswith(mapped)]
        if opened:
            return f"{len(opened)} descriptors are left: {', '.join(sorted(opened))[:200]}"
        if now.children - self.children:
            return f"{len(now.children - self.children)} child processes are left"
        if now.files - self.files:
            return f"temporary files are left: {', '.join(sorted(now.files - self.files))[:200]}"
        return None
