"""What every family checks alike of requests and of Python's other arguments: types, numbers, text, recordings, codes.

RequestError names the value and what is allowed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields
from math import isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np

from mlx_tts.errors import RequestError
from mlx_tts.generation.seeds import fresh_seed
from mlx_tts.samples import Codes, Samples
from mlx_tts.shortened import did_you_mean, listed, shown
from mlx_tts.speech import FamilyOption, NumberedRequests, Sampling, SpeechRequest, Voice

AGAIN = "make it again with this model"
MOST_RETRIES = 20
MOST_FRAMES = 10_000_000
LEAST_RATE, MOST_RATE = 1000, 768_000
LARGEST_SAMPLE = 16.0  # recordings may clip a little; whole numbers that were only cast reach to 32,768
MOST_NUMBER = 1 << 63
MOST_CHUNK_FRAMES = (1 << 31) - 1  # an index of an array has 32 bits


def checked_fields(request: Any) -> dict[str, Any]:
    """The fields of a request by name: text and instruction cleaned, numbers plain, a seed in any case; RequestError
    for wrong ones."""
    if not isinstance(request, SpeechRequest):
        raise RequestError(f"a {type(request).__name__} was given: give a text or a SpeechRequest")
    own = {entry.name: getattr(request, entry.name) for entry in fields(SpeechRequest)}
    own["text"] = printable(_string("text", own["text"]))
    if not own["text"]:
        raise RequestError("there is no text to speak: give some words")
    _string("language", own["language"])
    if own["instruct"] is not None:
        own["instruct"] = printable(_string("instruct", own["instruct"])) or None
    own["seed"] = fresh_seed() if own["seed"] is None else whole_number("seed", own["seed"], 0)
    if own["max_frames"] is not None:
        own["max_frames"] = whole_number("max_frames", own["max_frames"], 1, MOST_FRAMES)
    if own["id"] is not None:
        _string("id", own["id"])
    own["more"] = flag("more", own["more"])
    _check_optional(own)
    own["retries"] = whole_number("retries", own["retries"], 0, MOST_RETRIES)
    options = own["options"]
    if options is not None and not (isinstance(options, Mapping) and all(isinstance(name, str) for name in options)):
        raise RequestError(f"options is {shown(options)}: give a mapping of names to values")
    return own


def _check_optional(own: dict[str, Any]) -> None:
    for name in ("stream_text", "guard"):
        if own[name] is not None:
            own[name] = flag(name, own[name], "True, False or None")
    for name, members in (("growing", ("text", "complete", "wait")), ("unfinished", ("read", "write"))):
        if own[name] is not None and not all(hasattr(own[name], member) for member in members):
            raise RequestError(f"{name} is {shown(own[name])}: give an object with {', '.join(members)}")


def known_options(options: Mapping[str, Any] | None, known: Sequence[FamilyOption]) -> dict[str, Any]:
    """The options that have a value; RequestError for one that the model does not have."""
    given = {name: value for name, value in (options or {}).items() if value is not None}
    names = [option.name for option in known]
    if unknown := sorted(set(given) - set(names)):
        raise RequestError(f"unknown option {shown(unknown[0])}: there are {', '.join(names)}")
    return given


def sampling_of(value: Any, allowed: Collection[str], instead: str) -> Sampling:
    """The settings of sampling; RequestError for one that is not allowed, which says what the model has instead."""
    if value is None:
        return Sampling()
    if not isinstance(value, Sampling):
        raise RequestError(f"sampling is a {type(value).__name__}: give a Sampling")
    for name, setting in vars(value).items():
        if setting is not None and name not in allowed:
            raise RequestError(f"{name} is not one of this model's settings: it has {instead}")
    return value


def preset_voice(voice: Any, voices: Sequence[str], numbered: bool = False) -> str | None:
    """A model's own voice as the model spells it, the first where none was asked for, None where there is none.
    numbered: voices may be called by their numbers as well. RequestError names the nearest and the first of them."""
    if voice is None:
        return voices[0] if voices else None
    if not isinstance(voice, str):
        raise RequestError(f"voice is a {type(voice).__name__}: give a name, of {listed(voices)}")
    by_name = {name.lower(): name for name in voices}
    if numbered:
        by_name = {str(number): name for number, name in enumerate(voices)} | by_name
    key = voice.lower()
    if key not in by_name:
        known = listed(voices, rest=": `mlx-tts voices` lists all")
        raise RequestError(f"unknown voice {shown(voice, 40)}: {did_you_mean(key, by_name)}this model has {known}")
    return by_name[key]


def saved_voice(voice: Any, family: str) -> Voice:
    """A voice of this family, or of none; RequestError for anything else."""
    if not isinstance(voice, Voice):
        raise RequestError(f"voice is a {type(voice).__name__}: give a Voice, from `voice()` or a voice file")
    if voice.family not in (None, family):
        raise RequestError(f"the voice was made with another family of models ({shown(voice.family)}): {AGAIN}")
    return voice


def check_transcript(voice: Voice) -> None:
    """RequestError for a voice without the words of its recording."""
    if not isinstance(voice.transcript, str) or not printable(voice.transcript):
        raise RequestError(f"the voice's transcript is {shown(voice.transcript)}: give the words of its recording")


def printable(text: str) -> str:
    """Text without what no tokenizer can read: NULs and lone surrogates go, outer white space too."""
    return "".join(c for c in text if c != "\0" and not 0xD800 <= ord(c) <= 0xDFFF).strip()


def _string(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise RequestError(f"{name} is {shown(value)}, a {type(value).__name__}: give a string")
    return value


def number_in(name: str, value: Any, whole: bool = False) -> float:
    """A plain number from what may be numpy's; RequestError where it is none."""
    wanted = Integral if whole else Real
    if isinstance(value, bool) or not isinstance(value, wanted):
        raise RequestError(f"{name} is {shown(value)}: give a {'whole ' if whole else ''}number")
    try:
        return int(value) if whole else float(value)  # type: ignore[call-overload, no-any-return]
    except OverflowError:
        raise RequestError(f"{name} is {shown(value)}: that is too large") from None


def number_within(name: str, value: Any, least: float, most: float) -> float:
    """A number within limits."""
    number = number_in(name, value)
    if not isfinite(number) or not least <= number <= most:
        raise RequestError(f"{name} is {number:g}; it must be from {least:g} to {most:g}")
    return number


def whole_number(name: str, value: Any, least: int, most: int | None = None) -> int:
    """A whole number within limits."""
    number = int(number_in(name, value, whole=True))
    if number < least or (most is not None and number > most):
        limits = f"from {least} to {most}" if most is not None and number > most else f"at least {least}"
        raise RequestError(f"{name} is {shown(number)}; it must be {limits}")
    return number


def recording(samples: Any, sample_rate: Any, least_seconds: float, most_seconds: float) -> tuple[Samples, int]:
    """One channel of sound [N] in [-1, 1], float32, and its rate."""
    rate = whole_number("sample_rate", sample_rate, LEAST_RATE, MOST_RATE)
    array = array_of(samples, "samples")
    if array.ndim != 1:
        raise RequestError(f"samples have shape {array.shape}: give one channel, [N]")
    if array.dtype.kind != "f":
        raise RequestError(f"samples are {array.dtype}: give numbers in [-1, 1] (int16 samples divided by 32768)")
    seconds = len(array) / rate
    if not least_seconds <= seconds <= most_seconds:
        raise RequestError(f"the recording is {seconds:.2f} s long; give {least_seconds:g} to {most_seconds:g} s")
    array = array.astype(np.float32)
    if not np.isfinite(array).all():
        raise RequestError("the recording has samples that are not numbers: record or export it again")
    if (peak := float(np.abs(array).max())) > LARGEST_SAMPLE:
        raise RequestError(f"samples reach to {peak:g}; they must be in [-1, 1]: divide int16 samples by 32768")
    return array, rate


def codes_of(value: Any, codebooks: int, size: int, name: str = "codes") -> Codes:
    """[frames, codebooks], each a row of a table of `size`: anything else would read memory behind it."""
    array = array_of(value, name)
    if array.ndim != 2 or array.shape[1] != codebooks or not len(array):
        raise RequestError(f"{name} have shape {array.shape}; expected [frames, {codebooks}]")
    if array.dtype.kind not in "iu":
        raise RequestError(f"{name} are {array.dtype}; expected whole numbers")
    if array.min() < 0 or array.max() >= size:
        raise RequestError(f"{name} reach from {array.min()} to {array.max()}; allowed are 0 to {size - 1}")
    return array.astype(np.int32)


def voice_codes(voice: Voice, codebooks: int, size: int) -> Codes:
    """The reference codes of a voice, as `codes_of` checks them."""
    try:
        return codes_of(voice.reference_codes, codebooks, size, "reference codes")
    except RequestError as error:
        raise RequestError(f"the voice's {error}: {AGAIN}") from None


def chunks_of(chunk_frames: Any, left_context: Any) -> tuple[int | None, int]:
    """How codes are cut: frames of a chunk, or None for the exact result; frames read again before each."""
    if chunk_frames is not None:
        chunk_frames = whole_number("chunk_frames", chunk_frames, 1, MOST_CHUNK_FRAMES)
    return chunk_frames, whole_number("left_context", left_context, 0, MOST_CHUNK_FRAMES)


def flag(name: str, value: Any, allowed: str = "True or False") -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise RequestError(f"{name} is {shown(value)}: give {allowed}")
    return bool(value)


def transcript_of(value: Any) -> str | None:
    """The words of a recording, or None."""
    if value is not None and not isinstance(value, str):
        raise RequestError(f"transcript is {shown(value)}, a {type(value).__name__}: give the recording's words")
    if value is not None and not value.strip():
        raise RequestError("the transcript is empty: give the words of the recording, or leave it out")
    return value


def numbered(requests: Any) -> NumberedRequests:
    """Anything that gives (number, SpeechRequest) or None, as an iterator that checks each when it is asked for."""
    try:
        source = iter(requests)
    except TypeError:
        raise RequestError(f"requests is {shown(requests)}: give an iterator of (number, SpeechRequest)") from None

    def checked() -> Iterator[tuple[int, SpeechRequest] | None]:
        for asked in source:
            if asked is not None:
                if not (isinstance(asked, tuple) and len(asked) == 2):
                    raise RequestError(f"a request is {shown(asked)}: give (number, SpeechRequest), or None")
                asked = whole_number("a request's number", asked[0], 0, MOST_NUMBER), asked[1]
            yield asked

    return checked()


def array_of(value: Any, name: str) -> np.ndarray:
    """An array of numbers, of any shape; RequestError for anything else."""
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "iufb":
            raise ValueError(f"of {array.dtype}")
    except (TypeError, ValueError, OverflowError) as error:
        raise RequestError(f"{name} is {shown(value)} ({shown(str(error))}): give an array of numbers") from None
    return array
