"""Turns of a dialogue that no name announces -> their speakers, from pronouns, calls, what is told, and alternation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from mlx_tts.text.cast.people import People, sentences
from mlx_tts.text.cast.speech_words import MAN, MANY, NARRATOR, WOMAN, SpeechWords
from mlx_tts.text.cast.tags import FOND, OTHER
from mlx_tts.text.cast.turns import FOCUS, PRONOUN, SURE_ENOUGH, TAG, TURN, UNREAD, SpeakerTurn, are_joined

STEP = 0.01  # what each turn between one with a tag and this one takes from its confidence
ANNOUNCED = re.compile(r"\s*[^.!?\n]{1,100}:\s*")  # a short sentence in front of an answer: "Ann said:"
OPENING_CHARACTERS = 600
FOCUS_CHARACTERS = 600  # of what is told between two turns
SCENE = 8  # turns before and after one that belong to its dialogue


class SpeakerResolver:
    """texts: of the chapters, to which turns refer."""

    def __init__(self, texts: Sequence[str], words: SpeechWords, people: People):
        self.texts, self.words, self.people = texts, words, people
        self._calls: dict[str, re.Pattern[str]] = {}
        self._silence = re.compile(rf"(?<!\w)(?:{words.silence})(?!\w)")
        self._first_person = re.compile(rf"(?<!\w)(?:{words.first_person})(?!\w)")

    def resolve(self, turns: list[SpeakerTurn]) -> None:
        """Give speakers to the turns of one chapter."""
        self._pronouns_and_relations(turns)
        self._told_before(turns)
        self._answers(turns)
        self._alternate(turns)
        self._pronouns_and_relations(turns, again=True)
        self._alternate(turns)

    def _pronouns_and_relations(self, turns: list[SpeakerTurn], again: bool = False) -> None:
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
            if wanted == OTHER:
                who = self._other(turns, at)
            elif wanted in (MAN, WOMAN):
                turn.pronoun = wanted
                who = self._of_sex(nearby, wanted, turns, at, again)
                who = None if who and self._came_later(turns, at, wanted, who) else who
            else:
                who = self._related(wanted, nearby + self._spoken_of(turns, at))
            if who:
                if wanted in (MAN, WOMAN):
                    self.people.vote(who, wanted)
                turn.set(who, PRONOUN if not again else TURN, f"{evidence}: {who}")

    def _other(self, turns: list[SpeakerTurn], at: int) -> str | None:
        """ "said the other": who spoke before whoever spoke or thought last."""
        before = [turn.speaker for turn in turns[max(0, at - SCENE) : at][::-1]]
        if not before or not turns[at].follows or not turns[at - 1].is_known:
            return None
        other = next((one for one in before if one != before[0] and not self.people.may_be_one(one, before[0])), "")
        return other if other[:1] not in ("", "?", "=") else None

    def _told_before(self, turns: list[SpeakerTurn]) -> None:
        """Words without a tag are mostly of whoever acted last in what is told in front of them."""
        for at, turn in enumerate(turns):
            begins = turn.paragraph.parts[0].quoted
            if turn.speaker or turn.follows or turn.continues or not begins or len(turn.before) > FOCUS_CHARACTERS:
                continue
            if self._first_person.search(turn.before):  # whoever tells the book may speak
                continue
            actor = self._acted_before(turns, at)
            if actor not in (None, "?") and not self._is_called(turn, actor):
                turn.set(actor, FOCUS, turn.before)

    def _answers(self, turns: list[SpeakerTurn]) -> None:
        """Who is called by name speaks next."""
        for last, turn in pairwise(turns):
            called = [one for one in self._called(last) if one != last.speaker and not self._is_asked(last, one)]
            called = [one for one in called if self.people.counts[one]]  # not a pet name under which nobody speaks
            if turn.follows and not (turn.speaker or turn.continues or last.continues) and len(called) == 1:
                turn.set(called[0], TURN, f"{called[0]} was spoken to")

    def _nearby(self, turns: list[SpeakerTurn], at: int) -> list[str]:
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
        heard = {one.speaker for one in turns[max(0, at - SCENE) : at] if one.is_known}
        opening = self.people.mentioned(turn.opening)
        turn.around = {*found, *opening} | heard
        # "he" is nobody who comes in later, unless nothing is told before the first words.
        is_alone = not found and not turn.before and turn.paragraph.parts[0].quoted
        for later in range(at + 1, min(len(turns), at + 3)):
            if turns[later].is_known and (is_alone or are_joined(turns, at, later)):
                found.append(turns[later].speaker)
        for one in (*turns[max(0, at - 1) : at], *turns[at + 1 : at + 2]):
            found += self._called(one)
        found += reversed(opening)
        return list(dict.fromkeys(found))

    def _spoken_of(self, turns: list[SpeakerTurn], at: int) -> list[str]:
        """The characters that are named in the words of a turn and of those around it."""
        found: list[str] = []
        for one in turns[max(0, at - 4) : at + 3]:
            text = self.texts[one.chapter]
            found += self.people.mentioned(" ".join(text[part.start : part.end] for part in one.paragraph.quotes))
        return list(dict.fromkeys(found))

    def _called(self, turn: SpeakerTurn) -> list[str]:
        """The characters to whom the words of a turn speak by name."""
        text = self.texts[turn.chapter]
        words = " ".join(text[part.start : part.end] for part in turn.paragraph.quotes)
        return [one for one in dict.fromkeys(self.people.mentioned(words)) if self._is_called(turn, one)]

    def _acts(self, turn: SpeakerTurn) -> str | None:
        """Who is named first in what is told around the quotations, as the one who acts: in front of the tag, or in
        its part."""
        text = self.texts[turn.chapter]
        for number, part in enumerate(turn.paragraph.parts):
            if number > turn.tag_part:
                return None
            if not part.quoted and (actor := self.people.actor(text[part.start : part.end])):
                return actor
        return None

    def _of_sex(self, nearby: list[str], sex: str, turns: list[SpeakerTurn], at: int, again: bool) -> str | None:
        turn = turns[at]
        actor = self._acts(turn)
        if actor is not None and self.people.may_have(actor, sex):
            self.people.vote(actor, sex)
            return actor
        if (
            turn.goes_on
            and at
            and self._is_told_between(turns[at - 1], turn)
            and self._may_be(turns[at - 1].speaker, sex)
        ):
            return turns[at - 1].speaker
        called = set(self._called(turn))
        nearby = [one for one in nearby if one not in called]
        actor = self._acted_before(turns, at)
        if actor == "?":
            turn.is_strangers = True
            return self._named_next(turns, at, sex)
        if actor is not None and actor not in called and self._may_be(actor, sex):
            return actor
        if self._is_somebody_unknown(turns, at, sex):
            return self._named_next(turns, at, sex)
        return self._one_of(nearby, sex, turns, at, again)

    def _one_of(self, nearby: list[str], sex: str, turns: list[SpeakerTurn], at: int, again: bool) -> str | None:
        """The only one, or the nearest, of these that "he" or "she" may mean."""
        turn = turns[at]
        following = turns[at + 1] if at + 1 < len(turns) else None
        if following is not None and not following.continues and self._answers_at_once(turn, following):
            nearby = [one for one in nearby if one != following.speaker]  # who answers is somebody else
        fitting = [one for one in nearby if self.people.sex(one) == sex and one != NARRATOR]
        unknown = [
            one for one in nearby if self.people.sex(one) is None and self.people.may_have(one, sex) and one != NARRATOR
        ]
        if turn.follows and at and not turn.continues:
            others = [one for one in fitting if one != turns[at - 1].speaker]
            if fitting and not others and unknown:
                return None  # somebody of whom little is known, or the one who spoke last
            fitting = others or fitting
        if len(fitting) == 1 or (fitting and not turn.follows and fitting[0] == nearby[0]):
            return fitting[0]
        is_left_open = at > 0 and not turns[at - 1].speaker and not again  # "he" may be the one who is found there
        if not fitting and len(unknown) == 1 and not is_left_open:
            return unknown[0]
        if fitting and at > 1 and turns[at - 2].speaker in fitting and turn.follows:
            return turns[at - 2].speaker
        return None

    def _answers_at_once(self, turn: SpeakerTurn, following: SpeakerTurn) -> bool:
        """Whether nothing is told before the next turn, or only who answers."""
        if following.follows:
            return not self._is_told_between(turn, following)
        return ANNOUNCED.fullmatch(following.before) is not None

    def _is_told_between(self, last: SpeakerTurn, turn: SpeakerTurn) -> bool:
        """Whether a paragraph that only tells stands between two turns."""
        return bool(self.texts[turn.chapter][last.paragraph.end : turn.paragraph.start].strip())

    def _is_somebody_unknown(self, turns: list[SpeakerTurn], at: int, sex: str) -> bool:
        """Whether "he" is somebody who came in without a name, or a "he" before it was."""
        turn = turns[at]
        earlier = next((one for one in turns[max(0, at - 3) : at][::-1] if one.pronoun == sex), None)
        if earlier is not None and earlier.is_strangers:
            turn.is_strangers = True
            return not earlier.is_known  # who it is may have been found since
        turn.is_strangers = not turn.follows and self.people.last_actor(turn.opening)[1] == "?"
        return turn.is_strangers

    def _named_next(self, turns: list[SpeakerTurn], at: int, sex: str) -> str | None:
        """Whom the answer to a stranger calls by name: "Pray take a seat, Miss Fox." """
        following = turns[at + 1] if at + 1 < len(turns) else None
        called = self._called(following) if following is not None and following.follows else []
        return called[0] if len(called) == 1 and self._may_be(called[0], sex) else None

    def _came_later(self, turns: list[SpeakerTurn], at: int, sex: str, person: str) -> bool:
        """Whether an earlier "he" stayed open, which this one goes on with, before this person was there."""
        earlier = next((one for one in turns[max(0, at - 3) : at][::-1] if one.pronoun == sex), None)
        if earlier is None or earlier.is_known:
            return False
        if not earlier.before and earlier.paragraph.parts[0].quoted:
            return False  # nothing is told before the first words
        turns[at].around &= earlier.around
        return person not in earlier.around

    def _acted_before(self, turns: list[SpeakerTurn], at: int) -> str | None:
        """Who acted last in what is told between the words before and these; "?" where it may be several."""
        turn, last = turns[at], turns[at - 1] if at else None
        told = turn.before
        if turn.follows and last is not None:
            part = last.paragraph.parts[-1]
            told = self.texts[last.chapter][part.start : part.end]
            if part.quoted or len(sentences(told)) < 2:
                return None
        actor, pronoun = self.people.last_actor(told)
        if actor is not None and self._silence.search(sentences(told)[-1]):  # who asked goes on
            return last.speaker if last is not None and last.is_known and last.speaker != actor else "?"
        if actor is None and last is not None and last.is_known and self._may_be(last.speaker, pronoun):
            return last.speaker
        return "?" if pronoun == "?" else actor

    def _may_be(self, person: str, pronoun: str) -> bool:
        """Whether "he", "she" or "I" may mean this person."""
        if NARRATOR in (person, pronoun):
            return person == pronoun
        return person[:1] not in ("", "?", "=") and pronoun in (MAN, WOMAN) and self.people.may_have(person, pronoun)

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
        if len(fitting) != 1:
            spoken = [one for one in nearby if one in fitting]
            return spoken[0] if spoken else None
        return fitting[0]

    def _alternate(self, turns: list[SpeakerTurn]) -> None:
        """In a dialogue of two, whoever did not speak last speaks now; forwards, then backwards."""
        heard = [at for at, turn in enumerate(turns) if not turn.is_thought]  # nobody answers what is only thought
        for order in (heard, heard[::-1]):
            for place, at in enumerate(order):
                begins = turns[at].paragraph.parts[0].quoted  # words within a sentence are no turn of a dialogue
                if turns[at].is_known or not begins or not place or self._in_pair(turns, at, order[place - 1]):
                    continue
                one, two = order[place - 1], order[max(0, place - 2)]
                if two != one and self._may_alternate(turns, at, one, two):
                    last, wanted = turns[one], turns[two]
                    confidence = min(TURN + STEP, wanted.confidence, last.confidence) - STEP
                    turns[at].set(wanted.speaker, confidence, f"the turns of {wanted.speaker} and {last.speaker}")
                elif two != one and self._speaks_with_a_stranger(turns, at, one, two):
                    confidence = min(FOCUS, turns[two].confidence) - STEP
                    turns[at].set(turns[two].speaker, confidence, f"every second turn is {turns[two].speaker}'s")

    def _may_alternate(self, turns: list[SpeakerTurn], at: int, one: int, two: int) -> bool:
        turn, last, wanted = turns[at], turns[one], turns[two].speaker
        if not turns[two].is_known or not last.is_known or wanted == last.speaker:
            return False
        is_answer = two < one and last.speaker in self._called(turns[two])  # whoever is called speaks next
        if not are_joined(turns, at, one if is_answer else two):
            return False
        if last.continues or turn.continues or self._is_called(turn, wanted):
            return False
        if turn.speaker:
            return self._may_be_meant(turns, at, wanted, last.speaker)
        return self._are_two(turns, at, one, two)

    def _may_be_meant(self, turns: list[SpeakerTurn], at: int, wanted: str, last: str) -> bool:
        """Whether whose turn it is fits a pronoun, a relation, or "the other"."""
        meant = turns[at].speaker[1:]
        sex = meant if meant in (MAN, WOMAN) else self.people.sex_of_relation(meant)
        if meant in (UNREAD, MANY, NARRATOR) or self._acted_before(turns, at) == "?":
            return False
        if sex is None:
            return True
        if self.people.sex(wanted) is None and self.people.sex(last) == sex:
            return False  # "she" is rather she who spoke last
        if self._is_somebody_unknown(turns, at, sex) or self._came_later(turns, at, sex, wanted):
            return False
        return self._may_be(wanted, sex)

    def _are_two(self, turns: list[SpeakerTurn], at: int, one: int, two: int) -> bool:
        """Whether only these two speak around a turn: with three people, whose turn it is does not follow. A
        description may be one of the two."""
        last, wanted = turns[one].speaker, turns[two].speaker
        joined = [other for other in range(max(0, at - 3), min(len(turns), at + 4)) if are_joined(turns, at, other)]
        scene = [turns[other] for other in joined]
        if NARRATOR not in (wanted, last) and self._is_told_by_one_of_them(scene):
            return False
        theirs, others = {wanted}, {last}
        for other in joined:
            if turns[other].is_known:
                group, nearest = (others, last) if (other - at) % 2 else (theirs, wanted)
                group.add(speaker := turns[other].speaker)
                if other < min(one, two) < at and speaker != nearest and not nearest[:1].islower():
                    return False  # a name after a description is somebody who came in
        return not theirs & others and all(self._is_one_person(group) for group in (theirs, others))

    def _is_one_person(self, group: set[str]) -> bool:
        """Whether these names may be those of one person: a name, and descriptions in small letters."""
        sexes = {self.people.sex(one) for one in group} - {None}
        return sorted(one[:1].islower() for one in group) in ([False], [True], [False, True]) and len(sexes) <= 1

    def _speaks_with_a_stranger(self, turns: list[SpeakerTurn], at: int, one: int, two: int) -> bool:
        """Whether it is the turn of the only one who is known in this dialogue, after somebody whom nobody names."""
        if turns[at].speaker or turns[one].speaker or not are_joined(turns, at, two):
            return False
        if turns[at].continues or turns[one].continues or self._is_called(turns[at], turns[two].speaker):
            return False
        scene, known = turns[max(0, min(at, two) - 3) : max(at, two) + 4], turns[two].speaker
        is_spoken_to = any(self._is_called(turn, known) for turn in scene if not turn.speaker)
        return turns[two].is_known and is_spoken_to and {turn.speaker for turn in scene if turn.speaker} == {known}

    def _in_pair(self, turns: list[SpeakerTurn], at: int, one: int) -> bool:
        """Give an untagged turn to the only other person who is there or spoken to; whether that was done."""
        turn = turns[at]
        later = max(at, one)
        if (
            not 0 <= one < len(turns)
            or turn.speaker not in ("", f"?{OTHER}")
            or turn.continues
            or not turns[later].follows
        ):
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
        if self._is_another_there(scene, present):
            return False
        if len(others) != 1 or len(present) > 2:
            return False
        (person,) = others
        if self._is_called(turn, person):
            return False
        turn.set(person, min(TURN - 0.03, last.confidence - 0.01), f"only {person} and {last.speaker} are there")
        return turn.confidence >= SURE_ENOUGH

    def _is_another_there(self, scene: list[SpeakerTurn], present: set[str]) -> bool:
        """Whether a "he" or "she" speaks in these turns who is none of those that are known."""
        wanted = {turn.speaker[1:] for turn in scene if turn.speaker[1:] in (MAN, WOMAN)}
        return any(all(self.people.sex(one) not in (None, sex) or one == NARRATOR for one in present) for sex in wanted)

    def _is_told_by_one_of_them(self, scene: list[SpeakerTurn]) -> bool:
        """Whether what is told within these turns says "I": whoever tells the book is there, and may speak."""
        for turn in scene:
            text = self.texts[turn.chapter]
            told = [text[part.start : part.end] for part in turn.paragraph.parts if not part.quoted]
            if any(map(self._first_person.search, told)):
                return True
        return False

    def _is_called(self, turn: SpeakerTurn, person: str) -> bool:
        """Whether the words speak to this person: nobody calls oneself by name."""
        text = self.texts[turn.chapter]
        called = self._calls.get(person)
        if called is None:
            names = "|".join(map(re.escape, (person, *self.people.aliases(person))))
            lead = rf"(?:^\W*(?:(?:oh|ah|well|but|yes|no|come)[,!]?\s+)?|[,!]\s+){FOND}*"
            called = self._calls[person] = re.compile(rf"{lead}(?:{names})[,!?.]", re.IGNORECASE)
        return any(called.search(text[part.start : part.end]) for part in turn.paragraph.quotes)

    def _is_asked(self, turn: SpeakerTurn, person: str) -> bool:
        """Whether the words are nothing but the name of somebody who is spoken of: "Mr. Fox?"."""
        text = self.texts[turn.chapter]
        names = (person, *self.people.aliases(person))
        return any(text[part.start : part.end].strip("“”\"'‘’„»« ?!.") in names for part in turn.paragraph.quotes)
