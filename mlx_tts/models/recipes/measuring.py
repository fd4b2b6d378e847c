"""A checkpoint in, the bits of each part of its network out: `mlx-tts convert --bits 4`, for every family.

The model speaks everyday sentences. Then its network, with plain weights, reads all of it again with one part quantised
at a time: how far do its outputs move? What its parts and outputs are, the family says (`contract.Measurable`).
"""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import mlx.core as mx
from mlx import nn

from mlx_tts.checkpoints.least_squares import quantise
from mlx_tts.checkpoints.quantising import DTYPES, dequantised
from mlx_tts.checkpoints.recipe import MEGABYTE, Divergences, Part, Recipe, find_recipe
from mlx_tts.checkpoints.work import FIT_SECONDS, FITTING, ConversionWork
from mlx_tts.models.convert_options import ConvertOptions
from mlx_tts.models.recipes import speech
from mlx_tts.models.recipes.contract import Log, Measurable, PartOf
from mlx_tts.models.recipes.kept import KeptMeasurements
from mlx_tts.runtime.device import backend

# Usual seconds for each weight that a position meets; they are right for their proportions alone.
SPEAK_SECONDS, READ_SECONDS = 5e-10, 1e-10
Bits = Mapping[str, int]  # of a layer by its path, or of a part by its name


def reading(output: str) -> str:
    """The kind of work."""
    return f"reading for the {output}"


def measured_recipe(
    family: Measurable, checkpoint: Any, options: ConvertOptions, group_size: int, file_bytes: int, log: Log
) -> Recipe:
    """The recipe of a checkpoint, on the MLX thread. file_bytes: what the file takes where all measured layers have the
    bits of the options. It takes about as long as speaking for a minute and converting four times, less what an earlier
    run has measured. RequestError where the budget is too small."""
    return _Measurement(family, checkpoint, options, group_size, ConversionWork.of(log)).recipe(file_bytes)


class _Measurement:
    """kept: what was measured, by this run or an earlier one. Sentences are spoken when something must be measured."""

    def __init__(
        self, family: Measurable, checkpoint: Any, options: ConvertOptions, group_size: int, work: ConversionWork
    ):
        self._family, self._checkpoint, self._work = family, checkpoint, work
        self._options, self._group_size = options, group_size
        self._outputs = family.outputs(checkpoint)
        network = family.plain_network(checkpoint, speech.untold)
        self._frame_weights = family.frame_weights(network, checkpoint)
        self._groups = family.parts(checkpoint, options)
        self._parts = parts_of(layers_of(network, self._groups, group_size), self._groups)
        settings = {
            "form": [group_size, options.dtype, backend()],
            "frames": [speech.MOST_FRAMES, speech.MOST_SENTENCE_FRAMES, speech.ROWS],
            "groups": {name: part.group_size for name, part in self._groups.items() if part.group_size},
        }
        self._kept = KeptMeasurements(checkpoint.folder, settings)
        self._to_measure = [
            (part, bits)
            for part in self._parts
            for bits in part.choices[:-1]
            if self._kept.found(_name({part.name: bits})) is None
        ]
        usual = round(speech.USUAL_FRAMES * speech.MOST_FRAMES)
        self._positions: Mapping[str, int] = dict.fromkeys(self._outputs, usual)
        self._wholes = 0
        if self._to_measure:
            self._plan(sum(part.weights for part, _ in self._to_measure))

    @property
    def _speak_seconds(self) -> float:
        """Usual ones, of a frame."""
        return SPEAK_SECONDS * sum(self._frame_weights.values())

    def _plan(self, weights: int) -> None:
        """weights: to be quantised before the whole is."""
        frames = max(self._positions.values())
        self._work.plan(speech.SPEAKING, 0.0 if self._kept.sentences else frames * self._speak_seconds)
        self._work.plan(FITTING, FIT_SECONDS * (weights + sum(part.weights for part in self._parts)))
        self._plan_reading(self._positions)

    def _plan_reading(self, positions: Mapping[str, int]) -> None:
        """Each output is read once as it is, once for each measurement, and once for the whole. positions: to be read
        for each output, as far as is known."""
        self._positions = positions
        for output in positions:
            passes = 2 + sum(output in self._groups[part.name].outputs for part, _ in self._to_measure)
            self._work.drop(reading(output))
            self._work.plan(reading(output), passes * self._pass_seconds(output))

    def _pass_seconds(self, output: str) -> float:
        return self._positions[output] * self._frame_weights[output] * READ_SECONDS

    def _plan_whole(self) -> None:
        """The first one is planned with the measurements, where there are any."""
        if self._wholes:
            self._work.plan(FITTING, FIT_SECONDS * sum(part.weights for part in self._parts))
            for output in self._outputs:
                self._work.plan(reading(output), self._pass_seconds(output))
        elif not self._to_measure:
            self._plan(0)
        self._wholes += 1

    def recipe(self, file_bytes: int) -> Recipe:
        steps = sum(len(part.choices) - 1 for part in self._parts)
        if self._kept.sentences:
            known = f"{steps - len(self._to_measure)} of {steps} divergences and {self._kept.sentences} sentences"
            self._work(f"recipe: {known} are those of an earlier run")
        costs: dict[str, dict[int, Divergences]] = {}
        for part in self._parts:
            costs[part.name] = {}
            for bits in part.choices[:-1]:
                found = self._divergences({part.name: bits}, self._groups[part.name].outputs)
                costs[part.name][bits] = found
                told = ", ".join(f"{output} {value:.4f}" for output, value in found.items())
                self._work(f"recipe: {part.name} in {bits} bits: {told}")
        budget = None if self._options.budget_mb is None else self._options.budget_mb * MEGABYTE
        assert self._options.bits is not None
        other_bytes = file_bytes - sum(part.bytes(self._options.bits) for part in self._parts)
        limits = {name: output.limit for name, output in self._outputs.items()}
        return find_recipe(self._parts, costs, limits, self._whole, budget, other_bytes)

    def _whole(self, bits: Bits) -> Divergences:
        self._work("recipe: all parts together, " + ", ".join(f"{name} {own}" for name, own in bits.items()))
        if self._kept.found(_name(bits)) is None:
            self._plan_whole()
        return self._divergences(bits, tuple(self._outputs))

    def _divergences(self, bits: Bits, outputs: Sequence[str]) -> Divergences:
        """Of these outputs while the parts have so many bits."""
        name = _name(bits)
        found = self._kept.found(name)
        if found is None:
            layers = {path: bits[part.name] for part in self._parts if part.name in bits for path in part.layers}
            found = self._network.divergences(layers, outputs)
            self._kept.keep(name, found)
        return found

    @cached_property
    def _network(self) -> MeasuredNetwork:
        self._work("recipe: the model speaks sentences of its own")
        sentences = speech.spoken_sentences(self._family, self._checkpoint, self._work, self._speak_seconds, self._kept)
        gc.collect()  # the model that spoke is gone before its network is loaded again
        self._work("recipe: measuring what each part loses in fewer bits")
        asked = self._options, self._group_size
        return MeasuredNetwork(self._family, self._checkpoint, sentences, *asked, self._work, self._plan_reading)


def _name(bits: Bits) -> str:
    return ", ".join(f"{name} {own}" for name, own in sorted(bits.items()))


def layers_of(network: Any, parts: Mapping[str, PartOf], group_size: int) -> dict[str, Any]:
    """The layers of these parts that can be quantised, by their paths."""
    return {
        path: layer
        for path, layer in network.named_modules()
        if isinstance(layer, nn.Linear | nn.Embedding)
        and (own := group_of(path, parts, group_size)) is not None
        and layer.weight.shape[-1] % own == 0
    }


def group_of(path: str, parts: Mapping[str, PartOf], group_size: int) -> int | None:
    """How many weights of a layer share a scale; None: it is of no part. group_size: unless its part has its own."""
    part = next((part for part in parts.values() if re.match(part.paths, path)), None)
    return None if part is None else part.group_size or group_size


def parts_of(layers: Mapping[str, Any], groups: Mapping[str, PartOf]) -> tuple[Part, ...]:
    """What gets bits of its own. layers: see `layers_of`."""
    found = []
    for name, group in groups.items():
        paths = tuple(path for path in layers if re.match(group.paths, path))
        found.append(Part(name, paths, sum(_size(layers[path]) for path in paths), group.choices))
    return tuple(part for part in found if part.layers)


def _size(layer: Any) -> int:
    """How many weights the whole layer has; `TextRows` hold some of them."""
    rows, width = layer.weight.shape
    return int(getattr(layer, "rows", rows) * width)


class MeasuredNetwork:
    """A network of plain weights that reads again what was spoken, and its outputs as it is.

    options and group_size: of the quantised weights that stand in for its own for the time of a measurement. positions:
    is told how many there are to read for each output."""

    def __init__(
        self,
        family: Measurable,
        checkpoint: Any,
        sentences: Sequence[Any],
        options: ConvertOptions,
        group_size: int,
        work: ConversionWork | None = None,
        positions: Callable[[Mapping[str, int]], None] = lambda _positions: None,
    ):
        self._group_size, self._dtype = group_size, DTYPES[options.dtype]
        self._parts = family.parts(checkpoint, options)
        self._work = work or ConversionWork(lambda _line: None)
        self._outputs = family.outputs(checkpoint)
        network = family.plain_network(checkpoint, speech.untold)
        self._frame_weights = family.frame_weights(network, checkpoint)
        self._reader = family.reader(network, checkpoint, sentences)
        self.layers = layers_of(network, self._parts, group_size)
        positions({output: sum(self._reader.positions(output)) for output in self._outputs})
        self.reference = {output: self.read(output) for output in self._outputs}

    def divergences(self, bits: Bits, outputs: Sequence[str]) -> dict[str, float]:
        """Of these outputs while the layers have so many bits, by their paths."""
        with self.replaced((path, self._quantised(path, own)) for path, own in bits.items()):
            return {
                output: self._outputs[output].divergence(self.reference[output], self.read(output))
                for output in outputs
            }

    def _quantised(self, path: str, bits: int) -> mx.array:
        weight, group_size = self.layers[path].weight, group_of(path, self._parts, self._group_size)
        assert group_size is not None
        with self._work.doing(FITTING, _size(self.layers[path]) * FIT_SECONDS):
            made = quantise(weight.astype(self._dtype), bits, group_size, self._dtype)
        return dequantised(made, bits, group_size)

    @contextmanager
    def replaced(self, weights: Iterable[tuple[str, mx.array]]) -> Iterator[None]:
        """While it lasts these layers, by their paths, have other weights."""
        kept = {}
        try:
            for path, weight in weights:
                layer = self.layers[path]
                kept[path] = layer.weight
                layer.weight = weight.astype(layer.weight.dtype)
                mx.eval(layer.weight)
            yield
        finally:
            for path, weight in kept.items():
                self.layers[path].weight = weight

    def read(self, output: str) -> list[mx.array]:
        """[T, ...] of each sentence."""
        made, reader = [], self._reader.read(output)
        for positions in self._reader.positions(output):
            with self._work.doing(reading(output), positions * self._frame_weights[output] * READ_SECONDS):
                made.append(next(reader))
                mx.eval(made[-1])
        return made
