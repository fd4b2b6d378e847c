"""Arguments of Python's callers besides requests -> checked ones: recordings, codes, numbered requests, plain values.

RequestError names the value and what is allowed, the same for every family.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mlx_tts.errors import RequestError
from mlx_tts.generation.requests import short, whole_number
from mlx_tts.samples import Codes, Samples
from mlx_tts.speech import NumberedRequests, SpeechRequest

LEAST_RATE, MOST_RATE = 1000, 768_000
LARGEST_SAMPLE = 16.0  # recordings may clip a little; whole numbers that were only cast reach to 32,768
MOST_NUMBER = 1 << 63
MOST_CHUNK_FRAMES = (1 << 31) - 1  # an index of an array has 32 bits


def recording(samples: Any, sample_rate: Any, least_seconds: float, most_seconds: float) -> tuple[Samples, int]:
    """One channel of sound [N] in [-1, 1], float32, and its rate."""
    rate = whole_number("sample_rate", sample_rate, LEAST_RATE, MOST_RATE)
    array = _array(samples, "samples")
    if array.ndim != 1:
        raise RequestError(f"samples have shape {array.shape}: give one channel, [N]")
    if array.dtype.kind != "f":
        raise RequestError(f"samples are {array.dtype}: give numbers in [-1, 1] (int16 samples divided by 32768)")
    seconds = len(array) / rate
    if not least_seconds <= seconds <= most_seconds:
        raise RequestError(f"the recording is {seconds:.2f} s long; give {least_seconds:g} to {most_seconds:g} s")
    array = array.astype(np.float32)
    if not np.isfinite(array).all():
        raise RequestError("the recording has samples that are no numbers: record or export it again")
    if (peak := float(np.abs(array).max())) > LARGEST_SAMPLE:
        raise RequestError(f"samples reach to {peak:g}; they must be in [-1, 1]: divide int16 samples by 32768")
    return array, rate


def codes_of(value: Any, codebooks: int, size: int, name: str = "codes") -> Codes:
    """[frames, codebooks], each a row of a table of `size`: anything else would read memory behind it."""
    array = _array(value, name)
    if array.ndim != 2 or array.shape[1] != codebooks or not len(array):
        raise RequestError(f"{name} have shape {array.shape}; expected [frames, {codebooks}]")
    if array.dtype.kind not in "iu":
        raise RequestError(f"{name} are {array.dtype}; expected whole numbers")
    if array.min() < 0 or array.max() >= size:
        raise RequestError(f"{name} reach from {array.min()} to {array.max()}; allowed are 0 to {size - 1}")
    return array.astype(np.int32)


def chunks_of(chunk_frames: Any, left_context: Any) -> tuple[int | None, int]:
    """How codes are cut: frames of a chunk, or None for the exact result; frames read again before each."""
    if chunk_frames is not None:
        chunk_frames = whole_number("chunk_frames", chunk_frames, 1, MOST_CHUNK_FRAMES)
    return chunk_frames, whole_number("left_context", left_context, 0, MOST_CHUNK_FRAMES)


def flag(name: str, value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise RequestError(f"{name} is {short(value)}: give True or False")
    return bool(value)


def transcript_of(value: Any) -> str | None:
    """The words of a recording, or None."""
    if value is not None and not isinstance(value, str):
        raise RequestError(f"transcript is {short(value)}, a {type(value).__name__}: give the recording's words")
    if value is not None and not value.strip():
        raise RequestError("the transcript is empty: give the words of the recording, or leave it out")
    return value


def numbered(requests: Any) -> NumberedRequests:
    """Anything that gives (number, SpeechRequest) or None, as an iterator that checks each when it is asked for."""
    try:
        source = iter(requests)
    except TypeError:
        raise RequestError(f"requests is {short(requests)}: give an iterator of (number, SpeechRequest)") from None

    def checked() -> Iterator[tuple[int, SpeechRequest] | None]:
        for asked in source:
            if asked is not None:
                if not (isinstance(asked, tuple) and len(asked) == 2):
                    raise RequestError(f"a request is {short(asked)}: give (number, SpeechRequest), or None")
                asked = whole_number("a request's number", asked[0], 0, MOST_NUMBER), asked[1]
            yield asked

    return checked()


def _array(value: Any, name: str) -> np.ndarray:
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "iufb":
            raise ValueError(f"of {array.dtype}")
    except (TypeError, ValueError, OverflowError) as error:
        raise RequestError(f"{name} is {short(value)} ({short(str(error))}): give an array of numbers") from None
    return array
