"""What is to be spoken, from a source -> chunks of several requests at a time as they come. All callers use it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator
from typing import Any, Generic, TypeVar

from mlx_tts.generation.stream import SpeechStream
from mlx_tts.speech import AudioChunk

SOURCE_POLL_SECONDS = 0.01  # how often a source that has nothing just now is asked again
FLUSH_SECONDS = 2.0  # how long an interrupted caller waits for sound that is decoded already
KEEP_SECONDS = 10.0  # how long it waits for frames to be kept: a frame of many rows may take seconds
END: Any = object()  # behind the last item of a source

Item = TypeVar("Item")
ItemChunk = tuple[Item, SpeechStream, AudioChunk]


class SideBySide(Generic[Item]):
    """Items of a source and their streams in the engine, which share `condition`. Only `wait`, `run` and `close` wait.

    source: gives None where there is nothing to speak just now. submit: an item and the condition -> its stream, or
    None where the item needs no stream. open: the items whose end was not taken yet, the oldest first. last: the stream
    that was begun last.
    """

    def __init__(
        self,
        source: Iterator[Item | None],
        submit: Callable[[Item, threading.Condition], SpeechStream | None],
        condition: threading.Condition | None = None,
    ):
        self.condition = condition or threading.Condition()
        self.open: list[tuple[Item, SpeechStream]] = []
        self.last: SpeechStream | None = None
        self._source, self._submit = source, submit
        self._next: Item | None = None  # the item, or END, that was looked at before its turn

    @property
    def more_follow(self) -> bool:
        """Whether another item follows; where it has not arrived yet, one is expected."""
        if self._next is None:
            self._next = next(self._source, END)
        return self._next is not END

    @property
    def has_next(self) -> bool:
        """Whether another item is there, so that `begin_next` begins it."""
        return self.more_follow and self._next is not None

    @property
    def is_made(self) -> bool:
        """Whether the engine has made all that was begun, taken or not."""
        return all(stream.ended for _, stream in self.open)

    @property
    def is_over(self) -> bool:
        """Whether everything was begun and taken."""
        return not self.open and not self.more_follow

    @property
    def has_something(self) -> bool:
        """Whether `take` gives a chunk, an end or an error. Hold the condition if you wait for it."""
        return any(stream.has_something for _, stream in self.open)

    def begin_next(self) -> bool:
        """Submit the next item; False where there is none now."""
        if not self.more_follow or self._next is None:
            return False
        item, self._next = self._next, None
        stream = self._submit(item, self.condition)
        if stream is not None:
            self.last = stream
            self.open.append((item, stream))
        return True

    def take(self) -> Iterator[ItemChunk[Item]]:
        """What there is, at most one chunk of each stream, the oldest first. Raises the error that ended a stream."""
        for item, stream in list(self.open):
            if stream.has_something:
                try:
                    chunk = next(stream, None)
                except Exception:
                    self._let_go(stream)
                    raise
                if chunk is None:
                    self._let_go(stream)
                else:
                    yield item, stream, chunk

    def _let_go(self, stream: SpeechStream) -> None:
        self.open = [entry for entry in self.open if entry[1] is not stream]

    def wait(self, seconds: float | None) -> None:
        """Until `take` gives something, or for so many seconds."""
        with self.condition:
            if not self.has_something:
                self.condition.wait(seconds)

    def run(self, rows: int) -> Generator[ItemChunk[Item], None, None]:
        """All of it, at most `rows` streams open. On interruption the oldest one's decoded sound is given before the
        error; the others are cancelled. Frames of unfinished ones are kept before this returns."""
        try:
            while not self.is_over:
                while len(self.open) < rows and self.begin_next():
                    pass
                if len(self.open) < rows and self._next is not END:
                    self.wait(SOURCE_POLL_SECONDS)
                elif self.open:
                    self.wait(None)
                yield from self.take()
        except (KeyboardInterrupt, Exception):
            # On interruption, flush the audio already decoded before re-raising.
            yield from self._flushed()
            raise
        finally:
            self.close()

    def _flushed(self) -> Iterator[ItemChunk[Item]]:
        """What the oldest stream had decoded, after all were told to end."""
        for _, stream in self.open[1:]:
            stream.cancel()
        for item, stream in self.open[:1]:
            stream.cancel(flush=True)
            _wait_for_end(stream, time.monotonic() + FLUSH_SECONDS)
            while stream.has_something and (chunk := next(stream, None)) is not None:
                yield item, stream, chunk

    def close(self) -> None:
        """End all of it. The engine keeps the frames of a stopped request when it lets go of it, at its next step:
        this waits for the requests that have a place for them."""
        self._next = END
        streams, self.open = [stream for _, stream in self.open], []
        for stream in streams:
            stream.close()
        until = time.monotonic() + KEEP_SECONDS
        for stream in streams:
            if stream.request.unfinished is not None:
                _wait_for_end(stream, until)


def _wait_for_end(stream: SpeechStream, until: float) -> None:
    with stream.condition:
        while not stream.ended and time.monotonic() < until:
            stream.condition.wait(0.05)
