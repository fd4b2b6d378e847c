"""Weights and configs in, packages out: the embedders, the two decoders and the decoder of the codec.

Every convolution of the codec sees the past only. What a layer still needs of its past inputs is an input of the graph,
and an output for the next frame; of the transformer the graph puts out the new column and the host keeps the window.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlx_tts.export.coreml.graph import Form, Graph, Past, Sizes, Stack, Weights, save
from mlx_tts.models.qwen3_tts.codec.decoder import CONVNEXT_KERNEL, DILATIONS
from mlx_tts.models.qwen3_tts.config import CodecDecoderConfig, TalkerConfig, TransformerConfig
from mlx_tts.models.qwen3_tts.coreml.manifest import decoder_names

WIDEST = 16_384  # of an axis; older chips take no more
MOST_LAYERS = 14  # of one package: the caches of 14 layers of the released models have 14,336 channels
FRAME_COLUMNS = 32  # of the code predictor's cache: the least that the Neural Engine takes as a state
Shape = tuple[int, ...]
KERNEL = 7
PRE_KERNEL = 3


@dataclass(frozen=True)
class StackPart:
    """Layers `first` to `first + sizes.layers` of a stack. last: the final norm and the heads follow."""

    name: str
    first: int
    sizes: Sizes
    columns: int
    last: bool

    @property
    def cache_shape(self) -> Shape:
        return (1, self.sizes.layers * self.sizes.cache_channels, 1, self.columns)


def sizes_of(config: TransformerConfig, layers: int | None = None) -> Sizes:
    return Sizes(
        config.hidden_size,
        config.num_hidden_layers if layers is None else layers,
        config.num_attention_heads,
        config.num_key_value_heads,
        config.head_dim,
        config.rms_norm_eps,
    )


def code_decoder_parts(config: TalkerConfig, context: int) -> list[StackPart]:
    """The talker's layers in as few packages as hold them, as even as they can be."""
    channels = config.num_key_value_heads * config.head_dim
    most = max(1, min(MOST_LAYERS, WIDEST // channels))
    count = -(-config.num_hidden_layers // most)
    parts, first, names = [], 0, decoder_names(count)
    for at in range(count):
        layers = (config.num_hidden_layers - first) // (count - at)
        parts.append(StackPart(names[at], first, sizes_of(config, layers), context, at + 1 == count))
        first += layers
    return parts


def head_groups(count: int, vocabulary: int) -> list[range]:
    """The heads 0 to count in groups whose outputs are not wider than an axis may be."""
    most = max(1, WIDEST // vocabulary)
    groups = -(-count // most)
    size = -(-count // groups)
    return [range(at, min(at + size, count)) for at in range(0, count, size)]


def save_decoder_part(path: Path, form: Form, part: StackPart, weights: Weights, width: int,
                      heads: Mapping[str, list[str]], projection: str | None = None) -> None:  # fmt: skip
    """One position through some layers. heads: name of an output -> names of the weights that make it."""
    half = part.sizes.head_dim // 2
    inputs = {
        "x": (1, width, 1, 1),
        "mask": (1, 1, 1, part.columns),
        "cosine": (1, 1, half, 1),
        "sine": (1, 1, half, 1),
    }

    def body(graph: Graph, given: dict[str, Any]) -> dict[str, Any]:
        past = Past(*(given[name] for name in ("keys", "values", "mask", "cosine", "sine")))
        x = given["x"]
        if projection is not None:
            x = graph.linear(x, weights(f"{projection}.weight"), weights(f"{projection}.bias"), full=True)
        x, keys, values = Stack(graph, part.sizes, lambda name: weights(f"model.{name}"), past)(x, part.first)
        if not part.last:
            return {"hidden": x, "new_keys": keys, "new_values": values}
        x = graph.rms_norm(x, weights("model.norm.weight"), part.sizes.epsilon)
        made = {name: _joined(graph, [graph.linear(x, weights(head), full=True) for head in names])
                for name, names in heads.items()}  # fmt: skip
        return {"hidden": x, "new_keys": keys, "new_values": values, **made}

    save(path, form, inputs, body, states={"keys": part.cache_shape, "values": part.cache_shape})


def _joined(graph: Graph, values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else graph.op.concat(values=values, axis=1)


def save_embedder(path: Path, form: Form, table: Any) -> None:
    """One row of a table: id [1] -> [1, D, 1, 1]."""

    def body(graph: Graph, given: dict[str, Any]) -> dict[str, Any]:
        return {"embedding": _row(graph, given["id"], table)}

    save(path, form, {}, body, ids={"id": (1,)})


def save_text_projector(path: Path, form: Form, weights: Weights, table: Any) -> None:
    """A text id [1] -> what the talker reads of it [1, D, 1, 1]: its row through two products with SiLU between."""

    def body(graph: Graph, given: dict[str, Any]) -> dict[str, Any]:
        x = _row(graph, given["id"], table)
        for name in ("linear_fc1", "linear_fc2"):
            stored = [weights(f"text_projection.{name}.{part}") for part in ("weight", "bias")]
            x = graph.linear(x, stored[0], stored[1], full=True)
            x = graph.op.silu(x=x) if name == "linear_fc1" else x
        return {"embedding": x}

    save(path, form, {}, body, ids={"id": (1,)})


def _row(graph: Graph, number: Any, table: Any) -> Any:
    stored = graph.op.const(val=graph.array(table), name="table")
    row = graph.op.gather(x=stored, indices=number, axis=0)
    return graph.op.reshape(x=row, shape=[1, table.shape[1], 1, 1])


def codec_sizes(config: CodecDecoderConfig) -> Sizes:
    return Sizes(
        config.hidden_size,
        config.num_hidden_layers,
        config.num_attention_heads,
        config.num_key_value_heads,
        config.head_dim,
        config.rms_norm_eps,
        head_norms=False,
        layer_scale=True,
    )


def tail_shapes(config: CodecDecoderConfig) -> dict[str, tuple[int, ...]]:
    """Name of a layer's tail -> its shape: the inputs before this frame that the layer still reads."""
    latent = config.latent_dim
    tails = {"pre_conv": (config.codebook_dim, PRE_KERNEL - 1)}
    tails |= {f"upsample_{at}": (latent, CONVNEXT_KERNEL - 1) for at in range(len(config.upsampling_ratios))}
    tails["decoder_0"] = (latent, KERNEL - 1)
    width = config.decoder_dim
    for at in range(1, len(config.upsample_rates) + 1):
        tails[f"decoder_{at}_up"] = (width, 1)
        width //= 2
        tails |= {f"decoder_{at}_{unit}": (width, (KERNEL - 1) * dilation) for unit, dilation in enumerate(DILATIONS)}
    tails["decoder_last"] = (width, KERNEL - 1)
    return {name: (1, channels, 1, columns) for name, (channels, columns) in tails.items()}


def state_shapes(config: CodecDecoderConfig) -> dict[str, tuple[int, ...]]:
    """Everything that goes from frame to frame: the tails, and the keys and values of the window."""
    sizes = codec_sizes(config)
    cache = (1, sizes.layers * sizes.cache_channels, 1, config.sliding_window - 1)
    return {"keys": cache, "values": cache, **tail_shapes(config)}


def save_speech_decoder(path: Path, form: Form, config: CodecDecoderConfig, weights: Weights) -> None:
    half, past = (1, 1, config.head_dim // 2, 1), config.sliding_window - 1
    inputs: dict[str, tuple[int, ...]] = {
        "x": (1, config.codebook_dim, 1, 1),
        "mask": (1, 1, 1, past),
        "cosine": half,
        "sine": half,
    }
    inputs |= state_shapes(config)
    save(path, form, inputs, lambda graph, given: _SpeechDecoder(graph, config, weights, given).outputs())


class _SpeechDecoder:
    def __init__(self, graph: Graph, config: CodecDecoderConfig, weights: Weights, given: dict[str, Any]):
        self.graph, self.op, self.config, self.weights, self.given = graph, graph.op, config, weights, given
        self.results: dict[str, Any] = {}

    def outputs(self) -> dict[str, Any]:
        config = self.config
        x = self._conv(self.given["x"], "pre_conv", "pre_conv.conv")
        x = self._transformer(x)
        for at, ratio in enumerate(config.upsampling_ratios):
            prefix = f"upsample.{at}"
            x = self._transposed(x, f"{prefix}.0.conv", ratio)
            x = self._convnext(x, at, f"{prefix}.1")
        x = self._conv(x, "decoder_0", "decoder.0.conv")
        for at, rate in enumerate(config.upsample_rates, 1):
            x = self._upsample(x, at, rate)
        last = len(config.upsample_rates) + 1
        x = self._snake(x, f"decoder.{last}")
        x = self._conv(x, "decoder_last", f"decoder.{last + 1}.conv")
        number = self.graph.number
        return {"samples": self.op.clip(x=x, alpha=number(-1), beta=number(1)), **self.results}

    def _with_tail(self, x: Any, name: str) -> Any:
        """x behind the inputs before it; the last of both are the next frame's tail."""
        tail = self.given[name]
        whole = self.op.concat(values=[tail, x], axis=3)
        columns = tail.shape[3]
        begin = [0, 0, 0, whole.shape[3] - columns]
        self.results[f"next_{name}"] = self.op.slice_by_size(x=whole, begin=begin, size=list(tail.shape))
        return whole

    def _conv(self, x: Any, tail: str, prefix: str, dilation: int = 1, groups: int = 1) -> Any:
        weight, bias = self.weights(f"{prefix}.weight"), self.weights(f"{prefix}.bias")
        return self.graph.convolution(self._with_tail(x, tail), weight, bias, dilation, groups)

    def _transposed(self, x: Any, prefix: str, stride: int) -> Any:
        weight, bias = self.weights(f"{prefix}.weight"), self.weights(f"{prefix}.bias")
        return self.graph.transposed_convolution(x, weight, bias, stride)

    def _linear(self, x: Any, prefix: str) -> Any:
        return self.graph.linear(x, self.weights(f"{prefix}.weight"), self.weights(f"{prefix}.bias"), full=True)

    def _transformer(self, x: Any) -> Any:
        given, prefix = self.given, "pre_transformer."
        past = Past(*(given[name] for name in ("keys", "values", "mask", "cosine", "sine")))
        sizes = codec_sizes(self.config)
        stack = Stack(self.graph, sizes, lambda name: self.weights(prefix + name), past)
        x, keys, values = stack(self._linear(x, f"{prefix}input_proj"))
        self.results |= {"new_keys": keys, "new_values": values}
        x = self.graph.rms_norm(x, self.weights(f"{prefix}norm.weight"), sizes.epsilon)
        return self._linear(x, f"{prefix}output_proj")

    def _convnext(self, x: Any, at: int, prefix: str) -> Any:
        op, array = self.op, self.graph.array
        y = self._conv(x, f"upsample_{at}", f"{prefix}.dwconv.conv", groups=self.config.latent_dim)
        gamma, beta = (array(self.weights(f"{prefix}.norm.{part}")) for part in ("weight", "bias"))
        y = op.layer_norm(x=y, axes=[1], gamma=gamma, beta=beta, epsilon=self.graph.number(1e-6))
        y = op.gelu(x=self._linear(y, f"{prefix}.pwconv1"), mode="EXACT")
        y = op.mul(x=self._linear(y, f"{prefix}.pwconv2"), y=self._by_channel(f"{prefix}.gamma"))
        return op.add(x=x, y=y)

    def _upsample(self, x: Any, at: int, rate: int) -> Any:
        """An output of the transposed convolution depends on two inputs, so one column of the past is enough."""
        prefix = f"decoder.{at}.block"
        x = self._with_tail(self._snake(x, f"{prefix}.0"), f"decoder_{at}_up")
        length = (x.shape[3] - 1) * rate
        x = self._transposed(x, f"{prefix}.1.conv", rate)
        x = self.op.slice_by_size(x=x, begin=[0, 0, 0, rate], size=[1, x.shape[1], 1, length])
        for unit, dilation in enumerate(DILATIONS):
            own = f"{prefix}.{2 + unit}"
            y = self._conv(self._snake(x, f"{own}.act1"), f"decoder_{at}_{unit}", f"{own}.conv1.conv", dilation)
            y = self._snake(y, f"{own}.act2")
            weight, bias = self.weights(f"{own}.conv2.conv.weight"), self.weights(f"{own}.conv2.conv.bias")
            x = self.op.add(x=x, y=self.graph.convolution(y, weight, bias))
        return x

    def _snake(self, x: Any, prefix: str) -> Any:
        """x + sin(frequency * x)^2 * amplitude"""
        op = self.op
        sine = op.sin(x=op.mul(x=x, y=self._by_channel(f"{prefix}.alpha")))
        return op.add(x=x, y=op.mul(x=op.mul(x=sine, y=sine), y=self._by_channel(f"{prefix}.beta")))

    def _by_channel(self, name: str) -> Any:
        return self.graph.array(self.weights(name).reshape(1, -1, 1, 1))
