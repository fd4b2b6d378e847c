"""Names and fields of ElevenLabs' clients -> ours: output formats, voices, models, bodies."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from mlx_tts.audio.formats import FORMATS, AudioFormat, law_format
from mlx_tts.server import borrowed_names
from mlx_tts.server.answers import ApiError, bad_request
from mlx_tts.server.serving import Serving
from mlx_tts.server.speech_body import SpeechOrder, checked_order
from mlx_tts.shortened import shown

DEFAULT_FORMAT = "mp3_44100_128"
FORMAT = re.compile(r"(?P<codec>mp3|opus|pcm|wav|ulaw|alaw)_(?P<rate>\d{4,5})(?:_(?P<kilobits>\d{2,3}))?")
RATES = {
    "mp3": (22_050, 24_000, 44_100),
    "opus": (48_000,),
    "ulaw": (8_000,),
    "alaw": (8_000,),
    **dict.fromkeys(("pcm", "wav"), (8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000)),
}
KILOBITS = (32, 48, 64, 96, 128, 192)
OWN_MODELS = re.compile(r"eleven_\w{1,60}")
# What they call their own voices -> a name of the same sex: code that has one of them goes on.
PREMADE = {
    "21m00Tcm4TlvDq8ikWAM": "af_rachel", "EXAVITQu4vr4xnSDxMaL": "af_sarah", "9BWtsMINqrJLrRacOk9x": "af_aria",
    "FGY2WhTYpPnrIDTdsKH5": "af_laura", "XB0fDUnXU5powFXDhCwa": "bf_charlotte", "Xb7hH8MSUJpSbSDYk0k2": "bf_alice",
    "XrExE9yKIg1WjnnlVkGX": "af_matilda", "cgSgspJ2msm6clMCkdW9": "af_jessica", "pFZP5JQG7iQjIQuC4Bku": "bf_lily",
    "pNInz6obpgDQGcFmaJgB": "am_adam", "JBFqnCBsd6RMkjVDRZzb": "bm_george", "CwhRBWXzGAHq8TQ4Fs17": "am_roger",
    "IKne3meq5aSn9XLyUdCD": "bm_charlie", "N2lVS1w4EtoT3dr4eOWO": "am_callum", "TX3LPaxmHKxFdv7VOQHJ": "am_liam",
    "bIHbv24MWmeRgasZH58o": "am_will", "cjVigY5qzO86Huf0OWal": "am_eric", "iP95p4xoKVk53GoZ742B": "am_chris",
    "nPczCjzI2devNBz1zQrb": "am_brian", "onwK4e9ZLuTAKqWW03F9": "bm_daniel", "pqHfZKP75CvOlQylNhV4": "am_bill",
}  # fmt: skip


@dataclass(frozen=True)
class Output:
    """format: with the bit rate that was asked for. rate: samples a second of the answer."""

    format: AudioFormat
    rate: int


def output_of(name: str | None) -> Output:
    """ "mp3_44100_128", "pcm_16000", "ulaw_8000", ... ; the bit rate may be left out. ApiError 400 for others."""
    found = FORMAT.fullmatch(name or DEFAULT_FORMAT)
    kilobits = int(found["kilobits"]) if found and found["kilobits"] else None
    if found is None or int(found["rate"]) not in RATES[found["codec"]] or kilobits not in (None, *KILOBITS):
        raise bad_request(
            f"output_format is {shown(str(name), 40)}: use mp3_44100_128, pcm_24000, wav_24000, opus_48000_64, "
            "ulaw_8000 or another rate or bit rate of these",
            "output_format",
            "invalid_output_format",
        )
    codec, rate = found["codec"], int(found["rate"])
    format = law_format(codec) if codec in ("ulaw", "alaw") else FORMATS[codec]
    if kilobits is not None and codec in ("mp3", "opus"):
        bits = {"b": str(kilobits * 1000)}
        format = replace(format, codec_options=bits, stream_codec_options=bits)
    return Output(format, rate)


def model_of(name: Any) -> str | None:
    """Their own models mean the default one."""
    return None if not isinstance(name, str) or OWN_MODELS.fullmatch(name) else name


def voice_of(serving: Serving, voice_id: str) -> str | None:
    """One of their own voices is a preset of the same sex, or the model's only voice; any other id stays as it is."""
    stands_for = PREMADE.get(voice_id)
    if stands_for is None:
        return voice_id
    if serving.settings.strict_names:
        raise ApiError(404, f"no voice has the id {shown(voice_id)}", param="voice_id", code="voice_not_found")
    return borrowed_names.preset_for(stands_for, serving.pool.default.info.voices)


def order_of(serving: Serving, voice_id: str, body: dict[str, Any]) -> SpeechOrder:
    """The order in the body of a request; ApiError names the field that is wrong."""
    if not isinstance(body.get("text"), str):
        raise bad_request("text is missing: send it", "text", "missing_required_parameter")
    if not body["text"].strip():
        raise bad_request("text is blank: give some words to speak", "text")
    settings = body.get("voice_settings")
    if settings is not None and not isinstance(settings, dict):
        raise bad_request("voice_settings is not an object", "voice_settings")
    asked = {
        "input": body["text"],
        "voice": voice_of(serving, voice_id),
        "model": model_of(body.get("model_id")),
        "language": body.get("language_code"),
        "seed": body.get("seed"),
        "speed": (settings or {}).get("speed"),
    }
    return checked_order(asked, serving.settings.max_input)
