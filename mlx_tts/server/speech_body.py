"""The JSON of POST /v1/audio/speech -> a SpeechOrder, every field checked; an error names the field."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from mlx_tts.errors import RequestError
from mlx_tts.job.settings import SpeechSettings
from mlx_tts.server.answers import bad_request
from mlx_tts.server.settings import JSON_NAMES
from mlx_tts.setting import (
    SettingError,
    choice,
    gathered,
    plain_text,
    read_text,
    setting,
    settings_in,
    switch,
    with_default,
)
from mlx_tts.text.normalise.lexicon import Lexicon, read_entry

MOST_VALUES = 200_000  # Python does nothing else while it parses them
MOST_CAST = 1_000_000  # characters: less than two seconds to read; a text of one request has fewer lines
OWN = ("stream_format", "marks", "plain", "cast", "lexicon")
# Of a request's own lexicon: how many entries, how long each of their texts, and which keys.
MOST_ENTRIES, ENTRY_CHARACTERS, ENTRY_KEYS = 100, 100, ("match", "say", "ipa", "language", "case", "voice")
HELP = {  # where the command line's own does not fit
    "model": "A name of `GET /v1/models`, or one of OpenAI's or Kokoro's, which means the default model.",
    "options": "Settings of the model's family: `{NAME: VALUE}`, or a list of NAME=VALUE.",
    "subtalker_temperature": "`temperature` of the code predictor, for Qwen3-TTS.",
    "subtalker_top_k": "`top_k` of the code predictor, for Qwen3-TTS.",
    "subtalker_top_p": "`top_p` of the code predictor, for Qwen3-TTS.",
    "voice": 'A name of `GET /v1/audio/voices`, or `{"id": NAME}`.',
}
SETTINGS = {JSON_NAMES.get(name, name): name for name, known in settings_in(SpeechSettings).items() if not known.local}


def _read_cast(value: Any) -> str:
    text = plain_text(value)
    if len(text) > MOST_CAST:
        raise ValueError(f"give at most {MOST_CAST:,} characters")
    return text


def _read_entries(value: Any) -> Lexicon:
    """Entries as lexicon.toml has them, but no patterns, which may look for long. They are read on the event loop, so
    there are few."""
    if isinstance(value, Lexicon):
        return value
    if not isinstance(value, list) or len(value) > MOST_ENTRIES:
        raise ValueError(f'give a list of at most {MOST_ENTRIES} entries such as {{"match": "GIF", "say": "jif"}}')
    for number, entry in enumerate(value, 1):
        if not isinstance(entry, dict):
            continue  # read_entry says what it should be
        if not set(entry) <= set(ENTRY_KEYS):
            raise ValueError(f"entry {number} may have {', '.join(ENTRY_KEYS)} only")
        texts = [plain_text(text) for text in entry.values() if isinstance(text, str)]
        if max(map(len, texts), default=0) > ENTRY_CHARACTERS:
            raise ValueError(f"entry {number} has a text of more than {ENTRY_CHARACTERS} characters")
        if not entry.get("say", entry.get("ipa", True)):
            raise ValueError(f"entry {number} says nothing: give some words")
    try:
        return Lexicon(read_entry(entry, f"entry {number}") for number, entry in enumerate(value, 1))
    except RequestError as error:
        raise ValueError(str(error)) from None


@dataclass(frozen=True)
class SpeechOrder(SpeechSettings):
    """What a client asks for. Unknown fields are ignored: clients send those of other servers.

    marks: with sse, events that say when each sentence and word is spoken. plain: the input is words alone, in which no
    Markdown or HTML is looked for. cast: the text of a cast file, which says who speaks what of the input. lexicon: the
    client's own entries, which come before the server's.
    """

    input: str = ""
    format: str = with_default(SpeechSettings, "format", "mp3")
    stream_format: str = choice("audio", ("audio", "sse"), "Bytes of sound, or events with them.")
    marks: bool = switch(False, "Events that say when each sentence and word is spoken.")
    plain: bool = switch(False, "The input is plain words: neither Markdown nor HTML is looked for.")
    cast: str | None = setting(
        None, "Who speaks which words of the input: the text of a file that `mlx-tts cast` wrote.", _read_cast
    )
    lexicon: Lexicon | None = setting(
        None,
        'How to say words of this text: a list of `{"match": WORD, "say": WORDS}`, with `"ipa"` in place of `"say"` '
        "for a pronunciation. `language`, `voice` and `case` are those of lexicon.toml. The server's own come behind.",
        _read_entries,
        metavar="ENTRIES",
    )


def body_schema() -> dict[str, Any]:
    """The JSON schema of the body: every field with what it means, its limits and its default."""
    defaults = SpeechOrder()
    properties: dict[str, Any] = {"input": {"type": "string", "description": "The text to speak."}}
    for name, known in settings_in(SpeechOrder).items():
        if known.local:
            continue
        default = _default(defaults, name)
        help = HELP.get(name, known.help)
        said = f"false: {known.help[0].lower()}{known.help[1:]}" if known.is_switch and default else help
        field: dict[str, Any] = {"description": f"{said} ({known.limits})" if known.limits else said}
        if known.is_switch:
            field["type"] = "boolean"
        elif "|" in known.metavar and known.metavar.islower():
            field["enum"] = known.metavar.split("|")
        elif name == "lexicon":
            field |= {"type": "array", "maxItems": MOST_ENTRIES, "items": {"type": "object"}}
        if default not in (None, ()):
            field["default"] = default
        properties[JSON_NAMES.get(name, name)] = field
    return {"type": "object", "required": ["input"], "properties": properties}


def _default(group: Any, name: str) -> Any:
    """Of a field of this dataclass or of one in it; None where it has none of its own."""
    if hasattr(group, name):
        return getattr(group, name)
    nested = (getattr(group, entry.name) for entry in fields(group))
    return next((found for one in nested if is_dataclass(one) and (found := _default(one, name)) is not None), None)


def has_too_many_values(body: bytes) -> bool:
    """Whether JSON would hold Python for long. Commas of texts count as well."""
    return sum(body.count(sign) for sign in (b"{", b"[", b",")) > MOST_VALUES


def read_order(body: bytes, max_input: int) -> SpeechOrder:
    """The order in a body; ApiError 400 with the name of the wrong field."""
    return checked_order(read_object(body), max_input)


def read_object(body: bytes) -> dict[str, Any]:
    """The JSON object in a body; ApiError 400 where there is none."""
    if has_too_many_values(body):
        raise bad_request(
            "the body has too many values: send an object with input, model and voice", code="invalid_json"
        )
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise bad_request(
            "the body is not JSON: send an object with input, model and voice", code="invalid_json"
        ) from None
    if not isinstance(data, dict):
        raise bad_request("the body is not a JSON object: send one with input, model and voice", code="invalid_json")
    return data


def checked_order(data: dict[str, Any], max_input: int) -> SpeechOrder:
    """The same from an object that was parsed already."""
    if data.get("input") is None:
        raise bad_request("input is missing: send it", "input", "missing_required_parameter")
    asked = {SETTINGS.get(name, name): value for name, value in data.items() if name in SETTINGS or name in OWN}
    voice = asked.get("voice")
    if isinstance(voice, dict):  # {"id": name} is a name too
        asked["voice"] = voice.get("id", voice)
    try:
        order = gathered(SpeechOrder, asked, input=read_text("input", data["input"]))
        order.check()
    except SettingError as error:
        name = JSON_NAMES.get(error.name, error.name)
        raise bad_request(error.said(name), name, "invalid_value") from None
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
    if order.lexicon is not None and _grown(order.input, order.lexicon) > max_input:
        raise bad_request(
            f"with lexicon the input is longer than {max_input} characters: send less", "lexicon", "invalid_value"
        )
    return order


def _grown(text: str, lexicon: Lexicon) -> int:
    """How many characters the entries may put into a text, at most."""
    folded = text.casefold()
    return sum(
        folded.count(entry.match.casefold()) * max(len(entry.say), len(entry.pronunciation))
        for entry in lexicon.entries
    )
