"""Tasks in, spoken lines out as they are finished: their pieces side by side in the engine, an error ends its own line.

Unlike `stream_many`, which ends with the first error, and whose numbers change what is drawn.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from mlx_tts.batch.plan import Task
from mlx_tts.batch.roles import Role
from mlx_tts.job import prepare
from mlx_tts.narration.job import Check
from mlx_tts.narration.narrate import piece_request
from mlx_tts.speech import AudioChunk, CheckedRequest, ModelInfo, SpeechRequest
from mlx_tts.text.cutting.pieces import Piece

AHEAD = 2  # requests that wait in the engine, so that no row is empty while the next one is prepared
LOOK_SECONDS = 0.5  # how often a caller who waits may look at other things


class Engine(Protocol):
    """A loaded model as far as a batch needs it: api.TextToSpeech is one."""

    @property
    def info(self) -> ModelInfo: ...
    @property
    def frames_made(self) -> int: ...
    @property
    def kernel_form(self) -> str: ...
    def check(self, request: SpeechRequest) -> CheckedRequest: ...
    def submit(self, request: Any, *, condition: threading.Condition | None = None, number: int = 0) -> Any: ...
    def serve_rows(self, rows: int | None) -> int: ...
    def close(self) -> None: ...


@dataclass(eq=False)
class SpokenLine:
    """A line with the sound of its pieces, or with the error that ended it."""

    task: Task
    role: Role
    pieces: list[Piece] = field(default_factory=list)
    chunks: dict[int, list[AudioChunk]] = field(default_factory=dict)
    error: Exception | None = None
    waiting: deque[Piece] = field(default_factory=deque)
    working: int = 0
    after: Any = None

    @property
    def is_over(self) -> bool:
        return not self.working and (not self.waiting or self.error is not None)


def pieces_of(text: str, role: Role, info: ModelInfo, check: Check) -> list[Piece]:
    """The text of a line, read and cut; RequestError where the model cannot say it."""
    settings = role.settings
    chapters, options = prepare.chapters_of(settings, text), prepare.narration_options(settings)
    plan = prepare.plan(settings, info, role.request, chapters, options, prepare.part_check(check, info))
    prepare.must_speak_text(plan, info, role.model)
    return plan.pieces or []


def speak_lines(
    model: Engine, tasks: Iterator[Task | None], role_of: Callable[[Task], Role], rows: int
) -> Generator[SpokenLine | None, None, None]:
    """Speak the tasks. None comes out where nothing is finished yet, so that the caller can look at other things, and
    goes in where there is nothing to begin just now. Closing the iterator ends what is in work."""
    work = _Work(model, tasks, role_of, rows)
    try:
        while work.goes_on():
            finished = work.finished()
            yield from finished
            if not finished:
                yield None
    finally:
        work.close()


class _Work:
    def __init__(self, model: Engine, tasks: Iterator[Task | None], role_of: Callable[[Task], Role], rows: int):
        self._model, self._tasks, self._role_of, self._rows = model, tasks, role_of, rows
        self._more = True
        self._begun: list[SpokenLine] = []
        self._over: list[SpokenLine] = []
        self._streams: list[tuple[SpokenLine, Piece, Any]] = []
        self._condition = threading.Condition()

    def goes_on(self) -> bool:
        """Fill the engine; whether there is anything to wait for."""
        while len(self._streams) + len(self._over) < self._rows + AHEAD:
            if not (self._submit_one() or self._begin_one()):
                break
        return bool(self._more or self._streams or self._over)

    def _submit_one(self) -> bool:
        """Submit a piece of a line that is begun, the oldest first."""
        one_after_the_other = self._model.info.can.continues
        for line in self._begun:
            if line.waiting and line.error is None and not (one_after_the_other and line.working):
                self._submit(line, line.waiting.popleft(), one_after_the_other)
                return True
        return False

    def _submit(self, line: SpokenLine, piece: Piece, one_after_the_other: bool) -> None:
        request = replace(piece_request(line.role.request, piece), seed=line.task.seed)
        if one_after_the_other:
            request = replace(request, after=line.after, more=bool(line.waiting))
        number = 0 if one_after_the_other else piece.number
        try:
            stream = self._model.submit(request, condition=self._condition, number=number)
        except Exception as error:  # noqa: BLE001 (whatever it is, it is this line's)
            self._end(line, error)
            return
        line.working += 1
        self._streams.append((line, piece, stream))

    def _begin_one(self) -> bool:
        """Take a task and cut it into pieces."""
        if not self._more:
            return False
        task = next(self._tasks, False)
        if task is False:
            self._more = False
            return False
        if task is None:
            return False
        assert isinstance(task, Task)
        line = SpokenLine(task, self._role_of(task))
        try:
            line.pieces = pieces_of(task.line.text, line.role, self._model.info, self._model.check)
        except Exception as error:  # noqa: BLE001 (whatever it is, it is this line's)
            self._end(line, error)
            return True
        line.waiting.extend(line.pieces)
        self._begun.append(line)
        return True

    def finished(self) -> list[SpokenLine]:
        """The lines that are over now; waits a little if there are none yet."""
        with self._condition:
            if not self._over and not any(stream.has_something for _, _, stream in self._streams):
                self._condition.wait(LOOK_SECONDS if self._streams else 0.05)
            for entry in list(self._streams):
                self._read(*entry)
        over, self._over = self._over, []
        return over

    def _read(self, line: SpokenLine, piece: Piece, stream: Any) -> None:
        """What a stream has. Hold the condition."""
        try:
            while stream.has_something:
                chunk = stream.take()
                if chunk is None:
                    break
                line.chunks.setdefault(piece.number, []).append(chunk)
            else:
                return
            line.after = stream.continuation
        except Exception as error:  # noqa: BLE001 (whatever it is, it is this line's)
            line.error = line.error or error
        self._streams.remove((line, piece, stream))
        line.working -= 1
        if line.is_over:
            self._end(line, line.error)

    def _end(self, line: SpokenLine, error: Exception | None) -> None:
        line.error = error
        if line in self._begun:
            self._begun = [other for other in self._begun if other is not line]
        if line.is_over:
            self._over.append(line)

    def close(self) -> None:
        for _, _, stream in self._streams:
            stream.close()
