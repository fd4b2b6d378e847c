"""A small codec's decoder for streams on the CPU, by NumPy alone: a frame in half of MLX's time there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mlx.utils import tree_flatten
from numpy.typing import NDArray

from mlx_tts.generation.synthesizer import Decoded
from mlx_tts.models.qwen3_tts.codec.decoder import (
    CodecDecoder,
    ConvNeXtBlock,
    ResidualUnit,
    UpsampleBlock,
    WindowLayer,
    WindowTransformer,
)
from mlx_tts.models.qwen3_tts.config import CodecDecoderConfig
from mlx_tts.nn.activations import SnakeBeta
from mlx_tts.nn.attention import periods_of
from mlx_tts.nn.conv import CausalConv1d, CausalConvTranspose1d
from mlx_tts.nn.row_steps import CACHED_BYTES, Floats, attention, quiet, rotated, silu
from mlx_tts.nn.stream_rows import (
    RowChain,
    RowConv,
    RowLayer,
    RowLinear,
    RowNorm,
    RowSnake,
    RowTransposeConv,
    gelu,
)
from mlx_tts.runtime.device import policy
from mlx_tts.samples import Samples

FRAMES_AT_ONCE = 4  # what the widest layers make of them stays in the processor's cache


def codec_rows(decoder: CodecDecoder) -> CodecRows | None:
    """For a small codec on the CPU; None for all others. The decoder's weights are there."""
    weights: Any = tree_flatten(decoder.parameters())
    is_small = sum(value.nbytes for _, value in weights) <= CACHED_BYTES
    has_own_keys = decoder.config.num_attention_heads == decoder.config.num_key_value_heads
    return CodecRows(decoder) if policy().prefers_products and is_small and has_own_keys else None


class CodecRows:
    """What `CodecDecoder.step` computes, for one stream at a time, which has the same samples in any company."""

    def __init__(self, decoder: CodecDecoder):
        config = decoder.config
        self._table = np.asarray(decoder.quantizer.table)
        self._first_rows = np.arange(config.num_quantizers) * config.codebook_size
        self._layers = RowChain([_rows_of(layer, config) for layer in decoder.stages()])

    def make_state(self) -> Any:
        """State before the first frame. `step` changes no state that it is given."""
        return self._layers.make_state()

    def step(self, codes: NDArray[Any], state: Any) -> tuple[Samples, Any]:
        """The next frames [T, K], the state before them -> their samples [T * samples_per_frame], the state after."""
        made = []
        with quiet():
            for at in range(0, len(codes), FRAMES_AT_ONCE):
                read = self._table[codes[at : at + FRAMES_AT_ONCE] + self._first_rows].sum(axis=1)
                samples, state = self._layers.step(read, state)
                made.append(np.clip(samples[:, 0], -1, 1))
        return np.concatenate([np.zeros(0, np.float32), *made]), state

    def decode(self, pieces: Sequence[tuple[NDArray[Any], Any]]) -> Decoded:
        """The next frames of each stream and its state before them -> its samples and its state after."""
        return Decoded([self.step(*piece) for piece in pieces])


def _rows_of(layer: Any, config: CodecDecoderConfig) -> RowLayer:
    if isinstance(layer, WindowTransformer):
        return WindowRows(layer, config.rope_theta)
    if isinstance(layer, UpsampleBlock):
        return RowChain([_rows_of(part, config) for part in layer.stages()])
    if isinstance(layer, ResidualUnit):
        parts = layer.act1, layer.conv1, layer.act2, layer.conv2
        return RowChain([_rows_of(part, config) for part in parts], around=True)
    return FORMS[type(layer)](layer)


class ConvNeXtRows:
    """`ConvNeXtBlock`."""

    def __init__(self, block: ConvNeXtBlock):
        self._conv, self._norm, self._gamma = (
            RowConv(block.dwconv),
            RowNorm(block.norm),
            np.array(block.gamma, np.float32),
        )
        self._up, self._down = RowLinear(block.pwconv1), RowLinear(block.pwconv2)

    def make_state(self) -> Floats:
        return self._conv.make_state()

    def step(self, x: Floats, state: Floats) -> tuple[Floats, Floats]:
        y, state = self._conv.step(x, state)
        return x + self._gamma * self._down(gelu(self._up(self._norm(y)))), state


class WindowRows:
    """`WindowTransformer`. The state: how many positions came before, and keys and values of the last of them in each
    layer, [2, heads, window - 1, head_dim]."""

    def __init__(self, transformer: WindowTransformer, theta: float):
        self._window = transformer.window
        self._read, self._write = RowLinear(transformer.input_proj), RowLinear(transformer.output_proj)
        self._layers = [WindowLayerRows(layer) for layer in transformer.layers]
        self._norm = RowNorm(transformer.norm)
        self._periods = periods_of(self._layers[0].head_dim, theta)

    def make_state(self) -> tuple[int, tuple[Floats, ...]]:
        return 0, tuple(
            np.zeros((2, layer.heads, self._window - 1, layer.head_dim), np.float32) for layer in self._layers
        )

    def step(self, x: Floats, state: tuple[int, tuple[Floats, ...]]) -> tuple[Floats, Any]:
        before, past = state
        query, key = np.arange(len(x))[:, None], np.arange(self._window - 1 + len(x))
        seen = (key >= query) & (key < query + self._window) & (key + before >= self._window - 1)
        unseen = np.where(seen, np.float32(0), np.float32(-np.inf))
        angles = (before + query) / self._periods
        turn = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
        x, after = self._read(x), []
        for layer, own in zip(self._layers, past, strict=True):
            x, own = layer.step(x, own, turn, unseen)
            after.append(own)
        return self._write(self._norm(x)), (before + len(query), tuple(after))


class WindowLayerRows:
    """`WindowLayer`."""

    def __init__(self, layer: WindowLayer):
        attention, mlp = layer.self_attn, layer.mlp
        self.heads, self.head_dim = attention.heads, attention.head_dim
        self._qkv = [RowLinear(one) for one in (attention.q_proj, attention.k_proj, attention.v_proj)]
        self._out = RowLinear(attention.o_proj)
        self._gate, self._up, self._down = map(RowLinear, (mlp.gate_proj, mlp.up_proj, mlp.down_proj))
        self._before_attention, self._before_mlp = (
            RowNorm(layer.input_layernorm),
            RowNorm(layer.post_attention_layernorm),
        )
        self._attention_scale = np.array(layer.self_attn_layer_scale["scale"], np.float32)
        self._mlp_scale = np.array(layer.mlp_layer_scale["scale"], np.float32)

    def step(self, x: Floats, past: Floats, turn: tuple[Floats, Floats], unseen: Floats) -> tuple[Floats, Floats]:
        """[T, D], keys and values before, cosines and sines [T, head_dim / 2], what is added to scores [T, keys]."""
        y, past = self._attended(self._before_attention(x), past, turn, unseen)
        x = x + self._attention_scale * self._out(y)
        y = self._before_mlp(x)
        return x + self._mlp_scale * self._down(silu(self._gate(y)) * self._up(y)), past

    def _attended(self, x: Floats, past: Floats, turn: tuple[Floats, Floats], unseen: Floats) -> tuple[Floats, Floats]:
        q, k, v = (part(x).reshape(len(x), self.heads, self.head_dim).swapaxes(0, 1) for part in self._qkv)
        kv = np.concatenate([past, np.stack([rotated(k, *turn), v])], axis=2)
        y = attention(rotated(q, *turn) * np.float32(self.head_dim**-0.5), kv[0], kv[1], unseen)
        return y.swapaxes(0, 1).reshape(len(x), -1), kv[:, :, len(x) :].copy()


FORMS: dict[type, Callable[[Any], RowLayer]] = {
    CausalConv1d: RowConv,
    CausalConvTranspose1d: RowTransposeConv,
    SnakeBeta: RowSnake,
    ConvNeXtBlock: ConvNeXtRows,
}
