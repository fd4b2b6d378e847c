"""Codes that an earlier run drew, in; what drawing them left, out: embeddings and used ids, bit for bit.

Of a frame only the talker's step is then left: the code predictor, which takes most of the time, has nothing to draw.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import mlx.core as mx
import numpy as np

from mlx_tts.generation.sampling import RowSampling, gumbel_noise
from mlx_tts.models.qwen3_tts.talker import Talker
from mlx_tts.samples import Codes

if TYPE_CHECKING:
    from mlx_tts.models.qwen3_tts.frames import FrameLoop, Row

State = tuple[mx.array, mx.array, mx.array, mx.array]
Drawn = tuple[mx.array, mx.array, mx.array]
Keys = list[tuple[int, int]]


def repeated(talker: Talker, made: Codes, used: mx.array) -> Drawn:
    """[B, K], used ids [B, V] -> codes [B, K], their embedding [B, D], used ids: the sums in the order of the plain
    operations (`FrameLoop.sample_frame`)."""
    codes = mx.array(made, mx.uint32)
    return codes, talker.embed_frames(codes), _with(used, codes)


def repeated_on_gpu(talker: Talker, made: Codes, used: mx.array, text: mx.array) -> Drawn:
    """[B, K], [B, V], [B, D] -> codes [B, K], the talker's next input [B, 1, D], used ids: the sums in the order of
    `CompiledDecode.frame`, in float32 and from the text on."""
    codes = mx.array(made, mx.uint32)
    total = text.astype(mx.float32) + talker.embed_code(codes[:, 0]).astype(text.dtype)
    embedding = None
    for at, table in enumerate(talker.code_predictor.model.codec_embedding, 1):
        embedding = table(codes[:, at])
        total = total + embedding.astype(mx.float32)
    assert embedding is not None
    return codes, total.astype(embedding.dtype)[:, None], _with(used, codes)


def _with(used: mx.array, codes: mx.array) -> mx.array:
    return used | (mx.arange(used.shape[1], dtype=mx.uint32) == codes[:, :1])


def sample_or_repeat(
    loop: FrameLoop,
    rows: Sequence[Row],
    made: Sequence[Codes | None],
    sampling: RowSampling,
    state: State,
    keys: Keys,
) -> Drawn:
    """A frame of each row on the CPU, codes [B, K], embedding [B, D], used ids [B, V]: drawn, or repeated where `made`
    has its codes. state: logits, hidden, used ids, forbidden ids, each [B, ...]; a row's bits are its own."""
    again = [at for at, codes in enumerate(made) if codes is not None]
    if not again:
        return loop.sample_frame(sampling, *state, _noise(loop, sampling, keys))
    kept = repeated(loop.talker, np.stack([codes for codes in made if codes is not None]), state[2][mx.array(again)])
    fresh = [at for at, codes in enumerate(made) if codes is None]
    if not fresh:
        return kept
    config, which = loop.config, mx.array(fresh)
    own = RowSampling.of([rows[at].utterance.params for at in fresh], config.vocab_size, loop.rest_vocabulary)
    noise = _noise(loop, own, [keys[at] for at in fresh])
    logits, hidden, used, forbidden = (part[which] for part in state)
    drawn = loop.sample_frame(own, logits, hidden, used, forbidden, noise)
    order = mx.array(np.argsort(again + fresh))
    codes, embedding, used = (mx.concatenate(list(both))[order] for both in zip(kept, drawn, strict=True))
    return codes, embedding, used


def _noise(loop: FrameLoop, sampling: RowSampling, keys: Keys) -> mx.array | None:
    return None if sampling.greedy else gumbel_noise(keys, loop.noise_width)
