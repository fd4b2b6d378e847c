"""What a text is to the model: a string of its symbols, and where in it each word stands; long ones cut in pieces."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mlx_tts.errors import RequestError
from mlx_tts.shortened import shown
from mlx_tts.text.phonemes.sentences import spoken_parts

# Signs that the model has no symbol for -> those nearest to them.
SIGNS = {
    "–": "—", "―": "—", "«": "“", "»": "”", "„": "“", "‟": "“", "，": ",", "、": ",", "。": ".", "．": ".",
    "！": "!", "？": "?", "：": ":", "；": ";", "（": "(", "）": ")", "「": "“", "」": "”", "『": "“", "』": "”",
    "〜": "—", "～": "—", "¿": "", "¡": "", "\n": " ", "\t": " ", "・": " ",
}  # fmt: skip
ENDS = ("!.?…", ":;", ",—", " ")  # where a text that is too long is cut, the best places first


@dataclass(frozen=True)
class PlacedWord:
    """written: as people read it; start, end: its symbols."""

    written: str
    start: int
    end: int


@dataclass(frozen=True)
class Phonemes:
    """symbols: of the model's vocabulary, and perhaps some that it does not know."""

    symbols: str
    words: tuple[PlacedWord, ...] = ()

    def cut(self, most: int) -> list[Phonemes]:
        """Pieces of at most so many symbols, whose joined words are all words."""
        pieces, start = [], 0
        while start < len(self.symbols):
            end = _end(self.symbols, start, most)
            pieces.append(self._between(start, end))
            start = end
        return [piece for piece in pieces if piece.symbols.strip()]

    def _between(self, start: int, end: int) -> Phonemes:
        own = [word for word in self.words if start <= word.start < end]
        moved = tuple(PlacedWord(word.written, word.start - start, min(word.end, end) - start) for word in own)
        symbols = self.symbols[start:end]
        left = len(symbols) - len(symbols.lstrip())
        trimmed = symbols.strip()
        placed = (PlacedWord(w.written, max(0, w.start - left), min(len(trimmed), w.end - left)) for w in moved)
        return Phonemes(trimmed, tuple(placed))


def _end(symbols: str, start: int, most: int) -> int:
    """Where the next piece ends: at the last of the best signs in the second half of what fits."""
    if len(symbols) - start <= most:
        return len(symbols)
    for signs in ENDS:
        at = max(symbols.rfind(sign, start + most // 2, start + most) for sign in signs)
        if at >= 0:
            return at + 1
    return start + most


class Builder:
    """Puts symbols together, a part of the text after the other."""

    def __init__(self) -> None:
        self.symbols = ""
        self.words: list[PlacedWord] = []
        self._written, self._start = "", 0

    def add(self, written: str, symbols: str) -> None:
        """Of one written word; what is written without white space between belongs together."""
        if not self._written:
            self._start = len(self.symbols)
        self._written += written
        self.symbols += symbols

    def space(self) -> None:
        self._close()
        if self.symbols and not self.symbols.endswith(" "):
            self.symbols += " "

    def _close(self) -> None:
        if self._written.strip() and len(self.symbols) > self._start:
            self.words.append(PlacedWord(self._written, self._start, len(self.symbols)))
        elif self._written.strip() and self.words:  # a sign without a symbol belongs to the word before
            last = self.words[-1]
            self.words[-1] = PlacedWord(f"{last.written} {self._written}", last.start, last.end)
        self._written = ""

    def made(self) -> Phonemes:
        self._close()
        return Phonemes(self.symbols.rstrip(), tuple(self.words))


def sign_of(character: str) -> str:
    """The symbol of a sign; what the model has none for comes back as it is, "" for what says nothing."""
    return SIGNS.get(character, character)


def english(text: str, is_british: bool, known: Iterable[str]) -> Phonemes:
    """English with all of its words as phones. known: the symbols of the model; other signs are left out."""
    signs = set(known)
    builder = Builder()
    for part in spoken_parts(text.replace("...", "…"), is_british):
        if part.phones is not None:
            builder.add(part.written, part.phones)
        elif part.written.isspace():
            builder.space()
        elif part.written == "-":
            builder.add("-", "")
        else:
            own = sign_of(part.written)
            builder.add(part.written, own if own in signs else "")
    return builder.made()


def given(text: str) -> Phonemes:
    """A text that is phonemes already."""
    builder = Builder()
    for number, word in enumerate(text.split()):
        if number:
            builder.space()
        builder.add(word, word)
    return builder.made()


def check_spoken(phonemes: Phonemes, known: Iterable[str], text: str) -> None:
    """RequestError where there is nothing in it that the model can say."""
    if not set(phonemes.symbols) & {symbol for symbol in known if symbol.isalpha()}:
        raise RequestError(f"there is nothing in {shown(text)} that this model can say: give words")
