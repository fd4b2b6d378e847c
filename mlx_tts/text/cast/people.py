"""Names as they stand at speech verbs -> characters: which names mean one person, and the sex that the text says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable

from mlx_tts.text.cast.person_words import NOUNS
from mlx_tts.text.cast.speech_words import FEMALE_PAST, MAN, NARRATOR, WOMAN, SpeechWords

SENTENCE = re.compile(r"(?:[^.!?…]|(?:(?<=\bM[rRsS])|(?<=\bM[rR][sS])|(?<=\b[DS][rt])|(?<=\bMme))\.)+[.!?…]*")
SENTENCE_GAP = re.compile(
    r"(?<=[.!?])(?<!\bM[rRsS]\.)(?<!\bM[rR][sS]\.)(?<!\b[DS][rtR]\.)(?<!\bMme\.)(?<!\b[A-HJ-ZА-Ю]\.)\s+"
)
LEAST_VOTES = 2
MARRIED = ("Mrs.", "Mrs", "Mme", "Madame", "Frau", "señora", "госпожа")
FAR_MORE = 5  # times as many lines as whoever else has the name
FEW, SILENT = 3, 40  # verbs of speech of somebody silent, and times that the name is told for each
LEAST_USED = 0.05  # of a character's lines, for a name to be the character's
RANK = re.compile(r"the (?P<title>Doctor|Captain|Colonel|Major|General|Judge|Inspector|Professor|Count|Countess|Baron)")
DESCRIBED = re.compile(r"(?P<article>the|a|an) (?:[a-z][a-z-]* )+(?P<rest>[A-Z].*)")


def _is_short_for(name: str, other: str) -> bool:
    """Huck is Huckleberry; Ann is not Anne."""
    return 4 <= len(name) <= len(other) - 3 and other.startswith(name) and other.isalpha()


def sentences(told: str) -> list[str]:
    return SENTENCE_GAP.split(told.strip(" \n—-–"))


class People:
    """names: each written name with how often it speaks. A written name belongs to one character, the fullest name.
    is_seen: whether the book has a word as a name."""

    def __init__(self, names: Counter[str], words: SpeechWords, is_seen: Callable[[str], bool] = lambda word: False):
        self.words, self.is_seen = words, is_seen
        self._sexes: dict[str, Counter[str]] = {}
        self.counts: Counter[str] = Counter()
        self.of: dict[str, str] = {}
        self._spellings: dict[str, str] = {}  # of folded names: the commonest, since ALICE is Alice
        for name, _ in names.most_common():
            self._spellings.setdefault(name.casefold(), name)
        plain = {name: self._undescribed(name, names) for name in names}
        kept = Counter({name: count for name, count in names.items() if plain[name] == name})
        for name in names:
            self.of[name] = self._fullest(plain[name], kept)
        self._call_as_the_book_does(names)
        for name, count in names.items():
            self.counts[self.of[name]] += count
        self._in_capitals = {form: name for name in names for form in (name.upper(), name[:1].upper() + name[1:])}
        written = sorted({*names, *self._in_capitals}, key=len, reverse=True)
        self.pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, written)) or '(?!)'})(?!\w)")
        self._silent: set[str] = set()
        self._subject = self._subject_pattern(names)
        self._comes = re.compile(rf"\b(?:{words.when}) (?P<name>{self.pattern.pattern}) [^\W\d_A-Z]")
        capital = rf"(?!(?:{words.no_names})\b)[A-ZÀ-ÖØ-ÞА-ЯЁ][^\W\d_]+"
        self._unknown = re.compile(rf"\W*(?P<name>{capital}(?: {capital})?),?\s[^\W\d_A-ZÀ-ÖØ-ÞА-ЯЁ]")
        self._clause = re.compile(rf"\W*(?i:{words.clauses})\b")

    def _call_as_the_book_does(self, names: Counter[str]) -> None:
        """The fullest name is the character's that the book uses, not one that it hardly does, as "Monsieur Marius" for
        Marius, or "Mr. Sherlock Holmes" for Sherlock Holmes."""
        lines: Counter[str] = Counter()
        for name, count in names.items():
            lines[self.of[name]] += count
        for fullest, count in lines.items():
            is_description = fullest.split()[0] in self.words.articles
            if names[fullest] < (1 if is_description else LEAST_USED) * count:
                own = [name for name in names if self.of[name] == fullest]
                used = [name for name in own if names[name] >= LEAST_USED * count] or own
                usual = self._spellings[max(used, key=lambda name: (len(name.split()), names[name])).casefold()]
                self.of |= dict.fromkeys(own, usual)

    def _subject_pattern(self, names: Iterable[str]) -> re.Pattern[str]:
        """The subject at the beginning of a sentence: "Then Ann", "When he had gone, the Hatter", "he"."""
        adverbial = rf"(?i:{self.words.openers}|\w+ly)\b(?:[^,.;:!?]*,)?\s+"
        opener = rf"(?:{adverbial}|(?i:{self.words.places})(?:\s+[a-z]+){{1,3}}?\s+)?"
        written = [re.escape(name) for name in sorted(names, key=len, reverse=True)]
        who = "|".join(rf"(?i:{one[0]}){one[1:]}" if one[0].isalpha() else one for one in written) or r"(?!)"
        pronouns = "|".join(map(re.escape, (*self.words.pronouns, *self.words.owners)))
        return re.compile(
            rf"\W*{opener}(?:(?P<name>{who})|(?P<pronoun>(?i:{pronouns})))(?!\w)(?:(?![’']s\b)|[’']s\s(?:[\w-]+\s){{0,3}}?(?:{self.words.body})\b)"
        )

    def subject(self, sentence: str) -> str:
        """Who acts in a sentence: a character, "?" and what a pronoun says, "?" where several may, or nothing."""
        match = self._subject.match(sentence)
        if match is None:
            return "?" if STRANGER.match(sentence) or self._is_somebody(sentence) else ""
        if self._clause.match(sentence) and "," not in match[0] and len(set(self.mentioned(sentence))) > 1:
            return "?"  # "When Ann had gone Bob sat down": who is the subject of which verb?
        if name := match["name"]:
            person = self.of[name] if name in self.of else self.of.get(name[0].swapcase() + name[1:], "")
            return "" if person in self._silent else person
        known = self.words.pronouns | self.words.owners
        return "?" + (known.get(match["pronoun"]) or known.get(match["pronoun"].lower()) or "")

    def _is_somebody(self, sentence: str) -> bool:
        """Whether a sentence begins with the name of somebody who says nothing in the book."""
        match = self._unknown.match(sentence)
        if match is None or self.mentioned(match["name"]):
            return False
        tokens = match["name"].split()
        return len(tokens) > 1 or self.is_seen(tokens[0])

    def actor(self, told: str) -> str | None:
        """The first character that acts in what is told."""
        subjects = map(self.subject, sentences(told))
        return next((one for one in subjects if one and one[0] != "?"), None)

    def last_actor(self, told: str) -> tuple[str | None, str]:
        """The last character that acts in what is told, while no pronoun of another sex takes its place; and what the
        last pronoun says that stands for a subject, or "?" where several may be the subject."""
        last, pronoun = None, ""
        for sentence in sentences(told):
            one = self.subject(sentence)
            if (comes := self._comes.search(sentence)) and comes.start() and not self._clause.match(sentence):
                one = self._of(comes["name"])  # "She sat there when Ann came in."
            if one == "?" or STRANGER_COMES.search(sentence):
                last, pronoun = None, "?"
            elif last is not None and one == f"?{self.sex(last) or one[1:]}" and last in self.mentioned(sentence):
                last, pronoun = None, "?"  # "He went to Ann": he is somebody else
            elif one.startswith("?"):
                pronoun = one[1:] if pronoun != "?" else "?"  # whose name is not told is meant by "he", too
                if last is not None and self.sex(last) not in (None, pronoun):
                    last = None
            elif one:
                last, pronoun = one, ""
        return last, pronoun

    def title(self, name: str) -> str | None:
        first = name.split()[0]
        return first if first in self.words.titles else None

    def _sex_of_title(self, name: str) -> str | None:
        title = self.title(name)
        return self.words.titles[title] if title else None

    def _bare(self, name: str) -> list[str]:
        tokens = name.split()
        if "of" in tokens[1:]:  # "Anne of Green Gables" is not called Gables
            tokens = tokens[: tokens.index("of")]
        return tokens[1:] if self.title(name) and len(tokens) > 1 else tokens

    def _undescribed(self, name: str, names: Counter[str]) -> str:
        """ "the eager Ralph" is Ralph, and "the little Prince" the Prince."""
        if match := DESCRIBED.fullmatch(name):
            for plain in (match["rest"], f"{match['article']} {match['rest']}"):
                if plain in names:
                    return plain
        return name

    def person(self, name: str) -> str:
        """The character that is meant by a name as it stands in the text."""
        spelling = self._spellings.setdefault(name.casefold(), name)
        return self.of.get(spelling, spelling)

    def _fullest(self, name: str, names: Counter[str]) -> str:
        """The name of the character: the fullest one, which stands for itself."""
        seen = [self._spellings[name.casefold()]]
        while (fuller := self._spellings[self._person(seen[-1], names).casefold()]) not in seen:
            seen.append(fuller)
        return seen[-1]

    def _person(self, name: str, names: Counter[str]) -> str:
        """The longer name of the same person, where exactly one fits; "Mr. Bennet" and "Mrs. Bennet" are two."""
        title = self.title(name)
        if rank := RANK.fullmatch(name):  # the only Inspector Fox
            ranked = [other for other in names if self.title(other) == rank["title"] and len(other.split()) > 1]
            return ranked[0] if len(ranked) == 1 else name
        if kin := re.fullmatch(r"the (\S+)", name):  # "the nephew" where Scrooge's nephew speaks
            owned = [other for other in names if re.search(rf"[’']s? {re.escape(kin[1])}$", other)]
            return owned[0] if len(owned) == 1 else name
        if title and any(
            self._bare(other) == self._bare(name) and self._sex_of_title(other) not in (None, self._sex_of_title(name))
            for other in names
        ):
            return name  # Mr. and Mrs. Churchill: either may be meant by a longer name
        fitting = [other for other in names if other != name and self._may_be_fuller(other, name, names)]
        longest = [one for one in fitting if not any(set(self._bare(one)) < set(self._bare(two)) for two in fitting)]
        bare = {" ".join(self._bare(one)) for one in longest}
        if len(bare) != 1:
            return name
        men = [one for one in longest if self._sex_of_title(one) == MAN]
        if title is None and men and len(bare | {name}) == 1:
            return max(men, key=lambda one: names[one])  # Mr. and Miss Bingley: the one without a title is he
        if len({self.title(one) for one in longest} - {None}) > 1:  # Wemmick is Mr. Wemmick where she hardly speaks
            longest.sort(key=lambda one: -names[one])
            if names[longest[0]] < FAR_MORE * sum(names[one] for one in longest[1:]):
                return name
        titled = [one for one in longest if self.title(one)]
        return (titled or longest)[0]

    def _may_be_fuller(self, other: str, name: str, names: Counter[str]) -> bool:
        """Whether another name may be a longer one of the same person."""
        mine, title = set(self._bare(name)), self.title(name)
        theirs, other_title = set(self._bare(other)), self.title(other)
        same = mine == theirs and title is None and other_title is not None
        if same and other_title in MARRIED and names[name] and names[name] >= 2 * names[other]:
            return False  # Joe is her husband
        if not (mine < theirs or same or _is_short_for(name, other)):
            return False
        if title is None:
            return True
        if other_title != title:
            # "Mr. Holmes" is Sherlock Holmes where people mostly call him Holmes.
            return other_title is None and names.get(" ".join(self._bare(name)), 0) >= max(1, names[name])
        return names[name] <= 3 * names[other]  # "Mr. Knightley" speaks far more than his brother, "Mr. John Knightley"

    def sex(self, person: str) -> str | None:
        """By a title, or by what pronouns and verbs say."""
        for name in (person, *self.aliases(person)):
            title = self.title(name)
            by_title = self.words.titles.get(title) if title else None
            first = name.split()[0]
            if said := by_title or self.words.articles.get(first.lower()) or self._sex_of_noun(name):
                return said
        votes = self._sexes.get(person, Counter())
        most = votes.most_common(1)
        if most and most[0][1] >= LEAST_VOTES and most[0][1] >= 0.75 * votes.total():
            return most[0][0]
        usual = {self.words.first_names.get(one.split()[0]) for one in (person, *self.aliases(person))} - {None}
        return usual.pop() if len(usual) == 1 and votes.total() < LEAST_VOTES else None

    def _sex_of_noun(self, name: str) -> str | None:
        last = re.split(r"[\s’']", name)[-1].lower()
        return ROLES.get(last) or NOUNS.get(last)

    def may_have(self, person: str, sex: str) -> bool:
        """Whether nothing speaks against this sex: a single vote does where there is none for it."""
        known, votes = self.sex(person), self._sexes.get(person, Counter())
        return known == sex if known is not None else votes[sex] > 0 or not votes.total()

    def sex_of_relation(self, word: str) -> str | None:
        """Of "wife" in "his wife"."""
        return self.words.relations.get(word) or ROLES.get(word)

    def may_be_one(self, person: str, other: str) -> bool:
        """Whether one may be a description of the other: "the lady" of "Mrs. Fox"."""
        described = [name.partition(" ")[0] in self.words.articles and name.islower() for name in (person, other)]
        return described[0] != described[1] and self.sex(person) == self.sex(other) is not None

    def aliases(self, person: str) -> list[str]:
        return sorted(name for name, owner in self.of.items() if owner == person and name != person)

    def mentioned(self, text: str) -> list[str]:
        """The characters whose names stand in a text, in their order."""
        return [self._of(match[0]) for match in self.pattern.finditer(text)]

    def _of(self, written: str) -> str:
        return self.of[written if written in self.of else self._in_capitals[written]]

    def learn_silent(self, told: Iterable[str]) -> None:
        """Who is often told of and hardly says anything, as Paris, does not speak where nobody says so."""
        mentions = Counter(person for text in told for person in self.mentioned(text))
        self._silent = {
            person
            for person, count in mentions.items()
            if self.counts[person] <= FEW and count > SILENT * max(1, self.counts[person])
        }

    def learn_teller(self, told: Iterable[str]) -> None:
        """In a book that somebody tells as "I", who never has a tag and is named in quotations alone is that person."""
        named = {person for text in told for person in self.mentioned(text)}
        for name, person in self.of.items():
            if person not in named and not self.counts[person]:
                self.of[name] = NARRATOR
                self.counts[NARRATOR] += 1

    def learn_sexes(self, told: Iterable[str]) -> None:
        """Each sentence that names one character votes with its pronouns."""
        pronouns = self.words.pronouns
        word = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(pronouns, key=len, reverse=True)))})(?!\w)")
        reflexive = re.compile(rf"\s(?P<word>{'|'.join(self.words.reflexives) or '(?!)'})(?!\w)")
        for text in told:
            for sentence in SENTENCE.finditer(text):
                people = list(self.pattern.finditer(sentence[0]))
                for match in people:  # "it was Ann herself"
                    if itself := reflexive.match(sentence[0], match.end()):
                        self.vote(self._of(match[0]), self.words.reflexives[itself["word"]], LEAST_VOTES)
                if len({self._of(match[0]) for match in people}) != 1:
                    continue
                person = self._of(people[0][0])
                said = {pronouns[match[0]] for match in word.finditer(sentence[0], people[0].end())} & {MAN, WOMAN}
                if len(said) == 1:
                    self.vote(person, said.pop())

    def vote(self, person: str, sex: str, weight: int = 1) -> None:
        self._sexes.setdefault(person, Counter())[sex] += weight

    def learn_from_verb(self, person: str, verb: str) -> None:
        """Russian: сказала is a woman's."""
        if re.search("[а-я]", verb):
            self.vote(person, WOMAN if FEMALE_PAST.fullmatch(verb) else MAN, 2)


ROLES: dict[str, str | None] = {
    role: sex
    for sex, roles in (
        (
            None,
            "servant doctor captain landlord stranger sailor soldier officer priest clerk porter driver coachman "
            "painter "
            "lawyer teacher student prisoner guard guide farmer shepherd banker inspector constable innkeeper visitor",
        ),
        (WOMAN, "queen duchess woman girl lady mother wife sister aunt daughter maid nurse housekeeper"),
        (MAN, "king duke man boy gentleman father husband brother uncle son fellow"),
    )
    for role in roles.split()
}
# Somebody without a name: "One of the men nodded.", "A stout, middle-aged man was sitting there."
STRANGER = re.compile(rf"\W*(?:One of (?:the|them)\b|(?:An?|Another)\s(?:[\w-]+,?\s){{0,4}}?(?:{'|'.join(ROLES)})\b)")
# "the door opened and a man stepped in": whoever is "he" from there on has no name.
STRANGER_COMES = re.compile(
    rf"\b(?:[Aa]n?|[Aa]nother)\s(?:[\w-]+,?\s){{0,4}}?(?:{'|'.join(ROLES)})\s(?:stepped|came|entered|walked|appeared|rushed|ran)\b"
)
