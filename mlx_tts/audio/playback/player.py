"""Speech while it is made -> the speakers, under a listener's hands: pause, go back and forth, faster and slower."""

from __future__ import annotations

import threading
import time
from collections import deque
from pathlib import Path

import numpy as np

from mlx_tts.audio.effects.speed import FASTEST, NO_SAMPLES, SLOWEST, ChangingSpeed
from mlx_tts.audio.playback.ring import PreRoll
from mlx_tts.audio.playback.speaker import BUFFER_SECONDS, SpeakerSink
from mlx_tts.errors import MlxTtsError
from mlx_tts.samples import Samples

BLOCK_SECONDS = 0.05  # of speech that are given to the device at a time
AHEAD_SECONDS = 0.2  # that lie ready for the device: as long as a key takes to be heard
BEHIND_SECONDS = 300.0  # of speech that are kept behind the ear
POLL_SECONDS = 0.02


class Player:
    """A sink. What it is given lies on a tape, and a thread of its own gives the speakers what is to be heard next, so
    that a key takes effect at once although the speech is made far ahead of the ear."""

    def __init__(self, speakers: SpeakerSink, sample_rate: int, pre_roll: PreRoll | None = None) -> None:
        self._speakers, self._rate = speakers, sample_rate
        self._pre_roll = pre_roll or PreRoll()
        self._tape = Tape()
        self._lock = threading.Lock()  # of the tape and of the place on it
        self._next = 0  # the sample that the speakers get next
        self._pending = NO_SAMPLES  # read from the tape, at the speed that is wanted, and not yet given
        self._complete = self._stopped = self._ended = False
        self._waiting = True  # for enough speech to begin with
        self._speed = 1.0
        self._jumped = False
        self._error: MlxTtsError | None = None
        self._thread = threading.Thread(target=self._run, name="mlx-tts player", daemon=True)
        self._thread.start()

    # What a listener does; each may be called by any thread.

    @property
    def paused(self) -> bool:
        return self._speakers.paused

    def pause(self, wanted: bool) -> None:
        self._speakers.paused = wanted

    @property
    def speed(self) -> float:
        """Times as fast as the speech that was given."""
        return self._speed

    def change_speed(self, speed: float) -> None:
        self._speed = min(FASTEST, max(SLOWEST, speed))

    def heard_seconds(self) -> float:
        """Which place of the speech is heard now, in seconds of what was given."""
        with self._lock:
            lying = 0.0 if self._jumped else self._speakers.waiting_seconds + len(self._pending) / self._rate
            return max(0.0, self._next / self._rate - lying * self._speed)

    def go_to(self, seconds: float | None) -> None:
        """Go on from there: not before the oldest that is kept, nor behind the newest; None is the newest."""
        with self._lock:
            wanted = self._tape.end if seconds is None else round(seconds * self._rate)
            self._next = min(self._tape.end, max(self._tape.first, wanted))
            self._jumped = True

    # What the speech goes through.

    def begin_chapter(self, number: int) -> None: ...

    def write(self, samples: Samples) -> None:
        self._pre_roll.wrote(len(samples) / self._rate)
        with self._lock:
            self._tape.append(samples)
        while self._tape.end - self._next > BUFFER_SECONDS * self._rate:
            self._check()
            time.sleep(POLL_SECONDS)  # short, so that Ctrl-C is heard while waiting
        self._check()
        self._pre_roll.taken()

    def finish(self) -> Path | None:
        self._complete = True
        while not self._ended:
            time.sleep(POLL_SECONDS)
        self._check()
        return self._speakers.finish()

    def abandon(self) -> Path | None:
        self._stop()
        return self._speakers.abandon()

    def _stop(self) -> None:
        self._stopped = True
        self._thread.join()

    def _check(self) -> None:
        if self._error is not None:
            raise self._error

    # The thread.

    def _run(self) -> None:
        change = ChangingSpeed(self._rate)
        try:
            while not self._stopped:
                if not self._step(change):
                    time.sleep(POLL_SECONDS)
                if self._over():
                    break
        except MlxTtsError as error:
            self._error = error
        finally:
            self._ended = True

    def _over(self) -> bool:
        with self._lock:
            everything = self._complete and not self._jumped and self._next >= self._tape.end
        return everything and not len(self._pending) and not self._speakers.waiting_seconds and not self.paused

    def _step(self, change: ChangingSpeed) -> bool:
        """Give the speakers some more, if they have room and there is some; whether it did. It never waits for room, so
        that a key is heeded while nothing is played."""
        with self._lock:
            if self._jumped:
                self._jumped, self._pending = False, NO_SAMPLES
                self._waiting = self._next >= self._tape.end
                self._speakers.drop()
                change.reset()
            ahead = self._tape.end - self._next
        if self._speakers.waiting_seconds:
            self._speakers.resume()
        self._speakers.check()
        if self.paused or self._speakers.room_seconds < 2 * BLOCK_SECONDS:
            return False
        if not len(self._pending) and self._enough(ahead):
            self._read(change)
        size = round(BLOCK_SECONDS * self._rate)
        now, self._pending = self._pending[:size], self._pending[size:]
        if len(now):
            self._speakers.play(now)
        return len(now) > 0

    def _read(self, change: ChangingSpeed) -> None:
        speed = self._speed
        with self._lock:
            samples = self._tape.read(self._next, round(BLOCK_SECONDS * speed * self._rate))
            self._next += len(samples)
            self._tape.forget(self._next - round(BEHIND_SECONDS * self._rate))
            self._waiting = self._next >= self._tape.end
            last = self._complete and self._waiting
        self._pending = np.clip(change.change(samples, speed, last), -1.0, 1.0)

    def _enough(self, ahead: int) -> bool:
        """Whether there is enough speech to go on; when it has run dry, as much as the model's speed asks for."""
        if ahead <= 0 or not self._waiting:
            return ahead > 0
        wanted = self._pre_roll.wanted_seconds()
        full = ahead >= BUFFER_SECONDS * self._rate
        return full or self._complete or (wanted is not None and ahead >= wanted * self._rate)


class Tape:
    """Samples by their number in the whole speech. One thread appends, another reads; the caller holds the lock."""

    def __init__(self) -> None:
        self._blocks: deque[Samples] = deque()
        self.first = 0  # the number of the oldest sample that is kept
        self.end = 0  # behind the newest

    def append(self, samples: Samples) -> None:
        if len(samples):
            self._blocks.append(np.array(samples, np.float32))
            self.end += len(samples)

    def read(self, start: int, size: int) -> Samples:
        """At most `size` samples from number `start` on; fewer where the tape ends."""
        parts, at = [np.zeros(0, np.float32)], self.first
        for block in self._blocks:
            if at >= start + size:
                break
            parts.append(block[max(0, start - at) : start + size - at])
            at += len(block)
        return np.concatenate(parts)

    def forget(self, before: int) -> None:
        """Drop the blocks that lie before sample `before` as a whole."""
        while self._blocks and self.first + len(self._blocks[0]) <= before:
            self.first += len(self._blocks.popleft())
