"""Samples that the page holds -> one file to keep, of any format of the table; some hold chapters and a cover.

The body is a 4-byte little-endian length, a JSON object of that length, then 16-bit samples, mono.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import shutil
import struct
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
from fastapi import Request
from fastapi.responses import FileResponse
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.types import Receive, Scope, Send

from mlx_tts.audio.encoder import BookInfo
from mlx_tts.audio.files import AudioWriter
from mlx_tts.audio.formats import FORMATS
from mlx_tts.errors import MlxTtsError
from mlx_tts.server.answers import SERVER, ApiError, bad_request
from mlx_tts.server.speech_body import has_too_many_values

HEAD_BYTES = 8 << 20
BLOCK_BYTES = 1 << 20  # a second of work for the slowest encoder
AT_ONCE = 2  # encoding takes a core
T = TypeVar("T")


class _Chapter(BaseModel):
    """start: its first sample."""

    title: str | None = Field(None, max_length=500)
    start: int = Field(ge=0)


class _Head(BaseModel):
    """What the file is to be. cover: a data: address of a JPEG or PNG picture."""

    model_config = ConfigDict(extra="ignore")

    format: Literal[tuple(FORMATS)]  # type: ignore[valid-type]  # the names of a table
    sample_rate: int = Field(ge=8_000, le=48_000)
    title: str = Field("Speech", max_length=500)
    author: str | None = Field(None, max_length=500)
    cover: str | None = None
    chapters: list[_Chapter] = Field(default_factory=list, max_length=5_000)


async def sound_file(request: Request, turns: asyncio.Semaphore) -> FileResponse:
    """POST /page/api/file. turns: how many are encoded side by side."""
    folder = Path(tempfile.mkdtemp(prefix="mlx-tts-"))
    try:
        path, head = await _encoded(request.stream(), folder, turns)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    media_type = FORMATS[head.format].media_type
    return _SentOnce(path, media_type=media_type, headers={"cache-control": "no-store"})


class _SentOnce(FileResponse):
    """A file in a folder of its own, which goes when the answer is over, however it ends."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            shutil.rmtree(Path(self.path).parent, ignore_errors=True)


async def _encoded(stream: AsyncIterator[bytes], folder: Path, turns: asyncio.Semaphore) -> tuple[Path, _Head]:
    waiting = bytearray()
    head: _Head | None = None
    writer: _Writer | None = None

    async def work(what: Callable[..., T], *arguments: Any) -> T:
        async with turns:  # held while something is encoded: a body that comes slowly keeps nobody from it
            return await asyncio.to_thread(what, *arguments)

    try:
        async for part in stream:
            waiting += part
            if head is None and (found := _read_head(waiting)) is not None:
                head = found
                path = folder / f"speech{FORMATS[head.format].ending}"
                writer = await work(_Writer, path, head)
            while writer is not None and len(waiting) >= BLOCK_BYTES:
                block = bytes(waiting[:BLOCK_BYTES])
                del waiting[:BLOCK_BYTES]
                await work(writer.write, block)
        if head is None or writer is None:
            raise bad_request("the body ends before its samples begin", code="invalid_body")
        await work(writer.write, bytes(waiting[: len(waiting) // 2 * 2]))
        path = await work(writer.finish)
        writer = None
        return path, head
    except MlxTtsError as error:
        raise ApiError(507, f"the file could not be made: {error}", kind=SERVER, code="storage_full") from None
    finally:
        if writer is not None:
            await work(writer.close)


def _read_head(data: bytearray) -> _Head | None:
    """The head, which leaves the data; None while it is not whole."""
    if len(data) < 4:
        return None
    (length,) = struct.unpack("<I", data[:4])
    if length > HEAD_BYTES:
        raise bad_request("the description of the file is too long", code="invalid_body")
    if len(data) < 4 + length:
        return None
    text = bytes(data[4 : 4 + length])
    try:
        if has_too_many_values(text):
            raise ValueError("it holds more than any file has")
        head = _Head.model_validate(json.loads(text))
    except (ValueError, ValidationError, RecursionError):
        raise bad_request("the description of the file cannot be read", code="invalid_body") from None
    del data[: 4 + length]
    return head


class _Writer:
    """Bytes of samples -> the sink of the file, which is told where each chapter begins."""

    def __init__(self, path: Path, head: _Head):
        titles = [chapter.title for chapter in head.chapters]
        book = BookInfo(head.title, head.author, _picture(head.cover), titles)
        self._sink = AudioWriter(path, head.sample_rate, book=book)
        self._starts = [0, *(chapter.start for chapter in head.chapters[1:])]
        self._written, self._chapter = 0, -1

    def write(self, data: bytes) -> None:
        samples = np.frombuffer(data, "<i2").astype(np.float32) / 32767.0
        while len(samples):
            while self._chapter + 1 < len(self._starts) and self._starts[self._chapter + 1] <= self._written:
                self._chapter += 1
                self._sink.begin_chapter(self._chapter)
            following = self._starts[self._chapter + 1] if self._chapter + 1 < len(self._starts) else None
            size = len(samples) if following is None else min(len(samples), following - self._written)
            self._sink.write(samples[:size])
            self._written, samples = self._written + size, samples[size:]

    def finish(self) -> Path:
        if not self._written:
            raise bad_request("there are no samples in the body", code="invalid_body")
        return self._sink.finish()

    def close(self) -> None:
        """Let go of a file that will not be finished."""
        self._sink.discard()


def _picture(address: str | None) -> bytes | None:
    if address is None or not address.startswith("data:image/"):
        return None
    try:
        return base64.b64decode(address.partition(",")[2], validate=True)
    except (binascii.Error, ValueError):
        return None
