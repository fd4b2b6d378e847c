"""A finished utterance's frames in; which ids of its text each of them looked at, and when its words were spoken, out.

A few heads of a middle layer look at the text that is being spoken; the checkpoint says which ones. The talker reads
its own frames once more, all at once and only up to that layer: some hundredths of the work of making them.
"""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mlx_tts.generation.signs import TextAttention, monotonic_path
from mlx_tts.models.qwen3_tts.config import AlignmentConfig
from mlx_tts.models.qwen3_tts.rows import PendingAttention, Utterance
from mlx_tts.models.qwen3_tts.talker import Talker
from mlx_tts.nn.attention import rotate
from mlx_tts.nn.cache import ONE_PASS
from mlx_tts.runtime.device import policy
from mlx_tts.speech import Mark

MOST_POSITIONS = 2048  # the attention of longer ones would take too much memory
ROUND_POSITIONS = 32  # where libraries plan 10 ms for the products of a new length, lengths are multiples of this


def text_attention(
    talker: Talker, config: AlignmentConfig, utterance: Utterance, frames: NDArray[Any]
) -> PendingAttention | None:
    """Put it on its way to the device. None where no head is known, or the text was not laid out in one go."""
    T, first, places = len(frames), len(utterance.prefill) - 1, utterance.places
    if places is None or not config.heads or not T or first + T > MOST_POSITIONS:
        return None
    x = inputs(talker, utterance, mx.array(frames))
    if policy().avoids_libraries:  # no position sees those behind it
        x = mx.pad(x, [(0, 0), (0, -x.shape[1] % ROUND_POSITIONS), (0, 0)])
    layers = talker.model.layers
    for layer in layers[: config.layer]:
        x = layer(x, ONE_PASS, "causal")
    seen = _looked_at(layers[config.layer], x, first, config.heads)[:T, places.first : places.first + places.ids]
    mx.async_eval(seen)
    return PendingAttention(seen, places, config.limits)


def inputs(talker: Talker, utterance: Utterance, codes: mx.array) -> mx.array:
    """[1, L, D]: all that the talker read while it made the frames."""
    x, frames = utterance.prefill, len(codes) - 1
    if frames:
        text = utterance.trailing[:frames]
        behind = mx.broadcast_to(utterance.pad, (frames - len(text), len(utterance.pad)))
        spoken = talker.embed_frames(codes[:-1]) + mx.concatenate([text, behind])
        x = mx.concatenate([x, spoken.astype(x.dtype)])
    return x[None]


def _looked_at(layer: Any, x: mx.array, first: int, heads: tuple[int, ...]) -> mx.array:
    """[1, L, D] -> [L - first, L]: where the heads look, on average."""
    attention = layer.self_attn
    _, L, _ = x.shape
    product = attention._qkv(layer.input_layernorm(x)).reshape(1, L, -1, attention.head_dim).swapaxes(1, 2)
    queries = rotate(attention.q_norm(product[:, : attention.heads]), attention._periods, 0)
    keys = rotate(
        attention.k_norm(product[:, attention.heads : attention.heads + attention.kv_heads]), attention._periods, 0
    )
    shared = attention.heads // attention.kv_heads
    mask = mx.arange(first, L)[:, None] >= mx.arange(L)[None]
    seen = mx.zeros((L - first, L))
    for head in heads:
        logits = (queries[0, head, first:] @ keys[0, head // shared].T).astype(mx.float32) * attention.scale
        seen = seen + mx.softmax(mx.where(mask, logits, -mx.inf), axis=-1)
    return seen / len(heads)


def word_marks(
    attention: TextAttention | None, frames: int, heads: AlignmentConfig, frame_seconds: float
) -> tuple[Mark, ...]:
    """A mark for each word, in seconds of the utterance, of which so many frames were kept. None where nothing is
    known, as for a text that was not laid out in one go. A word behind a pause seems to begin with the pause: only the
    sound tells (narration/marks.py)."""
    if attention is None or not attention.words or not frames:
        return ()
    path = monotonic_path(attention.seen[:frames])
    seconds = frames * frame_seconds
    reached = np.searchsorted(path, attention.begins)  # the first frames that look at these places or behind them
    starts = [min(seconds, int(frame) * frame_seconds + heads.lead_seconds) for frame in reached]
    starts[0] = 0.0
    ends = [*starts[1:], seconds]
    words = zip(attention.words, starts, ends, strict=True)
    return tuple(Mark(*entry, "word", estimated=not heads.measured) for entry in words)
