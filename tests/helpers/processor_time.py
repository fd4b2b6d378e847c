"""A pytest plugin: what each test costs the processor, and a failure where a test that is not marked costs too much.

Seconds are those of the process with all its threads and children, so a test pays for the commands that it starts.
Set-up, call and clean-up are counted apart: a fixture that many tests share is paid for by whichever test comes first,
so only the call is held to `--most-seconds`, which are seconds of the machine that the table of CONTRIBUTING names: a
slower one, or one whose cores others share, may take as many times longer as it does for a fixed piece of work.
`--processor-time FILE` appends one JSON object for each test.
`--part 2/3` keeps the second third of the tests, by the seconds that are stored for each file.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Generator, Iterable
from pathlib import Path

import pytest

from tests.helpers.paths import ROOT

# {"all": {test file: seconds}, "short": the same without its `long` tests}; written by scripts/check.py --times
STORED = ROOT / "tests" / "processor_seconds.json"
# Seconds of the processor that `_work` takes on two quiet cores of an AMD EPYC, on which the limits were set.
WORK_SECONDS = 0.040
TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
BEGAN = time.monotonic()  # when this process, a worker or the only one, began
PHASES = ("setup", "call", "teardown")


def stored_seconds(run: str) -> dict[str, float]:
    """Test file -> seconds of the processor that it took once. run: "all", or "short" without its `long` tests."""
    return json.loads(STORED.read_text(encoding="utf-8"))[run]


def processor_seconds() -> float:
    """Seconds that this process and all its children have computed so far, in user and in system mode."""
    return sum(os.times()[:4]) + sum(_seconds_of(child) for child in _living_children(os.getpid()))


def _living_children(process: int) -> set[int]:
    """Children that still run: the system adds their time to ours only when they end. Empty where there is no /proc."""
    found: set[int] = set()
    for listing in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            children = {int(number) for number in listing.read_text().split()}
        except OSError:  # the thread or the process has ended meanwhile
            continue
        found |= children.union(*(_living_children(child) for child in children))
    return found


def _seconds_of(process: int) -> float:
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(int(ticks) for ticks in fields[11:15]) / TICKS_A_SECOND  # utime, stime, cutime, cstime


def slowness() -> float:
    """How many times longer this machine computes now than the one on which the limits were set; at least 1."""
    return max(1.0, _work() / WORK_SECONDS)


def _work() -> float:
    """Seconds of the processor for a fixed piece of work: the least of three, as a cache is cold at first."""
    seconds = []
    for _ in range(3):
        before = time.process_time()
        json.loads(json.dumps([{str(number): number * 0.5} for number in range(20_000)]))
        seconds.append(time.process_time() - before)
    return min(seconds)


def split(seconds: dict[str, float], parts: int) -> list[set[str]]:
    """Files in so many groups that take about as long: the longest file first, each to the group with the least."""
    groups: list[set[str]] = [set() for _ in range(parts)]
    sums = [0.0] * parts
    for name in sorted(seconds, key=lambda name: (-seconds[name], name)):
        least = sums.index(min(sums))
        groups[least].add(name)
        sums[least] += seconds[name]
    return groups


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--processor-time", metavar="FILE", help="append the processor seconds of each test to FILE")
    parser.addoption("--most-seconds", type=float, help="of the processor, for the call of a test that is not `slow`")
    parser.addoption("--long-until", type=float, metavar="SECONDS", help="start no `long` test later than that")
    parser.addoption("--part", metavar="K/N", help="run the K-th of N parts, which take about as long as each other")


def pytest_configure(config: pytest.Config) -> None:
    path = config.getoption("processor_time")
    if path and not hasattr(config, "workerinput"):  # under xdist all reports arrive at the controller
        config.pluginmanager.register(Record(Path(path)), "processor_time_record")
    if (until := config.getoption("long_until")) is not None:
        config.pluginmanager.register(LongUntil(until), "long_until")


class LongUntil:
    """Skips `long` tests that would begin after so many seconds of the run, and says so."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if time.monotonic() - BEGAN > self.seconds and item.get_closest_marker("long"):
            pytest.skip(f"NOT RUN: {self.seconds:.0f} s were over, for this machine is slow")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not (asked := config.getoption("part")):
        return
    number, parts = map(int, asked.split("/"))
    if not 1 <= number <= parts:
        raise pytest.UsageError(f"--part {asked}: the first number is from 1 to {parts}")
    stored = stored_seconds("short" if "not long" in config.getoption("markexpr", "") else "all")
    files = {_file_of(item) for item in items}
    own = split({name: stored.get(name, 1.0) for name in files}, parts)[number - 1]
    config.hook.pytest_deselected(items=[item for item in items if _file_of(item) not in own])
    items[:] = [item for item in items if _file_of(item) in own]


def _file_of(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


def measured_phases(record: str | None, most_seconds: float | None) -> tuple[str, ...]:
    """What has to be measured for these options: each look at the children costs half a millisecond."""
    return PHASES if record else ("call",) if most_seconds else ()


def _measured(item: pytest.Item, phase: str) -> Generator[None, object, object]:
    if phase not in measured_phases(item.config.getoption("processor_time"), item.config.getoption("most_seconds")):
        return (yield)
    before = processor_seconds()
    try:
        return (yield)
    finally:
        item.user_properties.append((f"processor_{phase}", round(processor_seconds() - before, 3)))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from _measured(item, "setup"))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from _measured(item, "call"))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from _measured(item, "teardown"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    most = item.config.getoption("most_seconds")
    seconds = dict(item.user_properties).get("processor_call", 0.0)
    if not most or report.when != "call" or not report.passed or item.get_closest_marker("slow"):
        return report
    if seconds > most and seconds > (most := most * slowness()):
        report.outcome = "failed"
        report.longrepr = (
            f"{item.nodeid} took {seconds:.1f} s of the processor and is not marked: at most {most:.1f} s are "
            "allowed. Make it cheaper, or mark it `slow` (or `long`, if a cheaper test protects the same)."
        )
    return report


class Record:
    """Writes what the tests cost, a line of JSON for each."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.outcomes: dict[str, str] = {}
        self.wall: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = report.nodeid
        self.wall[name] = self.wall.get(name, 0.0) + report.duration
        if report.outcome != "passed" or name not in self.outcomes:
            self.outcomes[name] = report.outcome
        if report.when != "teardown":
            return
        seconds = dict(report.user_properties)
        line = {"test": name, "outcome": self.outcomes.pop(name), "wall": round(self.wall.pop(name), 3)}
        line |= {phase: seconds.get(f"processor_{phase}", 0.0) for phase in PHASES}
        line["marks"] = sorted(mark for mark in ("slow", "long", "heard", "compiled") if mark in report.keywords)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def read_record(path: Path) -> Iterable[dict]:
    """What `--processor-time` wrote."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
