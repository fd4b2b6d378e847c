"""Kokoro-FastAPI's captioned speech: the sound with the time of each word, at once or line by line as it is made."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

from mlx_tts.audio.formats import FORMATS
from mlx_tts.narration.narrate import Spoken
from mlx_tts.server.requests import client_of, counted_refusals, must_be_json
from mlx_tts.server.serving import Serving
from mlx_tts.server.speech_body import checked_order, read_object
from mlx_tts.server.timed_speech import job_parts, must_be_short

Parts = AsyncGenerator[tuple[bytes, Spoken | None], None]


def add_captions(app: FastAPI, serving: Serving) -> None:
    @app.post("/dev/captioned_speech")
    async def captioned_speech(request: Request) -> Response:
        """Speech with the time of each word, as Kokoro-FastAPI's clients ask for it: the fields of `/v1/audio/speech`,
        `stream` (true: a JSON object a line) and `return_timestamps`. Words come with the last sound of their piece."""
        with counted_refusals(serving):
            must_be_json(request)
            body = read_object(await request.body())
            order = checked_order({**body, "stream_format": None, "marks": None}, serving.settings.max_input)
            if body.get("stream") is False:
                must_be_short(order, "input")
            job = await serving.prepare(order)
        format = FORMATS[order.format]
        parts = job_parts(serving, job, client_of(request), format, order.rate)
        wanted = body.get("return_timestamps") is not False
        first = await anext(parts)  # what fails before it has a status of its own
        if body.get("stream") is not False:
            return StreamingResponse(_lines(parts, first, format.media_type, wanted), media_type="application/json")
        sound, words = [first[0]], _words(first[1])
        async with aclosing(parts):
            async for data, part in parts:
                sound.append(data)
                words += _words(part)
                if await request.is_disconnected():
                    break
        return JSONResponse(_captioned(b"".join(sound), format.media_type, words if wanted else None))


async def _lines(parts: Parts, first: tuple[bytes, Spoken | None], kind: str, wanted: bool) -> AsyncIterator[bytes]:
    words = _words(first[1])
    async with aclosing(parts):
        data = first[0]
        while True:
            if data:  # words without sound wait for the next line
                yield json.dumps(_captioned(data, kind, words if wanted else None)).encode() + b"\n"
                words = []
            try:
                data, part = await anext(parts)
            except StopAsyncIteration:
                return
            words += _words(part)


def _words(part: Spoken | None) -> list[dict[str, Any]]:
    return [
        {"word": mark.text, "start_time": round(mark.start, 3), "end_time": round(mark.end, 3)}
        for mark in (part.marks if part is not None else ())
        if mark.level == "word"
    ]


def _captioned(sound: bytes, kind: str, words: list[dict[str, Any]] | None) -> dict[str, Any]:
    return {"audio": base64.b64encode(sound).decode(), "audio_format": kind, "timestamps": words}
