"""A script (`NAME: text`, Markdown with speakers, Fountain) -> chapters whose spans say who speaks.

The labels are left out of the text, and so are stage directions in brackets; every other word stays.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from mlx_tts.errors import RequestError
from mlx_tts.text.cutting.pieces import Chapter, VoiceSpan
from mlx_tts.text.markup.directives import DIRECTIVE, is_ssml

FOUNTAIN = (".fountain", ".spmd")
NARRATOR = "narrator"
HEADING = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]+(\S.*?)[ \t#]*")
LABEL = re.compile(
    r"[ \t]{0,8}(?:[-*+>][ \t]{1,4})?(?P<bold>\*\*|__)?(?P<name>[^\W\d_][\w .'’&-]{0,39}?)"
    r"(?:[ \t]{0,3}\([^()\n]{1,60}\))?(?(bold)(?:\*\*|__)?)[ \t]{0,3}[:：](?!(?<=\d:)\d)(?(bold)(?:\*\*|__)?)(?!//)"
    r"[ \t]*(?P<text>.*)"
)
ROW = re.compile(r"[ \t]*\|([^|\n]{1,80})\|([^|\n]{1,200})\|[ \t]*")
DIRECTION = re.compile(r"[ \t]*\([^()\n]{1,300}\)[ \t]*")
SCENE = re.compile(r"(?:INT|EXT|EST|I/E|INT\.?/EXT)[. ]", re.IGNORECASE)
BONEYARD = re.compile(r"/\*.*?\*/", re.DOTALL)
NOTE = re.compile(r"\[\[(?:(?!\[\[|\]\]).){0,5000}\]\]", re.DOTALL)
TITLE_PAGE = re.compile(r"(?:[A-Z][\w ]{0,30}:.*\n(?:(?:\t|   ).*\n)*)+\n")
MOST_WORDS = 4  # of a name
# What stands before a colon in a script and is nobody's name, unless it stands there again or a cast names it.
REMARKS = frozenset((
    "note", "notes", "ps", "p.s", "nb", "n.b", "warning", "title", "scene", "setting", "place", "time", "date",
    "source", "hinweis", "anmerkung", "titel", "szene", "ort", "zeit", "remarque", "titre", "scène", "lieu", "nota",
    "título", "escena", "escenario", "titolo", "scena", "luogo", "cena", "примечание", "сцена", "место", "время",
))  # fmt: skip


@dataclass(frozen=True)
class Dialogue:
    """chapters: `VoiceSpan.voice` is the speaker's name here. speakers: in the order of their first lines. voices: what
    a table in the script says. left_out: how many stage directions are not read."""

    chapters: list[Chapter]
    speakers: tuple[str, ...]
    voices: dict[str, str]
    left_out: int = 0


@dataclass
class _Lines:
    """Paragraphs as they are read: who speaks (None: the narrator), the level of a heading or 0, the words."""

    found: list[tuple[str | None, int, str]] = field(default_factory=list)
    left_out: int = 0
    spelled: dict[str, str] = field(default_factory=dict)  # folded names -> as they stand first

    def add(self, speaker: str | None, text: str, level: int = 0) -> None:
        if text.strip():
            if speaker is not None:
                speaker = self.spelled.setdefault(speaker.casefold(), speaker)
            self.found.append((speaker, level, text.strip()))

    def without_directions(self, text: str) -> str:
        """A line without the brackets that it begins with, or that are all of it."""
        match = DIRECTION.match(text)
        while match:
            self.left_out += 1
            text = text[match.end() :]
            match = DIRECTION.match(text)
        return text


def read_dialogue(text: str, ending: str = "", known: Iterable[str] = ()) -> Dialogue:
    """known: speakers that a cast names. RequestError where nobody speaks, or where the text is SSML."""
    if is_ssml(text):
        raise RequestError("--dialogue reads scripts, and this is SSML, which has <voice>: leave --dialogue out")
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = _Lines()
    table: dict[str, str] = {}
    if ending in FOUNTAIN or _looks_like_fountain(text):
        _read_fountain(text, lines)
    else:
        rest, table = _without_table(text)
        _read_labels(rest, {*table, *known}, lines)
    speakers = tuple(dict.fromkeys(speaker for speaker, _, _ in lines.found if speaker is not None))
    if not speakers:
        raise RequestError("nobody speaks in this text: --dialogue needs lines such as `ANN: Hello.`, or Fountain")
    return Dialogue(_chapters(lines), speakers, table, lines.left_out)


def one_chapter_a_speaker(dialogue: Dialogue, narrator: str = "Narrator") -> list[Chapter]:
    """All lines of each speaker as a chapter that has the speaker's name."""
    said: dict[str | None, list[str]] = {}
    for chapter in dialogue.chapters:
        at = 0
        for start, end, speaker in chapter.voices:
            said.setdefault(None, []).append(chapter.text[at:start].strip())
            said.setdefault(speaker, []).append(chapter.text[start:end])
            at = end
        said.setdefault(None, []).append(chapter.text[at:].strip())
    chapters = []
    for name, texts in said.items():
        text = "\n\n".join(filter(None, texts))
        if text:
            spans = () if name is None else (VoiceSpan(0, len(text), name),)
            chapters.append(Chapter(narrator if name is None else name, text, voices=spans))
    return chapters


def _without_table(text: str) -> tuple[str, dict[str, str]]:
    """The text, and the voices of a Markdown table "| speaker | voice |" in it."""
    kept, table, inside = [], {}, False
    for line in text.split("\n"):
        row = ROW.fullmatch(line)
        cells = [cell.strip(" *`_") for cell in row.groups()] if row else []
        if cells and cells[0].casefold() in ("speaker", "name", "character") and cells[1].casefold() == "voice":
            inside = True
        elif inside and cells:
            if not set("".join(cells)) <= set(":- "):
                table[cells[0]] = cells[1]
        else:
            inside = False
            kept.append(line)
    return "\n".join(kept), table


def _labels(lines: Iterable[str], known: Iterable[str]) -> set[str]:
    """The names in front of colons that are speakers: those that are known, in capitals, or there twice; all of them
    where half of the lines have one, but for words such as "Note"."""
    written = [line for line in lines if line.strip() and not HEADING.fullmatch(line)]
    counts = Counter(found for found in map(_label, written) if found)
    wanted = {name.casefold() for name in known}
    if 2 * counts.total() >= len(written):
        return {
            name
            for name, count in counts.items()
            if count > 1 or name.casefold() in wanted or name.casefold() not in REMARKS
        }
    return {name for name, count in counts.items() if count > 1 or name.isupper() or name.casefold() in wanted}


def _label(line: str) -> str | None:
    match = LABEL.fullmatch(line)
    if match is None or DIRECTIVE.match(line.lstrip()):
        return None
    words = match["name"].split()
    of_name = len(words) <= MOST_WORDS and all(not word[0].islower() for word in words)
    return match["name"].strip() if of_name else None


def _read_labels(text: str, known: set[str], lines: _Lines) -> None:
    """A speaker goes on until the next one; a heading is the narrator's."""
    written = text.split("\n")
    names = _labels(written, known)
    spelled: dict[str, str] = {name.casefold(): name for name in known}
    for name in sorted(names):
        spelled.setdefault(name.casefold(), name)
    speaker: str | None = None
    paragraph: list[str] = []

    def end() -> None:
        lines.add(speaker, " ".join(filter(None, paragraph)))
        paragraph.clear()

    for line in written:
        heading = HEADING.fullmatch(line)
        label = LABEL.fullmatch(line) if _label(line) in names else None
        if heading:
            end()
            speaker = None
            lines.add(None, line.strip(), len(heading[1]))
        elif label:
            end()
            name = spelled[label["name"].strip().casefold()]
            speaker = None if name.casefold() == NARRATOR else name
            paragraph.append(lines.without_directions(label["text"]).strip())
        elif not line.strip():
            end()
        else:
            paragraph.append(lines.without_directions(line).strip())
    end()


def _read_fountain(text: str, lines: _Lines) -> None:
    """https://fountain.io/syntax: the narrator has scene headings and action; notes, transitions and what stands in
    brackets under a name are not read."""
    text = NOTE.sub(lambda note: note[0] if DIRECTIVE.fullmatch(note[0]) else "", BONEYARD.sub("", text))
    if title := TITLE_PAGE.match(text):
        text = text[title.end() :]
    for block in re.split(r"\n(?:[ \t]{0,1}\n)+", text.strip("\n")):
        first, *rest = [line.strip() for line in block.split("\n")]
        if heading := HEADING.fullmatch(first):
            lines.add(None, first, len(heading[1]))
            lines.add(None, " ".join(rest))
        elif _is_cue(first) and rest:
            name = re.sub(r"\([^()]{0,60}\)|\^$", "", first.removeprefix("@")).strip()
            said = [lines.without_directions(line).lstrip("~").strip() for line in rest]
            lines.add(None if name.casefold() == NARRATOR else name, " ".join(filter(None, said)))
        elif first.startswith((">", "=")) or (first.endswith("TO:") and first.isupper()):
            lines.add(None, first.strip("> <")) if first.startswith(">") and first.endswith("<") else None
        elif first.startswith(".") and first[1:2].isalnum():
            lines.add(None, " ".join([first[1:], *rest]))
        else:
            lines.add(None, " ".join([first.removeprefix("!"), *rest]))


def _looks_like_fountain(text: str) -> bool:
    """Whether there are a scene's heading and a name in capitals with words under it."""
    blocks = [block.strip().split("\n") for block in text.split("\n\n")]
    return any(SCENE.match(block[0]) for block in blocks) and any(len(b) > 1 and _is_cue(b[0].strip()) for b in blocks)


def _is_cue(line: str) -> bool:
    if line.startswith("@"):
        return len(line) > 1
    name = re.sub(r"\([^()]{0,60}\)|\^$", "", line).strip()
    plain = not line.startswith(("!", ".", ">", "=")) and not SCENE.match(line) and not line.endswith(":")
    return plain and name.isupper() and len(name) <= 60


def _chapters(lines: _Lines) -> list[Chapter]:
    """Cut at the highest level of headings that there are several of, as other documents are."""
    levels = [level for _, level, _ in lines.found if level]
    level = next((level for level in sorted(set(levels)) if levels.count(level) > 1), min(levels, default=0))
    chapters: list[Chapter] = []
    title: str | None = None
    texts: list[str] = []
    spans: list[VoiceSpan] = []
    length = 0

    def end() -> None:
        nonlocal length
        if texts:
            chapters.append(Chapter(title, "\n\n".join(texts), voices=tuple(spans)))
        texts.clear()
        spans.clear()
        length = 0

    for speaker, heading, text in lines.found:
        if heading and heading == level:
            end()
            title = text.lstrip("# ")
        if speaker is not None:
            spans.append(VoiceSpan(length, length + len(text), speaker))
        texts.append(text)
        length += len(text) + 2
    end()
    return chapters
