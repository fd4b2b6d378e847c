"""Rows of results, appended by each worker to a table of its own <-> what is done, however many have worked on it.

A row stands in its table after its file has its name. A worker that is killed leaves at most half a row behind, which
nobody reads; the line is made again.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from mlx_tts.batch.lines import Line
from mlx_tts.errors import AudioError

FOLDER = "tables"
OK, SUSPECT, FAILED, REFUSED = "ok", "suspect", "failed", "refused"
SPOKEN = (OK, SUSPECT)  # with a file; suspect: the guard found a fault in the take that was kept
_DECODER = json.JSONDecoder()
ResultRow = dict[str, Any]
COLUMNS = (
    *("file", "seconds", "bytes", "sha256", "text", "spoken", "voice", "language", "model", "seed"),
    *("pieces", "lufs", "peak", "guard", "words", "wrong_words", "worker", "machine", "at", "key"),
)


def empty_row(name: str | None, number: int, status: str, error: str | None = None) -> ResultRow:
    """Every column of a result, in its order."""
    return {"id": name, "line": number, "status": status, "error": error, **dict.fromkeys(COLUMNS)}


class Table:
    """The table of this worker; made when the first row comes."""

    def __init__(self, folder: Path):
        self.worker = f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:6]}"
        self.path = folder / FOLDER / f"{self.worker}.jsonl"
        self._descriptor: int | None = None

    def add(self, row: Mapping[str, Any]) -> None:
        """Append a row; AudioError where the disk takes no more."""
        data = memoryview((json.dumps(row, ensure_ascii=False) + "\n").encode("utf-8", "replace"))
        try:
            if self._descriptor is None:
                self.path.parent.mkdir(exist_ok=True)
                self._descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
            while data:
                data = data[os.write(self._descriptor, data) :]
        except OSError as error:
            raise AudioError(f"could not write {self.path}: {error.strerror}") from None

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


class Entry(NamedTuple):
    """What is known of a line: the newest row of its id. row: as it stands in its table."""

    key: str
    status: str
    file: str
    size: int
    at: float
    row: bytes

    def parsed(self) -> dict[str, Any]:
        return json.loads(self.row)  # type: ignore[no-any-return]


@dataclass
class Done:
    """All tables of a folder, and which of its files are there. `read` takes in what was added since."""

    folder: Path
    entries: dict[str, Entry] = field(default_factory=dict)
    _read: dict[str, int] = field(default_factory=dict)
    _sizes: dict[str, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def read(self) -> list[str]:
        """Take in new rows of all workers; the ids of the lines that they are about. Any thread may call it."""
        names = []
        with self._lock:
            for path in sorted((self.folder / FOLDER).glob("*.jsonl")):
                names += [name for row in self._new_rows(path) if (name := self._take(row)) is not None]
        return names

    def read_sizes(self) -> None:
        """Note which files there are, with one look into each folder."""
        self._sizes.clear()
        for path, prefix in ((self.folder, ""), *_hash_folders(self.folder)):
            with os.scandir(path) as found:
                for entry in found:
                    if entry.is_file() and not entry.name.startswith("."):
                        self._sizes[prefix + entry.name] = entry.stat().st_size

    def has(self, line: Line, path: str) -> bool:
        """Whether the line was made from this very content, and its file is there as it was written."""
        entry = self.entries.get(line.id)
        if entry is None or entry.status not in SPOKEN or entry.file != path or entry.key != line.key:
            return False
        return self._sizes.get(path) == entry.size

    def has_now(self, line: Line, path: str) -> bool:
        """The same as it is at this moment, for work that is shared with other runs."""
        file = self.folder / path
        if not file.is_file():
            return False
        self.read()
        self._sizes[path] = file.stat().st_size
        return self.has(line, path)

    def row_of(self, line: Line, path: str) -> dict[str, Any] | None:
        """The newest row of a line, with its number of today; None where it was never tried in this form."""
        entry = self.entries.get(line.id)
        if entry is None or entry.key != line.key or (entry.status in SPOKEN and entry.file != path):
            return None
        return {**entry.parsed(), "line": line.number}

    def _new_rows(self, path: Path) -> Iterator[bytes]:
        at = self._read.get(path.name, 0)
        try:
            with path.open("rb") as file:
                file.seek(at)
                for row in file:
                    if not row.endswith(b"\n"):  # half a row: of a worker that was killed, or is writing now
                        break
                    at += len(row)
                    yield row
        except OSError as error:
            raise AudioError(f"cannot read {path}: {error.strerror}") from None
        self._read[path.name] = at

    def _take(self, data: bytes) -> str | None:
        """Keep a row if it is the newest of its line, whose id is then the answer."""
        try:
            row, _ = _DECODER.raw_decode(data.decode())  # of 100,000 rows: less work than `loads`
            name = row["id"]
            entry = Entry(row["key"], row["status"], row["file"] or "", row["bytes"] or 0, float(row["at"]), data)
        except (ValueError, KeyError, TypeError):
            return None  # a damaged row: its line is made again
        before = self.entries.get(name)
        if before is not None:
            if before.key == entry.key and before.status in SPOKEN and entry.status not in SPOKEN:
                return None
            now_spoken = before.status not in SPOKEN and entry.status in SPOKEN
            if before.at > entry.at and not (before.key == entry.key and now_spoken):
                return None
        self.entries[name] = entry
        return str(name)


def _hash_folders(folder: Path) -> list[tuple[Path, str]]:
    return [(path, f"{path.name}/") for path in folder.glob("[0-9a-f][0-9a-f]") if path.is_dir()]
