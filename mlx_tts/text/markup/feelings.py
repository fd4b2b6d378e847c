"""[whisper]...[/whisper] and other tags in a text -> how the words between them are said.

A tag with an end tag holds up to that. One that opens a sentence and has no end tag holds to the end of its paragraph,
or to the next such tag. Anywhere else a word in brackets is a word in brackets.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from mlx_tts.errors import RequestError
from mlx_tts.shortened import shown

LEAST_RATE, MOST_RATE = 0.5, 2.0
MOST_DECIBELS = 12.0
NAME = r"[^\W\d_](?:[\w'-]| (?=\w)){0,29}"
# No link or footnote of Markdown: "[sad](page)", "[sad]: page", "[sad][1]". Another tag may follow. An escaped one,
# "\[sad]", and "[[sad]]" are words.
TAG = re.compile(rf"(?<![\\\[])\[(?P<close>/)?(?P<tag>{NAME})\](?![(:{{]|\[(?!\[?/?[^\W\d_]))")
MOST_OPEN = 8  # one in the other; of more, the outer ones end
BEFORE = 40  # characters before a tag that are looked at
OPENS = re.compile(r"(?:\A|[\n.!?…:;\]。！？])[\s\"'“”„«»‘’(—–-]*\Z")


@dataclass(frozen=True)
class Feeling:
    """How words are said. names: of the tags, the outer ones first. instruct: for a model that follows instructions.
    rate, decibels: how many times as fast, and how much louder, the speech of any other model is made."""

    names: tuple[str, ...]
    instruct: str
    rate: float = 1.0
    decibels: float = 0.0

    def within(self, outer: Feeling | None) -> Feeling:
        """Both at once."""
        if outer is None or outer == self:
            return self
        return Feeling(
            outer.names + self.names,
            f"{outer.instruct} {self.instruct}".strip(),
            min(MOST_RATE, max(LEAST_RATE, outer.rate * self.rate)),
            min(MOST_DECIBELS, max(-MOST_DECIBELS, outer.decibels + self.decibels)),
        )


_TABLE = (
    ("whisper whispers whispering whispered", "Whisper.", 0.95, -8.0),
    ("soft softly quiet quietly gentle gently", "Speak softly and gently.", 0.97, -5.0),
    ("loud loudly", "Speak loudly.", 1.0, 5.0),
    ("shout shouts shouting shouted yelling", "Shout.", 1.03, 7.0),
    ("slow slowly", "Speak slowly.", 0.8, 0.0),
    ("fast quick quickly", "Speak fast.", 1.25, 0.0),
    ("sad sadly", "Speak sadly, in a low voice.", 0.9, -2.0),
    ("happy happily cheerful cheerfully", "Speak happily, with a smile.", 1.05, 1.0),
    ("excited excitedly", "Speak with excitement, quick and lively.", 1.1, 2.0),
    ("angry angrily", "Speak angrily.", 1.05, 4.0),
    ("calm calmly", "Speak calmly.", 0.93, -1.0),
    ("scared afraid fearful", "Speak with fear in your voice.", 1.08, -2.0),
    ("surprised", "Speak with surprise.", 1.05, 2.0),
    ("serious seriously", "Speak seriously.", 0.95, 0.0),
    ("tender tenderly", "Speak tenderly.", 0.93, -3.0),
    ("tired", "Speak as if very tired.", 0.88, -3.0),
    ("emphasis stressed", "Stress these words.", 0.92, 2.0),
)
FEELINGS: Mapping[str, Feeling] = {
    name: Feeling((names.split()[0],), instruct, rate, decibels)
    for names, instruct, rate, decibels in _TABLE
    for name in names.split()
}
SSML_EMPHASIS: Mapping[str, Feeling | None] = {
    "strong": Feeling(("emphasis",), "Stress these words strongly.", 0.88, 3.0),
    "moderate": FEELINGS["emphasis"],
    "reduced": Feeling(("reduced",), "Say these words without stress.", 1.05, -3.0),
    "none": None,
}


OWN = re.compile(
    rf"\s*(?P<tag>{NAME})\s*=\s*(?:(?P<rate>\d(?:\.\d{{1,3}})?)x(?=\s|\Z)\s*)?"
    r"(?:(?P<decibels>[+-]?\d{1,2}(?:\.\d)?)\s?dB(?=\s|\Z)\s*)?(?P<instruct>[^;]{0,500})\Z",
    re.IGNORECASE,
)


def read_feelings(written: str) -> dict[str, Feeling]:
    """A user's own tags, "gruff = 0.9x -3dB Speak in a gruff voice.; wry = Speak wryly." -> each by its name.
    RequestError for what cannot be read."""
    found: dict[str, Feeling] = {}
    for entry in written.split(";"):
        if not entry.strip():
            continue
        match = OWN.match(entry)
        rate = float(match["rate"] or 1) if match else 0.0
        decibels = float(match["decibels"] or 0) if match else 0.0
        if match is None or not LEAST_RATE <= rate <= MOST_RATE or abs(decibels) > MOST_DECIBELS:
            raise RequestError(
                f"the tag {shown(entry.strip())} cannot be read: write NAME = 0.9x -3dB INSTRUCTION, with a pace from "
                f"{LEAST_RATE:g}x to {MOST_RATE:g}x and at most {MOST_DECIBELS:g} dB; both may be left out"
            )
        found[_key(match)] = Feeling((_key(match),), match["instruct"].strip(), rate, decibels)
    return found


class Feelings:
    """The tags of one text, whose parts are read in order. known: the tags by name, in small letters. unknown: the
    names of tags that come in pairs and that nobody knows; their words are read."""

    def __init__(self, known: Mapping[str, Feeling]):
        self.known = known
        self.unknown: dict[str, None] = {}
        self._ends = Counter[str]()  # end tags that follow
        self._open: list[tuple[str, Feeling | None]] = []
        self._to_paragraph: Feeling | None = None

    def expect(self, text: str) -> None:
        """A part that follows: which of its tags have an end is known from here on."""
        if "[/" in text:
            self._ends.update(_key(match) for match in TAG.finditer(text) if match["close"])

    @property
    def now(self) -> Feeling | None:
        """What holds at this place of the text."""
        held = self._to_paragraph
        for _, feeling in self._open:
            held = feeling.within(held) if feeling is not None else held
        return held

    @property
    def ends_with_paragraph(self) -> bool:
        return self._to_paragraph is not None

    def end_paragraph(self) -> None:
        self._to_paragraph = None

    def take(self, match: re.Match[str]) -> bool:
        """Whether a match of TAG is a tag, which is not read aloud; `now` holds behind it."""
        return self._take_end(_key(match)) if match["close"] else self._take_begin(match)

    def _take_end(self, name: str) -> bool:
        self._ends[name] -= 1
        if any(opened == name for opened, _ in self._open):
            while self._open.pop()[0] != name:
                pass
            return True
        if name in self.known:
            self._to_paragraph = None
        return name in self.known or name in self.unknown

    def _take_begin(self, match: re.Match[str]) -> bool:
        name = _key(match)
        feeling = self.known.get(name)
        if self._ends[name] > 0:
            if feeling is None:
                self.unknown[name] = None
            self._open = [*self._open[-MOST_OPEN + 1 :], (name, feeling)]
            return True
        if feeling is not None and OPENS.search(match.string, max(0, match.start() - BEFORE), match.start()):
            self._to_paragraph = feeling
            return True
        return False


def _key(match: re.Match[str]) -> str:
    return match["tag"].casefold()
