"""An output folder <-> run.json, the settings that all runs in it share; claims of lines; a lock for what is merged."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mlx_tts.batch.tables import FOLDER as TABLES
from mlx_tts.errors import AudioError, MlxTtsError, RequestError
from mlx_tts.files.reading import UnreadableFileError, read_json_object
from mlx_tts.files.writing import BusyError, only_run, write_whole
from mlx_tts.shortened import shortened

FORMAT = "mlx-tts batch 1"
RUN, RESULTS, REPORT = "run.json", "results.jsonl", "report.html"
CLAIMS = ".claims"
IDENTITY = ".identity"
CLAIM_BITS = 48
LOCK_SECONDS = 120.0  # merging takes seconds; a run that holds it longer is stuck


def open_folder(folder: Path, settings: dict[str, Any]) -> None:
    """Make the folder and its run.json, or check that its settings are these. RequestError where they are others."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "that is not a name for a folder"
        raise RequestError(f"cannot make the folder {folder}: {why}") from None
    if not os.access(folder, os.W_OK):
        raise RequestError(f"the folder {folder} is read-only: choose another")
    wanted = {"format": FORMAT, **json.loads(json.dumps(settings))}
    check_folder(folder, settings)
    if (folder / RUN).is_file():
        return
    with locked(folder):
        check_folder(folder, settings)
        if (folder / RUN).is_file():
            return  # another run was quicker
        try:
            write_whole(folder / RUN, (json.dumps(wanted, indent=1, ensure_ascii=False) + "\n").encode())
        except OSError as error:
            raise AudioError(f"cannot write into {folder}: {error.strerror}") from None


def check_folder(folder: Path, settings: dict[str, Any]) -> None:
    """RequestError for a folder that an earlier run with other settings wrote, or that holds something else."""
    if folder.exists() and not folder.is_dir():
        raise RequestError(f"{folder} is a file: give a folder")
    try:
        earlier = read_json_object(folder / RUN)
    except FileNotFoundError:
        for name in (RESULTS, REPORT, TABLES):
            if (folder / name).exists():
                raise RequestError(
                    f"{folder} holds a {name} without {RUN}, so it is not ours: choose another folder"
                ) from None
        return
    except UnreadableFileError as error:
        raise RequestError(f"{folder / RUN} {error}: choose another folder") from None
    wanted = {"format": FORMAT, **json.loads(json.dumps(settings))}
    names = [name for name in {**wanted, **earlier} if wanted.get(name) != earlier.get(name)]
    if names:
        name = names[0]
        was, now = (shortened(json.dumps(each.get(name), ensure_ascii=False), 60) for each in (earlier, wanted))
        more = f", and {', '.join(names[1:])} differ too" if names[1:] else ""
        raise RequestError(
            f"{folder} was made with other settings ({name} was {was}, now {now}{more}): "
            "give the same ones, or choose another folder"
        )


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Held while something is made of what all workers wrote; waits for its turn."""
    end = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            lock = only_run(folder / RESULTS)
            lock.__enter__()
            break
        except BusyError:
            if time.monotonic() > end:
                raise MlxTtsError(f"another run has been writing {folder / RESULTS} for minutes: end it") from None
            time.sleep(0.05)
    try:
        yield
    finally:
        lock.__exit__(None, None, None)


def identity(folder: Path) -> str:
    """A name that no other folder has, made once, so that another machine can tell whether it sees this very folder."""
    try:
        with locked(folder):
            if not (folder / IDENTITY).is_file():
                write_whole(folder / IDENTITY, uuid.uuid4().hex.encode())
        return (folder / IDENTITY).read_text(encoding="utf-8")
    except OSError as error:
        raise AudioError(f"cannot write into {folder}: {error.strerror}") from None


def is_same(folder: Path, name: str) -> bool:
    """Whether a folder of this path is there on this machine, and has this `identity`."""
    try:
        return (folder / IDENTITY).read_text(encoding="utf-8", errors="replace") == name
    except OSError:
        return False


class Claims:
    """Which lines this process works on, so that runs that share a folder share the work.

    A claim is a lock of one byte of a file, at a place that follows from the id: it ends with the process, however that
    ends. Where a file system has no locks every claim succeeds: lines may be made twice, with the same result.
    """

    def __init__(self, folder: Path):
        self._path = folder / CLAIMS
        try:
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise AudioError(f"cannot write into {folder}: {error.strerror}") from None

    def take(self, name: str) -> bool:
        """False if another process works on it."""
        try:
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _place(name))
        except OSError as error:
            return error.errno not in (errno.EACCES, errno.EAGAIN)
        return True

    def release(self, name: str) -> None:
        with contextlib.suppress(OSError):
            fcntl.lockf(self._descriptor, fcntl.LOCK_UN, 1, _place(name))

    def close(self) -> None:
        os.close(self._descriptor)


def _place(name: str) -> int:
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") >> (64 - CLAIM_BITS)
