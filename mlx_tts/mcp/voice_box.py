"""Planned texts -> this machine's loudspeakers, one after the other; each can be stopped, and says what was heard.

A thread of its own speaks. Several programs may each have one: a locked file sees to it that they take turns.
"""

from __future__ import annotations

import fcntl
import itertools
import logging
import math
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from mlx_tts.errors import MlxTtsError
from mlx_tts.mcp.hearing import HeardWords, Hearing
from mlx_tts.mcp.planning import LoadedModels, Planned
from mlx_tts.narration.cancellation import Cancellation

if TYPE_CHECKING:
    from mlx_tts.api import TextToSpeech
    from mlx_tts.audio.playback.speaker import SpeakerSink

MOST_WAITING = 100
MOST_FAILED = 8  # that are kept until somebody asks
POLL_SECONDS = 0.01
WAITING, SPEAKING, DONE, STOPPED, FAILED = "waiting", "speaking", "done", "stopped", "failed"
ENDED = (DONE, STOPPED, FAILED)
log = logging.getLogger("mlx_tts.mcp")


@dataclass(eq=False)
class Utterance:
    """One text on its way. state: waiting, speaking, done, stopped or failed; error: why it failed."""

    id: str
    planned: Planned
    hearing: Hearing
    state: str = WAITING
    error: str | None = None
    heard: HeardWords | None = None  # once it has ended
    sink: SpeakerSink | None = field(default=None, repr=False)
    cancellation: Cancellation = field(default_factory=Cancellation, repr=False)

    @property
    def has_ended(self) -> bool:
        return self.state in ENDED

    def heard_so_far(self) -> HeardWords:
        return self.heard or self.hearing.until(self.played_seconds)

    @property
    def played_seconds(self) -> float:
        """So much of the speech the sound device has taken."""
        return 0.0 if self.sink is None else self.sink.played_seconds


class VoiceBox:
    """The queue of one program. device: of the speakers, None for the system's. turn: the file that is locked by
    whoever speaks."""

    def __init__(self, turn: Path, device: str | None = None, models: LoadedModels | None = None):
        self.models = models or LoadedModels()
        self._turn, self._device = turn, device
        self._lock = threading.Condition()
        self._queue: list[Utterance] = []  # the first is being spoken
        self._failed: deque[Utterance] = deque(maxlen=MOST_FAILED)
        self._numbers = itertools.count(1)
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="mlx-tts voice box", daemon=True)
        self._thread.start()

    def say(self, planned: Planned) -> Utterance:
        """Queue a text; MlxTtsError where too many wait."""
        info = planned.checkpoint.info
        request = planned.plan.request
        hearing = Hearing(planned.text, info.sample_rate, planned.settings.speed, request.language)
        with self._lock:
            if len(self._queue) > MOST_WAITING:
                raise MlxTtsError(f"{MOST_WAITING} texts wait already: stop some of them first")
            utterance = Utterance(f"speech-{next(self._numbers)}", planned, hearing)
            self._queue.append(utterance)
            self._lock.notify_all()
        return utterance

    def queue(self) -> list[Utterance]:
        """What is being spoken, and then what waits."""
        with self._lock:
            return list(self._queue)

    def take_failed(self) -> list[Utterance]:
        """Those that failed since this was asked last: whoever did not wait for one hears of it here."""
        with self._lock:
            failed = list(self._failed)
            self._failed.clear()
        return failed

    def was_told(self, one: Utterance) -> None:
        """Whoever waited for it knows of its failure."""
        with self._lock, suppress(ValueError):
            self._failed.remove(one)

    def stop(self, id: str | None = None) -> list[Utterance]:
        """Silence one text, or all of them: from the next block of the sound device on nothing is heard. The ones that
        were stopped."""
        with self._lock:
            stopped = [one for one in self._queue if not one.has_ended and id in (None, one.id)]
            for one in stopped:
                if one.sink is not None:
                    one.sink.silence()
                one.heard = one.heard_so_far()
                one.state = STOPPED
                self._queue.remove(one)
                one.cancellation.cancel()  # else the next text waits until this one's next sound is made
            self._lock.notify_all()
        return stopped

    def close(self) -> None:
        """Stop all and free the models."""
        self._closed = True
        self.stop()
        self._thread.join(timeout=5.0)
        self.models.close()

    # The thread.

    def _run(self) -> None:
        while (one := self._next()) is not None:
            try:
                self._speak(one)
                self._end(one, DONE)
            except MlxTtsError as error:
                one.error = str(error)
                self._end(one, FAILED)
            except Exception as error:
                log.exception("%s could not be spoken", one.id)
                one.error = f"{type(error).__name__} while speaking: {error}"
                self._end(one, FAILED)

    def _next(self) -> Utterance | None:
        with self._lock:
            while not self._queue and not self._closed:
                self._lock.wait()
            return None if self._closed else self._queue[0]

    def _end(self, one: Utterance, state: str) -> None:
        with self._lock:
            if one.has_ended:
                return
            one.heard = one.hearing.until(math.inf) if state == DONE else one.heard_so_far()
            one.state = state
            self._queue.remove(one)
            if state == FAILED:
                self._failed.append(one)

    def _speak(self, one: Utterance) -> None:
        with self.models.using(one.planned) as model, self._my_turn(lambda: one.has_ended):
            if one.has_ended:
                return
            sink = self._open(one, model.sample_rate)
            try:
                self._play(one, model, sink)
                sink.finish()
            except BaseException:
                with suppress(MlxTtsError):
                    sink.abandon()
                raise

    def _open(self, one: Utterance, sample_rate: int):  # type: ignore[no-untyped-def]  # a Sink, whose module is heavy
        from mlx_tts.audio.playback.ring import PreRoll
        from mlx_tts.audio.playback.speaker import SpeakerSink
        from mlx_tts.audio.sinks import MasteredSink

        settings = one.planned.settings
        pre_roll = PreRoll(expected_seconds=one.planned.seconds or None)
        speakers = SpeakerSink(sample_rate, self._device, log.info, pre_roll)
        with self._lock:
            one.sink = speakers
            if one.has_ended:
                speakers.silence()
            else:
                one.state = SPEAKING
        return speakers if settings.loudness == "off" else MasteredSink(speakers, sample_rate, settings.target_lufs)

    @staticmethod
    def _play(one: Utterance, model: TextToSpeech, sink) -> None:  # type: ignore[no-untyped-def]
        from mlx_tts.narration.narrate import narrate

        plan = one.planned.plan
        begin_voice = getattr(sink, "begin_voice", lambda _name: None)
        parts_of = narrate(model, plan.request, iter(plan.source), plan.options, begun=one.cancellation.watch)
        with closing(parts_of) as parts:
            for part in parts:
                if one.has_ended:
                    return
                one.hearing.add(part)
                begin_voice(part.piece.voice)
                sink.write(part.samples)

    @contextmanager
    def _my_turn(self, gives_up: Callable[[], bool]) -> Iterator[None]:
        """Held while we speak; the voice boxes of other programs wait for it. A program that ends lets go of it."""
        try:
            self._turn.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self._turn, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise MlxTtsError(f"{self._turn} cannot be opened ({error.strerror}): set MLX_TTS_HOME") from None
        try:
            while not _locked(descriptor):
                if gives_up():
                    break
                time.sleep(POLL_SECONDS)
            yield
        finally:
            os.close(descriptor)


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
