"""A sentence of English -> the same with the words as phones whose spelling misleads: for models that read phones.

Common words stay as they are written, for letters carry a sentence's tone best; contractions and numbers are common. As phones go words with several readings,
rarer words that the dictionary has, names that it has, and unknown names whose spelling tells their language
(`origins`). Any other word that nobody knows stays in letters, until a judge shows that the net (`guess`) says more of
them right.
"""

from __future__ import annotations

import re
from functools import lru_cache

from mlx_tts.errors import RequestError
from mlx_tts.text.phonemes.dictionary import Readings, look_up
from mlx_tts.text.phonemes.heteronyms import choose, is_heteronym
from mlx_tts.text.phonemes.notations import from_ipa
from mlx_tts.text.phonemes.origins import origin_by_spelling, respelled_ipa
from mlx_tts.text.phonemes.phones import PRIMARY, SECONDARY, VOWELS, marked, parts, written
from mlx_tts.text.phonemes.respelling import respelled

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
CLAUSE_END = re.compile(r"[.!?;:…]")
NEIGHBOURS = 8  # words on each side
LONGEST = 40  # letters
# SCOWL's smallest lists, which say what is common, have no contractions and only some of the words that the normaliser
# writes for numbers and what they count.
CONTRACTED = re.compile(r"(?:n't|'(?:ve|ll|re|d|m))\Z")
_TENS = "thir four fif six seven eigh nine"
COUNTED = frozenset(
    [f"{stem}{end}" for stem in _TENS.split() for end in ("teen", "teenth", "ty", "tieth")]
    + "forty fortieth twentieth ninth eleventh twelfth trillion cents pence euros o'clock kilometers meters grams".split()
)


def with_phones(text: str, is_british: bool = False) -> str:
    """Words that are given as phones already stay as they are."""
    kept = parts(text)
    plain = [written(part) for part in kept]
    for at in range(0, len(kept), 2):
        kept[at] = _read("".join(plain[:at])[-200:], kept[at], "".join(plain[at + 1 :])[:200], is_british)
    return "".join(kept)


def with_respelled_names(text: str, is_british: bool = False) -> str:
    """For a model that reads letters alone and knows no names: those of other languages in letters of English."""

    def name(match: re.Match[str]) -> str:
        word = match[0]
        if word.isupper() or not word[0].isupper() or len(word) > LONGEST:
            return word
        entry = look_up(word, is_british)
        if entry is not None:
            phones = entry.phones if entry.is_name else None
        else:
            phones = phones_by_spelling(word, is_british)
        return respelled(phones, shown=False).capitalize() if phones else word

    return WORD.sub(name, text)


def _read(before: str, text: str, behind: str, is_british: bool) -> str:
    whole = before + text + behind
    words = list(WORD.finditer(whole))
    found, end = [], 0
    for number, word in enumerate(words):
        start, stop = word.start() - len(before), word.end() - len(before)
        if start < 0 or stop > len(text):
            continue
        phones = _phones_of(whole, words, number, is_british)
        if phones:
            found += [text[end:start], marked(word[0], phones)]
            end = stop
    return "".join([*found, text[end:]])


def _phones_of(text: str, words: list[re.Match[str]], number: int, is_british: bool) -> str | None:
    word = words[number][0]
    if len(word) > LONGEST or (word.isupper() and len(word) > 1):
        return None  # capitals are letters' names, which the normaliser has written out, or stressed common words
    kind, phones = _usual(word, is_british)
    if kind != "heteronym":
        return phones
    before, after = neighbours(text, words, number)
    return choose(word, before, after, is_british) or phones


@lru_cache(maxsize=1 << 14)
def _usual(word: str, is_british: bool) -> tuple[str, str | None]:
    entry = look_up(word, is_british)
    if is_heteronym(word, entry):
        if entry is not None and entry.common and _differs_in_stress_alone(entry):
            return "letters", None  # "that": letters leave the stress to the sentence
        return "heteronym", entry.phones if entry else None
    if entry is None:
        phones = phones_by_spelling(word, is_british)
        return ("phones" if phones else "letters"), phones
    if entry.common or not entry.phones or _is_ordinary(word.replace("’", "'"), is_british):
        return "letters", None
    lower = look_up(word.lower(), is_british) if word[0].isupper() else None
    if lower is not None and lower.common:
        return "letters", None
    return "phones", entry.phones


def phones_by_spelling(word: str, is_british: bool = False) -> str | None:
    """Phones of a name that its spelling gives to one language; None where it does not, or has letters of another."""
    if len(word) < 3 or not word.istitle() or (code := origin_by_spelling(word)) is None:
        return None
    try:
        return from_ipa(respelled_ipa(word, code), is_british).phones
    except RequestError:
        return None


def _differs_in_stress_alone(entry: Readings) -> bool:
    """Of words of one syllable; "import" is stressed on one or the other."""
    said = set(entry.readings.values())
    plain = {phones.replace(PRIMARY, "").replace(SECONDARY, "") for phones in said}
    return len(said) > 1 and len(plain) == 1 and sum(phone in VOWELS for phone in min(plain)) == 1


def _is_ordinary(word: str, is_british: bool) -> bool:
    """What the lists of common words leave out: contractions of common words, and numbers."""
    if word.lower() in COUNTED or word.lower() in ("won't", "can't", "shan't", "let's", "ain't", "y'all"):
        return True
    stem = CONTRACTED.sub("", word)
    if stem == word:
        return False
    entry = look_up(stem, is_british)
    return entry is not None and entry.common


def neighbours(text: str, words: list[re.Match[str]], number: int) -> tuple[list[str], list[str]]:
    """The words before and behind one, in small letters, within its clause."""
    first = max(0, number - NEIGHBOURS)
    before: list[str] = []
    for at in range(number - 1, first - 1, -1):
        if CLAUSE_END.search(text[words[at].end() : words[at + 1].start()]):
            break
        before.insert(0, words[at][0].lower().replace("’", "'"))
    after: list[str] = []
    for at in range(number + 1, min(len(words), number + 1 + NEIGHBOURS)):
        if CLAUSE_END.search(text[words[at - 1].end() : words[at].start()]):
            break
        after.append(words[at][0].lower().replace("’", "'"))
    return before, after
