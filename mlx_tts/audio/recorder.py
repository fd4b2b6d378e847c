"""A microphone -> samples, through PortAudio (sounddevice), until the caller says stop."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from mlx_tts.audio.files import SILENCE_PEAK, resample
from mlx_tts.errors import AudioError
from mlx_tts.samples import Samples

POLL_SECONDS = 0.05
MOST_SECONDS = 60.0


def record(sample_rate: int, stop: Callable[[], bool], most_seconds: float = MOST_SECONDS) -> Samples:
    """Record one channel until `stop()` or for `most_seconds`; AudioError where there is no microphone, or silence."""
    from mlx_tts.audio.playback.speaker import sounddevice_module

    sounddevice = sounddevice_module("give a recording with --voice-sample")
    blocks: list[Samples] = []

    def take(block: Any, _frames: int, _time: Any, _status: Any) -> None:
        blocks.append(np.array(block[:, 0], np.float32))

    try:
        rate = int(sounddevice.query_devices(None, kind="input")["default_samplerate"])
        stream = sounddevice.InputStream(samplerate=rate, channels=1, dtype="float32", callback=take)
    except (sounddevice.PortAudioError, ValueError, KeyError) as error:
        raise AudioError(f"no microphone can be opened ({error}): connect one, or give --voice-sample FILE") from None
    with stream:
        while not stop() and sum(map(len, blocks)) < most_seconds * rate:
            time.sleep(POLL_SECONDS)
            if not stream.active:
                raise AudioError("the microphone went away: connect it again, or give --voice-sample FILE")
    samples = np.concatenate(blocks)[: round(most_seconds * rate)] if blocks else np.zeros(0, np.float32)
    if np.abs(samples).max(initial=0.0) < SILENCE_PEAK:
        raise AudioError(
            "the microphone gave silence: check that it is on, and that this terminal may use it (macOS: System "
            "Settings, Privacy & Security, Microphone)"
        )
    return resample(samples, rate, sample_rate)
