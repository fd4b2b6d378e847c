"""Figures and lists of a report -> HTML. All text is escaped; nothing is loaded but the sounds next to the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

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


@dataclass(frozen=True)
class Section:
    """One figure: its bars (from, to, how many), and its ends with the lines there."""

    name: str
    unit: str
    bars: Sequence[tuple[float, float, int]]
    ends: Sequence[tuple[str, Sequence[Listed]]]


def page(
    facts: Mapping[str, str],
    sections: Sequence[Section],
    guarded: Sequence[Listed],
    failed: Sequence[Listed],
    failed_count: int,
    counts: Mapping[str, Counter[str]],
) -> str:
    """The whole page. counts: by the title of their section."""
    import jinja2

    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    return template.render(
        LIMITS,
        facts=facts,
        sections=sections,
        guarded=guarded,
        failed=failed,
        failed_count=failed_count,
        counts=counts,
    )
