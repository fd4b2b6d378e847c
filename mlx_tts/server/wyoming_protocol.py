"""Home Assistant's Wyoming protocol on TCP: describe and synthesize in, sound out, whole texts or word by word.

Wyoming cannot ask for a key.
Home Assistant ignores `error` events and waits for ever, so the connection is closed after one.
"""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.error import Error
from wyoming.event import Event, async_write_event
from wyoming.info import Attribution, Describe, Info, TtsProgram, TtsVoice
from wyoming.ping import Ping, Pong
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart, SynthesizeStop, SynthesizeStopped, SynthesizeVoice

from mlx_tts import __version__
from mlx_tts.audio.encoder import to_pcm16
from mlx_tts.narration.narrate import Spoken
from mlx_tts.server.answers import ApiError, bad_request
from mlx_tts.server.live_text import LiveSpeech
from mlx_tts.server.pace import Pace
from mlx_tts.server.security import UNREAD_SECONDS
from mlx_tts.server.serving import Serving
from mlx_tts.server.settings import SERVICE
from mlx_tts.server.speech_body import SpeechOrder, checked_order
from mlx_tts.shortened import shown
from mlx_tts.text.languages import AUTO, find

IDLE_SECONDS = 300.0
CONNECTIONS = 64
log = logging.getLogger("mlx_tts.server")
LINE_BYTES = 64 << 10
PART_BYTES = 1 << 20  # of what may follow a line


async def open_wyoming(serving: Serving, listener: socket.socket) -> asyncio.Server:
    """Answer on a bound socket until the server is closed."""
    connections: set[_Connection] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = _Connection(serving, reader, writer)
        if len(connections) < CONNECTIONS:
            connections.add(connection)
            try:
                await connection.run()
            finally:
                connections.discard(connection)
        writer.close()

    return await asyncio.start_server(connected, sock=listener, limit=LINE_BYTES)


class _Connection:
    """One client. It speaks one text after the other; what is read meanwhile is only more text, or its end."""

    def __init__(self, serving: Serving, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self._serving, self._reader, self._writer = serving, reader, writer
        address = writer.get_extra_info("peername")
        self._client = str(address[0]) if address else "unknown"
        self._rate = serving.pool.default.info.sample_rate  # of the text that is being spoken
        self._live: LiveSpeech | None = None
        self._ignores_whole = False  # the whole text follows its parts: it was spoken already
        self._speaking: asyncio.Task[None] | None = None
        self._pace = Pace(serving.is_speaking)

    async def run(self) -> None:
        """Until the client goes, or something is wrong. No exception leaves."""
        try:
            while (event := await self._next()) is not None:
                await self._handle(event)
                await asyncio.sleep(self._pace.wait_seconds())
        except (ApiError, TimeoutError) as error:
            await self._fail(error if isinstance(error, ApiError) else bad_request("nothing came for too long"))
        except OSError:
            pass
        except Exception as error:  # noqa: BLE001 (one client's fault must not end the others)
            await self._fail(self._serving.failed(error))
        finally:
            if self._speaking is not None and not self._speaking.done():
                self._serving.metrics.cancelled.inc()
                self._speaking.cancel()
                await asyncio.gather(self._speaking, return_exceptions=True)

    async def _next(self) -> Event | None:
        """The next event; what went wrong with the speech is raised here as well, so the connection ends."""
        reading = asyncio.create_task(read_event(self._reader))
        try:
            while not reading.done():
                others = {self._speaking} if self._speaking is not None else set()
                limit = None if others and self._live is None else IDLE_SECONDS
                done, _ = await asyncio.wait({reading, *others}, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
                if not done:
                    raise TimeoutError
                if self._speaking in done:
                    speaking, self._speaking = self._speaking, None
                    assert speaking is not None
                    speaking.result()
            return reading.result()
        finally:
            reading.cancel()

    async def _handle(self, event: Event) -> None:
        if Describe.is_type(event.type):
            await self._write(self._info().event())
        elif Ping.is_type(event.type):
            await self._write(Pong(text=Ping.from_event(event).text).event())
        elif SynthesizeStart.is_type(event.type):
            if self._live is not None:  # nothing is read while the text before is spoken: no more of it would come
                self._live.finish()
            await self._finish_speaking()
            self._live = LiveSpeech(self._serving, self._order(event.data.get("voice"), "..."), self._client)
            self._rate, self._ignores_whole = self._live.model.info.sample_rate, True
            self._begin(self._live.speak(), streamed=True)
        elif SynthesizeChunk.is_type(event.type) and self._live is not None:
            self._live.feed(text_of(event))
        elif SynthesizeStop.is_type(event.type) and self._live is not None:
            self._live.finish()
            self._live, self._ignores_whole = None, False
        elif Synthesize.is_type(event.type) and not self._ignores_whole:
            await self._finish_speaking()
            self._begin(self._whole(text_of(event), event.data.get("voice")), streamed=False)

    def _order(self, voice: Any, text: str) -> SpeechOrder:
        asked = SynthesizeVoice.from_dict(voice) if isinstance(voice, dict) else None
        name, language = (asked.speaker or asked.name, asked.language) if asked is not None else (None, None)
        return checked_order({"input": text, "voice": name, "language": language}, self._serving.settings.max_input)

    async def _whole(self, text: str, voice: Any) -> AsyncGenerator[Spoken, None]:
        if not text.strip():
            return
        job = await self._serving.prepare(self._order(voice, text))
        self._rate = job.model.info.sample_rate
        async with self._serving.speaking_job(job, self._client) as spoken:
            async for part in spoken:
                yield part

    def _begin(self, parts: AsyncGenerator[Spoken, None], streamed: bool) -> None:
        self._speaking = asyncio.create_task(self._speak(parts, streamed))

    async def _finish_speaking(self) -> None:
        if self._speaking is not None:
            speaking, self._speaking = self._speaking, None
            await speaking

    async def _speak(self, parts: AsyncGenerator[Spoken, None], streamed: bool) -> None:
        started = False
        try:
            async with aclosing(parts):
                async for part in parts:
                    if not started:
                        await self._write(AudioStart(self._rate, 2, 1).event())
                        started = True
                    if len(part.samples):
                        await self._write(AudioChunk(self._rate, 2, 1, to_pcm16(part.samples)).event())
        except (ApiError, OSError, asyncio.CancelledError):
            raise
        except Exception as error:  # noqa: BLE001 (whatever broke, the client is told by the end of the connection)
            raise self._serving.failed(error) from None
        if not started:
            await self._write(AudioStart(self._rate, 2, 1).event())
        await self._write(AudioStop().event())
        if streamed:
            await self._write(SynthesizeStopped().event())

    def _info(self) -> Info:
        voices = [
            TtsVoice(
                name=name,
                attribution=Attribution(SERVICE, ""),
                installed=True,
                description=f"{name} ({model.id})",
                version=__version__,
                languages=[_code(language) for language in model.info.languages if language != AUTO],
            )
            for model in self._serving.pool.models
            for name in (*model.info.voices, *self._kept(model.info.can.clones))
        ]
        program = TtsProgram(
            name=SERVICE,
            attribution=Attribution(SERVICE, ""),
            installed=True,
            description="Text to speech on this machine",
            version=__version__,
            voices=voices,
            supports_synthesize_streaming=True,
        )
        return Info(tts=[program])

    def _kept(self, clones: bool) -> list[str]:
        return [kept.name for kept in self._serving.shelf.voices()] if clones else []

    async def _fail(self, error: ApiError) -> None:
        self._serving.metrics.count(error.status)
        try:
            await self._write(Error(error.message, error.code).event())
        except (OSError, TimeoutError):
            return

    async def _write(self, event: Event) -> None:
        """Send it. OSError where the client has gone: from Python 3.12 on asyncio raises AttributeError."""
        if self._writer.transport.is_closing():
            raise ConnectionResetError("the client has gone")
        async with asyncio.timeout(UNREAD_SECONDS):
            await async_write_event(event, self._writer)


def _code(language: str) -> str:
    """The model's name of a language -> its ISO code."""
    known = find(language)
    return known.code if known else language


async def read_event(reader: asyncio.StreamReader) -> Event | None:
    """The next event, or None at the end; ApiError for one that is too large or is not an event.

    The package's own reader believes any length that a line says.
    """
    try:
        line = await reader.readline()
    except ValueError:
        raise bad_request(f"a line has more than {LINE_BYTES >> 10} KiB") from None
    if not line:
        return None
    try:
        head = json.loads(line)
        data = head.get("data") or {}
        if length := _length(head, "data_length"):
            data = data | json.loads(await reader.readexactly(length))  # fails unless both are objects
        length = _length(head, "payload_length")
        payload = await reader.readexactly(length) if length else None
        kind = head["type"]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise bad_request("a line is not an event: send JSON with a type") from None
    except asyncio.IncompleteReadError:
        return None
    if not isinstance(kind, str) or not isinstance(data, dict):
        raise bad_request("an event is wrong: its type is text, its data an object")
    return Event(kind, data, payload)


def _length(head: dict[str, Any], name: str) -> int:
    length = head.get(name) or 0
    if not isinstance(length, int) or not 0 <= length <= PART_BYTES:
        raise bad_request(f"{name} is {shown(length)}: at most {PART_BYTES} bytes are read")
    return length


def text_of(event: Event) -> str:
    """The text of an event; ApiError where it has none."""
    text = event.data.get("text")
    if not isinstance(text, str):
        raise bad_request(f"{event.type} has no text")
    return text
