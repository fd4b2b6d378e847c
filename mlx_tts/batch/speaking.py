"""Tasks in, spoken lines out as they are finished: their pieces side by side in the engine, an error ends its own line.

Unlike `stream_many`, which ends with the first error, and whose numbers change what is sampled.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mlx_tts.batch.plan import Role, Task
from mlx_tts.generation.stream import SpeechStream
from mlx_tts.job import prepare
from mlx_tts.narration.narrate import PieceStreams
from mlx_tts.narration.plan import Check
from mlx_tts.narration.time_left import TimeLeft
from mlx_tts.speech import AudioChunk, ModelInfo
from mlx_tts.text.cutting.pace import expected_seconds
from mlx_tts.text.cutting.pieces import Piece

if TYPE_CHECKING:
    from mlx_tts.api import TextToSpeech

AHEAD = 2  # requests that wait in the engine, so that no row is empty while the next one is prepared
LOOK_SECONDS = 0.5  # how often a caller who waits may look at other things


@dataclass(eq=False)
class SpokenLine:
    """A line with the sound of its pieces, or with the error that ended it."""

    task: Task
    role: Role
    pieces: list[Piece] = field(default_factory=list)
    chunks: dict[int, list[AudioChunk]] = field(default_factory=dict)
    error: Exception | None = None


def pieces_of(text: str, role: Role, info: ModelInfo, check: Check) -> list[Piece]:
    """The text of a line, read and cut; RequestError where the model cannot say it."""
    settings, check = role.settings, prepare.part_check(check, info)
    chapters, _ = role.chapters_of(text, info, check)
    plan = prepare.plan(settings, info, role.request, chapters, prepare.narration_options(settings), check)
    prepare.must_speak_text(plan, info, role.model)
    return plan.pieces or []


def speak_lines(
    model: TextToSpeech,
    tasks: Iterator[Task | None],
    role_of: Callable[[Task], Role],
    rows: int,
    left: TimeLeft | None = None,
) -> Generator[SpokenLine | None, None, None]:
    """Speak the tasks. None comes out where nothing is finished yet, so that the caller can look at other things, and
    goes in where there is nothing to begin just now. Closing the iterator ends what is in work. left: is told of the
    pieces in work."""
    work = _Work(model, tasks, role_of, rows, left)
    try:
        while work.goes_on():
            finished = work.finished()
            yield from finished
            if not finished:
                yield None
    finally:
        work.close()


class _Work:
    def __init__(
        self,
        model: TextToSpeech,
        tasks: Iterator[Task | None],
        role_of: Callable[[Task], Role],
        rows: int,
        left: TimeLeft | None,
    ):
        self._model, self._tasks, self._role_of, self._rows = model, tasks, role_of, rows
        self._left = left
        self._more = True
        self._begun: list[tuple[SpokenLine, PieceStreams]] = []
        self._over: list[SpokenLine] = []
        self._condition = threading.Condition()

    def goes_on(self) -> bool:
        """Fill the engine; whether there is anything to wait for."""
        while self._open + len(self._over) < self._rows + AHEAD:
            if not (self._submit_one() or self._begin_one()):
                break
        return bool(self._more or self._begun or self._over)

    @property
    def _open(self) -> int:
        return sum(len(streams.open) for _, streams in self._begun)

    def _submit_one(self) -> bool:
        """Submit a piece of a line that is begun, the oldest first."""
        for line, streams in self._begun:
            try:
                if streams.begin_next():
                    return True
            except Exception as error:  # noqa: BLE001 (whatever it is, it is this line's)
                self._end(line, streams, error)
                return True
        return False

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
            line.error = error
            self._over.append(line)
            self._plan_pieces(line, [])
            return True
        self._plan_pieces(line, line.pieces)

        def begun(piece: Piece, stream: SpeechStream) -> None:
            if self._left is not None:
                self._left.begins((task.line.id, piece.number), expected_seconds(piece.spoken), stream)

        request = replace(line.role.request, seed=task.seed)
        streams = PieceStreams(self._model.submit, request, iter(line.pieces), self._model.info, self._condition, begun)
        self._begun.append((line, streams))
        return True

    def _plan_pieces(self, line: SpokenLine, pieces: list[Piece]) -> None:
        """Its pieces wait, or none of them any more, in place of the line."""
        if self._left is not None:
            self._left.drop(line.task.line.id)
            for piece in line.pieces:
                self._left.drop((line.task.line.id, piece.number))
            for piece in pieces:
                self._left.plan((line.task.line.id, piece.number), expected_seconds(piece.spoken))

    def finished(self) -> list[SpokenLine]:
        """The lines that are over now; waits a little if there are none yet."""
        with self._condition:
            if not self._over and not any(streams.has_something for _, streams in self._begun):
                self._condition.wait(LOOK_SECONDS if self._open else 0.05)
        for line, streams in list(self._begun):
            try:
                for piece, _, chunk in streams.take():
                    line.chunks.setdefault(piece.number, []).append(chunk)
                if streams.is_over:
                    self._end(line, streams)
            except Exception as error:  # noqa: BLE001 (whatever it is, it is this line's)
                self._end(line, streams, error)
        over, self._over = self._over, []
        return over

    def _end(self, line: SpokenLine, streams: PieceStreams, error: Exception | None = None) -> None:
        line.error = error
        streams.close()
        self._plan_pieces(line, [])  # those that an error left unspoken
        self._begun.remove((line, streams))
        self._over.append(line)

    def close(self) -> None:
        for _, streams in self._begun:
            streams.close()
