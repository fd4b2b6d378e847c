"""Bytes of a Wyoming connection -> events, with limits on everything that a client may send."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from wyoming.event import Event

from mlx_tts.server.answers import bad_request

LINE_BYTES = 64 << 10
PART_BYTES = 1 << 20  # of what may follow a line


async def read_event(reader: asyncio.StreamReader) -> Event | None:
    """The next event, or None at the end; ApiError for one that is too large or no event at all.

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
        raise bad_request("a line is no event: send JSON with a type") from None
    except asyncio.IncompleteReadError:
        return None
    if not isinstance(kind, str) or not isinstance(data, dict):
        raise bad_request("an event is wrong: its type is text, its data an object")
    return Event(kind, data, payload)


def _length(head: dict[str, Any], name: str) -> int:
    length = head.get(name) or 0
    if not isinstance(length, int) or not 0 <= length <= PART_BYTES:
        raise bad_request(f"{name} is {length!r}: at most {PART_BYTES} bytes are read")
    return length


def text_of(event: Event) -> str:
    """The text of an event; ApiError where it has none."""
    text = event.data.get("text")
    if not isinstance(text, str):
        raise bad_request(f"{event.type} has no text")
    return text
