"""A Synthesizer -> the same for callers on any thread: MLX's work, loading included, stays on one thread of its own.

MLX's streams belong to the thread that made them; arrays that another thread touches fail ("no Stream in current
thread") or bring the process down when it ends.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import cache, partial
from queue import SimpleQueue
from typing import Any, TypeVar, cast

from mlx_tts.speech import AudioChunk, NumberedRequests, SpeechRequest, Synthesizer

T = TypeVar("T")
NAME = "mlx-tts mlx"
_END = object()


Job = tuple[Future, Callable[..., Any], tuple[Any, ...], dict[str, Any]]


@cache
def _jobs() -> SimpleQueue[Job]:
    """The queue that the MLX thread reads. A daemon: MLX's CPU backend aborts the process when a thread that used it
    ends, so this one never does."""
    jobs: SimpleQueue[Job] = SimpleQueue()

    def work() -> None:
        while True:
            future, function, arguments, options = jobs.get()
            try:
                future.set_result(function(*arguments, **options))
            except BaseException as error:  # whatever it is, it is the caller's
                future.set_exception(error)
            del future, function, arguments, options

    threading.Thread(target=work, name=NAME, daemon=True).start()
    return jobs


def run(function: Callable[..., T], *arguments: Any, **options: Any) -> T:
    """Call it on the MLX thread, and wait."""
    if threading.current_thread().name == NAME:
        return function(*arguments, **options)
    future: Future[T] = Future()
    _jobs().put((future, function, arguments, options))
    return future.result()


def load(make: Callable[[], Synthesizer]) -> Synthesizer:
    """Load on the MLX thread; what comes back may be used on any."""
    return cast(Synthesizer, _OneThread(run(make)))


class _OneThread:
    """Streams of several callers take turns, a piece of sound at a time."""

    def __init__(self, synthesizer: Synthesizer):
        self._synthesizer = synthesizer

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._synthesizer, name)
        return partial(run, value) if callable(value) else value

    def stream(self, request: SpeechRequest, low_latency: bool = False) -> Iterator[AudioChunk]:
        return _stepped(lambda: self._synthesizer.stream(request, low_latency))

    def stream_many(
        self, requests: NumberedRequests, rows: int = 1, live: bool = False, low_latency: bool = False
    ) -> Iterator[tuple[int, AudioChunk]]:
        return _stepped(lambda: self._synthesizer.stream_many(requests, rows, live, low_latency))


def _stepped(make: Callable[[], Iterator[T]]) -> Iterator[T]:
    """A generator whose every step is made on the MLX thread."""
    steps = run(make)
    try:
        while (item := run(next, steps, _END)) is not _END:
            yield cast(T, item)
    finally:
        run(steps.close)  # type: ignore[attr-defined]  # they are generators
