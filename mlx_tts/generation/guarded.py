"""One request on its way through the engine: its takes, what is decoded of them, and which of it may leave.

A take is one attempt at the utterance. The guard watches it; a take that goes wrong is made again with other random
numbers (another take number), as long as nothing of it has left. Live audio cannot be recalled, so the first chunk is
three frames that passed the guard; low_latency sends the first frame immediately.

On a CPU a stream that nobody has heard yet goes before those that are ahead (`is_hurried`, `gives_way`): there each row
of a step and each piece of sound takes its time. Nothing of a row depends on when it has its turn: its frames and its
sound are handed to its guard in the same order in any company.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlx_tts.generation.guard import Fault, QualityMonitor, better, fade_out, frame_budget, is_of_the_text
from mlx_tts.generation.signs import TellsOfTakes, barely_strayed, misspoken
from mlx_tts.generation.stream import Delivery, SpeechStream
from mlx_tts.generation.synthesizer import Frame, FrameBlock, Repeats, Row, Synthesizer
from mlx_tts.runtime.device import policy
from mlx_tts.samples import Samples
from mlx_tts.speech import AudioChunk, CheckedRequest, GuardReport, Mark
from mlx_tts.text.phonemes.phones import written

# Frames a piece: sound soon, then fewer and larger steps; the last repeats. Where the guard looks first, a single frame
# would wait for the next two anyway, and decoding it alone would keep the others waiting.
CHUNK_FRAMES = (3, 4, 8, 12)
# With low latency a piece must be made while the one before it plays. That is short: half of the first frame is
# silence, and a screen reader speaks fast. So pieces grow slowly.
LOW_LATENCY_FRAMES = (1, 1, 1, 1, 1, 2, 2, 2, 4, 4, 8, 12)
UNREAD_SECONDS = 20.0  # a live stream that is so far ahead of its reader waits
FADE_SECONDS = 0.03
LEAST_AHEAD_SECONDS = 0.15  # of sound that a listener keeps, however much others are helped first
PACE = 0.5  # of real time: what a frame of the listener's next sound may take
COURTESY_SECONDS = 2.0  # how long a first sound waits for those of clients that have fewer rows, or far shorter texts
FAR_LONGER, LEAST_LONG_BYTES = 4, 150  # a text of so many times as many bytes as another is far longer, from so many on


@dataclass
class Take:
    """One attempt. launched: steps on their way or read. piece_frames: of the piece in work, so far. pending: those of
    them that nobody decodes yet. sound: of those that are decoded. early: frames that were read before the guard heard
    the piece before them. chunks: sound of whole pieces, not yet given."""

    number: int
    state: Any
    monitor: QualityMonitor | None
    limit: int
    row: Row | None = None
    launched: int = 0
    frames: list[Frame] = field(default_factory=list)
    piece_frames: int = 0
    pending: list[Frame] = field(default_factory=list)
    sound: list[Samples] = field(default_factory=list)
    early: list[Frame | None] = field(default_factory=list)
    chunks: list[Samples] = field(default_factory=list)
    decoded_chunks: int = 0
    given_frames: int = 0
    fault: Fault | None = None
    over: bool = False

    def cut(self, frames: int) -> tuple[NDArray[Any], Any]:
        """So many of the pending frames, which are to be decoded now, and the decoder's state before them."""
        piece, self.pending = np.stack(self.pending[:frames]), self.pending[frames:]
        return piece, self.state

    @property
    def good_frames(self) -> int:
        return len(self.frames) if self.fault is None else min(self.fault.good_frames, len(self.frames))

    @property
    def is_under_way(self) -> bool:
        """Whether a frame of it is being made."""
        return self.launched > len(self.frames) + len(self.early)


class EarlierRun:
    """What was made of a request before, and what is kept of it now. Nothing for text that still arrives, and where the
    model cannot repeat frames."""

    def __init__(self, synthesizer: Synthesizer, request: CheckedRequest):
        kept = request.unfinished if request.growing is None else None
        self._repeats = synthesizer if kept is not None and isinstance(synthesizer, Repeats) else None
        self._kept, self._seed, self._frames = kept, request.seed, 0

    def begin(self, prepared: Any) -> Generator[int, None, Row] | None:
        """The first take, with the frames of the earlier run; None where there are none."""
        if self._repeats is None or self._kept is None or self._seed is None:
            return None
        frames = self._kept.read(self._seed)
        if frames is None:
            return None
        self._frames = len(frames)
        return self._repeats.repeat(prepared, frames)

    def keep(self, frames: Sequence[Frame]) -> None:
        """All frames of the first take so far; fewer than an earlier run kept are of no use."""
        if self._repeats is None or self._kept is None or self._seed is None:
            return
        if len(frames) > self._frames:
            self._kept.write(self._seed, np.stack(frames))


class GuardedGeneration:
    """The request, its stream, the take in work and the ones that failed."""

    def __init__(
        self, synthesizer: Synthesizer, request: CheckedRequest, delivery: Delivery, stream: SpeechStream, prepared: Any
    ):
        self.synthesizer, self.request, self.delivery, self.stream = synthesizer, request, delivery, stream
        self.prepared = prepared
        self.info = synthesizer.info
        self.failed: list[Take] = []
        self.beginning: Generator[int, None, Row] | None = None
        self.prompt_waits = False  # for text that still arrives
        self.earlier = EarlierRun(synthesizer, request)
        self.came = time.monotonic()
        self.text_bytes = len(request.text.encode("utf-8", "surrogatepass"))
        self.take = self._new_take()

    @property
    def runnable(self) -> bool:
        """Whether the next step may include this row."""
        take = self.take
        if take.row is None or take.over or take.launched >= take.limit or not take.row.ready:
            return False
        if self.due_frames and len(take.early) >= policy().early_frames:
            return False
        return not self.delivery.live or self.stream.unread_seconds < UNREAD_SECONDS

    def read_prompt(self) -> int:
        """Let the model read a block of the prompt; the positions that it read."""
        assert self.beginning is not None
        try:
            positions = next(self.beginning)
        except StopIteration as done:
            self.beginning, self.take.row, self.prompt_waits = None, done.value, False
            return 0
        self.prompt_waits = positions == 0
        return positions

    @property
    def may_read_prompt(self) -> bool:
        return self.beginning is not None and not self.prompt_waits

    @property
    def is_waiting_for_text(self) -> bool:
        return self.prompt_waits or (self.take.row is not None and not self.take.row.ready)

    def _new_take(self) -> Take:
        request, number = self.request, len(self.failed)
        limit = request.max_frames or self.synthesizer.most_frames(request)
        monitor = None
        if request.guarded:
            budget = limit if request.growing is not None else self._budget(request.text)
            monitor = QualityMonitor(written(request.text), self.info.frame_rate, self.info.frame_samples, budget)
            limit = min(limit, budget)
        self.beginning = self.earlier.begin(self.prepared) if number == 0 else None
        self.beginning = self.beginning or self.synthesizer.begin(self.prepared, number)
        return Take(number, self.synthesizer.decoder_state(self.prepared), monitor, limit)

    def keep_unfinished(self) -> None:
        """The request is stopped: keep the frames of its first take. A later take depends on those that failed before
        it, so there all begins again."""
        if not self.take.number and not self.take.over:
            self.earlier.keep(self.take.frames)

    def _budget(self, text: str) -> int:
        return frame_budget(text, self.info.frame_rate, instructed=self.request.instruct is not None)

    def on_frame(self, frame: Frame | None) -> None:
        """Take in what a step made of this row; None is the end. The guard hears a piece before it sees what follows,
        also where the piece has to wait for its turn: what it finds depends on nobody else."""
        take = self.take
        if take.piece_frames >= self.piece_frames:
            take.early.append(frame)
            self.stream.frames = len(take.frames) + len(take.early)
            return
        if frame is None:
            take.over = True
            return
        take.frames.append(frame)
        self.stream.frames = max(self.stream.frames, len(take.frames))
        if not self.delivery.silent or take.monitor is not None:
            take.pending.append(frame)
            take.piece_frames += 1
        if take.monitor is not None:
            growing = self.request.growing
            if growing is not None and growing.complete:
                take.monitor.text = written(growing.text)
                take.monitor.limit = min(take.monitor.limit, self._budget(growing.text))
            take.fault = take.monitor.on_frame(frame)
        if take.fault is not None or len(take.frames) >= take.limit:
            take.over = True

    def on_block(self, block: FrameBlock) -> None:
        """Take in frames that came at once. They become sound together: there is nothing to wait for."""
        take = self.take
        frames = list(block.frames[: take.limit - len(take.frames)])
        take.frames += frames
        self.stream.frames = max(self.stream.frames, len(take.frames))
        if not self.delivery.silent or take.monitor is not None:
            take.pending += frames
            take.piece_frames = max(self.piece_frames, take.piece_frames + len(frames))
        for frame in frames if take.monitor is not None and take.fault is None else ():
            assert take.monitor is not None
            take.fault = take.fault or take.monitor.on_frame(frame)
        take.over = block.last or take.fault is not None or len(take.frames) >= take.limit

    @property
    def piece_frames(self) -> int:
        """How many frames the next piece of sound has, unless the take ends before."""
        sizes = LOW_LATENCY_FRAMES if self.delivery.low_latency else CHUNK_FRAMES
        return sizes[min(self.take.decoded_chunks, len(sizes) - 1)]

    @property
    def due_frames(self) -> int:
        """How many frames are to be decoded now: a piece, or as much of it as is best decoded in one call."""
        take, most = self.take, self.synthesizer.decoded_frames
        is_whole = take.over or take.piece_frames >= self.piece_frames
        return min(len(take.pending), most) if is_whole or len(take.pending) >= most else 0

    def on_audio(self, samples: Samples, state: Any) -> None:
        """The sound of a piece or of the next part of it. The guard hears pieces: what it says must not depend on how
        much a device decodes at once."""
        take = self.take
        take.state = state
        take.sound.append(samples)
        self.stream.decoded_frames = len(take.frames) - len(take.pending)
        if not take.pending and (take.over or take.piece_frames >= self.piece_frames):
            self._hear_piece()

    def _hear_piece(self) -> None:
        take = self.take
        samples = np.concatenate(take.sound) if len(take.sound) > 1 else take.sound[0]
        take.sound, take.piece_frames = [], 0
        take.decoded_chunks += 1
        take.chunks.append(samples)
        if take.monitor is not None:
            heard = take.monitor.on_audio(samples)
            take.fault = take.fault or heard
            take.over = take.over or take.fault is not None

    def look_ahead(self) -> None:
        """Behind the last sound of a take that is sent, have the device compute what the guard will ask when it has
        heard it: asked only then, it would come behind the next step of all rows, and the host would wait for both."""
        take = self.take
        if take.row is None or not take.over or take.pending or take.fault is not None or not policy().looks_ahead:
            return
        if isinstance(self.synthesizer, TellsOfTakes):
            self.synthesizer.look(take.row, np.stack(take.frames))

    def take_in_early(self) -> None:
        """Take in what waited for the guard."""
        early, self.take.early = self.take.early, []
        for frame in early:
            if not self.take.over:
                self.on_frame(frame)

    def deliver(self) -> bool:
        """Give away what may leave; True when the request is over."""
        if not self.take.over or self.take.pending:
            self._give_live()
            return False
        if self.take.sound:  # it ended where a part of a piece did
            self._hear_piece()
        self._judge_end()
        if self.take.fault is not None and self._may_retry():
            self.failed.append(self.take)
            self.stream.vain_frames += self.stream.frames
            self.stream.frames = self.stream.decoded_frames = 0
            self.take = self._new_take()
            return False
        self._finish()
        return True

    def flush(self) -> None:
        """Give what is decoded, although the take has not ended: somebody interrupts and wants what is there."""
        for samples in (*self.take.chunks, *self.take.sound):
            self._put(samples)
        self.take.chunks, self.take.sound = [], []

    def _give_live(self) -> None:
        take = self.take
        if not self.delivery.live:
            return
        for samples in take.chunks:
            take.given_frames += len(samples) // self.info.frame_samples
            self._put(samples)
        take.chunks.clear()

    def _judge_end(self) -> None:
        """See whether the end itself is right, unless the caller's own limit made it."""
        take = self.take
        if take.monitor is None or take.fault is not None or len(take.frames) == self.request.max_frames:
            return
        take.fault = take.monitor.on_end()
        if take.fault is None and take.row is not None and take.frames and isinstance(self.synthesizer, TellsOfTakes):
            signs = self.synthesizer.signs(take.row, np.stack(take.frames))
            reason = misspoken(signs, self.info.frame_rate)
            if reason is not None:
                take.fault = Fault(reason, len(take.frames), barely_strayed(signs, self.info.frame_rate))

    def _may_retry(self) -> bool:
        # a greedy take would come out the same
        greedy = getattr(self.request.params, "greedy", False)
        return not self.take.given_frames and not greedy and len(self.failed) < self.request.retries

    def _finish(self) -> None:
        """Give away the rest of the take, or of the best one where all have a fault."""
        best = self.take
        for other in self.failed if best.fault is not None else ():
            if better(other.good_frames, best.good_frames, written(self.request.text), self.info.frame_rate):
                best = other
        reasons = tuple(take.fault.reason for take in self.failed if take.fault is not None)
        if is_of_the_text([take.fault for take in (*self.failed, self.take) if take.fault is not None]):
            best.fault = None
        is_whole = best.good_frames == len(best.frames)
        kept_fault = None if best.fault is None else best.fault.reason
        report = GuardReport(len(self.failed) + 1, reasons, kept_fault, is_whole and kept_fault is not None)
        chunks = best.chunks if is_whole else self._cut(best)
        if best.fault is not None and chunks:
            chunks = [*chunks[:-1], fade_out(chunks[-1], self.info.sample_rate)]
        self.stream.codes = np.stack(best.frames[: best.good_frames]) if best.good_frames else None
        if best.row is not None:
            self.stream.continuation = self.synthesizer.continuation(best.row)
        marks: tuple[Mark, ...] = ()
        if best.row is not None and self.stream.codes is not None and not self.delivery.silent:
            marks = self.synthesizer.marks(best.row, self.stream.codes)
        for samples in chunks[:-1]:
            self._put(samples)
        self._put(chunks[-1] if chunks else np.zeros(0, np.float32), report, marks)

    def _cut(self, take: Take) -> list[Samples]:
        """What is worth giving of a bad take; where the good end has already left, a blink of what followed to fade."""
        rest = np.concatenate(take.chunks) if take.chunks else np.zeros(0, np.float32)
        frames = take.good_frames - take.given_frames
        samples = frames * self.info.frame_samples if frames > 0 else round(FADE_SECONDS * self.info.sample_rate)
        return [rest[:samples]]

    def _put(self, samples: Samples, report: GuardReport | None = None, marks: tuple[Mark, ...] = ()) -> None:
        self.stream.put(AudioChunk(samples, self.info.sample_rate, report, marks))


def is_hurried(generation: GuardedGeneration) -> bool:
    """Whether somebody hears nothing until this row has made its first sound."""
    delivery, take = generation.delivery, generation.take
    if not delivery.live or delivery.silent or take.over or take.decoded_chunks:
        return False
    return generation.stream.ahead_seconds == 0


def somebody_is_hurried(working: Sequence[GuardedGeneration], ready: Sequence[GuardedGeneration] = ()) -> bool:
    """Whether a hurried row comes nearer to its sound now: one that only waits for its text holds up nobody.
    ready: those that may have the next step."""
    return any(is_hurried(g) and (g in ready or _comes_nearer(g)) for g in working)


def _comes_nearer(generation: GuardedGeneration) -> bool:
    """Whether something is done for a row's next sound without another step."""
    return bool(generation.take.is_under_way or generation.may_read_prompt or generation.due_frames)


def kept_back(working: Sequence[GuardedGeneration], ready: Sequence[GuardedGeneration] = ()) -> list[GuardedGeneration]:
    """The hurried rows of clients that have more rows than somebody else whose first sound is being made: one who sends
    many requests at once makes nobody wait for all of them. Of clients with as many rows, those with far longer texts:
    a long prompt takes as long to read as many short ones. ready: those that may have the next step, besides those
    whose whole text is there."""
    hurried = [g for g in working if is_hurried(g)]
    if len({g.delivery.client for g in hurried}) < 2:
        return []
    rows = Counter(g.delivery.client for g in working)
    nearer = [
        g for g in hurried if g in ready or _comes_nearer(g) or (g.take.row is not None and g.request.growing is None)
    ]
    fewest = min((rows[g.delivery.client] for g in nearer), default=0)
    latest = time.monotonic() - COURTESY_SECONDS
    shortest = min((g.text_bytes for g in nearer), default=0)
    longest = max(LEAST_LONG_BYTES, FAR_LONGER * shortest)
    return [
        g
        for g in hurried
        if g.came > latest and fewest > 0 and (rows[g.delivery.client] > fewest or g.text_bytes > longest)
    ]


def first_sound_is_under_way(generation: GuardedGeneration) -> bool:
    """Whether all frames of a hurried row's next sound were sent to the device, so that no step should come before it.
    The next sound is the first one; on a CPU with low latency also each later one, as long as the listener has little.
    Half of the first frame is silence, and at another speed than 1 what is heard of it comes with the second.
    """
    delivery, take, stream = generation.delivery, generation.take, generation.stream
    if delivery.low_latency and take.decoded_chunks >= 1 and policy().hurries_first_sounds:
        waits = delivery.live and not delivery.silent and not take.over and stream.ahead_seconds < LEAST_AHEAD_SECONDS
        return waits and take.launched >= stream.decoded_frames + generation.piece_frames
    return is_hurried(generation) and take.launched >= generation.piece_frames


def gives_way(generation: GuardedGeneration) -> bool:
    """Whether a row may wait a little: its listener has sound until its next piece is made, and some to spare."""
    if not generation.delivery.live or generation.take.over:
        return False
    missing = max(0, generation.piece_frames - len(generation.take.pending))
    needed = LEAST_AHEAD_SECONDS + PACE * missing / generation.info.frame_rate
    return generation.stream.ahead_seconds > needed
