"""The weights of a model as modules: ids, patches and hidden states in, hidden states out. Holds no stream.

Names of modules are those of the released tensors. P frames of D channels are a patch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log
from typing import Any

import mlx.core as mx
import numpy as np
from mlx import nn

from mlx_tts.checkpoints.quantising import quantise_layers
from mlx_tts.checkpoints.tensors import load_strictly
from mlx_tts.models.voxcpm2.checkpoint import Checkpoint
from mlx_tts.models.voxcpm2.config import ModelConfig, StackConfig
from mlx_tts.models.voxcpm2.weights import open_model
from mlx_tts.nn.activations import silu
from mlx_tts.nn.attention import LayerOptions
from mlx_tts.nn.cache import KVCache
from mlx_tts.nn.linear import fit_network, kept_random_state
from mlx_tts.nn.transformer import Transformer

PERIOD, TIME_SCALE = 10_000, 1000  # of the sines that stand for a time of the diffusion
COMPUTED = (".rope_emb.", ".rotary_emb.")  # tables that some conversions store


def layer_options(config: StackConfig) -> LayerOptions:
    return LayerOptions(
        head_norms=False,
        rope=config.rope,
        rope_factors=config.rope_scaling.factors,
        rope_gain=config.rope_scaling.gain,
        residual_scale=config.residual_scale,
    )


def stack(config: StackConfig) -> Transformer:
    return Transformer(config, layer_options(config))


class SemanticLM(Transformer):
    """The language model, with the table of its ids."""

    def __init__(self, config: StackConfig, vocab_size: int):
        super().__init__(config, layer_options(config))
        self.embed_tokens = nn.Embedding(vocab_size, config.hidden_size)


class Quantiser(nn.Module):
    """[..., H] -> [..., H] through a few numbers, each rounded to a step of 1 / scale."""

    def __init__(self, width: int, latent_dim: int, scale: int):
        super().__init__()
        self.in_proj, self.out_proj = nn.Linear(width, latent_dim), nn.Linear(latent_dim, width)
        self.scale = scale

    def __call__(self, x: mx.array) -> mx.array:
        # In float32: rounding to even must not depend on what a shorter type left.
        bounded = mx.tanh(self.in_proj(x).astype(mx.float32))
        return self.out_proj((mx.round(bounded * self.scale) / self.scale).astype(x.dtype))


class LocalEncoder(nn.Module):
    """A patch [B, P, D] -> one row [B, W]: what a special row in front of its frames sees of them."""

    def __init__(self, config: StackConfig, channels: int):
        super().__init__()
        self.special_token = mx.zeros((1, 1, 1, config.hidden_size))
        self.in_proj = nn.Linear(channels, config.hidden_size)
        self.encoder = stack(config)

    def __call__(self, patches: mx.array) -> mx.array:
        return self.encoder.read_at_once(self.rows(patches))[:, 0]

    def rows(self, patches: mx.array) -> mx.array:
        """[B, P, D] -> [B, 1 + P, W]: the special row and the frames."""
        x = self.in_proj(patches.astype(self.special_token.dtype))
        first = mx.broadcast_to(self.special_token[0], (patches.shape[0], 1, x.shape[-1]))
        return mx.concatenate([first, x], axis=1)


class TimeMLP(nn.Module):
    """[..., W] -> [..., W]"""

    def __init__(self, width: int):
        super().__init__()
        self.linear_1, self.linear_2 = nn.Linear(width, width), nn.Linear(width, width)

    def __call__(self, x: mx.array) -> mx.array:
        return self.linear_2(silu(self.linear_1(x)))


class Estimator(nn.Module):
    """The diffusion transformer: patches on their way from noise, what conditions them and a time -> velocities."""

    def __init__(self, config: ModelConfig):
        super().__init__()
        own = config.local_decoder
        D, width = config.fields.feat_dim, own.hidden_size
        self.in_proj, self.cond_proj, self.out_proj = (
            nn.Linear(*sizes) for sizes in ((D, width), (D, width), (width, D))
        )
        self.time_mlp, self.delta_time_mlp = TimeMLP(width), TimeMLP(width)
        self.decoder = stack(own)
        self._width, self.joined = width, config.joined

    @property
    def dtype(self) -> mx.Dtype:
        return self.decoder.norm.weight.dtype  # type: ignore[no-any-return]

    def time_embedding(self, times: Sequence[float], step_sizes: Sequence[float]) -> mx.array:
        """[n, W]: one row for each time and the size of the step from there."""
        first, second = mx.array(self._sines(times)), mx.array(self._sines(step_sizes))
        return self.time_mlp(first.astype(self.dtype)) + self.delta_time_mlp(second.astype(self.dtype))

    def _sines(self, times: Sequence[float]) -> np.ndarray:
        half = self._width // 2
        # In float32 throughout, as the reference: the exponents' rounding is heard in no patch, but it is seen.
        frequencies = np.exp(np.arange(half, dtype=np.float32) * np.float32(-log(PERIOD) / max(1, half - 1)))
        angles = np.float32(TIME_SCALE) * np.array(times, np.float32)[:, None] * frequencies
        return np.concatenate([np.sin(angles), np.cos(angles)], axis=-1)

    def conditions(self, mu: mx.array, last: mx.array) -> tuple[mx.array, mx.array]:
        """mu [B, rows * W] and the patch before [B, P, D] -> the rows of both, the same in every step."""
        return mu.reshape(mu.shape[0], -1, self._width), self.cond_proj(last.astype(self.dtype))

    def __call__(
        self, x: mx.array, mu: mx.array, conditions: mx.array, time: mx.array, mask: mx.array | None
    ) -> mx.array:
        """x [B, P, D], mu [B, N, rows, W], conditions [B, P, W], time [W] -> [B, N, P, D] in float32.

        N: parts of an utterance, 2 where it is guided. They stand behind each other as one sequence, which `mask`
        parts again: so each layer is one product for all of them, and an utterance has the bits that it has alone.
        """
        B, patch, D = x.shape
        N, width = mu.shape[1], self._width
        frames = self.in_proj(x.astype(self.dtype))
        own_row = mx.broadcast_to(time, (B, N, 1, width))
        head = mx.concatenate([mu, own_row], axis=2) if self.joined else mu + time
        shared = mx.concatenate([conditions, frames], axis=1)[:, None]
        rows = mx.concatenate([head, mx.broadcast_to(shared, (B, N, 2 * patch, width))], axis=2)
        L = rows.shape[2]
        y = self.decoder.read_at_once(rows.reshape(B, N * L, width), mask)
        y = y.reshape(B, N, L, width)[:, :, L - patch :].reshape(B, N * patch, width)
        return self.out_proj(y).reshape(B, N, patch, D).astype(mx.float32)

    def mask(self, parts: int, rows: int, patch: int) -> mx.array | None:
        """[parts * L, parts * L] boolean: each of the parts, with `rows` of mu, sees itself alone."""
        if parts == 1:
            return None
        length = rows + int(self.joined) + 2 * patch
        return mx.array(np.kron(np.eye(parts, dtype=np.bool_), np.ones((length, length), np.bool_)))


class LocalDecoder(nn.Module):
    """Holds the estimator under the name that the files have for it."""

    def __init__(self, config: ModelConfig):
        super().__init__()
        self.estimator = Estimator(config)


class VoxCPM(nn.Module):
    """All that model.safetensors holds."""

    def __init__(self, config: ModelConfig):
        super().__init__()
        self.config = config
        width, D = config.semantic.hidden_size, config.fields.feat_dim
        inner, outer = config.local_encoder.hidden_size, config.local_decoder.hidden_size
        self.base_lm = SemanticLM(config.semantic, config.vocab_size)
        self.residual_lm = stack(config.residual)
        self.feat_encoder = LocalEncoder(config.local_encoder, D)
        self.feat_decoder = LocalDecoder(config)
        fields = config.fields
        self.fsq_layer = Quantiser(width, fields.scalar_quantization_latent_dim, fields.scalar_quantization_scale)
        self.enc_to_lm_proj = nn.Linear(inner, width)
        self.lm_to_dit_proj, self.res_to_dit_proj = nn.Linear(width, outer), nn.Linear(width, outer)
        if config.joined:
            self.fusion_concat_proj = nn.Linear(2 * width, width)
        self.stop_proj, self.stop_head = nn.Linear(width, width), nn.Linear(width, 2, bias=False)

    @property
    def dtype(self) -> mx.Dtype:
        return self.base_lm.norm.weight.dtype  # type: ignore[no-any-return]

    @property
    def estimator(self) -> Estimator:
        return self.feat_decoder.estimator

    def embed(self, ids: Sequence[int]) -> mx.array:
        """Ids -> [n, H]"""
        rows = self.base_lm.embed_tokens(mx.array(list(ids), mx.int32))
        return rows if self.config.embedding_scale == 1.0 else rows * self.config.embedding_scale

    def encode(self, patches: mx.array) -> mx.array:
        """[B, P, D] -> [B, H]: patches as the language models read them."""
        return self.enc_to_lm_proj(self.feat_encoder(patches))

    def fused(self, lm: mx.array, audio: mx.array) -> mx.array:
        """[..., H] of the semantic model, and of the audio -> what the residual model reads."""
        if self.config.joined:
            return self.fusion_concat_proj(mx.concatenate([lm, audio], axis=-1))
        return lm + audio

    def mu(self, lm: mx.array, residual: mx.array) -> mx.array:
        """[B, H] of both -> [B, rows * W]: what the diffusion is conditioned by."""
        first, second = self.lm_to_dit_proj(lm), self.res_to_dit_proj(residual)
        return mx.concatenate([first, second], axis=-1) if self.config.joined else first + second

    def stop_logits(self, lm: mx.array) -> mx.array:
        """[B, H] -> [B, 2]: to go on, and to stop."""
        return self.stop_head(silu(self.stop_proj(lm))).astype(mx.float32)

    def make_caches(self) -> tuple[list[KVCache], list[KVCache]]:
        """Of the semantic and of the residual model."""
        return [KVCache() for _ in self.base_lm.layers], [KVCache() for _ in self.residual_lm.layers]

    def prepare(self) -> None:
        """Fit the layers for the device."""
        parts: list[Any] = [self.base_lm, self.residual_lm, self.feat_encoder.encoder, self.estimator.decoder]
        for part in parts:
            part.fuse_projections()


@kept_random_state()
def open_network(checkpoint: Checkpoint) -> VoxCPM:
    """The network as it is stored, lazy."""
    file = open_model(checkpoint.folder)
    parameters = {name: value for name, value in file.tensors.items() if not any(part in name for part in COMPUTED)}
    model = VoxCPM(checkpoint.model)
    quantise_layers(model, "", parameters, checkpoint.raw.get("quantization"))
    load_strictly(model, parameters, file.path)
    return model


def load_network(checkpoint: Checkpoint, dtype: str | None, log: Callable[[str], None]) -> VoxCPM:
    """Build, load strictly, fit for the device."""
    model = open_network(checkpoint)
    fit_network(model, dtype, log, feeds_back=True)
    return model
