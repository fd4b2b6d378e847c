"""The text of a book -> which capitals are those of names, and which only those of a sentence's first word.

"Very" begins many sentences and is also written small: it is no name. "Will" is written small, too, but "said Will"
shows a name. The road and the grave never say anything with a verb that only people have: "pursued the road".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from mlx_tts.text.cast.speech_words import SpeechWords

SMALL = re.compile(r"(?<![\w'’-])[^\W\d_A-ZÀ-ÖØ-ÞА-ЯЁ][^\W\d_]*")
# A capital behind a small word or a comma is not that of a sentence's first word.
MIDDLE = re.compile(r"(?<=[^\W\d_A-ZÀ-ÖØ-ÞА-ЯЁ,;] )[A-ZÀ-ÖØ-ÞА-ЯЁ][^\W\d_]+")
WORD = re.compile(r"[^\W\d_]+")


class NameWords:
    """texts: all chapters. is_common: a word with a capital that is no name in this book."""

    def __init__(self, texts: Iterable[str], words: SpeechWords):
        self._small: Counter[str] = Counter()
        self._middle: Counter[str] = Counter()
        self._at_verbs: Counter[str] = Counter()
        self._alone: Counter[str] = Counter()
        self._pairs: set[tuple[str, str]] = set()
        capital = r"[A-ZÀ-ÖØ-ÞА-ЯЁ][^\W\d_]+"
        spoken = re.compile(rf"(?<!\w)(?:{words.plain_verbs or words.verbs})\s+(?P<name>{capital})")
        titles = "|".join(map(re.escape, sorted(words.titles, key=len, reverse=True)))
        alone = re.compile(rf"(?<!\w)(?P<with>(?:{titles})\s+|{capital} )?(?P<name>{capital})")
        for text in texts:
            self._small.update(SMALL.findall(text))
            self._middle.update(MIDDLE.findall(text))
            self._at_verbs.update(match["name"] for match in spoken.finditer(text))
            for match in alone.finditer(text):
                first = (match["with"] or "").strip()
                if first not in words.titles and first:
                    self._pairs.add((first, match["name"]))
                self._alone[match["name"]] += 0 if first in words.titles else -2 if first else 1

    def is_seen(self, word: str) -> bool:
        """Whether a word with a capital is seen as a name: within a sentence, right behind a verb of speech, or at the
        beginning of several and never small."""
        is_repeated = self._alone[word] > 1 and not self._small[word.lower()]
        return self._middle[word] > 0 or self._at_verbs[word] > 0 or is_repeated

    def full(self, names: set[str]) -> set[str]:
        """The names of two words, of which each is one of these."""
        return {f"{first} {last}" for first, last in self._pairs if first in names and last in names}

    def stands_alone(self, name: str) -> bool:
        """Whether a family's name mostly stands without a first name: not that of "Mr. Fox" and "John Fox"."""
        return self._alone[name] > 0 and not self.is_common(name)

    def is_common(self, word: str) -> bool:
        return self._small[word.lower()] > self._middle[word] and not self._at_verbs[word]

    def without_common(self, name: str) -> str:
        """Without the words at its beginning that are no names: "Again Montparnasse" is Montparnasse."""
        tokens = name.split()
        while tokens and tokens[0][:1].isupper() and WORD.fullmatch(tokens[0]) and self.is_common(tokens[0]):
            tokens = tokens[1:]
        return " ".join(tokens)
