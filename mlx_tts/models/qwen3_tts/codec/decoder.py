"""Codes [B, T, K] -> samples [B, T * 1,920] in [-1, 1]: the codec's decoder, whole, streamed or in chunks.

Every layer sees the past only, so a stream carries one small state a layer and equals the whole.
"""

from __future__ import annotations

from math import prod
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from mlx_tts.models.qwen3_tts.config import CodecDecoderConfig, CodecEncoderConfig
from mlx_tts.nn.activations import SnakeBeta, gelu
from mlx_tts.nn.attention import rope_periods, rotate
from mlx_tts.nn.codebooks import CodeTable
from mlx_tts.nn.conv import CausalConv1d, CausalConvTranspose1d, State
from mlx_tts.nn.streaming import SlicedLayers, StreamedDecoder
from mlx_tts.nn.transformer import MLP

DILATIONS = (1, 3, 9)
CONVNEXT_KERNEL = 7
CPU_FRAMES, GPU_FRAMES = 16, 128  # decoded at once


class CodecAttention(nn.Module):
    """The projections of a self-attention without biases, with RoPE."""

    def __init__(self, config: CodecDecoderConfig | CodecEncoderConfig):
        super().__init__()
        D, self.head_dim = config.hidden_size, config.head_dim
        self.heads, self.kv_heads = config.num_attention_heads, config.num_key_value_heads
        self._periods = rope_periods(self.head_dim, config.rope_theta)
        self.q_proj = nn.Linear(D, self.heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(D, self.kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(D, self.kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(self.heads * self.head_dim, D, bias=False)

    def attend(
        self, x: mx.array, position: mx.array | int, past: State, mask: mx.array | str
    ) -> tuple[mx.array, mx.array, mx.array]:
        """[B, T, D] -> [B, T, D], and all keys and values; past: those of earlier positions, or none."""
        B, T, _ = x.shape
        q = self.q_proj(x).reshape(B, T, self.heads, -1).transpose(0, 2, 1, 3)
        k = self.k_proj(x).reshape(B, T, self.kv_heads, -1).transpose(0, 2, 1, 3)
        v = self.v_proj(x).reshape(B, T, self.kv_heads, -1).transpose(0, 2, 1, 3)
        q, k = rotate(q, self._periods, position), rotate(k, self._periods, position)
        if past:
            k, v = mx.concatenate([past[0], k], axis=2), mx.concatenate([past[1], v], axis=2)
        y = mx.fast.scaled_dot_product_attention(q, k, v, scale=self.head_dim**-0.5, mask=mask)
        return self.o_proj(y.transpose(0, 2, 1, 3).reshape(B, T, -1)), k, v


class WindowAttention(CodecAttention):
    """Self-attention over the last `sliding_window` positions, the current one among them."""

    def __init__(self, config: CodecDecoderConfig):
        super().__init__(config)
        self.past = config.sliding_window - 1

    def make_state(self, batch: int) -> State:
        empty = mx.zeros((batch, self.kv_heads, self.past, self.head_dim))
        return (empty, empty)

    def step(self, x: mx.array, state: State, position: mx.array, mask: mx.array) -> tuple[mx.array, State]:
        """[B, T, D] -> [B, T, D]; state: the keys and values of the `past` positions before."""
        y, k, v = self.attend(x, position, state, mask)
        return y, (k[:, :, x.shape[1] :], v[:, :, x.shape[1] :])


class WindowLayer(nn.Module):
    def __init__(self, config: CodecDecoderConfig):
        super().__init__()
        self.self_attn = WindowAttention(config)
        self.mlp = MLP(config)
        self.input_layernorm = nn.RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.post_attention_layernorm = nn.RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.self_attn_layer_scale = {"scale": mx.ones((config.hidden_size,))}
        self.mlp_layer_scale = {"scale": mx.ones((config.hidden_size,))}

    def step(self, x: mx.array, state: State, position: mx.array, mask: mx.array) -> tuple[mx.array, State]:
        y, state = self.self_attn.step(self.input_layernorm(x), state, position, mask)
        x = x + self.self_attn_layer_scale["scale"] * y
        return x + self.mlp_layer_scale["scale"] * self.mlp(self.post_attention_layernorm(x)), state


class WindowTransformer(nn.Module):
    """[B, T, latent] -> [B, T, latent]. Its state counts the positions before, up to what the rotation needs."""

    def __init__(self, config: CodecDecoderConfig):
        super().__init__()
        self.window = config.sliding_window
        self.input_proj = nn.Linear(config.latent_dim, config.hidden_size)
        self.layers = [WindowLayer(config) for _ in range(config.num_hidden_layers)]
        self.norm = nn.RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.output_proj = nn.Linear(config.hidden_size, config.latent_dim)

    def make_state(self, batch: int) -> State:
        return (mx.zeros((batch,), mx.int32), tuple(layer.self_attn.make_state(batch) for layer in self.layers))

    def step(self, x: mx.array, state: State) -> tuple[mx.array, State]:
        position, layer_states = state
        T = x.shape[1]
        mask = self.mask(position, T)
        x, after = self.input_proj(x), []
        for layer, layer_state in zip(self.layers, layer_states, strict=True):
            x, layer_state = layer.step(x, layer_state, position, mask)
            after.append(layer_state)
        return self.output_proj(self.norm(x)), (position + T, tuple(after))

    def mask(self, position: mx.array, T: int) -> mx.array:
        """[B, 1, T, window - 1 + T]: where query i may look at key j; the first keys are older than the stream.

        position: [B], the positions before these, in each row's own stream.
        """
        query, key = mx.arange(T)[:, None], mx.arange(self.window - 1 + T)
        inside = (key >= query) & (key < query + self.window)
        return inside & (key + position[:, None, None, None] >= self.window - 1)


class ConvNeXtBlock(nn.Module):
    def __init__(self, channels: int):
        super().__init__()
        self.dwconv = CausalConv1d(channels, channels, CONVNEXT_KERNEL, groups=channels)
        self.norm = nn.LayerNorm(channels, eps=1e-6)
        self.pwconv1 = nn.Linear(channels, 4 * channels)
        self.pwconv2 = nn.Linear(4 * channels, channels)
        self.gamma = mx.ones((channels,))

    def make_state(self, batch: int) -> State:
        return self.dwconv.make_state(batch)

    def step(self, x: mx.array, state: State) -> tuple[mx.array, State]:
        y, state = self.dwconv.step(x, state)
        return x + self.gamma * self.pwconv2(gelu(self.pwconv1(self.norm(y)))), state


class ResidualUnit(nn.Module):
    def __init__(self, channels: int, dilation: int):
        super().__init__()
        self.act1 = SnakeBeta(channels)
        self.conv1 = CausalConv1d(channels, channels, 7, dilation=dilation)
        self.act2 = SnakeBeta(channels)
        self.conv2 = CausalConv1d(channels, channels, 1)

    def make_state(self, batch: int) -> State:
        return self.conv1.make_state(batch)

    def step(self, x: mx.array, state: State) -> tuple[mx.array, State]:
        y, state = self.conv1.step(self.act1(x), state)
        return x + self.conv2(self.act2(y)), state


class UpsampleBlock(SlicedLayers):
    """[B, T, in] -> [B, T * rate, out]."""

    def __init__(self, in_channels: int, out_channels: int, rate: int):
        super().__init__(rate * out_channels)
        self.block = [
            SnakeBeta(in_channels),
            CausalConvTranspose1d(in_channels, out_channels, 2 * rate, rate),
            *(ResidualUnit(out_channels, dilation) for dilation in DILATIONS),
        ]

    def stages(self) -> list[Any]:
        return self.block


class CodecDecoder(StreamedDecoder):
    """Codes [B, T, K] -> samples [B, T * samples_per_frame]. Modules are named and numbered as in the checkpoint."""

    def __init__(self, config: CodecDecoderConfig):
        super().__init__(CPU_FRAMES, GPU_FRAMES)
        self.config = config
        self.samples_per_frame = prod(config.upsample_rates) * prod(config.upsampling_ratios)
        self.quantizer = CodeTable(config.num_quantizers, config.codebook_size, config.codebook_dim)
        self.pre_conv = CausalConv1d(config.codebook_dim, config.latent_dim, 3)
        self.pre_transformer = WindowTransformer(config)
        latent = config.latent_dim
        self.upsample = [
            [CausalConvTranspose1d(latent, latent, ratio, ratio), ConvNeXtBlock(latent)]
            for ratio in config.upsampling_ratios
        ]
        widths = [config.decoder_dim // 2**i for i in range(len(config.upsample_rates) + 1)]
        self.decoder = [
            CausalConv1d(latent, widths[0], 7),
            *map(UpsampleBlock, widths, widths[1:], config.upsample_rates),
            SnakeBeta(widths[-1]),
            CausalConv1d(widths[-1], 1, 7),
        ]

    def _read(self, codes: mx.array) -> mx.array:
        return self.quantizer(codes)

    def stages(self) -> list[Any]:
        return [self.pre_conv, self.pre_transformer, *(x for stage in self.upsample for x in stage), *self.decoder]
