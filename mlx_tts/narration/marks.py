"""A piece of text, when it is heard, and its words' times where the model knows them -> marks to read along.

`SentenceTimes` says while the speech is made which sentence is spoken at a time, and where its neighbours begin.
"""

from __future__ import annotations

import re
import threading
from bisect import bisect_right
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from mlx_tts.speech import Mark
from mlx_tts.text.cutting.pace import expected_seconds
from mlx_tts.text.cutting.pieces import Piece
from mlx_tts.text.cutting.sentences import split_sentences

# A word; in scripts without spaces a character with the marks behind it.
WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff][^\w\s]*|[^\s\u3040-\u30ff\u3400-\u9fff]+")
BACK_SECONDS = 1.5  # later than this in a sentence, one step back goes to its own beginning
NEAR = 0.15  # seconds: as far as a word's time may be off that stands next to a pause


@dataclass(frozen=True)
class Heard:
    """Seconds of the whole speech: when the piece's samples begin, when it is first and last heard. speed: times as
    fast as the model spoke it. quiet: from when to when nothing is heard in between."""

    begin: float
    first: float
    last: float
    speed: float = 1.0
    quiet: tuple[tuple[float, float], ...] = ()

    def at(self, seconds: float) -> float:
        """A time of the model's own sound -> the time in the speech, within what is heard."""
        return min(self.last, max(self.first, self.begin + seconds / self.speed))


def piece_marks(text: str, heard: Heard, words: tuple[Mark, ...] = (), language: str = "auto") -> tuple[Mark, ...]:
    """Marks of the sentences, each followed by those of its words. text: as written.
    words: as the model said them, in seconds of its sound; without them words are placed by their length and say so."""
    sentences = [sentence.strip() for sentence in split_sentences(text, language)] or [text]
    if words:
        placed = [replace(word, start=heard.at(word.start), end=heard.at(word.end)) for word in words]
        placed = as_written(words_of(text), next_to_quiet(placed, heard.quiet))
    else:
        placed = spread(words_of(text), heard.first, heard.last)
    if placed:
        placed[0] = replace(placed[0], start=heard.first)
        placed[-1] = replace(placed[-1], end=heard.last)
    marks: list[Mark] = []
    at = 0
    for number, sentence in enumerate(sentences):
        own = placed[at : at + len(words_of(sentence))]
        at += len(own)
        start = heard.first if number == 0 or not own else own[0].start
        end = heard.last if number == len(sentences) - 1 or not own else own[-1].end
        guessed = len(sentences) > 1 and (not own or any(word.estimated for word in own))
        marks += [Mark(sentence, start, end, "sentence", guessed), *own]
    return tuple(replace(mark, start=round(mark.start, 4), end=round(mark.end, 4)) for mark in marks)


def words_of(text: str) -> list[str]:
    """The words as they are shown, with the marks that belong to them."""
    return WORD.findall(text)


def spread(words: list[str], start: float, end: float) -> list[Mark]:
    """Words over a time, each as long as its letters take to say."""
    shares = [expected_seconds(word) + 0.06 for word in words]
    whole, at, marks = sum(shares) or 1.0, 0.0, []
    for word, share in zip(words, shares, strict=True):
        begin, at = start + at / whole * (end - start), at + share
        marks.append(Mark(word, begin, start + at / whole * (end - start), "word", estimated=True))
        at = min(at, whole)
    return marks


def next_to_quiet(words: list[Mark], quiet: tuple[tuple[float, float], ...]) -> list[Mark]:
    """A word that seems to begin in a pause begins behind it, and the one before it ends where the pause begins."""
    words = list(words)
    for start, end in quiet:
        near = [at for at, word in enumerate(words) if at and start - NEAR <= word.start <= end + NEAR]
        if not near:
            continue
        at = min(near, key=lambda at: (words[at - 1].text[-1:].isalnum(), abs(words[at].start - end)))
        words[at] = replace(words[at], start=end, end=max(end, words[at].end))
        words[at - 1] = replace(words[at - 1], end=max(words[at - 1].start, start))
    return words


def as_written(written: list[str], marks: list[Mark]) -> list[Mark]:
    """Times of the spoken words -> those of the written ones. Where "2026" was said as several words, its time is that
    of all of them; several written words that were said as others share the time."""
    spoken = [mark.text for mark in marks]
    if written == spoken:
        return [replace(mark, text=word) for mark, word in zip(marks, written, strict=True)]
    placed: list[Mark] = []
    for kind, i, j, m, n in SequenceMatcher(None, written, spoken, autojunk=False).get_opcodes():
        if kind == "equal":
            placed += [replace(mark, text=word) for mark, word in zip(marks[m:n], written[i:j], strict=True)]
        elif i < j:
            start = marks[m].start if m < len(marks) else marks[-1].end
            end = marks[n - 1].end if n > m else start
            share = spread(written[i:j], start, end)
            placed += [replace(share[0], estimated=marks[m].estimated)] if j == i + 1 and n > m else share
        elif placed:
            placed[-1] = replace(placed[-1], end=marks[n - 1].end)
    return placed


@dataclass(frozen=True)
class SentenceStart:
    """start: in seconds of the whole speech."""

    text: str
    start: float


class SentenceTimes:
    """Filled by the thread that makes the speech, asked by others. While a piece is being made, the times of its
    sentences are estimates; its marks replace them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: list[SentenceStart] = []
        self._working: list[SentenceStart] = []  # of the piece that is being made
        self._piece = -1

    def begin(self, piece: Piece, seconds: float, language: str, speed: float = 1.0) -> None:
        """Sound of this piece begins at `seconds`. For the piece that is in work already: nothing."""
        if piece.number == self._piece:
            return
        text = piece.text if piece.growing is None else piece.growing.text
        sentences = [part.strip() for part in split_sentences(text, piece.language or language)] or [text]
        placed = spread(sentences, seconds, seconds + expected_seconds(text) / speed)
        with self._lock:
            self._piece = piece.number
            self._known += self._working
            self._working = [SentenceStart(mark.text, mark.start) for mark in placed]

    def complete(self, marks: tuple[Mark, ...]) -> None:
        """The marks of the piece in work, with its last sound; empty for a model that has none."""
        sentences = [SentenceStart(mark.text, mark.start) for mark in marks if mark.level == "sentence"]
        if sentences:
            with self._lock:
                self._known += sentences
                self._working = []

    def at(self, seconds: float) -> SentenceStart | None:
        """What is spoken at a time; None before the first sentence."""
        with self._lock:
            everything = self._known + self._working
        number = _number_at(everything, seconds)
        return everything[number] if number >= 0 else None

    def stepped(self, seconds: float, step: int) -> float | None:
        """Where the sentence begins that lies `step` from that of a time; None behind the last that is known. A step
        back from within a sentence goes to its own beginning first."""
        with self._lock:
            everything = self._known + self._working
        number = _number_at(everything, seconds)
        if step < 0 and number >= 0 and seconds - everything[number].start > BACK_SECONDS:
            step += 1
        wanted = max(0, number + step)
        return everything[wanted].start if wanted < len(everything) else None


def _number_at(sentences: list[SentenceStart], seconds: float) -> int:
    return bisect_right(sentences, seconds, key=lambda sentence: sentence.start) - 1
