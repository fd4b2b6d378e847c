"""WS /v1/realtime: the part of OpenAI's Realtime protocol that turns a text into speech, word for word.

Programs that follow OpenAI send each sentence as a response of its own. Nothing here answers, listens or rewords: a
response speaks the text of the last message. Events: https://platform.openai.com/docs/api-reference/realtime
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
from collections import OrderedDict
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import numpy as np
from fastapi import WebSocket, WebSocketDisconnect

from mlx_tts.audio.formats import FORMATS, AudioFormat, law_format
from mlx_tts.server.answers import ApiError, bad_request, busy, not_ready
from mlx_tts.server.pace import Pace
from mlx_tts.server.security import KEY_PROTOCOL
from mlx_tts.server.serving import Job, Serving
from mlx_tts.server.speech_body import SpeechOrder, checked_order
from mlx_tts.server.streaming import SpeechEncoder
from mlx_tts.server.timed_speech import timed_speech
from mlx_tts.shortened import shown

IDLE_SECONDS = 600.0  # people think before they write the next sentence
MOST_RESPONSES = 8  # at once, on one connection
MOST_ITEMS = 256  # that are remembered; the oldest go
DELTA_BYTES = 24_000  # of sound in one event
POLICY_VIOLATION, TRY_AGAIN = 1008, 1013
GONE = (WebSocketDisconnect, OSError, RuntimeError)
TEXTS = ("input_text", "text", "output_text")
# Instructions such as: Read this aloud word for word: "Hello."
QUOTED = re.compile(r"\b(?:read|say|speak|repeat)\b[^\"“]{0,300}[\"“](?P<text>[^\"”]+)[\"”]", re.IGNORECASE)
FORMATS_HERE: dict[str, tuple[AudioFormat, int]] = {
    "audio/pcm": (FORMATS["pcm"], 24_000),
    "audio/pcmu": (law_format("ulaw"), 8_000),
    "audio/pcma": (law_format("alaw"), 8_000),
}
SESSION = {
    "type": "realtime",
    "object": "realtime.session",
    "output_modalities": ["audio"],
    "instructions": "",
    "audio": {
        "input": {"format": {"type": "audio/pcm", "rate": 24_000}, "turn_detection": None},
        "output": {"format": {"type": "audio/pcm", "rate": 24_000}, "voice": None, "speed": 1.0},
    },
}


@dataclass(eq=False)
class _Response:
    """alone: outside of the conversation. metadata: the client's, given back as it is."""

    id: str
    job: Job
    format: AudioFormat
    rate: int
    alone: bool
    metadata: Any
    item_id: str = field(default_factory=lambda: _new_id("item"))
    said: list[str] = field(default_factory=list)

    @property
    def transcript(self) -> str:
        return " ".join(self.said)

    def item(self, status: str) -> dict[str, Any]:
        content = [{"type": "output_audio", "transcript": self.transcript}] if status != "in_progress" else []
        return _message(self.item_id, "assistant", content, status)

    def told(self, status: str, usage: dict[str, Any] | None = None) -> dict[str, Any]:
        output = [] if status == "in_progress" else [self.item("completed" if status == "completed" else "incomplete")]
        return {
            "object": "realtime.response", "id": self.id, "status": status, "status_details": None, "output": output,
            "output_modalities": ["audio"], "metadata": self.metadata, "usage": usage,
        }  # fmt: skip


class _RealtimeSession:
    def __init__(self, websocket: WebSocket, serving: Serving):
        self._socket, self._serving = websocket, serving
        self._client = websocket.client.host if websocket.client is not None else "unknown"
        self._model = websocket.query_params.get("model")
        self._session: dict[str, Any] = json.loads(json.dumps(SESSION)) | {"id": _new_id("sess"), "model": self._model}
        self._items: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._running: dict[_Response, asyncio.Task[None]] = {}
        self._sending = asyncio.Lock()
        self._pace = Pace(serving.is_speaking)

    async def run(self) -> None:
        try:
            if self._serving.draining:
                raise not_ready("the server is being stopped", 5)
            await self._send("session.created", session=self._shown())  # or what is wrong with the address
            while True:
                await self._take(await self._received())
                await asyncio.sleep(self._pace.wait_seconds())
        except TimeoutError:
            await self._refuse(bad_request("nothing was sent for too long", code="session_expired"))
        except ApiError as error:
            await self._refuse(error)
        finally:
            tasks = list(self._running.values())
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _received(self) -> str | bytes:
        while True:
            try:
                async with asyncio.timeout(IDLE_SECONDS):
                    message = await self._socket.receive()
            except TimeoutError:
                if not self._running:
                    raise
                continue
            if message["type"] == "websocket.disconnect":
                raise WebSocketDisconnect(message.get("code", 1000))
            return message.get("text") or message.get("bytes") or ""

    async def _take(self, text: str | bytes) -> None:
        """Do what an event says. What is wrong with it is told, and the session goes on."""
        event: Any = None
        try:
            with suppress(ValueError, RecursionError):
                event = json.loads(text)
            if not isinstance(event, dict) or not isinstance(event.get("type"), str):
                raise bad_request('an event is not a JSON object with a "type"', "type", "invalid_event")
            await self._handle(event["type"], event)
        except ApiError as error:
            self._serving.metrics.count(error.status)
            own_id = event.get("event_id") if isinstance(event, dict) else None
            await self._send("error", error={**error.body["error"], "event_id": own_id})

    async def _handle(self, kind: str, event: dict[str, Any]) -> None:
        if kind == "session.update":
            self._update(_object(event, "session"))
            await self._send("session.updated", session=self._shown())
        elif kind == "conversation.item.create":
            await self._add(_object(event, "item"), event.get("previous_item_id"))
        elif kind in ("conversation.item.delete", "conversation.item.retrieve", "conversation.item.truncate"):
            await self._item_event(kind.rpartition(".")[2], event)
        elif kind == "response.create":
            await self._respond(_object(event, "response", {}))
        elif kind == "response.cancel":
            self._cancel(event.get("response_id"))
        elif kind == "input_audio_buffer.append":
            return  # clients send the microphone without end
        elif kind in ("input_audio_buffer.clear", "output_audio_buffer.clear"):
            await self._send(f"{kind}ed")
        elif kind == "input_audio_buffer.commit":
            raise bad_request("this server speaks and does not listen: send text", code="input_audio_not_supported")
        else:
            raise bad_request(f"unknown event type {shown(kind, 64)}", "type", "unknown_event")

    def _update(self, asked: dict[str, Any]) -> None:
        """ApiError for what cannot be spoken; the session is then as it was."""
        if "audio" not in (asked.get("output_modalities") or ["audio"]):
            raise bad_request('only sound is given here: output_modalities is ["audio"]', "session.output_modalities")
        output = _output(asked)
        self._order({"session": asked})
        _format(output)
        kept = self._session["audio"]["output"]
        kept.update({name: output[name] for name in ("format", "voice", "speed") if output.get(name) is not None})
        for name in ("instructions", "language", "seed"):
            if asked.get(name) is not None:
                self._session[name] = asked[name]

    def _shown(self) -> dict[str, Any]:
        """The session with the voice that speaks, also where the client has named none; ApiError where none can."""
        voice = self._serving.request(self._order({}))[1].voice
        audio = self._session["audio"]
        name = audio["output"]["voice"] or (voice if isinstance(voice, str) else getattr(voice, "name", None))
        return {**self._session, "audio": {**audio, "output": {**audio["output"], "voice": name}}}

    def _order(self, asked: dict[str, Any], text: str = "...") -> SpeechOrder:
        """What a text is spoken with: of the response, else of a session that is asked for, else of the session."""
        parts = [asked.get("response") or {}, asked.get("session") or {}, self._session]

        def first(name: str) -> Any:
            return next((part[name] for part in parts if part.get(name) not in (None, "")), None)

        outputs = [_output(part) for part in parts]
        voice, speed = (
            next((own[name] for own in outputs if own.get(name) is not None), None) for name in ("voice", "speed")
        )
        order = checked_order(
            {
                "input": text, "model": self._known_model(), "voice": voice, "speed": speed, "seed": first("seed"),
                "instructions": first("instructions"), "language": first("language"), "response_format": "pcm",
            },
            self._serving.settings.max_input,
        )  # fmt: skip
        self._serving.request(order)
        return order

    def _known_model(self) -> str | None:
        """The address's model; names of OpenAI's realtime models mean the default one."""
        if self._model is None or self._serving.settings.strict_names:
            return self._model
        with suppress(ApiError):
            return self._serving.pool.find(self._model).id
        return None

    async def _add(self, item: dict[str, Any], previous: Any) -> None:
        if item.get("type", "message") != "message":
            raise bad_request("only messages are kept here", "item.type")
        most = self._serving.settings.max_input
        text = _text_of(item, most)
        given = item.get("id")
        name = given[:100] if isinstance(given, str) and given else _new_id("item")
        role = str(item.get("role", "user"))[:32]
        before = previous if previous in self._items else next(reversed(self._items), None)
        before = None if previous == "root" else before
        content = [{"type": "output_text" if role == "assistant" else "input_text", "text": text}]
        made = self._items[name] = _message(name, role, content, "completed")
        if previous == "root":
            self._items.move_to_end(name, last=False)
        while len(self._items) > MOST_ITEMS or sum(_length(one) for one in self._items.values()) > most:
            self._items.popitem(last=False)
        await self._send("conversation.item.added", previous_item_id=before, item=made)
        await self._send("conversation.item.done", previous_item_id=before, item=made)

    async def _item_event(self, done: str, event: dict[str, Any]) -> None:
        name = event.get("item_id")
        if not isinstance(name, str) or name not in self._items:
            raise bad_request(
                f"there is no item {shown(str(name), 100)} here", "item_id", f"item_{done}_invalid_item_id"
            )
        if done == "delete":
            del self._items[name]
            await self._send("conversation.item.deleted", item_id=name)
        elif done == "retrieve":
            await self._send("conversation.item.retrieved", item=self._items[name])
        else:
            cut = {"content_index": event.get("content_index", 0), "audio_end_ms": event.get("audio_end_ms", 0)}
            await self._send("conversation.item.truncated", item_id=name, **cut)

    async def _respond(self, asked: dict[str, Any]) -> None:
        alone = asked.get("conversation") == "none"
        if not alone and any(not other.alone for other in self._running):
            message = 'a response is being spoken: wait for response.done, or ask with conversation "none"'
            raise bad_request(message, code="conversation_already_has_active_response")
        if len(self._running) >= MOST_RESPONSES:
            raise busy(f"{MOST_RESPONSES} responses are being spoken on this connection: wait for one", 1)
        if "audio" not in (asked.get("output_modalities") or ["audio"]):
            raise bad_request('only sound is given here: output_modalities is ["audio"]', "response.output_modalities")
        text = self._text(asked)
        order = self._order({"response": asked}, text)
        format, rate = _format({**self._session["audio"]["output"], **_output(asked)})
        job = await self._serving.prepare(order)
        response = _Response(_new_id("resp"), job, format, rate, alone, asked.get("metadata"))
        task = self._running[response] = asyncio.create_task(self._speak(response))
        task.add_done_callback(lambda _task: self._running.pop(response, None))

    def _text(self, asked: dict[str, Any]) -> str:
        """What a response speaks: the last message of its own input, else what the user said last, else a quotation in
        its instructions."""
        most = self._serving.settings.max_input
        items = [item for item in asked.get("input") or [] if isinstance(item, dict)]
        if not items:
            items = [item for item in self._items.values() if item["role"] == "user"]
        for item in reversed(items):
            if found := _text_of(self._items.get(str(item.get("id")), item), most):
                return found
        quoted = QUOTED.search(str(asked.get("instructions") or "")[:most])
        if quoted is None:
            raise bad_request("there is nothing to speak: send a message with input_text first", "response.input")
        return quoted["text"]

    async def _speak(self, response: _Response) -> None:
        status = "failed"
        with suppress(*GONE):
            try:
                await self._begin(response)
                await self._sound(response)
                status = "completed"
                self._serving.metrics.count(200)
            except asyncio.CancelledError:
                status = "cancelled"
                self._serving.metrics.cancelled.inc()
            except GONE as error:
                if not isinstance(error, RuntimeError) or "send" in str(error):
                    self._serving.metrics.cancelled.inc()
                    return
                await self._fail(error)
            except Exception as error:  # noqa: BLE001 (whatever broke, the client is told and the session goes on)
                await self._fail(error)
            await self._end(response, status)

    async def _begin(self, response: _Response) -> None:
        await self._send("response.created", response=response.told("in_progress"))
        where = {"response_id": response.id, "output_index": 0}
        await self._send("response.output_item.added", **where, item=response.item("in_progress"))
        if not response.alone:
            before = next(reversed(self._items), None)
            await self._send("conversation.item.added", previous_item_id=before, item=response.item("in_progress"))
        await self._say(response, "content_part.added", part={"type": "audio", "transcript": ""})

    async def _sound(self, response: _Response) -> None:
        """The sound as it is made; the words of a piece come just before its first sound."""
        rate = response.job.model.info.sample_rate
        encoder = SpeechEncoder(response.format, rate, response.job.order.loudness, response.rate)
        piece = -1
        async with aclosing(timed_speech(self._serving, response.job, self._client, encoder)) as parts:
            async for sound, part in parts:
                if part is not None and part.piece.number != piece and np.any(part.samples):
                    piece = part.piece.number
                    delta = part.piece.text if not response.said else f" {part.piece.text}"
                    response.said.append(part.piece.text)
                    await self._say(response, "output_audio_transcript.delta", delta=delta)
                for at in range(0, len(sound), DELTA_BYTES):
                    delta = base64.b64encode(sound[at : at + DELTA_BYTES]).decode()
                    await self._say(response, "output_audio.delta", delta=delta)

    async def _end(self, response: _Response, status: str) -> None:
        await self._say(response, "output_audio.done")
        await self._say(response, "output_audio_transcript.done", transcript=response.transcript)
        part = {"type": "audio", "transcript": response.transcript}
        await self._say(response, "content_part.done", part=part)
        item = response.item("completed" if status == "completed" else "incomplete")
        await self._send("response.output_item.done", response_id=response.id, output_index=0, item=item)
        if not response.alone:
            self._items[response.item_id] = item
            await self._send("conversation.item.done", previous_item_id=None, item=item)
        words = len(response.job.order.input.split())
        usage: dict[str, Any] = {"total_tokens": words, "input_tokens": words, "output_tokens": 0}
        usage |= {"input_token_details": {"text_tokens": words}, "output_token_details": {"audio_tokens": 0}}
        self._running.pop(response, None)  # the client may ask for the next one when it reads this
        await self._send("response.done", response=response.told(status, usage))

    async def _fail(self, error: BaseException) -> None:
        answer = self._serving.failed(error)
        self._serving.metrics.count(answer.status)
        await self._send("error", error={**answer.body["error"], "event_id": None})

    def _cancel(self, name: Any) -> None:
        """ApiError where nothing is spoken, or not the response of this name."""
        wanted = [one for one in self._running if (one.id == name if name is not None else not one.alone)]
        if not wanted:
            raise bad_request("no response is being spoken", "response_id", "response_cancel_not_active")
        for response in wanted:
            self._running[response].cancel()

    async def _say(self, response: _Response, kind: str, **fields: Any) -> None:
        where = {"response_id": response.id, "item_id": response.item_id, "output_index": 0, "content_index": 0}
        await self._send(f"response.{kind}", **where, **fields)

    async def _send(self, kind: str, **fields: Any) -> None:
        async with self._sending:
            await self._socket.send_text(json.dumps({"type": kind, "event_id": _new_id("event"), **fields}))

    async def _refuse(self, error: ApiError) -> None:
        self._serving.metrics.count(error.status)
        with suppress(*GONE):
            await self._send("error", error={**error.body["error"], "event_id": None})
            await self._socket.close(TRY_AGAIN if error.status in (429, 503) else POLICY_VIOLATION)


def _new_id(kind: str) -> str:
    return f"{kind}_{uuid4().hex[:20]}"


def _message(name: str, role: str, content: list[Any], status: str) -> dict[str, Any]:
    kind = {"id": name, "object": "realtime.item", "type": "message"}
    return {**kind, "status": status, "role": role, "content": content}


def _length(item: dict[str, Any]) -> int:
    """Characters of a message that is kept."""
    return sum(len(part.get("text") or part.get("transcript") or "") for part in item["content"])


def _object(event: dict[str, Any], name: str, default: dict[str, Any] | None = None) -> dict[str, Any]:
    found = event.get(name, default)
    if not isinstance(found, dict):
        raise bad_request(f"{event['type']} has no {name}", name, "missing_required_parameter")
    return found


def _output(asked: dict[str, Any]) -> dict[str, Any]:
    """audio.output of a session or a response; empty where there is none."""
    audio = asked.get("audio")
    output = audio.get("output") if isinstance(audio, dict) else None
    return {name: value for name, value in output.items() if value is not None} if isinstance(output, dict) else {}


def _format(output: dict[str, Any]) -> tuple[AudioFormat, int]:
    """The format and the samples a second of it; ApiError for others."""
    asked = output.get("format")
    kind = asked.get("type") if isinstance(asked, dict) else asked
    found = FORMATS_HERE.get(str(kind or "audio/pcm"))
    if found is None:
        names = ", ".join(FORMATS_HERE)
        raise bad_request(f"the format is {shown(str(kind), 40)}: use {names}", "audio.output.format", "invalid_value")
    return found


def _text_of(item: dict[str, Any], most: int) -> str:
    """The words of a message; ApiError where they are too many or not words."""
    content = item.get("content")
    if not isinstance(content, list | None):
        raise bad_request("the content of a message is a list of parts", "item.content")
    parts = [part for part in content or [] if isinstance(part, dict) and part.get("type") in TEXTS]
    texts = [part.get("text") for part in parts]
    if not all(isinstance(text, str) for text in texts):
        raise bad_request("a part of a message has no text", "item.content")
    said = " ".join(text for text in texts if isinstance(text, str)).strip()
    if len(said) > most:
        raise bad_request(f"the text has more than {most} characters: send less", "item.content")
    return said


async def speak_over_realtime(websocket: WebSocket, serving: Serving) -> None:
    """Serve one connection until either side ends it."""
    offered = websocket.scope.get("subprotocols", [])
    plain = [name for name in offered if not name.startswith(KEY_PROTOCOL)]
    await websocket.accept(subprotocol=next(iter([*plain, *offered]), None))
    with suppress(*GONE, TimeoutError):  # the client is gone, or takes nothing any more
        await _RealtimeSession(websocket, serving).run()
