"""Text that arrives bit by bit -> pieces, each as soon as its last sentence is sure to be over.

Where the bits are cut changes nothing: the same text gives the same pieces.
"""

from __future__ import annotations

import codecs
import queue
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from mlx_tts.text.cutting.pace import expected_seconds
from mlx_tts.text.cutting.pieces import (
    PARAGRAPH,
    SENTENCE,
    START,
    Packing,
    Piece,
    pack_spoken,
    split_paragraphs,
    units_of,
)
from mlx_tts.text.cutting.sentences import split_sentences
from mlx_tts.text.markup.directives import Passage, split_directives
from mlx_tts.text.markup.feelings import Feeling, Feelings
from mlx_tts.text.markup.markdown import clean, join_lines

if TYPE_CHECKING:
    from mlx_tts.text.reading import Reading

SHORT_SECONDS = 1.5  # a sentence so short is spoken better together with the next
SURE_CHARACTERS = 12  # so much of the next sentence, or a word of it, shows that the one before is over

# Who sends a whole sentence as a line waits for it to be spoken.
LINE_END = re.compile(r"(?<=[.!?。！？…])\n|(?<=[.!?。！？…][\"'”»)])\n")


class ArrivingText:
    """`feed` it text and take the pieces that are ready; `finish` gives the rest."""

    def __init__(self, packing: Packing, skipped: Callable[[str], None], reading: Reading | None = None):
        self.packing, self.skipped, self.reading = packing, skipped, reading
        self._buffer = ""
        self._held = ""  # a short sentence that waits for the next
        self._gap = START
        self._number = 0
        self._voice: str | None = None  # what directives in the text ask for
        self._pause: float | None = None
        self._feeling: Feeling | None = None
        self._feelings = Feelings(reading.feelings) if reading is not None and reading.markup else None

    def feed(self, text: str) -> list[Piece]:
        """More text -> the pieces that are complete by now."""
        self._buffer = (self._buffer + text).replace("\r\n", "\n")
        lines, line = self._lines(self._buffer)
        *over, growing = split_paragraphs(lines)
        pieces = [piece for paragraph in over for piece in self._paragraph(paragraph)]
        sure, self._buffer = self._sure(growing, line)
        return pieces + [piece for sentence in sure for piece in self._sentence(sentence)]

    def finish(self) -> list[Piece]:
        """What is left when no more text comes."""
        rest, self._buffer = self._buffer, ""
        return [piece for paragraph in split_paragraphs(rest) for piece in self._paragraph(paragraph)]

    def _lines(self, text: str) -> tuple[str, str]:
        """Whole lines, and the one that grows if it may turn out to be the beginning of something else."""
        at = text.rfind("\n") + 1
        begins = text[at:].lstrip()[:1]
        return (text, "") if begins.isalpha() else (text[:at], text[at:])

    def _sure(self, text: str, line: str) -> tuple[list[str], str]:
        """The sentences of a growing paragraph that no more text can change, and the rest."""
        *over, growing = LINE_END.split(text)
        sure = [sentence for part in over for sentence in split_sentences(part, self.packing.language)]
        if over:
            growing = "\n" + growing  # it may yet be the first of a blank line
        sentences = split_sentences(growing, self.packing.language) if growing.strip() else []
        if len(sentences) < 2:
            clauses = [] if self.packing.fits(growing) else units_of(growing, self.packing)
            return [*sure, *clauses[:-1]], (clauses[-1] if clauses else growing) + line
        last = sentences[-1].lstrip()
        begun = len(last) >= SURE_CHARACTERS or " " in last.strip() or last.endswith((" ", "\n"))
        kept = 1 if begun else 2
        return [*sure, *sentences[:-kept]], "".join(sentences[-kept:]) + line

    def _paragraph(self, paragraph: str) -> list[Piece]:
        """The end of a paragraph: all of it is said now."""
        pieces: list[Piece] = []
        for part in LINE_END.split(paragraph):
            for sentence in split_sentences(part, self.packing.language):
                pieces += self._sentence(sentence)
        if self._held:
            pieces.append(self._piece(*self._release()))
        if self._gap != START:
            self._gap = PARAGRAPH
        if self._feelings is not None:
            self._feelings.end_paragraph()
            self._feeling = self._feelings.now
        return pieces

    def _sentence(self, sentence: str) -> Iterator[Piece]:
        if self._feelings is not None and "[" in sentence:
            self._feelings.expect(sentence)
            for passage in split_directives(Passage(sentence, voice=self._voice), self._feelings):
                changed = (passage.voice, passage.feeling) != (self._voice, self._feeling)
                if (passage.pause_seconds is not None or changed) and self._held:
                    yield self._piece(*self._release())
                self._voice, self._feeling = passage.voice, passage.feeling
                self._pause = passage.pause_seconds if self._pause is None else self._pause
                yield from self._words(passage.text)
        else:
            yield from self._words(sentence)

    def _words(self, sentence: str) -> Iterator[Piece]:
        words = clean(sentence)
        if not words:
            if sentence.strip():
                self.skipped(sentence)
            return
        if self._held:
            words, self._held = join_lines(f"{self._held}\n{words}"), ""
        if self._gap != START and expected_seconds(words) < SHORT_SECONDS:
            self._held = words
            return
        spoken = self._saying(words)
        if self.packing.fits(words) and self.packing.fits(spoken):
            yield self._piece(words, spoken)
            return
        for unit in pack_spoken(words, replace(self.packing, every_sentence=True), self._saying):
            yield self._piece(unit.written, unit.spoken)

    def _release(self) -> tuple[str, str]:
        held, self._held = self._held, ""
        return held, self._saying(held)

    def _saying(self, text: str) -> str:
        return self.reading.spoken(text, self.packing.language) if self.reading is not None else text

    def _piece(self, text: str, spoken: str) -> Piece:
        piece = Piece(
            self._number,
            text,
            0,
            self._gap,
            spoken=spoken,
            voice=self._voice,
            pause_before_seconds=self._pause,
            feeling=self._feeling,
        )
        self._number, self._gap, self._pause = self._number + 1, SENTENCE, None
        return piece


def read_pieces(
    read: Callable[[], bytes], packing: Packing, skipped: Callable[[str], None], reading: Reading | None = None
) -> Iterator[Piece | None]:
    """Pieces of what `read` gives (b"" at the end); None: nothing just now. reading: how numbers are said."""
    text = ArrivingText(packing, skipped, reading)
    for arrived in read_text(read):
        if arrived is None:
            yield None
        else:
            yield from text.feed(arrived)
    yield from text.finish()


def read_text(read: Callable[[], bytes]) -> Iterator[str | None]:
    """What `read` gives until b"", read by a thread of its own; None: nothing just now.

    Bytes that are not UTF-8 become a mark that nobody says: half of a text was spoken by then.
    """
    arrived: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def listen() -> None:
        data = b"more"
        while data:
            try:
                data = read()
            except (OSError, ValueError):  # the other end is gone, or our own was closed
                data = b""
            arrived.put(data)

    threading.Thread(target=listen, name="mlx-tts text", daemon=True).start()
    decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
    while True:
        try:
            data = arrived.get_nowait()
        except queue.Empty:
            yield None
            continue
        yield decoder.decode(data, final=not data)
        if not data:
            return


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
