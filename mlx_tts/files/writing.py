"""Where something is to be written -> a file or folder that has its name only when all of it is there, or is not there.

Until then it has a hidden name next to it, the same for every run with that output. The hidden file is locked while it
is written. So a second run with the same output is refused, and what a killed run left is used up by the next one.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mlx_tts.errors import AudioError, MlxTtsError, RequestError
from mlx_tts.shortened import shown

LONGEST_NAME = 255  # bytes, on every system in use
UNFINISHED, RUN = ".unfinished", ".run"
MARK = ".made-by-mlx-tts"  # in an unfinished folder: only one with it is ever removed


class BusyError(MlxTtsError):
    """Another process writes to the same place now."""


def resolved(path: Path) -> Path:
    """Where a symbolic link leads, so that the link stays and its target is written; other paths stay as they are."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def is_stream(path: Path) -> bool:
    """Whether it is a named pipe or a device: written to as it is, never replaced."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def is_read_only(path: Path) -> bool:
    """Whether the file that is there says that it is not to be changed. Root could: that is not what was meant."""
    try:
        return not (path.stat().st_mode & 0o222 and os.access(path, os.W_OK))
    except FileNotFoundError:
        return False
    except OSError:
        return True


def check_writable(file: Path) -> None:
    """RequestError unless a file of this name can be written, or a pipe or a device is there."""
    if "\0" in str(file):
        raise RequestError(f"{shown(str(file), 100)} is not a name for a file: choose another")
    if len(os.fsencode(file.name)) > LONGEST_NAME:
        raise RequestError(f"{shown(file.name, 40)} is too long for a file's name: choose another")
    if file.is_dir():
        raise RequestError(f"{file} is a folder: give a file's name")
    target = resolved(file)
    if is_stream(target):
        return
    if is_read_only(target):
        raise RequestError(f"{file} is read-only: choose another name")
    if not target.parent.is_dir():
        raise RequestError(f"no folder {target.parent}: make it first")
    if not os.access(target.parent, os.W_OK):
        where = f"the folder {target.parent}" if target.parent.parts else "this folder"
        raise RequestError(f"{where} is read-only: choose another")


def partial_file(path: Path) -> Path:
    """Under which name a file is kept whose making was stopped."""
    return path.with_name(fitting_name(path.stem, f".partial{path.suffix}"))


def remove_partial_files(path: Path, numbered: bool = False) -> None:
    """The file was stopped before and is complete now. numbered: also those of path-01, path-02, ..."""
    partial_file(path).unlink(missing_ok=True)
    if numbered:
        stem = re.escape(path.stem)
        ours = re.compile(rf"{stem}-\d+\.partial{re.escape(path.suffix)}")
        for other in path.parent.iterdir():
            if ours.fullmatch(other.name):
                other.unlink(missing_ok=True)


def fitting_name(stem: str, ending: str) -> str:
    """stem + ending; a stem that is too long for a file's name is cut and told apart by a hash."""
    whole = os.fsencode(stem + ending)
    if len(whole) <= LONGEST_NAME:
        return stem + ending
    digest = hashlib.sha256(os.fsencode(stem)).hexdigest()[:12]
    kept = os.fsencode(stem)[: LONGEST_NAME - len(os.fsencode(ending)) - len(digest) - 1]
    return f"{kept.decode('utf-8', 'ignore')}-{digest}{ending}"


def hidden(path: Path, ending: str) -> Path:
    """The hidden name next to a file that its unfinished form or its lock has."""
    return path.with_name(fitting_name(f".{path.name}", ending))


def _open_locked(path: Path, output: Path, mode: int) -> int:
    """A file of our own, made if need be and locked: BusyError if another run has it, OSError if it cannot be made."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, mode)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_nlink > 1:
                raise AudioError(f"{path} is in the way and not ours: remove it or choose another name")
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BusyError(
                    f"{output} is being written by another run: wait for it or choose another name"
                ) from None
            except OSError:
                return descriptor  # a file system without locks
            with contextlib.suppress(FileNotFoundError):
                if os.stat(path).st_ino == status.st_ino:  # noqa: PTH116 (the same call as fstat above)
                    return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # another run finished with this one just now


class OutputFile:
    """A binary file for writing, with `seek` and `tell`. `finish` gives it its name, `discard` leaves nothing.

    A write that fails is kept in `error`, because encoders in between do not pass it on.
    """

    def __init__(self, path: Path, follow: bool = True) -> None:
        """follow: a symbolic link stays and its target is written; else the link itself is replaced."""
        self._descriptor = -1
        self.path = path
        self.error: OSError | None = None
        self._follow = follow
        self._target = self._place(path)
        self._unfinished = hidden(self._target, UNFINISHED)
        self._descriptor = _open_locked(self._unfinished, path, 0o666)
        try:
            os.ftruncate(self._descriptor, 0)
        except OSError:
            self.discard()
            raise

    def _place(self, path: Path) -> Path:
        if not self._follow:
            return path
        if is_stream(path):
            raise AudioError(f"{path} is a device or a pipe, which is never replaced: remove it or choose another name")
        return resolved(path)

    def write(self, data: bytes) -> int:
        left = memoryview(data)
        while left and self.error is None:
            try:
                left = left[os.write(self._descriptor, left) :]
            except OSError as error:
                self.error = error
        return len(data) - len(left)

    def read(self, size: int = -1) -> bytes:
        return os.read(self._descriptor, (1 << 30) if size < 0 else size)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return os.lseek(self._descriptor, offset, whence)

    def flush(self) -> None:
        """Nothing waits to be written; `zipfile` asks."""

    def tell(self) -> int:
        return os.lseek(self._descriptor, 0, os.SEEK_CUR)

    def finish(self, path: Path | None = None, durable: bool = True) -> None:
        """Give it its name, or that of `path`. OSError if any of it did not get to the disk; then nothing is left.

        durable: wait until the disk has it, so that a full disk or a loss of power shows before the name does.
        """
        try:
            if self.error is not None:
                raise self.error
            if durable:
                os.fsync(self._descriptor)
            self._unfinished.replace(self._target if path is None else self._place(path))
        except (OSError, AudioError):
            self.discard()
            raise
        self._close()

    def discard(self) -> None:
        """Leave nothing behind. Safe to call twice."""
        if self._descriptor >= 0:
            with contextlib.suppress(OSError):
                self._unfinished.unlink(missing_ok=True)
        self._close()

    def __del__(self) -> None:
        """Where an error came between opening it and its first use, nobody else removes the hidden file."""
        self.discard()

    def _close(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


def write_whole(path: Path, data: bytes, follow: bool = True) -> None:
    """Write a small file: it is there as a whole or as it was. OSError says why not. follow: as for OutputFile."""
    file = OutputFile(path, follow)
    file.write(data)
    file.finish()


def write_output(path: Path, data: bytes) -> None:
    """`write_whole` for what somebody asked for: AudioError says why it cannot be written."""
    try:
        write_whole(path, data)
    except OSError as error:
        raise AudioError(f"cannot write {path}: {error.strerror}") from None


@contextmanager
def only_run(output: Path) -> Iterator[None]:
    """Held while a run works on `output` and all that stands next to it; BusyError if another run does."""
    target = resolved(output)
    lock = hidden(target, RUN)
    try:
        descriptor = _open_locked(lock, output, 0o600)
    except OSError as error:
        raise AudioError(f"cannot write into {target.parent}: {error.strerror}") from None
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            lock.unlink(missing_ok=True)
        os.close(descriptor)


def check_room(destination: Path, size: int) -> None:
    """MlxTtsError where so many bytes do not fit on the disk of a file or folder that is to be made: before the work
    that they come from."""
    free = shutil.disk_usage(Path(destination).absolute().parent).free
    if size > free:
        raise MlxTtsError(
            f"{destination} takes {size / 1e6:,.1f} MB and its disk has {free / 1e6:,.1f} MB left: "
            "free some space or choose another folder"
        )


@contextmanager
def atomic_folder(destination: Path) -> Iterator[Path]:
    """A fresh folder to write into. Renamed to `destination` at the end; removed if anything fails on the way.

    RequestError if something is there already (an empty folder is replaced), MlxTtsError if it cannot be written.
    """
    destination = Path(destination).absolute()
    if destination.exists() and (not destination.is_dir() or any(destination.iterdir())):
        raise RequestError(f"{destination} exists and is not empty: choose another folder")
    unfinished = hidden(destination, UNFINISHED)
    try:
        with only_run(destination):
            _make_ours(unfinished)
            try:
                yield unfinished
                (unfinished / MARK).unlink()
                if destination.exists():
                    destination.rmdir()
                unfinished.rename(destination)
            finally:
                shutil.rmtree(unfinished, ignore_errors=True)
    except (OSError, RuntimeError) as error:
        raise MlxTtsError(
            f"{destination} cannot be written ({error}): free some space or choose another folder"
        ) from None


def _make_ours(folder: Path) -> None:
    """A fresh folder with a mark in it. One that a killed run left has the mark too; nothing else is removed."""
    if (folder / MARK).is_file():
        shutil.rmtree(folder)
    folder.mkdir()
    (folder / MARK).touch()
