"""Chapters -> the quotations with their speakers, how sure that is, and why; a doubtful one has no speaker.

First what the text says ("said Alice"), then who acts in the paragraph, then pronouns and the turns of a dialogue.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from mlx_tts.shortened import shortened
from mlx_tts.text.cast.cast_file import CastLine, Character
from mlx_tts.text.cast.people import People
from mlx_tts.text.cast.quotations import Paragraph, Stretch, paragraphs_of, style_of
from mlx_tts.text.cast.speech_words import BY_CODE, ENGLISH, MAN, MANY, NARRATOR, WOMAN, SpeechWords
from mlx_tts.text.cast.tags import FOND, Tag, TagReader
from mlx_tts.text.cutting.pieces import Chapter
from mlx_tts.text.language_guess import guess_language
from mlx_tts.text.languages import AUTO, DEFAULT, find, named, names, resolve

SURE_ENOUGH = 0.6
STEP = 0.025  # what each turn between one with a tag and this one takes from its confidence
OPENING = 3
OPENING_CHARACTERS = 600
SCENE = 8  # turns before and after one that belong to its dialogue
SHORT = 100  # characters of a paragraph between two turns of one dialogue
ANSWER = re.compile(r"\b(?:answer|repl(?:y|ied)|silent|silence|nothing)\b", re.IGNORECASE)
TAG, SAME, BEAT, PRONOUN, TURN = 0.95, 0.9, 0.75, 0.8, 0.7


@dataclass(frozen=True)
class Attribution:
    """lines: all quotations in order. characters: those who speak, the most lines first."""

    lines: tuple[CastLine, ...]
    characters: tuple[Character, ...]


@dataclass
class _Turn:
    """The quotations of a paragraph, which mostly are one speaker's. after: what ends the paragraph before it."""

    chapter: int
    paragraph: Paragraph
    before: str
    opening: str  # the last paragraphs that only tell, in front of this dialogue
    follows: bool  # whether the paragraph before is a turn, too
    continues: bool = False
    speaker: str = ""  # a character, NARRATOR; "?" and a sex or a relation; "=" and the number of a turn
    confidence: float = 0.0
    evidence: str = "nobody is named"
    others: dict[Stretch, tuple[str, str]] = field(
        default_factory=dict
    )  # quotations of somebody else in the same paragraph
    unspoken: set[Stretch] = field(default_factory=set)

    @property
    def is_known(self) -> bool:
        return self.speaker[:1] not in ("", "?", "=")

    def set(self, speaker: str, confidence: float, evidence: str) -> None:
        self.speaker, self.confidence, self.evidence = speaker, confidence, shortened(" ".join(evidence.split()), 80)


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
        self.tags = TagReader(words)
        self._calls: dict[str, re.Pattern[str]] = {}
        names: Counter[str] = Counter()
        for number, paragraphs in enumerate(self.paragraphs):
            for paragraph in paragraphs:
                found = [tag for _, tag in self.tags.tags(texts[number], paragraph)]
                if not paragraph.quotes and (
                    tag := self.tags.announced(texts[number][paragraph.start : paragraph.end])
                ):
                    found.append(tag)
                names.update(tag.subject for tag in found if self.tags.is_name(tag.subject))
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
        # Whoever has a title may be meant by "his wife", and whoever is spoken to may answer.
        for pattern, parts in ((self.tags.titled, told), (self.tags.called, quoted)):
            for text in parts:
                for match in pattern.finditer(text):
                    names[" ".join(match["name"].split())] += 0
        plain = {" ".join(match["name"].split()) for text in texts for match in self.tags.titled.finditer(text)}
        for name in [name for name in names if name.endswith("s") and not names[name] and name[:-1] in plain]:
            del names[name]  # "both the Mr. Knightleys"
        self.people = People(names, words)
        self.people.learn_sexes(told)

    # Turns.

    def attribution(self) -> Attribution:
        lines: list[CastLine] = []
        for chapter, paragraphs in enumerate(self.paragraphs):
            turns = self._turns(chapter, paragraphs)
            self._pronouns_and_relations(turns)
            self._alternate(turns)
            self._pronouns_and_relations(turns, again=True)
            self._alternate(turns)
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

    def _turns(self, chapter: int, paragraphs: list[Paragraph]) -> list[_Turn]:
        turns: list[_Turn] = []
        last: Paragraph | None = None
        told: deque[str] = deque(maxlen=OPENING)
        opening = ""
        for paragraph in paragraphs:
            before = "" if last is None else self.texts[chapter][last.start : last.end]
            if paragraph.quotes:
                follows = bool(turns) and turns[-1].paragraph is last
                opening = opening if follows else "\n".join(told)
                turn = _Turn(chapter, paragraph, before, opening, follows)
                turn.continues = bool(turn.follows and last and last.quotes and last.quotes[-1].open)
                self._explicit(turn)
                if not turn.speaker and turns and not turn.follows and len(before) < SHORT and ANSWER.search(before):
                    turn.set(f"={len(turns) - 1}", TURN, before)  # whoever asked goes on
                turns.append(turn)
                last = paragraph
                continue
            said = self.texts[chapter][paragraph.start : paragraph.end]
            told.append(said)
            if last is None or not self._is_silence(said):
                last = paragraph
        return turns

    def _is_silence(self, told: str) -> bool:
        """Whether a paragraph is a short remark that leaves a dialogue as it is."""
        return len(told) < SHORT and not self.people.mentioned(told) and not ANSWER.search(told)

    def _explicit(self, turn: _Turn) -> None:
        text, parts = self.texts[turn.chapter], turn.paragraph.parts
        for part in turn.paragraph.quotes:
            if not _looks_spoken(text, turn.paragraph, part):
                turn.unspoken.add(part)
        tagged = dict(self.tags.tags(text, turn.paragraph))
        if not tagged and not turn.follows and (announced := self.tags.announced(turn.before)):
            tagged[0] = announced
        speakers = [(at, self._who(tag), tag) for at, tag in tagged.items()]
        for at, who, tag in speakers:  # "they cried": nobody's, whoever else speaks in the paragraph
            if who == f"?{MANY}" and at and parts[at - 1].quoted:
                turn.others[parts[at - 1]] = (who, tag.written)
        named = [entry for entry in speakers if not entry[1].startswith("?")]
        if speakers:
            at, who, tag = named[0] if named else speakers[0]
            turn.set(who, TAG, tag.written)
            for other_at, other, other_tag in named[1:]:
                if other != who:  # two people in a paragraph: each has the quotation at the own tag
                    near = parts[other_at - 1] if other_at and parts[other_at - 1].quoted else None
                    for part in (near,) if near else parts[other_at + 1 : other_at + 2]:
                        turn.others[part] = (other, other_tag.written)
            return
        self._by_beat(turn)

    def _who(self, tag: Tag) -> str:
        """A character, the narrator, or "?" and what is known: a sex, or the word of a relation."""
        if self.tags.is_pronoun(tag.subject):
            meant = self.tags.meant(tag)
            return NARRATOR if meant == NARRATOR else f"?{meant}"
        if relation := self.tags.relation(tag.subject):
            return f"?{relation}"
        who = self.people.person(tag.subject)
        self.people.learn_from_verb(who, tag.verb)
        return who

    def _by_beat(self, turn: _Turn) -> None:
        """Who acts in the paragraph: "Alice sighed. '...'"; or whom the paragraph before announces with a colon."""
        text, parts = self.texts[turn.chapter], turn.paragraph.parts
        for part in parts:
            if not part.quoted and (actor := self._actor(text[part.start : part.end])):
                turn.set(actor, BEAT, text[part.start : part.end].strip())
                return
        end = turn.before.rstrip()
        if end.endswith(":") and not turn.follows:
            sentence = re.split(r"(?<=[.!?])\s+", end)[-1]
            people = set(self.people.mentioned(sentence))
            if len(people) == 1:
                turn.set(people.pop(), BEAT, sentence)

    def _pronouns_and_relations(self, turns: list[_Turn], again: bool = False) -> None:
        """ "said he": the one man of the dialogue. "cried his wife": Mrs. X where Mr. X is there."""
        for at, turn in enumerate(turns):
            if turn.speaker.startswith("="):
                earlier = turns[int(turn.speaker[1:])]
                if earlier.is_known:
                    turn.set(
                        earlier.speaker, min(TURN, earlier.confidence), f"{earlier.speaker} goes on: {turn.evidence}"
                    )
            if turn.continues and turns[at - 1].speaker and not turn.confidence >= TAG:
                turn.set(turns[at - 1].speaker, turns[at - 1].confidence, "the quotation before goes on")
            if not turn.speaker.startswith("?"):
                continue
            wanted = turn.speaker[1:]
            nearby = self._nearby(turns, at)
            who, evidence = None, turn.evidence
            wanted = wanted.strip()
            if wanted in (MAN, WOMAN):
                who = self._of_sex(nearby, wanted, turns, at)
            else:
                who = self._related(wanted, nearby + self._spoken_of(turns, at))
            if who:
                if wanted in (MAN, WOMAN):
                    self.people.vote(who, wanted)
                turn.set(who, PRONOUN if not again else TURN, f"{evidence}: {who}")

    def _nearby(self, turns: list[_Turn], at: int) -> list[str]:
        """The characters around a turn, the nearest first: who is named in it and in front of it, and who speaks."""
        turn = turns[at]
        text = self.texts[turn.chapter]
        told = "".join(text[part.start : part.end] + " " for part in turn.paragraph.parts if not part.quoted)
        found = self.people.mentioned(told)
        for back in range(at - 1, max(-1, at - 5), -1):
            one = turns[back]
            if one.is_known:
                found.append(one.speaker)
            outside = "".join(text[p.start : p.end] + " " for p in one.paragraph.parts if not p.quoted)
            found += reversed(self.people.mentioned(outside))
        if not turn.follows:
            found[0:0] = reversed(self.people.mentioned(turn.before))
        for one in turns[at + 1 : at + 3]:
            if one.is_known:
                found.append(one.speaker)
        for one in (*turns[max(0, at - 1) : at], *turns[at + 1 : at + 2]):
            found += self._called(one)
        found += reversed(self.people.mentioned(turn.opening))
        return list(dict.fromkeys(found))

    def _spoken_of(self, turns: list[_Turn], at: int) -> list[str]:
        """The characters that are named in the words of a turn and of those around it."""
        found: list[str] = []
        for one in turns[max(0, at - 4) : at + 3]:
            text = self.texts[one.chapter]
            found += self.people.mentioned(" ".join(text[part.start : part.end] for part in one.paragraph.quotes))
        return list(dict.fromkeys(found))

    def _called(self, turn: _Turn) -> list[str]:
        """The characters to whom the words of a turn speak by name."""
        text = self.texts[turn.chapter]
        words = " ".join(text[part.start : part.end] for part in turn.paragraph.quotes)
        return [one for one in dict.fromkeys(self.people.mentioned(words)) if self._is_called(turn, one)]

    def _acts(self, turn: _Turn) -> str | None:
        """Who is named first in what is told around the quotations, as the one who acts."""
        text = self.texts[turn.chapter]
        for part in turn.paragraph.parts:
            if not part.quoted and (match := self._actor(text[part.start : part.end])):
                return match
        return None

    def _actor(self, told: str) -> str | None:
        for sentence in re.split(r"(?<=[.!?])\s+", told.strip(" \n—-–")):
            if match := self.people.pattern.match(sentence) or self._described_actor(sentence):
                return self.people.of[match[0] if match[0] in self.people.of else match[0][0].lower() + match[0][1:]]
        return None

    def _described_actor(self, sentence: str) -> re.Match[str] | None:
        return self.people.pattern.match(sentence[:1].lower() + sentence[1:]) if sentence else None

    def _of_sex(self, nearby: list[str], sex: str, turns: list[_Turn], at: int) -> str | None:
        actor = self._acts(turns[at])
        if actor is not None and self.people.sex(actor) in (None, sex):
            self.people.vote(actor, sex)
            return actor
        fitting = [one for one in nearby if self.people.sex(one) == sex and one != NARRATOR]
        unknown = [one for one in nearby if self.people.sex(one) is None and one != NARRATOR]
        turn = turns[at]
        if turn.follows and at and not turn.continues:
            fitting = [one for one in fitting if one != turns[at - 1].speaker] or fitting
        if len(fitting) == 1 or (fitting and not turn.follows and fitting[0] == nearby[0]):
            return fitting[0]
        if not fitting and len(unknown) == 1:
            return unknown[0]
        if fitting and at > 1 and turns[at - 2].speaker in fitting and turn.follows:
            return turns[at - 2].speaker
        return None

    def _related(self, word: str, nearby: list[str]) -> str | None:
        sex = self.words.relations.get(word)
        if sex is None:
            return None
        last_names = {one.split()[-1] for one in nearby if self.people.title(one)}
        fitting = [
            one
            for one in self.people.counts
            if self.people.title(one) in ("Mrs.", "Mrs", "Mr.", "Mr", "Frau", "Herr", "Mme", "M.")
            and self.people.sex(one) == sex
            and one.split()[-1] in last_names
            and len(one.split()) == 2
        ]
        return fitting[0] if len(fitting) == 1 else None

    def _alternate(self, turns: list[_Turn]) -> None:
        """In a dialogue of two, whoever did not speak last speaks now; forwards, then backwards."""
        for step in (1, -1):
            for at in range(len(turns))[::step]:
                one, two = at - step, at - 2 * step
                begins = turns[at].paragraph.parts[0].quoted  # words within a sentence are no turn of a dialogue
                if turns[at].is_known or not begins or not 0 <= one < len(turns) or self._in_pair(turns, at, one):
                    continue
                if 0 <= two < len(turns) and self._may_alternate(turns, at, one, two):
                    last, wanted = turns[one], turns[two]
                    confidence = min(TURN + STEP, wanted.confidence, last.confidence) - STEP
                    turns[at].set(wanted.speaker, confidence, f"the turns of {wanted.speaker} and {last.speaker}")

    def _may_alternate(self, turns: list[_Turn], at: int, one: int, two: int) -> bool:
        turn, last, wanted = turns[at], turns[one], turns[two].speaker
        joined = turns[max(at, one)].follows and turns[max(one, two)].follows
        if not joined or not turns[two].is_known or not last.is_known or wanted == last.speaker:
            return False
        if last.continues or turn.continues or self._is_called(turn, wanted):
            return False
        if turn.speaker:  # a pronoun, which must fit, or a relation, which says nothing here
            return (
                turn.speaker[1:] in (MAN, WOMAN)
                and self.people.sex(wanted) in (None, turn.speaker[1:])
                and (wanted != NARRATOR)
            )
        # With three people, whose turn it is does not follow.
        return len({other.speaker for other in turns[max(0, at - 3) : at + 4] if other.is_known}) <= 2

    def _in_pair(self, turns: list[_Turn], at: int, one: int) -> bool:
        """Give an untagged turn to the only other person who is there or spoken to; whether that was done."""
        turn = turns[at]
        later = max(at, one)
        if not 0 <= one < len(turns) or turn.speaker or turn.continues or not turns[later].follows:
            return False
        last = turns[one]
        if not last.is_known or last.continues:
            return False
        scene = turns[max(0, later - SCENE) : later + SCENE]
        present = {one.speaker for one in scene if one.is_known}
        present |= {person for one in scene for person in self._called(one)}
        present |= (
            set(self.people.mentioned(turn.opening[-OPENING_CHARACTERS:])) if not present <= {last.speaker} else set()
        )
        others = present - {last.speaker}
        if len(others) != 1 or len(present) > 2:
            return False
        (person,) = others
        if self._is_called(turn, person):
            return False
        turn.set(person, min(TURN - 0.03, last.confidence - 0.01), f"only {person} and {last.speaker} are there")
        return turn.confidence >= SURE_ENOUGH

    def _is_called(self, turn: _Turn, person: str) -> bool:
        """Whether the words speak to this person: nobody calls oneself by name."""
        text = self.texts[turn.chapter]
        called = self._calls.get(person)
        if called is None:
            names = "|".join(map(re.escape, (person, *self.people.aliases(person))))
            lead = rf"(?:^\W*(?:(?:oh|ah|well|but|yes|no|come)[,!]?\s+)?|[,!]\s+){FOND}*"
            called = self._calls[person] = re.compile(rf"{lead}(?:{names})[,!?.]", re.IGNORECASE)
        return any(called.search(text[part.start : part.end]) for part in turn.paragraph.quotes)

    def _lines_of(self, turn: _Turn) -> list[CastLine]:
        lines = []
        for part in turn.paragraph.quotes:
            confidence, evidence = turn.confidence, turn.evidence
            speaker: str | None = turn.speaker or None
            if part in turn.others:
                speaker, evidence = turn.others[part]
                confidence = TAG
            if part in turn.unspoken:
                speaker, confidence, evidence = None, 0.0, "words that are quoted, not spoken"
            elif speaker == NARRATOR:
                speaker, evidence = None, f"{evidence}: the narrator"
            elif speaker is not None and (speaker[0] in "?=" or confidence < SURE_ENOUGH):
                speaker, confidence, evidence = None, 0.0, f"not sure: {evidence}"
            lines.append(CastLine(turn.chapter + 1, part.start, part.end, speaker, confidence, evidence))
        return lines


def _looks_spoken(text: str, paragraph: Paragraph, part: Stretch) -> bool:
    """A quotation within a sentence that ends without a mark is a word or a title that is quoted."""
    inside = text[part.start : part.end].rstrip("”\"»“«’'` \n")
    begins = paragraph.start == part.start or not text[paragraph.start : part.start].strip(" \t—–-(")
    return part.open or begins or inside[-1:] in ".,!?;:…—–-_*" or text[part.end : part.end + 1] in ",."
