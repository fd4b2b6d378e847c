"""Figures and lists of a report -> HTML. All text is escaped; nothing is loaded but the sounds beside the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from urllib.parse import quote

MOST_TEXT = 160  # characters of a text that are shown
MOST_NAMES = 30  # voices and machines
WIDTH, HEIGHT = 640, 160  # of a diagram
MOST_SHORT = 24  # characters that stand on one line
MOST_OPEN = 10  # failures that are shown at once; more are a click away, so that they do not push all else down

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem }
body { color: #1b1f24; background: #fff }
h1 { font-size: 1.6rem }
h2 { font-size: 1.2rem; margin-top: 2.5rem; border-top: 1px solid #d8dee4; padding-top: 1rem }
table { border-collapse: collapse; width: 100% }
table.pairs { width: auto }
table.pairs th { font-weight: normal; padding-right: 2rem }
table.pairs td { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
.short { white-space: nowrap }
.long { overflow-wrap: anywhere }
.wide { overflow-x: auto }
td, th { text-align: left; padding: .3rem .6rem .3rem 0; vertical-align: top; border-bottom: 1px solid #eaeef2 }
audio { height: 32px; width: 15rem }
svg { display: block; width: 40rem; max-width: 100%; height: auto }
details { margin: .5rem 0 }
rect { fill: #3b6ea8 }
text { font-size: 12px; fill: #57606a }
.text { color: #57606a }
summary { cursor: pointer }
@media (prefers-color-scheme: dark) {
  body { color: #e6edf3; background: #0d1117 }
  rect { fill: #6ea8e8 }
  text, .text { fill: #9198a1; color: #9198a1 }
  td, th, h2 { border-color: #30363d }
}
"""


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
    counts: Sequence[Counter[str]],
) -> str:
    """The whole page."""
    parts = ["<h1>Speech of a batch</h1>", _pairs(facts.items())]
    if failed:
        more = f", the first {len(failed):,} of {failed_count:,}" if failed_count > len(failed) else ""
        parts += [f"<h2>Not spoken{more}</h2>", _folded("Which, and why", failed, failed_count <= MOST_OPEN)]
    for section in sections:
        parts += [f"<h2>{escape(section.name)}</h2>", _diagram(section)]
        for title, entries in section.ends:
            parts.append(_folded(f"{title}, to listen to", entries))
    if guarded:
        parts += ["<h2>Where the guard intervened</h2>", _folded("Which, and why", guarded, len(guarded) <= MOST_OPEN)]
    for title, counted in zip(("Voices", "Made on"), counts, strict=True):
        shown = [(name, f"{number:,} lines") for name, number in counted.most_common(MOST_NAMES)]
        parts += [f"<h2>{title}</h2>", _pairs(shown)]
    policy = "default-src 'none'; style-src 'unsafe-inline'; media-src 'self' file:"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width"><title>Speech of a batch</title>'
        f"<style>{STYLE}</style></head><body>\n" + "\n".join(parts) + "\n</body></html>\n"
    )


def _pairs(pairs) -> str:  # type: ignore[no-untyped-def]  # of any pairs of strings
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in pairs)
    return f'<table class="pairs">{rows}</table>'


def _folded(title: str, entries: Sequence[Listed], is_open: bool = False) -> str:
    return f"<details{' open' if is_open else ''}><summary>{title}</summary>{_table(entries)}</details>"


def _table(entries: Sequence[Listed]) -> str:
    return f'<div class="wide"><table>{"".join(map(_row, entries))}</table></div>'


def _row(entry: Listed) -> str:
    text = entry.text if len(entry.text) <= MOST_TEXT else f"{entry.text[:MOST_TEXT]}…"
    player = ""
    if entry.file is not None:
        # "./" keeps a name with a colon from being read as the scheme of an address.
        player = f'<audio controls preload="none" src="./{escape(quote(entry.file))}"></audio>'
    return f'<tr>{_cell(entry.name)}{_cell(entry.what)}<td class="text">{escape(text)}</td><td>{player}</td></tr>'


def _cell(text: str) -> str:
    return f'<td class="{"short" if len(text) <= MOST_SHORT else "long"}">{escape(text)}</td>'


def _diagram(section: Section) -> str:
    """Bars over an axis with its ends and its middle."""
    most = max(count for _, _, count in section.bars) or 1
    width = WIDTH / len(section.bars)
    rects = []
    for place, (low, high, count) in enumerate(section.bars):
        height = HEIGHT * count / most
        rects.append(
            f'<rect x="{place * width:.1f}" y="{HEIGHT - height:.1f}" width="{width - 1:.1f}" height="{height:.1f}">'
            f"<title>{low:.2f} to {high:.2f} {escape(section.unit)}: {count:,}</title></rect>"
        )
    low, high = section.bars[0][0], section.bars[-1][1]
    marks = "".join(
        f'<text x="{x}" y="{HEIGHT + 16}" text-anchor="{anchor}">{value:.1f}</text>'
        for x, anchor, value in ((0, "start", low), (WIDTH / 2, "middle", (low + high) / 2), (WIDTH, "end", high))
    )
    label = f"How many lines by {section.name.lower()} in {section.unit}"
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT + 20}" role="img" aria-label="{escape(label)}">'
        f"{''.join(rects)}{marks}</svg><p class='text'>{escape(section.unit)}; the highest bar is {most:,} lines</p>"
    )
