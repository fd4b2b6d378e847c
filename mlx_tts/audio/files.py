"""Any audio file -> mono float32 at one rate; samples -> an audio file that has its name only when it is complete."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from mlx_tts.audio.formats import FORMATS, check_extension
from mlx_tts.errors import AudioError
from mlx_tts.speech import Samples

SILENCE_PEAK = 1e-3  # -60 dBFS: below it a recording holds hiss, not a voice
BLOCK_SAMPLES = 24_000  # libsndfile's Vorbis encoder overruns its stack when given minutes in one call


def read_audio(
    path: Path, sample_rate: int, minimum_seconds: float | None = None, maximum_seconds: float | None = None
) -> Samples:
    """File of any rate and channel count -> [N] float32 at `sample_rate`; AudioError says why it cannot be used.

    The limits, where given, are those of a voice sample: then a silent recording is refused as well.
    """
    import soundfile

    if not path.is_file():
        raise AudioError(f"no audio file {path}")
    try:
        if path.stat().st_size == 0:
            raise AudioError(f"{path} is empty")
        with soundfile.SoundFile(path) as file:
            seconds = file.frames / file.samplerate
            _check_length(path, seconds, minimum_seconds, maximum_seconds)
            samples = file.read(dtype="float32", always_2d=True).mean(axis=1)
            rate = file.samplerate
    except PermissionError:
        raise AudioError(f"{path} cannot be read: check its permissions") from None
    except soundfile.LibsndfileError:
        raise AudioError(
            f"{path} is not audio this program reads (wav, flac, mp3, ogg, opus, aiff, caf and others)"
        ) from None
    _check_length(path, len(samples) / rate, minimum_seconds, maximum_seconds)
    if not np.isfinite(samples).all():
        raise AudioError(f"{path} holds samples that are no numbers (NaN or infinity): export it again")
    if minimum_seconds is not None and np.abs(samples).max() < SILENCE_PEAK:
        raise AudioError(f"{path} is silent: record it again, louder")
    return resample(samples, rate, sample_rate)


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

    def __init__(self, path: Path, sample_rate: int) -> None:
        import soundfile

        extension = check_extension(path)
        self.path = path
        self.samples_written = 0
        self._closed_as: Path | None = None
        self._discarded = False
        self._sample_rate = sample_rate
        file_format, subtype = FORMATS[extension]
        # libsndfile takes the container from the format, so the hidden name needs no extension of its own.
        try:
            handle, name = tempfile.mkstemp(prefix=f".{path.stem}.", suffix=".unfinished", dir=path.parent)
            os.close(handle)
        except OSError as error:
            raise AudioError(f"cannot write into {path.parent}: {error.strerror}") from None
        self._temporary = Path(name)
        try:
            self._file: Any = soundfile.SoundFile(
                name, "w", samplerate=sample_rate, channels=1, format=file_format, subtype=subtype
            )
        except (soundfile.LibsndfileError, ValueError) as error:
            self._temporary.unlink(missing_ok=True)
            raise AudioError(f"this system's libsndfile cannot write {extension} ({error}): use .wav") from None

    def write(self, samples: Samples) -> None:
        """Append samples [N]; AudioError when the disk takes no more."""
        import soundfile

        try:
            for start in range(0, len(samples), BLOCK_SAMPLES):
                self._file.write(samples[start : start + BLOCK_SAMPLES])
        except (soundfile.LibsndfileError, AssertionError):  # soundfile asserts that everything was taken
            raise self._failure() from None
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
        return self._close_as(self.path.with_name(f"{self.path.stem}.partial{self.path.suffix}"))

    def discard(self) -> None:
        """Leave nothing behind."""
        self._discarded = True
        if not self._file.closed:
            self._file.close()
        self._temporary.unlink(missing_ok=True)

    def _close_as(self, path: Path) -> Path:
        import soundfile

        try:
            self._file.close()
            # Encoders write their last block while closing and do not report a full disk then: count what is there.
            complete = soundfile.info(self._temporary).frames >= self.samples_written
        except soundfile.LibsndfileError:
            complete = False
        if not complete:
            raise self._failure()
        umask = os.umask(0)
        os.umask(umask)
        try:
            self._temporary.chmod(0o666 & ~umask)  # mkstemp's files are for the owner alone
            self._temporary.replace(path)
        except OSError as error:
            self._temporary.unlink(missing_ok=True)
            raise AudioError(f"cannot write {path}: {error.strerror}") from None
        self._closed_as = path
        return path

    def _failure(self) -> AudioError:
        free = shutil.disk_usage(self.path.parent).free
        self.discard()
        reason = "the disk is full" if free < 1_000_000 else "the disk takes no more (full, or a quota or size limit)"
        return AudioError(f"could not write {self.path}: {reason}; nothing was left behind")
