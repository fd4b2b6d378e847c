"""Requests from a source, several at a time -> their chunks as they come, in the thread of whoever asks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

from mlx_tts.generation.stream import SpeechStream
from mlx_tts.speech import AudioChunk, NumberedRequests, SpeechRequest

SOURCE_POLL_SECONDS = 0.01  # how often a source that has nothing just now is asked again
FLUSH_SECONDS = 2.0  # how long an interrupted caller waits for sound that is decoded already
KEEP_SECONDS = 10.0  # how long it waits for frames to be kept: a frame of many rows may take seconds

Submit = Callable[[int, SpeechRequest, threading.Condition], SpeechStream]
Streams = list[tuple[int, SpeechStream]]


def side_by_side(submit: Submit, requests: NumberedRequests, rows: int) -> Iterator[tuple[int, AudioChunk]]:
    """(number, chunk) of each request; at most `rows` of them are open. On interruption the first one's decoded sound
    is given before the error; the others are cancelled. Frames of unfinished ones are kept before this returns."""
    condition = threading.Condition()
    streams: Streams = []
    more = True
    try:
        while more or streams:
            idle = False
            while more and not idle and len(streams) < rows:
                try:
                    asked = next(requests)
                except StopIteration:
                    more = False
                    break
                idle = asked is None
                if asked is not None:
                    streams.append((asked[0], submit(*asked, condition)))
            yield from _first_of(streams, condition, SOURCE_POLL_SECONDS if idle else None)
    except (KeyboardInterrupt, Exception):
        # On interruption, flush the audio already decoded before re-raising.
        for _, stream in streams[1:]:
            stream.cancel()
        yield from _flushed(streams[:1])
        raise
    finally:
        for _, stream in streams:
            stream.close()
        _wait_until_kept(streams)


def _first_of(
    streams: Streams, condition: threading.Condition, seconds: float | None
) -> Iterator[tuple[int, AudioChunk]]:
    """What the streams have, as soon as one has something, or nothing after so many seconds."""
    found: list[tuple[int, AudioChunk]] = []
    with condition:
        if not any(stream.has_something for _, stream in streams):
            condition.wait(seconds if streams or seconds is not None else SOURCE_POLL_SECONDS)
        for number, stream in list(streams):
            while stream.has_something:
                chunk = stream.take()
                if chunk is None:
                    streams.remove((number, stream))
                    break
                found.append((number, chunk))
    yield from found


def _flushed(streams: Streams) -> Iterator[tuple[int, AudioChunk]]:
    """What the streams had decoded, after they were told to end."""
    for number, stream in streams:
        stream.cancel(flush=True)
        until = time.monotonic() + FLUSH_SECONDS
        with stream.condition:
            while not stream.ended and time.monotonic() < until:
                stream.condition.wait(0.05)
            while stream.has_something and (chunk := stream.take()) is not None:
                yield number, chunk


def _wait_until_kept(streams: Streams) -> None:
    """The engine keeps the frames of a stopped request when it lets go of it: at its next step."""
    until = time.monotonic() + KEEP_SECONDS
    for _, stream in streams:
        if stream.request.unfinished is not None:
            with stream.condition:
                while not stream.ended and time.monotonic() < until:
                    stream.condition.wait(0.05)
