"""A sentence of English -> the same with the words as phones whose spelling misleads: for models that read phones.

Common words stay as they are written, for letters carry a sentence's tone best. As phones go words with several readings,
rarer words that the dictionary has, and names that it has. A word that nobody knows stays in letters too, until a
judge shows that the net (`guess`) says more of them right.
"""

from __future__ import annotations

import re
from functools import lru_cache

from mlx_tts.text.phonemes.dictionary import look_up
from mlx_tts.text.phonemes.heteronyms import choose, is_heteronym
from mlx_tts.text.phonemes.phones import marked, parts, written

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
CLAUSE_END = re.compile(r"[.!?;:…]")
NEIGHBOURS = 8  # words on each side
LONGEST = 40  # letters


def with_phones(text: str, is_british: bool = False) -> str:
    """Words that are given as phones already stay as they are."""
    kept = parts(text)
    plain = [written(part) for part in kept]
    for at in range(0, len(kept), 2):
        kept[at] = _read("".join(plain[:at])[-200:], kept[at], "".join(plain[at + 1 :])[:200], is_british)
    return "".join(kept)


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
        return "heteronym", entry.phones if entry else None
    if entry is None or entry.common or not entry.phones:
        return "letters", None
    lower = look_up(word.lower(), is_british) if word[0].isupper() else None
    if lower is not None and lower.common:
        return "letters", None
    return "phones", entry.phones


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
