"""Damaged and hostile input of every kind, from seeds -> a table of tried, right and wrong; what failed is kept.

    python scripts/attack.py --quick                   a minute: what CI runs
    python scripts/attack.py --all                     everything, some hours; the same command goes on where it stopped
    python scripts/attack.py checkpoints --count 200   some of one
    python scripts/attack.py checkpoints --number 17   one case again, with what it says

The state and the failures are kept in --folder; remove it to begin again. Needs a checkout with the development tools.
"""

from __future__ import annotations

import argparse
import json
import platform
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(attack.name for attack in ATTACKS)}")
    parser.add_argument("--all", action="store_true", help="every attack with all its cases")
    parser.add_argument("--quick", action="store_true", help="every attack with a few cases")
    parser.add_argument("--count", type=int, help="how many cases of each")
    parser.add_argument("--number", type=int, help="this case alone")
    parser.add_argument("--seed", type=int, default=0)
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
    print(HEAD)
    wrong = 0
    for attack in chosen:
        count = asked.count or (attack.quick if asked.quick else attack.count)
        tally = attack_with(attack, count, asked)
        wrong += tally.wrong
        print(tally.line(attack.name), flush=True)
        for what, value in sorted(tally.figures.items(), key=lambda figure: -figure[1])[:MOST_FIGURES]:
            print(f"    {attack.name}: {what} {value:.3f}", file=sys.stderr, flush=True)
        for number, fault in sorted(tally.faults.items())[:20]:
            print(f"    {attack.name} {number}: {fault}", file=sys.stderr, flush=True)
    return 1 if wrong else 0


def attack_with(attack: Attack, count: int, asked: argparse.Namespace) -> Tally:
    """Go on where the state file of this attack ends, and write it down now and then."""
    if asked.number is not None:
        tally = Tally()
        for _ in run_attack(attack, iter([asked.number]), asked.seed, asked.folder / "failures", tally):
            pass
        return tally
    path = asked.folder / f"{attack.name}-{asked.seed}.json"
    tally = Tally()
    if path.exists():
        stored = json.loads(path.read_text())
        tally = Tally(**{**stored, "faults": {int(number): fault for number, fault in stored["faults"].items()}})
    numbers = iter(range(tally.tried, count))
    written = time.monotonic()
    try:
        for _ in run_attack(attack, numbers, asked.seed, asked.folder / "failures", tally):
            if time.monotonic() - written > 5:
                path.write_text(json.dumps(asdict(tally)))
                written = time.monotonic()
    finally:
        path.write_text(json.dumps(asdict(tally)))
    return tally


if __name__ == "__main__":
    sys.exit(main())
