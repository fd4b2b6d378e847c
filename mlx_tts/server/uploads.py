"""A recording from a client -> a kept voice. Its container is read by FFmpeg, its length is counted, not believed."""

from __future__ import annotations

import asyncio
import io
from typing import Any

import numpy as np
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException
from starlette.requests import Request

from mlx_tts.errors import AudioError, MlxTtsError, RequestError
from mlx_tts.library import catalog
from mlx_tts.samples import Samples
from mlx_tts.server.answers import SERVER, ApiError, bad_request
from mlx_tts.server.model_pool import ServedModel
from mlx_tts.server.serving import Serving
from mlx_tts.server.voices import check_name

SAMPLE_BYTES = 10 << 20
RATE = 24_000
LEAST_SECONDS, MOST_SECONDS = 0.5, 60.0
MOST_WORDS = 2400  # characters of a transcript: nobody says more in a minute, and all of it is part of each prompt
SILENCE_PEAK = 1e-3


async def upload_voice(request: Request, serving: Serving) -> dict[str, Any]:
    """POST /v1/audio/voices."""
    if request.headers.get("content-type", "").partition(";")[0].strip().casefold() != "multipart/form-data":
        raise ApiError(415, "send the voice as multipart/form-data", code="unsupported_media_type")
    try:
        form = await request.form(max_files=1, max_fields=16, max_part_size=64 << 10)
    except MultiPartException as error:
        raise bad_request(f"the form cannot be read: {error.message}") from None
    try:
        model = _cloning_model(serving, _field(form.get("model")))
        name = check_name(form.get("name"), serving.pool, serving.shelf)
        if not (_field(form.get("consent")) or "").strip():
            raise bad_request("consent is missing: say that the speaker agrees, or name the agreement", "consent")
        transcript = _field(form.get("transcript")) or _field(form.get("ref_text"))
        if len(transcript or "") > MOST_WORDS:
            raise bad_request(
                f"transcript has more than {MOST_WORDS:,} characters: send the words of the recording", "transcript"
            )
        sample = form.get("audio_sample")
        if not isinstance(sample, UploadFile):
            raise bad_request("audio_sample is missing: send a recording", "audio_sample")
        data = await sample.read(SAMPLE_BYTES + 1)
    finally:
        await form.close()
    if len(data) > SAMPLE_BYTES:
        raise ApiError(413, "audio_sample has more than 10 MiB: send less", param="audio_sample", code="body_too_large")
    samples = await asyncio.to_thread(decode_recording, data)
    return await _keep(serving, model, name, samples, transcript)


async def _keep(
    serving: Serving, model: ServedModel, name: str, samples: Samples, transcript: str | None
) -> dict[str, Any]:
    from dataclasses import replace

    words = (transcript or "").strip() or None
    samples = await asyncio.to_thread(prepared, samples, words)
    async with serving.pool.use(model) as tts:
        try:
            voice = await asyncio.to_thread(tts.voice, samples, RATE, words)
        except RequestError as error:
            raise bad_request(str(error), "audio_sample") from None
    try:
        kept = await asyncio.to_thread(serving.shelf.upload, replace(voice, name=name), model.spec.lasting_name)
    except MlxTtsError as error:
        raise ApiError(507, f"the voice could not be kept: {error}", kind=SERVER, code="storage_full") from None
    return {
        "id": kept.id,
        "object": "audio.voice",
        "name": kept.name,
        "created_at": kept.created_at,
        "type": "audio_sample",
    }


def _cloning_model(serving: Serving, name: str | None) -> ServedModel:
    """The named model, else the first that can clone; ApiError 400 where none can."""
    models = [serving.pool.find(name)] if name else serving.pool.models
    model = next((model for model in models if model.info.can.clones), None)
    if model is None:
        who = f"the model {models[0].id}" if name else "no served model"
        raise bad_request(
            f"{who} can clone voices: start the server with a model that does, such as --model {catalog.a_cloner()}"
            if not name
            else f"{who} cannot clone voices: name one that does",
            "model",
            "model_cannot_clone",
        )
    return model


def _field(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def prepared(samples: Samples, transcript: str | None) -> Samples:
    """Trimmed and levelled as `mlx-tts voice make` does it, with silence behind where the model reads it in context."""
    from mlx_tts.audio.reference import prepare_sample

    sample = prepare_sample(samples, RATE, whole=transcript is not None)
    return sample.samples if transcript is None else sample.in_context()[: round(MOST_SECONDS * RATE)]


def decode_recording(data: bytes) -> Samples:
    """A recording's bytes -> samples [N] at 24 kHz; ApiError 400 for what is not a recording of a voice."""
    from mlx_tts.audio.files import CANNOT_BE_READ, decode, fault_of_numbers

    try:
        samples = decode(io.BytesIO(data), RATE, MOST_SECONDS)
    except AudioError as error:
        known = ": send wav, mp3, ogg, aac, flac, webm or mp4" if str(error) == CANNOT_BE_READ else ""
        raise bad_request(f"audio_sample {error}{known}", "audio_sample") from None
    seconds = len(samples) / RATE
    if seconds < LEAST_SECONDS:
        raise bad_request(f"audio_sample has {seconds:.2f} s, a voice needs {LEAST_SECONDS} s at least", "audio_sample")
    if fault := fault_of_numbers(samples):
        raise bad_request(f"audio_sample {fault}", "audio_sample")
    if np.abs(samples).max() < SILENCE_PEAK:
        raise bad_request("audio_sample is silent: record it again, louder", "audio_sample")
    return samples
