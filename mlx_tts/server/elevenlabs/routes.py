"""ElevenLabs' HTTP paths: speech, with times of each character, and the lists of voices and models."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any

from fastapi import FastAPI, Request, Response, WebSocket
from fastapi.responses import StreamingResponse

from mlx_tts.library import catalog
from mlx_tts.narration.narrate import Spoken
from mlx_tts.server.answers import ApiError
from mlx_tts.server.elevenlabs.fields import Output, order_of, output_of, voice_of
from mlx_tts.server.elevenlabs.sockets import speak_over_socket
from mlx_tts.server.requests import client_of, counted_refusals, must_be_json
from mlx_tts.server.serving import Job, Serving
from mlx_tts.server.speech_body import read_object
from mlx_tts.server.streaming import SpeechAnswer
from mlx_tts.server.timed_speech import Characters, characters_of, job_parts, must_be_short
from mlx_tts.server.voice_ids import id_of
from mlx_tts.server.voices import known_names
from mlx_tts.shortened import shown
from mlx_tts.text.transcripts import language_code

PATH = "/v1/text-to-speech/{voice_id}"


def add_elevenlabs(app: FastAPI, serving: Serving) -> None:
    _add_speech(app, serving)
    _add_lists(app, serving)

    @app.websocket(f"{PATH}/stream-input")
    async def stream_input(websocket: WebSocket, voice_id: str) -> None:
        """ElevenLabs' socket of one text that is still being written."""
        await speak_over_socket(websocket, serving, voice_id, single=True)

    @app.websocket(f"{PATH}/multi-stream-input")
    async def multi_stream_input(websocket: WebSocket, voice_id: str) -> None:
        """The same for several texts, each a context with an id; LiveKit and Pipecat use it."""
        await speak_over_socket(websocket, serving, voice_id, single=False)


def _add_speech(app: FastAPI, serving: Serving) -> None:
    async def prepared(request: Request, voice_id: str, is_whole: bool = False) -> tuple[Job, Output]:
        """is_whole: whether the answer is one JSON object."""
        with counted_refusals(serving):
            must_be_json(request)
            output = output_of(request.query_params.get("output_format"))
            order = order_of(serving, voice_id, read_object(await request.body()))
            if is_whole:
                must_be_short(order, "text")
            return await serving.prepare(order), output

    @app.post(PATH)
    @app.post(f"{PATH}/stream")
    async def convert(request: Request, voice_id: str) -> Response:
        """Speak a text as ElevenLabs' clients ask for it: `text`, `model_id`, `language_code`, `seed`,
        `voice_settings` with `speed`, and `output_format` in the query."""
        job, output = await prepared(request, voice_id)
        return SpeechAnswer(serving, job, client_of(request), output.format, output.rate)

    @app.post(f"{PATH}/with-timestamps")
    async def with_timestamps(request: Request, voice_id: str) -> dict[str, Any]:
        """The same as JSON, with the time of each character."""
        job, output = await prepared(request, voice_id, is_whole=True)
        sound, times = [], _Times()
        async with aclosing(job_parts(serving, job, client_of(request), output.format, output.rate)) as parts:
            async for data, part in parts:
                if await request.is_disconnected():
                    break
                sound.append(data)
                times.add(part)
        return _timed(b"".join(sound), times.taken())

    @app.post(f"{PATH}/stream/with-timestamps")
    async def stream_with_timestamps(request: Request, voice_id: str) -> Response:
        """The same as it is made, a JSON object a line. The characters of a piece of the text come with its last sound;
        their times count from the beginning of all."""
        job, output = await prepared(request, voice_id)
        parts = job_parts(serving, job, client_of(request), output.format, output.rate)
        first = await anext(parts)  # what fails before it has a status of its own
        return StreamingResponse(_lines(parts, first), media_type="application/json")


async def _lines(
    parts: AsyncGenerator[tuple[bytes, Spoken | None], None], first: tuple[bytes, Spoken | None]
) -> AsyncIterator[bytes]:
    times = _Times()
    async with aclosing(parts):
        data, part = first
        while True:
            times.add(part)
            found = times.taken()
            if data or found is not None:
                yield json.dumps(_timed(data, found)).encode() + b"\n"
            try:
                data, part = await anext(parts)
            except StopAsyncIteration:
                return


class _Times:
    """The characters of the parts that came since they were last taken."""

    def __init__(self) -> None:
        self._found = Characters()
        self._end = 0.0

    def add(self, part: Spoken | None) -> None:
        if part is None or not part.marks:
            return
        piece = characters_of(part.piece.text, part.marks, max(self._end, part.marks[0].start))
        if self._end:
            self._found.add(" ", self._end, piece.starts[0] if piece.starts else self._end)
        for text, start, end in zip(piece.text, piece.starts, piece.ends, strict=True):
            self._found.add(text, start, end)
        self._end = piece.ends[-1] if piece.ends else self._end

    def taken(self) -> Characters | None:
        found, self._found = self._found, Characters()
        return found if found.text else None


def _timed(sound: bytes, times: Characters | None) -> dict[str, Any]:
    alignment = times and {
        "characters": times.text,
        "character_start_times_seconds": times.starts,
        "character_end_times_seconds": times.ends,
    }
    return {"audio_base64": base64.b64encode(sound).decode(), "alignment": alignment, "normalized_alignment": alignment}


def _add_lists(app: FastAPI, serving: Serving) -> None:
    @app.get("/v1/voices")
    async def voices() -> dict[str, Any]:
        """The voices as ElevenLabs lists them; an id is 20 letters and digits, and a name does as well."""
        return {"voices": _voices(serving)}

    @app.get("/v2/voices")
    async def found_voices(request: Request) -> dict[str, Any]:
        """The same, those whose name has the word `search` in it."""
        wanted = (request.query_params.get("search") or "").casefold()
        found = [voice for voice in _voices(serving) if wanted in voice["name"].casefold()]
        return {"voices": found, "has_more": False, "total_count": len(found), "next_page_token": None}

    @app.get("/v1/voices/{voice_id}")
    async def voice(voice_id: str) -> dict[str, Any]:
        """One of them, by its id or its name; one of ElevenLabs' own is the voice that speaks for it."""
        wanted = voice_of(serving, voice_id)
        for found in _voices(serving):
            if wanted in (found["voice_id"], found["name"]):
                return found
        raise ApiError(404, f"no voice has the id {shown(voice_id, 64)}", param="voice_id", code="voice_not_found")

    @app.get("/v1/user")
    async def user() -> dict[str, Any]:
        """What clients look at before they speak: there is no limit here."""
        return {"user_id": "local", "subscription": await subscription()}

    @app.get("/v1/user/subscription")
    async def subscription() -> dict[str, Any]:
        """The same alone."""
        return {"tier": "local", "status": "active", "character_count": 0, "character_limit": 1_000_000_000}


def _voices(serving: Serving) -> list[dict[str, Any]]:
    presets, own = catalog.presets(), {kept.name for kept in serving.shelf.voices()}
    listed = []
    for name in dict.fromkeys(known_names(serving.pool, serving.shelf)):
        about = presets.get(catalog.voice_key(name))
        labels = (
            {} if about is None else {"gender": "female" if about.sex == "woman" else "male", "accent": about.accent}
        )
        listed.append(
            {
                "voice_id": id_of(name),
                "name": name,
                "category": "cloned" if name in own else "premade",
                "labels": labels,
                "description": None if about is None else about.character,
                "preview_url": None,
                "settings": None,
            }
        )
    return listed


def models_of_elevenlabs(serving: Serving) -> list[dict[str, Any]]:
    """The served models as ElevenLabs lists them; the first is the default."""
    listed = []
    for model in serving.pool.models:
        found = [(name, language_code(name, "")) for name in model.info.languages]
        languages = [{"language_id": code, "name": name.capitalize()} for name, code in found if code is not None]
        listed.append(
            {
                "model_id": model.id,
                "name": model.id,
                "can_do_text_to_speech": True,
                "languages": languages or [{"language_id": "en", "name": "English"}],
            }
        )
    return listed
