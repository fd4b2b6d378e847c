"""Chapters -> the quotations with their speakers, how sure that is, and why; a doubtful one has no speaker.

First what the text says ("said Alice"), then who acts in the paragraph, then pronouns and the turns of a dialogue.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from mlx_tts.text.cast.cast_file import BY_NARRATOR, ONLY_QUOTED, CastLine, Character
from mlx_tts.text.cast.name_words import NameWords
from mlx_tts.text.cast.people import People, sentences
from mlx_tts.text.cast.quotations import Paragraph, Stretch, paragraphs_of, style_of
from mlx_tts.text.cast.resolving import SpeakerResolver
from mlx_tts.text.cast.speech_words import BY_CODE, ENGLISH, MAN, MANY, NARRATOR, WOMAN, SpeechWords
from mlx_tts.text.cast.tags import NEWCOMER, PlacedTag, Tag, TagReader
from mlx_tts.text.cast.turns import BEAT, SURE_ENOUGH, TAG, TURN, UNREAD, SpeakerTurn
from mlx_tts.text.cutting.pieces import Chapter
from mlx_tts.text.language_guess import guess_language
from mlx_tts.text.languages import AUTO, DEFAULT, find, named, names, resolve

OPENING, OPENING_MOST = 3, 4000  # paragraphs and characters in front of a dialogue that are looked at for each turn
QUOTED_WINDOW = 60  # characters in front of quoted words in which a verb may say that they are spoken
TELLERS_SHARE = 500  # characters of what is told, for each "I" or "me" of somebody who tells the book
SHORT = 100  # characters of a paragraph between two turns of one dialogue
ANSWER = re.compile(r"\b(?:answer|repl(?:y|ied)|silent|silence|nothing)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Attribution:
    """lines: all quotations in order. characters: those who speak, the most lines first."""

    lines: tuple[CastLine, ...]
    characters: tuple[Character, ...]


def attribute(chapters: Sequence[Chapter], language: str = AUTO) -> Attribution:
    """language: the text's, by default as it looks."""
    texts = [chapter.text for chapter in chapters]
    return _Book(texts, words_for("\n".join(texts)[:20_000], language)).attribution()


def words_for(text: str, language: str) -> SpeechWords:
    """Those of the language; English ones where it is not known, or has none. RequestError: nobody knows its name."""
    automatic = language.casefold() == AUTO
    name = guess_language(text) if automatic else named(language) or resolve(language, names())
    known = find(name or DEFAULT)
    return BY_CODE.get(known.code if known else "", ENGLISH)


class _Book:
    def __init__(self, texts: Sequence[str], words: SpeechWords):
        self.texts, self.words = texts, words
        style, dashes = style_of(texts)
        self.paragraphs = [paragraphs_of(text, style, dashes, words) for text in texts]
        self.tags = TagReader(words, NameWords(texts, words))
        self._says = re.compile(rf"(?<!\w)(?i:{words.verbs}|{words.sayings})(?:\s+[\w.]+){{0,2}}\s*$")
        told, quoted = (
            [
                texts[number][part.start : part.end]
                for number, paragraphs in enumerate(self.paragraphs)
                for paragraph in paragraphs
                for part in paragraph.parts
                if part.quoted == is_quoted
            ]
            for is_quoted in (False, True)
        )
        placed = list(self._every_tag())
        every = [tag for tag, _ in placed]
        self.tags.persons = {tag.subject for tag, is_behind in placed if is_behind and self.tags.is_said(tag)}
        self.tags.has_teller = self._has_teller(every, told)
        names = Counter(
            tag.subject for tag in every if self.tags.is_name(tag.subject) and self.tags.is_person(tag.subject)
        )
        # Whoever has a title may be meant by "his wife", and whoever is spoken to may answer.
        for pattern, parts in ((self.tags.titled, told), (self.tags.called, quoted)):
            for text in parts:
                for match in pattern.finditer(text):
                    if name := self.tags.names.without_common(" ".join(match["name"].split())):
                        names[name] += 0
        for name in self.tags.names.full(set(names)):  # "Ann" and "Fox" are one where the book has "Ann Fox"
            names[name] += 0
        # The only Mr. Fox is meant by "Fox", too.
        bare = Counter(name.split()[-1] for name in names if name.split()[0] in words.titles)
        for name, count in bare.items():
            if count == 1 and name not in names and self.tags.names.stands_alone(name):
                names[name] += 0
        plain = {" ".join(match["name"].split()) for text in texts for match in self.tags.titled.finditer(text)}
        for name in [name for name in names if name.endswith("s") and not names[name] and name[:-1] in plain]:
            del names[name]  # "both the Mr. Knightleys"
        self.people = People(names, words, self.tags.names.is_seen)
        if self.tags.has_teller:
            self.people.learn_teller(told)
        self.people.learn_sexes(told)
        self.people.learn_silent(told)

    def _has_teller(self, tags: list[Tag], told: list[str]) -> bool:
        """Whether somebody tells the book as "I", and not only says "as I have said" now and then."""
        if any(self.tags.is_pronoun(tag.subject) and self.tags.meant(tag) == NARRATOR for tag in tags):
            return True
        word = re.compile(rf"(?<!\w)(?:{self.words.first_person})(?!\w)")
        return sum(len(word.findall(text)) for text in told) * TELLERS_SHARE > sum(map(len, told))

    def _every_tag(self) -> Iterator[tuple[Tag, bool]]:
        """Each with whether it stands behind a quotation: only there "the child" shows that it speaks, for a letter
        may say something, too: "the letter said: ..."."""
        for text, paragraphs in zip(self.texts, self.paragraphs, strict=True):
            for paragraph in paragraphs:
                for placed in self.tags.tags(text, paragraph):
                    if placed.tag.subject:
                        yield placed.tag, placed.first < placed.at
                if not paragraph.quotes and (tag := self.tags.announced(text[paragraph.start : paragraph.end])):
                    yield tag, False

    # Turns.

    def attribution(self) -> Attribution:
        lines: list[CastLine] = []
        resolver = SpeakerResolver(self.texts, self.words, self.people)
        for chapter, paragraphs in enumerate(self.paragraphs):
            turns = self._turns(chapter, paragraphs)
            resolver.resolve(turns)
            for turn in turns:
                lines += self._lines_of(turn)
        counts = Counter(line.speaker for line in lines if line.speaker)
        first = {line.speaker: line for line in reversed(lines) if line.speaker}
        characters = tuple(
            Character(
                name,
                aliases=tuple(self.people.aliases(name)),
                sex=self.people.sex(name),
                lines=count,
                first=f"chapter {first[name].chapter}, at {first[name].start}",
            )
            for name, count in counts.most_common()
        )
        return Attribution(tuple(lines), characters)

    def _turns(self, chapter: int, paragraphs: list[Paragraph]) -> list[SpeakerTurn]:
        turns: list[SpeakerTurn] = []
        last: Paragraph | None = None
        told: deque[str] = deque(maxlen=OPENING)
        opening = ""
        for paragraph in paragraphs:
            before = "" if last is None else self.texts[chapter][last.start : last.end]
            if paragraph.quotes:
                follows = bool(turns) and turns[-1].paragraph is last
                opening = opening if follows else "\n".join(told)[-OPENING_MOST:]
                turn = SpeakerTurn(chapter, paragraph, before, opening, follows)
                turn.continues = bool(turn.follows and last and last.quotes and last.quotes[-1].open)
                self._explicit(turn)
                if (
                    not turn.speaker
                    and turns
                    and not turn.follows
                    and len(before) < SHORT
                    and self._is_no_answer(before)
                ):
                    turn.set(f"={len(turns) - 1}", TURN, before)  # whoever asked goes on
                turns.append(turn)
                last = paragraph
                continue
            said = self.texts[chapter][paragraph.start : paragraph.end]
            told.append(said)
            if last is None or not self._is_silence(said):
                last = paragraph
        return turns

    def _is_no_answer(self, told: str) -> bool:
        return len(sentences(told)) == 1 and ANSWER.search(told) is not None

    def _is_silence(self, told: str) -> bool:
        """Whether a paragraph is a short remark that leaves a dialogue as it is."""
        if told.rstrip().endswith(":"):
            return False
        return len(told) < SHORT and not self.people.mentioned(told) and not ANSWER.search(told)

    def _explicit(self, turn: SpeakerTurn) -> None:
        text = self.texts[turn.chapter]
        for part in turn.paragraph.quotes:
            if not self._looks_spoken(text, turn.paragraph, part):
                turn.unspoken.add(part)
        tagged = self.tags.tags(text, turn.paragraph)
        is_announced = not turn.follows or turn.before.rstrip().endswith(":")
        if not tagged and is_announced and (announced := self.tags.announced(turn.before)):
            tagged = [PlacedTag(0, 0, announced)]
        places = {placed.at for placed in tagged}
        unread = [told for at, told in self._told_behind(turn) if at not in places and self.tags.is_unread(told)]
        if unread and not tagged:
            turn.set(f"?{UNREAD}", TAG, unread[0])  # "cried a voice": nobody who acts in the paragraph is meant
            return
        speakers = [(placed, self._who(placed.tag)) for placed in tagged]
        if all(who == f"?{UNREAD}" for _, who in speakers):
            self._by_beat(turn)
            self._others_in(turn, turn.speaker, speakers)
            return
        named = [entry for entry in speakers if not entry[1].startswith("?")]
        # "he" and a name in one paragraph are mostly one person, but never whoever says "I".
        chosen = next((entry for entry in named if entry[1] != NARRATOR), None)
        placed, who = chosen or next((entry for entry in speakers if entry[1] != NARRATOR), speakers[0])
        turn.set(who, TAG, placed.tag.written)
        turn.goes_on = bool(re.fullmatch(self.words.continuing, placed.tag.verb))
        turn.tag_part, turn.is_thought = placed.at, bool(re.fullmatch(self.words.thoughts, placed.tag.verb))
        self._others_in(turn, who, speakers)

    def _told_behind(self, turn: SpeakerTurn) -> Iterator[tuple[int, str]]:
        """What is told behind each quotation of the paragraph, with its place among the parts."""
        for at, (part, told) in enumerate(pairwise(turn.paragraph.parts), 1):
            if part.quoted and not told.quoted:
                yield at, self.texts[turn.chapter][told.start : told.end]

    def _others_in(self, turn: SpeakerTurn, speaker: str, speakers: list[tuple[PlacedTag, str]]) -> None:
        """Two people in a paragraph: each has the quotation at the own tag, and those behind it up to the next tag.
        "they cried" is nobody's, whoever else speaks in the paragraph."""
        parts = turn.paragraph.parts
        kept = [(placed, who) for placed, who in speakers if self._is_of_its_own(who, speaker)]
        for number, (placed, who) in enumerate(kept):
            end = kept[number + 1][0].first if number + 1 < len(kept) else len(parts)
            if who == f"?{MANY}":
                end = placed.first + 1
            if who != speaker:
                quotes = [part for part in parts[placed.first : end] if part.quoted]
                turn.others |= dict.fromkeys(quotes, (who, placed.tag.written))

    def _is_of_its_own(self, who: str, speaker: str) -> bool:
        """Whether a tag is another one's than the speaker's: "he" is the speaker, unless she is a woman."""
        if who[1:] in (MAN, WOMAN):
            return self.people.sex(speaker) not in (None, who[1:])
        return True

    def _who(self, tag: Tag) -> str:
        """A character, the narrator, or "?" and what is known: a sex, or the word of a relation."""
        if not tag.subject:
            subject = "" if NEWCOMER.search(tag.written) else self.people.subject(tag.written)
            return subject if subject not in ("", "?") else f"?{UNREAD}"
        if self.tags.is_pronoun(tag.subject):
            meant = self.tags.meant(tag)
            return NARRATOR if meant == NARRATOR else f"?{meant}"
        if self.tags.is_many(tag.subject):
            return f"?{MANY}"
        if relation := self.tags.relation(tag.subject):
            return f"?{relation}"
        who = self.people.person(tag.subject)
        self.people.learn_from_verb(who, tag.verb)
        return who

    def _by_beat(self, turn: SpeakerTurn) -> None:
        """Who acts in the paragraph: "Alice sighed. '...'"; or whom the paragraph before announces with a colon."""
        text, parts = self.texts[turn.chapter], turn.paragraph.parts
        for part in parts:
            if not part.quoted and (actor := self.people.actor(text[part.start : part.end])):
                turn.set(actor, BEAT, text[part.start : part.end].strip())
                return
        end = turn.before.rstrip()
        if end.endswith(":") and not turn.follows:
            sentence = re.split(r"(?<=[.!?])\s+", end)[-1]
            people, subject = set(self.people.mentioned(sentence)), self.people.subject(sentence)
            if subject.startswith("?"):  # "He turned to Ann:" is none of hers
                turn.set(f"?{UNREAD}" if people else subject, BEAT, sentence)
            elif subject or len(people) == 1:
                turn.set(subject or people.pop(), BEAT, sentence)

    def _lines_of(self, turn: SpeakerTurn) -> list[CastLine]:
        lines = []
        for part in turn.paragraph.quotes:
            confidence, evidence = turn.confidence, turn.evidence
            speaker: str | None = turn.speaker or None
            if part in turn.others:
                speaker, evidence = turn.others[part]
                confidence = TAG
            if part in turn.unspoken:
                speaker, confidence, evidence = None, 0.0, ONLY_QUOTED
            elif speaker == NARRATOR:
                speaker, evidence = None, f"{evidence}{BY_NARRATOR}"
            elif speaker is not None and (speaker[0] in "?=" or confidence < SURE_ENOUGH):
                speaker, confidence, evidence = None, 0.0, f"not sure: {evidence}"
            lines.append(CastLine(turn.chapter + 1, part.start, part.end, speaker, confidence, evidence))
        return lines

    def _looks_spoken(self, text: str, paragraph: Paragraph, part: Stretch) -> bool:
        """A quotation within a sentence that ends without a mark is a word or a title that is quoted; so is one that
        begins small after a word that is no verb of speech: to see "the downfall of the righteous," at last."""
        words, told = text[part.start : part.end].strip("”\"»“«„’'‘` \n"), text[paragraph.start : part.start]
        if not told.strip(" \t—–-("):
            return True
        if words[:1].islower() and told.rstrip()[-1:].isalnum() and not self._says.search(told[-QUOTED_WINDOW:]):
            return part.open
        return part.open or words[-1:] in ".,!?;:…—–-_*" or text[part.end : part.end + 1] in ",.-—–"
