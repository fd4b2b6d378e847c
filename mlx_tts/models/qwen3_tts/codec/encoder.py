"""Samples [B, N] at 24 kHz -> codes [B, ceil(N / 1,920), K]: the encoder half of Mimi, for cloning only.

The reference runs it whole with full causal attention (it ignores the config's sliding window): no streaming here.
"""

from __future__ import annotations

from math import prod

import mlx.core as mx
import mlx.nn as nn

from mlx_tts.models.qwen3_tts.codec.decoder import CodecAttention
from mlx_tts.models.qwen3_tts.config import CodecConfig, CodecEncoderConfig
from mlx_tts.nn.activations import ELU, gelu
from mlx_tts.nn.codebooks import ResidualQuantizer
from mlx_tts.nn.conv import CausalConv1d


class ResnetBlock(nn.Module):
    """The block of the reference's SEANet: ELU, convolution, ELU, convolution, added to the input."""

    def __init__(self, config: CodecEncoderConfig, channels: int, dilation: int):
        super().__init__()
        hidden = channels // config.compress
        self.block = [
            ELU(),
            CausalConv1d(channels, hidden, config.residual_kernel_size, dilation=dilation),
            ELU(),
            CausalConv1d(hidden, channels, 1),
        ]

    def __call__(self, x: mx.array) -> mx.array:
        y = x
        for layer in self.block:
            y = layer(y)
        return x + y


class SeanetEncoder(nn.Module):
    """[B, N, 1] -> [B, ceil(N / prod(ratios)), hidden]."""

    def __init__(self, config: CodecEncoderConfig):
        super().__init__()
        channels = config.num_filters
        self.layers: list[nn.Module] = [CausalConv1d(1, channels, config.kernel_size)]
        for ratio in reversed(config.upsampling_ratios):
            for i in range(config.num_residual_layers):
                self.layers.append(ResnetBlock(config, channels, config.dilation_growth_rate**i))
            self.layers += [ELU(), CausalConv1d(channels, 2 * channels, 2 * ratio, stride=ratio)]
            channels *= 2
        self.layers += [ELU(), CausalConv1d(channels, config.hidden_size, config.last_kernel_size)]

    def __call__(self, x: mx.array) -> mx.array:
        for layer in self.layers:
            x = layer(x)
        return x


class EncoderMLP(nn.Module):
    def __init__(self, config: CodecEncoderConfig):
        super().__init__()
        self.fc1 = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.fc2 = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)

    def __call__(self, x: mx.array) -> mx.array:
        return self.fc2(gelu(self.fc1(x)))


class EncoderLayer(nn.Module):
    """Causal self-attention over the whole past, and an MLP: [B, T, D] -> [B, T, D]."""

    def __init__(self, config: CodecEncoderConfig):
        super().__init__()
        self.self_attn = CodecAttention(config)
        self.mlp = EncoderMLP(config)
        self.input_layernorm = nn.LayerNorm(config.hidden_size, eps=config.norm_eps)
        self.post_attention_layernorm = nn.LayerNorm(config.hidden_size, eps=config.norm_eps)
        self.self_attn_layer_scale = {"scale": mx.ones((config.hidden_size,))}
        self.mlp_layer_scale = {"scale": mx.ones((config.hidden_size,))}

    def __call__(self, x: mx.array) -> mx.array:
        x = x + self.self_attn_layer_scale["scale"] * self.self_attn.attend(self.input_layernorm(x), 0, (), "causal")[0]
        return x + self.mlp_layer_scale["scale"] * self.mlp(self.post_attention_layernorm(x))


class EncoderTransformer(nn.Module):
    def __init__(self, config: CodecEncoderConfig):
        super().__init__()
        self.layers = [EncoderLayer(config) for _ in range(config.num_hidden_layers)]

    def __call__(self, x: mx.array) -> mx.array:
        for layer in self.layers:
            x = layer(x)
        return x


class SplitQuantizer(nn.Module):
    """[B, T, hidden] -> codes [B, T, K]: semantic and acoustic codebooks quantise the same input separately."""

    def __init__(self, config: CodecEncoderConfig, codebooks: int):
        super().__init__()
        shape = (config.codebook_size, config.codebook_dim, config.hidden_size)
        semantic = config.num_semantic_quantizers
        self.semantic_residual_vector_quantizer = ResidualQuantizer(semantic, *shape)
        self.acoustic_residual_vector_quantizer = ResidualQuantizer(codebooks - semantic, *shape)

    def __call__(self, x: mx.array) -> mx.array:
        codes = [self.semantic_residual_vector_quantizer(x), self.acoustic_residual_vector_quantizer(x)]
        return mx.concatenate(codes, axis=-1)


class CodecEncoder(nn.Module):
    """The modules are named and numbered as in the checkpoint. Codebooks beyond the valid ones are left out."""

    def __init__(self, config: CodecConfig):
        super().__init__()
        encoder = config.encoder_config
        self.encoder = SeanetEncoder(encoder)
        self.encoder_transformer = EncoderTransformer(encoder)
        ratio = config.encode_downsample_rate // prod(encoder.upsampling_ratios)
        self.downsample = CausalConv1d(
            encoder.hidden_size, encoder.hidden_size, 2 * ratio, stride=ratio, bias=False, pad_mode="edge"
        )
        self.quantizer = SplitQuantizer(encoder, config.encoder_valid_num_quantizers)

    def __call__(self, samples: mx.array) -> mx.array:
        """Samples [B, N] -> codes [B, ceil(N / encode_downsample_rate), K]; N is the same for all rows."""
        x = self.encoder_transformer(self.encoder(samples[..., None]))
        return self.quantizer(self.downsample(x))
