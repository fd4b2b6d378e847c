"""Any audio file -> mono float32 at one rate; samples -> an audio file that has its name only when it is complete."""

from __future__ import annotations

import errno
import io
import shutil
import stat
import time
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from mlx_tts.audio.encoder import BookInfo, open_encoder
from mlx_tts.audio.formats import ENDINGS, format_of
from mlx_tts.errors import AudioError, MissingAudioError
from mlx_tts.files.reading import QuietFile, UnreadableFileError, near_file, open_regular
from mlx_tts.files.writing import OutputFile, is_read_only, partial_file
from mlx_tts.samples import Samples

SILENCE_PEAK = 1e-3  # -60 dBFS: below it a recording holds hiss, not a voice
MOST_SAMPLES = 100_000_000  # of all channels of a recording: 400 MB
MOST_PIPED_BYTES = 100_000_000
BLOCK_SAMPLES = 24_000
# What FFmpeg may take a file from anywhere for: containers of sound alone. It fetches nothing.
DEMUXERS = "wav,mp3,ogg,aac,flac,matroska,webm,mov,mp4,m4a"
LARGEST_STORED_SAMPLE = 2.0**32  # whole numbers of 32 bits written as floats; beyond it no loudness can be computed
LONGEST_FRAME_SECONDS = 0.256  # AAC's 2048 samples at 8 kHz
DECODING_SECONDS = 20.0  # a small file can hold hours of silence
CANNOT_BE_READ = "is not audio that can be read"


def read_audio(
    path: Path, sample_rate: int, minimum_seconds: float | None = None, maximum_seconds: float | None = None
) -> Samples:
    """File of any rate and channel count -> [N] float32 at `sample_rate`; AudioError says why it cannot be used.

    The limits, where given, are those of a voice sample: then a silent recording is refused as well.
    """
    import soundfile

    try:
        with _open_recording(path) as data, soundfile.SoundFile(data) as file:
            seconds = file.frames / file.samplerate
            _check_length(path, seconds, minimum_seconds, maximum_seconds)
            if max(file.frames * file.channels, seconds * sample_rate) > MOST_SAMPLES:
                raise AudioError(f"{path} is too long to be read at once: cut it")
            samples = file.read(dtype="float32", always_2d=True).mean(axis=1)
            rate = file.samplerate
    except (soundfile.LibsndfileError, TypeError, ValueError):  # of a file that says nothing of its own format
        samples, rate = _read_container(path, sample_rate, maximum_seconds), sample_rate
    _check_length(path, len(samples) / rate, minimum_seconds, maximum_seconds)
    if fault := fault_of_numbers(samples):
        raise AudioError(f"{path} {fault}")
    if minimum_seconds is not None and np.abs(samples).max() < SILENCE_PEAK:
        raise AudioError(f"{path} is silent: record it again, louder")
    return resample(samples, rate, sample_rate)


def fault_of_numbers(samples: Samples) -> str | None:
    """Why no level can be computed of these samples: the end of a sentence that begins with the recording."""
    if not np.isfinite(samples).all():
        return "holds samples that are not numbers (NaN or infinity): export it again"
    if (peak := float(np.abs(samples).max(initial=0.0))) > LARGEST_STORED_SAMPLE:
        return f"holds samples up to {peak:g}, which is not sound: export it again"
    return None


def _read_container(path: Path, sample_rate: int, maximum_seconds: float | None) -> Samples:
    """What libsndfile does not read, such as the m4a of a telephone or the GSM 6.10 of an answering machine."""
    if not path.is_fifo():
        try:
            with _open_recording(path) as data:
                return decode(data, sample_rate, maximum_seconds or MOST_SAMPLES / sample_rate)
        except AudioError as error:
            if str(error) != CANNOT_BE_READ:
                raise AudioError(f"{path} {error}") from None
    raise AudioError(f"{path} is not audio this program reads (wav, flac, mp3, ogg, opus, aiff, caf, m4a and others)")


def decode(file: BinaryIO, sample_rate: int, most_seconds: float) -> Samples:
    """The sound of a container by FFmpeg -> [N] at `sample_rate`, one channel. Its length and the time that it takes
    are counted while it is decoded. The text of an AudioError is the end of a sentence that begins with the file."""
    import av

    until = time.monotonic() + DECODING_SECONDS
    parts: list[np.ndarray] = []
    length = 0
    try:
        opened: Any = av.open(file, options={"format_whitelist": DEMUXERS, "protocol_whitelist": ""})
        with opened as container:
            stream = container.streams.audio[0]
            resampler = av.AudioResampler(format="flt", layout="mono", rate=sample_rate)
            for frame in container.decode(stream):
                for changed in resampler.resample(frame):
                    parts.append(changed.to_ndarray()[0])
                    length += len(parts[-1])
                if length > round(most_seconds * sample_rate):
                    raise AudioError(f"is longer than {most_seconds:.0f} s: cut it")
                if time.monotonic() > until:
                    raise AudioError("takes too long to read: send a shorter one")
            parts += [changed.to_ndarray()[0] for changed in resampler.resample(None)]
            told = _told_length(container, stream, sample_rate)
    except (av.FFmpegError, ValueError, IndexError, EOFError):
        raise AudioError(CANNOT_BE_READ) from None
    samples = np.concatenate(parts) if parts else np.zeros(0, np.float32)
    # An MP4 says how much of its last frame is sound; before version 9, FFmpeg gives that frame whole.
    is_spare = told is not None and 0 < len(samples) - told < LONGEST_FRAME_SECONDS * sample_rate
    return samples[:told] if is_spare else samples


def _told_length(container: Any, stream: Any, sample_rate: int) -> int | None:
    """How many samples a container says that it holds, where it says so exactly."""
    if "mp4" not in container.format.name or not stream.duration:
        return None
    return round(stream.duration * stream.time_base * sample_rate)


def _open_recording(path: Path) -> BinaryIO:
    """The file, or all that comes through a pipe such as a shell's <(command), which cannot be read twice."""
    try:
        if not path.exists():
            raise FileNotFoundError
        if stat.S_ISFIFO(path.stat().st_mode):
            with path.open("rb") as pipe:
                data: BinaryIO = io.BytesIO(pipe.read(MOST_PIPED_BYTES + 1))
            if data.seek(0, io.SEEK_END) > MOST_PIPED_BYTES:
                raise AudioError(f"{path} gives more than {MOST_PIPED_BYTES // 1_000_000} MB: save it in a file first")
            data.seek(0)
        else:
            data = QuietFile(open_regular(path))  # type: ignore[assignment]
    except FileNotFoundError:
        near = near_file(path, tuple(ENDINGS))
        hint = "check its name" if near is None else f"did you mean {near}?"
        raise MissingAudioError(f"no audio file {path}: {hint}") from None
    except UnreadableFileError as error:
        raise AudioError(f"{path} {error}") from None
    except (OSError, ValueError) as error:
        raise AudioError(f"{path} cannot be read ({error})") from None
    if data.seek(0, io.SEEK_END) == 0:
        data.close()
        raise AudioError(f"{path} is empty")
    data.seek(0)
    return data


def resample(samples: Samples, rate: int, target_rate: int) -> Samples:
    """[N] at `rate` -> [about N * target_rate / rate] at `target_rate`."""
    if rate == target_rate:
        return np.ascontiguousarray(samples, dtype=np.float32)
    import soxr

    return soxr.resample(samples.astype(np.float32), rate, target_rate, quality="VHQ")


def _check_length(path: Path, seconds: float, minimum: float | None, maximum: float | None) -> None:
    if seconds <= 0:
        raise AudioError(f"{path} holds no sound: record or export it again")
    if minimum is not None and seconds < minimum:
        raise AudioError(
            f"{path} is {seconds:.2f} s long: a voice sample needs at least {minimum:g} s (3 to 15 s are best)"
        )
    if maximum is not None and seconds > maximum:
        raise AudioError(
            f"{path} is {seconds:.0f} s long: cut the voice sample to {maximum:g} s or less (3 to 15 s are best)"
        )


class AudioWriter:
    """Writes speech to a file while it is made: under a hidden name in the same folder until it is complete."""

    def __init__(
        self, path: Path, sample_rate: int, durable: bool = True, follow: bool = True, book: BookInfo | None = None
    ) -> None:
        """durable: whether `finish` waits until the disk has all of it; what can be made again need not.
        follow: whether a symbolic link stays and its target is written. book: what a file with chapters says of
        itself; without it that has its file's name as title."""
        format = format_of(path)
        self.path = path
        self.samples_written = 0
        self._durable = durable
        self._closed_as: Path | None = None
        self._discarded = False
        if is_read_only(path):
            raise AudioError(f"{path} is read-only: choose another name")
        try:
            self._output = OutputFile(path, follow)
        except OSError as error:
            raise AudioError(f"cannot write into {path.parent}: {error.strerror}") from None
        try:
            self._encoder = open_encoder(format, sample_rate, to_file=True, book=book or BookInfo(path.stem))
        except AudioError:
            self._output.discard()
            raise

    def begin_chapter(self, number: int) -> None:
        """The samples that follow belong to this chapter, from 0."""
        self._encoder.begin_chapter(number)

    def write(self, samples: Samples) -> None:
        """Append samples [N]; AudioError when the disk takes no more."""
        for start in range(0, len(samples), BLOCK_SAMPLES):  # what is encoded of minutes need not fit the memory
            self._put(self._encoder.encode(samples[start : start + BLOCK_SAMPLES]))
        self.samples_written += len(samples)

    def finish(self) -> Path:
        """Close the file and give it its name."""
        return self._close_as(self.path)

    def abandon(self) -> Path | None:
        """Keep what was written so far, under a name that says so; None when there is nothing to keep."""
        if self._closed_as or self._discarded:
            return self._closed_as
        if self.samples_written == 0:
            self.discard()
            return None
        return self._close_as(partial_file(self.path))

    def discard(self) -> None:
        """Leave nothing behind."""
        self._discarded = True
        self._output.discard()

    def _put(self, data: bytes) -> None:
        self._output.write(data)
        if self._output.error is not None:
            raise self._failure()

    def _close_as(self, path: Path) -> Path:
        self._put(self._encoder.finish())
        for position, data in self._encoder.corrections:
            self._output.seek(position)
            self._put(data)
        try:
            self._output.finish(path, self._durable)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO):
                raise self._failure() from None
            raise AudioError(f"cannot write {path}: {error.strerror}") from None
        self._closed_as = path
        return path

    def _failure(self) -> AudioError:
        free = shutil.disk_usage(self.path.parent).free
        self.discard()
        reason = "the disk is full" if free < 1_000_000 else "the disk takes no more (full, or a quota or size limit)"
        return AudioError(f"could not write {self.path}: {reason}; nothing was left behind")
