"""Damaged and hostile input of every kind, from seeds -> a table of tried, right and wrong; what failed is kept.

    python scripts/attack.py --quick                    a minute: what CI runs
    python scripts/attack.py --all                      everything, some hours; goes on where it stopped
    python scripts/attack.py checkpoints --count 200    some of one
    python scripts/attack.py checkpoints --number 17    one case again, with what it says
    python scripts/attack.py server --parts 8           in eight processes at once, each with processors of its own
    python scripts/attack.py server --part 3/8          every eighth case from the third on, on some other machine
    python scripts/attack.py server --sum               what all parts in --folder have found, of all seeds

After --parts, what is wrong by the clock alone is tried once more, with nothing beside it. The state and the failures
are kept in --folder; remove it to begin again. Needs a checkout with the development tools.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.attack.every import ATTACKS  # noqa: E402 (found through the line above)
from tests.attack.faults import can_trace  # noqa: E402
from tests.attack.harness import HEAD, Attack, Tally, run_attack  # noqa: E402

MOST_FIGURES = 40  # the largest
BY_THE_CLOCK = "another client"  # begins what is said of a server at which somebody else waited


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(attack.name for attack in ATTACKS)}")
    parser.add_argument("--all", action="store_true", help="every attack with all its cases")
    parser.add_argument("--quick", action="store_true", help="every attack with a few cases")
    parser.add_argument("--count", type=int, help="how many cases of each")
    parser.add_argument("--number", type=int, help="this case alone")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--part", type=part, default=(1, 1), metavar="K/N", help="every N-th case, from the K-th on")
    parser.add_argument("--parts", type=int, default=1, metavar="N", help="all parts at once, a process each")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no case later than that")
    parser.add_argument("--sum", action="store_true", help="try nothing, and add up what is in --folder")
    parser.add_argument("--folder", type=Path, default=Path("attack"), help="where state and failures are kept")
    asked = parser.parse_args()
    unknown = set(asked.names) - {attack.name for attack in ATTACKS}
    if unknown or not (asked.names or asked.all or asked.quick):
        parser.error(f"no attack {', '.join(unknown)}" if unknown else "name attacks, or give --all or --quick")
    chosen = [attack for attack in ATTACKS if not asked.names or attack.name in asked.names]
    asked.folder.mkdir(parents=True, exist_ok=True)
    print(
        f"{platform.platform()}, Python {platform.python_version()}, seed {asked.seed}, {time.strftime('%Y-%m-%d')}\n"
    )
    if not can_trace() and any(attack.traced for attack in chosen):
        print("SKIPPED: strace is not installed or not allowed here, so nothing looks at sockets and files outside\n")
    if asked.parts > 1:
        run_parts(asked)
        for attack in chosen:
            try_alone(attack, asked)
    summed = asked.sum or asked.parts > 1
    print(HEAD)
    wrong = 0
    for attack in chosen:
        count = asked.count or (attack.quick if asked.quick else attack.count)
        tally = sum_of(attack, asked) if summed else attack_with(attack, count, asked)
        wrong += tally.wrong
        print(tally.line(attack.name), flush=True)
        for what, value in sorted(tally.figures.items(), key=lambda figure: -figure[1])[:MOST_FIGURES]:
            print(f"    {attack.name}: {what} {value:.3f}", file=sys.stderr, flush=True)
        for number, fault in sorted(tally.faults.items())[:20]:
            print(f"    {attack.name} {number}: {fault}", file=sys.stderr, flush=True)
    return 1 if wrong else 0


def part(text: str) -> tuple[int, int]:
    """ "3/8" -> 3 and 8."""
    number, _, count = text.partition("/")
    if not 1 <= int(number) <= int(count):
        raise ValueError(text)
    return int(number), int(count)


def run_parts(asked: argparse.Namespace) -> None:
    """Every part in a process of its own until all have ended; what they print is in the folder."""
    given = [
        word
        for option in ("count", "seed")
        if (value := getattr(asked, option)) is not None
        for word in (f"--{option}", str(value))
    ]
    given += ["--quick"] if asked.quick else ["--all"] if asked.all else []
    given += ["--seconds", str(asked.seconds), "--folder", str(asked.folder)]
    running = []
    for number in range(1, asked.parts + 1):
        line = [sys.executable, __file__, *asked.names, *given, "--part", f"{number}/{asked.parts}"]
        with (asked.folder / f"part-{number}.log").open("w") as log:
            process = subprocess.Popen(line, stdout=log, stderr=subprocess.STDOUT)
        give_processors(process.pid, number - 1, asked.parts)
        running.append(process)
    try:
        for process in running:
            process.wait()
    finally:
        for process in running:
            process.send_signal(signal.SIGINT)  # it writes down what it has, and ends its own


def try_alone(attack: Attack, asked: argparse.Namespace) -> None:
    """Try the cases again, one by one, that are wrong by the clock alone: the other parts took some of their time."""
    for path in sorted(asked.folder.glob(f"{attack.name}-{asked.seed}-*of{asked.parts}.json")):
        tally = read_tally(path)
        for number, fault in sorted(tally.faults.items()):
            if BY_THE_CLOCK not in fault:
                continue
            again = Tally()
            for _ in run_attack(attack, iter([number]), asked.seed, asked.folder / "failures", again):
                pass
            print(
                f"{attack.name} {number}, alone: {again.faults.get(number, 'right')}; beside the others: {fault}",
                flush=True,
            )
            if again.right:
                del tally.faults[number]
                tally.right += 1
            else:
                tally.faults[number] = again.faults[number]
        path.write_text(json.dumps(asdict(tally)))


def give_processors(process: int, number: int, parts: int) -> None:
    """Its share of the processors, at least one, so that the parts do not wait for each other."""
    if not hasattr(os, "sched_setaffinity"):
        return
    processors = sorted(os.sched_getaffinity(0))
    if parts >= len(processors):
        share = {processors[number % len(processors)]}
    else:
        share = set(processors[number * len(processors) // parts : (number + 1) * len(processors) // parts])
    os.sched_setaffinity(process, share)


def sum_of(attack: Attack, asked: argparse.Namespace) -> Tally:
    """Of all parts and seeds in the folder."""
    whole = Tally()
    for path in sorted(asked.folder.rglob(f"{attack.name}-[0-9]*.json")):
        whole.add(read_tally(path))
    return whole


def read_tally(path: Path) -> Tally:
    stored = json.loads(path.read_text())
    return Tally(**{**stored, "faults": {int(number): fault for number, fault in stored["faults"].items()}})


def attack_with(attack: Attack, count: int, asked: argparse.Namespace) -> Tally:
    """Go on where the state file of this attack ends, and write it down now and then."""
    if asked.number is not None:
        tally = Tally()
        for _ in run_attack(attack, iter([asked.number]), asked.seed, asked.folder / "failures", tally):
            pass
        return tally
    number, parts = asked.part
    path = asked.folder / (f"{attack.name}-{asked.seed}" + (f"-{number}of{parts}" if parts > 1 else "") + ".json")
    tally = read_tally(path) if path.exists() else Tally()
    numbers = iter(range(number - 1, count, parts)[tally.tried :])
    begin = written = time.monotonic()
    try:
        for _ in run_attack(attack, numbers, asked.seed, asked.folder / "failures", tally):
            if time.monotonic() - written > 5:
                path.write_text(json.dumps(asdict(tally)))
                written = time.monotonic()
            if time.monotonic() - begin > asked.seconds:
                break
    finally:
        path.write_text(json.dumps(asdict(tally)))
    return tally


if __name__ == "__main__":
    sys.exit(main())
