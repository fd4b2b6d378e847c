"""The weights of a model as modules: text ids and audio codes in, hidden states and logits out. Holds no stream."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mlx.core as mx
from mlx import nn

from mlx_tts.models.magpie.config import MagpieConfig, StackConfig
from mlx_tts.nn.activations import layer_norm
from mlx_tts.nn.attention import CrossAttention, LayerOptions, Memory
from mlx_tts.nn.cache import KVCache
from mlx_tts.nn.conv import ConvMLP
from mlx_tts.nn.transformer import Transformer

SPECIAL_CODES = 8  # BOS, EOS, context BOS, context EOS, MASK and three in reserve, behind the codebook's own
# Columns that the decoder's caches grow by: a buffer that doubles behind a long context would be half empty, and a copy
# every so many steps takes far less than the steps.
CACHE_GROWTH = 64
BOS, EOS, CONTEXT_BOS, CONTEXT_EOS, MASK = range(5)


def _mlp(config: StackConfig) -> ConvMLP:
    return ConvMLP(config.d_model, config.d_ffn, config.kernel_size, config.is_causal)


def _cross_attention(config: StackConfig) -> CrossAttention:
    norm = layer_norm(config.xa_d_memory, config.rms_norm_eps)
    return CrossAttention(config.d_model, config.xa_d_memory, config.xa_n_heads, config.xa_d_head, norm)


def stack(config: StackConfig, final_norm: bool = True) -> Transformer:
    options = LayerOptions(
        norm=layer_norm,
        head_norms=False,
        rope=False,
        joined=True,
        mlp=_mlp,
        cross_attention=_cross_attention if config.has_xattn else None,
        positions=config.max_length_causal_mask,
        final_norm=final_norm,
    )
    return Transformer(config, options)


class LocalTransformer(nn.Module):
    """Samples the codes of a step one after the other (or in passes): see local_transformer.py."""

    def __init__(self, config: StackConfig, width: int, slots: int, vocabulary: int):
        super().__init__()
        self.causal = config.is_causal
        self.model = stack(config, final_norm=False)
        self.heads = [nn.Linear(config.d_model, vocabulary) for _ in range(slots)]
        if config.d_model != width:
            self.in_projection = nn.Linear(width, config.d_model)

    def project(self, x: mx.array) -> mx.array:
        """[..., D] -> [..., local width]"""
        return self.in_projection(x) if "in_projection" in self else x

    def make_caches(self) -> list[KVCache]:
        return [KVCache(capacity=len(self.heads) + 1) for _ in self.model.layers]


class Magpie(nn.Module):
    """All that model.safetensors holds. slots: codes of one step, those of its first frame first."""

    def __init__(self, config: MagpieConfig, codebook_size: int, codebooks: int, text_rows: int, baked: Sequence[int]):
        """baked: the shape of the table of baked contexts, empty where there is none."""
        super().__init__()
        D = config.embedding_dim
        self.config = config
        self.codebook_size, self.codebooks = codebook_size, codebooks
        self.vocabulary = codebook_size + SPECIAL_CODES
        self.slots = codebooks * config.frame_stacking_factor
        self.text_embedding = nn.Embedding(text_rows, D)
        self.audio_embeddings = [nn.Embedding(self.vocabulary, D) for _ in range(self.slots)]
        self.encoder, self.decoder = stack(config.encoder), stack(config.decoder)
        self.final_proj = nn.Linear(D, self.slots * self.vocabulary)
        if config.local is not None:
            self.local = LocalTransformer(config.local, D, self.slots, self.vocabulary)
        if baked:
            self.baked = mx.zeros(baked)
        elif config.decoder_model_type == "decoder_ce" and config.context_encoder is not None:
            self.context_encoder = stack(config.context_encoder)

    @property
    def dtype(self) -> mx.Dtype:
        return self.decoder.norm.weight.dtype

    def encode(self, ids: Sequence[int]) -> mx.array:
        """Text ids -> [1, n, D]"""
        x = self.text_embedding(mx.array([list(ids)]))
        return self.encoder(x, [KVCache() for _ in self.encoder.layers], causal=self.config.encoder.is_causal)

    def baked_context(self, speaker: int) -> mx.array:
        """[1, T, D]: what stands before the audio of a baked speaker."""
        return self.baked[speaker].reshape(1, -1, self.config.embedding_dim)

    def context_of(self, codes: mx.array) -> mx.array:
        """Codes [frames, C] of a voice sample -> [1, T, D]"""
        C, K, stacked = self.codebooks, self.codebook_size, self.config.frame_stacking_factor
        ends = [mx.full((1, C), K + special, codes.dtype) for special in (CONTEXT_BOS, CONTEXT_EOS)]
        whole = mx.concatenate([ends[0], codes, ends[1]])
        whole = mx.pad(whole, [(0, -whole.shape[0] % stacked), (0, 0)])
        x = self.embed_frames(whole.reshape(1, -1, stacked * C))
        if "context_encoder" not in self:
            return x
        causal = self.config.context_encoder is not None and self.config.context_encoder.is_causal
        return self.context_encoder(x, [KVCache() for _ in self.context_encoder.layers], causal=causal)

    def embed_frames(self, codes: mx.array) -> mx.array:
        """[B, T, slots] -> [B, T, D]: what a stack of frames is to the decoder, the mean of its codes' embeddings."""
        total = self.audio_embeddings[0](codes[..., 0])
        for slot in range(1, self.slots):
            total = total + self.audio_embeddings[slot](codes[..., slot])
        return total / self.slots

    def read_memory(self, encoded: mx.array) -> list[Memory]:
        """[1, n, D] -> what each layer of the decoder attends to."""
        return [layer.cross_attn.read(encoded) for layer in self.decoder.layers]

    def make_caches(self) -> list[KVCache]:
        return [KVCache(growth=CACHE_GROWTH) for _ in self.decoder.layers]

    def prepare(self) -> None:
        """Fit the layers for one position at a time."""
        parts: list[Any] = [self.decoder, *([self.local.model] if "local" in self else [])]
        for part in parts:
            part.fuse_projections()
            part.prepare_decode_step()
