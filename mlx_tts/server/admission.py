"""Who may speak now: a fixed number of rows, a bounded queue before them, and no client with more than its share."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from mlx_tts.server.answers import busy

WAITING_PER_ROW = 4  # more than that would wait longer than clients do
LEAST_WAITING = 16
SHARE = 4  # one client holds at most rows / SHARE while others wait


@dataclass(eq=False)
class _Waiter:
    client: str
    turn: asyncio.Future[None]


class Admission:
    """The rows of one model. Used by the event loop alone, so it needs no lock."""

    def __init__(self, rows: int):
        self.rows = rows
        self.most_waiting = max(LEAST_WAITING, WAITING_PER_ROW * rows)
        self._held: Counter[str] = Counter()
        self._waiting: list[_Waiter] = []

    @property
    def active(self) -> int:
        return self._held.total()

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    @asynccontextmanager
    async def row(self, client: str) -> AsyncIterator[None]:
        """Hold a row, after waiting for one if need be; ApiError 429 where too many wait already."""
        await self._take(client)
        try:
            yield
        finally:
            self._held[client] -= 1
            self._held += Counter()  # forgets clients that hold nothing
            self._give_turns()

    async def _take(self, client: str) -> None:
        if self.active < self.rows and not self._waiting:
            self._held[client] += 1
            return
        if len(self._waiting) >= self.most_waiting:
            raise busy(f"{self.active} requests are spoken and {self.waiting} wait: try again soon", self._patience())
        waiter = _Waiter(client, asyncio.get_running_loop().create_future())
        self._waiting.append(waiter)
        self._give_turns()
        try:
            await waiter.turn
        except asyncio.CancelledError:
            if waiter in self._waiting:
                self._waiting.remove(waiter)
            elif not waiter.turn.cancelled():  # it had its turn and leaves in the same moment
                self._held[client] -= 1
                self._give_turns()
            raise

    def _patience(self) -> int:
        """Seconds after which a refused client may find room: longer, the more of them wait."""
        return min(30, 1 + self.waiting // max(1, self.rows))

    def _give_turns(self) -> None:
        self._waiting = [waiter for waiter in self._waiting if not waiter.turn.cancelled()]
        while self._waiting and self.active < self.rows:
            waiter = self._next()
            self._waiting.remove(waiter)
            self._held[waiter.client] += 1
            waiter.turn.set_result(None)

    def _next(self) -> _Waiter:
        """The first whose client is below its share; else that of the client that holds least."""
        share = max(1, self.rows // SHARE)
        below = (waiter for waiter in self._waiting if self._held[waiter.client] < share)
        return next(below, None) or min(self._waiting, key=lambda waiter: self._held[waiter.client])
