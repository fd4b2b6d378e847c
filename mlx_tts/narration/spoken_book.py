"""A speech of an EPUB book -> the book with its sound, which a reader plays and shows sentence by sentence."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from mlx_tts.audio.encoder import Encoder, open_encoder
from mlx_tts.audio.formats import FORMATS
from mlx_tts.errors import AudioError
from mlx_tts.files.writing import OutputFile
from mlx_tts.samples import Samples
from mlx_tts.speech import Mark
from mlx_tts.text.source.blocks import Asides
from mlx_tts.text.source.epub_overlay import TimedSentence, overlay_parts
from mlx_tts.text.source.zip_parts import open_archive

# Of a constant bit rate: readers jump to a sentence, and find its place in other MP3 files only roughly.
SOUND = replace(FORMATS["mp3"], stream_codec_options={"b": "64000"})
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the same speech makes the same file
COPIED_BYTES = 1 << 20


@dataclass
class BookTimes:
    """When the sentences of a speech are heard. Seconds are those of the whole speech."""

    begins: dict[int, float] = field(default_factory=dict)  # of the chapters, by number
    marks: list[tuple[int, Mark]] = field(default_factory=list)
    seconds: float = 0.0
    missing: int = 0  # of the sentences, how many were not found in the book

    def missing_line(self) -> str:
        """What is said of them; "" where there are none."""
        if not self.missing:
            return ""
        return (
            f"{self.missing} of {len(self.marks)} sentences do not stand in the book as they were "
            "spoken: they are heard, and the sentence before them is shown meanwhile"
        )

    def add(self, chapter: int, seconds: float, marks: Sequence[Mark], own_seconds: float) -> None:
        """Some speech of a chapter begins at `seconds` and lasts `own_seconds`."""
        self.begins.setdefault(chapter, seconds)
        self.marks += [(chapter, mark) for mark in marks if mark.level == "sentence"]
        self.seconds = seconds + own_seconds

    @property
    def sentences(self) -> list[TimedSentence]:
        return [
            TimedSentence(chapter, mark.text, max(0, round(1000 * (mark.start - self.begins[chapter]))))
            for chapter, mark in self.marks
        ]

    def lengths_ms(self, chapters: int) -> list[int]:
        """Of so many chapters' sound; 0 where nothing was spoken."""
        order = sorted(self.begins)
        ends = [*(self.begins[chapter] for chapter in order[1:]), self.seconds]
        lengths = dict(zip(order, ends, strict=True))
        return [
            round(1000 * (lengths[chapter] - self.begins[chapter])) if chapter in lengths else 0
            for chapter in range(chapters)
        ]


@dataclass(frozen=True)
class BookSource:
    """The EPUB that is spoken. times: are filled while it is."""

    path: Path
    asides: Asides
    times: BookTimes = field(default_factory=BookTimes)

    @cached_property
    def sound(self) -> tuple[str, ...]:
        """Where the sound of each chapter will stand in the book; RequestError where this one cannot be given any. It
        is asked for before anything is spoken."""
        return overlay_parts(self.path, self.asides).sound


class BookSink:
    """A Sink: the sound of each chapter goes into the new book as it is made, all else at the end."""

    def __init__(self, path: Path, source: BookSource, sample_rate: int) -> None:
        self._path, self._source, self._rate = path, source, sample_rate
        self._sound = source.sound
        self._chapter = -1
        self._encoder: Encoder | None = None
        self._part: IO[bytes] | None = None
        try:
            self._output = OutputFile(path)
        except OSError as error:
            raise AudioError(f"cannot write into {path.parent}: {error.strerror}") from None
        file: Any = self._output  # it has what zipfile asks for
        self._archive = zipfile.ZipFile(file, "w")
        self._archive.writestr(_entry("mimetype"), b"application/epub+zip")

    def begin_chapter(self, number: int) -> None:
        if number == self._chapter:
            return
        self._end_chapter()
        self._chapter = number
        self._encoder = open_encoder(SOUND, self._rate, to_file=False)
        self._part = self._archive.open(_entry(self._sound[number]), "w")

    def write(self, samples: Samples) -> None:
        assert self._encoder is not None, "begin_chapter comes first"
        self._put(self._encoder.encode(samples))

    def finish(self) -> Path:
        self._end_chapter()
        times = self._source.times
        new = overlay_parts(self._source.path, self._source.asides, times.sentences, times.lengths_ms(len(self._sound)))
        times.missing = new.missing
        with open_archive(self._source.path, "EPUB") as book:
            for entry, part in book.all_but({"mimetype", *new.parts}):
                self._copy(entry, part)
        for name, data in new.parts.items():
            self._archive.writestr(_entry(name, zipfile.ZIP_DEFLATED), data)
        self._archive.close()
        try:
            self._output.finish()
        except OSError as error:
            raise AudioError(f"cannot write {self._path}: {error.strerror}") from None
        return self._path

    def abandon(self) -> Path | None:
        """A book without its end is none: what was spoken is kept in pieces (`--resume`)."""
        self._archive.fp = None  # else zipfile would write its table when it goes, into a file that is closed
        self._output.discard()
        return None

    def _copy(self, entry: zipfile.ZipInfo, part: IO[bytes]) -> None:
        """The part as it was."""
        copied = _entry(entry.filename, entry.compress_type)
        copied.date_time = entry.date_time
        with self._archive.open(copied, "w") as target:
            while data := part.read(COPIED_BYTES):
                target.write(data)
                self._check()

    def _end_chapter(self) -> None:
        if self._encoder is not None and self._part is not None:
            self._put(self._encoder.finish())
            self._part.close()
        self._encoder = self._part = None

    def _put(self, data: bytes) -> None:
        assert self._part is not None
        self._part.write(data)
        self._check()

    def _check(self) -> None:
        if (error := self._output.error) is not None:
            raise AudioError(f"could not write {self._path}: {error.strerror}; nothing was left behind")


def _entry(name: str, compression: int = zipfile.ZIP_STORED) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, LONG_AGO)
    entry.compress_type, entry.external_attr = compression, 0o644 << 16
    return entry
