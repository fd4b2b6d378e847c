"""What a model tells of a take that it made, in; whether the words of the take are those of its text, out.

No recogniser listens. Where it is known which heads of a model look at the text that is being spoken, their path shows
words left out, said twice or in another order, and speech that has lost its place. And what a model samples rightly
surprises it no more than its own entropy says: more surprise means another distribution than the model's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from mlx_tts.generation.synthesizer import Row

Floats = NDArray[np.float32]

LEAST_FRAMES = 12  # shorter speech says too little
MOST_EXCESS, SURE = 0.35, 5.0  # surprise beyond the entropy: nats a frame, and times its own standard deviation
NEAR = 2  # ids beside the path that still are its place
MOST_LOST_SECONDS = 0.4  # of looking elsewhere
MOST_LOOKED_BACK = 0.05  # ids a frame by which the heads look behind what was reached
LOOK_BACK = 1.5  # ids that ordinary speech looks back
LEAST_WORD_FRAMES = 0.4  # attention that a word of some letters gets at least
WORD_LETTERS = 3
FLOOR = 1e-4  # so that one frame that looks elsewhere forbids no path


@dataclass(frozen=True)
class TextAttention:
    """seen [T, N]: the share of its attention that each frame gives to each id of the text. words of the text, and the
    first id of each."""

    seen: Floats
    words: tuple[str, ...]
    begins: tuple[int, ...]


@dataclass(frozen=True)
class Draws:
    """Of each of T draws. surprise: minus the logarithm of the probability that the model itself gave to what was
    drawn; entropy: the surprise that is expected; variance: that of the surprise."""

    surprise: Floats
    entropy: Floats
    variance: Floats


@dataclass(frozen=True)
class TakeSigns:
    """None: not known."""

    draws: Draws | None = None
    attention: TextAttention | None = None


@runtime_checkable
class TellsOfTakes(Protocol):
    """A Synthesizer that knows more of a finished take than its frames; others leave this out."""

    def signs(self, row: Row, frames: NDArray[Any]) -> TakeSigns:
        """Of all frames [T, ...] that a row has made."""
        ...


def misspoken(signs: TakeSigns, frame_rate: float) -> str | None:
    """Why the words of a take are surely not those of its text, for people; None where there is no sign of it."""
    strayed = None if signs.attention is None else how_it_strayed(signs.attention, frame_rate)
    return strayed or ("spoke unclearly" if signs.draws is not None and is_unclear(signs.draws) else None)


def is_unclear(draws: Draws) -> bool:
    """Whether what was drawn surprises the model more than chance explains."""
    T = len(draws.surprise)
    excess = np.sum(draws.surprise - draws.entropy, dtype=np.float64)
    spread = np.sqrt(np.sum(draws.variance, dtype=np.float64) + 1)
    return bool(T >= LEAST_FRAMES and excess > MOST_EXCESS * T and excess > SURE * spread)


def how_it_strayed(attention: TextAttention, frame_rate: float) -> str | None:
    """What is wrong with how the speech went through its text."""
    seen = attention.seen
    T, N = seen.shape
    if not attention.words or T < LEAST_FRAMES:
        return None
    path = monotonic_path(seen)
    shares = seen / np.maximum(seen.sum(axis=1, keepdims=True), FLOOR)
    distances = np.abs(np.arange(N) - path[:, None])
    near = np.where(distances <= NEAR, shares, 0).sum(axis=1)
    if _longest_run(near < 0.5) > MOST_LOST_SECONDS * frame_rate:
        return "lost its place in the text"
    looked_at = (shares * np.arange(N)).sum(axis=1)
    if np.maximum(np.maximum.accumulate(path) - looked_at - LOOK_BACK, 0).mean() > MOST_LOOKED_BACK:
        return "said words twice or in another order"
    ends = (*attention.begins[1:], N)
    for word, begin, end in zip(attention.words, attention.begins, ends, strict=True):
        letters = sum(c.isalnum() for c in word)
        if letters >= WORD_LETTERS and seen[:, begin:end].sum() < LEAST_WORD_FRAMES:
            return "left out words of the text"
    return None


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


def _longest_run(marks: NDArray[np.bool_]) -> int:
    """The most neighbours that are true."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], marks, [False]]).astype(np.int8)))
    return int(np.max(edges[1::2] - edges[::2], initial=0))
