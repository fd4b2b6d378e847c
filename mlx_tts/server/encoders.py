"""Speech of a model -> what a client asked for: its loudness without peaks, its rate and its format."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlx_tts.audio.effects.limiter import LOUD
from mlx_tts.audio.encoder import NO_SAMPLES, Corrections, Resampler, open_encoder
from mlx_tts.audio.formats import FORMATS
from mlx_tts.audio.sinks.mastered import Mastering
from mlx_tts.samples import Samples

PCM_RATE = 24_000  # bare samples say no rate, and clients take this one for granted


class SpeechEncoder:
    """Takes samples [N] in order; the bytes of all calls joined are the answer.

    loudness: LUFS; None turns down peaks alone, "off" leaves them. rate: None is the model's own, for pcm 24,000.
    Looking for peaks that have to be turned down takes no time; turning them down takes 2 to 10 ms a second of sound.
    """

    def __init__(
        self, name: str, sample_rate: int, loudness: float | str | None = None, rate: int | None = None
    ) -> None:
        self._stages: list[Any] = []
        self._mastering = None
        if not isinstance(loudness, str):
            self._mastering = Mastering(sample_rate, loudness)
        if self._mastering is not None:
            self._stages.append(self._mastering)
        rate = rate or (PCM_RATE if name == "pcm" else sample_rate)
        if rate != sample_rate:
            self._stages.append(Resampler(sample_rate, rate))
        self._encoder = open_encoder(FORMATS[name], rate, to_file=False)
        levels = self._mastering is not None and loudness is not None
        self._always_slow = levels or rate != sample_rate or self._encoder.is_slow

    def is_slow(self, samples: Samples) -> bool:
        """Whether these samples take too long for an event loop."""
        if self._always_slow or self._mastering is None or not len(samples):
            return self._always_slow
        return float(np.abs(samples).max()) >= LOUD

    @property
    def corrections(self) -> Corrections:
        """What a finished answer has in other places than its end."""
        return self._encoder.corrections

    def begin_voice(self, name: str | None) -> None:
        """The samples that follow are of this voice; None is the speech's own."""
        if self._mastering is not None:
            self._mastering.begin_voice(name)

    def encode(self, samples: Samples) -> bytes:
        for stage in self._stages:
            samples = stage.change(samples)
        return self._encoder.encode(samples)

    def finish(self) -> bytes:
        rest = NO_SAMPLES
        for stage in self._stages:
            rest = np.concatenate([stage.change(rest), stage.finish()])
        return self._encoder.encode(rest) + self._encoder.finish()
