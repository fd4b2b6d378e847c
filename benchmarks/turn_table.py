"""figures.jsonl of a run in turns in; out: a table of medians, and of ratios within each turn.

python benchmarks/turn_table.py FIGURES --ratio plain/bare mlx-audio/plain mlx-audio/fused
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections import defaultdict
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figures", type=Path)
    parser.add_argument("--ratio", nargs="*", default=[], help="NAME/NAME")
    options = parser.parse_args()
    found: dict[str, dict[str, dict[str, float]]] = defaultdict(dict)
    if options.figures.exists():
        for line in options.figures.read_text(encoding="utf-8").splitlines():
            figures = json.loads(line)
            found[figures["name"]][figures["turn"]] = figures
    print("| what | median of turns | each turn |\n|---|---|---|")
    for name, turns in found.items():
        for figure in [key for key in next(iter(turns.values())) if key in ("ms", "times_real_time")]:
            values = [figures[figure] for figures in turns.values() if figure in figures]
            each = ", ".join(f"{value:.2f}" for value in values)
            print(f"| {name}, {figure} | {statistics.median(values):.2f} | {each} |")
    for ratio in options.ratio:
        above, below = (found.get(name, {}) for name in ratio.split("/"))
        shared = [above[turn]["ms"] / below[turn]["ms"] for turn in above if turn in below]
        if shared:
            each = ", ".join(f"{value:.2f}" for value in shared)
            print(f"| {ratio} | {statistics.median(shared):.2f} | {each} |")


if __name__ == "__main__":
    main()
