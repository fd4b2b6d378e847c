"""How a text is read: markup, the user's lexicon, numbers in words -> the pieces that a model speaks.

The one entry for callers, the same for the command line, Python and the dry run:

    reading = Reading(normalise="auto", lexicon=read_lexicon(path), markup=True, model_needs_words=True)
    for piece in reading.pieces(chapters, Packing(language, characters=info.longest_text), skipped):
        ...  # piece.spoken is for the model, piece.text is what was written

`piece.language`, `.voice`, `.rate`, `.decibels` and the pauses are None unless markup in the text asks for them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from mlx_tts.errors import RequestError
from mlx_tts.shortened import shortened, shown
from mlx_tts.text.cutting.pieces import (
    CHAPTER,
    PARAGRAPH,
    SENTENCE,
    START,
    Chapter,
    Packing,
    Piece,
    Unit,
    pack_spoken,
    paragraphs,
)
from mlx_tts.text.languages import AUTO, DEFAULT, named, names, region, resolve, sentence_language
from mlx_tts.text.markup.directives import Passage, is_ssml, read_ssml, split_directives, with_pronunciations
from mlx_tts.text.markup.feelings import FEELINGS, Feeling, Feelings
from mlx_tts.text.markup.markdown import clean, without_lone_surrogates
from mlx_tts.text.normalise.engine import Span
from mlx_tts.text.normalise.lexicon import MOST_SETTLED, SETTLED, Lexicon
from mlx_tts.text.phonemes.notations import Said
from mlx_tts.text.phonemes.phones import MARK, british, marked, marked_words, parts, written
from mlx_tts.text.phonemes.respelling import respelled

MODES = ("auto", "on", "off")
MOST_CHARACTERS = 100_000  # of a paragraph that is cleaned at once: patterns keep Python from a server's other threads


@dataclass(frozen=True)
class Reading:
    """normalise: "on" writes numbers, dates, capitals and the like as words; "auto" does so for a model that needs it
    (`model_needs_words`); "off" gives the model the text byte for byte, cut into pieces but not cleaned. lexicon:
    also used where nothing else is changed. region: in small letters, for "gb" as people say it in Britain.
    markup: whether SSML, [pause 2s], [voice:NAME] and tags of feeling are obeyed; feelings: these tags. left_out:
    told once of all markup that is not supported. phones: the model reads words as phones where that is better.
    respells_names: it reads letters alone and knows no names of other languages, so that they are respelled for it.
    british_voices: those that get British ones, as `region` "gb" does. voice: who speaks where markup names nobody.
    noted: told once a line of pronunciations that the model gets as a respelling, or with other sounds, and of feelings
    that it cannot have."""

    normalise: str = "auto"
    lexicon: Lexicon | None = None
    markup: bool = True
    feelings: Mapping[str, Feeling] = field(default_factory=lambda: FEELINGS)
    model_needs_words: bool = False
    region: str = ""
    left_out: Callable[[str], None] | None = field(default=None, compare=False)
    phones: bool = False
    respells_names: bool = False
    british_voices: frozenset[str] = frozenset()
    voice: str | None = None
    noted: Callable[[str], None] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.normalise not in MODES:
            raise RequestError(f"--normalise is {shown(self.normalise)}: use {', '.join(MODES)}")

    @property
    def exact(self) -> bool:
        """Whether every character of the text is for the model."""
        return self.normalise == "off"

    @property
    def writes_words(self) -> bool:
        """Whether numbers and the like become words."""
        return self.normalise == "on" or (self.normalise == "auto" and self.model_needs_words)

    @property
    def rewrites(self) -> bool:
        """Whether words may change, so that a sentence must be complete before it is spoken."""
        return self.writes_words or bool(self.lexicon) or self._says_names

    @property
    def _says_names(self) -> bool:
        return (self.phones or self.respells_names) and not self.exact

    def spoken(self, text: str, language: str = AUTO, base: str = DEFAULT, voice: str | None = None) -> str:
        """A sentence or more -> what the model is given. language: as the model names it; auto: the script's, and that
        of `base` for Latin letters. voice: who speaks it, by default `voice`."""
        if not self.rewrites and MARK not in text:
            return text
        voice = voice or self.voice
        name = _language(language, written(text), base)
        is_british = voice in self.british_voices or self.region == "gb"

        def pronounced(word: str, sounds: Said) -> str:
            if sounds.replaced and self.noted is not None:
                self.noted("; ".join(f"{foreign} is said as {own}" for foreign, own in sounds.replaced))
            if self.phones:
                return marked(word, sounds.phones)
            spelling = respelled(sounds.phones, shown=False)
            if self.noted is not None:
                self.noted(f"this model reads letters alone: {word} is given to it as {spelling}")
            return spelling

        text, said = _settled(text, pronounced, is_british)
        if self.lexicon:
            text, said = self.lexicon.settle(text, name, pronounced, is_british, voice, said)
        if self.writes_words:
            from mlx_tts.text.normalise.normaliser import normalise

            text = normalise(text, name, self.region or region(language))
        text = Lexicon.restore(text, said)
        if self._says_names and name == DEFAULT:
            from mlx_tts.text.phonemes.reader import with_phones, with_respelled_names

            return (with_phones if self.phones else with_respelled_names)(text, is_british)
        return text

    def changes(self, text: str, language: str = AUTO, base: str = DEFAULT) -> list[Span]:
        """Which places of a text become which words, and by which rule; the user's lexicon is left out."""
        if not self.writes_words:
            return []
        from mlx_tts.text.normalise.normaliser import spans

        return list(spans(text, _language(language, text, base), self.region or region(language)))

    def pieces(
        self, chapters: Iterable[Chapter], packing: Packing, skipped: Callable[[str], None] = lambda paragraph: None
    ) -> Iterator[Piece]:
        """All pieces in order, numbered from 0. skipped: told of each paragraph with nothing to say in it."""
        last: Piece | None = None
        pause: float | None = None
        marks: tuple[str, ...] = ()
        for at, chapter in enumerate(chapters):
            gap = CHAPTER
            base = base_language(chapter.text, packing.language)
            for passage in self.passages(chapter):
                pause = passage.pause_seconds if pause is None else pause + (passage.pause_seconds or 0.0)
                marks += passage.marks
                gap = PARAGRAPH if passage.new_paragraph and gap == SENTENCE else gap
                before = 0 if last is None else last.number + 1
                for paragraph_gap, unit in self._units(passage, packing, base, skipped, before):
                    gap = paragraph_gap if gap == SENTENCE else gap
                    piece = _piece(0 if last is None else last.number + 1, unit, at, gap, passage)
                    if last is not None:
                        yield last
                    last = replace(piece, pause_before_seconds=pause, marks=marks)
                    pause, marks, gap = None, (), SENTENCE
                if passage.text.rstrip(" \t").endswith("\n\n") and gap == SENTENCE:
                    gap = PARAGRAPH
        if last is not None:
            yield replace(last, pause_after_seconds=pause)

    def passages(self, chapter: Chapter) -> list[Passage]:
        """A chapter cut where its markup changes something."""
        whole = Passage(chapter.text, plain=chapter.plain)
        if chapter.voices:
            spoken = _by_voice(chapter)
            if not self.markup:
                return spoken
            return self._obeyed(spoken)
        if not self.markup:
            return [whole]
        if is_ssml(chapter.text) and not chapter.plain:
            passages, left_out = read_ssml(chapter.text)
            if left_out and self.left_out is not None:
                self.left_out("SSML that is not supported is left out: " + shortened(", ".join(left_out), 200))
            return passages
        return self._obeyed([whole])

    def _obeyed(self, parts: list[Passage]) -> list[Passage]:
        """The parts of a chapter, cut where directives change something."""
        parts = [replace(part, text=with_pronunciations(part.text)) for part in parts]
        feelings = Feelings(self.feelings)
        for part in parts:
            feelings.expect(part.text)
        passages = [passage for part in parts for passage in split_directives(part, feelings)]
        if feelings.unknown and self.left_out is not None:
            self.left_out("tags that nobody knows are left out, and their words are read: " + shortened(", ".join(
                f"[{name}]" for name in feelings.unknown), 200))  # fmt: skip
        return passages

    def _units(
        self, passage: Passage, packing: Packing, base: str, skipped: Callable[[str], None], before: int
    ) -> Iterator[tuple[str, Unit]]:
        """What ended before each: SENTENCE, or PARAGRAPH where a paragraph of the passage begins. before: how many
        pieces there are so far."""
        language = _asked(passage.language, packing.language)
        packing = replace(packing, language=language)
        gap = PARAGRAPH if passage.text[:1] == "\n" and passage.text.lstrip(" \t").startswith("\n\n") else SENTENCE
        for paragraph, is_first in _parts_of(paragraphs(passage.text)):
            gap = gap if is_first else SENTENCE
            words = without_lone_surrogates(paragraph).strip() if self.exact else clean(
                paragraph, markup=not passage.plain, verse=True)  # fmt: skip
            if not words:
                skipped(paragraph)
                continue
            said = partial(self.spoken, language=language, base=base, voice=passage.voice)
            for unit in pack_spoken(words, packing, said, before):
                yield gap, unit
                before += 1
                gap = SENTENCE
            gap = PARAGRAPH


def _parts_of(paragraphs: list[str]) -> Iterator[tuple[str, bool]]:
    """Paragraphs, and parts of those that are too long; with whether each is a paragraph's first."""
    for paragraph in paragraphs:
        begin = 0
        while len(paragraph) - begin > MOST_CHARACTERS:
            end = begin + MOST_CHARACTERS
            ends = (paragraph.rfind(sign, begin + MOST_CHARACTERS // 2, end) + len(sign) for sign in (". ", "。", " "))
            end = next((at for at in ends if at > begin + 1), end)
            yield paragraph[begin:end], begin == 0
            begin = end
        yield paragraph[begin:], begin == 0


def _by_voice(chapter: Chapter) -> list[Passage]:
    """A chapter cut where another voice begins. A part without a letter or digit, such as a dash between two lines,
    goes with the part before it: alone it would be spoken as a piece of its own."""
    parts: list[tuple[str | None, str]] = []
    at = 0
    for start, end, voice in (*chapter.voices, (len(chapter.text), len(chapter.text), None)):
        for speaker, text in ((None, chapter.text[at:start]), (voice, chapter.text[start:end])):
            if parts and (speaker == parts[-1][0] or not any(map(str.isalnum, text))):
                parts[-1] = parts[-1][0], parts[-1][1] + text
            elif text:
                parts.append((speaker, text))
        at = end
    # The ends of paragraphs are looked for at the ends of passages, where "\r\n" and spaces would hide them.
    lines = [(voice, text.replace("\r\n", "\n").replace("\r", "\n")) for voice, text in parts]
    return [Passage(re.sub(r"\A[ \t]+(?=\n)", "", text), voice=voice, plain=chapter.plain) for voice, text in lines]


def normalise(text: str, language: str = AUTO) -> str:
    """The words that a model which needs words would be given, whatever it is in use. language: by name, code or locale
    tag; auto: the text's own. RequestError for one that nobody knows."""
    if language.casefold() != AUTO:
        resolved = named(language) or resolve(language, names())
        return Reading("on", region=region(language)).spoken(text, resolved)
    return Reading("on").spoken(text, AUTO, base_language(text, AUTO))


def _settled(text: str, pronounced: Callable[[str, Said], str], is_british: bool) -> tuple[str, list[str]]:
    """Words whose sounds markup has given, as `Lexicon.settle` settles others."""
    if MARK not in text:
        return text, []
    said: list[str] = []
    kept = parts(text)
    for at in range(1, len(kept), 2):
        ((_, word, phones),) = marked_words(kept[at])
        if len(said) >= MOST_SETTLED:
            kept[at] = word
            continue
        said.append(pronounced(word, Said(british(phones) if is_british else phones)))
        kept[at] = chr(SETTLED + len(said) - 1)
    return "".join(kept), said


def _piece(number: int, unit: Unit, chapter: int, gap: str, passage: Passage) -> Piece:
    return Piece(
        number,
        written(unit.written),
        chapter,
        gap if number else START,
        spoken=unit.spoken,
        language=passage.language and _asked(passage.language, passage.language),
        voice=passage.voice,
        rate=passage.rate,
        decibels=passage.decibels,
        feeling=passage.feeling,
    )


def _asked(written: str | None, otherwise: str) -> str:
    """Markup's language ("de-DE") by its name; one that nobody knows counts as written."""
    if written is None:
        return otherwise
    try:
        return resolve(written, names())
    except RequestError:
        return written


def base_language(text: str, language: str) -> str:
    """The language of a whole text's Latin letters: its sentences are too short to tell."""
    if language.casefold() != AUTO:
        return language
    from mlx_tts.text.language_guess import guess_latin_language

    return guess_latin_language(text) or DEFAULT


def _language(language: str, text: str, base: str) -> str:
    """The name of a language that rules know."""
    if language.casefold() == AUTO:
        name = sentence_language(AUTO, text[:2000]).name
        return base if name == DEFAULT else name
    return _asked(language, language).casefold()


def pause_after_seconds(piece: Piece, following: Piece | None, of_gap: Callable[[str], float]) -> float:
    """The quiet behind a piece: what markup asks for, else that of what ends there (`Pauses.after`)."""
    if following is None:
        return piece.pause_after_seconds or 0.0
    return of_gap(following.gap) if following.pause_before_seconds is None else following.pause_before_seconds
