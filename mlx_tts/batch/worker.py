"""Tasks in, files and rows of results out: what each worker does, on this machine or on another one.

A worker has its model loaded, and the recogniser that listens, where one does.
"""

from __future__ import annotations

import hashlib
import math
import platform
import shutil
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from mlx_tts import __version__
from mlx_tts.api import TextToSpeech, load_in_best_form
from mlx_tts.audio.effects.limiter import Limiter
from mlx_tts.audio.effects.loudness import LoudnessMeter
from mlx_tts.audio.files import AudioWriter, resample
from mlx_tts.audio.sinks import gain_of
from mlx_tts.batch.plan import Role, StoppedError, Task
from mlx_tts.batch.run_folder import Claims
from mlx_tts.batch.settings import BatchSettings, How
from mlx_tts.batch.speaking import SpokenLine, speak_lines
from mlx_tts.batch.tables import FAILED, OK, SUSPECT, Done, ResultRow, Table, empty_row
from mlx_tts.errors import AudioError, MlxTtsError, RequestError
from mlx_tts.files.writing import BusyError
from mlx_tts.job.prepare import narration_options
from mlx_tts.library import catalog, hub
from mlx_tts.models import families
from mlx_tts.narration.time_left import TimeLeft
from mlx_tts.samples import Samples
from mlx_tts.setting import updated
from mlx_tts.shortened import shortened
from mlx_tts.speech import AudioChunk, GuardReport
from mlx_tts.text.cutting.pieces import Piece
from mlx_tts.text.phonemes.phones import written
from mlx_tts.text.transcripts import count, differences, language_code

MOST_FAILURES = 20  # lines in a row that fail by no fault of their own: then the machine is at fault
FULL_BYTES = 1_000_000  # a disk with less is full
BUSY_SECONDS = 0.2  # how often a line is asked for that another run works on
Verify = Callable[[Samples, int, str, str], tuple[str, int]]  # sound, rate, text, language -> words, how many are wrong


@dataclass
class LineWorker:
    """One process that makes files. machine: what the table says of where they were made. taken_over: ids of lines
    whose machine is lost: what it claimed may stay claimed, on a file system that has not missed it yet. left: is told
    of the pieces in work."""

    folder: Path
    settings: BatchSettings
    roles: Sequence[Role]
    model: TextToSpeech
    rows: int
    table: Table
    claims: Claims
    done: Done
    machine: str
    verify: Verify | None = None
    taken_over: frozenset[str] = frozenset()
    left: TimeLeft | None = None
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
                speak_lines(self.model, self._claimed(tasks), lambda task: self.roles[task.role], self.rows, self.left)
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
            if self.left is not None:
                self.left.drop(task.line.id)
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
            raise MlxTtsError("the model said nothing: try another seed")
        path = self.folder / task.path
        if "/" in task.path:
            path.parent.mkdir(exist_ok=True)
        size, digest = write_sound(path, sound)
        said = " ".join(written(piece.spoken) for piece in line.pieces)
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
        return {**self._row(task, FAILED), "error": shortened(" ".join(text.split()), 500)}

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


def open_worker(
    folder: Path,
    settings: BatchSettings,
    roles: Sequence[Role],
    model_name: str,
    how: How,
    done: Done,
    log: Callable[[str], None],
) -> LineWorker:
    """A worker of this machine for the lines of one model; close it."""
    model, rows = load_model(model_name, how.rows, how.offline, log)
    verify = verifier(settings, log)
    return LineWorker(
        folder, settings, roles, model, rows, Table(folder), Claims(folder), done, machine_of(model), verify
    )


def load_model(name: str, rows: int | None, offline: bool, log: Callable[[str], None]) -> tuple[TextToSpeech, int]:
    """The model, in the form of the kernels that a check on this machine found best, and its rows. It is fetched where
    it is not on disk."""
    folder = hub.fetch(catalog.find(name), offline=offline, log=log)
    checkpoint = families.open_checkpoint(folder)
    model = load_in_best_form(checkpoint, log)
    return model, model.serve_rows(rows)


def machine_of(model: TextToSpeech) -> str:
    """Machine, versions and form of the kernels: on machines of one kind files are equal to the byte."""
    from mlx_tts.runtime.device import gpu_info

    gpu = gpu_info()
    device = "CPU" if gpu is None else str(gpu.get("device_name", "GPU"))
    return (
        f"{platform.system()} {platform.machine()}, {device}, mlx {version('mlx')}, "
        f"mlx-tts {__version__}, {model.kernel_form}"
    )


def verifier(settings: BatchSettings, say: Callable[[str], None]) -> Verify | None:
    """The function, with its recogniser loaded once; None where nobody asked for it."""
    if settings.verify is None:
        return None
    from mlx_tts.audio.recogniser import CHECKS, open_recogniser

    def agrees(what: str) -> bool:
        say(f"{what}: fetching it")
        return True

    recogniser = open_recogniser(settings.verify, agrees, CHECKS)

    def verify(samples: Samples, sample_rate: int, text: str, language: str) -> tuple[str, int]:
        words = recogniser.heard(samples, sample_rate, language_code(language, text)).words
        return words, count(differences(text, words, language))

    return verify


# The sound of a line: pauses, speed, rate, loudness, limit, and what is measured of it.


@dataclass(frozen=True)
class LineSound:
    """The samples [N] of a file, with its loudness and its highest sample; None where it is silent."""

    samples: Samples
    rate: int
    lufs: float | None
    peak: float | None


def make_sound(
    spoken: Sequence[tuple[Piece, Sequence[AudioChunk]]], model_rate: int, language: str, settings: BatchSettings
) -> LineSound:
    """Join the pieces of a line and bring them to the rate and the loudness that are wanted."""
    timeline = narration_options(settings).timeline(model_rate, language)
    placed = [
        (piece.voice, timeline.place(piece, chunk, chunk is chunks[-1])[0])
        for piece, chunks in spoken
        for chunk in chunks
    ]
    target = settings.target_lufs
    if settings.cast is not None and target is not None:
        placed, target = _levelled(placed, model_rate, target), None
    samples = np.concatenate([np.zeros(0, np.float32), *(part for _, part in placed)])
    rate = settings.rate or model_rate
    samples = resample(samples, model_rate, rate)
    if target is not None:
        lufs = _lufs(samples, rate)
        samples = samples * np.float32(1.0 if lufs is None else gain_of(target - lufs))
    if settings.loudness != "off":
        limiter = Limiter(rate)
        samples = np.concatenate([limiter.change(samples), limiter.finish()])
    highest = float(np.abs(samples).max(initial=0.0))
    lufs = _lufs(samples, rate)
    return LineSound(
        samples,
        rate,
        None if lufs is None else round(lufs, 2),
        None if highest <= 0 else round(20 * math.log10(highest), 2),
    )


def _levelled(
    placed: Sequence[tuple[str | None, Samples]], rate: int, target: float
) -> list[tuple[str | None, Samples]]:
    """The parts (voice, samples [N]) with each voice of a cast at the loudness, as `speak` has it."""
    gains: dict[str | None, float] = {}
    for voice in dict.fromkeys(voice for voice, _ in placed):
        lufs = _lufs(np.concatenate([part for own, part in placed if own == voice]), rate)
        gains[voice] = 1.0 if lufs is None else gain_of(target - lufs)
    return [(voice, part * np.float32(gains[voice])) for voice, part in placed]


def _lufs(samples: Samples, rate: int) -> float | None:
    meter = LoudnessMeter(rate)
    meter.add(samples)
    return meter.lufs


def write_sound(path: Path, sound: LineSound) -> tuple[int, str]:
    """Write the file, which has its name only when it is whole. Its bytes, and their SHA-256."""
    writer = AudioWriter(path, sound.rate, durable=False)
    try:
        writer.write(sound.samples)
    except BaseException:
        writer.discard()
        raise
    writer.finish()
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return file.tell(), digest


def guard_of(reports: Sequence[GuardReport]) -> dict[str, Any]:
    """One report of all pieces: takes beyond the first of each, every fault, and what is wrong with what was kept."""
    return {
        "takes": 1 + sum(report.takes - 1 for report in reports),
        "faults": [fault for report in reports for fault in report.faults],
        "kept_fault": next((report.kept_fault for report in reports if report.kept_fault is not None), None),
    }
