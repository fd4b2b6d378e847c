"""A file that was dropped on the page -> its chapters; a recording -> how it looks and what is wrong with it."""

from __future__ import annotations

import asyncio
import base64
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

import numpy as np
from fastapi import Request
from fastapi.responses import StreamingResponse

from mlx_tts.errors import AudioError, RequestError
from mlx_tts.files.child import can_start
from mlx_tts.samples import Samples
from mlx_tts.server.answers import ApiError, bad_request
from mlx_tts.server.serving import Serving
from mlx_tts.server.uploads import RATE, SAMPLE_BYTES, decode_recording
from mlx_tts.text.cutting.pace import expected_seconds
from mlx_tts.text.source.blocks import NO_ASIDES, Document
from mlx_tts.text.source.documents import read_document
from mlx_tts.text.source.parsers import parse_file

COVER_BYTES = 4 << 20
PICTURES = {b"\xff\xd8\xff": "image/jpeg", b"\x89PNG\r\n\x1a\n": "image/png"}
BARS = 240  # as many as a narrow drawing has room for
HERE_BYTES = 30_000  # more is read by another process, which no other client waits for
AT_ONCE = (
    50_000  # characters that are looked at or made JSON in one go: milliseconds, in which Python does nothing else
)


async def read_dropped(request: Request, serving: Serving) -> StreamingResponse:
    """POST /page/api/document?name=NAME with the file as the body."""
    name = _plain_name(request.query_params.get("name", ""))
    with tempfile.TemporaryDirectory(prefix="mlx-tts-") as folder:
        path = Path(folder) / f"document{PurePosixPath(name).suffix.lower()}"
        with path.open("wb") as file:
            async for part in request.stream():
                file.write(part)
        try:
            document = await asyncio.to_thread(_read, path)
        except RequestError as error:
            raise bad_request(str(error).replace(str(path), name), "document", "unreadable_document") from None
    size = sum(len(chapter.text) for chapter in document.chapters)
    described = await serving.read_text(size, _described, document, name)
    return StreamingResponse(_json_of(described), media_type="application/json")


def _read(path: Path) -> Document:
    if path.stat().st_size <= HERE_BYTES or not can_start():
        return read_document(path)
    return parse_file(path, "", NO_ASIDES, for_page=True)


def _json_of(described: dict[str, Any]) -> Iterator[bytes]:
    """The JSON of `_described`, a part of a long text, or some chapters, at a time."""
    together = bytearray()
    for part in _small_parts(described):
        together += part
        if len(together) >= AT_ONCE:
            yield bytes(together)
            together.clear()
    yield bytes(together)


def _small_parts(described: dict[str, Any]) -> Iterator[bytes]:
    *head, (_, chapters) = described.items()
    yield json.dumps(dict(head))[:-1].encode() + b', "chapters": ['
    for number, chapter in enumerate(chapters):
        *fields, (_, text) = chapter.items()
        yield (", " if number else "").encode() + json.dumps(dict(fields))[:-1].encode() + b', "text": "'
        for part in _parts(text):
            yield json.dumps(part)[1:-1].encode()
        yield b'"}'
    yield b"]}"


def _plain_name(sent: str) -> str:
    """The last part of a name, for messages; its ending says what kind of file it is."""
    name = PurePosixPath(unquote(sent).replace("\\", "/")).name
    name = "".join(character for character in name if character.isprintable())[-100:]
    return name or "document.txt"


def _described(document: Document, name: str) -> dict[str, Any]:
    chapters = [chapter for chapter in document.chapters if chapter.text.strip()]
    return {
        "name": name,
        "title": document.title or PurePosixPath(name).stem,
        "author": document.author,
        "language": document.language,
        "cover": _picture(document.cover),
        "left_out": list(document.left_out),
        "chapters": [
            {
                "title": chapter.title,
                "plain": chapter.plain,
                "seconds": round(sum(map(expected_seconds, _parts(chapter.text))), 1),
                "text": chapter.text,  # the last: see _json_of
            }
            for chapter in chapters
        ],
    }


def _parts(text: str) -> Iterator[str]:
    return (text[at : at + AT_ONCE] for at in range(0, len(text), AT_ONCE))


def _picture(data: bytes | None) -> str | None:
    """As a data: address, which the page shows and sends back for an audiobook."""
    if data is None or len(data) > COVER_BYTES:
        return None
    kind = next((kind for begins, kind in PICTURES.items() if data.startswith(begins)), None)
    return None if kind is None else f"data:{kind};base64,{base64.b64encode(data).decode()}"


async def checked_sample(request: Request) -> dict[str, Any]:
    """POST /page/api/sample with the recording as the body; ?transcript=1 where one will come with it."""
    data = await request.body()
    if len(data) > SAMPLE_BYTES:
        raise ApiError(413, "the recording has more than 10 MiB: send less", code="body_too_large")
    whole = request.query_params.get("transcript") == "1"
    return await asyncio.to_thread(_report, data, whole)


def _report(data: bytes, whole: bool) -> dict[str, Any]:
    from mlx_tts.audio.reference import prepare_sample

    try:
        samples = decode_recording(data)
        prepared = prepare_sample(samples, RATE, whole=whole)
    except ApiError as error:
        raise bad_request(error.message.replace("audio_sample", "the recording", 1), "audio_sample") from None
    except AudioError as error:
        raise bad_request(str(error), "audio_sample") from None
    return {
        "seconds": round(len(samples) / RATE, 2),
        "used_seconds": round(prepared.seconds, 2),
        "steps": list(prepared.steps),
        "warnings": list(prepared.warnings),
        "bars": _bars(samples),
    }


def _bars(samples: Samples) -> list[float]:
    """The highest level of each part of the recording, 1 for the highest of all."""
    parts = np.array_split(np.abs(samples), BARS)
    highest = float(np.abs(samples).max()) or 1.0
    return [round(float(part.max(initial=0.0)) / highest, 3) for part in parts]
