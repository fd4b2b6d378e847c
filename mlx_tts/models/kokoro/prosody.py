"""Ids of phonemes and a style in; features, durations, pitch and energy out: PL-BERT, text encoder, predictor."""

from __future__ import annotations

from dataclasses import dataclass

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from mlx_tts.models.kokoro.config import AlbertConfig, KokoroConfig
from mlx_tts.models.kokoro.layers import EPS, AdaLayerNorm, BiLSTM, Extent, SameConv1d, SharedLinear, StyledBlock
from mlx_tts.nn.activations import leaky_relu
from mlx_tts.nn.conv import CUBIC, SLOPE
from mlx_tts.nn.conv import _gelu as tanh_gelu
from mlx_tts.runtime.device import compiled, policy

BERT_EPS = 1e-12


def _gelu_by_numpy(x: mx.array) -> mx.array:
    """`tanh_gelu` on the CPU, in a tenth of MLX's time."""
    own = np.asarray(x)
    made = np.square(own)
    made *= SLOPE * CUBIC
    made += SLOPE
    made *= own
    made *= 0.5
    np.tanh(made, out=made)
    made += 1
    made *= own
    made *= 0.5
    return mx.array(made)


class AlbertLayer(nn.Module):
    def __init__(self, config: AlbertConfig):
        super().__init__()
        D, inner = config.hidden_size, config.intermediate_size
        self.heads = config.num_attention_heads
        self.query, self.key, self.value, self.dense = (SharedLinear(D, D) for _ in range(4))
        self.attention_norm, self.output_norm = nn.LayerNorm(D, BERT_EPS), nn.LayerNorm(D, BERT_EPS)
        self.ffn, self.ffn_output = SharedLinear(D, inner), SharedLinear(inner, D)
        self._gelu = _gelu_by_numpy if policy().prefers_products else compiled(tanh_gelu)

    def __call__(self, x: mx.array, mask: mx.array | None) -> mx.array:
        B, L, D = x.shape
        q, k, v = (
            layer(x).reshape(B, L, self.heads, -1).transpose(0, 2, 1, 3) for layer in (self.query, self.key, self.value)
        )
        scale = (D // self.heads) ** -0.5
        y = mx.fast.scaled_dot_product_attention(q, k, v, scale=scale, mask=mask)
        x = self.attention_norm(x + self.dense(y.transpose(0, 2, 1, 3).reshape(B, L, D)))
        return self.output_norm(x + self.ffn_output(self._gelu(self.ffn(x))))


class Albert(nn.Module):
    """PL-BERT: ids [B, L] -> [B, L, D]. One layer, run several times."""

    def __init__(self, config: AlbertConfig, symbols: int):
        super().__init__()
        self.word = nn.Embedding(symbols, config.embedding_size)
        self.position = nn.Embedding(config.max_position_embeddings, config.embedding_size)
        self.kind = nn.Embedding(2, config.embedding_size)
        self.norm = nn.LayerNorm(config.embedding_size, BERT_EPS)
        self.widen = nn.Linear(config.embedding_size, config.hidden_size)
        self.layer = AlbertLayer(config)
        self.times = config.num_hidden_layers

    def __call__(self, ids: mx.array, extent: Extent) -> mx.array:
        x = self.word(ids) + self.position.weight[: ids.shape[1]] + self.kind.weight[0]
        x = self.widen(self.norm(x))
        mask = None if extent.mask is None else mx.where(extent.mask[:, None, None, :, 0] > 0, 0.0, -mx.inf)
        for _ in range(self.times):
            x = self.layer(x, mask)
        return x


class TextConv(nn.Module):
    def __init__(self, channels: int, kernel_size: int):
        super().__init__()
        self.conv = SameConv1d(channels, channels, kernel_size)
        self.norm = nn.LayerNorm(channels, EPS)

    def __call__(self, x: mx.array) -> mx.array:
        return leaky_relu(self.norm(self.conv(x)), 0.2)


class TextEncoder(nn.Module):
    """Ids [B, L] -> [B, L, D]: what is spoken."""

    def __init__(self, config: KokoroConfig):
        super().__init__()
        D = config.hidden_dim
        self.embedding = nn.Embedding(config.n_token, D)
        self.cnn = [TextConv(D, config.text_encoder_kernel_size) for _ in range(config.n_layer)]
        self.lstm = BiLSTM(D, D // 2)

    def __call__(self, ids: mx.array, extent: Extent) -> mx.array:
        x = extent.cut(self.embedding(ids))
        for layer in self.cnn:
            x = extent.cut(layer(x))
        return self.lstm(x, extent)


class Predictor(nn.Module):
    """PL-BERT's features [B, L, D] and a style -> durations, then pitch and energy."""

    def __init__(self, config: KokoroConfig):
        super().__init__()
        D, style = config.hidden_dim, config.style_dim
        self.lstms = [BiLSTM(D + style, D // 2) for _ in range(config.n_layer)]
        self.norms = [AdaLayerNorm(style, D) for _ in range(config.n_layer)]
        self.lstm, self.shared = BiLSTM(D + style, D // 2), BiLSTM(D + style, D // 2)
        self.duration = nn.Linear(D, config.max_dur)
        self.pitch, self.energy = _curve_blocks(style, D), _curve_blocks(style, D)
        self.pitch_out, self.energy_out = nn.Linear(D // 2, 1), nn.Linear(D // 2, 1)

    def features(self, x: mx.array, s: mx.array, extent: Extent) -> mx.array:
        """[B, L, D] -> [B, L, D + S], each position with the style behind it."""
        style = mx.broadcast_to(s[:, None], (*x.shape[:2], s.shape[-1]))
        x = mx.concatenate([x, style], axis=-1)
        for lstm, norm in zip(self.lstms, self.norms, strict=True):
            x = mx.concatenate([norm(lstm(x, extent), s), style], axis=-1)
        return x

    def lengths(self, features: mx.array, extent: Extent) -> mx.array:
        """[B, L]: frames of each position at speed 1, not rounded."""
        return mx.sigmoid(self.duration(self.lstm(features, extent))).sum(axis=-1)

    def curves(self, x: mx.array, s: mx.array, extent: Extent) -> tuple[mx.array, mx.array]:
        """Features of frames [B, T, D + S] -> pitch in Hz and energy, [B, 2 T] each."""
        x = self.shared(x, extent)
        made = []
        for blocks, out in ((self.pitch, self.pitch_out), (self.energy, self.energy_out)):
            y, own = x, extent
            for block in blocks:
                y, own = block(y, s, own)
            made.append(out(y)[..., 0])
        return made[0], made[1]


def _curve_blocks(style: int, D: int) -> list[StyledBlock]:
    half = D // 2
    return [StyledBlock(style, D, D), StyledBlock(style, D, half, doubles=True), StyledBlock(style, half, half)]


@dataclass(frozen=True)
class Durations:
    """Frames of each id of each row. frames: [L] int of each."""

    frames: tuple[np.ndarray, ...]

    @classmethod
    def of(cls, lengths: np.ndarray, ids: tuple[int, ...], speeds: tuple[float, ...]) -> Durations:
        """lengths [B, L] at speed 1. Rounded half to even behind the division, at least one frame each."""
        rows = []
        for row, count, speed in zip(lengths, ids, speeds, strict=True):
            rows.append(np.maximum(np.rint(row[:count] / np.float32(speed)), 1).astype(np.int64))
        return cls(tuple(rows))

    @property
    def totals(self) -> list[int]:
        return [int(row.sum()) for row in self.frames]

    def places(self) -> mx.array:
        """[B, T]: which id each frame belongs to."""
        longest = max(self.totals)
        found = np.zeros((len(self.frames), longest), np.int32)
        for row, frames in zip(found, self.frames, strict=True):
            row[: frames.sum()] = np.repeat(np.arange(len(frames)), frames)
        return mx.array(found)


def repeated(x: mx.array, places: mx.array, extent: Extent) -> mx.array:
    """[B, L, C] -> [B, T, C]: each position as long as it lasts."""
    return extent.cut(mx.take_along_axis(x, places[..., None], axis=1))
