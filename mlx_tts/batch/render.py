"""Tasks in, files and rows of results out: what each worker does, on this machine or on another one."""

from __future__ import annotations

import shutil
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from mlx_tts.batch.folder import Claims
from mlx_tts.batch.plan import Task
from mlx_tts.batch.roles import Role
from mlx_tts.batch.settings import BatchSettings
from mlx_tts.batch.sound import guard_of, make_sound, write_sound
from mlx_tts.batch.speaking import Engine, SpokenLine, speak_lines
from mlx_tts.batch.tables import FAILED, OK, SUSPECT, Done, Table
from mlx_tts.errors import AudioError, MlxTtsError, RequestError
from mlx_tts.files.writing import BusyError
from mlx_tts.samples import Samples
from mlx_tts.setting import updated

MOST_FAILURES = 20  # lines in a row that fail by no fault of their own: then the machine is at fault
FULL_BYTES = 1_000_000  # a disk with less is full
BUSY_SECONDS = 0.2  # how often a line is asked for that another run works on
ResultRow = dict[str, Any]
Verify = Callable[[Samples, int, str, str], tuple[str, int]]  # sound, rate, text, language -> words, how many are wrong
COLUMNS = (
    *("file", "seconds", "bytes", "sha256", "text", "spoken", "voice", "language", "model", "seed"),
    *("pieces", "lufs", "peak", "guard", "words", "wrong_words", "worker", "machine", "at", "key"),
)


class StoppedError(MlxTtsError):
    """The run cannot go on; what is done is kept."""


@dataclass
class LineWorker:
    """One process that makes files. machine: what the table says of where they were made. taken_over: ids of lines
    whose machine is lost: what it claimed may stay claimed, on a file system that has not missed it yet."""

    folder: Path
    settings: BatchSettings
    roles: Sequence[Role]
    model: Engine
    rows: int
    table: Table
    claims: Claims
    done: Done
    machine: str
    verify: Verify | None = None
    taken_over: frozenset[str] = frozenset()
    made_elsewhere: int = field(default=0, init=False)
    _failures: int = field(default=0, init=False)
    _tried: set[str] = field(default_factory=set, init=False)
    _again: deque[Task] = field(default_factory=deque, init=False)
    _busy: deque[Task] = field(default_factory=deque, init=False)

    def render(self, tasks: Iterator[Task]) -> Generator[ResultRow | None, None, None]:
        """The row of each line when its file is there; None now and then. StoppedError where it makes no sense to go
        on. Two runs in one folder share the lines between them."""
        waiting: deque[Future[ResultRow | None]] = deque()
        with (
            ThreadPoolExecutor(1, "mlx-tts writer") as writer,
            closing(
                speak_lines(self.model, self._claimed(tasks), lambda task: self.roles[task.role], self.rows)
            ) as spoken,
        ):
            for line in spoken:
                if line is not None:
                    waiting.append(writer.submit(self._finish, line))
                while waiting and (waiting[0].done() or len(waiting) > 2 * self.rows):
                    if (row := waiting.popleft().result()) is not None:
                        yield row
                yield None
            for future in waiting:
                if (row := future.result()) is not None:
                    yield row
        if self._again or self._busy:
            yield from self.render(iter(()))

    def close(self) -> None:
        self.table.close()
        self.claims.close()
        self.model.close()

    def _claimed(self, tasks: Iterator[Task]) -> Iterator[Task | None]:
        """The tasks that nobody else works on; last those that somebody did, unless they are done by then."""
        again, self._again = self._again, deque()
        for task in chain(again, tasks):
            if self._claim(task):
                yield task
        asked = 0.0
        while self._busy:
            if time.monotonic() - asked < BUSY_SECONDS:
                yield None
                continue
            asked = time.monotonic()
            for _ in range(len(self._busy)):
                task = self._busy.popleft()
                if self._claim(task):
                    yield task

    def _claim(self, task: Task) -> bool:
        if not self.claims.take(task.line.id) and task.line.id not in self.taken_over:
            self._busy.append(task)
            return False
        if self.done.has_now(task.line, task.path):
            self.claims.release(task.line.id)
            self.made_elsewhere += 1
            return False
        return True

    # On the writer's thread.

    def _finish(self, line: SpokenLine) -> ResultRow | None:
        """Write the file and its row; None for a line that is tried again."""
        task = line.task
        try:
            if line.error is not None:
                raise line.error
            row = self._written(line)
            self._failures = 0
        except BusyError:
            self.claims.release(task.line.id)
            self._busy.append(task)
            return None
        except StoppedError:
            raise
        except Exception as error:  # noqa: BLE001 (whatever it is, it ends this line alone)
            if not self._is_final(error, task):
                self._again.append(task)
                return None
            row = self._failed(task, error)
        try:
            self.table.add(row)
        except AudioError:
            self._must_have_room()
            raise
        self.claims.release(task.line.id)
        return row

    def _must_have_room(self) -> None:
        if shutil.disk_usage(self.folder).free < FULL_BYTES:
            raise StoppedError(f"the disk of {self.folder} is full: make room and run it again, what is done is kept")

    def _is_final(self, error: Exception, task: Task) -> bool:
        """Whether trying again would not help. A fault of the machine can hit all lines that are in work."""
        if isinstance(error, RequestError):
            return True
        self._failures += 1
        if isinstance(error, AudioError):
            self._must_have_room()
        if self._failures >= MOST_FAILURES:
            raise StoppedError(f"{MOST_FAILURES} lines failed one after the other, the last one because {error}")
        if task.line.id in self._tried:
            return True
        self._tried.add(task.line.id)
        return False

    def _written(self, line: SpokenLine) -> ResultRow:
        task, role = line.task, line.role
        reports = [c.report for chunks in line.chunks.values() for c in chunks if c.report is not None]
        spoken = [(piece, line.chunks.get(piece.number, [])) for piece in line.pieces]
        settings = updated(role.settings, task.line.asked)
        sound = make_sound(spoken, self.model.info.sample_rate, role.request.language, settings)
        if not len(sound.samples):
            raise MlxTtsError("the model said nothing")
        path = self.folder / task.path
        if "/" in task.path:
            path.parent.mkdir(exist_ok=True)
        size, digest = write_sound(path, sound)
        said = " ".join(piece.spoken for piece in line.pieces)
        words, wrong, guard = None, None, guard_of(reports)
        if self.verify is not None:
            words, wrong = self.verify(sound.samples, sound.rate, said, role.request.language)
        return {
            **self._row(task, OK if guard["kept_fault"] is None else SUSPECT),
            "file": task.path,
            "seconds": round(len(sound.samples) / sound.rate, 3),
            "bytes": size,
            "sha256": digest,
            "spoken": said,
            "pieces": len(line.pieces),
            "lufs": sound.lufs,
            "peak": sound.peak,
            "guard": guard,
            "words": words,
            "wrong_words": wrong,
        }

    def _failed(self, task: Task, error: Exception) -> ResultRow:
        text = str(error) or type(error).__name__
        return {**self._row(task, FAILED), "error": " ".join(text.split())[:500]}

    def _row(self, task: Task, status: str) -> ResultRow:
        role = self.roles[task.role]
        return {
            **empty_row(task.line.id, task.line.number, status),
            "text": task.line.text,
            "voice": role.voice_name,
            "language": role.request.language,
            "model": role.model,
            "seed": task.seed,
            "key": task.line.key,
            "worker": self.table.worker,
            "machine": self.machine,
            "at": round(time.time(), 3),
        }


def empty_row(name: str | None, number: int, status: str, error: str | None = None) -> ResultRow:
    """Every column of a result, in its order."""
    return {"id": name, "line": number, "status": status, "error": error, **dict.fromkeys(COLUMNS)}
