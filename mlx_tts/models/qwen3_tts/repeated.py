"""Codes that an earlier run sampled, in; what sampling them left, out: embeddings and used ids, bit for bit.

Of a frame only the talker's step is then left: the code predictor, which takes most of the time, has nothing to sample.
"""

from __future__ import annotations

import mlx.core as mx

from mlx_tts.models.qwen3_tts.talker import Talker
from mlx_tts.samples import Codes

SampledFrame = tuple[mx.array, mx.array, mx.array]


def repeated(talker: Talker, made: Codes, used: mx.array) -> SampledFrame:
    """[B, K], used ids [B, V] -> codes [B, K], their embedding [B, D], used ids: the sums in the order of the plain
    operations (`FrameLoop.sample_frame`)."""
    codes = mx.array(made, mx.uint32)
    return codes, talker.embed_frames(codes), _with(used, codes)


def repeated_on_gpu(talker: Talker, made: Codes, used: mx.array, text: mx.array) -> SampledFrame:
    """[B, K], [B, V], [B, D] -> codes [B, K], the talker's next input [B, 1, D], used ids: the sums in the order of
    `CompiledDecode.sample_frame`, in float32 and from the text on."""
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
