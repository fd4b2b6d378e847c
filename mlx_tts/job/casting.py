"""A text and its cast, or a script -> who speaks which spans; a model's voices -> the voice of each speaker."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, TypeVar

from mlx_tts.errors import RequestError
from mlx_tts.job.settings import VoiceSettings
from mlx_tts.library import catalog
from mlx_tts.library.catalog import voice_key
from mlx_tts.shortened import shortened, shown
from mlx_tts.speech import SpeechRequest, Voice
from mlx_tts.text.cast.cast_file import Cast
from mlx_tts.text.cast.dialogue import NARRATOR, one_chapter_a_speaker, read_dialogue
from mlx_tts.text.cutting.pieces import Chapter
from mlx_tts.text.markup.directives import is_ssml
from mlx_tts.text.source.blocks import Asides
from mlx_tts.text.source.documents import text_document

if TYPE_CHECKING:
    from mlx_tts.narration.plan import Check

KOKORO = re.compile(r"[a-z](?P<sex>[fm])_[a-z]+")  # its names say the sex
TOLD = 8  # speakers that a line lists
LONGEST_NAME = 40  # characters that are shown of one
Settings = TypeVar("Settings", bound=VoiceSettings)


@dataclass(frozen=True)
class Casting:
    """What was asked for. voices, sexes: by the folded names of speakers. where: who says so, for messages. narrator:
    the voice of the rest, where no other is asked for. unsure: in each chapter, how many quotations have no speaker.
    left_out: stage directions that are not read."""

    voices: Mapping[str, str] = field(default_factory=dict)
    sexes: Mapping[str, str] = field(default_factory=dict)
    where: str = "this script"
    narrator: str | None = None
    unsure: tuple[int, ...] = ()
    left_out: int = 0

    def voiced(
        self, chapters: Sequence[Chapter], presets: Sequence[str], narrator: str | Voice | None, check: Check
    ) -> tuple[list[Chapter], str]:
        """The chapters with voices in place of names, and a line that says who speaks as whom. A speaker whose name is
        a voice has that one; others without one get the presets in turn. RequestError for a voice that is not there."""
        lines = Counter(span.voice for chapter in chapters for span in chapter.voices)
        spoken = {name: self._named(name, presets) for name in lines}
        open_names = [
            (name, self.sexes.get(name.casefold()), lines[name]) for name, voice in spoken.items() if not voice
        ]
        taken = Counter({voice: lines[name] for name, voice in spoken.items() if voice})
        own = narrator if isinstance(narrator, str) and _is_narrated(chapters) else None
        if open_names and not presets:
            raise RequestError(
                f"{self.where} names no voice for {_listed([name for name, _, _ in open_names])}, and the model has no "
                "preset voices: name one of yours for each in a table or in the file of --cast"
            )
        proposed = propose(open_names, presets, own, taken)
        checked: set[str] = set()  # thousands of characters may share a voice, which lies in a file
        for name, voice in spoken.items():
            if voice and voice not in checked:
                checked.add(voice)
                try:
                    check(SpeechRequest("...", voice, "auto"))
                except RequestError as error:
                    named = shortened(name, LONGEST_NAME)
                    raise RequestError(f"{self.where}: the voice of {named}: {error}") from None
        final = {name: voice or proposed[name] for name, voice in spoken.items()}
        return [
            replace(chapter, voices=tuple(span._replace(voice=final[span.voice]) for span in chapter.voices))
            for chapter in chapters
        ], self._told(chapters, final)

    def _told(self, chapters: Sequence[Chapter], final: Mapping[str, str]) -> str:
        if not final:
            return "no line has a speaker: the narrator reads all"
        told = f"spoken: {_listed([f'{name} by {voice}' for name, voice in final.items()])}"
        kept = sum(count for count, chapter in zip(self.unsure, chapters, strict=False) if chapter.text)
        what = "1 quotation that has" if kept == 1 else f"{kept:,} quotations that have"
        return f"{told}; the narrator keeps {what} no speaker" if kept else told

    def _named(self, name: str, presets: Sequence[str]) -> str | None:
        voice = self.voices.get(name.casefold())
        return voice or next((preset for preset in presets if voice_key(preset) == voice_key(name)), None)


def narrated(settings: Settings, narrator: str | None) -> Settings:
    """The settings with the narrator's voice of a cast, where they name none."""
    return replace(settings, voice=narrator) if settings.voice is None and narrator is not None else settings


@contextmanager
def naming_narrator(narrator: str | None, where: str) -> Iterator[None]:
    """While model and voice are chosen: a voice that only a cast names is refused with its place."""
    try:
        yield
    except RequestError as error:
        if narrator is None or shown(narrator, LONGEST_NAME) not in str(error):
            raise
        raise RequestError(f"{where}: the voice of the narrator: {error}") from None


def cast_book(chapters: Sequence[Chapter], cast: Cast) -> tuple[list[Chapter], Casting]:
    """The chapters whose spans say who speaks. RequestError: a cast without lines, or of another text."""
    if any(is_ssml(chapter.text) for chapter in chapters):
        raise RequestError(f"{cast.path}: a cast is for books, and this is SSML, which has <voice>: leave the cast out")
    if not cast.lines:
        raise RequestError(
            f"{cast.path} has no lines: `mlx-tts cast BOOK` makes one that has, and --dialogue reads a script"
        )
    spoken = cast.spoken_by(chapters)
    unsure = Counter(line.chapter for line in cast.lines if line.speaker is None)
    counts = tuple(unsure[number] for number in range(1, len(spoken) + 1))
    return spoken, Casting(cast.voices, _sexes(cast), cast.path, cast.narrator, counts)


def cast_text(text: str, cast: Cast, asides: Asides, plain: bool = False) -> tuple[list[Chapter], Casting]:
    """The same of a text without a file, which is read as the book's file was. plain: it is words alone."""
    ending = PurePath(cast.file or "").suffix.lower()
    chapters = [Chapter(None, text, plain=True)] if plain else text_document(text, ending, asides).chapters
    return cast_book(chapters, cast)


def cast_script(
    chapters: Sequence[Chapter], ending: str, cast: Cast | None, each_speaker: bool = False
) -> tuple[list[Chapter], Casting]:
    """The same of a script, whose lines begin with names. ending: of its file. each_speaker: a chapter for each."""
    people = () if cast is None else cast.characters
    text = "\n\n".join(chapter.text for chapter in chapters)
    dialogue = read_dialogue(text, ending, (one.name for one in people))
    voices = {name.casefold(): voice for name, voice in dialogue.voices.items()}
    narrator = (cast.narrator if cast is not None else None) or voices.pop(NARRATOR, None)
    spoken = one_chapter_a_speaker(dialogue) if each_speaker else dialogue.chapters
    if cast is None:
        return spoken, Casting(voices, narrator=narrator, left_out=dialogue.left_out)
    voices |= cast.voices
    return spoken, Casting(voices, _sexes(cast), cast.path, narrator, left_out=dialogue.left_out)


def _sexes(cast: Cast) -> dict[str, str]:
    return {one.name.casefold(): one.sex for one in cast.characters if one.sex}


def propose(
    speakers: Sequence[tuple[str, str | None, int]],
    presets: Sequence[str],
    narrator: str | None,
    taken: Mapping[str, int] | None = None,
) -> dict[str, str]:
    """A preset for each of (name, sex, number of lines): of the speaker's sex where both are known, not the narrator's
    where there is another, and the one that has the fewest lines so far. taken: lines of voices that are given out."""
    load = Counter({voice_key(voice): count for voice, count in (taken or {}).items()})
    chosen: dict[str, str] = {}
    for name, sex, lines in speakers:
        others = [preset for preset in presets if narrator is None or voice_key(preset) != voice_key(narrator)]
        fitting = [preset for preset in others if sex and sex_of(preset) == sex]
        if pool := fitting or others or list(presets):
            chosen[name] = min(pool, key=lambda preset: load[voice_key(preset)])
            load[voice_key(chosen[name])] += max(lines, 1)
    return chosen


def sex_of(preset: str) -> str | None:
    """woman, man, or None where it is not known."""
    known = catalog.presets().get(voice_key(preset))
    if known is not None:
        return known.sex
    by_name = KOKORO.fullmatch(preset)
    return None if by_name is None else "woman" if by_name["sex"] == "f" else "man"


def _is_narrated(chapters: Sequence[Chapter]) -> bool:
    for chapter in chapters:
        at = 0
        for start, end, _ in (*chapter.voices, (len(chapter.text), len(chapter.text), "")):
            if any(map(str.isalnum, chapter.text[at:start])):
                return True
            at = end
    return False


def _listed(names: list[str]) -> str:
    more = len(names) - TOLD
    named = (shortened(name, 2 * LONGEST_NAME) for name in names[:TOLD])
    return ", ".join(named) + (f" and {more} more" if more > 0 else "")
