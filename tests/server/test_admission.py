"""The queue alone: rows, places to wait, shares, and clients that leave while they wait."""

import asyncio

import pytest

from mlx_tts.server.admission import Admission
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
        async with self.admission.row(name.partition(" ")[0]):
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
        assert clients.order[8:] == ["b 0", "b 1", "c 0", "b 2"]  # the third of b comes behind the first of c

    run(8, play)


def test_too_many_are_refused_and_told_when_to_come_again():
    async def play(clients):
        admission = clients.admission
        await clients.come(*(f"client{number}" for number in range(1 + admission.most_waiting)))
        with pytest.raises(ApiError) as refused:
            async with admission.row("late"):
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
