"""Samples as they are made -> the bytes of one audio format: for files, pipes, batches, the server and its page.

A stream's bytes are those that `encode` and `finish` return. A file also gets the corrections: what the format writes
over its beginning at the end, such as its length.

Samples become 16 bits in three ways, which stay as they are because a seed promises the bytes of its files. A stream
has the nearest of x * 32767 (`to_pcm16`). Of x * 32768, libsndfile writes the next lower number into a WAV file and the
nearest into a FLAC file. The three are at most two steps of 65,536 apart. Sound that was 16 bits already is divided by
32768 when it is read, so that a file gets the numbers that it had.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from mlx_tts.audio.formats import AudioFormat
from mlx_tts.errors import AudioError
from mlx_tts.samples import Samples

UNKNOWN_SIZE = 0xFFFFFFFF  # what a WAV header says where the length is not known yet
# What libsndfile is given in one call: its Vorbis encoder overruns its stack with minutes, and sounds otherwise when it
# begins with a few samples. FLAC has blocks of this size anyway.
BLOCK_SAMPLES = 4096
MOST_COVER_SIDE = 20_000  # pixels
NO_SAMPLES = np.zeros(0, np.float32)
Corrections = list[tuple[int, bytes]]  # position from the beginning, and what is there in the end


@dataclass(frozen=True)
class BookInfo:
    """What a file with chapters says of itself. cover: the bytes of a JPEG or PNG picture. chapters: their titles."""

    title: str
    author: str | None = None
    cover: bytes | None = None
    chapters: Sequence[str | None] = ()


class Encoder:
    """Takes samples [N], float32 in [-1, 1], in parts of any size; what is louder is clipped.

    sample_rate: what it is given; `rate` is what it writes. corrections: complete after `finish`. is_slow: whether it
    takes milliseconds a second of sound, too long for an event loop.
    """

    is_slow = True

    def __init__(self, sample_rate: int, rate: int) -> None:
        self.rate = rate
        self.corrections: Corrections = []
        self._resampler = Resampler(sample_rate, rate) if rate != sample_rate else None

    def begin_chapter(self, number: int) -> None:
        """The samples that follow belong to this chapter, from 0; most formats do not hold them."""

    def encode(self, samples: Samples) -> bytes:
        """The bytes that are ready; they may be none."""
        if self._resampler is not None:
            samples = self._resampler.change(samples)
        return self._encode(samples) if len(samples) else b""

    def finish(self) -> bytes:
        """The last bytes. AudioError where the library refuses."""
        rest = b""
        if self._resampler is not None and len(samples := self._resampler.finish()):
            rest = self._encode(samples)
        return rest + self._finish()

    def _encode(self, samples: Samples) -> bytes:
        raise NotImplementedError

    def _finish(self) -> bytes:
        raise NotImplementedError


def open_encoder(format: AudioFormat, sample_rate: int, to_file: bool, book: BookInfo | None = None) -> Encoder:
    """to_file: the corrections will be applied; else nothing of what was returned can change."""
    rate = format.rate_for(sample_rate)
    if format.library == "plain" or (format.container == "WAV" and not to_file):
        return PlainEncoder(sample_rate, rate, header=bool(format.container))
    if format.library == "libsndfile":
        return SndfileEncoder(format, sample_rate, to_file)
    if format.chapters and to_file and book is not None:
        return BookEncoder(format, sample_rate, book)
    return FfmpegEncoder(format, sample_rate, to_file)


class PlainEncoder(Encoder):
    """16-bit little-endian samples, behind a WAV header of open sizes where that is wanted."""

    is_slow = False

    def __init__(self, sample_rate: int, rate: int, header: bool) -> None:
        super().__init__(sample_rate, rate)
        self._header = wav_header(rate) if header else b""
        self._is_wav, self._size = header, 0

    def _encode(self, samples: Samples) -> bytes:
        header, self._header = self._header, b""
        data = header + to_pcm16(samples)
        self._size += len(data)
        return data

    def _finish(self) -> bytes:
        rest = self._encode(NO_SAMPLES)
        if self._is_wav:
            self.corrections = [(4, struct.pack("<I", self._size - 8)), (40, struct.pack("<I", self._size - 44))]
        return rest


class SndfileEncoder(Encoder):
    """WAV, FLAC and Ogg Vorbis by libsndfile."""

    def __init__(self, format: AudioFormat, sample_rate: int, to_file: bool) -> None:
        import soundfile

        super().__init__(sample_rate, format.rate_for(sample_rate))
        self._to_file, self._waiting = to_file, NO_SAMPLES
        self._output = _Output(seekable=True)
        self.corrections = self._output.corrections
        try:
            self._file: Any = soundfile.SoundFile(
                self._output, "w", samplerate=self.rate, channels=1, format=format.container, subtype=format.codec
            )
        except (soundfile.LibsndfileError, ValueError) as error:
            raise AudioError(f"this system's libsndfile cannot write {format.name} ({error}): use .wav") from None

    def _encode(self, samples: Samples) -> bytes:
        data = np.concatenate([self._waiting, samples])
        whole = len(data) // BLOCK_SAMPLES * BLOCK_SAMPLES
        for start in range(0, whole, BLOCK_SAMPLES):
            self._write(data[start : start + BLOCK_SAMPLES])
        self._waiting = data[whole:].copy()
        return self._output.taken()

    def _write(self, block: Samples) -> None:
        self._file.write(block if self._to_file else np.frombuffer(to_pcm16(block), "<i2"))

    def _finish(self) -> bytes:
        self._write(self._waiting)
        self._file.close()
        return self._output.taken()


class FfmpegEncoder(Encoder):
    """MP3, Opus and AAC by FFmpeg."""

    def __init__(self, format: AudioFormat, sample_rate: int, to_file: bool) -> None:
        import av

        super().__init__(sample_rate, format.rate_for(sample_rate))
        self._output = _Output(seekable=to_file)
        self.corrections = self._output.corrections
        options, codec_options = dict(format.options), format.codec_options
        if not to_file:
            options |= {"flush_packets": "1", **format.stream_options}
            codec_options = format.stream_codec_options or codec_options
        opened: Any = av.open(self._output, "w", format=format.container, options=options)
        self._container, self._stream = opened, opened.add_stream(format.codec, rate=self.rate)
        self._stream.layout = "mono"
        self._stream.codec_context.options = dict(codec_options)
        self._made = 0

    def _encode(self, samples: Samples) -> bytes:
        import av

        data = np.ascontiguousarray(np.clip(samples, -1.0, 1.0)[None], np.float32)
        frame: Any = av.AudioFrame.from_ndarray(data, format="fltp", layout="mono")
        frame.sample_rate, frame.pts = self.rate, self._made
        self._made += len(samples)
        self._mux(frame)
        return self._output.taken()

    def _mux(self, frame: Any) -> None:
        import av

        try:
            self._container.mux(self._stream.encode(frame))
        except av.FFmpegError as error:
            raise AudioError(f"FFmpeg cannot encode this sound ({error.strerror})") from None

    def _finish(self) -> bytes:
        if self._made:
            self._mux(None)
        self._container.close()
        return self._output.taken()


def picture_size(data: bytes) -> tuple[str, int, int] | None:
    """FFmpeg's name of the codec, width and height of a PNG or JPEG, as its first bytes say; None for anything else.

    The picture itself is not decoded: the program that shows the file does that.
    """
    size = None
    if data.startswith(b"\x89PNG\r\n\x1a\n") and data[12:16] == b"IHDR" and len(data) >= 24:
        size = ("png", int.from_bytes(data[16:20]), int.from_bytes(data[20:24]))
    elif data.startswith(b"\xff\xd8"):
        at = 2
        while size is None and at + 9 <= len(data) and data[at] == 0xFF:
            marker = data[at + 1]
            if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):  # where a frame begins
                size = ("mjpeg", int.from_bytes(data[at + 7 : at + 9]), int.from_bytes(data[at + 5 : at + 7]))
            at += 1 if marker == 0xFF else 2 + max(2, int.from_bytes(data[at + 2 : at + 4]))
    return size if size is not None and min(size[1:]) > 0 and max(size[1:]) <= MOST_COVER_SIDE else None


class BookEncoder(FfmpegEncoder):
    """A file with title, author, cover and chapters. These are told at the end: memory does not grow with the book."""

    def __init__(self, format: AudioFormat, sample_rate: int, info: BookInfo) -> None:
        super().__init__(format, sample_rate, to_file=True)
        self._info = info
        self._starts: list[tuple[int, int]] = []  # number and first sample of each chapter
        metadata = {"title": info.title, "album": info.title, "artist": info.author, "genre": "Audiobook"}
        self._container.metadata.update({name: value for name, value in metadata.items() if value})
        if info.cover is not None:
            self._add_cover(info.cover)

    def _add_cover(self, cover: bytes) -> None:
        """A picture that is neither JPEG nor PNG is left out: it came with a book from anywhere."""
        import av
        from av.stream import Disposition

        if (known := picture_size(cover)) is None:
            return
        name, width, height = known
        stream: Any = self._container.add_mux_stream(name, width=width, height=height)
        stream.disposition = Disposition.attached_pic
        packet: Any = av.Packet(cover)
        packet.stream, packet.pts, packet.dts, packet.is_keyframe = stream, 0, 0, True
        self._container.start_encoding()
        self._container.mux(packet)

    def begin_chapter(self, number: int) -> None:
        if not self._starts or self._starts[-1][0] != number:
            self._starts.append((number, self._made))

    def _finish(self) -> bytes:
        self._container.set_chapters(self._chapters())
        return super()._finish()

    def _chapters(self) -> list[dict[str, Any]]:
        titles, bounds = self._info.chapters, [*self._starts, (-1, self._made)]
        return [
            {
                "id": at,
                "start": start,
                "end": end,
                "time_base": Fraction(1, self.rate),
                "metadata": {"title": (titles[number] if number < len(titles) else None) or f"Chapter {number + 1}"},
            }
            for at, ((number, start), (_, end)) in enumerate(pairwise(bounds))
        ]


class _Output:
    """What a library writes to. Bytes leave by `taken`; what is written over those that left becomes a correction."""

    def __init__(self, seekable: bool) -> None:
        self.corrections: Corrections = []
        self._seekable = seekable
        self._waiting = bytearray()
        self._left = 0  # how many bytes left
        self._position = 0

    def seekable(self) -> bool:
        return self._seekable

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        data = bytes(data)
        late = data[: max(0, self._left - self._position)]
        if late:
            self.corrections.append((self._position, late))
        at = self._position + len(late) - self._left
        self._waiting[at : at + len(data) - len(late)] = data[len(late) :]
        self._position += len(data)
        return len(data)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        end = self._left + len(self._waiting)
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: end}[whence]
        self._position = min(max(0, start + offset), end)
        return self._position

    def tell(self) -> int:
        return self._position

    def taken(self) -> bytes:
        """The bytes since the last call."""
        data = bytes(self._waiting)
        self._waiting.clear()
        self._left += len(data)
        return data


class Resampler:
    """Samples at one rate -> samples at another, in parts of any size without a seam."""

    def __init__(self, rate: int, wanted: int):
        import soxr

        self._stream = soxr.ResampleStream(rate, wanted, 1, dtype="float32", quality="VHQ")

    def change(self, samples: Samples) -> Samples:
        return self._stream.resample_chunk(samples)

    def finish(self) -> Samples:
        return self._stream.resample_chunk(NO_SAMPLES, last=True)


def corrected(data: bytes, corrections: Corrections) -> bytes:
    """All the bytes of an encoder as a file has them."""
    whole = bytearray(data)
    for position, correction in corrections:
        whole[position : position + len(correction)] = correction
    return bytes(whole)


def to_pcm16(samples: Samples) -> bytes:
    """[N] in [-1, 1] -> 16-bit little-endian; what is louder is clipped, not wrapped."""
    return np.round(np.clip(samples, -1.0, 1.0) * 32767.0).astype("<i2").tobytes()


def wav_header(sample_rate: int) -> bytes:
    """The 44 bytes before mono 16-bit samples of unknown number."""
    sizes = (1, 1, sample_rate, sample_rate * 2, 2, 16)  # PCM, channels, rate, bytes a second and a sample, bits
    return struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", UNKNOWN_SIZE, b"WAVE", b"fmt ", 16, *sizes, b"data", UNKNOWN_SIZE)
