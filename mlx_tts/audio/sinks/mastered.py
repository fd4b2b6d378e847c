"""Speech on its way to a sink -> the same with the loudness that is wanted, every voice alike, and no peak too high."""

from __future__ import annotations

import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from mlx_tts.audio.effects.limiter import Limiter
from mlx_tts.audio.effects.loudness import LoudnessMeter
from mlx_tts.audio.sinks.streams import Sink
from mlx_tts.errors import AudioError
from mlx_tts.samples import Samples

USUAL_LUFS, USUAL_SECONDS = -21.0, 1.5  # what a voice counts as before it is heard, and for how long that weighs
MOST_GAIN = 30.0  # dB
BLOCK = 1 << 16


class MasteredSink:
    """Limits peaks; with `target` (LUFS) it also sets the loudness of each voice, as it is known so far."""

    def __init__(self, sink: Sink, sample_rate: int, target: float | None = None) -> None:
        self._sink, self._rate, self._target = sink, sample_rate, target
        self._limiter = Limiter(sample_rate)
        self._meters: dict[str | None, LoudnessMeter] = {}
        self._heard: dict[str | None, int] = {}
        self._chapter = -1
        self._voice: str | None = None
        self._gain: float | None = None
        self._refused = False

    def begin_chapter(self, number: int) -> None:
        if number != self._chapter:
            if self._chapter >= 0:
                self._pass_on(self._limiter.finish())
            self._chapter = number
        self._sink.begin_chapter(number)

    def begin_voice(self, name: str | None) -> None:
        """The samples that follow are of this voice; None is the speech's own."""
        if name != self._voice:
            self._voice, self._gain = name, None

    def write(self, samples: Samples) -> None:
        if self._target is not None and len(samples):
            samples = self._at_target(samples)
        self._pass_on(self._limiter.change(samples))

    def _pass_on(self, samples: Samples) -> None:
        if len(samples):
            self._refused = True  # until it has taken them: a sink that fails has closed its file
            self._sink.write(samples)
            self._refused = False

    def _at_target(self, samples: Samples) -> Samples:
        meter = self._meters.setdefault(self._voice, LoudnessMeter(self._rate))
        meter.add(samples)
        self._heard[self._voice] = self._heard.get(self._voice, 0) + len(samples)
        gain = self._wanted_gain(meter, self._heard[self._voice] / self._rate)
        before = gain if self._gain is None else self._gain
        self._gain = gain
        return (samples * np.linspace(before, gain, len(samples), dtype=np.float32)).astype(np.float32)

    def _wanted_gain(self, meter: LoudnessMeter, seconds: float) -> float:
        assert self._target is not None
        lufs = meter.lufs
        if lufs is None:
            lufs = USUAL_LUFS
        else:
            share = USUAL_SECONDS / (USUAL_SECONDS + seconds)
            lufs = share * USUAL_LUFS + (1 - share) * lufs
        return gain_of(self._target - lufs)

    def finish(self) -> Path | None:
        self._flush()
        return self._sink.finish()

    def abandon(self) -> Path | None:
        if not self._refused:
            self._flush()
        return self._sink.abandon()

    def _flush(self) -> None:
        self._pass_on(self._limiter.finish())


class TwoPassSink(MasteredSink):
    """The same for files, exactly: all is measured before any of it is written. Until then it lies in a file without
    a name, so that nothing is left of it whatever happens."""

    def __init__(self, sink: Sink, sample_rate: int, target: float, folder: Path) -> None:
        super().__init__(sink, sample_rate, target)
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
        if number != self._chapter:
            self._chapter = number
            self._changes.append((self._written, number, self._voice))

    def begin_voice(self, name: str | None) -> None:
        if name != self._voice:
            self._voice = name
            self._changes.append((self._written, self._chapter, name))

    def write(self, samples: Samples) -> None:
        import soundfile

        self._meters.setdefault(self._voice, LoudnessMeter(self._rate)).add(samples)
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
            gains[voice] = 1.0 if lufs is None else gain_of((self._target or 0.0) - lufs)
        changes = [*self._changes, (self._written, -1, None)]
        with soundfile.SoundFile(self._data) as spool:
            current = -1
            for (start, chapter, voice), (end, *_) in pairwise(changes):
                if chapter != current:
                    self._between_chapters(current, chapter)
                    current = chapter
                for at in range(start, end, BLOCK):
                    samples = spool.read(min(BLOCK, end - at), dtype="float32")
                    self._pass_on(self._limiter.change(samples * np.float32(2 * gains[voice])))
        self._pass_on(self._limiter.finish())
        self._data.close()

    def _between_chapters(self, before: int, chapter: int) -> None:
        if before >= 0:
            self._pass_on(self._limiter.finish())
        self._sink.begin_chapter(chapter)


def gain_of(decibels: float) -> float:
    return float(10 ** (min(MOST_GAIN, decibels) / 20))
