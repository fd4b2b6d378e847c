"""The queue: checked requests in, a stream of chunks each out. All callers of one model share it.

`step` runs on the MLX thread, once a frame: newcomers read a block of their prompts, one frame of all rows is sent to
the device, the sound and the frame that were sent before it are read and handed to their requests, pieces that are due
are sent to become sound, and what may leave goes to the streams. Rows join and leave between frames. A request that
fails ends alone; one that is cancelled is gone at the next step; one whose reader stalls waits, and the others go on.
"""

from __future__ import annotations

import threading
from collections import deque

from mlx_tts.errors import MlxTtsError
from mlx_tts.generation.guarded import (
    GuardedGeneration,
    Take,
    first_sound_is_under_way,
    gives_way,
    kept_back,
    somebody_is_hurried,
)
from mlx_tts.generation.sound import SoundUnderWay
from mlx_tts.generation.step_times import StepTimes
from mlx_tts.generation.stream import Delivery, SpeechStream
from mlx_tts.generation.synthesizer import FrameBlock, Step, Synthesizer
from mlx_tts.runtime import blas, mlx_thread
from mlx_tts.runtime.device import policy
from mlx_tts.runtime.memory import keep_weights_resident, let_weights_go
from mlx_tts.speech import CheckedRequest

MOST_DECODED = 1  # groups of pieces in a step on a GPU, besides those that are waited for: the rest gets more company
PROMPT_POSITIONS = 256  # read in one step for newcomers while other rows wait for their next frame
TEXT_POLL_SECONDS = 0.01  # how often a row asks whether the word that it waits for has come
ROW_COST, ROW_COST_ON_GPU = 0.3, 0.1  # of a row that was not measured yet: see StepTimes


class Engine:
    """Runs one Synthesizer for any number of callers. most_rows: requests generated side by side. blas_threads: of a
    product on the CPU; None leaves it."""

    def __init__(self, synthesizer: Synthesizer, most_rows: int, blas_threads: int | None = None):
        self.synthesizer = synthesizer
        self.most_rows = most_rows
        self.blas_threads = blas_threads
        self._arrived: deque[tuple[CheckedRequest, Delivery, SpeechStream]] = deque()
        self._lock = threading.Lock()  # of the queue, which any thread fills
        self._working: list[GuardedGeneration] = []
        self._batch = synthesizer.open_batch()
        self._launched: tuple[Step, list[tuple[GuardedGeneration, Take]]] | None = None
        self._sound = SoundUnderWay(synthesizer)
        self._wake_is_due = False
        self._closed = False
        self._hurries = policy().hurries_first_sounds
        self.frames_made = 0  # of all rows, since the model was loaded
        self.step_times = StepTimes(1 / synthesizer.info.frame_rate, ROW_COST if self._hurries else ROW_COST_ON_GPU)
        self._block_frames = 0  # in this step: they tell nothing of how long a frame takes
        self._holds_memory = False

    # Any thread.

    def submit(
        self, request: CheckedRequest, delivery: Delivery, condition: threading.Condition | None = None
    ) -> SpeechStream:
        """Queue a request. Returns at once; the stream raises what goes wrong with it later."""
        if self._closed:
            raise MlxTtsError("this model was closed: load it again")
        mlx_thread.must_be_usable()
        stream = SpeechStream(request, self._wake, condition)
        stream.plays_until = delivery.plays_until
        with self._lock:
            self._arrived.append((request, delivery, stream))
        self._wake()
        return stream

    def close(self) -> None:
        """End every request and let go of the model. Safe to call twice."""
        self._closed = True
        mlx_thread.run(self._release)

    def _wake(self) -> None:
        if not self._wake_is_due:
            self._wake_is_due = True
            mlx_thread.wake(self)

    # The MLX thread.

    def step(self) -> float | None:
        """See mlx_thread.Worker."""
        self._wake_is_due = False
        if self._closed:
            return None
        blas.use_threads(self.blas_threads)
        self._hold_memory()
        frames_before = self.frames_made
        self._block_frames = 0
        try:
            self._drop_cancelled()
            self._admit()
            self._read_prompts()
            self._generate()
            self._make_sound()
            self.step_times.step(self.frames_made - frames_before - self._block_frames)
        except Exception as error:  # noqa: BLE001 (a fault of the shared step is everybody's)
            self._launched = None
            self._sound.forget()
            for generation in list(self._working):
                self._end(generation, error)
        if not self._working and self._launched is None:
            self._batch = self.synthesizer.open_batch()  # lets go of the caches of those that have ended
        seconds = self._pause()
        if seconds != 0:
            self.step_times.pause()
        return seconds

    def _hold_memory(self) -> None:
        """While there is something to do, the weights stay in memory."""
        busy = bool(self._working or self._arrived)
        if busy != self._holds_memory:
            self._holds_memory = busy
            (keep_weights_resident if busy else let_weights_go)(self)

    def _pause(self) -> float | None:
        """The seconds until the next step is wanted; None where there is nothing to do, and the weights are let go."""
        wanting = (g.runnable or g.may_read_prompt or g.due_frames or g.take.over for g in self._working)
        if self._launched is not None or self._sound or any(wanting):
            return 0
        if self._arrived and len(self._working) < self.most_rows:
            return 0
        if any(g.is_waiting_for_text for g in self._working):
            return TEXT_POLL_SECONDS
        self._hold_memory()
        return None

    def _drop_cancelled(self) -> None:
        if any(g.stream.flushing for g in self._working):
            self._hear()
        for generation in [g for g in self._working if g.stream.cancelled]:
            if generation.stream.flushing:
                generation.flush()
            generation.keep_unfinished()
            self._end(generation)
        with self._lock:
            waiting = list(self._arrived)
            self._arrived = deque(item for item in waiting if not item[2].cancelled)
        for _, _, stream in waiting:
            if stream.cancelled:
                stream.end()

    def _admit(self) -> None:
        while self._arrived and len(self._working) < self.most_rows:
            with self._lock:
                request, delivery, stream = self._arrived.popleft()
            try:
                prepared = self.synthesizer.prepare(request)
                self._working.append(GuardedGeneration(self.synthesizer, request, delivery, stream, prepared))
            except Exception as error:  # noqa: BLE001 (whatever it is, it is this request's)
                stream.end(error)

    def _read_prompts(self) -> None:
        """Let newcomers read: all they like while nobody waits for a frame or has just come, else a few positions."""
        positions, newcomers = 0, [g for g in self._working if g.beginning is not None]
        if any(generation.may_read_prompt for generation in newcomers):
            self._hear()  # it was sent before
        if self._hurries:
            back = kept_back(self._working)
            newcomers = [g for g in newcomers if g not in back]
        for generation in newcomers:
            others_wait = self._launched is not None or any(g.runnable for g in self._working)
            generation.prompt_waits = False
            try:
                while generation.may_read_prompt and (not others_wait or positions < PROMPT_POSITIONS):
                    positions += generation.read_prompt()
                    if positions and self._somebody_has_come():
                        return  # whose prompt may go before the rest of this one, and before those that are left
            except Exception as error:  # noqa: BLE001 (whatever it is, it is this request's)
                self._end(generation, error)

    def _runnable(self) -> list[GuardedGeneration]:
        """Who takes the next step. Nobody while a first sound is under way: its last frame is read and decoded."""
        ready = []
        for generation in list(self._working):
            try:
                if generation.runnable:
                    ready.append(generation)
            except Exception as error:  # noqa: BLE001 (whatever it is, it is this request's)
                self._end(generation, error)
        back = kept_back(self._working, ready) if self._hurries else []
        served = [generation for generation in self._working if generation not in back]
        if self._launched is not None and any(map(first_sound_is_under_way, served)):
            return []
        ready = [generation for generation in ready if generation not in back]
        others_first = self._hurries and somebody_is_hurried(served, ready)
        return [generation for generation in ready if not (others_first and gives_way(generation))]

    def _somebody_has_come(self) -> bool:
        with self._lock:
            arrived = any(delivery.live and not stream.ahead_seconds for _, delivery, stream in self._arrived)
        return self._hurries and arrived and len(self._working) < self.most_rows

    def _generate(self) -> None:
        """Send one step to the device, then read what was sent before it: the device never waits for the host."""
        launched = None
        if rows := [(generation, generation.take) for generation in self._runnable()]:
            step = self._batch.step([take.row for _, take in rows if take.row is not None])
            for _, take in rows:
                take.launched += 1
            launched = (step, rows)
        self._hear()  # before the frame, which may be one of the next piece
        before, self._launched = self._launched, launched
        if before is None:
            return
        for (generation, take), frame in zip(before[1], before[0].read(), strict=True):
            wanted = generation in self._working and generation.take is take and not take.over
            if not wanted:
                continue
            if isinstance(frame, MlxTtsError):
                self._end(generation, frame)
            elif isinstance(frame, FrameBlock):
                self.frames_made += len(frame.frames)
                self._block_frames += len(frame.frames)
                generation.on_block(frame)
            else:
                self.frames_made += 1
                generation.on_frame(frame)

    def _make_sound(self) -> None:
        """Send what is due to be decoded, those without a first sound first, and give away what may leave."""
        others_first = self._hurries and somebody_is_hurried(self._working)
        back = kept_back(self._working) if self._hurries else []
        ready = [g for g in self._working if not (others_first and gives_way(g)) and g not in back]
        for generation in ready:
            if generation.take.over and not generation.due_frames:
                self._deliver(generation)
        for at, together in enumerate(self._sound.groups(ready)):
            others_first = self._somebody_has_come() if self._hurries else at >= MOST_DECODED
            if not (others_first and all(map(gives_way, together))):
                self._sound.send(together)
                for generation in together:
                    generation.look_ahead()
                if self._hurries:  # there the next step would only hold it up
                    self._hear()

    def _hear(self) -> None:
        """Take in the sound that was sent to be made, and give away what may leave."""
        for piece, samples, after in self._sound.read():
            generation = piece.generation
            if generation not in self._working:
                continue
            if samples is None:
                self._end(generation, after)
            else:
                generation.on_audio(samples, after)
                self._deliver(generation)
                generation.take_in_early()

    def _deliver(self, generation: GuardedGeneration) -> None:
        if generation.deliver():
            self._end(generation)

    def _end(self, generation: GuardedGeneration, error: Exception | None = None) -> None:
        self._working.remove(generation)
        generation.stream.end(error)

    def _release(self) -> None:
        closed = MlxTtsError("the model was closed while it spoke")
        for generation in list(self._working):
            self._end(generation, closed)
        with self._lock:
            waiting, self._arrived = list(self._arrived), deque()
        for _, _, stream in waiting:
            stream.end(closed)
        self._launched = None
        self._hold_memory()
        for name in ("synthesizer", "_batch", "_sound"):  # the weights go when nobody holds them any more
            self.__dict__.pop(name, None)
