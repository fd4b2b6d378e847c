"""A book -> the names and rare words in it that a voice may say wrong, each with ways to say it.

A word is listed where the dictionary lacks it, where it is a name within a sentence, or where it has several readings that
the rules do not settle. What a lexicon covers already is left out. Nothing is decided here: the lexicon that
`as_lexicon` writes holds proposals as comments.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from mlx_tts.text.cutting.sentences import split_sentences
from mlx_tts.text.languages import DEFAULT
from mlx_tts.text.markup.markdown import clean
from mlx_tts.text.normalise.lexicon import Lexicon
from mlx_tts.text.phonemes.dictionary import Readings, look_up
from mlx_tts.text.phonemes.guess import guess
from mlx_tts.text.phonemes.notations import read as read_pronunciation
from mlx_tts.text.phonemes.notations import to_ipa
from mlx_tts.text.phonemes.origins import ORIGINS
from mlx_tts.text.phonemes.respelling import respelled

UNKNOWN, NAME, SHOUTED = "unknown", "name", "shouted"
WORD = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*")
BEGINS = re.compile(r"(?:^|[.!?:…]['\"”’)\]]*\s|[\"“‘(\[—–]\s*)['\"“‘(\[]*$")
MOST_PROPOSALS = 3
LONGEST_SHOWN = 100  # characters of a sentence
# Letters that tell the language of a name, and how such names end.
_HINTS = (
    ("pl", "łśźżćńąę", ("ski", "ska", "wicz", "czyk", "cki", "cka", "szcz")), ("cs", "řěůťďň", ("ová", "ček", "ský")),
    ("hu", "őű", ("szky", "ssy", "ffy", "csik")), ("tr", "ğış", ("oğlu", "oglu")), ("es", "ñ", ("ez", "illo", "illa")),
    ("de", "ß", ("mann", "stein", "burg", "bach", "schmidt")), ("fr", "çêîôûœ", ("eau", "eaux", "ier", "ault", "ois", "ette")),
    ("it", "", ("elli", "etti", "ucci", "acci", "iglio", "oni")),
)  # fmt: skip
_PINYIN = re.compile(
    r"(?:(?:zh|ch|sh|[bpmfdtnlgkhjqxrzcsyw])?(?:i?ang?|iong|ia?o|ian|uang?|uai|uan?|ong|eng?|ing?|ei|ai|ao|ou|u[oie]?|i[eua]?|[aeo]))+"
)
_ROMAJI = re.compile(r"(?:(?:[kgsztdnhbpmr]y?|ch|sh|ts|j|f|w|y)?[aeiouōū]|n(?![aeiou]))+")


@dataclass
class BookWord:
    """A word of a book. written: as it first stands there. chapter: from 1. why: UNKNOWN, NAME or SHOUTED. beside:
    the names that stand next to it most often, as surnames do."""

    written: str
    count: int
    chapter: int
    sentence: str
    why: str
    beside: dict[str, int] = field(default_factory=dict)
    voiced: bool = False  # within a sentence with a capital


@dataclass(frozen=True)
class Proposal:
    """source: dictionary, net, or the origin whose spelling was followed."""

    ipa: str
    respelling: str
    source: str


def plain_key(word: str) -> str:
    """One key for a word in any shape: without possessive, marks and capitals."""
    word = re.sub(r"(?:['’]s|(?<=s)['’])$", "", word)
    bare = unicodedata.normalize("NFD", word)
    return "".join(letter for letter in bare if not unicodedata.combining(letter)).casefold()


def _stem(word: str) -> str:
    return re.sub(r"(?:['’]s|(?<=s)['’])$", "", word)


def words_of(chapters: Iterable[str], lexicon: Lexicon | None = None) -> list[BookWord]:
    """The listed words, the most frequent first. lexicon: its words are not listed."""
    found: dict[str, BookWord] = {}
    lower: set[str] = set()
    for number, chapter in enumerate(chapters, 1):
        for sentence in _sentences(chapter):
            _collect(sentence, number, found, lower)
    covered = _covered(lexicon)
    kept = [word for key, word in found.items() if key not in covered and _is_listed(key, word, lower)]
    plural_of = {key for key in found if key.endswith("s") and key[:-1] in found}
    kept = [word for word in kept if plain_key(word.written) not in plural_of]
    return sorted(kept, key=lambda word: (-word.count, word.written))


def _sentences(chapter: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", chapter):
        text = clean(paragraph)
        if text:
            yield from (sentence.strip() for sentence in split_sentences(text, DEFAULT))


def _collect(sentence: str, chapter: int, found: dict[str, BookWord], lower: set[str]) -> None:  # noqa: C901 (one case a kind of word)
    shouting = sentence.isupper()
    matches = [part for word in WORD.finditer(sentence) for part in _parts(word)]
    last: BookWord | None = None
    last_end = -1
    for start, written in matches:
        stem = _stem(written)
        if len(stem) < 2:
            last = None
            continue
        key, capital = plain_key(stem), stem[0].isupper()
        if not capital:
            lower.add(key)
        inside = capital and not shouting and not BEGINS.search(sentence[:start])
        entry = look_up(stem)
        if stem.isupper() and len(stem) > 1 and (shouting or len(stem) > 4):
            why = SHOUTED
        else:
            why = UNKNOWN if entry is None else NAME
        word = found.get(key)
        if word is None:
            if why == SHOUTED or (entry is not None and not capital):
                shown = stem.capitalize() if why == SHOUTED else stem
                if why == SHOUTED and look_up(shown) is not None and look_up(shown.lower()) is not None:
                    last = None
                    continue
                if why != SHOUTED:
                    last = None
                    continue
                stem = shown
            word = found[key] = BookWord(stem, 0, chapter, _shown(sentence, start), why)
        word.count += 1
        word.voiced = word.voiced or inside
        if word.why == SHOUTED and not stem.isupper():
            word.written = stem
            word.why = why
        if last is not None and capital and sentence[last_end:start] == " ":
            last.beside[word.written] = last.beside.get(word.written, 0) + 1
            word.beside[last.written] = word.beside.get(last.written, 0) + 1
        last, last_end = (word if capital else None), start + len(written)


def _parts(word: re.Match[str]) -> list[tuple[int, str]]:
    """A compound that the dictionary lacks by its parts: "Szczepan-like" is the name and a common word."""
    if "-" not in word[0] or look_up(word[0]) is not None:
        return [(word.start(), word[0])]
    return [(word.start() + part.start(), part[0]) for part in re.finditer(r"[^-]+", word[0])]


def _is_listed(key: str, word: BookWord, lower: set[str]) -> bool:
    entry = look_up(word.written) or look_up(word.written.lower())
    if entry is None:
        return not _is_made_of_known(key)
    if key in lower and _lower_known(word.written) is not None:
        return False  # a word of the language that also begins sentences
    lowered = _lower_known(word.written)
    if lowered is not None and (lowered.common or not word.voiced):
        return False
    return (word.voiced or lowered is None) and not entry.common  # at the beginning, what has no small form is a name


def _lower_known(word: str) -> Readings | None:
    """The entry of a word in small letters, where the dictionary has it in small letters."""
    entry = look_up(word.lower())
    return entry if entry is not None and entry.exact else None


def _is_made_of_known(key: str) -> bool:
    """ "unreadably", "teapots": a known word with an ending or a beginning of English, or two known words."""
    for ending in ("ly", "ness", "less", "like", "ish", "er", "est", "able", "ers", "ward", "wards", "ful", "y"):
        stem = key.removesuffix(ending)
        if (
            stem != key
            and len(stem) > 2
            and any(_common(form) for form in (stem, stem + "e", stem[:-1], stem[:-1] + "y"))
        ):
            return True
    for beginning in ("un", "re", "over", "under", "out", "non", "mis", "pre", "anti", "sub", "super", "semi"):
        if (
            key.startswith(beginning)
            and len(key) > len(beginning) + 2
            and look_up(key.removeprefix(beginning)) is not None
        ):
            return True
    return any(_common(key[:at]) and _common(key[at:]) for at in range(3, len(key) - 2))


def _common(word: str) -> bool:
    entry = look_up(word)
    return entry is not None and entry.common


def _covered(lexicon: Lexicon | None) -> set[str]:
    if lexicon is None:
        return set()
    return {
        plain_key(part) for entry in lexicon.entries if not entry.regex for part in [entry.match, *entry.match.split()]
    }


def _shown(sentence: str, start: int) -> str:
    if len(sentence) <= LONGEST_SHOWN:
        return sentence
    begin = max(0, min(start - LONGEST_SHOWN // 2, len(sentence) - LONGEST_SHOWN))
    return ("…" if begin else "") + sentence[begin : begin + LONGEST_SHOWN].strip() + "…"


def proposals(word: str, origin: str | None = None, is_british: bool = False) -> list[Proposal]:
    """Up to three ways to say a word: the dictionary's, the origin's, the net's; equal ones once."""
    found: list[tuple[str, str]] = []
    if (entry := look_up(word, is_british)) is not None:
        found += [(said, "dictionary") for said in dict.fromkeys(entry.readings.values())]
    for code in [origin] if origin else likely_origins(word):
        found.append((read_pronunciation(code, word, is_british).phones, ORIGINS[code].name))
    if (by_letters := guess(word, is_british)) is not None:
        found.append((by_letters.phones, "net"))
    kept: dict[str, str] = {}
    for said, source in found:
        if said and respelled(said) not in map(respelled, kept):
            kept[said] = source
    return [Proposal(to_ipa(said), respelled(said), source) for said, source in list(kept.items())[:MOST_PROPOSALS]]


def likely_origins(word: str) -> list[str]:
    """At most one, by letters that only one language has, by an ending, or by syllables."""
    lowered = word.lower()
    for code, letters, endings in _HINTS:
        if any(letter in lowered for letter in letters) or (len(lowered) > 4 and lowered.endswith(endings)):
            return [code]
    if look_up(word) is None and lowered.isalpha():
        if len(lowered) > 4 and _ROMAJI.fullmatch(lowered):
            return ["romaji"]
        if re.match(r"(?:zh|x|q)[aeiou]", lowered) and _PINYIN.fullmatch(lowered):
            return ["pinyin"]
    return []


def as_lexicon(words: list[BookWord], source: str, is_british: bool = False) -> str:
    """A lexicon in which every proposal is a comment, the first one first."""
    lines = [
        f"# Names and rare words of {source}: take away the # before the lines of a way to say it that you like.",
        "# mlx-tts lexicon check FILE looks for mistakes; mlx-tts speak BOOK --lexicon FILE uses it.",
        "",
    ]
    for word in words:
        beside = max(word.beside, key=lambda name: word.beside[name], default="")
        lines.append(
            f"# {word.written}: {word.count} times, chapter {word.chapter}, {word.why}"
            + (f", with {beside}" if beside else "")
        )
        lines.append(f"#   {word.sentence}".replace("\n", " "))
        for number, proposal in enumerate(proposals(word.written, is_british=is_british), 1):
            lines.append(f"# {number}. {proposal.respelling} ({proposal.source})")
            lines += ["# [[entry]]", f'# match = "{_quoted(word.written)}"', f'# ipa = "{_quoted(proposal.ipa)}"']
        lines.append("")
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
