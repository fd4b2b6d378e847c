"""One connection of a client alone, without a server process: how much of it is read ahead, and how fast."""

import asyncio
import contextlib
import gc
import socket
import time
import weakref
from types import SimpleNamespace

import pytest
import uvicorn
from uvicorn.server import ServerState

from mlx_tts.server import pace
from mlx_tts.server.pace import Pace
from mlx_tts.server.run import TURN_BYTES, BoundedProtocol, listening

REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
COUNT = 500


async def read_ahead(listens: bool, busy: bool = False) -> tuple[int, int]:
    """COUNT requests at once -> how many waited at most, and how many were answered. listens: whether the application
    looks meanwhile whether the client is there, as a speech does. busy: whether something is spoken."""
    protocols: list[BoundedProtocol] = []
    most = 0

    async def app(_scope, receive, send):
        nonlocal most
        await receive()
        gone = asyncio.create_task(receive()) if listens else None
        await asyncio.sleep(0.0001)
        most = max(most, *(len(protocol.pipeline) for protocol in protocols))
        await send({"type": "http.response.start", "status": 204, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})
        if gone is not None:
            await gone

    def protocol() -> BoundedProtocol:
        config = uvicorn.Config(app, http=BoundedProtocol, lifespan="off", log_config=None)
        config.load()
        protocols.append(BoundedProtocol(lambda: busy, config, ServerState(), {}))
        return protocols[-1]

    server = await asyncio.get_running_loop().create_server(protocol, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    writer.write(REQUEST * COUNT)
    answers = 0
    while answers < COUNT:
        answers += (await asyncio.wait_for(reader.read(1 << 16), 10)).count(b"HTTP/1.1 204")
    writer.close()
    server.close()
    return most, answers


@pytest.mark.parametrize("listens", [False, True])
def test_of_a_flood_of_requests_one_turn_is_read_ahead(listens):
    most, answers = asyncio.run(read_ahead(listens))
    assert answers == COUNT
    assert most <= TURN_BYTES // len(REQUEST) + 1


@pytest.mark.timed
@pytest.mark.parametrize("busy", [True, False])
def test_a_flood_of_requests_is_answered_at_a_pace_while_something_is_spoken(monkeypatch, busy):
    monkeypatch.setattr(pace.Pace.__init__, "__defaults__", (100, 250))
    at_pace = (COUNT - 100 - TURN_BYTES // len(REQUEST)) / 250
    assert at_pace > 1.3

    def takes_longer() -> bool:
        begin = time.monotonic()
        asyncio.run(read_ahead(False, busy))
        return time.monotonic() - begin > at_pace

    # A machine with much else to do may take as long as the pace would; the pace takes as long every time.
    assert takes_longer() if busy else not all(takes_longer() for _ in range(5))


@pytest.mark.parametrize(
    ("moments", "waits"),
    [
        ([0, 0, 0, 0, 0], [0, 0, 0.1, 0.2, 0.3]),  # two at once, then ten a second
        ([0, 0.1, 0.2, 0.3, 0.4], [0, 0, 0, 0, 0]),
        ([0, 0, 0, 9, 9, 9], [0, 0, 0.1, 0, 0, 0.1]),  # who was silent has a burst again
    ],
)
def test_a_burst_and_then_so_many_a_second(monkeypatch, moments, waits):
    now = iter([100 + moment for moment in moments])
    monkeypatch.setattr(pace, "time", SimpleNamespace(monotonic=lambda: next(now)))
    own = Pace(lambda: True, 2, 10)
    assert [own.wait_seconds() for _ in moments] == pytest.approx(waits)


def test_small_parts_are_sent_at_once():
    """Without TCP_NODELAY the body of each answer, and the first sound, wait for the client to confirm the headers."""

    async def connected() -> int:
        came = asyncio.get_running_loop().create_future()

        def connection(_reader, writer):
            came.set_result(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        with listening("127.0.0.1", 0, "--port") as listener:
            server = await asyncio.start_server(connection, sock=listener)
            _, writer = await asyncio.open_connection(*listener.getsockname())
            said = await came
            writer.close()
            server.close()
        return said

    assert asyncio.run(connected())


def test_nothing_of_a_refused_header_is_kept():
    """A timer held the connection for ten seconds: 1.3 MB each time, for twenty thousand header lines of six bytes."""

    async def run() -> bool:
        protocols: list[BoundedProtocol] = []
        config = uvicorn.Config(lambda: None, http=BoundedProtocol, lifespan="off", log_config=None)
        config.load()

        def protocol() -> BoundedProtocol:
            protocols.append(BoundedProtocol(lambda: False, config, ServerState(), {}))
            return protocols[-1]

        server = await asyncio.get_running_loop().create_server(protocol, "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 20_000)
        with contextlib.suppress(ConnectionResetError):
            await asyncio.wait_for(reader.read(), 5)
        await asyncio.sleep(0.05)
        kept = weakref.ref(protocols.pop())
        writer.close()
        server.close()
        gc.collect()
        return kept() is None

    assert asyncio.run(run())
