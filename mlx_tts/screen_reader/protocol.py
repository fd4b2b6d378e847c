"""Lines of speech-dispatcher on standard input -> answers, events and blocks of sound on standard output.

As `src/modules/module_process.c` of speech-dispatcher 0.11 has it. One thread reads and answers, so that STOP is
answered at once; another makes the sound. Every text that was accepted ends in exactly one event.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import BinaryIO

import numpy as np

from mlx_tts.errors import MlxTtsError
from mlx_tts.narration.cancellation import Cancellation
from mlx_tts.samples import Samples
from mlx_tts.screen_reader import messages
from mlx_tts.screen_reader.messages import Segment
from mlx_tts.screen_reader.voice import ScreenVoice
from mlx_tts.screen_reader.wishes import Wishes

BLOCK_SAMPLES = 5000  # 10,000 bytes, as speech-dispatcher's own modules send at a time
IDLE_SECONDS = 1.0
OWN_MARK = "__spd_"
SERVER_PLAYS = "audio_output_method=server"
BEGIN, END, STOP, PAUSE = "701 BEGIN", "702 END", "703 STOP", "704 PAUSE"
# The signs that would end a line or escape another.
ESCAPED = {0x0A: b"\x7d\x2a", 0x7D: b"\x7d\x5d"}
log = logging.getLogger("mlx_tts.screen_reader")


class HasEndedError(Exception):
    """The text was stopped: whoever makes its sound may leave off."""


@dataclass(eq=False)
class Speech:
    """An accepted message. has_ended: its last event was sent. pauses: it is to end at the next of speech-dispatcher's
    own marks, from which it will be asked for again; without one the rest of it would be lost."""

    segments: list[Segment]
    wishes: Wishes
    cancellation: Cancellation = field(default_factory=Cancellation)
    has_ended: bool = False
    pauses: bool = False


class Module:
    """One conversation. `run` returns at QUIT or where the input ends; False: the voice could not be opened.

    idle_seconds: after so long without a text, letters and keys are made that the user will type; None: never."""

    def __init__(self, voice: ScreenVoice, source: BinaryIO, sink: BinaryIO, idle_seconds: float | None = IDLE_SECONDS):
        self._voice, self._source, self._sink = voice, source, sink
        self._idle_seconds = idle_seconds
        self._preparing: Cancellation | None = None
        self._can_prepare = True
        self._wishes = Wishes()
        # Guards the output and the fields below: no event may stand in the midst of an answer.
        self._lock = threading.Condition()
        self._speech: Speech | None = None
        self._is_over = False
        self._thread = threading.Thread(target=self._speak_all, name="mlx-tts screen reader", daemon=True)

    def run(self) -> bool:
        try:
            return self._converse()
        except BrokenPipeError:
            return True  # speech-dispatcher has ended
        finally:
            with self._lock:
                self._is_over = True
                if self._speech is not None:
                    self._speech.has_ended = True
                    self._speech.cancellation.cancel()
                if self._preparing is not None:
                    self._preparing.cancel()
                self._lock.notify_all()
            if self._thread.is_alive():
                self._thread.join(timeout=5.0)

    # What is read.

    def _converse(self) -> bool:
        commands: dict[str, Callable[[], None]] = {
            "AUDIO": self._audio,
            "LOGLEVEL": self._log_level,
            "SET": self._set,
            "SPEAK": lambda: self._accept(self._spoken),
            "CHAR": lambda: self._accept(self._character),
            "KEY": lambda: self._accept(self._key),
            "SOUND_ICON": lambda: self._accept(self._sound_icon),
            "STOP": lambda: self._end(STOP),
            "PAUSE": self._pause,
        }
        while (line := self._line()) is not None:
            word = line.split(" ", 1)[0]
            if word == "INIT":
                if not self._open():
                    return False
            elif word == "LIST":
                self._list_voices(line)
            elif word == "QUIT":
                self._end(STOP)
                self._answer("210 OK QUIT")
                break
            elif word in commands:
                commands[word]()
            else:
                self._answer("300 ERR UNKNOWN COMMAND")
        return True

    def _line(self) -> str | None:
        line = self._source.readline()
        return line.decode("utf-8", "replace").rstrip("\r\n") if line else None

    def _lines(self) -> Iterator[str]:
        """Until a line with one dot; a dot at the beginning of others is doubled."""
        while (line := self._line()) not in (None, "."):
            yield line[1:] if line.startswith("..") else line  # type: ignore[union-attr, index]

    def _fields(self) -> dict[str, str]:
        return dict(line.split("=", 1) for line in self._lines() if "=" in line)

    # What is answered.

    def _open(self) -> bool:
        try:
            self._voice.open()
        except MlxTtsError as error:
            self._answer(f"399-{error}", "399 ERR CANT INIT MODULE")
            return False
        self._thread.start()
        self._answer(f"299-mlx-tts speaks with the model {self._voice.usual.model}", "299 OK LOADED SUCCESSFULLY")
        return True

    def _audio(self) -> None:
        self._answer("207 OK RECEIVING AUDIO SETTINGS")
        if SERVER_PLAYS in list(self._lines()):
            self._answer("203 OK AUDIO INITIALIZED")
        else:  # it asks again until it plays itself what we make
            self._answer("300-speech-dispatcher must play the sound: use version 0.11 or newer", "300 MODULE ERROR")

    def _log_level(self) -> None:
        self._answer("207 OK RECEIVING LOGLEVEL SETTINGS")
        list(self._lines())
        self._answer("203 OK LOG LEVEL SET")

    def _set(self) -> None:
        self._answer("203 OK RECEIVING SETTINGS")
        self._wishes = self._wishes.changed(self._fields())
        self._answer("203 OK SETTINGS RECEIVED")

    def _list_voices(self, line: str) -> None:
        """LIST VOICES [LANGUAGE [VARIANT]]"""
        _, _, *asked = line.split()
        listed = self._voice.voices()
        if asked:
            listed = [voice for voice in listed if voice[1] == asked[0].split("-")[0]]
        if len(asked) > 1:
            listed = [voice for voice in listed if voice[2] == asked[1]]
        if listed:
            self._answer(*("200-" + "\t".join(voice) for voice in listed), "200 OK VOICE LIST SENT")
        else:
            self._answer("304 CANT LIST VOICES")

    def _accept(self, segments_of: Callable[[str], list[Segment]]) -> None:
        self._answer("202 OK RECEIVING MESSAGE")
        message = "\n".join(self._lines())
        self._end(STOP)  # speech-dispatcher sends one at a time; whoever does not hears the newest
        speech = Speech(segments_of(message), self._wishes)
        with self._lock:
            self._write("200 OK SPEAKING")
            self._speech = speech
            self._can_prepare = True  # of another voice or rate, perhaps
            if self._preparing is not None:
                self._preparing.cancel()
            self._lock.notify_all()

    def _pause(self) -> None:
        with self._lock:
            if self._speech is not None:
                self._speech.pauses = True

    def _spoken(self, message: str) -> list[Segment]:
        segments = messages.segments_of(message)
        if self._wishes.spells:
            return [Segment(messages.spelled(one.text, self._wishes.says_capitals)) for one in segments]
        if len(segments) == 1 and len(segments[0].text) == 1:
            return [replace(segments[0], text=messages.character(segments[0].text, self._wishes.says_capitals))]
        return [messages.with_signs_named(one, self._wishes.punctuation) for one in segments]

    def _character(self, message: str) -> list[Segment]:
        return [Segment(messages.character(message, self._wishes.says_capitals))]

    def _key(self, message: str) -> list[Segment]:
        return [Segment(messages.key(message, self._wishes.says_capitals))]

    def _sound_icon(self, message: str) -> list[Segment]:
        return [Segment(message.replace("-", " ").replace("_", " "))]

    # What is written.

    def _answer(self, *lines: str) -> None:
        with self._lock:
            self._write(*lines)

    def _write(self, *lines: str) -> None:
        self._sink.write("".join(f"{line}\n" for line in lines).encode())
        self._sink.flush()

    def _end(self, event: str, speech: Speech | None = None) -> None:
        """The last event of a speech, by default of the one that is being spoken; nothing where it has ended."""
        with self._lock:
            if speech is None:
                speech = self._speech
            if speech is not None and not speech.has_ended:
                speech.has_ended = True
                speech.cancellation.cancel()
                self._write(event)

    def _send(self, speech: Speech, *lines: str, sound: bytes = b"") -> None:
        with self._lock:
            if speech.has_ended:
                raise HasEndedError
            if sound:
                self._sink.write(sound)
            self._write(*lines)

    # The thread.

    def _speak_all(self) -> None:
        while not self._is_over:
            speech = self._next()
            if speech is None:
                self._prepare()
                continue
            try:
                with self._noted():
                    self._speak(speech)
                self._end(END, speech)
            except HasEndedError:
                continue
            except BrokenPipeError:
                return

    def _next(self) -> Speech | None:
        """The next text, once there is one; None: it is over, or there was none for a while."""
        with self._lock:
            while not self._is_over and (self._speech is None or self._speech.has_ended):
                if not self._lock.wait(self._idle_seconds if self._can_prepare else None):
                    self._preparing = Cancellation()
                    return None
            return self._speech

    def _prepare(self) -> None:
        """One of the letters and keys that will be typed. A text that comes meanwhile ends it."""
        if (cancellation := self._preparing) is None:
            return
        self._can_prepare = False  # not again where it fails
        with self._noted():
            self._can_prepare = self._voice.prepare(messages.everyday(), self._wishes, cancellation)
        self._preparing = None

    @contextmanager
    def _noted(self) -> Iterator[None]:
        """What goes wrong is said on standard error: the screen reader must not fall silent for ever over one text."""
        try:
            yield
        except (HasEndedError, BrokenPipeError):
            raise
        except MlxTtsError as error:
            log.warning("mlx-tts: %s", error)
        except Exception:
            log.exception("a text could not be spoken")

    def _speak(self, speech: Speech) -> None:
        self._send(speech, BEGIN)
        for segment in speech.segments:
            with self._noted():
                self._speak_segment(speech, segment)

    def _speak_segment(self, speech: Speech, segment: Segment) -> None:
        rate, wishes = self._voice.sample_rate, speech.wishes
        sent, marks, length = 0, list(segment.marks), len(segment.text)

        def send_marks(characters: float) -> None:
            while marks and marks[0][0] <= characters:
                name = marks.pop(0)[1]
                self._send(speech, f"700-{name}", "700 INDEX MARK")
                if speech.pauses and name.startswith(OWN_MARK):
                    self._end(PAUSE, speech)
                    raise HasEndedError

        send_marks(0)
        if segment.text.strip():
            for part in self._voice.speak(segment.text, wishes, speech.cancellation):
                for at in range(0, len(part.samples), BLOCK_SAMPLES):
                    samples = part.samples[at : at + BLOCK_SAMPLES]
                    self._send(speech, sound=sound_block(samples * wishes.gain, round(rate * wishes.height)))
                    sent += len(samples)
                    spoken = length * sent / rate / max(0.01, part.expected_seconds)
                    send_marks(min(spoken, length - 1))  # the last ones wait for the end, however short the guess was
        send_marks(length)


def sound_block(samples: Samples, sample_rate: int) -> bytes:
    """Samples as the event 705 has them: 16 bits, the two signs that would break a line escaped."""
    data = (np.clip(samples, -1, 1) * 32767).round().astype("<i2").tobytes()
    head = "\n".join(
        (
            "705-bits=16",
            "705-num_channels=1",
            f"705-sample_rate={sample_rate}",
            f"705-num_samples={len(samples)}",
            "705-big_endian=0",
            "705-AUDIO",
        )
    )
    # The escaping sign first: what the other one becomes holds it.
    escaped = data.replace(b"\x7d", ESCAPED[0x7D]).replace(b"\x0a", ESCAPED[0x0A])
    return head.encode() + b"\0" + escaped + b"\n705 AUDIO\n"
