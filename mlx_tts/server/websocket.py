"""WS /v1/audio/speech/stream: text in word by word, sound out sentence by sentence, until the client interrupts."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import aclosing
from typing import Any

from fastapi import WebSocket, WebSocketDisconnect

from mlx_tts.server.answers import ApiError, bad_request, not_ready
from mlx_tts.server.live_text import LiveSpeech
from mlx_tts.server.pace import Pace
from mlx_tts.server.security import KEY_PROTOCOL
from mlx_tts.server.serving import Serving
from mlx_tts.server.speech_body import SpeechOrder, checked_order
from mlx_tts.server.streaming import SpeechEncoder, in_thread
from mlx_tts.shortened import shown
from mlx_tts.text.cutting.pieces import Piece

CONFIG_SECONDS = 10.0
IDLE_SECONDS = 30.0
POLICY_VIOLATION, TRY_AGAIN = 1008, 1013
MOST_UTTERANCES = 64  # that wait to be spoken; with more of them nothing is read until one is over


class Session:
    """One connection: its settings, and its utterances, which are spoken one after the other."""

    def __init__(self, websocket: WebSocket, serving: Serving):
        self._socket, self._serving = websocket, serving
        self._client = websocket.client.host if websocket.client is not None else "unknown"
        self._order: SpeechOrder | None = None
        self._open: LiveSpeech | None = None  # the utterance that takes more text
        self._tasks: list[asyncio.Task[None]] = []
        self._utterances = 0
        self._gone = False  # whether the client takes nothing any more
        self._last_sound = 0.0
        self._pace = Pace(serving.is_speaking)

    async def run(self) -> None:
        try:
            while await self._handle(await self._message()):
                await asyncio.sleep(self._pace.wait_seconds())  # others have their turn, however much came at once
            await asyncio.gather(*self._tasks)
            await self._socket.close()
        except TimeoutError:
            await self._refuse(bad_request("nothing was sent for too long", code="timeout"))
        except ApiError as error:
            await self._refuse(error)
        finally:
            await self._cancel()

    async def _message(self) -> dict[str, Any]:
        while True:
            limit = CONFIG_SECONDS if self._order is None else IDLE_SECONDS
            try:
                async with asyncio.timeout(limit):
                    text = await self._socket.receive_text()
                break
            except TimeoutError:
                if not self._is_busy():
                    raise
            except KeyError:
                raise bad_request("a binary message came: send JSON as text") from None
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict) or not isinstance(message.get("type"), str):
            raise bad_request('a message is not a JSON object with a "type"')
        return message

    def _is_busy(self) -> bool:
        """Whether something is spoken, or waits for its row. An utterance whose next words do not come is not busy."""
        if self._open is not None and time.monotonic() - self._last_sound > IDLE_SECONDS:
            return False
        return any(not task.done() for task in self._tasks)

    async def _handle(self, message: dict[str, Any]) -> bool:
        """Do what a message says; False ends the session."""
        kind = message["type"]
        if kind == "session.close":
            self._finish()
            return False
        if kind == "session.config":
            self._configure(message)
        elif self._order is None:
            raise bad_request("session.config comes first")
        elif kind == "input.text":
            if not isinstance(message.get("text"), str):
                raise bad_request("input.text has no text", "text")
            (await self._utterance()).feed(message["text"])
        elif kind == "input.done":
            self._finish()
        elif kind == "input.cancel":
            await self._cancel()
        else:
            raise bad_request(f"unknown message type {shown(kind, 64)}", "type")
        return True

    def _configure(self, message: dict[str, Any]) -> None:
        if self._serving.draining:
            raise not_ready("the server is being stopped", 5)
        wanted = message.get("response_format") or "pcm"
        if wanted != "pcm":
            raise bad_request(f"response_format is {shown(wanted)}: only pcm is spoken here", "response_format")
        if message.get("cast") is not None:
            raise bad_request("a cast is of a whole text: send both to POST /v1/audio/speech", "cast")
        order = checked_order({**message, "input": "...", "response_format": "pcm"}, self._serving.settings.max_input)
        self._serving.request(order)  # what is wrong with it is said now
        self._order = order

    async def _utterance(self) -> LiveSpeech:
        """The one that takes text: a new one after input.done."""
        if self._open is None:
            assert self._order is not None
            while sum(not task.done() for task in self._tasks) >= MOST_UTTERANCES:
                await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
                self._tasks = [task for task in self._tasks if not task.done()]
            if self._gone:
                raise WebSocketDisconnect
            self._open = LiveSpeech(self._serving, self._order, self._client)
            before = self._tasks[-1] if self._tasks else None
            task = asyncio.create_task(self._speak(self._open, self._utterances, before))
            self._tasks = [*(task for task in self._tasks if not task.done()), task]
            self._utterances += 1
        return self._open

    def _finish(self) -> None:
        if self._open is not None:
            self._open.finish()
            self._open = None

    async def _cancel(self) -> None:
        """End whatever is spoken or waits for it; each utterance still says that it is done."""
        self._open = None
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _speak(self, speech: LiveSpeech, number: int, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait({before})
        if self._gone:
            return
        rate, order = speech.model.info.sample_rate, speech.order
        loudness = "off" if order.loudness is None else order.loudness
        encoder = SpeechEncoder("pcm", rate, loudness, order.rate or rate)
        sentences = _Sentences(self._socket, number, order.rate or rate)
        cancelled = False
        try:
            async with aclosing(speech.speak()) as parts:
                async for part in parts:
                    encoder.begin_voice(part.piece.voice)
                    await sentences.send(part.piece, await in_thread(encoder, encoder.encode, part.samples))
                    self._last_sound = time.monotonic()
            await sentences.send_rest(await in_thread(encoder, encoder.finish))
            await sentences.end()
        except asyncio.CancelledError:
            cancelled = True
            self._serving.metrics.cancelled.inc()
            await sentences.end()
        except (WebSocketDisconnect, OSError, RuntimeError) as error:
            if not isinstance(error, RuntimeError) or "send" in str(error):  # the client is gone
                self._gone = True
                return
            await self._fail(error, sentences)
        except Exception as error:  # noqa: BLE001 (whatever broke, the client is told and the others go on)
            await self._fail(error, sentences)
        done = {"type": "session.done", "utterance_index": number, "total_sentences": sentences.count}
        await self._send({**done, "cancelled": True} if cancelled else done)

    async def _fail(self, error: Exception, sentences: _Sentences) -> None:
        answer = self._serving.failed(error)
        self._serving.metrics.count(answer.status)
        await sentences.end(error=True)
        await self._send({"type": "error", **answer.body})

    async def _refuse(self, error: ApiError) -> None:
        await self._send({"type": "error", **error.body})
        await self._socket.close(TRY_AGAIN if error.status in (429, 503) else POLICY_VIOLATION)

    async def _send(self, message: dict[str, Any]) -> None:
        await self._socket.send_text(json.dumps(message))


class _Sentences:
    """Says which sentence the sound that follows belongs to."""

    def __init__(self, websocket: WebSocket, utterance: int, sample_rate: int):
        self._socket, self._utterance, self._rate = websocket, utterance, sample_rate
        self._piece: Piece | None = None
        self._bytes = 0
        self.count = 0

    async def send(self, piece: Piece, pcm: bytes) -> None:
        if self._piece is None or piece.number != self._piece.number:
            await self.end()
            self._piece, self._bytes = piece, 0
            await self._say("audio.start", sentence_text=piece.text, format="pcm", sample_rate=self._rate, channels=1)
        await self.send_rest(pcm)

    async def send_rest(self, pcm: bytes) -> None:
        """More sound of the same sentence."""
        if pcm:
            self._bytes += len(pcm)
            await self._socket.send_bytes(pcm)

    async def end(self, error: bool = False) -> None:
        if self._piece is not None:
            await self._say("audio.done", total_bytes=self._bytes, error=error)
            self._piece = None
            self.count += 1

    async def _say(self, kind: str, **fields: Any) -> None:
        message = {"type": kind, "utterance_index": self._utterance, "sentence_index": self.count, **fields}
        await self._socket.send_text(json.dumps(message))


async def speak_over_websocket(websocket: WebSocket, serving: Serving) -> None:
    """Serve one connection until either side ends it."""
    offered = websocket.scope.get("subprotocols", [])
    plain = [name for name in offered if not name.startswith(KEY_PROTOCOL)]
    await websocket.accept(subprotocol=next(iter([*plain, *offered]), None))
    session = Session(websocket, serving)
    try:
        await session.run()
    except (WebSocketDisconnect, OSError, RuntimeError, TimeoutError):
        return  # the client is gone, or takes nothing any more
