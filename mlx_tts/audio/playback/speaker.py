"""Speech -> the machine's loudspeakers, through PortAudio (sounddevice), as it is being made."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from mlx_tts.audio.playback.ring import PreRoll, RingBuffer
from mlx_tts.errors import AudioError, RequestError
from mlx_tts.samples import Samples
from mlx_tts.shortened import shown

BUFFER_SECONDS = 30  # generation may run this far ahead of the ear before it has to wait
WARM_SECONDS = 0.15  # silence a device is given first: many swallow the first moments while they wake up
FADE_SAMPLES = 120  # 5 ms at 24 kHz: sound that stops in its middle clicks
POLL_SECONDS = 0.02


class SpeakerSink:
    """Plays what it is given; finish waits for the last sample to be heard, abandon stops at once.

    The device runs from the start, on silence. When speech runs dry it plays silence until enough is there again.
    """

    def __init__(
        self,
        sample_rate: int,
        device: str | None = None,
        say: Callable[[str], None] = print,
        pre_roll: PreRoll | None = None,
        buffer_seconds: float = BUFFER_SECONDS,
    ) -> None:
        self._pre_roll = pre_roll or PreRoll()
        self._say = say
        self._source_rate = sample_rate
        self._resampler: Any = None
        self._stream, self._rate = self._open(sample_rate, find_device(device))
        self._buffer = RingBuffer(round(self._rate * buffer_seconds))
        self._playing = False  # set by the writer when enough is there, reset by the device when it runs dry
        self._complete = False
        self._silenced = False
        self.paused = False  # a player may set it at any time
        self.silenced_at: float | None = None
        self._warm = 0
        self.gaps = 0
        self._gap_told = False
        self._stream.start()
        self._interrupts = InterruptWatch(self.silence)

    def _open(self, sample_rate: int, device: int | None) -> tuple[Any, int]:
        """A stream at our rate, or at the device's own where it takes no other."""
        sounddevice = sounddevice_module()
        options: dict[str, Any] = {"channels": 1, "dtype": "float32", "callback": self._fill}
        if device is not None:
            options["device"] = device
        try:
            return sounddevice.OutputStream(samplerate=sample_rate, **options), sample_rate
        except sounddevice.PortAudioError as error:
            reason = error
        try:
            rate = int(sounddevice.query_devices(device, kind="output")["default_samplerate"])
            stream = sounddevice.OutputStream(samplerate=rate, **options)
        except (sounddevice.PortAudioError, ValueError, KeyError):
            raise AudioError(
                f"the sound device cannot be opened ({reason}): check it, try --device, or write a file with -o"
            ) from None
        import soxr

        self._resampler = soxr.ResampleStream(sample_rate, rate, 1, dtype="float32", quality="HQ")
        return stream, rate

    def _fill(self, out: Any, frames: int, _time: Any, _status: Any) -> None:
        """Real-time callback for `frames` samples: must not block, allocate or log."""
        block = out[:, 0]
        if self._buffer.has_unwanted or (self.paused and self._playing):
            last = block[:FADE_SAMPLES]  # no more is taken than is heard: after a pause nothing is missing
            self._fade(block, self._buffer.take(last) if self._playing else 0)
            self._buffer.skip_unwanted()
            self._playing = False
            return
        if self._silenced or self.paused or not self._playing or self._warm < WARM_SECONDS * self._rate:
            self._warm += frames
            if self._silenced and self._playing:
                self._fade(block, self._buffer.take(block))
                self._playing = False
            else:
                block[:] = 0.0
            return
        size = self._buffer.take(block)
        if size < len(block) and not self._complete:
            self._fade(block, size, keep=size)
            self._playing = False
            self.gaps += 1

    @staticmethod
    def _fade(block: Samples, size: int, keep: int = FADE_SAMPLES) -> None:
        """Only the first `keep` of `size` samples stay, and fade to nothing."""
        end = min(size, keep)
        length = min(end, FADE_SAMPLES)
        block[end - length : end] *= np.linspace(1.0, 0.0, length, dtype=np.float32)
        block[end:] = 0.0

    def begin_chapter(self, number: int) -> None: ...

    def write(self, samples: Samples) -> None:
        self._pre_roll.wrote(len(samples) / self._source_rate)
        self._put(self._resampled(samples))
        self._pre_roll.taken()

    def play(self, samples: Samples) -> None:
        """As `write` for a caller that decides itself when to begin; it should look at `room` first."""
        self._put(self._resampled(samples))
        self.resume()

    def _resampled(self, samples: Samples, last: bool = False) -> Samples:
        return samples if self._resampler is None else self._resampler.resample_chunk(samples, last=last)

    def resume(self) -> None:
        """Play what is there, however little that is."""
        if not self.paused:
            self._begin_if_ready(full=True)

    def drop(self) -> None:
        """What waits to be played is not wanted any more: it fades out with the next block."""
        self._buffer.drop()

    @property
    def room_seconds(self) -> float:
        """So much can be given without waiting."""
        return self._buffer.room / self._rate

    @property
    def waiting_seconds(self) -> float:
        """So much was given and is not yet taken by the device."""
        return len(self._buffer) / self._rate

    @property
    def played_seconds(self) -> float:
        """So much of what was given was taken by the device."""
        return self._buffer.taken / self._rate

    def _put(self, samples: Samples) -> None:
        done = 0
        while True:
            done += self._buffer.put(samples[done:])
            self._begin_if_ready(full=done < len(samples))
            if done == len(samples) or self._silenced:
                return
            self._wait()

    def _begin_if_ready(self, full: bool = False) -> None:
        if self._playing or self._silenced:
            return
        if self.gaps and not self._gap_told:
            self._gap_told = True
            speed = self._pre_roll.speed
            pace = "" if speed is None else f" (made at {speed:.1f} times the speed of speech)"
            self._say(f"playback ran dry and waits for more speech{pace}")
        wanted = self._pre_roll.wanted_seconds()
        if full or self._complete or (wanted is not None and len(self._buffer) >= wanted * self._rate):
            self._playing = True

    def finish(self) -> Path | None:
        self._put(self._resampled(np.zeros(0, np.float32), last=True))
        self._complete = True
        while len(self._buffer) and not self._silenced:
            self._begin_if_ready()
            self._wait()
        self._stream.stop()  # plays out what the device still holds
        self._close()
        return None

    def abandon(self) -> Path | None:
        self.silence()
        self._stream.abort()
        self._close()
        return None

    def silence(self) -> None:
        """From the next block on nothing is heard, and nobody waits for room or for the end; any thread may call it."""
        self._silenced = True
        self.silenced_at = self.silenced_at or time.monotonic()

    def _wait(self) -> None:
        time.sleep(POLL_SECONDS)  # short, so that Ctrl-C is heard while waiting
        self.check()

    def check(self) -> None:
        """AudioError where the device is gone."""
        if not self._stream.active:
            raise AudioError("the sound device went away: check it, or write a file with -o")

    def _close(self) -> None:
        self._interrupts.close()
        self._stream.close()


def find_device(asked: str | None) -> int | None:
    """A device's number or a part of its name -> its number; None is the system's choice. RequestError lists them."""
    if asked is None:
        return None
    devices = output_devices()
    for number, name in devices:
        if asked == str(number) or asked.casefold() == name.casefold():
            return number
    found = [number for number, name in devices if asked.casefold() in name.casefold()]
    if len(found) == 1:
        return found[0]
    what = "several sound devices match" if found else "no sound device is"
    listed = "; ".join(f"{number} {name}" for number, name in devices)
    raise RequestError(f"{what} {shown(asked)}: there are {listed or 'none'}")


def output_devices() -> list[tuple[int, str]]:
    """Numbers and names of the devices that can play; AudioError where PortAudio is missing."""
    found = enumerate(sounddevice_module().query_devices())
    return [(number, device["name"]) for number, device in found if device["max_output_channels"] > 0]


def has_output_device(device: str | None = None) -> bool:
    """Whether anything can be played here."""
    try:
        check_output_device(device)
    except AudioError:
        return False
    return True


def check_output_device(device: str | None = None) -> None:
    """AudioError when PortAudio or a device is missing."""
    sounddevice = sounddevice_module()
    try:
        sounddevice.query_devices(find_device(device), kind="output")
    except (sounddevice.PortAudioError, ValueError):
        raise AudioError("no sound device to play on: write a file with -o speech.wav") from None


def sounddevice_module(instead: str = "write a file with -o") -> Any:
    """PortAudio, imported when it is needed; AudioError where it is missing. instead: what the user can do besides."""
    try:
        import sounddevice
    except OSError:  # its wheel for Linux has no PortAudio of its own
        raise AudioError(
            f"PortAudio is missing: install it (Debian, Ubuntu: apt install libportaudio2) or {instead}"
        ) from None
    return sounddevice


class InterruptWatch:
    """Ctrl-C silences the speakers at once: Python itself hears it only when the model's current step is done."""

    def __init__(self, silence: Callable[[], None]) -> None:
        self._write = -1
        if threading.current_thread() is not threading.main_thread():
            return
        read, self._write = os.pipe()
        os.set_blocking(self._write, False)
        self._before = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)

        def watch() -> None:
            while data := os.read(read, 1):
                if data[0] == signal.SIGINT:
                    silence()
            os.close(read)

        threading.Thread(target=watch, name="mlx-tts interrupt", daemon=True).start()

    def close(self) -> None:
        if self._write < 0:
            return
        signal.set_wakeup_fd(self._before)
        os.close(self._write)
        self._write = -1
