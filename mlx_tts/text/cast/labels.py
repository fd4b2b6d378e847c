"""Quotations without a speaker, and a language model -> the same with the labels that it gave.

The model reads passages whose quotations are numbered, and answers with numbers and names. It sees copies: whatever it
answers, no word and no offset of the cast can change. What is no label of a quotation that was asked about is counted.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mlx_tts.errors import MlxTtsError
from mlx_tts.shortened import shortened
from mlx_tts.text.cast.cast_file import CastLine, Character
from mlx_tts.text.cutting.pieces import Chapter

MODEL_CONFIDENCE = 0.5  # below what rules need to be sure (resolving.SURE_ENOUGH)
PASSAGE = 3000  # characters from the first quotation that is asked about to the last
BEFORE, BEHIND = 1000, 400  # characters of the text around them
MOST_ASKED = 20  # quotations of a passage
NEAR = 100  # quotations on each side that are looked at for what stands around
LONGEST_PART = 800  # characters of a quotation or of what is told between two: the middle of a longer one is left out
MOST_NAMES = 40  # of those who speak most; whoever is named in the passage is listed as well
MOST_NONSENSE = 3  # passages in a row whose answer has no label
UNKNOWN = "unknown"
OBJECT = re.compile(r"\{[^{}]*\}")
TASK = """\
Who speaks in this passage of a book? Each quotation begins with its number in brackets, with the speaker where that \
is known, or with "?". Say for each quotation with "?" who speaks it.
Answer with a JSON object alone: the number of the quotation, and a name from the list, spelled as it is there, or \
"unknown" if the passage does not say. For example {"1": "unknown"}."""

Ask = Callable[[str, str], str]  # what the model is to do, and the passage -> its answer; MlxTtsError: none came


@dataclass(frozen=True)
class Labelled:
    """lines: all of the cast, those that were labelled with their speakers. passages, answered: how many there are, and
    how many of them the model answered. given: labels that were taken. ignored: parts of answers that were none.
    trouble: why it stopped before the end."""

    lines: tuple[CastLine, ...]
    passages: int
    answered: int = 0
    given: int = 0
    ignored: int = 0
    trouble: str | None = None


def label(
    lines: Sequence[CastLine],
    chapters: Sequence[Chapter],
    characters: Sequence[Character],
    model: str,
    ask: Ask,
    tell: Callable[[int, int], None] = lambda done, of: None,
) -> Labelled:
    """Ask about the quotations of which the rules are not sure. model: its name, for the evidence. tell: how many
    passages are done, and of how many. MlxTtsError: the first passage was not answered."""
    passages = list(_passages(lines))
    labels: dict[int, str] = {}
    answered = ignored = nonsense = 0
    trouble = None
    for done, asked in enumerate(passages):
        tell(done, len(passages))
        text = _numbered(lines, asked, chapters[lines[asked[0]].chapter - 1].text)
        names = _names(characters, text)
        if not names:
            break
        try:
            answer = ask(TASK, f"Characters:\n{_listed(names)}\n\nPassage:\n{text}")
        except MlxTtsError as error:
            if not answered:
                raise
            trouble = str(error)
            break
        answered += 1
        found, wrong = read_labels(answer, range(1, len(asked) + 1), [one.name for one in names])
        ignored += wrong
        labels |= {asked[number - 1]: name for number, name in found.items() if name is not None}
        nonsense = 0 if found else nonsense + 1
        if nonsense == MOST_NONSENSE:
            trouble = f"{nonsense} answers in a row have no label"
            break
    evidence = f"model {shortened(model, 60)}"
    return Labelled(
        tuple(
            replace(line, speaker=labels[at], confidence=MODEL_CONFIDENCE, evidence=evidence) if at in labels else line
            for at, line in enumerate(lines)
        ),
        len(passages),
        answered,
        len(labels),
        ignored,
        trouble,
    )


def recounted(characters: Sequence[Character], lines: Sequence[CastLine]) -> tuple[Character, ...]:
    """The characters with the lines that they have now, the most talkative first."""
    counts = Counter(line.speaker for line in lines if line.speaker)
    first = {line.speaker: f"chapter {line.chapter}, at {line.start}" for line in reversed(lines)}
    told = (replace(one, lines=counts[one.name], first=first.get(one.name)) for one in characters)
    return tuple(sorted(told, key=lambda one: -one.lines))


def _passages(lines: Sequence[CastLine]) -> Iterator[list[int]]:
    """The places in `lines` of quotations that stand near each other and have no speaker."""
    asked: list[int] = []
    for at, line in enumerate(lines):
        if not line.is_open:
            continue
        if asked:
            first = lines[asked[0]]
            if line.chapter != first.chapter or line.end - first.start > PASSAGE or len(asked) == MOST_ASKED:
                yield asked
                asked = []
        asked.append(at)
    if asked:
        yield asked


def _numbered(lines: Sequence[CastLine], asked: Sequence[int], text: str) -> str:
    """A copy of the passage in which each quotation that is asked about has its number, from 1, and others their
    speaker."""
    first, last = lines[asked[0]], lines[asked[-1]]
    begin, end = max(0, first.start - BEFORE), min(len(text), last.end + BEHIND)
    near = lines[max(0, asked[0] - NEAR) : asked[-1] + NEAR]
    inside = [line for line in near if line.chapter == first.chapter and line.end > begin]
    numbers = {lines[at]: number for number, at in enumerate(asked, 1)}
    parts, at = [], begin
    for line in inside:
        if line.start < at or line.end > end:
            continue
        parts.append(_cut(text[at : line.start]))
        said = _cut(text[line.start : line.end])
        mark = f"[{numbers[line]}: ?] " if line in numbers else f"[{line.speaker}] " if line.speaker else ""
        parts.append(mark + said)
        at = line.end
    return "".join(parts) + _cut(text[at:end])


def _cut(text: str) -> str:
    half = LONGEST_PART // 2
    return text if len(text) <= LONGEST_PART else f"{text[:half]} [...] {text[-half:]}"


def _names(characters: Sequence[Character], passage: str) -> list[Character]:
    return [
        one
        for place, one in enumerate(characters)
        if place < MOST_NAMES or any(name in passage for name in (one.name, *one.aliases))
    ]


def _listed(characters: Sequence[Character]) -> str:
    """A line for each: the name, the sex where it is known, and the aliases."""
    lines = []
    for one in characters:
        facts = [one.sex] if one.sex else []
        facts += [f"also called {', '.join(one.aliases[:5])}"] if one.aliases else []
        lines.append(f"- {one.name}" + (f" ({'; '.join(facts)})" if facts else ""))
    return "\n".join(lines)


def read_labels(answer: str, numbers: range, names: Sequence[str]) -> tuple[dict[int, str | None], int]:
    """The labels in an answer, None for "unknown", and how many parts of it are none. A model may think aloud in front
    of its answer: the last object is it. A number that is given two names has none."""
    objects = OBJECT.findall(answer)
    try:
        pairs: list[tuple[str, Any]] = json.loads(objects[-1], object_pairs_hook=list) if objects else []
    except (ValueError, RecursionError):
        pairs = []
    if not pairs:
        return {}, 1
    known: dict[str, str | None] = {name.casefold(): name for name in names} | {UNKNOWN: None}
    found: dict[int, str | None] = {}
    twice: set[int] = set()
    ignored = 0
    for key, value in pairs:
        number = int(key) if key.isascii() and key.isdigit() and len(key) < 6 else 0
        name = value.strip().casefold() if isinstance(value, str) else ""
        if number not in numbers or name not in known:
            ignored += 1
        elif number in found and found[number] != known[name]:
            ignored += 1
            twice.add(number)
        else:
            found[number] = known[name]
    return {number: name for number, name in found.items() if number not in twice}, ignored + len(twice)
