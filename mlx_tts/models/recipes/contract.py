"""What a family says of itself so that the bits of its parts can be measured; no family is named here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import mlx.core as mx
from mlx import nn
from numpy.typing import NDArray

from mlx_tts.checkpoints.quantising import make_plain
from mlx_tts.checkpoints.recipe import BITS, mean_divergence
from mlx_tts.models.convert_options import ConvertOptions
from mlx_tts.nn.linear import cast_network, choose_dtype, kept_random_state
from mlx_tts.speech import CheckedRequest

Log = Callable[[str], None]
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class MeasuredOutput:
    """What a network computes for a frame. limit: the gate. divergence: how far others [...] are from the references,
    pair by pair; the KL of logits in nats, unless a family says otherwise."""

    limit: float
    divergence: Callable[[Sequence[mx.array], Sequence[mx.array]], float] = mean_divergence


@dataclass(frozen=True)
class PartOf:
    """A group of layers that get the same bits. outputs: the names of those that it moves. paths: a pattern that
    begins the paths of its layers. choices: the bits that it may have; a single one is not measured. group_size: how
    many of its weights share a scale, None for as many as in all other layers."""

    outputs: tuple[str, ...]
    paths: str
    choices: tuple[int, ...] = BITS
    group_size: int | None = None


@dataclass(frozen=True)
class SpokenSentence:
    """A sentence that the model said. frames: [T, ...]. more: what else its row knows that the family needs to read it
    again."""

    request: CheckedRequest
    frames: NDArray[Any]
    more: Arrays = field(default_factory=dict)


class TextRows(nn.Embedding):
    """Those rows of a table of text that are needed to read some sentences: [n, width] of `rows` rows."""

    def __init__(self, ids: mx.array, weight: mx.array, rows: int):
        """ids: [n], rising, of the rows in `weight` [n, width]."""
        nn.Module.__init__(self)
        self.weight, self._ids, self.rows = weight, ids, rows

    def __call__(self, ids: mx.array) -> mx.array:
        """[...] ids -> [..., width]"""
        return self.weight[(ids[..., None] > self._ids).sum(-1)]


Network = TypeVar("Network")


def made_plain(network: Network, log: Log, feeds_back: bool = False) -> Network:
    """network: has `dtype`, that of its stored weights. The same one with plain weights, in the dtype in which the
    device computes. feeds_back: as `choose_dtype` says."""
    stored: Any = network
    dtype = choose_dtype(stored.dtype, None, feeds_back)
    with kept_random_state():
        make_plain(stored)
    cast_network(stored, dtype, log)
    return network


class Reader(Protocol):
    """A network of plain weights, and the sentences that it reads again. It reads once as it is, in the order of the
    family's outputs; after that its layers are changed for the time of a reading."""

    def positions(self, output: str) -> Sequence[int]:
        """How many it reads of each sentence for this output."""
        ...

    def read(self, output: str) -> Iterator[mx.array]:
        """The output [T, ...] of each sentence, lazy."""
        ...


class Measurable(Protocol):
    """A family's module of these names.

    NEEDS_WORDS: voices are made of a recording and its transcript, not of the recording alone.
    """

    NEEDS_WORDS: bool

    def outputs(self, checkpoint: Any) -> Mapping[str, MeasuredOutput]:
        """By their names, such as "KL of the first code"."""
        ...

    def parts(self, checkpoint: Any, options: ConvertOptions) -> Mapping[str, PartOf]:
        """Those that the options leave open, by their names. No layer is in two of them."""
        ...

    def plain_network(self, checkpoint: Any, log: Log) -> Any:
        """The network with plain weights in the dtype in which the device computes, lazy."""
        ...

    def frame_weights(self, network: Any, checkpoint: Any) -> Mapping[str, int]:
        """Of each output: the weights that a position meets when it is read, about."""
        ...

    def more_of(self, row: Any) -> Arrays:
        """What of a row is kept with its frames."""
        ...

    def sentence(self, model: Any, spoken: SpokenSentence) -> Any:
        """What a reader takes. model: the one that spoke, loaded."""
        ...

    def reader(self, network: Any, checkpoint: Any, sentences: Sequence[Any]) -> Reader: ...
