"""WS .../stream-input and .../multi-stream-input: text as it is written in, sound with the time of each character out.

A context is a text with its own id. What it says is spoken in order; several contexts are spoken side by side.
"""

from __future__ import annotations

import asyncio
import base64
import json
import time
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from typing import Any

from fastapi import WebSocket, WebSocketDisconnect

from mlx_tts.server.answers import ApiError, bad_request, not_ready
from mlx_tts.server.elevenlabs.fields import Output, order_of, output_of
from mlx_tts.server.elevenlabs.message_times import MessageTimes
from mlx_tts.server.live_text import LiveSpeech
from mlx_tts.server.pace import Pace
from mlx_tts.server.security import KEY_PROTOCOL
from mlx_tts.server.serving import Serving
from mlx_tts.server.speech_body import SpeechOrder
from mlx_tts.server.streaming import SpeechEncoder, in_thread

SINGLE, DEFAULT = "", "default"  # the context of stream-input, and of messages that name none
LEAST_IDLE, IDLE_SECONDS, MOST_IDLE = 1.0, 20.0, 180.0
MOST_CONTEXTS = 16
MOST_UTTERANCES = 64  # that wait to be spoken; with more of them nothing is read until one is over
CLOSED, POLICY_VIOLATION, TRY_AGAIN = 1000, 1008, 1013
GONE = (WebSocketDisconnect, OSError)


@dataclass(eq=False)
class _Context:
    """order: with the context's own voice_settings. open: the utterance that takes text. tasks: those that are spoken,
    in their order. closed: no more text comes. last_sound: of `time.monotonic`, when some was sent."""

    id: str
    order: SpeechOrder
    times: MessageTimes
    open: LiveSpeech | None = None
    tasks: list[asyncio.Task[None]] = field(default_factory=list)
    closed: bool = False
    last_sound: float = 0.0


class _Session:
    def __init__(self, websocket: WebSocket, serving: Serving, voice_id: str, single: bool):
        query = websocket.query_params
        self._socket, self._serving, self._single = websocket, serving, single
        self._client = websocket.client.host if websocket.client is not None else "unknown"
        self._voice_id, self._query = voice_id, dict(query)
        self._auto = query.get("auto_mode", "").casefold() == "true"
        self._sync = query.get("sync_alignment", "").casefold() == "true"  # times from the context's beginning
        self._idle = _seconds(query.get("inactivity_timeout"))
        self._contexts: dict[str, _Context] = {}
        self._pace = Pace(serving.is_speaking)
        self._sending = asyncio.Lock()
        self._gone = False  # whether the client takes nothing any more
        self._output: Output | None = None
        self._order: SpeechOrder | None = None

    async def run(self) -> None:
        try:
            self._begin()
            while await self._handle(await self._message()):
                await asyncio.sleep(self._pace.wait_seconds())
            for context in self._contexts.values():
                self._finish(context)
            await asyncio.gather(*(task for one in self._contexts.values() for task in one.tasks))
            await self._socket.close(CLOSED)
        except TimeoutError:
            await self._refuse(bad_request("nothing was sent for too long", code="input_timeout_exceeded"))
        except ApiError as error:
            await self._refuse(error)
        finally:
            for context in list(self._contexts.values()):
                await self._cancel(context)

    def _begin(self) -> None:
        """What is wrong with the address is said at once."""
        if self._serving.draining:
            raise not_ready("the server is being stopped", 5)
        self._output = output_of(self._query.get("output_format"))
        body = {"text": "...", "model_id": self._query.get("model_id"), "seed": self._query.get("seed")}
        body["language_code"] = self._query.get("language_code") or None
        self._order = order_of(self._serving, self._voice_id, body)
        self._serving.request(self._order)

    async def _message(self) -> dict[str, Any]:
        while True:
            try:
                async with asyncio.timeout(self._idle):
                    message = json.loads(await self._socket.receive_text())
                break
            except TimeoutError:
                if not any(map(self._is_busy, self._contexts.values())):
                    raise
            except KeyError:
                raise bad_request("a binary message came: send JSON as text") from None
            except (ValueError, RecursionError):
                raise bad_request("a message is not JSON: send an object with text") from None
        if not isinstance(message, dict):
            raise bad_request("a message is not a JSON object: send one with text")
        return message

    def _is_busy(self, context: _Context) -> bool:
        """Whether something is spoken, or waits for its turn. An utterance whose next words do not come is not busy."""
        if context.open is not None and time.monotonic() - context.last_sound > self._idle:
            return False
        return any(not task.done() for task in context.tasks)

    async def _handle(self, message: dict[str, Any]) -> bool:
        """Do what a message says; False ends the session."""
        if message.get("close_socket"):
            return False
        text = message.get("text")
        if text is not None and not isinstance(text, str):
            raise bad_request("text is not a text", "text")
        if self._single:
            context = await self._context(SINGLE, message)
            if text == "":
                return False
        else:
            named = message.get("context_id", message.get("contextId"))
            id = str(named if named is not None else DEFAULT)[:100]
            if self._is_sign_of_life(message, None if named is None else id):
                return True
            context = await self._context(id, message)
        if text and text.strip() and not context.closed:
            await self._feed(context, text)
        if message.get("flush"):
            self._flush(context)
        if message.get("close_context"):
            self._finish(context)
        return True

    def _is_sign_of_life(self, message: dict[str, Any], id: str | None) -> bool:
        """Whether a message without words begins nothing. Pipecat names the context that it still plays, which may have
        ended here: opened again, it would stay open for good and silence the one that is spoken."""
        asks = ("text", "flush") if id is None else ("text", "flush", "close_context", "voice_settings")
        return id not in self._contexts and not any(message.get(name) for name in asks)

    async def _context(self, id: str, message: dict[str, Any]) -> _Context:
        context = self._contexts.get(id)
        if context is not None:
            return context
        for other in list(self._contexts.values()):
            if other.closed and not self._sync:  # its client has interrupted it, and listens to the new one
                await self._cancel(other)
        if len(self._contexts) >= MOST_CONTEXTS:
            raise bad_request(f"{MOST_CONTEXTS} contexts are open: close some", "context_id", "too_many_contexts")
        order = self._configured(message)
        rate = self._serving.request(order)[0].info.sample_rate
        context = self._contexts[id] = _Context(id, order, MessageTimes(rate, order.speed, self._sync))
        return context

    def _configured(self, message: dict[str, Any]) -> SpeechOrder:
        """voice_settings of the first message of a context hold for it and for contexts after it."""
        assert self._order is not None
        settings = message.get("voice_settings")
        if isinstance(settings, dict) and settings.get("speed") is not None:
            asked = order_of(self._serving, self._voice_id, {"text": "...", "voice_settings": settings})
            self._order = replace(self._order, speed=asked.speed)
        return self._order

    async def _feed(self, context: _Context, text: str) -> None:
        if context.open is None:
            while len(waiting := self._unfinished()) >= MOST_UTTERANCES:
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            if self._gone:
                raise WebSocketDisconnect
            context.tasks = [task for task in context.tasks if not task.done()]
            context.open = LiveSpeech(self._serving, context.order, self._client)
            before = context.tasks[-1] if context.tasks else None
            context.tasks.append(asyncio.create_task(self._speak(context, context.open, before)))
        context.open.feed(text)
        if self._auto:  # each message is a whole phrase
            self._flush(context)

    def _unfinished(self) -> list[asyncio.Task[None]]:
        return [task for one in self._contexts.values() for task in one.tasks if not task.done()]

    @staticmethod
    def _flush(context: _Context) -> None:
        if context.open is not None:
            context.open.finish()
            context.open = None

    def _finish(self, context: _Context) -> None:
        """No more text comes: when all is spoken, the client is told."""
        if not context.closed:
            context.closed = True
            self._flush(context)
            before = context.tasks[-1] if context.tasks else None
            context.tasks.append(asyncio.create_task(self._end(context, before)))

    async def _end(self, context: _Context, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait({before})
        with suppress(WebSocketDisconnect):
            await self._send(context, {"audio": None, "isFinal": True})
        self._contexts.pop(context.id, None)

    async def _cancel(self, context: _Context) -> None:
        self._contexts.pop(context.id, None)
        running = [task for task in context.tasks if not task.done()]
        for task in running:
            task.cancel()
        if running:
            self._serving.metrics.cancelled.inc()
        await asyncio.gather(*running, return_exceptions=True)

    async def _speak(self, context: _Context, speech: LiveSpeech, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait({before})
        if self._gone:
            return
        assert self._output is not None
        rate = speech.model.info.sample_rate
        encoder = SpeechEncoder(self._output.format, rate, "off", self._output.rate)
        sound = b""
        try:
            async with aclosing(speech.speak()) as parts:
                async for part in parts:
                    sound += await in_thread(encoder, encoder.encode, part.samples) if len(part.samples) else b""
                    context.times.add(part)
                    if sound:
                        await self._send(context, self._sounding(context, sound))
                        sound = b""
            sound += await in_thread(encoder, encoder.finish)
            if sound:
                await self._send(context, self._sounding(context, sound))
            self._serving.metrics.count(200)
        except WebSocketDisconnect:
            return
        except Exception as error:  # noqa: BLE001 (whatever broke, the client is told and the others go on)
            answer = self._serving.failed(error)
            self._serving.metrics.count(answer.status)
            with suppress(WebSocketDisconnect):
                await self._send(context, {**answer.answer, "error": answer.message})

    def _sounding(self, context: _Context, sound: bytes) -> dict[str, Any]:
        times = context.times.taken()
        return {"audio": base64.b64encode(sound).decode(), "alignment": times, "normalizedAlignment": times}

    async def _send(self, context: _Context, message: dict[str, Any]) -> None:
        """WebSocketDisconnect when the client is gone."""
        if not self._single:
            message = {**message, "contextId": context.id}
        async with self._sending:
            try:
                await self._socket.send_text(json.dumps(message))
            except (*GONE, RuntimeError):  # the latter when another context has found that already
                self._gone = True
                raise WebSocketDisconnect from None
        if message.get("audio") is not None:
            context.last_sound = time.monotonic()

    async def _refuse(self, error: ApiError) -> None:
        self._serving.metrics.count(error.status)
        with suppress(*GONE, RuntimeError):
            await self._socket.send_text(json.dumps({**error.answer, "error": error.message, "message": error.message}))
            await self._socket.close(TRY_AGAIN if error.status in (429, 503) else POLICY_VIOLATION)


def _seconds(asked: str | None) -> float:
    try:
        return min(MOST_IDLE, max(LEAST_IDLE, float(asked or IDLE_SECONDS)))
    except ValueError:
        return IDLE_SECONDS


async def speak_over_socket(websocket: WebSocket, serving: Serving, voice_id: str, single: bool) -> None:
    """Serve one connection until either side ends it."""
    offered = websocket.scope.get("subprotocols", [])
    plain = [name for name in offered if not name.startswith(KEY_PROTOCOL)]
    await websocket.accept(subprotocol=next(iter([*plain, *offered]), None))
    try:
        await _Session(websocket, serving, voice_id, single).run()
    except (*GONE, RuntimeError, TimeoutError):
        return  # the client is gone, or takes nothing any more
