"""Rows of results -> one page to look at: how long, how fast, how loud; what to listen to; what failed.

The page needs no network and no script. It holds figures of all lines and the names of a few, so its size does not
grow with the number of lines. All text is escaped.
"""

from __future__ import annotations

import heapq
import math
from array import array
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from mlx_tts.batch.tables import SPOKEN

MOST_LISTED = 25  # of each kind of outlier
MOST_FAILED = 500
TEMPLATE = Path(__file__).with_suffix(".html")
LIMITS = {
    "most_text": 160,  # characters of a text that are shown
    "most_names": 30,  # voices and machines
    "most_short": 24,  # characters that stand on one line
    "most_open": 10,  # failures that are shown at once; more are a click away, so that all else stays in sight
    "width": 640,  # of a diagram
    "height": 160,
}


@dataclass(frozen=True, slots=True)
class Listed:
    """A line that the page names. file: from the page's folder, None where there is none. what: why it is listed."""

    name: str
    file: str | None
    text: str
    what: str


@dataclass
class Figure:
    """One measure of all lines. name, unit: as the page shows them. extremes: the lowest and the highest lines."""

    name: str
    unit: str
    values: array[float] = field(default_factory=lambda: array("f"))
    lowest: list[tuple[float, int, Listed]] = field(default_factory=list)
    highest: list[tuple[float, int, Listed]] = field(default_factory=list)

    def add(self, value: float, number: int, listed: Listed) -> None:
        self.values.append(value)
        _keep(self.highest, (value, number, listed))
        _keep(self.lowest, (-value, number, listed))

    @property
    def bars(self) -> list[tuple[float, float, int]]:
        """(from, to, how many) of equal ranges."""
        return bars(self.values)

    @property
    def ends(self) -> list[tuple[str, list[Listed]]]:
        """The lowest and the highest lines, the most extreme first."""
        ends = []
        for title, heap, sign in (("Lowest", self.lowest, -1), ("Highest", self.highest, 1)):
            entries = [
                replace(listed, what=f"{sign * value:.1f} {self.unit}")
                for value, _, listed in sorted(heap, key=lambda entry: entry[:2], reverse=True)
            ]
            ends.append((title, entries))
        return ends


def _keep(heap: list[tuple[float, int, Listed]], entry: tuple[float, int, Listed]) -> None:
    if len(heap) < MOST_LISTED:
        heapq.heappush(heap, entry)
    elif entry[:2] > heap[0][:2]:
        heapq.heapreplace(heap, entry)


class Report:
    """Takes rows one by one; `page` is the whole page."""

    def __init__(self) -> None:
        self.statuses: Counter[str] = Counter()
        self.machines: Counter[str] = Counter()
        self.voices: Counter[str] = Counter()
        self.duration = Figure("Duration", "seconds")
        self.rate = Figure("Speaking rate", "characters a second")
        self.loudness = Figure("Loudness", "LUFS")
        self.guarded: list[Listed] = []
        self.guarded_count = 0
        self.failed: list[Listed] = []
        self.bytes = 0
        self.seconds = 0.0
        self._number = 0

    def add(self, row: Mapping[str, Any]) -> None:
        """Take in a row of results."""
        self._number += 1
        self.statuses[str(row["status"])] += 1
        if row["status"] not in SPOKEN:
            if len(self.failed) < MOST_FAILED:
                self.failed.append(Listed(_name(row), None, str(row["text"] or ""), str(row["error"])))
            return
        seconds = float(row["seconds"])
        listed = Listed(_name(row), str(row["file"]), str(row["text"]), f"{seconds:.2f} s")
        self.seconds += seconds
        self.bytes += int(row["bytes"])
        self.machines[str(row["machine"])] += 1
        self.voices[str(row["voice"])] += 1
        self.duration.add(seconds, self._number, listed)
        if seconds > 0:
            self.rate.add(len(str(row["spoken"])) / seconds, self._number, listed)
        if row["lufs"] is not None:
            self.loudness.add(float(row["lufs"]), self._number, listed)
        self._add_guard(row, listed)

    def _add_guard(self, row: Mapping[str, Any], listed: Listed) -> None:
        guard = row["guard"] or {}
        if not (guard.get("faults") or guard.get("kept_fault")):
            return
        self.guarded_count += 1
        kept = guard.get("kept_fault")
        why = f"kept although the model {kept}" if kept else f"take {guard['takes']}: {'; '.join(guard['faults'])}"
        if kept or len(self.guarded) < MOST_LISTED:
            entry = Listed(listed.name, listed.file, listed.text, why)
            self.guarded = ([entry, *self.guarded] if kept else [*self.guarded, entry])[: 4 * MOST_LISTED]

    def page(self) -> str:
        """The page as HTML."""
        import jinja2

        lines = sum(self.statuses.values())
        spoken = sum(self.statuses[status] for status in SPOKEN)
        facts = {
            "lines": f"{lines:,}",
            "spoken": f"{spoken:,}",
            "not spoken": f"{lines - spoken:,}",
            "speech": f"{self.seconds / 3600:.2f} h" if self.seconds > 3600 else f"{self.seconds:.1f} s",
            "files": f"{self.bytes / 1e9:.2f} GB" if self.bytes > 1e9 else f"{self.bytes / 1e6:.1f} MB",
            "made again by the guard, or kept with a fault": f"{self.guarded_count:,}",
        }
        environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
        template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
        return template.render(
            LIMITS,
            facts=facts,
            figures=[figure for figure in (self.duration, self.rate, self.loudness) if figure.values],
            guarded=self.guarded,
            failed=self.failed,
            failed_count=lines - spoken,
            counts={"Voices": self.voices, "Made on": self.machines},
        )


def _name(row: Mapping[str, Any]) -> str:
    return f"{row['id']} (line {row['line']})" if row["id"] is not None else f"line {row['line']}"


def bars(values: array[float], count: int = 40) -> list[tuple[float, float, int]]:
    """Values -> (from, to, how many) of equal ranges. A few extremes do not squeeze all others into one bar: what lies
    beyond the middle 99 % is counted with the first and the last."""
    import numpy as np

    data = np.frombuffer(values, np.float32)
    low, high = np.percentile(data, [0.5, 99.5])
    if not math.isfinite(high - low) or high <= low:
        low, high = float(low) - 0.5, float(low) + 0.5
    counts, edges = np.histogram(np.clip(data, low, high), bins=count, range=(float(low), float(high)))
    return [(float(a), float(b), int(n)) for a, b, n in zip(edges[:-1], edges[1:], counts, strict=True)]
