"""Speech of several chapters -> one audio file each, and a playlist (m3u) that has its name when all are complete."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mlx_tts.audio.files import AudioWriter
from mlx_tts.errors import AudioError
from mlx_tts.files.writing import write_whole
from mlx_tts.samples import Samples


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
