"""Speech -> the machine's loudspeakers, through PortAudio (sounddevice), as it is being made."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np

from mlx_tts.errors import AudioError
from mlx_tts.speech import Samples

BUFFER_SECONDS = 30  # generation may run this far ahead of the ear before it has to wait


class RingBuffer:
    """Samples from one thread to another: `put` waits for room, `take` never waits and pads with silence."""

    def __init__(self, capacity: int) -> None:
        self._data = np.zeros(capacity, dtype=np.float32)
        self._start = 0
        self._count = 0
        self._changed = threading.Condition()

    def put(self, samples: Samples) -> None:
        """Append samples [N], waiting for the reader as often as the buffer is full."""
        done = 0
        while done < len(samples):
            with self._changed:
                while self._count == len(self._data):
                    self._changed.wait(0.1)  # a time limit, so that Ctrl-C is heard while waiting
                size = min(len(samples) - done, len(self._data) - self._count)
                where = (self._start + self._count + np.arange(size)) % len(self._data)
                self._data[where] = samples[done : done + size]
                self._count += size
            done += size

    def take(self, out: Samples) -> int:
        """Fill `out` [N] with what there is, then silence; returns how many samples were real."""
        with self._changed:
            size = min(len(out), self._count)
            out[:size] = self._data[(self._start + np.arange(size)) % len(self._data)]
            self._start = (self._start + size) % len(self._data)
            self._count -= size
            self._changed.notify_all()
        out[size:] = 0.0
        return size

    def wait_until_empty(self) -> None:
        with self._changed:
            while self._count:
                self._changed.wait(0.1)


class SpeakerSink:
    """Plays what it is given; finish waits for the last sample to be heard, abandon stops at once."""

    def __init__(self, sample_rate: int) -> None:
        sounddevice = _sounddevice()
        self._buffer = RingBuffer(sample_rate * BUFFER_SECONDS)
        try:
            self._stream: Any = sounddevice.OutputStream(
                samplerate=sample_rate, channels=1, dtype="float32", callback=self._fill
            )
        except sounddevice.PortAudioError as error:
            raise AudioError(
                f"the sound device cannot be opened ({error}): check it, or write a file with -o"
            ) from None
        self._started = False

    def _fill(self, out: Any, frames: int, time: Any, status: Any) -> None:
        self._buffer.take(out[:, 0])

    def write(self, samples: Samples) -> None:
        if not self._started:
            self._stream.start()
            self._started = True
        self._buffer.put(samples)

    def finish(self) -> Path | None:
        if self._started:
            self._buffer.wait_until_empty()
            self._stream.stop()  # plays out what the device still holds
        self._stream.close()
        return None

    def abandon(self) -> Path | None:
        self._stream.abort()
        self._stream.close()
        return None


def has_output_device() -> bool:
    """Whether anything can be played here."""
    try:
        check_output_device()
    except AudioError:
        return False
    return True


def check_output_device() -> None:
    """AudioError when PortAudio or a device is missing."""
    sounddevice = _sounddevice()
    try:
        sounddevice.query_devices(kind="output")
    except (sounddevice.PortAudioError, ValueError):
        raise AudioError("no sound device to play on: write a file with -o speech.wav") from None


def _sounddevice() -> Any:
    try:
        import sounddevice
    except OSError:  # its wheel for Linux has no PortAudio of its own
        raise AudioError(
            "PortAudio is missing: install it (Debian, Ubuntu: apt install libportaudio2) or write a file with -o"
        ) from None
    return sounddevice
