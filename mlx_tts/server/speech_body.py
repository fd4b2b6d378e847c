"""The JSON of POST /v1/audio/speech -> a SpeechOrder, every field checked; an error names the field."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from mlx_tts.audio.formats import STREAMED
from mlx_tts.server.answers import ApiError, bad_request

MODEL_NAMES_OF_OPENAI = ("tts-1", "tts-1-hd", "gpt-4o-mini-tts")
VOICES_OF_OPENAI = (
    *("alloy", "ash", "ballad", "coral", "echo", "fable", "onyx", "nova", "sage", "shimmer", "verse"),
    *("marin", "cedar"),
)
MOST_SEED = (1 << 63) - 1
LEAST_LUFS, MOST_LUFS = -40.0, -5.0


class SpeechOrder(BaseModel):
    """What a client asks for. Unknown fields are ignored: clients send those of other servers."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)

    input: str
    model: str | None = None
    voice: str | None = None
    instructions: str | None = None
    response_format: Literal[STREAMED] = "mp3"  # type: ignore[valid-type]  # the names of a table
    speed: float = Field(1.0, ge=0.25, le=4.0, allow_inf_nan=False)
    stream_format: Literal["audio", "sse"] = "audio"
    seed: int | None = Field(None, ge=0, le=MOST_SEED)
    language: str | None = None
    temperature: float | None = Field(None, ge=0.0, le=5.0, allow_inf_nan=False)
    loudness: float | Literal["off"] | None = None
    marks: bool = False  # with sse: events that say when each sentence and word is spoken
    plain: bool = False  # input is words alone: no Markdown or HTML is looked for

    @field_validator("voice", mode="before")
    @classmethod
    def _name_of_voice(cls, voice: Any) -> Any:
        """`{"id": name}` is a name too."""
        return voice.get("id", voice) if isinstance(voice, dict) else voice

    @field_validator("loudness")
    @classmethod
    def _lufs(cls, value: float | str | None) -> float | str | None:
        """None: peaks above -1 dBTP alone are turned down."""
        if isinstance(value, float) and not LEAST_LUFS <= value <= MOST_LUFS:
            raise ValueError(f"give {LEAST_LUFS:g} to {MOST_LUFS:g} LUFS, or off")
        return value

    @field_validator("response_format", "speed", "stream_format", "marks", mode="before")
    @classmethod
    def _null_is_the_default(cls, value: Any, info: Any) -> Any:
        """Clients that have no wish send null."""
        return cls.model_fields[info.field_name].default if value is None else value


def read_order(body: bytes, max_input: int) -> SpeechOrder:
    """The order in a body; ApiError 400 with the name of the wrong field."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise bad_request(
            "the body is not JSON: send an object with input, model and voice", code="invalid_json"
        ) from None
    if not isinstance(data, dict):
        raise bad_request("the body is no JSON object: send one with input, model and voice", code="invalid_json")
    return checked_order(data, max_input)


def checked_order(data: dict[str, Any], max_input: int) -> SpeechOrder:
    """The same from an object that was parsed already."""
    try:
        order = SpeechOrder.model_validate(data)
    except ValidationError as error:
        raise _first_error(error) from None
    if order.marks and order.stream_format != "sse":
        raise bad_request("marks come as events: set stream_format to sse, or leave marks out", "marks")
    if not order.input.strip():
        raise bad_request("input is blank: give some words to speak", "input")
    if len(order.input) > max_input:
        raise bad_request(
            f"input has {len(order.input)} characters, at most {max_input} are spoken in one request: send less",
            "input",
            "string_above_max_length",
        )
    return order


def _first_error(error: ValidationError) -> ApiError:
    first = error.errors(include_url=False, include_context=False)[0]
    param = str(first["loc"][0]) if first["loc"] else None
    if first["type"] == "missing":
        return bad_request(f"{param} is missing: send it", param, "missing_required_parameter")
    shown = repr(first.get("input"))
    shown = shown if len(shown) <= 60 else f"{shown[:60]}..."
    message = first["msg"][:1].lower() + first["msg"][1:]
    return bad_request(f"{param} is {shown}: {message}", param, "invalid_value")
