"""Whose fault it is that /health is late: the server's stalls are found and the machine's load is not one of them."""

import os
import subprocess
import sys
import time

import pytest

from tests.attack.health import HealthClient, Parts

pytestmark = pytest.mark.timed

MOST_SECONDS = 0.1
STALL_SECONDS = 0.12
ASKS = 25
# A loop that answers, next to a thread that computes half of the time, as the engine does. `/KIND` stalls it once.
SERVER = f"""
import asyncio, sys, threading, time

def computing(seconds):
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        sum(range(1000))

def engine():
    while True:
        computing(0.004)
        time.sleep(0.004)

def holding_python():
    count, begin = 10_000, time.thread_time()
    sum(range(count))
    sum(range(int(count * {STALL_SECONDS} / max(1e-6, time.thread_time() - begin))))  # never gives Python back

def in_thread(work):
    threading.Thread(target=work).start()

STALLS = {{
    b"sleeping": lambda: time.sleep({STALL_SECONDS}),
    b"computing": lambda: computing({STALL_SECONDS}),
    b"holding": lambda: in_thread(holding_python),
}}

async def answer(reader, writer):
    while line := await reader.readline():
        while await reader.readline() != b"\\r\\n":
            pass
        computing(float(sys.argv[1]))
        writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok")
        if stall := STALLS.get(line.split()[1][1:]):
            asyncio.get_running_loop().call_later(0.002, stall)

async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    threading.Thread(target=engine, daemon=True).start()
    await asyncio.Event().wait()

asyncio.run(main())
"""
BURNER = "while True: pass"


@pytest.fixture
def one_processor():
    """This process and all that it starts share one, so that they wait for each other."""
    if not sys.platform.startswith("linux"):
        pytest.skip("Linux tells whose turn it was")
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    yield
    os.sched_setaffinity(0, before)


def asked(burners: int, stall: str | None = None, computing: float = 0.0, asks: int = ASKS) -> list[Parts]:
    """Ask so often, beside so many programs that compute all the time. computing: seconds that an answer takes."""
    server = subprocess.Popen([sys.executable, "-c", SERVER, str(computing)], stdout=subprocess.PIPE, text=True)
    burning = [subprocess.Popen([sys.executable, "-c", BURNER]) for _ in range(burners)]
    try:
        assert server.stdout is not None
        client = HealthClient(int(server.stdout.readline()), server.pid)
        client.ask()
        found = []
        for number in range(asks):
            if stall and number == asks // 2:
                assert client._client is not None
                client._client.request("GET", f"/{stall}")
                client._client.getresponse().read()
            found.append(client.ask())
            time.sleep(0.003)
        client.close()
        return found
    finally:
        for process in (server, *burning):
            process.kill()
            process.wait()


@pytest.mark.slow
@pytest.mark.smoke("sleeping-3", "holding-0")
@pytest.mark.parametrize("burners", [0, 3])
@pytest.mark.parametrize("stall", ["sleeping", "computing", "holding"])
def test_a_stall_of_the_server_is_its_own_fault(one_processor, stall, burners):
    found = max(asked(burners, stall), key=lambda parts: parts.own)
    assert found.own > MOST_SECONDS, found


def test_an_idle_machine_has_no_part(one_processor):
    found = max(asked(0), key=lambda parts: parts.own)
    assert found.own < MOST_SECONDS, found


@pytest.mark.slow
def test_other_programs_are_not_its_fault(one_processor):
    """A loop that computes a little waits behind the others, again and again."""
    found = asked(8, computing=0.012, asks=4)
    assert max(parts.clock for parts in found) > MOST_SECONDS, found
    assert max(parts.own for parts in found) < MOST_SECONDS, found


@pytest.mark.parametrize(
    ("parts", "own"),
    [
        (Parts(0.3), 0.3),
        (Parts(0.3, client_waited=0.25), 0.05),
        (Parts(0.3, loop_waited=0.25), 0.05),
        (Parts(0.3, loop_waited=0.25, computed=0.2), 0.25),
        (Parts(0.3, loop_waited=0.25, computed=0.2, processors=2), 0.15),
        (Parts(0.3, locked=0.25), 0.3),
        (Parts(0.3, others_waited=0.25), 0.3),
        (Parts(0.3, locked=0.25, others_waited=0.2), 0.1),
        (Parts(0.3, locked=0.25, others_waited=0.25, computed=0.12), 0.17),
        (Parts(0.3, client_waited=0.25, loop_waited=0.25), 0.0),
        (Parts(float("inf")), float("inf")),
    ],
)
def test_the_machines_part_is_left_out(parts, own):
    assert parts.own == pytest.approx(own)


def test_no_answer_is_for_ever(one_processor):
    client = HealthClient(1, os.getpid())
    assert client.ask().own == float("inf")
