"""Speech of several chapters -> one .m4b or .m4a file with chapters, title, author and cover, through PyAV."""

from __future__ import annotations

import errno
import io
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from mlx_tts.audio.formats import BOOKS
from mlx_tts.errors import AudioError, RequestError
from mlx_tts.files.writing import OutputFile, is_read_only, partial_file
from mlx_tts.samples import Samples

BITS_A_SECOND = 64_000
COVERS = ("mjpeg", "png")  # what players show


@dataclass(frozen=True)
class BookInfo:
    """What the file says of itself. cover: the bytes of a JPEG or PNG picture."""

    title: str
    author: str | None = None
    cover: bytes | None = None
    chapters: Sequence[str | None] = ()


def check_book(path: Path) -> None:
    """RequestError where PyAV, which writes these files, is missing."""
    if path.suffix.lower() in BOOKS and find_spec("av") is None:
        raise RequestError(
            f'{path.suffix} needs PyAV: pip install "mlx-tts[media]"; or write a .wav and, on a Mac, convert it: '
            f"afconvert -f m4bf -d aac {path.with_suffix('.wav').name} {path.name}"
        )


class AudiobookSink:
    """AAC in an MP4 container. The chapters are told at the end, so memory does not grow with the book's length."""

    def __init__(self, path: Path, info: BookInfo, sample_rate: int) -> None:
        import av

        if is_read_only(path):
            raise AudioError(f"{path} is read-only: choose another name")
        try:
            self._output = OutputFile(path)
        except OSError as error:
            raise AudioError(f"cannot write into {path.parent}: {error.strerror}") from None
        self._path, self._info, self._rate, self._samples = path, info, sample_rate, 0
        self._starts: list[tuple[int, int]] = []  # number and first sample of each chapter
        self._container: Any = av.open(self._output, "w", format="mp4")
        metadata = {"title": info.title, "album": info.title, "artist": info.author, "genre": "Audiobook"}
        self._container.metadata.update({name: value for name, value in metadata.items() if value})
        self._stream: Any = self._container.add_stream("aac", rate=sample_rate)
        self._stream.layout, self._stream.bit_rate = "mono", BITS_A_SECOND
        self._add_cover()

    def _add_cover(self) -> None:
        import av
        from av.stream import Disposition

        cover = self._info.cover
        if cover is None:
            return
        try:
            with av.open(io.BytesIO(cover)) as picture:
                of: Any = picture.streams.video[0].codec_context
                name, width, height = of.name, of.width, of.height
        except (av.FFmpegError, IndexError):
            return
        if name not in COVERS:
            return
        stream: Any = self._container.add_mux_stream(name, width=width, height=height)
        stream.disposition = Disposition.attached_pic
        packet: Any = av.Packet(cover)
        packet.stream, packet.pts, packet.dts, packet.is_keyframe = stream, 0, 0, True
        self._container.start_encoding()
        self._container.mux(packet)

    def begin_chapter(self, number: int) -> None:
        if not self._starts or self._starts[-1][0] != number:
            self._starts.append((number, self._samples))

    def write(self, samples: Samples) -> None:
        import av

        if not len(samples):
            return
        data = np.ascontiguousarray(np.clip(samples, -1.0, 1.0)[None], np.float32)
        frame: Any = av.AudioFrame.from_ndarray(data, format="fltp", layout="mono")
        frame.sample_rate, frame.pts = self._rate, self._samples
        self._samples += len(samples)
        self._mux(frame)

    def _mux(self, frame: Any) -> None:
        import av

        try:
            self._container.mux(self._stream.encode(frame))
        except av.FFmpegError as error:
            self._output.discard()
            raise AudioError(f"could not write {self._path}: {error.strerror}; nothing was left behind") from None
        if self._output.error is not None:
            self._output.discard()
            raise AudioError(f"could not write {self._path}: the disk is full; nothing was left behind")

    def finish(self) -> Path:
        return self._close_as(self._path)

    def abandon(self) -> Path | None:
        if not self._samples:
            self._output.discard()
            return None
        return self._close_as(partial_file(self._path))

    def _close_as(self, path: Path) -> Path:
        self._mux(None)
        self._container.set_chapters(self._chapters())
        self._container.close()
        try:
            self._output.finish(path)
        except OSError as error:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
            reason = "the disk is full" if full else error.strerror
            raise AudioError(f"could not write {path}: {reason}; nothing was left behind") from None
        return path

    def _chapters(self) -> list[dict[str, Any]]:
        ends = [start for _, start in self._starts[1:]] + [self._samples]
        titles = self._info.chapters
        return [
            {
                "id": at,
                "start": start,
                "end": end,
                "time_base": Fraction(1, self._rate),
                "metadata": {"title": (titles[number] if number < len(titles) else None) or f"Chapter {number + 1}"},
            }
            for at, ((number, start), end) in enumerate(zip(self._starts, ends, strict=True))
        ]
