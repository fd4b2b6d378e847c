"""A job -> the HTTP answer: it begins with the first sound, ends when the client goes, and shows when it was cut."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any
from urllib.parse import quote

import numpy as np
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from mlx_tts.audio.effects.limiter import LOUD
from mlx_tts.audio.encoder import NO_SAMPLES, Corrections, Resampler, corrected, open_encoder
from mlx_tts.audio.formats import FORMATS, AudioFormat
from mlx_tts.audio.sinks import Mastering
from mlx_tts.narration.marks import Heard, piece_marks
from mlx_tts.narration.narrate import Spoken
from mlx_tts.samples import Samples
from mlx_tts.server.kept_speech import SpeechParts
from mlx_tts.server.requests import while_connected
from mlx_tts.server.serving import Job, Serving
from mlx_tts.server.spoken_text import check_spoken
from mlx_tts.speech import Mark
from mlx_tts.text.cutting.pace import expected_seconds
from mlx_tts.text.cutting.pieces import Piece

log = logging.getLogger("mlx_tts.server")
PIECE, MARKS = "speech.audio.piece", "speech.audio.marks"
SILENCE_SECONDS = 0.1  # of a text without words
PCM_RATE = 24_000  # bare samples say no rate, and clients take this one for granted


class SpeechAnswer(Response):
    """Starlette calls it like any response. Errors before the first sound are raised, for their own status."""

    def __init__(
        self, serving: Serving, job: Job, client: str, format: AudioFormat | None = None, rate: int | None = None
    ):
        """format, rate: of the sound, where the order cannot say them; by default the order's."""
        super().__init__()
        self._serving, self._job, self._client = serving, job, client
        self._format, self._rate = format or FORMATS[job.order.format], rate or job.order.rate
        self._events = job.order.stream_format == "sse"
        self._marks: MarkEvents | None = None
        self._told: list[dict[str, Any]] = []  # events that leave with the sound of their part
        if self._events and job.order.marks:
            self._marks = MarkEvents(job.model.info.sample_rate, job.order.speed, job.request.language)
        self._begin = time.perf_counter()
        self._samples = 0
        self._started = False

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        left, error = await while_connected(self._speak(send), receive)
        if left or isinstance(error, ClientDisconnect):
            self._serving.metrics.cancelled.inc()
            log.info("the client went away after %.2f s of speech", self._seconds)
        elif error is not None:
            await self._fail(error, send)

    @property
    def _seconds(self) -> float:
        return self._samples / self._job.model.info.sample_rate

    async def _fail(self, error: BaseException, send: Send) -> None:
        answer = self._serving.failed(error)
        if not self._started:
            self._serving.metrics.count(answer.status)
            raise answer
        if self._events:
            await self._send(send, _event({"type": "error", **answer.body}))
        # Returning without the last chunk makes the server break the connection.

    async def _speak(self, send: Send) -> None:
        serving, job = self._serving, self._job
        if not job.pieces:
            await self._say_nothing(send)
            return
        async with serving.pool.use(job.model):  # counting tokens needs it too
            async with serving.speaking_job(job, self._client) as spoken:
                await self._answer(spoken, send)
            if self._events:
                await self._send(send, await self._usage(spoken))
            await self._send(send, b"", more=False)

    async def _answer(self, spoken: SpeechParts, send: Send) -> None:
        order = self._job.order
        rate = self._job.model.info.sample_rate
        encoder = SpeechEncoder(self._format, rate, order.loudness, self._rate)
        first = await self._until_sound(spoken, encoder)
        self._serving.metrics.first_sound.observe(time.perf_counter() - self._begin)
        if self._format.name == "wav" and not self._events and spoken.is_made:
            await self._whole(spoken, encoder, first, send)
            return
        await self._start(send)
        await self._send_sound(send, first)
        async for part in spoken:
            await self._send_sound(send, await self._encoded(encoder, part))
        check_spoken(self._samples)
        await self._send_sound(send, await in_thread(encoder, encoder.finish))
        self._serving.metrics.factor.observe((time.perf_counter() - self._begin) / self._seconds)
        self._log(spoken)

    async def _until_sound(self, spoken: SpeechParts, encoder: SpeechEncoder) -> bytes:
        """The first bytes; what fails before them has a status of its own."""
        async for part in spoken:
            data = await self._encoded(encoder, part)
            if data and self._samples:
                return data
        check_spoken(self._samples)
        return b""

    async def _whole(self, spoken: SpeechParts, encoder: SpeechEncoder, first: bytes, send: Send) -> None:
        """All of it was there before the first byte left, so the header can say how much it is."""
        parts = [first]
        async for part in spoken:
            parts.append(await self._encoded(encoder, part))
        parts.append(await in_thread(encoder, encoder.finish))
        wav = corrected(b"".join(parts), encoder.corrections)
        await self._start(send, length=len(wav))
        await self._send_sound(send, wav)
        self._log(spoken)

    async def _say_nothing(self, send: Send) -> None:
        """A moment of silence for a text of signs alone: a client that reads sentence by sentence goes on."""
        rate = self._job.model.info.sample_rate
        encoder = SpeechEncoder(self._format, rate, None, self._rate)
        sound = await in_thread(encoder, encoder.encode, np.zeros(round(SILENCE_SECONDS * rate), np.float32))
        sound += await in_thread(encoder, encoder.finish)
        if self._format.name == "wav" and not self._events:
            sound = corrected(sound, encoder.corrections)
        await self._start(send, length=None if self._events else len(sound))
        await self._send_sound(send, sound)
        if self._events:
            usage = {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}
            await self._send(send, _event({"type": "speech.audio.done", "usage": usage}))
        await self._send(send, b"", more=False)

    async def _encoded(self, encoder: SpeechEncoder, part: Spoken) -> bytes:
        self._samples += len(part.samples)
        if self._marks is not None:
            self._told += self._marks.events(part)
        encoder.begin_voice(part.piece.voice)
        if part.report is not None and part.report.line:
            log.info("piece %d: %s", part.piece.number, part.report.line)
        return await in_thread(encoder, encoder.encode, part.samples) if len(part.samples) else b""

    async def _start(self, send: Send, length: int | None = None) -> None:
        kind = "text/event-stream" if self._events else self._format.media_type
        headers = [(b"content-type", kind.encode()), (b"x-accel-buffering", b"no"), (b"cache-control", b"no-store")]
        if length is not None:
            headers.append((b"content-length", str(length).encode()))
        if (voice := self._job.request.voice) is not None:  # which of ours spoke, where a client named another's
            name = voice if isinstance(voice, str) else voice.name or ""
            headers.append((b"x-mlx-tts-voice", quote(name).encode()))
        if self._job.told is not None:
            headers.append((b"x-mlx-tts-cast", quote(self._job.told).encode()))
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        self._started = True
        self._serving.metrics.count(200)

    async def _send_sound(self, send: Send, data: bytes) -> None:
        """The sound, behind the events that say what begins with it, and before those that say when it was heard."""
        told, self._told = self._told, []
        for event in told:
            if event["type"] == PIECE:
                await self._send(send, _event(event))
        if data:
            if self._events:
                data = _event({"type": "speech.audio.delta", "audio": base64.b64encode(data).decode()})
            await self._send(send, data)
        for event in told:
            if event["type"] == MARKS:
                await self._send(send, _event(event))

    async def _send(self, send: Send, data: bytes, more: bool = True) -> None:
        await send({"type": "http.response.body", "body": data, "more_body": more})

    async def _usage(self, spoken: SpeechParts) -> bytes:
        words = " ".join(piece.spoken for piece in self._job.pieces)
        tokens = await asyncio.to_thread(spoken.model.count_tokens, words)
        usage = {"input_tokens": tokens, "output_tokens": spoken.frames, "total_tokens": tokens + spoken.frames}
        return _event({"type": "speech.audio.done", "usage": usage})

    def _log(self, spoken: SpeechParts) -> None:
        order = self._job.order
        log.info(
            "spoke %d characters as %s with %s: %.2f s of speech, %d frames, in %.2f s",
            len(order.input), order.format, self._job.model.id, self._seconds, spoken.frames,
            time.perf_counter() - self._begin,
        )  # fmt: skip


def _event(data: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(data, separators=(",", ":")).encode() + b"\n\n"


async def in_thread(encoder: SpeechEncoder, work: Any, *arguments: np.ndarray) -> bytes:
    """Encoders that compute for milliseconds do it in a thread, so that the event loop goes on."""
    slow = encoder.is_slow(*(arguments or (NO_SAMPLES,)))
    result = await asyncio.to_thread(work, *arguments) if slow else work(*arguments)
    return bytes(result)


class MarkEvents:
    """The events of one speech."""

    def __init__(self, sample_rate: int, speed: float, language: str):
        self._rate, self._speed, self._language = sample_rate, speed, language
        self._piece = -1
        self._samples = 0

    def events(self, part: Spoken) -> list[dict[str, Any]]:
        """What this part tells; call it with every part, in their order."""
        told = []
        if part.piece.number != self._piece and len(part.samples):
            self._piece = part.piece.number
            pause = int(np.argmax(part.samples != 0))  # the pause before a piece is of exact zeros
            told.append(self._beginning(part.piece, (self._samples + pause) / self._rate))
        self._samples += len(part.samples)
        if part.marks:
            told.append({"type": MARKS, "number": part.piece.number, "marks": self._shown(part.marks)})
        return told

    def _beginning(self, piece: Piece, start: float) -> dict[str, Any]:
        likely = Heard(start, start, start + expected_seconds(piece.spoken) / self._speed)
        marks = piece_marks(piece.text, likely, language=piece.language or self._language)
        return {
            "type": PIECE,
            "number": piece.number,
            "text": piece.text,
            "start": round(start, 3),
            "marks": self._shown(marks),
        }

    def _shown(self, marks: Sequence[Mark]) -> list[dict[str, Any]]:
        """As in a .json file of subtitles."""
        return [asdict(mark) | {"start": round(mark.start, 3), "end": round(mark.end, 3)} for mark in marks]


class SpeechEncoder:
    """Takes samples [N] in order; the bytes of all calls joined are the answer.

    loudness: LUFS; None turns down peaks alone, "off" leaves them. rate: None is the model's own, for pcm 24,000.
    Looking for peaks that have to be turned down takes no time; turning them down takes 2 to 10 ms a second of sound.
    """

    def __init__(
        self,
        format: AudioFormat | str,
        sample_rate: int,
        loudness: float | str | None = None,
        rate: int | None = None,
    ) -> None:
        format = FORMATS[format] if isinstance(format, str) else format
        self.stages: list[Any] = []
        self._mastering = None
        if not isinstance(loudness, str):
            self._mastering = Mastering(sample_rate, loudness)
        if self._mastering is not None:
            self.stages.append(self._mastering)
        rate = rate or (PCM_RATE if format.name == "pcm" else sample_rate)
        if rate != sample_rate:
            self.stages.append(Resampler(sample_rate, rate))
        self._encoder = open_encoder(format, rate, to_file=False)
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
        for stage in self.stages:
            samples = stage.change(samples)
        return self._encoder.encode(samples)

    def finish(self) -> bytes:
        rest = NO_SAMPLES
        for stage in self.stages:
            rest = np.concatenate([stage.change(rest), stage.finish()])
        return self._encoder.encode(rest) + self._encoder.finish()
