"""Items of work -> done by several threads of this process, which sleep while there is nothing to do.

For items of milliseconds that let go of Python's lock: NumPy's functions and `blas.multiply_into`. OpenBLAS's own
threads share products of microseconds and spin while they wait for the next one: beside other work that takes many
times as long, and takes the time of others. Here whoever is free takes the next whole item.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")

_lock = threading.Lock()
_pools: list[ThreadPoolExecutor] = []


def share_out(work: Callable[[T], object], items: Iterable[T], threads: int) -> None:
    """work(item) for each item, by so many threads, the caller's included. What one of them raises is raised here, when
    all have ended. No item may need what another one makes."""
    waiting = deque(items)

    def serve() -> None:
        while waiting:
            try:
                item = waiting.popleft()
            except IndexError:  # another thread took the last one
                return
            work(item)

    helpers: list[Future[None]] = []
    with suppress(RuntimeError):  # the interpreter is about to end and starts no thread: the caller does it alone
        helpers += [_pool().submit(serve) for _ in range(min(threads, len(waiting)) - 1)]
    try:
        serve()
    finally:
        waiting.clear()
        under_way = [helper for helper in helpers if not helper.cancel()]  # one that has not begun is not waited for
        wait(under_way)
    for helper in under_way:
        helper.result()


def _pool() -> ThreadPoolExecutor:
    with _lock:
        if not _pools:
            _pools.append(ThreadPoolExecutor(os.cpu_count() or 1, "mlx-tts helper"))
        return _pools[0]
