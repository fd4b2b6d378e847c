"""Where speech goes, piece by piece: a file for each chapter, standard output, a pipe, or several at once.

`AudioWriter` in audio/files.py is the sink for one file.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, Protocol

from mlx_tts.audio.encoder import open_encoder
from mlx_tts.audio.files import AudioWriter
from mlx_tts.audio.formats import AudioFormat, format_of
from mlx_tts.errors import AudioError
from mlx_tts.files.writing import write_whole
from mlx_tts.samples import Samples


class Sink(Protocol):
    """Takes samples [N] in order; then exactly one of finish (all was spoken) or abandon (it ended early).

    `begin_chapter` says to which chapter the samples that follow belong; most sinks do not care.
    """

    def begin_chapter(self, number: int) -> None: ...
    def write(self, samples: Samples) -> None: ...
    def finish(self) -> Path | None: ...
    def abandon(self) -> Path | None: ...


class ChapterSink:
    """book.mp3 -> book-01.mp3, book-02.mp3, ... and book.m3u. titles: of all chapters, None where there is none."""

    def __init__(self, path: Path, titles: Sequence[str | None], sample_rate: int) -> None:
        self._path, self._titles, self._rate = path, titles, sample_rate
        self._writer: AudioWriter | None = None
        self._number = -1
        self._done: list[tuple[Path, float, str]] = []

    def begin_chapter(self, number: int) -> None:
        if number == self._number:
            return
        self._close()
        self._number = number
        width = max(2, len(str(len(self._titles))))
        name = f"{self._path.stem}-{number + 1:0{width}}{self._path.suffix}"
        self._writer = AudioWriter(self._path.with_name(name), self._rate)

    def write(self, samples: Samples) -> None:
        assert self._writer is not None, "begin_chapter comes first"
        self._writer.write(samples)

    def finish(self) -> Path:
        self._close()
        lines = ["#EXTM3U"]
        for file, seconds, title in self._done:
            lines += [f"#EXTINF:{round(seconds)},{' '.join(title.split())}", file.name]
        playlist = self._path.with_suffix(".m3u")
        try:
            write_whole(playlist, "\n".join([*lines, ""]).encode("utf-8", "surrogateescape"))
        except OSError as error:
            raise AudioError(f"cannot write {playlist}: {error.strerror}") from None
        return playlist

    def abandon(self) -> Path | None:
        return self._writer.abandon() if self._writer is not None else None

    def _close(self) -> None:
        if self._writer is None:
            return
        title = self._titles[self._number] or f"Chapter {self._number + 1}"
        self._done.append((self._writer.finish(), self._writer.samples_written / self._rate, title))
        self._writer = None


class StreamSink:
    """A binary stream such as standard output, in a format that can be sent while it is made."""

    def __init__(self, stream: BinaryIO, sample_rate: int, format: AudioFormat) -> None:
        self._stream = stream
        self._encoder = open_encoder(format, sample_rate, to_file=False)

    def begin_chapter(self, number: int) -> None: ...

    def write(self, samples: Samples) -> None:
        self._send(self._encoder.encode(samples))

    def finish(self) -> Path | None:
        self._send(self._encoder.finish())
        return None

    def abandon(self) -> Path | None:
        return None

    def _send(self, data: bytes) -> None:
        self._stream.write(data)
        self._stream.flush()  # the reader at the other end of the pipe wants it now


class PipeSink(StreamSink):
    """A named pipe or a device under a file's name: sound goes into it as it is made, and it stays what it is."""

    def __init__(self, path: Path, sample_rate: int) -> None:
        """Waits for a reader, as every program does that writes into a named pipe."""
        self._path = path
        try:
            self._file = path.open("wb", buffering=0)
        except OSError as error:
            raise AudioError(f"cannot write into {path}: {error.strerror}") from None
        super().__init__(self._file, sample_rate, format_of(path))

    def finish(self) -> Path | None:
        super().finish()
        self._file.close()
        return self._path

    def abandon(self) -> Path | None:
        self._file.close()
        return None


class TeeSink:
    """Several sinks that all get everything. They finish in their order: one that is slow belongs last."""

    def __init__(self, sinks: Sequence[Sink]) -> None:
        self._sinks = sinks

    def begin_chapter(self, number: int) -> None:
        for sink in self._sinks:
            sink.begin_chapter(number)

    def write(self, samples: Samples) -> None:
        for sink in self._sinks:
            sink.write(samples)

    def finish(self) -> Path | None:
        return next(filter(None, [sink.finish() for sink in self._sinks]), None)

    def abandon(self) -> Path | None:
        return next(filter(None, [sink.abandon() for sink in self._sinks]), None)
