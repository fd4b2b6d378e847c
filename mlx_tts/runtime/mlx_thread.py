"""Functions from any thread -> run on the one thread that MLX works on; workers (engines) take turns there.

MLX's streams belong to the thread that made them: arrays that another thread touches fail ("no Stream in current
thread") or bring the process down when that thread ends. So one thread does all of MLX's work and never ends. Between
two frames of the workers it does at most one job, so encoding a voice or loading a model never starves a stream; with
nothing to do it sleeps.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any, Protocol, TypeVar

from mlx_tts.errors import MlxTtsError

T = TypeVar("T")
NAME = "mlx-tts mlx"
STOP_SECONDS = 10.0  # how long the end of the interpreter waits for the step under way
# While another thread computes in Python, whoever let go of the lock waits so long to get it back. With Python's own
# 5 ms, some twenty times a frame, a voice was eight times slower next to a long text that was read.
SWITCH_SECONDS = 0.0005


class Worker(Protocol):
    """Something that works in steps. step: do a little; the seconds until the next step is wanted, None: wake me."""

    def step(self) -> float | None: ...


class _MlxThread:
    def __init__(self) -> None:
        self._calls: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._awake: dict[int, Worker] = {}
        self._parked = threading.Event()
        self._stopping = False
        sys.setswitchinterval(min(SWITCH_SECONDS, sys.getswitchinterval()))
        # A daemon: MLX's CPU backend aborts the process when a thread that used it ends, so this one never does.
        self.thread = threading.Thread(target=self._work, name=NAME, daemon=True)
        self.thread.start()
        atexit.register(self.stop)

    def call(self, function: Callable[[], None]) -> None:
        """Have it called on the thread. May be used by any thread, in destructors too."""
        self._calls.put(function)

    def wake(self, worker: Worker) -> None:
        self.call(lambda: self._awake.__setitem__(id(worker), worker))

    def stop(self) -> None:
        """Finish the step under way and do nothing ever after: the interpreter is about to end."""
        self._stopping = True
        self.call(lambda: None)
        self._parked.wait(STOP_SECONDS)

    def _work(self) -> None:
        pause: float | None = None
        while not self._stopping:
            try:
                call = self._calls.get(timeout=pause) if pause != 0 else self._calls.get_nowait()
            except Empty:
                pass
            else:
                call()
            pause = self._step_workers()
        import mlx.core as mx

        mx.synchronize()  # work that is still under way would outlive the interpreter
        self._parked.set()
        threading.Event().wait()

    def _step_workers(self) -> float | None:
        pauses = []
        for key, worker in list(self._awake.items()):
            wanted = worker.step()
            if wanted is None:
                del self._awake[key]
            else:
                pauses.append(wanted)
        return min(pauses, default=None)


_thread: _MlxThread | None = None
_lock = threading.Lock()
_forked = False


def _after_fork() -> None:
    global _forked
    _forked = _thread is not None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def must_be_usable() -> None:
    """MlxTtsError in a forked child: the thread that MLX needs stayed in its parent."""
    if _forked:
        raise MlxTtsError(
            "this process was forked from one that had used MLX, which cannot work here: "
            "start it with multiprocessing's spawn method"
        )


def _running() -> _MlxThread:
    global _thread
    must_be_usable()
    with _lock:
        if _thread is None:
            _thread = _MlxThread()
    return _thread


def is_alive() -> bool:
    """Whether the thread still works, or has had no reason to start yet."""
    return _thread is None or _thread.thread.is_alive()


def run(function: Callable[..., T], *arguments: Any, **options: Any) -> T:
    """Call it on the MLX thread, and wait. What it raises is raised here."""
    if threading.current_thread().name == NAME:
        return function(*arguments, **options)
    future: Future[T] = Future()

    def work() -> None:
        try:
            future.set_result(function(*arguments, **options))
        except BaseException as error:  # noqa: BLE001 (whatever it is, it is the caller's)
            future.set_exception(error)

    _running().call(work)
    return future.result()


def wake(worker: Worker) -> None:
    """Have `worker.step` called on the MLX thread until it asks for nothing more. Returns at once."""
    _running().wake(worker)
