"""One position (or two) through a block around MLX's own attention: 13 launches a layer, 8 with fused products.

Every launch costs microseconds, so whatever is elementwise stands together, where `mx.compile` makes one launch of it:
the gains of the head norms, RoPE and the choice of what goes into the cache. MLX's RoPE alone would be two.
"""

from __future__ import annotations

from dataclasses import dataclass

import mlx.core as mx
import numpy as np

from mlx_tts.nn.activations import silu
from mlx_tts.nn.cache import KVCache
from mlx_tts.nn.fused.multiply import multiply
from mlx_tts.nn.rope import Factors, periods_of
from mlx_tts.nn.transformer import Attention, Block, Transformer
from mlx_tts.runtime.device import compiled

Turns = tuple[mx.array, mx.array]  # what a head's low and high half are multiplied with, [rows, new, 1, 2, D / 2]


def turns(positions: np.ndarray, rope_theta: float, head_dim: int, factors: Factors = ()) -> Turns:
    """Positions [rows, new] -> cosines and sines as `heads_of` takes them; once a step, for all layers.

    By the host, in float64: more exact than any GPU's, and no launch.
    """
    angles = positions[..., None] / periods_of(head_dim, rope_theta, factors)
    cosine, sine = np.cos(angles), np.sin(angles)
    first, second = np.stack([cosine, sine], axis=-2), np.stack([-sine, cosine], axis=-2)
    return mx.array(first[:, :, None].astype(np.float32)), mx.array(second[:, :, None].astype(np.float32))


@dataclass(frozen=True)
class HeadNorms:
    """The gains of q's and k's norms, [heads, 1, D / 2] for each half; 1 for the values, which stay as they are."""

    low: mx.array
    high: mx.array
    is_value: mx.array
    epsilon: float

    @classmethod
    def of(cls, attn: Attention) -> HeadNorms:
        half = attn.head_dim // 2
        kinds = [(attn.q_norm.weight, attn.heads), (attn.k_norm.weight, attn.kv_heads)]
        kinds.append((mx.ones((2 * half,)), attn.kv_heads))
        gains = mx.concatenate([mx.broadcast_to(gain.astype(mx.float32), (count, 2 * half)) for gain, count in kinds])
        low, high = (mx.contiguous(part[:, None]) for part in mx.split(gains, 2, axis=1))
        is_value = mx.array(np.arange(gains.shape[0]) >= attn.heads + attn.kv_heads)[:, None, None]
        mx.eval(low, high, is_value)
        return cls(low, high, is_value, attn.q_norm.eps)


def heads_of(qkv: mx.array, norms: HeadNorms, attn: Attention, turned: Turns, new: int) -> tuple[mx.array, mx.array]:
    """[B * new, q k v] -> queries [B, heads, new, D], keys and values [2, B, kv_heads, new, D]: normed and rotated."""
    D = attn.head_dim
    plain = qkv.reshape(-1, new, attn.heads + 2 * attn.kv_heads, 2, D // 2)
    # one norm for all heads; the values go through it unused
    normed = mx.fast.rms_norm(plain.reshape(*plain.shape[:3], D), None, norms.epsilon).reshape(plain.shape)
    low, high = normed[..., :1, :] * norms.low, normed[..., 1:, :] * norms.high
    both = (low * turned[0] + high * turned[1]).astype(qkv.dtype)
    both = mx.where(norms.is_value, plain, both).reshape(*plain.shape[:3], D)
    kv = both[:, :, attn.heads :].reshape(-1, new, 2, attn.kv_heads, D)
    return both[:, :, : attn.heads].swapaxes(1, 2), kv.transpose(2, 0, 3, 1, 4)


def before_attention(block: Block, x: mx.array) -> mx.array:
    """[B, D] -> [B, q k v]: norm and product."""
    attn = block.self_attn
    if "qkv_proj" in attn:
        return multiply(attn.qkv_proj, x, block.input_layernorm)
    parts = (attn.q_proj, attn.k_proj, attn.v_proj)
    return mx.concatenate([multiply(part, x, block.input_layernorm) for part in parts], axis=-1)


def after_attention(block: Block, x: mx.array, y: mx.array) -> mx.array:
    """What goes through the block [B, D] and what attention found [B, heads * D] -> what leaves the block [B, D]."""
    mlp = block.mlp
    x = multiply(block.self_attn.o_proj, y, residual=x)
    if "gate_up_proj" in mlp:
        wide = multiply(mlp.gate_up_proj, x, block.post_attention_layernorm, gated=True)
    else:
        gate, up = (multiply(part, x, block.post_attention_layernorm) for part in (mlp.gate_proj, mlp.up_proj))
        wide = silu(gate) * up
    return multiply(mlp.down_proj, wide, residual=x)


class LayerSteps:
    """One new position through a whole stack over growing caches; around each attention one compiled function.

    The whole stack as one compiled function would need a cache of fixed capacity and a mask: slower attention.
    """

    def __init__(self, model: Transformer):
        self.attentions = [block.self_attn for block in model.layers]
        self._blocks = [(compiled(_Before(block)), compiled(_After(block))) for block in model.layers]

    def __call__(self, x: mx.array, caches: list[KVCache]) -> mx.array:
        """[B, D] -> [B, D], not normed; appends one column to the caches."""
        length, first = caches[0].length, self.attentions[0]
        start = np.zeros(1, int) if caches[0].start is None else np.asarray(caches[0].start)
        turned = turns(length - start[:, None], first.rope_theta, first.head_dim)
        mask = None
        if caches[0].start is not None:  # some rows start late
            mask = mx.array((np.arange(length + 1) >= start[:, None])[:, None, None])
        for attn, (before, after), cache in zip(self.attentions, self._blocks, caches, strict=True):
            q, kv = before(x, *turned)
            kv = cache.append_position(kv)
            x = after(x, mx.fast.scaled_dot_product_attention(q, kv[0, :], kv[1, :], scale=attn.scale, mask=mask))
        return x


class _Before:
    def __init__(self, block: Block):
        self.block, self.norms = block, HeadNorms.of(block.self_attn)

    def __call__(self, x: mx.array, low: mx.array, high: mx.array) -> tuple[mx.array, mx.array]:
        return heads_of(before_attention(self.block, x), self.norms, self.block.self_attn, (low, high), 1)


class _After:
    def __init__(self, block: Block):
        self.block = block

    def __call__(self, x: mx.array, y: mx.array) -> mx.array:
        return after_attention(self.block, x, y.reshape(x.shape[0], -1))


class UnrolledStack:
    """The code predictor's stack inside one graph of a whole frame: every step's position is a number, not an array.

    Caches have all columns of a frame from the start, and a new one is put in by selecting, not by writing: MLX would
    copy a cache that an earlier launch still reads. Columns behind the present one hold anything; no slice shows them.
    """

    def __init__(self, model: Transformer, columns: int):
        self.model, self.columns = model, columns
        self.norms = [HeadNorms.of(block.self_attn) for block in model.layers]
        first = model.layers[0].self_attn
        positions = [np.arange(at, at + new)[None] for at, new in _steps(columns)]
        self.turns = [turns(position, first.rope_theta, first.head_dim) for position in positions]
        self.is_column = [mx.array(np.arange(columns) == at)[:, None] for at in range(columns)]

    def __call__(self, x: mx.array, step: int, caches: list[mx.array]) -> tuple[mx.array, list[mx.array]]:
        """Step 0 takes two positions a row, [2 B, D], the others one, [B, D]; not normed."""
        (at, new), after = _steps(self.columns)[step], []
        for number, block in enumerate(self.model.layers):
            attn = block.self_attn
            q, kv = heads_of(before_attention(block, x), self.norms[number], attn, self.turns[step], new)
            kv = mx.where(self.is_column[at], kv[..., :1, :], kv[..., 1:, :] if new > 1 else caches[number])
            after.append(kv)
            k, v = kv[0, :, :, : at + new], kv[1, :, :, : at + new]
            y = mx.fast.scaled_dot_product_attention(q, k, v, scale=attn.scale, mask="causal" if new > 1 else None)
            x = after_attention(block, x, y.swapaxes(1, 2).reshape(x.shape[0], -1))
        return x, after


def _steps(columns: int) -> list[tuple[int, int]]:
    """(columns before, new columns) of each step of a frame: its first two positions together, then one by one."""
    return [(0, 2), *((at, 1) for at in range(2, columns))]
