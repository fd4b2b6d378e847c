"""Requests in, guarded sound and codes out: runs the decode loop, decodes its frames, and has bad takes drawn again."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import mlx.core as mx
import numpy as np

from mlx_tts.generation.guard import Fault, QualityMonitor, better, fade_out, frame_budget
from mlx_tts.generation.sampling import SamplingParams
from mlx_tts.models.qwen3_tts.codec.decoder import CodecDecoder
from mlx_tts.models.qwen3_tts.frames import FrameLoop, Utterance
from mlx_tts.speech import Codes, GuardReport, ModelInfo, NumberedRequests, Samples, SpeechRequest, Voice

CHUNK_FRAMES = (1, 2, 4, 8, 12)  # frames a piece: sound soon, then fewer and larger steps; the last repeats
PRIME_FRAMES = 25  # reference frames fed to the codec at once: a long reference then needs little memory
TAKE_BITS = 32  # a take's number stands above the utterance's in the address of its draws
IDLE_SECONDS = 0.01  # how often a source that has nothing just now is asked again


@dataclass(frozen=True)
class Part:
    """Some speech of one utterance; with its last part come the report and all codes [T, K] that were kept."""

    number: int
    samples: Samples
    report: GuardReport | None = None
    codes: Codes | None = None


@dataclass
class _Take:
    """One attempt at an utterance. pending: frames not yet decoded. chunks: decoded and not yet given away."""

    number: int
    request: SpeechRequest
    utterance: Utterance
    monitor: QualityMonitor | None
    state: Any
    failed: list[_Take] = field(default_factory=list)  # earlier takes, all in fault
    codes: list[Codes] = field(default_factory=list)
    pending: list[Codes] = field(default_factory=list)
    chunks: list[Samples] = field(default_factory=list)
    decoded_chunks: int = 0
    given_frames: int = 0
    fault: Fault | None = None

    @property
    def good_frames(self) -> int:
        return len(self.codes) if self.fault is None else min(self.fault.good_frames, len(self.codes))


@dataclass(frozen=True)
class Stage:
    """What takes are made with. prepare: checked request, number -> its utterance. sampling_of: how it is drawn."""

    info: ModelInfo
    loop: FrameLoop
    decoder: CodecDecoder
    prepare: Callable[[SpeechRequest, int], Utterance]
    sampling_of: Callable[[SpeechRequest], SamplingParams]

    @property
    def frame_samples(self) -> int:
        return round(self.info.sample_rate / self.info.frame_rate)


class _Feed:
    """What the decode loop reads: redraws before new utterances. Ending may be for now only: `over` tells."""

    def __init__(self, requests: NumberedRequests, begin: Callable[[int, SpeechRequest], _Take]):
        self.requests, self.begin = requests, begin
        self.redraws: deque[_Take] = deque()
        self.takes: dict[int, _Take] = {}
        self.over = False

    def __iter__(self) -> _Feed:
        return self

    def __next__(self) -> Utterance:
        if self.redraws:
            take = self.redraws.popleft()
        else:
            try:
                asked = next(self.requests)
            except StopIteration:
                self.over = True
                raise
            if asked is None:
                raise StopIteration
            take = self.begin(*asked)
        self.takes[take.utterance.index] = take
        return take.utterance


class Takes:
    """Speaks requests, `rows` side by side. live: sound leaves as it is made, and what has left is never said again, so
    only the first chunk is held back (not even it with low_latency); else an utterance leaves when it is good.
    silent: the codes alone are wanted; unwatched takes are then not decoded."""

    def __init__(
        self, stage: Stage, rows: int = 1, live: bool = False, low_latency: bool = False, silent: bool = False
    ):
        self.stage, self.rows, self.live, self.silent = stage, rows, live, silent
        self.held_chunks = 0 if low_latency else 1

    def run(self, requests: NumberedRequests) -> Iterator[Part]:
        feed = _Feed(requests, self._begin)
        while True:
            first = next(feed, None)
            if first is None:
                if feed.over:
                    return
                time.sleep(IDLE_SECONDS)
                continue
            drawing = self.stage.sampling_of(feed.takes[first.index].request)
            feed.redraws.appendleft(feed.takes[first.index])
            yield from self._run_loop(feed, drawing)

    def _run_loop(self, feed: _Feed, drawing: SamplingParams) -> Iterator[Part]:
        steps = self.stage.loop.run(feed, drawing, self.rows)
        try:
            item = next(steps, None)
            while item is not None:
                index, frame = item
                take = feed.takes[index]
                stop = False
                if frame is not None:
                    stop = self._frame(take, frame)
                    if not stop:
                        yield from self._give(take)
                else:
                    del feed.takes[index]
                    self._finish(take)
                    if take.fault is not None and self._may_redraw(take, drawing):
                        feed.redraws.append(self._again(take))
                    else:
                        yield from self._settle(take)
                try:
                    item = steps.send(stop)
                except StopIteration:
                    item = None
        except (KeyboardInterrupt, Exception):
            # Whoever interrupts wants what is there: the oldest take's sound leaves before the error does.
            for take in sorted(feed.takes.values(), key=lambda take: take.number)[:1]:
                for samples in take.chunks:
                    yield Part(take.number, samples)
            raise
        finally:
            steps.close()

    def _begin(self, number: int, request: SpeechRequest) -> _Take:
        utterance = self.stage.prepare(request, number)
        monitor = None
        if request.guarded:
            limit = utterance.max_frames if request.growing is not None else self._budget(request, request.text)
            monitor = QualityMonitor(request.text, self.stage.info.frame_rate, self.stage.frame_samples, limit)
            utterance = replace(utterance, max_frames=min(utterance.max_frames, limit))
        return _Take(number, request, utterance, monitor, self._primed(request))

    def _budget(self, request: SpeechRequest, text: str) -> int:
        return frame_budget(text, self.stage.info.frame_rate, instructed=request.instruct is not None)

    def _again(self, take: _Take) -> _Take:
        failed = [*take.failed, take]
        utterance = replace(take.utterance, index=take.number | len(failed) << TAKE_BITS)
        monitor = take.monitor and QualityMonitor(
            take.monitor.text, take.monitor.frame_rate, take.monitor.frame_samples, take.monitor.limit
        )
        return _Take(take.number, take.request, utterance, monitor, self._primed(take.request), failed)

    def _primed(self, request: SpeechRequest) -> Any:
        """The codec's state before the first new frame: an in-context clone's reference frames have gone through it."""
        state = self.stage.decoder.make_state()
        if isinstance(request.voice, Voice) and request.voice.reference_codes is not None:
            codes = request.voice.reference_codes
            for at in range(0, len(codes), PRIME_FRAMES):
                _, state = self.stage.decoder.step(mx.array(codes[None, at : at + PRIME_FRAMES]), state)
                mx.eval(state)
        return state

    def _frame(self, take: _Take, frame: Codes) -> bool:
        """Take in one frame; True stops the take."""
        take.codes.append(frame)
        take.pending.append(frame)
        if take.monitor is not None:
            if take.request.growing is not None and take.request.growing.complete:
                take.monitor.text = take.request.growing.text
                take.monitor.limit = min(take.monitor.limit, self._budget(take.request, take.monitor.text))
            take.fault = take.monitor.on_frame(frame)
        if len(take.pending) == CHUNK_FRAMES[min(take.decoded_chunks, len(CHUNK_FRAMES) - 1)]:
            self._decode(take)
        return take.fault is not None

    def _decode(self, take: _Take) -> None:
        if not take.pending or (self.silent and take.monitor is None):
            take.pending.clear()
            return
        samples, take.state = self.stage.decoder.step(mx.array(np.stack(take.pending)[None]), take.state)
        mx.eval(samples, take.state)
        take.pending.clear()
        take.decoded_chunks += 1
        take.chunks.append(np.array(samples[0], dtype=np.float32))
        if take.monitor is not None:
            heard = take.monitor.on_audio(take.chunks[-1])
            take.fault = take.fault or heard

    def _give(self, take: _Take) -> Iterator[Part]:
        """Live: what may leave before the take has ended."""
        held = 0 if take.monitor is None or take.given_frames else self.held_chunks
        if not self.live or len(take.chunks) <= held:
            return
        for samples in take.chunks:
            take.given_frames += len(samples) // self.stage.frame_samples
            yield Part(take.number, samples)
        take.chunks.clear()

    def _finish(self, take: _Take) -> None:
        """Decode what is left; see whether the end itself is right, unless the caller's own limit made it."""
        self._decode(take)
        if take.monitor is not None and take.fault is None and len(take.codes) != take.request.max_frames:
            take.fault = take.monitor.on_end()

    def _may_redraw(self, take: _Take, drawing: SamplingParams) -> bool:
        # a greedy take would come out the same
        return not take.given_frames and not drawing.greedy and len(take.failed) < take.request.retries

    def _settle(self, take: _Take) -> Iterator[Part]:
        """Give away the rest of the take, or of the best one where all are in fault."""
        best = take
        if take.fault is not None:
            rate = self.stage.info.frame_rate
            for other in take.failed:
                if better(other.good_frames, best.good_frames, take.request.text, rate):
                    best = other
        reasons = tuple(other.fault.reason for other in take.failed if other.fault is not None)
        report = GuardReport(len(take.failed) + 1, reasons, best.fault.reason if best.fault else None)
        width = self.stage.info.codebooks
        codes = np.stack(best.codes[: best.good_frames]) if best.good_frames else np.zeros((0, width), np.int32)
        chunks = best.chunks if best.good_frames == len(best.codes) else self._cut(best)
        if best.fault is not None and chunks:
            chunks = [*chunks[:-1], fade_out(chunks[-1], self.stage.info.sample_rate)]
        for samples in chunks[:-1]:
            yield Part(take.number, samples)
        last = chunks[-1] if chunks else np.zeros(0, np.float32)
        yield Part(take.number, last, report, codes)

    def _cut(self, take: _Take) -> list[Samples]:
        """What is worth giving of a bad take; where the good end has already left, a blink of what followed to fade."""
        rest = np.concatenate(take.chunks) if take.chunks else np.zeros(0, np.float32)
        frames = take.good_frames - take.given_frames
        samples = frames * self.stage.frame_samples if frames > 0 else round(0.03 * self.stage.info.sample_rate)
        return [rest[:samples]]
