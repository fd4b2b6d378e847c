"""Text that arrives word by word -> pieces that begin with their first word and grow while they are spoken."""

from __future__ import annotations

import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

from mlx_tts.text.cutting.pieces import PARAGRAPH, SENTENCE, START, Packing, Piece
from mlx_tts.text.cutting.sentences import split_sentences
from mlx_tts.text.markup.markdown import clean
from mlx_tts.text.source.arriving import read_text

# A word between white space, of which that behind shows that it is over; where words stand without spaces, all up to a
# sentence's end.
WORD = re.compile(r"(\s*)(\S*?[。！？]|\S+(?=\s))(\s*)")
FULL_STOP = re.compile(r"[.!?。！？…][\"'”»)]*$")
LONGEST_WORD = 2000  # characters: more without a space are cut, as no model says them in one go
IDLE_SECONDS = 0.01


class Word(NamedTuple):
    """text: "" at the end of all. new_paragraph: whether one began with it. line_end: whether its line ended."""

    text: str
    new_paragraph: bool = False
    line_end: bool = False


class _Words:
    """Clean words, one at a time."""

    def __init__(self, arrived: Iterator[str | None]):
        self._arrived = arrived
        self._buffer = ""
        self._at = 0  # up to where the buffer is taken
        self._space = ""  # since the last word that is spoken
        self._over = False
        self._back: deque[Word] = deque()

    def next(self) -> Word | None:
        """The next word; None: nothing just now."""
        while not self._back:
            match = WORD.match(self._buffer, self._at, self._at + LONGEST_WORD)
            # White space may go on: a line's end may be a paragraph's. Not waited for behind a whole sentence.
            line = match and "\n" in match[3] and FULL_STOP.search(match[2])
            if match and (line or match.end() < len(self._buffer) or self._over):
                self._at = match.end()
                self._space += match[1]
                if text := clean(match[2]):
                    word = Word(text, self._space.count("\n") > 1, "\n" in match[3])
                    self._space = match[3]
                    return word
                self._space += match[3]
            elif len(self._buffer) - self._at >= LONGEST_WORD:
                self._back += self._forced()
            elif self._over:
                return Word("")
            else:
                arrived = next(self._arrived, "")
                if arrived is None:
                    return None
                self._over = arrived == ""
                self._buffer = self._buffer[self._at :] + (arrived or "\n")
                self._at = 0
        return self._back.popleft()

    def _forced(self) -> list[Word]:
        """What goes on for so long without a space, or with nothing but spaces."""
        taken = self._buffer[self._at : self._at + LONGEST_WORD]
        self._at += LONGEST_WORD
        if not (text := clean(taken)):
            self._space += "\n" * min(taken.count("\n"), 2)
            return []
        word = Word(text, self._space.count("\n") > 1)
        self._space = ""
        return [word]

    def push_back(self, word: Word) -> None:
        self._back.append(word)


class GrowingSentence:
    """See speech.GrowingText."""

    def __init__(self, first: Word, words: _Words, packing: Packing):
        self.text = first.text
        self._words, self._packing = words, packing
        self._lock = threading.Lock()  # the engine asks for words while the source of the text looks for its end
        self.complete = self._ends(first)

    def wait(self) -> None:
        while not self.advance():
            time.sleep(IDLE_SECONDS)

    def advance(self) -> bool:
        """Take in a word or learn that there is none; False: nothing just now. Any thread may call it."""
        with self._lock:
            return self._advance()

    def _advance(self) -> bool:
        if self.complete:
            return True
        word = self._words.next()
        if word is None:
            return False
        longer = f"{self.text} {word.text}"
        if not word.text:
            self.complete = True
        elif word.new_paragraph or not self._goes_on(longer):
            self._words.push_back(word)
            self.complete = True
        else:
            self.text = longer
            self.complete = self._ends(word)
        return True

    def _goes_on(self, longer: str) -> bool:
        return self._packing.fits(longer) and len(split_sentences(longer, self._packing.language)) < 2

    def _ends(self, word: Word) -> bool:
        """Who sends a whole sentence as a line waits for it to be spoken."""
        return word.line_end and FULL_STOP.search(self.text) is not None


def read_growing(read: Callable[[], bytes], packing: Packing, skipped: Callable[[str], None]) -> Iterator[Piece | None]:
    """Sentences of what `read` gives (b"" at the end), each from its first word; None: nothing just now."""
    return growing_pieces(read_text(read), packing)


def growing_pieces(arrived: Iterator[str | None], packing: Packing) -> Iterator[Piece | None]:
    """The same of a text that comes as strings; None among them, and among the pieces: nothing just now."""
    words = _Words(arrived)
    number = 0
    while (first := words.next()) is None or first.text:
        if first is None:
            yield None
            continue
        gap = PARAGRAPH if first.new_paragraph else SENTENCE
        sentence = GrowingSentence(first, words, packing)
        yield Piece(number, sentence.text, 0, gap if number else START, sentence)
        while not sentence.complete:
            if not sentence.advance():
                yield None
        number += 1
