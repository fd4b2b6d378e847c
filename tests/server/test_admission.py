"""The queue alone: rows, places to wait, shares, and clients that leave while they wait."""

import asyncio
import itertools
import time
from types import SimpleNamespace

import pytest

from mlx_tts.server.admission import LENT_SECONDS, MOST_SPREAD, SILENT_SECONDS, Admission
from mlx_tts.server.answers import ApiError


class Clients:
    """Requests that hold a row until they are told to leave. order: whose turn came, in order."""

    def __init__(self, admission: Admission):
        self.admission = admission
        self.order: list[str] = []
        self.leaving: dict[str, asyncio.Event] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def come(self, *names: str) -> None:
        for name in names:
            self.leaving[name] = asyncio.Event()
            self.tasks[name] = asyncio.create_task(self._hold(name))
            await asyncio.sleep(0)

    async def _hold(self, name: str) -> None:
        async with self.admission.place(name.partition(" ")[0]):
            self.order.append(name)
            await self.leaving[name].wait()

    async def leave(self, name: str) -> None:
        self.leaving[name].set()
        await self.tasks[name]
        await asyncio.sleep(0)


def run(rows: int, play) -> Clients:
    async def start() -> Clients:
        clients = Clients(Admission(rows))
        await play(clients)
        for task in clients.tasks.values():
            task.cancel()
        await asyncio.gather(*clients.tasks.values(), return_exceptions=True)
        assert clients.admission.active == clients.admission.waiting == 0
        return clients

    return asyncio.run(start())


def test_rows_are_taken_in_the_order_of_coming():
    async def play(clients):
        await clients.come("a", "b", "c", "d")
        assert clients.order == ["a", "b"]
        assert (clients.admission.active, clients.admission.waiting) == (2, 2)
        await clients.leave("b")
        assert clients.order == ["a", "b", "c"]
        await clients.leave("a")
        assert clients.order == ["a", "b", "c", "d"]

    run(2, play)


def test_one_client_holds_a_quarter_while_others_wait():
    async def play(clients):
        await clients.come(*(f"a {number}" for number in range(12)))
        assert len(clients.order) == 8  # nobody else is there
        await clients.come("b 0", "b 1", "b 2", "c 0")
        for number in range(4):
            await clients.leave(f"a {number}")
        assert clients.order[8:] == ["b 0", "c 0", "b 1", "b 2"]  # the second of b comes behind the first of c

    run(8, play)


def test_too_many_are_refused_and_told_when_to_come_again():
    async def play(clients):
        admission = clients.admission
        await clients.come(*(f"a {number}" for number in range(1 + admission.most_waiting)))
        with pytest.raises(ApiError) as refused:
            async with admission.place("a"):
                pass
        assert refused.value.status == 429
        assert int(refused.value.headers["Retry-After"]) >= 1

    run(1, play)


def test_who_leaves_the_queue_holds_nothing():
    async def play(clients):
        await clients.come("a", "b", "c")
        clients.tasks["b"].cancel()
        await asyncio.sleep(0)
        assert clients.admission.waiting == 1
        await clients.leave("a")
        assert clients.order == ["a", "c"]

    run(1, play)


def test_who_leaves_in_the_moment_of_its_turn_holds_nothing():
    async def play(clients):
        await clients.come("a", "b", "c")
        clients.leaving["a"].set()
        await clients.tasks["a"]  # gives b its turn, which b has not noticed yet
        clients.tasks["b"].cancel()
        await asyncio.gather(clients.tasks["b"], return_exceptions=True)
        await asyncio.sleep(0)
        assert clients.order in (["a", "c"], ["a", "b", "c"])
        assert clients.admission.active == 1

    run(1, play)


class Speech:
    """A place whose pieces the test makes and ends."""

    def __init__(self, admission: Admission, client: str, seconds: float):
        self.over = asyncio.Event()
        self.place = None
        self.task = asyncio.create_task(self._hold(admission, client, seconds))

    async def _hold(self, admission, client, seconds):
        async with admission.place(client, seconds) as self.place:
            await self.over.wait()

    @property
    def speaks(self) -> bool:
        return self.place is not None and self.place.holds_row


def play(rows: int, game, live: int | None = None) -> None:
    async def start() -> None:
        admission = Admission(rows, None if live is None else lambda: live)
        speeches: list[Speech] = []

        async def come(client: str, seconds: float) -> Speech:
            speeches.append(Speech(admission, client, seconds))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            return speeches[-1]

        await game(come, admission)
        for speech in speeches:
            speech.task.cancel()
        await asyncio.gather(*(speech.task for speech in speeches), return_exceptions=True)
        assert admission.active == admission.waiting == 0

    asyncio.run(start())


BOOK, WORDS = 7000.0, 0.5  # seconds


def test_a_row_is_given_back_between_pieces():
    async def game(come, admission):
        book = await come("a", BOOK)
        short = await come("b", WORDS)
        assert (book.speaks, short.speaks) == (True, False)
        assert not book.place.take_row(time.monotonic() + 1)  # the piece is made: now the words have their turn
        await asyncio.sleep(0)
        assert (book.speaks, short.speaks) == (False, True)
        short.over.set()
        await short.task
        assert book.speaks

    play(1, game)


@pytest.mark.parametrize("addresses", [1, 8])
def test_beside_eight_books_there_is_a_row_for_a_few_words(addresses):
    async def game(come, admission):
        books = [await come(f"10.0.0.{number % addresses}", BOOK) for number in range(8)]
        assert sum(book.speaks for book in books) == 8
        assert (await come("b", WORDS)).speaks
        assert not (await come("b", WORDS)).speaks

    play(8, game)


@pytest.mark.parametrize(("live", "books", "words"), [(3, 3, 4), (1, 1, 2), (8, 8, 9)])
def test_as_many_speak_live_as_stay_in_real_time(live, books, words):
    async def game(come, admission):
        came = [await come(f"10.0.0.{number}", BOOK) for number in range(8)]
        assert sum(book.speaks for book in came) == books
        assert (await come("b", WORDS)).speaks  # one more for a moment
        assert admission.active == words

    play(8, game, live)


def test_short_ones_alone_take_all_rows():
    async def game(come, admission):
        came = [await come("a", WORDS) for number in range(9)]
        assert sum(words.speaks for words in came) == 8
        assert not came[0].place.take_row(time.monotonic())  # the ninth takes its row between two pieces
        await asyncio.sleep(0)
        assert came[8].speaks
        assert (await come("b", WORDS)).speaks  # who has no row does not wait for them
        came[1].over.set()
        await came[1].task
        assert not came[0].speaks  # nine hold rows, eight of them for good
        came[2].over.set()
        await came[2].task
        assert came[0].speaks  # the second piece is not limited either

    play(8, game, 1)


@pytest.mark.parametrize(("seconds", "speak"), [(BOOK, 2), (0.0, 2)])
def test_short_ones_beside_a_long_or_endless_one_are_as_many_as_stay_in_real_time(seconds, speak):
    async def game(come, admission):
        long = await come("a", seconds)
        for number in range(8):
            await come(f"10.0.0.{number}", WORDS)
        assert long.speaks and admission.active == speak

    play(8, game, 1)


@pytest.mark.parametrize("seconds", [BOOK, 0.0])
def test_a_long_one_that_waits_is_not_kept_out_by_ever_new_short_ones(seconds):
    async def game(come, admission):
        words = [await come(f"10.0.0.{number}", WORDS) for number in range(8)]
        await come("b", seconds)
        assert admission.active == 8
        for _ in range(6):
            words.append(await come("c", WORDS))
        for number in range(8):
            words[number].over.set()
            await words[number].task
        assert admission.active <= 3

    play(8, game, 2)


@pytest.mark.parametrize("addresses", [1, 50])
@pytest.mark.parametrize(("rows", "live"), [(1, 1), (8, 1), (8, 3)])
def test_ever_new_short_ones_do_not_keep_a_long_one_waiting_for_good(monkeypatch, rows, live, addresses):
    """After half a minute it has the next row, and another like it half a minute later."""

    async def game(come, admission):
        now = [1000.0]
        monkeypatch.setattr("mlx_tts.server.admission.time", SimpleNamespace(monotonic=lambda: now[0]))
        numbers = itertools.count()

        async def one_ends_and_another_comes():
            now[0] += 1
            words.append(await come(f"10.0.0.{next(numbers) % addresses}", WORDS))
            if (ending := next((speech for speech in words if speech.speaks), None)) is not None:
                words.remove(ending)
                ending.over.set()
                await ending.task

        words = [await come(f"10.0.0.{next(numbers) % addresses}", WORDS) for _ in range(rows + 3)]
        clients = ("10.0.0.0", "10.0.0.0") if addresses == 1 else ("b", "c")
        long = [await come(client, BOOK) for client in clients]
        while now[0] < 1030:
            await one_ends_and_another_comes()
            assert not any(speech.speaks for speech in long), "short ones go first"
        for _ in range(2 + rows - live):
            await one_ends_and_another_comes()
        assert [speech.speaks for speech in long] == [True, False]
        assert any(speech.speaks for speech in words) or rows == 1
        long[0].over.set()
        await long[0].task
        while now[0] < 1064 + rows - live:
            await one_ends_and_another_comes()
        assert long[1].speaks

    play(rows, game, live)


def test_files_that_are_fetched_take_rows_that_nobody_listens_to():
    async def game(come, admission):
        books = [await come("a", BOOK) for _ in range(8)]
        ahead = time.monotonic() + 60

        async def all_are_ahead():
            for book in [book for book in books if book.speaks]:
                book.place.take_row(ahead)
                await asyncio.sleep(0)

        assert sum(book.speaks for book in books) == 2
        for _ in range(8):
            await all_are_ahead()
        assert sum(book.speaks for book in books) == 8
        listeners = [await come("b", BOOK), await come("c", BOOK)]
        await all_are_ahead()
        assert all(listener.speaks for listener in listeners)
        await all_are_ahead()
        assert sum(book.speaks for book in books) == 0  # nothing is made beside those who listen

    play(8, game, 2)


def test_those_who_are_heard_go_before_long_newcomers():
    async def game(come, admission):
        first = await come("a", BOOK)
        newcomer = await come("b", BOOK)
        assert first.place.take_row(time.monotonic() + 2)
        assert not newcomer.speaks

    play(1, game)


def test_a_listener_is_not_kept_from_the_next_piece_by_ever_new_words(monkeypatch):
    async def game(come, admission):
        now = [1000.0]
        monkeypatch.setattr("mlx_tts.server.admission.time", SimpleNamespace(monotonic=lambda: now[0]))
        book = await come("a", BOOK)
        words = [await come("a", WORDS) for _ in range(3)]
        assert not book.place.take_row(now[0])
        await asyncio.sleep(0)
        assert words[0].speaks
        now[0] += 6  # the listener has heard nothing for so long
        words[0].over.set()
        await words[0].task
        assert book.speaks and not words[1].speaks
        assert book.place.take_row(now[0])  # it begins its piece on the row that it waited for
        await asyncio.sleep(0)
        assert book.speaks and not words[1].speaks
        assert not book.place.take_row(now[0])  # and when that is made, the words have their turn
        await asyncio.sleep(0)
        assert words[1].speaks

    play(1, game)


def test_a_row_that_a_stalled_reader_does_not_use_goes_to_others(monkeypatch):
    """A speech that was lent a row begins its next piece when it is read; one whose reader stood still kept the row."""

    async def game(come, admission):
        now = [1000.0]
        monkeypatch.setattr("mlx_tts.server.admission.time", SimpleNamespace(monotonic=lambda: now[0]))
        book, words = await come("a", BOOK), await come("b", WORDS)
        assert not book.place.take_row(now[0])
        await asyncio.sleep(0)
        assert words.speaks
        words.over.set()
        await words.task
        assert book.speaks and book.place.is_lent  # and nobody reads it
        others = [await come("b", WORDS), await come("c", WORDS)]
        now[0] += LENT_SECONDS / 2
        admission._lend_rows()
        assert book.speaks  # it may still come
        now[0] += LENT_SECONDS
        admission._lend_rows()
        await asyncio.sleep(0)
        assert [speech.speaks for speech in (book, *others)] == [False, True, False]
        assert not book.place.take_row(now[0])  # its reader is back, and waits like everybody
        now[0] += SILENT_SECONDS + 1
        others[0].over.set()
        await others[0].task
        assert book.speaks and book.place.take_row(now[0])

    play(1, game)


def test_a_newcomer_gets_an_unused_row_though_nothing_else_happens(monkeypatch):
    monkeypatch.setattr("mlx_tts.server.admission.LENT_SECONDS", 0.02)

    async def game(come, admission):
        book, words = await come("a", BOOK), await come("b", WORDS)
        assert not book.place.take_row(time.monotonic())
        words.over.set()
        await words.task
        newcomer = await come("c", WORDS)
        assert book.speaks and not newcomer.speaks
        async with asyncio.timeout(10):
            while not newcomer.speaks:
                await asyncio.sleep(0.01)
        assert not book.speaks

    play(1, game)


def test_who_holds_more_than_its_share_waits_behind_others():
    async def game(come, admission):
        books = [await come("a", BOOK) for _ in range(3)]
        other = await come("b", BOOK)
        assert not other.speaks
        assert not books[0].place.take_row(time.monotonic())
        await asyncio.sleep(0)
        assert other.speaks

    play(8, game, 3)


def test_what_one_client_holds_keeps_out_nobody_elses_few_words():
    """The row for a few words beside long texts went to a client whose own words had rows already."""

    async def game(come, admission):
        await come("a", BOOK)
        for _ in range(6):
            await come("a", WORDS)
        assert admission.active == 3
        others = [await come(f"10.0.0.{number}", WORDS) for number in range(4)]
        assert [other.speaks for other in others] == [True, True, True, False]  # as if the first one held its share

    play(8, game, 3)


def test_a_household_is_one_client():
    async def game(come, admission):
        for number in range(3):
            await come(f"2001:db8:1:2::{number:x}", BOOK)
        await come("::ffff:10.0.0.7", BOOK)
        await come("fe80::1%eth0", BOOK)
        assert admission._held == {"2001:db8:1:2::/64": 3, "10.0.0.7": 1, "fe80::/64": 1}

    play(8, game)


@pytest.mark.parametrize(("seconds", "rate", "wait"), [(30.0, 1.0, 30), (30.0, 0.5, 60), (0.1, 1.0, 1), (9e9, 1, 600)])
def test_a_refused_client_is_told_when_a_place_is_free(seconds, rate, wait):
    async def game(come, admission):
        for _ in range(17):
            await come("a", seconds)
        admission._rate = lambda rows: rate
        with pytest.raises(ApiError) as refused:
            async with admission.place("a", WORDS):
                pass
        assert int(refused.value.headers["Retry-After"]) == wait

    play(1, game)


def test_one_client_does_not_fill_the_queue_for_others():
    async def game(come, admission):
        for _ in range(17):
            await come("a", BOOK)
        others = [await come(f"10.0.0.{number}", WORDS) for number in range(17)]
        assert [other.task.done() for other in others] == [False] * 16 + [True]
        assert isinstance(others[-1].task.exception(), ApiError)

    play(1, game)


def test_refused_clients_are_told_of_one_end_after_the_other():
    """One place has room for one: all of them came at the same moment, and all but one were refused again."""

    async def game(come, admission):
        admission._rate = lambda rows: 1.0
        for _ in range(17):
            await come("a", 10.0)

        async def refused(client):
            with pytest.raises(ApiError) as error:
                async with admission.place(client, WORDS):
                    pass
            return int(error.value.headers["Retry-After"])

        assert [await refused("a") for _ in range(3)] == [10, 20, 30]
        for number in range(16):
            await come(f"10.0.0.{number}", WORDS)
        assert await refused("b") == 1  # one client's impatience is not another's
        assert [await refused("a") for _ in range(20)][-1] == MOST_SPREAD

    play(1, game)


@pytest.mark.parametrize(
    ("seconds", "rate", "wait"), [(5.0, 0.1, 7), (30.0, 0.02, 11), (30.0, 1.0, 11), (5.0, 1.0, 16)]
)
def test_who_would_wait_too_long_is_refused_at_once(seconds, rate, wait):
    """At most 300 s; a long one has its turn each half a minute at least."""

    async def game(come, admission):
        admission._rate = lambda rows: rate
        came = [await come("a", seconds) for _ in range(40)]
        assert sum(not speech.task.done() for speech in came) == 1 + wait
        assert all(isinstance(speech.task.exception(), ApiError) for speech in came if speech.task.done())

    play(1, game)


def test_who_has_waited_too_long_is_refused(monkeypatch):
    """Where nobody knows how fast it goes, the clock decides: every request is answered."""
    monkeypatch.setattr("mlx_tts.server.admission.MOST_WAIT_SECONDS", 0.05)

    async def game(come, admission):
        speaks, waits = await come("a", WORDS), await come("b", WORDS)
        with pytest.raises(ApiError) as refused:
            await asyncio.wait_for(waits.task, 5)
        assert refused.value.status == 429 and int(refused.value.headers["Retry-After"]) >= 1
        assert speaks.speaks and admission.waiting == 0

    play(1, game)
