"""A recording -> how it looks and what is wrong with it, before a voice is made of it. Nothing of it is kept."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
from fastapi import Request

from mlx_tts.errors import AudioError
from mlx_tts.samples import Samples
from mlx_tts.server.answers import ApiError, bad_request
from mlx_tts.server.uploads import RATE, SAMPLE_BYTES, decode_recording

BARS = 240  # as many as a narrow drawing has room for


async def checked_sample(request: Request) -> dict[str, Any]:
    """POST /page/api/sample with the recording as the body; ?transcript=1 where one will come with it."""
    data = await request.body()
    if len(data) > SAMPLE_BYTES:
        raise ApiError(413, "the recording has more than 10 MiB: send less", code="body_too_large")
    whole = request.query_params.get("transcript") == "1"
    return await asyncio.to_thread(_report, data, whole)


def _report(data: bytes, whole: bool) -> dict[str, Any]:
    from mlx_tts.audio.reference.prepare import prepare_sample

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
