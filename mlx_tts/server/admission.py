"""Who may speak now: rows that are lent for one piece of a speech at a time, and a bounded queue before them.

A speech has a place from its beginning to its end, and a row while a piece of it is made. Between pieces the row goes
to whom it helps most: short new requests, then those that are being heard and would fall silent, then long new ones,
and last those whose sound is made long before it can have been heard. No client holds more than its share while others
wait. A long new one that has waited long goes first, one at a time: ever new short ones do not keep it out for good.
"""

from __future__ import annotations

import asyncio
import ipaddress
import itertools
import math
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from mlx_tts.server.answers import ApiError, busy

WAITING_PER_ROW = 4  # more than that would wait longer than clients do
LEAST_WAITING = 16
SHARE = 4  # one client holds at most rows / SHARE while others wait
SHORT_SECONDS = 6.0  # of speech: about two sentences
AHEAD_SECONDS = 10.0  # who has so much more sound than it can have played is not listening, but fetching a file
LENT_SECONDS = 2.0  # who has begun nothing for so long on a row that it waited for does not read: others may have it
SILENT_SECONDS = 5.0  # whose listener has waited so long for the next piece goes before newcomers
DUE_SECONDS = 30.0  # a long new one that has waited so long goes before short ones, one in this time
LEAST_ROWS_FOR_A_SPARE = 4
# Who would wait longer is refused at once, and who did is refused then: half of what OpenAI's clients wait for a byte.
MOST_WAIT_SECONDS = 300.0
MOST_PATIENCE = 600  # seconds
MOST_SPREAD = 120  # seconds over which refused clients are told to come again: OpenAI's obey no longer times
MOST_REMEMBERED = 1000  # clients that were refused
LAST = 5  # in the order of those who wait: who holds its share already


@dataclass(eq=False)
class Place:
    """A speech among the others. seconds: how long its sound will be, about. plays_until: of `time.monotonic`, when its
    listener has heard what was made. began: whether a piece of it was made. on_row: is called when it gets a row that
    it waited for. lent_at: of `time.monotonic`, when it got such a row on which it has begun no piece yet."""

    client: str
    seconds: float
    admission: Admission
    number: int
    holds_row: bool = False
    lent_at: float | None = None
    began: bool = False
    waits_since: float | None = None
    plays_until: float = 0.0
    made_seconds: float = 0.0
    on_row: Callable[[], None] = field(default=lambda: None)

    @property
    def is_lent(self) -> bool:
        """Whether it holds a row that it waited for, and has begun no piece on it yet."""
        return self.lent_at is not None

    @property
    def is_short(self) -> bool:
        return self.seconds <= SHORT_SECONDS

    @property
    def is_surely_short(self) -> bool:
        """Not so for text that still arrives: nobody knows how long that will be."""
        return 0 < self.seconds <= SHORT_SECONDS

    @property
    def is_fetched(self) -> bool:
        """Whether its sound is made long before it can have been heard: nobody would notice a pause."""
        return self.plays_until - time.monotonic() > AHEAD_SECONDS

    @property
    def left_seconds(self) -> float:
        return max(1.0, self.seconds - self.made_seconds)

    def take_row(self, plays_until: float = 0.0) -> bool:
        """Whether the next piece may begin now; else `on_row` will be called. plays_until: of the pieces so far."""
        return self.admission.take_row(self, plays_until)

    def give_row_back(self) -> None:
        """Nothing of it is made just now."""
        self.admission.give_row_back(self)


class Admission:
    """The rows of one model. Used by the event loop alone, so it needs no lock.

    rows: that were asked for, or fit the memory. live_rows: how many of them speak as fast as they are heard; None: all
    of them. Rows beyond these make files, for which nobody listens, and short texts while there is no long one: many
    that take turns would wait longer for their first sound than they stutter together. spare_rows: besides these, for a
    few words of somebody who has no row, or beside long texts. rate: seconds of sound a second of so many rows, or None
    where it was not measured yet.
    """

    def __init__(
        self,
        rows: int,
        live_rows: Callable[[], int] | None = None,
        rate: Callable[[int], float | None] | None = None,
    ):
        self.rows = rows
        self.spare_rows = int(rows >= LEAST_ROWS_FOR_A_SPARE)
        self.most_waiting = max(LEAST_WAITING, WAITING_PER_ROW * rows)
        self._live_rows, self._rate = live_rows, rate
        self._places: dict[Place, None] = {}
        self._held: Counter[str] = Counter()
        self._numbers = itertools.count()
        self._long_began = -DUE_SECONDS  # of `time.monotonic`, when the last long one got its first row
        # Refused clients -> for when the last of their requests was told to come again.
        self._told: dict[str, float] = {}

    @property
    def live_rows(self) -> int:
        return self.rows if self._live_rows is None else max(1, min(self.rows, self._live_rows()))

    @property
    def active(self) -> int:
        """Rows in use."""
        return self._held.total()

    @property
    def waiting(self) -> int:
        """Speeches of which nothing was made yet, for want of a row."""
        return sum(not place.began for place in self._waiting)

    @property
    def _waiting(self) -> list[Place]:
        return [place for place in self._places if place.waits_since is not None]

    @asynccontextmanager
    async def place(self, client: str, seconds: float = 0.0) -> AsyncIterator[Place]:
        """A place with a row, after waiting for one if need be; ApiError 429 where too many wait already.

        client: the address. seconds: of speech, about; 0 where it is not known, as for text that still arrives.
        """
        place = Place(_network(client), seconds, self, next(self._numbers))
        turn = asyncio.Event()
        place.on_row = turn.set
        if not self._may_wait(place):
            raise self._refusal(place.client)
        self._places[place] = None
        try:
            if not self.take_row(place, 0.0):
                await self._until(turn, place.client)
            place.began, place.lent_at = True, None
            yield place
        finally:
            del self._places[place]
            place.waits_since = None
            self.give_row_back(place)

    async def _until(self, turn: asyncio.Event, client: str) -> None:
        """Wait for the first row; ApiError 429 where that takes longer than clients wait."""
        try:
            async with asyncio.timeout(MOST_WAIT_SECONDS):
                while not turn.is_set():
                    await _is_set_within(turn, LENT_SECONDS)
                    self._lend_rows()  # a row may have become free because nobody uses it
        except TimeoutError:
            raise self._refusal(client) from None

    def _may_wait(self, place: Place) -> bool:
        """Whether the queue has room, and its turn will come soon enough. Where one client has filled the queue, others
        still find a place each."""
        if self._expected_wait(place.is_short) > MOST_WAIT_SECONDS:
            return False
        if self.waiting < self.most_waiting:
            return True
        return self.waiting < 2 * self.most_waiting and all(other.client != place.client for other in self._waiting)

    def _expected_wait(self, is_short: bool) -> float:
        """Seconds until a newcomer gets its first row, about; 0 where nobody knows how fast this machine speaks."""
        rate = self._speed(self.live_rows)
        if rate is None:
            return 0.0
        before = [place for place in self._waiting if not place.began and (place.is_short or not is_short)]
        seconds = sum(place.left_seconds for place in before) / rate
        return seconds if is_short else min(seconds, DUE_SECONDS * sum(not place.is_short for place in before))

    def _speed(self, rows: int) -> float | None:
        return self._rate(max(1, rows)) if self._rate is not None else None

    def take_row(self, place: Place, plays_until: float) -> bool:
        """See `Place.take_row`."""
        place.plays_until = max(place.plays_until, plays_until)
        if place.is_lent:  # it has waited for this row: if it asked again, newer requests would go first
            place.lent_at = None
            return True
        if place.waits_since is None:
            self._let_go(place)  # others may need it more
            place.waits_since = time.monotonic()
        self._lend_rows(place)
        return place.holds_row

    def give_row_back(self, place: Place) -> None:
        """See `Place.give_row_back`."""
        if place.holds_row:
            self._let_go(place)
            self._lend_rows()

    def _let_go(self, place: Place) -> None:
        if place.holds_row:
            place.holds_row, place.lent_at = False, None
            self._held[place.client] -= 1
            self._held += Counter()  # forgets clients that hold nothing

    def _lend_rows(self, asking: Place | None = None) -> None:
        """Give the free rows to those who need them most. asking: who sees by itself that it has one now."""
        live = self.live_rows
        self._take_unused_back()
        while waiting := self._waiting:
            holding = [place for place in self._places if place.holds_row]
            if len(holding) >= self.rows + self.spare_rows:
                return
            clients = Counter(place.client for place in waiting)
            fitting = [place for place in waiting if self._fits(place, holding, live)]
            if not fitting:
                return
            place = min(fitting, key=lambda place: self._order(place, len(waiting) > clients[place.client], live))
            if not place.began and not place.is_short:
                self._long_began = time.monotonic()
            place.holds_row, place.waits_since = True, None
            self._held[place.client] += 1
            if place is not asking:
                place.lent_at = time.monotonic()
                place.on_row()

    def _take_unused_back(self) -> None:
        """Rows of speeches whose readers have stopped reading, so that the next piece does not begin. Such a speech
        asks again when it is read again."""
        if not self._waiting:
            return
        now = time.monotonic()
        for place in self._places:
            if place.began and place.lent_at is not None and now - place.lent_at > LENT_SECONDS:
                self._let_go(place)

    def _fits(self, place: Place, holding: list[Place], live: int) -> bool:
        """Whether there is a row for it, whoever else may want it. holding: those who have one."""
        held = len(holding)
        is_new = not self._held[place.client]
        has_words = any(other.is_short for other in holding if other.client == place.client)
        may_be_one_more = is_new or (not has_words and any(not other.is_short for other in holding))
        if place.is_surely_short and all(other.is_surely_short or other.is_fetched for other in self._places):
            return held < self.rows + (self.spare_rows if may_be_one_more and not place.began else 0)
        if (place.is_short and not place.began) or self._is_due(place):
            if is_new:  # what others hold beyond their share keeps out nobody else's few words
                held = sum(min(rows, max(1, live // SHARE)) for rows in self._held.values())
            return held < live + may_be_one_more
        if not any(not other.is_fetched for other in holding) and (place.is_fetched or not place.began):
            return held < self.rows
        return held < live

    def _order(self, place: Place, others_wait: bool, live: int) -> tuple[int, float]:
        """The smallest goes first."""
        if others_wait and self._held[place.client] >= max(1, live // SHARE):
            return LAST + self._held[place.client], place.number
        if place.is_fetched:
            return 4, place.plays_until
        if not place.began:
            return (1, -1) if self._is_due(place) else (1 if place.is_short else 3, place.number)
        quiet_since = max(place.waits_since or 0.0, place.plays_until)
        return 0 if time.monotonic() - quiet_since > SILENT_SECONDS else 2, place.plays_until

    def _is_due(self, place: Place) -> bool:
        """Whether it is long and new, has waited for long, and no other like it has begun meanwhile."""
        if place.began or place.is_short or place.waits_since is None:
            return False
        return time.monotonic() - max(place.waits_since, self._long_began) > DUE_SECONDS

    def _refusal(self, client: str) -> ApiError:
        waits = f"{self.active} requests are spoken and {self.waiting} wait: try again soon"
        return busy(waits, self._patience(client))

    def _patience(self, client: str) -> int:
        """Seconds until a refused client finds room: until the first of those that speak or wait has ended, from what
        they have left and how fast this machine speaks. Who is refused again and again is told of one end after the
        other, for one place has room for one."""
        speaking = max(1, self.active)
        each = (self._speed(speaking) or speaking) / speaking
        left = sorted(place.left_seconds for place in self._places) or [1.0]
        first = min(MOST_PATIENCE, left[0] / each)
        now = time.monotonic()
        if len(self._told) >= MOST_REMEMBERED:
            self._told = {told: until for told, until in self._told.items() if until > now}
        behind = self._told.get(client, 0.0) - now
        seconds = first if behind <= 0 else behind + sum(left) / len(left) / (each * speaking)
        seconds = max(first, min(seconds, MOST_SPREAD))
        if client in self._told or len(self._told) < MOST_REMEMBERED:
            self._told[client] = now + seconds
        return max(1, math.ceil(seconds))


async def _is_set_within(event: asyncio.Event, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            return await event.wait()
    except TimeoutError:
        return False


def _network(address: str) -> str:
    """Whom an address belongs to: with IPv6 a household has 2^64 of them."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if parsed.version == 4 or parsed.is_loopback:
        return address
    if (mapped := parsed.ipv4_mapped) is not None:
        return str(mapped)
    return str(ipaddress.ip_network((parsed, 64), strict=False))
