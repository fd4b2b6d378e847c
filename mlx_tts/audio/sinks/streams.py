"""Where speech goes, piece by piece: a file, standard output, the speakers, or several of them at once."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, Protocol

import numpy as np

from mlx_tts.audio.files import AudioWriter
from mlx_tts.errors import AudioError
from mlx_tts.samples import Samples

UNKNOWN_SIZE = 0xFFFFFFFF  # what a WAV header says where the length is not known yet


class Sink(Protocol):
    """Takes samples [N] in order; then exactly one of finish (all was spoken) or abandon (it ended early).

    `begin_chapter` says to which chapter the samples that follow belong; most sinks do not care.
    """

    def begin_chapter(self, number: int) -> None: ...
    def write(self, samples: Samples) -> None: ...
    def finish(self) -> Path | None: ...
    def abandon(self) -> Path | None: ...


class FileSink:
    """An audio file; finish and abandon say under which name it is now."""

    def __init__(self, path: Path, sample_rate: int) -> None:
        self._writer = AudioWriter(path, sample_rate)

    def begin_chapter(self, number: int) -> None: ...

    def write(self, samples: Samples) -> None:
        self._writer.write(samples)

    def finish(self) -> Path | None:
        return self._writer.finish()

    def abandon(self) -> Path | None:
        return self._writer.abandon()


class StreamSink:
    """A binary stream such as standard output: WAV with open sizes, or bare 16-bit little-endian samples."""

    def __init__(self, stream: BinaryIO, sample_rate: int, wav: bool) -> None:
        self._stream = stream
        if wav:
            stream.write(wav_header(sample_rate))
            stream.flush()

    def begin_chapter(self, number: int) -> None: ...

    def write(self, samples: Samples) -> None:
        self._stream.write(to_pcm16(samples))
        self._stream.flush()  # the reader at the other end of the pipe wants it now

    def finish(self) -> Path | None:
        self._stream.flush()
        return None

    def abandon(self) -> Path | None:
        return None


class PipeSink(StreamSink):
    """A named pipe or a device under a file's name: sound goes into it as it is made, and it stays what it is."""

    def __init__(self, path: Path, sample_rate: int) -> None:
        """Waits for a reader, as every program does that writes into a named pipe."""
        self._path = path
        try:
            self._file = path.open("wb", buffering=0)
        except OSError as error:
            raise AudioError(f"cannot write into {path}: {error.strerror}") from None
        super().__init__(self._file, sample_rate, wav=True)

    def finish(self) -> Path | None:
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


def to_pcm16(samples: Samples) -> bytes:
    """[N] in [-1, 1] -> 16-bit little-endian; what is louder is clipped, not wrapped."""
    return np.round(np.clip(samples, -1.0, 1.0) * 32767.0).astype("<i2").tobytes()


def wav_header(sample_rate: int) -> bytes:
    """The 44 bytes before mono 16-bit samples of unknown number."""
    layout = (
        b"RIFF",
        UNKNOWN_SIZE,
        b"WAVE",
        b"fmt ",
        16,
        1,
        1,
        sample_rate,
        sample_rate * 2,
        2,
        16,
        b"data",
        UNKNOWN_SIZE,
    )
    return struct.pack("<4sI4s4sIHHIIHH4sI", *layout)
