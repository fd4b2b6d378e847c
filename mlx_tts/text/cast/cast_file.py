"""cast.toml <-> the characters of a book or a script, their voices, and who says which line."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from mlx_tts.errors import RequestError
from mlx_tts.files import budget
from mlx_tts.files.reading import UnreadableFileError, parse_toml, read_text
from mlx_tts.shortened import listed, shortened, shown
from mlx_tts.text.cutting.pieces import Chapter, VoiceSpan

SEXES = ("woman", "man")
SHOWN = 60  # characters of a line, for people
# The evidence of quotations that are the narrator's, and at the end of it: of those that "I" speaks.
ONLY_QUOTED, BY_NARRATOR = "words that are quoted, not spoken", ": the narrator"
MOST_PLACE = 1 << 53  # no text has so many chapters or characters
CONTROL = {code: f"\\u{code:04x}" for code in (*range(32), 127)}
HEAD = """\
# The cast of {file}, made by `mlx-tts cast`. Change the voices, mend the speakers, and speak it:
#   mlx-tts speak {file} --cast {cast} -o book.m4b
# A line of `lines` is a quotation: the chapter, counted from 1, and the characters of its text from `start` to before
# `end`. speaker "" leaves it with the narrator. confidence and evidence say why; speaking does not use them.
"""


@dataclass(frozen=True)
class Character:
    """lines: how many are sure enough to be theirs. first: where the first of them stands, for people."""

    name: str
    voice: str | None = None
    aliases: tuple[str, ...] = ()
    sex: str | None = None
    lines: int = 0
    first: str | None = None


@dataclass(frozen=True)
class CastLine:
    """A quotation: characters of a chapter (from 1), from `start` to before `end`. speaker: None where it is not sure,
    so that the narrator has it. confidence: 0 to 1."""

    chapter: int
    start: int
    end: int
    speaker: str | None
    confidence: float = 1.0
    evidence: str = ""

    @property
    def is_open(self) -> bool:
        """Whether somebody speaks whom the rules do not know."""
        is_narrators = self.evidence == ONLY_QUOTED or self.evidence.endswith(BY_NARRATOR)
        return self.speaker is None and not is_narrators


@dataclass(frozen=True)
class Cast:
    """sha256: of the text that the lines are of; None where there are no lines, as for a script. path: for messages.
    file: the name of the book's file, whose ending says how its text is read."""

    characters: tuple[Character, ...]
    narrator: str | None = None
    lines: tuple[CastLine, ...] = ()
    sha256: str | None = None
    path: str = "the cast"
    file: str | None = None

    @cached_property
    def digest(self) -> str:
        """Of all that the speech depends on: not of what is there for people alone."""
        people = [(one.name, one.voice, one.aliases, one.sex) for one in self.characters]
        lines = [(line.chapter, line.start, line.end, line.speaker) for line in self.lines]
        said = repr((people, self.narrator, lines, self.sha256, Path(self.file or "").suffix.lower()))
        return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()

    def __hash__(self) -> int:
        return hash(self.digest)  # of thousands of lines only once

    @property
    def voices(self) -> dict[str, str]:
        """Voices by the folded names of characters and their aliases."""
        return {
            name.casefold(): one.voice
            for one in reversed(self.characters)
            if one.voice
            for name in (*one.aliases, one.name)
        }

    def spoken_by(self, chapters: Sequence[Chapter]) -> list[Chapter]:
        """The chapters with the lines' spans, whose `voice` is the character's name. RequestError: another text."""
        if not self.lines:
            return list(chapters)
        if self.sha256 != text_hash(chapters):
            raise RequestError(
                f"{self.path} was made for another text, or for one that was read otherwise, "
                "so its places are wrong: make it again with `mlx-tts cast`"
            )
        spans: dict[int, list[VoiceSpan]] = {}
        for number, line in enumerate(self.lines, 1):
            if line.chapter > len(chapters) or line.end > len(chapters[line.chapter - 1].text):
                raise RequestError(f"{self._place(number, line)} is outside of the text: take the line out")
            if line.speaker is not None:
                spans.setdefault(line.chapter, []).append(VoiceSpan(line.start, line.end, line.speaker))
        return [
            replace(chapter, voices=tuple(sorted(spans.get(number, ())))) for number, chapter in enumerate(chapters, 1)
        ]

    def _place(self, number: int, line: CastLine) -> str:
        return f"{self.path}: entry {number} of lines (chapter {line.chapter}, {line.start} to {line.end})"

    def check(self) -> None:
        """RequestError for a speaker that is no character, and for lines over each other."""
        names = {one.name for one in self.characters}
        last: tuple[int, CastLine] | None = None
        for number, line in sorted(enumerate(self.lines, 1), key=lambda entry: (entry[1].chapter, entry[1].start)):
            if line.speaker is not None and line.speaker not in names:
                raise RequestError(
                    f"{self._place(number, line)} has the speaker {shown(line.speaker)}, who is no [[character]]: "
                    f"add one, or use {listed(sorted(shortened(name, 40) for name in names))}"
                )
            if last is not None and last[1].chapter == line.chapter and line.start < last[1].end:
                raise RequestError(f"{self._place(number, line)} lies over entry {last[0]}: take one of them out")
            last = number, line


def text_hash(chapters: Sequence[Chapter]) -> str:
    """Of all characters that spans count."""
    digest = hashlib.sha256()
    for chapter in chapters:
        digest.update(chapter.text.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()


def read_cast(path: Path) -> Cast:
    """RequestError with the place of what is wrong."""
    try:
        text = read_text(path, budget.TEXT_BYTES.allowed)
    except FileNotFoundError:
        raise RequestError(f"no file {path}: `mlx-tts cast BOOK -o {path}` makes one") from None
    except UnreadableFileError as error:
        raise RequestError(f"{path} is not a cast, it {error}") from None
    return parse_cast(text, str(path))


def parse_cast(text: str, where: str) -> Cast:
    """The cast in the text of its file. where: what messages call it. RequestError with the place of what is wrong."""
    try:
        table = parse_toml(text)
    except UnreadableFileError as error:
        raise RequestError(f"{where} is not a cast, it {error}") from None
    _known(table, {"book", "narrator", "character", "lines"}, where)
    book, narrator = _table(table, "book", where), _table(table, "narrator", where)
    characters = [
        _character(row, f"{where}: character {n}") for n, row in enumerate(_rows(table, "character", where), 1)
    ]
    lines = [_line(row, f"{where}: entry {n} of lines") for n, row in enumerate(_rows(table, "lines", where), 1)]
    owners: dict[str, str] = {}
    for one in characters:
        for name in dict.fromkeys(name.casefold() for name in (one.name, *one.aliases)):
            if name in owners:
                raise RequestError(
                    f"{where}: {shown(one.name)} and {shown(owners[name])} have the same name or alias {shown(name)}"
                )
            owners[name] = one.name
    sha256, file = (_text(book, name, f"{where}: [book]") for name in ("sha256", "file"))
    voice = _text(narrator, "voice", f"{where}: [narrator]")
    cast = Cast(tuple(characters), voice, tuple(lines), sha256, where, file)
    cast.check()
    return cast


def _character(row: dict[str, Any], where: str) -> Character:
    name = _text(row, "name", where)
    if not name:
        raise RequestError(f"{where} has no name: give one")
    where = f"{where} ({shortened(name, 40)})"
    _known(row, {"name", "voice", "aliases", "sex", "lines", "first"}, where)
    aliases, sex = row.get("aliases", []), _text(row, "sex", where)
    if not isinstance(aliases, list) or not all(isinstance(alias, str) for alias in aliases):
        raise RequestError(f'{where} has the aliases {shown(aliases)}: give a list such as ["Lizzy", "Miss Bennet"]')
    if sex is not None and sex not in SEXES:
        raise RequestError(f"{where} has the sex {shown(sex)}: use {', '.join(SEXES)}, or leave it out")
    return Character(name, _text(row, "voice", where), tuple(aliases), sex)


def _line(row: dict[str, Any], where: str) -> CastLine:
    _known(row, {"chapter", "start", "end", "speaker", "confidence", "evidence", "text"}, where)
    numbers = [row.get(name) for name in ("chapter", "start", "end")]
    for name, value in zip(("chapter", "start", "end"), numbers, strict=True):
        least = 1 if name == "chapter" else 0
        if type(value) is not int or not least <= value <= MOST_PLACE:
            raise RequestError(f"{where} has the {name} {shown(value)}: give a whole number of at least {least}")
    chapter, start, end = (int(value) for value in numbers if value is not None)
    if end <= start:
        raise RequestError(f"{where} (chapter {chapter}) ends at {end} and begins at {start}: give a larger end")
    confidence = row.get("confidence", 1.0)
    if type(confidence) not in (int, float) or not 0 <= confidence <= 1:
        raise RequestError(f"{where} has the confidence {shown(confidence)}: give 0 to 1")
    evidence = _text(row, "evidence", where) or ""
    return CastLine(chapter, start, end, _text(row, "speaker", where) or None, float(confidence), evidence)


def _known(table: dict[str, Any], names: set[str], where: str) -> None:
    for name in table:
        if name not in names:
            raise RequestError(f"{where} has {shown(name)}, which means nothing here: use {', '.join(sorted(names))}")


def _table(table: dict[str, Any], name: str, where: str) -> dict[str, Any]:
    value = table.get(name, {})
    if not isinstance(value, dict):
        raise RequestError(f"{where}: {name} is {shown(value)}: write [{name}] and its values below")
    return value


def _rows(table: dict[str, Any], name: str, where: str) -> list[dict[str, Any]]:
    value = table.get(name, [])
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise RequestError(f"{where}: {name} is not a list of tables: see the file that `mlx-tts cast` writes")
    return value


def _text(row: dict[str, Any], name: str, where: str) -> str | None:
    value = row.get(name)
    if value is not None and not isinstance(value, str):
        raise RequestError(f"{where} has the {name} {shown(value)}: give text in quotes")
    return value


def as_toml(
    cast: Cast, chapters: Sequence[Chapter], file: str, target: str, origin: Mapping[str, str] | None = None
) -> str:
    """The file for people, with the beginning of each line. file, target: the names of the book and of the cast.
    origin: for names of characters, the file that their voice is from."""
    parts = [HEAD.format(file=shlex.quote(_plain(file)), cast=shlex.quote(_plain(target)))]
    parts.append(f"[book]\nfile = {_quoted(file)}\nsha256 = {_quoted(text_hash(chapters))}\n")
    parts.append(f"[narrator]\nvoice = {_quoted(cast.narrator)}\n" if cast.narrator else "[narrator]\n")
    rows = [
        f"  {{ chapter = {line.chapter}, start = {line.start}, end = {line.end}, "
        f"speaker = {_quoted(line.speaker or '')}, confidence = {line.confidence:.2f}, "
        f"evidence = {_quoted(line.evidence)}, text = {_quoted(_shown(chapters[line.chapter - 1], line))} }},\n"
        for line in cast.lines
    ]
    for one in cast.characters:
        facts = [f"[[character]]\nname = {_quoted(one.name)}\n"]
        if source := (origin or {}).get(one.name):
            facts.insert(0, f"# kept from {_plain(source)}\n")
        facts.append(f"voice = {_quoted(one.voice)}\n" if one.voice else '# voice = ""\n')
        facts.append(f"aliases = [{', '.join(map(_quoted, one.aliases))}]\n")
        facts.append(f"sex = {_quoted(one.sex)}\n" if one.sex else "")
        facts.append(f"lines = {one.lines}\n")
        facts.append(f"first = {_quoted(one.first)}\n" if one.first else "")
        parts.append("".join(facts))
    # Values of the top of the file stand before its tables.
    return parts[0] + "\nlines = [\n" + "".join(rows) + "]\n\n" + "\n".join(parts[1:])


def _shown(chapter: Chapter, line: CastLine) -> str:
    words = " ".join(chapter.text[line.start : line.end][: 4 * SHOWN].split())
    return words if len(words) <= SHOWN else words[: SHOWN - 1].rstrip() + "…"


def _plain(name: str) -> str:
    return "".join(character for character in name if character.isprintable())


def _quoted(text: str) -> str:
    """A basic string of TOML: what JSON writes is one, but for lone surrogates and the control character 127."""
    whole = text.encode("utf-8", "replace").decode()
    return json.dumps(whole, ensure_ascii=False).translate(CONTROL)
