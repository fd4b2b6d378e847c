"""What a model tells of a take that it made, in; whether the words of the take are those of its text, out.

No recogniser listens. Where it is known which heads of a model look at the text that is being spoken, their path shows
words left out, said twice or in another order, and speech that has lost its place. And what a model samples rightly
surprises it no more than its own entropy says: more surprise means another distribution than the model's own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from mlx_tts.generation.synthesizer import Row
from mlx_tts.text.cutting.pace import expected_seconds

Floats = NDArray[np.float32]

LEAST_FRAMES = 12  # shorter speech says too little
MOST_EXCESS, SURE = 0.35, 5.0  # surprise beyond the entropy: nats a frame, and times its own standard deviation
NEAR = 3  # ids next to the path that still are its place; a run of signs counts as one
LOST_SECONDS = 0.5  # of looking elsewhere
LOOK_BACK = 1.5  # ids that ordinary speech looks back
WORD_LETTERS = 3
# Of texts of few words, such as headings, one glance elsewhere is a large share of a take, so the limits of `near` and
# `looked_back` are wider. There the blur is judged in place of the spread: a word that is wrong is hidden in the mean.
SHORT_WORDS, SHORT_NEAR, SHORT_LOOKED_BACK = 6, 0.78, 0.5
SLIGHTLY = 1.1  # times the limits of spread and blur
SHORT_BLUR = 0.2  # nats beyond the limit of the spread
BREATH_SECONDS = 1.0  # of a take, before its pace counts
LONGEST_ABBREVIATION = 5
FLOOR = 1e-4  # so that one frame that looks elsewhere forbids no path


@dataclass(frozen=True)
class Following:
    """How speech goes through its text, and what good speech keeps to. The defaults are for heads whose good takes
    nobody has measured: they blame only what no head that follows words would do.

    near: the share of the attention that is near the path, in the half second where it is least. spread: of where a
    frame looks in the text, in nats, on average. blur: the same, in the half second where it is largest. looked_back:
    ids a frame by which the heads look behind what was reached. word_frames: the attention that a word of some letters
    gets at least. pace: seconds beyond a breath, in times of what the text takes at an ordinary pace.
    """

    near: float = 0.5
    spread: float = 100.0
    blur: float = 100.0
    looked_back: float = 0.05
    word_frames: float = 0.4
    pace: float = 100.0


ANY_HEADS = Following()


@dataclass(frozen=True)
class TextAttention:
    """seen [T, N]: the share of its attention that each frame gives to each id of the text. words of the text, and the
    first id of each. limits: what good speech of these heads keeps to. crowding: ids of the text, in times of
    those that its letters alone have; more than 1 where some words are phones. signs: for each of the N ids, whether it
    is of punctuation or a space; empty where that is not known."""

    seen: Floats
    words: tuple[str, ...]
    begins: tuple[int, ...]
    limits: Following = ANY_HEADS
    crowding: float = 1.0
    signs: tuple[bool, ...] = ()


@dataclass(frozen=True)
class Surprises:
    """Of each of T surprises. surprise: minus the logarithm of the probability that the model itself gave to what was
    sampled; entropy: the surprise that is expected; variance: that of the surprise."""

    surprise: Floats
    entropy: Floats
    variance: Floats


@dataclass(frozen=True)
class TakeSigns:
    """None: not known."""

    surprises: Surprises | None = None
    attention: TextAttention | None = None


@runtime_checkable
class TellsOfTakes(Protocol):
    """A Synthesizer that knows more of a finished take than its frames; others leave this out."""

    def signs(self, row: Row, frames: NDArray[Any]) -> TakeSigns:
        """Of all frames [T, ...] that a row has made."""
        ...

    def look(self, row: Row, frames: NDArray[Any]) -> None:
        """Send ahead to the device what `signs` will wait for, of the same frames."""
        ...


def misspoken(signs: TakeSigns, frame_rate: float) -> str | None:
    """Why the words of a take are surely not those of its text, for people; None where there is no sign of it."""
    strayed = None if signs.attention is None else how_it_strayed(signs.attention, frame_rate)
    return strayed or ("spoke unclearly" if signs.surprises is not None and is_unclear(signs.surprises) else None)


def is_unclear(surprises: Surprises) -> bool:
    """Whether what was sampled surprises the model more than chance explains."""
    T = len(surprises.surprise)
    excess = np.sum(surprises.surprise - surprises.entropy, dtype=np.float64)
    spread = np.sqrt(np.sum(surprises.variance, dtype=np.float64) + 1)
    return bool(T >= LEAST_FRAMES and excess > MOST_EXCESS * T and excess > SURE * spread)


def how_it_strayed(attention: TextAttention, frame_rate: float) -> str | None:
    """What is wrong with how the speech went through its text."""
    if not attention.words or len(attention.seen) < LEAST_FRAMES:
        return None
    is_short = len(attention.words) <= SHORT_WORDS
    limits = _of_short_text(attention.limits) if is_short else attention.limits
    found, limits = how_it_followed(attention, frame_rate), _of_crowded_text(limits, attention.crowding)
    if found.near < limits.near:
        return "lost its place in the text"
    if found.looked_back > limits.looked_back:
        return "said words twice or in another order"
    if found.word_frames < limits.word_frames:
        return "left out words of the text"
    if found.pace > limits.pace:
        return "spoke far too slowly"
    is_blurred = found.spread > limits.spread or found.blur > limits.blur
    return "did not follow the text" if is_blurred else None


def barely_strayed(signs: TakeSigns, frame_rate: float) -> bool:
    """Whether a take that `misspoken` blames only looked about a little more than good ones do."""
    if signs.attention is None:
        return False
    wider = replace(signs.attention, limits=_wider(signs.attention.limits))
    return misspoken(replace(signs, attention=wider), frame_rate) is None


def _wider(limits: Following) -> Following:
    return replace(limits, spread=limits.spread * SLIGHTLY, blur=limits.blur * SLIGHTLY)


def _of_crowded_text(limits: Following, crowding: float) -> Following:
    """Limits are measured on letters. Phones are more ids for the same sound, so the same look is spread over more."""
    return replace(
        limits,
        near=limits.near / crowding,
        spread=limits.spread + math.log(crowding),
        blur=limits.blur + math.log(crowding),
        looked_back=limits.looked_back * crowding,
    )


def _of_short_text(limits: Following) -> Following:
    """What good speech of a text of few words keeps to. Limits are measured on sentences."""
    return replace(
        limits,
        near=limits.near * SHORT_NEAR,
        spread=math.inf,
        blur=limits.spread + SHORT_BLUR,
        looked_back=limits.looked_back + SHORT_LOOKED_BACK,
    )


def how_it_followed(attention: TextAttention, frame_rate: float) -> Following:
    """Measured on the frames [T] of a take that has words."""
    seen = _signs_joined(attention)
    T, N = seen.shape
    path = monotonic_path(seen)
    shares = seen / np.maximum(seen.sum(axis=1, keepdims=True), FLOOR)
    near = np.where(np.abs(np.arange(N) - path[:, None]) <= NEAR, shares, 0).sum(axis=1)
    window = min(T, round(LOST_SECONDS * frame_rate))
    evenly = np.full(window, 1 / window)
    spread = -(shares * np.log(shares + FLOOR)).sum(axis=1)
    looked_at = (shares * np.arange(N)).sum(axis=1)
    back = np.maximum(np.maximum.accumulate(path) - looked_at - LOOK_BACK, 0)
    ends = (*attention.begins[1:], attention.seen.shape[1])
    frames = [
        float(attention.seen[:, begin:end].sum())
        for word, begin, end in zip(attention.words, attention.begins, ends, strict=True)
        if sum(c.isalnum() for c in word) >= WORD_LETTERS
    ]
    return Following(
        near=float(np.convolve(near, evenly, "valid").min()),
        spread=float(spread.mean()),
        blur=float(np.convolve(spread, evenly, "valid").max()),
        looked_back=float(back.mean()) * attention.seen.shape[1] / N,  # in ids, of which the text has more than places
        word_frames=min(frames, default=math.inf),
        pace=(T / frame_rate - BREATH_SECONDS) / expected_seconds(_in_words(attention.words)),
    )


def _signs_joined(attention: TextAttention) -> Floats:
    """`seen`, where each run of signs is one place that is looked at as much as all of them. Between `late!” (when` a
    small vocabulary has six ids that are not spoken, and speech that steps over them at once has lost nothing."""
    signs = np.array(attention.signs, bool)
    if not (signs[1:] & signs[:-1]).any():
        return attention.seen
    kept = np.flatnonzero(~(signs & np.concatenate([[False], signs[:-1]])))
    return np.add.reduceat(attention.seen, kept, axis=1)


def _in_words(words: tuple[str, ...]) -> str:
    """The text, where capitals are not names of letters if all of it is written so."""
    text = " ".join(words)
    return text.lower() if text.isupper() and max(map(len, words)) > LONGEST_ABBREVIATION else text


def monotonic_path(seen: Floats) -> NDArray[np.int64]:
    """[T, N] -> [T]: the likeliest places that never go back."""
    logs = np.log(seen / np.maximum(seen.sum(axis=1, keepdims=True), FLOOR) + FLOOR)
    T, N = logs.shape
    before = np.zeros((T, N), np.int64)
    score = logs[0] - 0.5 * np.arange(N)  # speech begins at the beginning
    for frame in range(1, T):
        best = np.maximum.accumulate(score)
        is_new = np.concatenate([[True], score[1:] > best[:-1]])
        before[frame] = np.maximum.accumulate(np.where(is_new, np.arange(N), 0))
        score = best + logs[frame]
    path = [int(np.argmax(score))]
    for frame in range(T - 1, 0, -1):
        path.append(int(before[frame, path[-1]]))
    return np.array(path[::-1])
