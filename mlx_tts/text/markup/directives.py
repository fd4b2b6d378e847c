"""[pause 2s], [[slnc 500]], [voice:NAME] in a text -> passages of text with what stands before each."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

MOST_PAUSE_SECONDS = 60.0
DIRECTIVE = re.compile(
    r"\[\[?\s{0,4}(?:(?P<pause>pause|break|slnc|silence)(?:\s{1,4}|\s{0,4}[:=]\s{0,4})"
    r"(?P<time>\d{1,6}(?:\.\d{0,6})?|\.\d{1,6})\s{0,4}(?P<unit>ms|s|sec|seconds?)?"
    r"|voice\s{0,4}[:=]\s{0,4}(?P<voice>[^\[\]\n]{1,200}?)|(?P<end>/voice))\s{0,4}\]\]?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Passage:
    """Text with what holds for all of it. voice, language: None: as asked. pause_seconds: quiet before it, exactly.
    rate: times as fast. decibels: louder. new_paragraph: whether one begins with it. marks: names of places at its
    beginning. plain: words alone, in which no Markdown or HTML is looked for."""

    text: str
    voice: str | None = None
    language: str | None = None
    pause_seconds: float | None = None
    rate: float | None = None
    decibels: float | None = None
    new_paragraph: bool = False
    marks: tuple[str, ...] = ()
    plain: bool = False

    def same_form(self, other: Passage) -> bool:
        """Whether words of both may be spoken in one go."""
        mine = (self.voice, self.language, self.rate, self.decibels, self.plain)
        return mine == (other.voice, other.language, other.rate, other.decibels, other.plain)


def split_directives(passage: Passage) -> list[Passage]:
    """The passages that its directives cut it into; a voice goes on until the next, or until [/voice]."""
    if "[" not in passage.text:
        return [passage]
    passages: list[Passage] = []
    voice, pause, at = passage.voice, passage.pause_seconds, 0
    for match in DIRECTIVE.finditer(passage.text):
        if text := passage.text[at : match.start()]:
            heard = bool(text.strip())  # what stands between two directives may be white space alone
            passages.append(replace(passage, text=text, voice=voice, pause_seconds=pause if heard else None))
            pause = None if heard else pause
        at = match.end()
        if match["pause"]:
            pause = (pause or 0.0) + _seconds(match)
        else:
            voice = match["voice"].strip() if match["voice"] else passage.voice
    passages.append(replace(passage, text=passage.text[at:], voice=voice, pause_seconds=pause))
    return passages


def _seconds(match: re.Match[str]) -> float:
    """A bare number is milliseconds behind slnc, as Apple's speech commands have it, and seconds elsewhere."""
    unit = (match["unit"] or ("ms" if match["pause"].lower() == "slnc" else "s")).lower()
    seconds = float(match["time"]) / (1000 if unit == "ms" else 1)
    return min(seconds, MOST_PAUSE_SECONDS)
