"""Reports of `mlx-tts bench --report` in, out: the table of machines in docs/macs.md.

python scripts/matrix.py benchmarks/reports            check all *.json there and write the table into docs/macs.md
python scripts/matrix.py report.json --check           check reports and print their rows; nothing is written

A report that cannot be true is refused with the reason: unknown or missing fields, values of a wrong kind, times that
contradict each other, weights that the chip's memory cannot be read that fast. Exit code 1 where one is refused.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "macs.md"
BEGIN, END = "<!-- written by scripts/matrix.py -->", "<!-- end of what is written -->"
MOST_BYTES = 20_000
# GB/s by Apple's own data sheets; of a name with several configurations the fastest.
BANDWIDTH = {
    "M1": 68, "M1 Pro": 200, "M1 Max": 400, "M1 Ultra": 800,
    "M2": 100, "M2 Pro": 200, "M2 Max": 400, "M2 Ultra": 800,
    "M3": 100, "M3 Pro": 150, "M3 Max": 400, "M3 Ultra": 819,
    "M4": 120, "M4 Pro": 273, "M4 Max": 546,
    "M5": 153,
}  # fmt: skip
TEXT = {
    "mlx_tts": r"\d+\.\d+\.\d+\S{0,20}",
    "mlx": r"\d+\.\d+\.\d+\S{0,20}",
    "python": r"3\.\d+\.\d+\S{0,10}",
    "system": r"(Darwin|Linux) [\w.+-]{1,40}",
    "chip": r"[\w ()@.,/+-]{1,80}",
    "backend": "cpu|metal|cuda",
    "model": r"[\w ./-]{1,80}",
    "family": r"\w{1,40}",
    "size": r"[\w.]{0,20}",
    "form": r"[\w ,-]{1,40}",
}
# Field -> least and most, both possible.
NUMBERS = {
    "memory_gib": (2, 4096),
    "bits": (2, 32),
    "frame_rate": (1, 200),
    "weights_gb": (0.001, 1000),
    "runs": (1, 1000),
    "seconds_of_speech": (0.2, 3600),
    "real_time_factor": (1e-4, 1000),
    "real_time_factor_least": (1e-4, 1000),
    "real_time_factor_most": (1e-4, 1000),
    "first_sound_ms": (0.5, 600_000),
    "peak_memory_gb": (0.01, 1000),
}
NAMES = "chip", "memory, GiB", "model", "bits", "form", "real-time factor", "first sound, ms", "peak, GB", "versions"
HEAD = f"| {' | '.join(NAMES)} |\n|---|--:|---|--:|---|--:|--:|--:|---|"


def fault(found: Any) -> str | None:
    """Why a report cannot be true; None where nothing speaks against it."""
    if not isinstance(found, dict) or found.get("schema") != 1:
        return "it is not a report of schema 1"
    known = {"schema", *TEXT, *NUMBERS}
    if odd := sorted(known ^ set(found)):
        return f"fields are missing or unknown: {', '.join(odd)[:200]}"
    for name, pattern in TEXT.items():
        if not isinstance(found[name], str) or not re.fullmatch(pattern, found[name], re.ASCII):
            return f"{name} is {str(found[name])[:60]!r}"
    for name, (least, most) in NUMBERS.items():
        value = found[name]
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return f"{name} is {str(value)[:60]!r}"
        if not least <= value <= most:
            return f"{name} is {value}, outside {least} to {most}"
    return _contradiction(found)


def _contradiction(found: Mapping[str, Any]) -> str | None:
    least, middle, most = (found[f"real_time_factor{end}"] for end in ("_least", "", "_most"))
    if not least <= middle <= most:
        return "the real-time factor is not between its least and its most"
    if found["first_sound_ms"] / 1e3 > most * found["seconds_of_speech"] * 1.05:
        return "the first sound comes after the last"
    if found["peak_memory_gb"] < 0.9 * found["weights_gb"]:
        return "the peak of memory is below the weights"
    if found["peak_memory_gb"] > 1.074 * found["memory_gib"] * 2:
        return "the peak of memory is beyond twice the machine's"
    if found["backend"] == "metal" and not found["system"].startswith("Darwin"):
        return "Metal runs on macOS alone"
    if found["backend"] == "cpu" and found["form"] not in ("plain", "plain, without fusions"):
        return "a CPU has the plain form alone"
    speed = bandwidth(found["chip"])
    # A frame reads a part of the weights at least once: the talker, which is a third of every model here or more.
    seconds = least / found["frame_rate"]
    if speed is not None and found["weights_gb"] / 3 / seconds > speed:
        return f"a frame in {1e3 * seconds:.2f} ms reads its weights faster than {found['chip']} can ({speed} GB/s)"
    return None


def bandwidth(chip: str) -> int | None:
    """Of an Apple chip, GB/s; None for others."""
    name = re.search(r"\bM\d+( Pro| Max| Ultra)?\b", chip)
    return BANDWIDTH.get(name[0]) if name else None


def row(found: Mapping[str, Any]) -> str:
    factor = (
        f"{found['real_time_factor']:.3f} ({found['real_time_factor_least']:.3f}-{found['real_time_factor_most']:.3f})"
    )
    cells = (
        found["chip"], f"{found['memory_gib']:.0f}", found["model"], found["bits"],
        f"{found['backend']}, {found['form']}", factor,
        f"{found['first_sound_ms']:.0f}", f"{found['peak_memory_gb']:.2f}",
        f"mlx-tts {found['mlx_tts']}, mlx {found['mlx']}, {found['system']}",
    )  # fmt: skip
    return f"| {' | '.join(str(cell) for cell in cells)} |"


def read(places: Iterable[Path]) -> tuple[list[dict[str, Any]], list[str]]:
    """Reports that can be true, and of each other file a line that says why not."""
    good, refused = [], []
    files = [file for place in places for file in (sorted(place.glob("*.json")) if place.is_dir() else [place])]
    for file in files:
        try:
            if file.stat().st_size > MOST_BYTES:
                raise ValueError(f"it has more than {MOST_BYTES} bytes")
            found = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            refused.append(f"{file.name}: {str(error)[:200]}")
            continue
        why = fault(found)
        refused += [f"{file.name}: {why}"] if why else []
        good += [] if why else [found]
    return good, refused


def table(reports: Iterable[Mapping[str, Any]]) -> str:
    order = ("chip", "memory_gib", "model", "bits", "backend", "form", "mlx_tts")
    rows = sorted(reports, key=lambda found: [str(found[name]) for name in order])
    return "\n".join([HEAD, *map(row, rows)]) if rows else "No report has come yet."


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("places", nargs="+", type=Path, help="reports, or folders of them")
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args(arguments)
    reports, refused = read(options.places)
    for line in refused:
        print(f"refused {line}", file=sys.stderr)
    if options.check:
        print(table(reports))
    else:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n\n{table(reports)}\n\n{END}{rest.partition(END)[2]}", encoding="utf-8")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
