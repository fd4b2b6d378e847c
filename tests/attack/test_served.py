"""The verdicts on hostile sessions themselves: what is left behind or kept others waiting is found."""

import random
from dataclasses import replace
from types import SimpleNamespace

import pytest

from tests.attack import server as attacks
from tests.attack.memories import LOOKED_AT, MOST_A_SESSION, MOST_ABOVE, ROUNDS, fault_of, growth, is_below
from tests.attack.served import GONE, HEALTH, HELD, POOL_THREADS, Contention, Held, Watch
from tests.attack.server import JUDGED_AT, KINDS, Servers
from tests.attack.wire import Session, frame, pieces, request

pytestmark = pytest.mark.timed

BEFORE = Held(20, 10, 0, (), 300 << 20)


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """No process is asked here, so nothing happens in the time that a neighbour waits."""
    monkeypatch.setattr(attacks, "MOST_LATER", 0.0)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, None),
        ({"descriptors": 21}, "1 descriptors are left"),
        ({"descriptors": 19}, None),
        ({"threads": 10 + POOL_THREADS}, None),
        ({"threads": 11 + POOL_THREADS}, "threads are left"),
        ({"children": 1}, "1 child processes are left"),
        ({"files": ("mlx-tts-x",)}, "temporary files are left: mlx-tts-x"),
    ],
)
def test_what_is_left_is_said(changes, said):
    found = replace(BEFORE, **changes).more_than(BEFORE)
    assert (found is None) if said is None else (found is not None and said in found)


class Attacked:
    """Stands for the server's process. longest: what the watch says after a session; alone, first: when the neighbour
    hears something before a session and in it; left, health: the rest. tries: how many sessions there were. memory: after each
    session, as a function of how many there were."""

    def __init__(
        self, watch, longest=(), left=None, alone=0.2, first=0.2, health=200, memory=lambda sessions: BEFORE.memory
    ):
        self.watch, self.target = watch, SimpleNamespace(http=1, wyoming=1)
        self.longest, self.left, self.health = dict(longest), left, health
        self.alone, self.first, self.memory = alone, first, memory
        self.sessions = 0
        self.asked = 0

    @property
    def tries(self):
        return self.asked / 2

    def first_sound(self):
        self.asked += 1
        if self.asked % 2:
            return self.alone
        for which, seconds in self.longest.items():
            self.watch.longest(which, seconds)
        return self.first

    def settled(self, _before):
        self.sessions += 1
        return self.left

    def held(self):
        return replace(BEFORE, memory=self.memory(self.sessions))

    def get(self, _path):
        return self.health, b""


def verdict(tmp_path, session=lambda session: None, **how):
    attack = Servers()
    attack.served = Attacked(Watch(tmp_path / "watch"), **how)
    attack.kinds, attack._before, attack._known = {"kind": session}, BEFORE, BEFORE.memory
    attack._memories = []
    return attack.attempt(random.Random(0), tmp_path), attack


@pytest.mark.parametrize(
    ("how", "said", "tries"),
    [
        ({}, None, 1),
        ({"longest": {HEALTH: 0.09, HELD: 0.04}}, None, 1),
        ({"longest": {HEALTH: 0.11}}, "waited 110 ms for /health", 3),
        ({"longest": {HELD: 0.06}}, "held for 60 ms", 3),
        ({"first": 0.41}, "first sound after 0.41 s", 3),
        ({"first": 0.41, "alone": 0.21}, None, 1),
        ({"first": 0.41, "alone": 0.05}, "first sound after 0.41 s", 3),
        ({"first": float("inf")}, "first sound after inf s", 3),
        ({"left": "3 descriptors are left"}, "kind: 3 descriptors are left", 1),
        ({"health": 503}, "not well", 1),
    ],
)
def test_what_others_notice_is_said(tmp_path, how, said, tries):
    fault, attack = verdict(tmp_path, **how)
    assert (fault is None) if said is None else (fault is not None and said in fault)
    assert attack.served.tries == tries


MIB, KIB = 1 << 20, 1 << 10
NOISE = (0, 5, -3, 2, 6, -5, 1, 4, -2, 3)


def plateau(session: int) -> int:
    """Filled by the first nine sessions; noise of some MiB."""
    return BEFORE.memory + MIB * (min(10 * session, 90) + NOISE[session % 10] - 20)


def leak(kibs: int, every: int = 1, memory=lambda session: 300 * MIB):
    """So much more with each session, or that many times as much every so many of them."""
    return lambda session: memory(session) + session // every * every * kibs * KIB


@pytest.mark.parametrize("sessions", ROUNDS)
@pytest.mark.parametrize(
    ("memory", "grows"),
    [
        (lambda session: 300 * MIB, 0),
        (plateau, 0),
        (lambda session: 300 * MIB + 50 * MIB * (session % 40 == 17), 0),
        (leak(100), 100),
        (leak(2048, memory=plateau), 2048),
        (leak(200, every=5), 200),
    ],
    ids=["flat", "filled once", "peaks", "a small leak", "a leak in noise", "a leak in steps"],
)
def test_a_leak_grows_and_a_plateau_does_not(memory, grows, sessions):
    memories = [memory(session) for session in range(1, sessions + 1)]
    found, error = growth(memories)
    assert found / KIB == pytest.approx(grows, abs=2 * error / KIB + 1)
    assert (fault_of(memories) is not None) == bool(grows)
    assert not (grows and is_below(memories))


def test_one_step_tells_nothing_and_many_sessions_do():
    """What fills late may look like a leak, and more sessions tell."""
    step = [300 * MIB] * 60 + [306 * MIB] * 20
    assert fault_of(step) is None and not is_below(step)
    assert is_below([*step, *[306 * MIB] * 80])


def test_the_fault_says_the_figures():
    said = fault_of([leak(100)(session) for session in range(80)])
    assert said == (
        "memory grows by 100 KiB a session (error 0, at most 64 are allowed), and is 307 MiB after 80 of them"
    )


@pytest.mark.parametrize(
    ("memory", "said", "sessions"),
    [
        (lambda session: BEFORE.memory + LOOKED_AT, None, 1),
        (lambda session: BEFORE.memory + LOOKED_AT + 1, None, 1 + ROUNDS[0]),
        (lambda session: BEFORE.memory + LOOKED_AT + 1 + 6 * MIB * (session > 60), None, 1 + ROUNDS[1]),
        (leak(2 * MOST_A_SESSION // KIB, memory=lambda session: BEFORE.memory + LOOKED_AT), "kind: memory grows by 128 KiB", 1 + ROUNDS[-1]),
        (lambda session: BEFORE.memory + LOOKED_AT + 1 + 271 * KIB * min(session, 120), None, 1 + ROUNDS[-1]),
        (lambda session: BEFORE.memory + LOOKED_AT + 1 + 9 * MIB * sum(session > at for at in (70, 150, 300)), None, 1 + ROUNDS[-1]),
        (lambda session: BEFORE.memory + MOST_ABOVE + 1, "kind: the server holds 428 MiB, and 428 are allowed", 1),
    ],
    ids=["as known", "a plateau", "a late step", "a leak", "filled slowly", "not to be told", "too high a plateau"],
)  # fmt: skip
def test_who_leaves_memory_is_repeated(tmp_path, memory, said, sessions):
    fault, attack = verdict(tmp_path, memory=memory)
    assert (fault is None) if said is None else (fault is not None and fault.startswith(said))
    assert attack.served.sessions == sessions
    if said is None:
        assert attack.attempt(random.Random(1), tmp_path) is None
        assert attack.served.sessions == sessions + 1  # where it settled is known


@pytest.mark.parametrize(("kibs", "said"), [(20, None), (100, "in sessions of all kinds memory grows by 100 KiB")])
def test_a_whole_run_is_judged_too(tmp_path, kibs, said):
    memory = leak(kibs)
    _, attack = verdict(tmp_path, memory=memory)
    attack._known = 400 * MIB
    attack._memories = [memory(session) for session in range(1, JUDGED_AT[0])]
    attack.served.sessions = JUDGED_AT[0] - 1
    fault = attack.attempt(random.Random(0), tmp_path)
    assert (fault is None) if said is None else (fault is not None and said in fault)
    assert attack.figures["growth over the later half of 200 sessions of all kinds, KiB each"] == pytest.approx(kibs)


@pytest.mark.parametrize(
    ("seconds", "computed", "taken"),
    [(9.0, 0.5, 0.75 * (0.2 + 0.4) + 0.1), (9.0, 2.0, 0.1), (0.6, 0.5, 0.1)],
    ids=[
        "three quarters of the busy time were others'",
        "all of it was the server's",
        "it computed nearly all the time",
    ],
)
def test_what_other_programs_take_is_not_the_servers_fault(monkeypatch, seconds, computed, taken):
    """Two of its threads could not run for 0.2 and 0.4 s, and the neighbour's own for 0.1 s; one is new."""
    before = {"clock": 1.0, "busy": 1.0, "computed": 5.0, "own": 1.0, "7": 0.0, "8": 3.0}
    now = {"clock": 1 + seconds, "busy": 3.0, "computed": 5 + computed, "own": 1.1, "7": 0.2, "8": 3.4, "9": 70.0}
    looks = iter((before, before, now))
    monkeypatch.setattr(Contention, "_look", lambda _self: next(looks))
    contention = Contention(7, all_threads=True)
    contention._names = {"cpu0"}
    contention.begin()
    assert contention.seconds() == pytest.approx(taken)


def test_a_server_that_ended_is_said_and_started_again(tmp_path, monkeypatch):
    monkeypatch.setattr(Servers, "prepare", lambda attack, place: started.append(place))
    started = []
    attack = Servers()
    attack.place = tmp_path
    attack.served = Attacked(Watch(tmp_path / "watch"), left=f"{GONE} with -11")
    attack.kinds, attack._before, attack._memories = {"kind": lambda session: None}, BEFORE, []
    assert attack.attempt(random.Random(0), tmp_path) == f"kind: {GONE} with -11"
    assert started == [tmp_path]


def test_a_session_that_fails_itself_is_a_fault(tmp_path):
    def broken(session):
        raise KeyError("x")

    assert "the session itself: KeyError" in verdict(tmp_path, broken)[0]


def test_the_worst_is_kept(tmp_path):
    _, attack = verdict(tmp_path, longest={HEALTH: 0.07})
    assert attack.figures["/health beside kind, s"] == pytest.approx(0.07)


def test_there_are_more_than_forty_kinds_and_each_has_its_turn():
    names = [kind.__name__ for kind in KINDS]
    assert len(names) == len(set(names)) >= 60


def test_what_is_sent_is_what_is_meant():
    assert frame(b"ab") == b"\x81\x82" + bytes(4) + b"ab"
    assert frame(bytes(70_000), opcode=2)[:10] == b"\x82\xff" + (70_000).to_bytes(8, "big")
    assert request("GET", "/x") == b"GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n"
    data = random.Random(1).randbytes(500)
    assert b"".join(pieces(random.Random(2), data, 40)) == data


def test_a_session_closes_what_it_opened():
    session = Session(SimpleNamespace(http=1, wyoming=1), random.Random(0))
    connection = session.connect()  # nobody listens there
    assert not session.send(connection, b"x")
    session.close()
    assert connection.fileno() == -1
