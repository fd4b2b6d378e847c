"""What `pytest --processor-time FILE` recorded -> tests/processor_seconds.json, and the table in CONTRIBUTING.md.

python scripts/processor_times.py FILE           all tests; scripts/check.py --times makes the file and calls this
python scripts/processor_times.py FILE --some    some tests: only the seconds of their files, and no table
where no `long` test of a file was run, or none but these, what is stored of the others stays
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.helpers.processor_time import PHASES, STORED, read_record, stored_seconds  # noqa: E402 (found through the line above)

PAGE = ROOT / "CONTRIBUTING.md"
BEGIN, END = "<!-- written by scripts/check.py --times -->\n", "<!-- end of what is written -->\n"
FILES_SHOWN = 25


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record", type=Path)
    parser.add_argument("--some", action="store_true", help="not all tests were run")
    options = parser.parse_args(arguments)
    tests = read_record(options.record)
    short, long = ([test for test in tests if (kind(test) == "long") is is_long] for is_long in (False, True))
    seconds = with_stored(by_file(short), by_file(long)) if options.some else summed(by_file(short), by_file(long))
    STORED.write_text(json.dumps(seconds, indent=0, sort_keys=True) + "\n", encoding="utf-8")
    if options.some:
        return 0
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(before + BEGIN + table(tests) + END + after, encoding="utf-8")
    return 0


def seconds_of(test: dict) -> float:
    return sum(test[phase] for phase in PHASES)


def by_file(tests: list[dict]) -> dict[str, float]:
    """Test file -> processor seconds of all its tests with their fixtures."""
    seconds: dict[str, float] = defaultdict(float)
    for test in tests:
        seconds[test["test"].partition("::")[0]] += seconds_of(test)
    return {name: round(value, 1) for name, value in seconds.items()}


def summed(short: dict[str, float], long: dict[str, float]) -> dict[str, dict[str, float]]:
    """What is stored: the seconds of each file in both runs. long: of its `long` tests alone."""
    whole = {name: round(short.get(name, 0.0) + long.get(name, 0.0), 1) for name in {**short, **long}}
    return {"all": whole, "short": short}


def with_stored(short: dict[str, float], long: dict[str, float]) -> dict[str, dict[str, float]]:
    """The same where some tests were run: of the others in these files, and of other files, what is stored stays."""
    stored = stored_seconds("short")
    stored_long = {name: seconds - stored.get(name, 0.0) for name, seconds in stored_seconds("all").items()}
    return summed(stored | short, stored_long | long)


def kind(test: dict) -> str:
    return "long" if "long" in test["marks"] else "slow" if "slow" in test["marks"] else "unmarked"


def table(tests: list[dict]) -> str:
    """Sums by mark, and the files that cost most, in Markdown."""
    lines = [f"Measured on {machine()}.\n", "| tests | how many | processor seconds |", "|---|--:|--:|"]
    for name in ("unmarked", "slow", "long"):
        of_kind = [test for test in tests if kind(test) == name]
        lines.append(f"| {name} | {len(of_kind)} | {sum(map(seconds_of, of_kind)):.0f} |")
    lines += ["", "| file | processor seconds | without `long` | slowest test | its call |", "|---|--:|--:|---|--:|"]
    grouped: dict[str, list[dict]] = defaultdict(list)
    for test in tests:
        grouped[test["test"].partition("::")[0]].append(test)
    costs = by_file(tests)
    for name in sorted(grouped, key=lambda name: -costs[name])[:FILES_SHOWN]:
        own = grouped[name]
        short = sum(seconds_of(test) for test in own if kind(test) != "long")
        slowest = max(own, key=lambda test: test["call"])
        test_name = slowest["test"].partition("::")[2].partition("[")[0]
        path = name.removeprefix("tests/")
        lines.append(f"| `{path}` | {costs[name]:.0f} | {short:.0f} | `{test_name}` | {slowest['call']:.1f} |")
    return "\n".join(lines) + "\n"


def machine() -> str:
    """The processor's name, how many cores there are, the system and the Python."""
    if sys.platform == "darwin":
        name = subprocess.run(
            ["sysctl", "-n", "machdep.cpu.brand_string"], capture_output=True, text=True
        ).stdout.strip()
    else:
        found = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
        name = found[0].partition(":")[2].strip() if found else platform.machine()
    return f"{name}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


if __name__ == "__main__":
    sys.exit(main())
