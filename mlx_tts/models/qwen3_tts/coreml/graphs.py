"""Weights and configs in, packages out: the embedders and the two decoders (the codec is in codec_graph.py)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlx_tts.export.coreml.graph import Form, Graph, save
from mlx_tts.export.coreml.layers import Past, Sizes, Stack, Weights
from mlx_tts.models.qwen3_tts.config import TalkerConfig, TransformerConfig
from mlx_tts.models.qwen3_tts.coreml.manifest import decoder_names

WIDEST = 16_384  # of an axis; older chips take no more
MOST_LAYERS = 14  # of one package: the caches of 14 layers of the released models have 14,336 channels
FRAME_COLUMNS = 32  # of the code predictor's cache: the least that the Neural Engine takes as a state
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Part:
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


def code_decoder_parts(config: TalkerConfig, context: int) -> list[Part]:
    """The talker's layers in as few packages as hold them, as even as they can be."""
    channels = config.num_key_value_heads * config.head_dim
    most = max(1, min(MOST_LAYERS, WIDEST // channels))
    count = -(-config.num_hidden_layers // most)
    parts, first, names = [], 0, decoder_names(count)
    for at in range(count):
        layers = (config.num_hidden_layers - first) // (count - at)
        parts.append(Part(names[at], first, sizes_of(config, layers), context, at + 1 == count))
        first += layers
    return parts


def head_groups(count: int, vocabulary: int) -> list[range]:
    """The heads 0 to count in groups whose outputs are no wider than an axis may be."""
    most = max(1, WIDEST // vocabulary)
    groups = -(-count // most)
    size = -(-count // groups)
    return [range(at, min(at + size, count)) for at in range(0, count, size)]


def save_decoder_part(path: Path, form: Form, part: Part, weights: Weights, width: int, heads: Mapping[str, list[str]],
                      projection: str | None = None) -> None:  # fmt: skip
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
