"""What every family checks of a request alike: types, numbers, text. Errors name the value and what is allowed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from numbers import Integral, Real
from typing import Any

from mlx_tts.errors import RequestError
from mlx_tts.speech import SpeechRequest

MOST_RETRIES = 20
MOST_FRAMES = 10_000_000


def checked_fields(request: Any) -> dict[str, Any]:
    """The fields of a request by name: text and instruction cleaned, numbers plain; RequestError for wrong ones."""
    if not isinstance(request, SpeechRequest):
        raise RequestError(f"a {type(request).__name__} was given: give a text or a SpeechRequest")
    own = {entry.name: getattr(request, entry.name) for entry in fields(SpeechRequest)}
    own["text"] = printable(_string("text", own["text"]))
    if not own["text"]:
        raise RequestError("there is no text to speak: give some words")
    _string("language", own["language"])
    if own["instruct"] is not None:
        own["instruct"] = printable(_string("instruct", own["instruct"])) or None
    _check_choices(own)
    if own["seed"] is not None:
        own["seed"] = whole_number("seed", own["seed"], 0)
    if own["max_frames"] is not None:
        own["max_frames"] = whole_number("max_frames", own["max_frames"], 1, MOST_FRAMES)
    _check_growing(own["growing"])
    _check_unfinished(own["unfinished"])
    if own["id"] is not None:
        _string("id", own["id"])
    if not isinstance(own["more"], bool):
        raise RequestError(f"more is {short(own['more'])}: give True or False")
    own["retries"] = whole_number("retries", own["retries"], 0, MOST_RETRIES)
    options = own["options"]
    if options is not None and not (isinstance(options, Mapping) and all(isinstance(name, str) for name in options)):
        raise RequestError(f"options is {short(options)}: give a mapping of names to values")
    return own


def _check_choices(own: Mapping[str, Any]) -> None:
    for name in ("stream_text", "guard"):
        if own[name] is not None and not isinstance(own[name], bool):
            raise RequestError(f"{name} is {short(own[name])}: give True, False or None")


def _check_growing(growing: Any) -> None:
    if growing is not None and not all(hasattr(growing, name) for name in ("text", "complete", "wait")):
        raise RequestError(f"growing is {short(growing)}: give an object with text, complete and wait")


def _check_unfinished(unfinished: Any) -> None:
    if unfinished is not None and not all(hasattr(unfinished, name) for name in ("read", "write")):
        raise RequestError(f"unfinished is {short(unfinished)}: give an object with read and write")


def printable(text: str) -> str:
    """Text without what no tokenizer can read: NULs and lone surrogates go, outer white space too."""
    return "".join(c for c in text if c != "\0" and not 0xD800 <= ord(c) <= 0xDFFF).strip()


def short(value: Any) -> str:
    """A value as an error line shows it."""
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:60]}..."


def _string(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise RequestError(f"{name} is {short(value)}, a {type(value).__name__}: give a string")
    return value


def number_in(name: str, value: Any, whole: bool = False) -> float:
    """A plain number from what may be numpy's; RequestError where it is none."""
    wanted = Integral if whole else Real
    if isinstance(value, bool) or not isinstance(value, wanted):
        raise RequestError(f"{name} is {short(value)}: give a {'whole ' if whole else ''}number")
    try:
        return int(value) if whole else float(value)  # type: ignore[call-overload, no-any-return]
    except OverflowError:
        raise RequestError(f"{name} is {short(value)}: that is too large") from None


def whole_number(name: str, value: Any, least: int, most: int | None = None) -> int:
    """A whole number within limits."""
    number = int(number_in(name, value, whole=True))
    if number < least or (most is not None and number > most):
        limits = f"from {least} to {most}" if most is not None and number > most else f"at least {least}"
        raise RequestError(f"{name} is {short(number)}; it must be {limits}")
    return number
