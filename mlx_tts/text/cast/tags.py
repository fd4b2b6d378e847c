"""What is told around a quotation -> the verb of speech and its subject: "said Alice", "the Hatter went on"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from mlx_tts.text.cast.name_words import NameWords
from mlx_tts.text.cast.people import ROLES
from mlx_tts.text.cast.quotations import Paragraph
from mlx_tts.text.cast.speech_words import SpeechWords

FOND = r"(?:(?:my|poor|dear|dearest|good|old|little|sweet)\s+)"  # "my poor dear Isabella"
WINDOW = 160  # characters of what is told that a tag may stand in
LONG_WINDOW = 400  # the same, in front of a quotation, where a sentence may tell much first
# A short title ends no sentence, and no initial does: "said Mr. Fox", "sagte K." ("said I." is one of its own).
SENTENCE_END = r"(?<!Mr)(?<!Mrs)(?<!MR)(?<!MRS)(?<!Dr)(?<!DR)(?<!St)(?<!ST)(?<!\b[A-HJ-ZА-Ю])"
# "Steeping the towels, he said": a participle that begins a sentence is not a name.
NO_PARTICIPLE = (
    r"(?!\w+ing\s+(?:the|his|her|their|its|a|an|it|them|at|in|on|up|out|down|to|from|with|into|back|over)\b)"
)
NOT_OWNED = r"(?![’'][sS]\b)"
NEWCOMER = re.compile(r"\bwhen (?:an?|another|some) ")  # "He rose, when a boy came in and said:"
# Who is somebody else's: "Scrooge's nephew".
KIN = (
    "nephew|niece|cousin|friend|companion|grandfather|grandmother|master|mistress|partner|clerk|"
    "sister-in-law|brother-in-law"
)
NOT_CALLED = "God|Lord|Heavens?|Word|Sir|Madam|Ma|Fellow|Friend|Dear|Darling|Child|Boy|Girl|Lady|Ladies|Gentlemen"


@dataclass(frozen=True)
class Tag:
    """A speech verb with its subject: a name, a description, or a pronoun."""

    subject: str
    verb: str
    written: str


class PlacedTag(NamedTuple):
    """A tag in a paragraph. at: the part in which it stands. first: the first quotation that it belongs to."""

    at: int
    first: int
    tag: Tag


OTHER = "other"  # who is not the one that spoke last: "returned the other"


class TagReader:
    """Finds the tags of one language. names: which capitals are those of names in this book."""

    def __init__(self, words: SpeechWords, names: NameWords):
        self.words, self.names = words, names
        self.has_teller = True  # whether somebody tells the book as "I"
        self.persons: set[str] | None = None  # descriptions such as "the road" count only if these have them
        self._owners = re.compile(rf"(?i:{words.possessives}|their)")
        self._second = re.compile(rf"\s*(?:and|und|et|y)\s(?i:{'|'.join(words.articles) or '(?!)'})\b")
        self._plain = re.compile(words.plain_verbs or words.verbs, re.IGNORECASE)
        (
            self._verb_first,
            self._subject_first,
            self._compound,
            self._saying,
            self._owned,
            self.titled,
            self.called,
            self._any_first,
            self._any_last,
            self._unread,
            self._was_said,
            self._remark,
        ) = _tag_patterns(words)

    def announced(self, paragraph: str) -> Tag | None:
        """A paragraph that ends in "Ben said:", before one that is his."""
        end = paragraph.rstrip()
        return self._tag_before(_end_of(end, LONG_WINDOW)) if end.endswith((":", ",", "—", "--")) else None

    def tags(self, text: str, paragraph: Paragraph) -> list[PlacedTag]:
        """Those of each part that is told: behind the quotation before it, or in front of the next, or both. A colon
        announces somebody, even where nobody is understood; the tag has no subject then."""
        parts, found, announced = paragraph.parts, [], set[int]()
        for at, part in enumerate(parts):
            if part.quoted:
                continue
            told = text[part.start : part.end]
            tag = None
            if at > 0 and parts[at - 1].quoted and at - 1 not in announced:
                tag = self._tag_behind(told[:WINDOW], text[parts[at - 1].start : parts[at - 1].end])
                if tag is not None:
                    found.append(PlacedTag(at, at - 1, tag))
            if at + 1 == len(parts) or not parts[at + 1].quoted:
                continue
            sentences = re.split(rf"{SENTENCE_END}[.!?…]\s+", _end_of(told, LONG_WINDOW))
            is_new = at > 0 and told.rstrip().endswith(":") and (tag is None or len(sentences) > 1)
            if tag is not None and not is_new:
                continue
            tag = self._tag_before(sentences[-1]) or (Tag("", "", sentences[-1].strip()) if is_new else None)
            if tag is not None:
                found.append(PlacedTag(at, at + 1, tag))
                announced.add(at + 1)
        return found

    def is_unread(self, told: str) -> bool:
        """Whether what is told behind words says who spoke them, in a way that is not understood: "cried a voice"."""
        return self._unread.match(told[:WINDOW]) is not None

    def _tag_behind(self, told: str, quoted: str) -> Tag | None:
        """ "...," said Alice / Alice said. Behind a comma every verb is one of speech: "...," thundered Alice."""
        clause = re.split(rf"{SENTENCE_END}[.!?;:…](?:\s|$)", told, maxsplit=1)[0]
        patterns = [self._verb_first, self._subject_first, self._owned, self._was_said, self._any_first]
        if quoted.rstrip("”\"»“«’'").endswith(","):
            patterns.append(self._any_last)
        for pattern in patterns:
            if (match := pattern.match(clause)) and (tag := self._tag(match)):
                return tag
        return None

    def _tag_before(self, told: str) -> Tag | None:
        """Alice said: "..." """
        sentence = re.split(rf"{SENTENCE_END}[.!?…]\s+", told)[-1]
        if NEWCOMER.search(sentence):
            return None
        for match in reversed(list(self._compound.finditer(sentence))):
            if tag := self._far_tag(match):
                return tag
        if told.rstrip()[-1:] not in ",:;—-–":
            return None
        for match in (*self._remark.finditer(sentence), *reversed(list(self._saying.finditer(sentence)))):
            if tag := self._far_tag(match):
                return tag
        orders = (self._subject_first, self._verb_first)
        for pattern in orders[::-1] if self.words.verb_second else orders:
            matches = list(pattern.finditer(sentence))
            if matches and not self._is_second(matches[-1]) and (tag := self._tag(matches[-1])):
                return tag
        return None

    def _is_second(self, match: re.Match[str]) -> bool:
        """ "He asked the host and the guests": the second of two nouns is no subject."""
        return self._second.match(match[0]) is not None and match.string[: match.start()].rstrip()[-1:].isalnum()

    def _far_tag(self, match: re.Match[str]) -> Tag | None:
        """The same for a subject with words between it and its verb: the first word of a sentence has a capital
        whatever it is, so one must be seen as a name elsewhere."""
        tag = self._tag(match)
        if tag is None or self.is_pronoun(tag.subject) or not re.fullmatch(r"[^\W\d_]+", tag.subject):
            return tag
        return tag if tag.subject.islower() or self.names.is_seen(tag.subject) else None

    def _tag(self, match: re.Match[str]) -> Tag | None:
        """None where the subject is no name: "Again", "the road"."""
        subject = match["subject"] or match["antecedent"]
        subject = re.sub(r"\s+", " ", subject).strip()
        subject = {"my": "I", "his": "he", "her": "she"}.get(subject, subject)  # "was my answer"
        first, _, rest = subject.partition(" ")
        if first.casefold() in self.words.articles or self._owners.fullmatch(first):
            subject = f"{first.lower()} {rest}"
        elif not self.is_pronoun(subject):
            subject = self.names.without_common(subject)
            if not subject:
                return None
        if not self.is_person(subject):
            return None
        return Tag(subject, match["verb"] or "say", match[0].strip(" ,\n-–—"))

    def is_person(self, subject: str) -> bool:
        """False for a description such as "the road", which has no word for a person and nowhere says anything."""
        first, _, rest = subject.partition(" ")
        is_open = first in self.words.articles and rest.islower() and rest.split()[-1] not in ROLES
        return not is_open or self.persons is None or subject in self.persons or self.relation(subject) is not None

    def is_said(self, tag: Tag) -> bool:
        """Whether the verb is one that only people have."""
        return self._plain.fullmatch(tag.verb) is not None

    def is_name(self, subject: str) -> bool:
        return not self.is_pronoun(subject) and not self.relation(subject) and not self.is_many(subject)

    def is_pronoun(self, subject: str) -> bool:
        return subject in self.words.pronouns or subject.casefold() in self.words.pronouns

    def relation(self, subject: str) -> str | None:
        if subject.casefold() in self.words.others:
            return OTHER
        if self.has_teller and re.fullmatch(self.words.own_family, subject):
            return None  # always the same person
        first, _, rest = subject.partition(" ")
        return rest if rest and self._owners.fullmatch(first) else None

    def is_many(self, subject: str) -> bool:
        """Whether a description is of several: "the brothers"."""
        return subject.startswith("the ") and subject.islower() and re.search(r"[^aiosu]s$", subject) is not None

    def meant(self, tag: Tag) -> str:
        """The sex of a pronoun, or NARRATOR, or MANY."""
        known = self.words.pronouns
        return known.get(tag.subject) or known[tag.subject.casefold()]


def _end_of(told: str, most: int) -> str:
    """The last characters, from the beginning of a clause on where they are not all."""
    return told if len(told) <= most else re.sub(r"^[^.!?;:…]*[.!?;:…]?", "", told[-most:])


def _tag_patterns(words: SpeechWords) -> tuple[re.Pattern[str], ...]:
    """The verb in front of its subject, and behind it; a subject whose second verb it is; titles."""
    short = "|".join(sorted({title[:-1] for title in words.titles if title.endswith(".")})) or "(?!)"
    no_name = rf"(?!(?:{words.no_names})\b)(?!(?:{short})\b){NO_PARTICIPLE}"
    owner = rf"{no_name}(?:[dl][’'](?=[A-ZÀ-Þ]))?[A-ZÀ-ÖØ-ÞА-ЯЁ](?:\w+|(?=[’'][A-Z]))(?:[’'-](?![sS]\b)\w+)*\b"
    capital = rf"(?:{owner}{NOT_OWNED}|{no_name}(?<!\w)[A-HJ-ZА-Ю]\.)"
    titles = "|".join(map(re.escape, sorted(words.titles, key=len, reverse=True)))
    titled_by = rf"(?:{titles})\s+(?:(?:de|du|von|van)\s+|d[’'])?"
    name = rf"(?:{titled_by})?{capital}(?:\s+(?:(?:de|du|von|van|of)\s+)?{capital}){{0,2}}"
    articles = "|".join(
        re.escape(one) + ("" if one[-1] in "'’" else r"\s+") for one in sorted(words.articles, key=len, reverse=True)
    )
    some = rf"(?i:{articles})" if articles else r"(?!)"
    roles = "|".join(ROLES)
    possessed = rf"(?:(?:{titles})\s+)?{owner}[’'][sS]?\s+(?:{roles}|{KIN})\b"
    role = rf"(?:{some}(?:[^\W\d_]+\s+){{0,2}}?(?:{roles})\b(?!-)|{possessed})"
    described = rf"{some}{name}|{role}"
    definite = "|".join(
        re.escape(one) + ("" if one[-1] in "'’" else r"\s+") for one in words.articles if one not in ("a", "an")
    )
    the = rf"(?i:{definite})" if definite else r"(?!)"
    ends = rf"(?=[,.;:!?—–]|-(?!\w)|\s+(?:(?:{words.following})(?!\w)|\w+ly\b)|\s*$)"
    # A German noun has a capital, so nothing need follow it: "der junge Mann langsam".
    noun = rf"{the}(?:[a-zäöüß]+\s)?{capital}" if words.verb_second else r"(?!)"
    thing = rf"{the}(?!(?:one|same|first|second|third|rest)\b)[^\W\d_]+(?:-[^\W\d_]+)*"
    behind = rf"{described}|{noun}|{thing}(?:\s(?!(?:{words.following})(?!\w))[^\W\d_]+(?:-[^\W\d_]+)*)??{ends}"
    related = rf"(?:(?i:{words.possessives})\s+[^\W\d_]+)"
    pronouns = "|".join(map(re.escape, words.pronouns))
    others = rf"(?:{'|'.join(map(re.escape, words.others))}){ends}" if words.others else r"(?!)"
    verb = rf"(?P<verb>{words.verbs})"
    lead = r"[\s,;—–-]*(?:(?:and|but|then|so|und|y|et|и|а)\s+)?(?:(?:lui|leur|me|nous|se|les?|nos)\s)?"
    who = rf"(?i:{pronouns}|{others})(?!\w)"
    poor = rf"(?:{words.adjectives}\s+(?=(?:{titles})\s|{capital}))?"
    adverb = "" if words.verb_second else rf"(?:{words.adverbs}\s+)?"  # "— тихо сказал Иван"
    first_subject = rf"(?P<subject>{who}|{name}|{behind}|{related}|{words.nouns})"
    first = rf"{lead}{adverb}(?<!\w)(?i:{verb})(?:-t)?[\s-]+(?:{words.adverbs}[\s,]+)??{poor}{first_subject}"
    direct = rf"(?!\w)(?!,?\s(?:{words.indirect})(?!\w))"
    last = (
        rf"{lead}(?<!\w)(?P<subject>{who}|{name}|{described}|{noun}|{thing}|{related})\s+"
        rf"(?:{words.adverbs}\s+){{0,2}}?{verb}{direct}"
    )
    any_first = (
        rf"(?=[\s,—–-]){lead}{adverb}(?<!\w)(?P<verb>{words.any_verb})(?:-t)?[\s-]+"
        rf"(?:{words.adverbs}\s+)??{first_subject}"
    )
    any_last = rf"[\s,]*(?P<subject>{who}|{name}|{role})\s+(?:{words.adverbs}\s+)??(?P<verb>{words.any_verb})(?!\w)"
    # Where there are no articles, any word may begin the subject.
    begun = (
        rf"(?:{some}|(?:an?|eine?|une?|una)\s|(?i:{words.possessives})\s|[A-ZÀ-ÖØ-ÞА-ЯЁ])" if articles else r"(?=\w)"
    )
    unread = rf"{lead}{adverb}(?:(?:{words.verbs})|(?<=— )(?:{words.any_verb}))\s+{begun}"
    compound = (
        rf"(?:^|(?<=[,;:])\s)(?i:{lead}|when\s)(?P<subject>{who}|{name}|{role}|{noun}|{thing})(?!\w)(?:[^.!?;:]|(?<=\b[A-HJ-Z])\.)*?(?:\band|\bbut|,|\bund|\bet|\by)\s+"
        rf"(?:{words.adverbs}\s+)?{verb}(?!\w)[^.!?;]*$"
    )
    saying = (
        rf"(?:(?:^(?i:{lead})|[;:]\s(?i:{lead})|,\s(?={name}\s+(?:{words.sayings})\b))(?P<subject>{who}|{name}|{role})\b|(?P<antecedent>{name}),?\s+who\b)"
        rf"[^.!?;:]*?(?<!\w)(?P<verb>{words.sayings})(?!\w)[^.!?;]*$"
    )
    owned = rf"{lead}(?:was|came)\s+(?P<subject>{owner})[’']s\s+(?:[a-z-]+\s+){{0,2}}(?P<verb>{words.utterances})(?!\w)"
    was_said = (
        rf"{lead}(?:(?:was|came)\s+(?P<subject>my|his|her)\s+(?:[a-z-]+\s+){{0,4}}(?P<verb>{words.utterances})(?!\w)"
        rf"|was\sall\s(?:that\s)?(?P<antecedent>{who}|{name})\s(?:could|had\sto)\ssay(?!\w))"
    )
    remark = (
        rf"(?:(?P<subject>{owner})[’']s|(?<!\w)(?P<antecedent>my|his|her))\s+(?:[a-z-]+\s+){{0,2}}"
        rf"(?P<verb>{words.utterances}|address|words|greeting)\s+(?:[a-z]+\s+)?(?:was|were)\b[^.!?;]*$"
    )
    titled = rf"(?<!\w)(?P<name>(?:{titles})\s+{capital}(?:\s+{capital})?)"
    bare = "|".join(sorted({title.rstrip(".") for title in words.titles}))
    spoken_to = rf"(?<!\w)(?i:my)\s+{FOND}*|,\s+{FOND}*(?=(?:{titles})\s)"
    called = rf"(?:{spoken_to})(?P<name>(?:(?:{titles})\s+)?(?!(?:{bare}|{NOT_CALLED})\b){capital})(?=[,.!?;]|--)"
    patterns = (first, last, compound, saying, owned, titled, called, any_first, any_last, unread, was_said, remark)
    return tuple(map(re.compile, patterns))
