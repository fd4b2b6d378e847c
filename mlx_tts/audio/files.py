"""Any audio file -> mono float32 at one rate; samples -> an audio file that has its name only when it is complete."""

from __future__ import annotations

import contextlib
import errno
import io
import shutil
import stat
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from mlx_tts.audio.formats import FORMATS, check_extension
from mlx_tts.errors import AudioError
from mlx_tts.files.reading import QuietFile, UnreadableFileError, open_regular
from mlx_tts.files.writing import OutputFile, is_read_only, partial_file
from mlx_tts.samples import Samples

SILENCE_PEAK = 1e-3  # -60 dBFS: below it a recording holds hiss, not a voice
MOST_SAMPLES = 100_000_000  # of all channels of a recording: 400 MB
MOST_PIPED_BYTES = 100_000_000
BLOCK_SAMPLES = 24_000  # libsndfile's Vorbis encoder overruns its stack when given minutes in one call


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
            if file.frames * file.channels > MOST_SAMPLES:
                raise AudioError(f"{path} is too long to be read at once: cut it")
            samples = file.read(dtype="float32", always_2d=True).mean(axis=1)
            rate = file.samplerate
    except (soundfile.LibsndfileError, TypeError, ValueError):  # of a file that says nothing of its own format
        samples, rate = _read_container(path, sample_rate, maximum_seconds), sample_rate
    _check_length(path, len(samples) / rate, minimum_seconds, maximum_seconds)
    if not np.isfinite(samples).all():
        raise AudioError(f"{path} holds samples that are no numbers (NaN or infinity): export it again")
    if minimum_seconds is not None and np.abs(samples).max() < SILENCE_PEAK:
        raise AudioError(f"{path} is silent: record it again, louder")
    return resample(samples, rate, sample_rate)


def _read_container(path: Path, sample_rate: int, maximum_seconds: float | None) -> Samples:
    """What libsndfile does not read, such as the m4a of a telephone, where a decoder for it is installed."""
    from mlx_tts.audio.containers import CANNOT_BE_READ, ENDINGS, decode, has_decoder

    if not has_decoder() and path.suffix.lower() in ENDINGS:
        raise AudioError(
            f"{path} needs a decoder: `pip install 'mlx-tts[media]'`, or convert it, on a Mac with "
            f"`afconvert -f WAVE -d LEI16 {path.name} {path.stem}.wav`"
        )
    if has_decoder() and not path.is_fifo():
        try:
            with _open_recording(path) as data:
                return decode(data, sample_rate, maximum_seconds or MOST_SAMPLES / sample_rate)
        except AudioError as error:
            if str(error) != CANNOT_BE_READ:
                raise AudioError(f"{path} {error}") from None
    raise AudioError(f"{path} is not audio this program reads (wav, flac, mp3, ogg, opus, aiff, caf, m4a and others)")


def _open_recording(path: Path) -> BinaryIO:
    """The file, or all that comes through a pipe such as a shell's <(command), which cannot be read twice."""
    try:
        if not path.exists():
            raise AudioError(f"no audio file {path}")
        if stat.S_ISFIFO(path.stat().st_mode):
            with path.open("rb") as pipe:
                data: BinaryIO = io.BytesIO(pipe.read(MOST_PIPED_BYTES + 1))
            if data.seek(0, io.SEEK_END) > MOST_PIPED_BYTES:
                raise AudioError(f"{path} gives more than {MOST_PIPED_BYTES // 1_000_000} MB: save it in a file first")
            data.seek(0)
        else:
            data = QuietFile(open_regular(path))  # type: ignore[assignment]
    except FileNotFoundError:
        raise AudioError(f"no audio file {path}") from None
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
        raise AudioError(f"{path} holds no sound")
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

    def __init__(self, path: Path, sample_rate: int, durable: bool = True, follow: bool = True) -> None:
        """durable: whether `finish` waits until the disk has all of it; what can be made again need not.
        follow: whether a symbolic link stays and its target is written."""
        import soundfile

        extension = check_extension(path)
        self.path = path
        self.samples_written = 0
        self._durable = durable
        self._closed_as: Path | None = None
        self._discarded = False
        file_format, subtype = FORMATS[extension]
        if is_read_only(path):
            raise AudioError(f"{path} is read-only: choose another name")
        try:
            self._output = OutputFile(path, follow)
        except OSError as error:
            raise AudioError(f"cannot write into {path.parent}: {error.strerror}") from None
        try:
            self._file: Any = soundfile.SoundFile(
                self._output, "w", samplerate=sample_rate, channels=1, format=file_format, subtype=subtype
            )
        except (soundfile.LibsndfileError, ValueError) as error:
            if self._output.error is not None:
                raise self._failure() from None
            self._output.discard()
            raise AudioError(f"this system's libsndfile cannot write {extension} ({error}): use .wav") from None

    def write(self, samples: Samples) -> None:
        """Append samples [N]; AudioError when the disk takes no more."""
        import soundfile

        try:
            for start in range(0, len(samples), BLOCK_SAMPLES):
                self._file.write(samples[start : start + BLOCK_SAMPLES])
        except (soundfile.LibsndfileError, AssertionError):  # soundfile asserts that everything was taken
            raise self._failure() from None
        if self._output.error is not None:
            raise self._failure()
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
        import soundfile

        self._discarded = True
        with contextlib.suppress(soundfile.LibsndfileError):
            self._file.close()
        self._output.discard()

    def _close_as(self, path: Path) -> Path:
        import soundfile

        try:
            self._file.close()
            # Encoders write their last block while closing: count what their header says of it.
            self._output.seek(0)
            with soundfile.SoundFile(self._output) as written:
                complete = written.frames == self.samples_written
        except soundfile.LibsndfileError:
            complete = False
        if not complete:
            raise self._failure()
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
