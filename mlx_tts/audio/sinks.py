"""Where speech goes, piece by piece: files, standard output, a pipe; with the loudness that is wanted."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import numpy as np

from mlx_tts.audio.effects.limiter import Limiter
from mlx_tts.audio.effects.loudness import LoudnessMeter
from mlx_tts.audio.encoder import open_encoder
from mlx_tts.audio.files import AudioWriter
from mlx_tts.audio.formats import AudioFormat, format_of
from mlx_tts.errors import AudioError
from mlx_tts.files.writing import write_output
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
        write_output(playlist, "\n".join([*lines, ""]).encode("utf-8", "surrogateescape"))
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


USUAL_LUFS, USUAL_SECONDS = -21.0, 1.5  # what a voice counts as before it is heard, and for how long that weighs
MOST_GAIN = 30.0  # dB
BLOCK = 1 << 16


class Mastering:
    """Samples in, the same out without peaks above the limit and, with `target` (LUFS), with each voice as loud as is
    wanted, as far as its loudness is known by then."""

    def __init__(self, sample_rate: int, target: float | None = None) -> None:
        self.target = target
        self._rate = sample_rate
        self._limiter = Limiter(sample_rate)
        self._meters: dict[str | None, LoudnessMeter] = {}
        self._heard: dict[str | None, int] = {}
        self._voice: str | None = None
        self._gain: float | None = None
        self.finish = self._limiter.finish

    def begin_voice(self, name: str | None) -> None:
        """The samples that follow are of this voice; None is the speech's own."""
        if name != self._voice:
            self._voice, self._gain = name, None

    def change(self, samples: Samples) -> Samples:
        if self.target is not None and len(samples):
            samples = self._levelled(samples, self.target)
        return self._limiter.change(samples)

    def _levelled(self, samples: Samples, target: float) -> Samples:
        meter = self._meters.setdefault(self._voice, LoudnessMeter(self._rate))
        meter.add(samples)
        self._heard[self._voice] = self._heard.get(self._voice, 0) + len(samples)
        gain = self._wanted_gain(meter, self._heard[self._voice] / self._rate, target)
        before = gain if self._gain is None else self._gain
        self._gain = gain
        return (samples * np.linspace(before, gain, len(samples), dtype=np.float32)).astype(np.float32)

    @staticmethod
    def _wanted_gain(meter: LoudnessMeter, seconds: float, target: float) -> float:
        lufs = meter.lufs
        if lufs is None:
            lufs = USUAL_LUFS
        else:
            share = USUAL_SECONDS / (USUAL_SECONDS + seconds)
            lufs = share * USUAL_LUFS + (1 - share) * lufs
        return gain_of(target - lufs)


class MasteredSink:
    """Limits peaks on the way to a sink; with `target` (LUFS) it also sets the loudness of each voice."""

    def __init__(self, sink: Sink, sample_rate: int, target: float | None = None) -> None:
        self._sink = sink
        self._mastering = Mastering(sample_rate, target)
        self._chapter = -1
        self._refused = False

    def begin_chapter(self, number: int) -> None:
        if number != self._chapter:
            if self._chapter >= 0:
                self._end_part()
            self._chapter = number
        self._sink.begin_chapter(number)

    def begin_voice(self, name: str | None) -> None:
        """The samples that follow are of this voice; None is the speech's own."""
        self._mastering.begin_voice(name)

    def write(self, samples: Samples) -> None:
        self._pass_on(self._mastering.change(samples))

    def _pass_on(self, samples: Samples) -> None:
        if len(samples):
            self._refused = True  # until it has taken them: a sink that fails has closed its file
            self._sink.write(samples)
            self._refused = False

    def finish(self) -> Path | None:
        self._flush()
        return self._sink.finish()

    def abandon(self) -> Path | None:
        if not self._refused:
            self._flush()
        return self._sink.abandon()

    def _flush(self) -> None:
        self._end_part()

    def _end_part(self) -> None:
        self._pass_on(self._mastering.finish())


class TwoPassSink(MasteredSink):
    """The same for files, exactly: all is measured before any of it is written. Until then it lies in a file without
    a name, so that nothing is left of it whatever happens."""

    def __init__(self, sink: Sink, sample_rate: int, target: float, folder: Path) -> None:
        super().__init__(sink, sample_rate)
        self._rate, self._target = sample_rate, target
        self._meters: dict[str | None, LoudnessMeter] = {}
        import soundfile

        try:
            self._data: Any = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 (closed when all was read)
        except OSError as error:
            raise AudioError(f"cannot write into {folder}: {error.strerror}") from None
        self._spool: Any = soundfile.SoundFile(
            self._data, "w", samplerate=sample_rate, channels=1, format="FLAC", subtype="PCM_24"
        )
        self._written = 0
        self._changes: list[tuple[int, int, str | None]] = [(0, -1, None)]  # from which sample on: chapter, voice

    def begin_chapter(self, number: int) -> None:
        _, chapter, voice = self._changes[-1]
        if number != chapter:
            self._changes.append((self._written, number, voice))

    def begin_voice(self, name: str | None) -> None:
        _, chapter, voice = self._changes[-1]
        if name != voice:
            self._changes.append((self._written, chapter, name))

    def write(self, samples: Samples) -> None:
        import soundfile

        self._meters.setdefault(self._changes[-1][2], LoudnessMeter(self._rate)).add(samples)
        try:
            self._spool.write(samples * np.float32(0.5))  # room for what is above 1
        except (soundfile.LibsndfileError, AssertionError):
            raise AudioError("the disk is full: the loudness of a file is measured before it is written") from None
        self._written += len(samples)

    def _flush(self) -> None:
        """The second pass."""
        import soundfile

        self._spool.close()
        self._data.seek(0)
        gains = {}
        for voice, meter in self._meters.items():
            lufs = meter.lufs
            gains[voice] = 1.0 if lufs is None else gain_of(self._target - lufs)
        changes = [*self._changes, (self._written, -1, None)]
        with soundfile.SoundFile(self._data) as spool:
            for (start, chapter, voice), (end, *_) in pairwise(changes):
                if chapter != self._chapter:
                    super().begin_chapter(chapter)
                for at in range(start, end, BLOCK):
                    samples = spool.read(min(BLOCK, end - at), dtype="float32")
                    super().write(samples * np.float32(2 * gains[voice]))
        self._end_part()
        self._data.close()


def gain_of(decibels: float) -> float:
    return float(10 ** (min(MOST_GAIN, decibels) / 20))
