"""A talker's weights in, milliseconds a frame of a bare loop out: MLX's own operations and nothing of this package.

What a frame costs without kernels of one's own: products side by side, growing caches, `mx.fast` norms, RoPE and
attention, the code predictor's 15 steps compiled as one graph, noise made beforehand. It never ends.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import mlx.core as mx
from mlx import nn

GROWTH = 256
TEMPERATURE, TOP_K = 0.9, 50


@partial(mx.compile, shapeless=True)
def swiglu(gate: mx.array, up: mx.array) -> mx.array:
    return nn.silu(gate) * up


def norm(layer: nn.RMSNorm, x: mx.array) -> mx.array:
    return mx.fast.rms_norm(x, layer.weight, layer.eps)


def heads(attn: Any, x: mx.array, offset: int) -> tuple[mx.array, mx.array, mx.array]:
    B, L, _ = x.shape
    H, G, D = attn.heads, attn.kv_heads, attn.head_dim
    q, k, v = mx.split(attn.qkv_proj(x), [H * D, (H + G) * D], axis=-1)
    q = norm(attn.q_norm, q.reshape(B, L, H, D)).swapaxes(1, 2)
    k = norm(attn.k_norm, k.reshape(B, L, G, D)).swapaxes(1, 2)
    turn = partial(mx.fast.rope, dims=D, traditional=False, base=attn.rope_theta, scale=1.0, offset=offset)
    return turn(q), turn(k), v.reshape(B, L, G, D).swapaxes(1, 2)


def attended(attn: Any, q: mx.array, k: mx.array, v: mx.array) -> mx.array:
    B, H, L, D = q.shape
    y = mx.fast.scaled_dot_product_attention(q, k, v, scale=D**-0.5, mask="causal" if L > 1 else None)
    return attn.o_proj(y.swapaxes(1, 2).reshape(B, L, H * D))


def mlp(block: Any, x: mx.array) -> mx.array:
    gate, up = mx.split(block.mlp.gate_up_proj(norm(block.post_attention_layernorm, x)), 2, axis=-1)
    return block.mlp.down_proj(swiglu(gate, up))


class Cache:
    """Keys and values, grown by 256 columns at a time."""

    def __init__(self) -> None:
        self.length, self.pair = 0, []  # type: ignore[var-annotated]

    def append(self, *new: mx.array) -> list[mx.array]:
        B, G, L, D = new[0].shape
        if not self.pair or self.length + L > self.pair[0].shape[2]:
            more = mx.zeros((B, G, -(-L // GROWTH) * GROWTH, D), new[0].dtype)
            self.pair = [mx.concatenate([old, more], axis=2) for old in self.pair] or [more, more + 0]
        for stored, part in zip(self.pair, new, strict=True):
            stored[:, :, self.length : self.length + L] = part
        self.length += L
        return [stored[:, :, : self.length] for stored in self.pair]


def talk(talker: Any, x: mx.array, caches: list[Cache]) -> tuple[mx.array, mx.array]:
    """[B, L, D] -> logits [B, V] and hidden state [B, D] of the last position."""
    for block, cache in zip(talker.model.layers, caches, strict=True):
        q, k, v = heads(block.self_attn, norm(block.input_layernorm, x), cache.length)
        x = x + attended(block.self_attn, q, *cache.append(k, v))
        x = x + mlp(block, x)
    x = norm(talker.model.norm, x[:, -1])
    return talker.codec_head(x), x


def sample(logits: mx.array, noise: mx.array) -> mx.array:
    logits = logits.astype(mx.float32) * (1 / TEMPERATURE)
    kth = mx.sort(logits, axis=-1)[..., -TOP_K, None]
    return mx.argmax(mx.where(logits < kth, -mx.inf, logits) + noise, axis=-1)


def predict(talker: Any, hidden: mx.array, logits: mx.array, noise: mx.array) -> tuple[mx.array, mx.array]:
    """All 16 codes of a frame [B, K] and what the talker reads next [B, 1, D]."""
    predictor, at = talker.code_predictor, logits.shape[-1]
    codes = [sample(logits, noise[:, :at])]
    total = talker.model.codec_embedding(codes[0])
    x, caches = mx.stack([hidden, total], axis=1), [([], []) for _ in predictor.model.layers]  # type: ignore[var-annotated]
    for step, (head, table) in enumerate(zip(predictor.lm_head, predictor.model.codec_embedding, strict=True)):
        x = predictor.project(x)
        for block, (keys, values) in zip(predictor.model.layers, caches, strict=True):
            q, k, v = heads(block.self_attn, norm(block.input_layernorm, x), step + 1 if step else 0)
            keys[:], values[:] = ([mx.concatenate([*old, new], axis=2)] for old, new in ((keys, k), (values, v)))
            x = x + attended(block.self_attn, q, keys[0], values[0])
            x = x + mlp(block, x)
        codes.append(sample(head(norm(predictor.model.norm, x[:, -1])), noise[:, at : at + predictor.vocab_size]))
        at += predictor.vocab_size
        x = table(codes[-1])[:, None]
        total = total + x[:, 0]
    return mx.stack(codes, axis=1), total[:, None]


def frames(talker: Any, count: int, rows: int, prompt: int) -> list[float]:
    """A stamp behind each frame read back, with one step of look-ahead."""
    later, V, D = talker.code_predictor, *talker.model.codec_embedding.weight.shape
    width = V + len(later.lm_head) * later.vocab_size
    noise = mx.random.gumbel((16, rows, width), key=mx.random.key(1))
    x = 0.5 * mx.random.normal((rows, prompt, D), talker.dtype, key=mx.random.key(2))
    mx.eval(noise, x)
    frame, caches = mx.compile(partial(predict, talker)), [Cache() for _ in talker.model.layers]
    stamps: list[float] = []
    before = None
    for number in range(count + 1):
        logits, hidden = talk(talker, x, caches)
        codes, x = frame(hidden, logits, noise[number % 16])
        mx.async_eval(codes, x)
        if before is not None:
            mx.eval(before)
            stamps.append(time.perf_counter())
        before = codes
    return stamps
