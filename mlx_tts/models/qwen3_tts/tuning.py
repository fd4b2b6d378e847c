"""The quantised code predictor in, better scales and biases of its groups out: `mlx-tts convert --tune`.

The codes stay. Scales and biases move by gradient, so that the logits of the quantised predictor come nearer to those
of the plain one, on frames that the model spoke. Some of the frames are kept aside: they say what is gained.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
import numpy as np
from mlx import nn, optimizers
from mlx.utils import tree_map

from mlx_tts.checkpoints.least_squares import quantise
from mlx_tts.checkpoints.work import FIT_SECONDS, FITTING, ConversionWork
from mlx_tts.errors import RequestError
from mlx_tts.models.qwen3_tts import recipe
from mlx_tts.models.qwen3_tts.checkpoint import Checkpoint
from mlx_tts.models.qwen3_tts.talker import CodePredictor, Talker
from mlx_tts.models.recipes import speech
from mlx_tts.models.recipes.measuring import SPEAK_SECONDS

TUNING = "tuning"  # a kind of work
STEPS, FRAMES = 120, 64  # of a step
TIMES = 3  # as many frames as a recipe measures: all sentences, again with other seeds where they are too few
SEEDS_APART = 10_000
MOST_SECONDS = 540.0
RATE = 0.006  # of Adam, in distances between two codes; it falls to 0 in a line
MOST = 0.5  # such distances: how far the bias of a group may move, and by its scale the ends of its range
ASIDE = 8  # of so many sentences one is for the check, and its words are not tuned on
STEP_SECONDS = 6e-10  # usual ones, for a weight that a frame meets
Layers = dict[str, tuple[mx.array, ...]]  # by their paths: codes, scales and biases
Moves = dict[str, dict[str, mx.array]]  # by the same paths: "scale" and "bias" of each group, see `PredictorTuner._fit`


@dataclass(frozen=True)
class Tuning:
    """layers: as they shall be stored, none where nothing was gained. before and after: the KL of the code predictor on
    the frames kept aside, in nats. losses: of each step, on the other frames. is_whole: whether nobody stopped it."""

    layers: Layers
    before: float
    after: float
    frames: int
    losses: tuple[float, ...]
    is_whole: bool

    @property
    def line(self) -> str:
        """For people, and for the model card."""
        if not self.is_whole:
            return "tuning was stopped: scales and biases of the code predictor are those of least squares"
        found = (
            f"{recipe.PREDICTOR} {self.before:.4f} before, {self.after:.4f} after, on {self.frames} frames kept aside"
        )
        if not self.layers:
            return f"tuning gained nothing, so scales and biases stay those of least squares: {found}"
        return f"scales and biases of the code predictor were tuned by gradient: {found}"


@dataclass(frozen=True)
class Frames:
    """What the predictor reads [N, K, D], and the logarithms of the probabilities that it gives then [N, K - 1, V]."""

    inputs: mx.array
    logs: mx.array

    def __len__(self) -> int:
        return int(self.inputs.shape[0])


def predictor_layers(talker: Talker) -> dict[str, nn.Linear]:
    """By their paths in the predictor: those that a conversion quantises where groups fit."""
    prefix = "code_predictor."
    patterns = [re.compile(part.paths) for part in recipe.PARTS.values() if part.outputs == (recipe.PREDICTOR,)]
    found = {path: layer for path, layer in talker.named_modules() if isinstance(layer, nn.Linear)}
    return {
        path.removeprefix(prefix): layer
        for path, layer in found.items()
        if any(pattern.match(path) for pattern in patterns)
    }


def tuned_predictor(
    checkpoint: Checkpoint, bits: Mapping[str, int], group_size: int, dtype: mx.Dtype, work: ConversionWork
) -> Tuning:
    """What is best for a checkpoint whose predictor's layers have so many bits, by their paths in the predictor. The
    model speaks first. While the steps last, `work.stop` ends them: then the scales of least squares are kept.
    ModelError where nothing is said."""
    work("tuning: the model speaks sentences of its own")
    network = recipe.plain_network(checkpoint, speech.untold)
    seconds = SPEAK_SECONDS * sum(recipe.frame_weights(network, checkpoint).values())
    wanted = TIMES * speech.MOST_FRAMES
    work.plan(speech.SPEAKING, wanted * seconds)
    weights = [layer.weight for layer in predictor_layers(network).values()]
    work.plan(TUNING, STEPS * _step_seconds(weights, network.code_predictor))
    del network  # another one was loaded to speak
    spoken: list[recipe.Sentence] = []
    turn = 0
    while (left := wanted - sum(len(one.codes) for one in spoken)) > 0:
        spoken += speech.spoken_sentences(recipe, checkpoint, work, seconds, None, turn * SEEDS_APART, left)
        turn += 1
    work("tuning: reading what was spoken")
    talker = recipe.plain_network(checkpoint, speech.untold)
    frames, aside = frames_of(talker, recipe.reader(talker, checkpoint, spoken), spoken)
    predictor, layers = talker.code_predictor, predictor_layers(talker)
    del talker  # the large network is not needed any more
    work("tuning: scales and biases of the code predictor (Ctrl-C keeps those of least squares)")
    with work.stoppable():
        return PredictorTuner(predictor, layers, bits, group_size, dtype, work).tuned(frames, aside)


def frames_of(
    talker: Talker, reader: recipe.TalkerReader, sentences: Sequence[recipe.Sentence]
) -> tuple[Frames, Frames]:
    """Those to tune on, and those of other words that are kept aside for the check. The talker is of plain weights; its
    code predictor computes in float32 from here on."""
    for states in reader.read(recipe.FIRST_CODE):
        mx.eval(states)  # and the hidden states by the way
    read = [inputs.astype(mx.float32) for inputs in reader.predictor_inputs()]
    mx.eval(read)
    predictor = talker.code_predictor
    predictor.update(tree_map(lambda value: value.astype(mx.float32), predictor.parameters()))
    words = [tuple(one.ids.tolist()) for one in sentences]
    different = list(dict.fromkeys(words))
    kept = set(different[1:2] + different[ASIDE - 1 :: ASIDE]) if len(different) > 1 else set()
    aside = [inputs for inputs, own in zip(read, words, strict=True) if own in kept] or read
    rest = [inputs for inputs, own in zip(read, words, strict=True) if own not in kept]
    return _with_logs(predictor, mx.concatenate(rest)), _with_logs(predictor, mx.concatenate(aside))


def _with_logs(predictor: CodePredictor, inputs: mx.array) -> Frames:
    made = []
    for at in range(0, inputs.shape[0], FRAMES):
        made.append(predictor_logs(predictor, inputs[at : at + FRAMES]))
        mx.eval(made[-1])
    return Frames(inputs, mx.concatenate(made))


def predictor_logs(predictor: CodePredictor, inputs: mx.array) -> mx.array:
    """[N, K, D] -> [N, K - 1, V], the logarithms of the probabilities of all codes but the first."""
    K = inputs.shape[1]
    states = predictor.model.read_at_once(predictor.project(inputs), mx.tril(mx.ones((K, K), mx.bool_)))
    logits = mx.stack([head(states[:, at]) for at, head in enumerate(predictor.lm_head, 1)], axis=1)
    return logits - mx.logsumexp(logits, axis=-1, keepdims=True)


class PredictorTuner:
    """A predictor of plain float32 weights, and what its layers are as quantised.

    bits: of the layers, by their paths; others stay plain. dtype: of the stored scales and biases: what is tuned is
    the rounded values."""

    def __init__(
        self,
        predictor: CodePredictor,
        layers: Mapping[str, nn.Linear],
        bits: Mapping[str, int],
        group_size: int,
        dtype: mx.Dtype,
        work: ConversionWork,
    ):
        self._predictor, self._group_size, self._dtype, self._work = predictor, group_size, dtype, work
        self._layers, self._bits = {path: layers[path] for path in bits}, bits
        self._plain = {path: layer.weight for path, layer in self._layers.items()}
        self._stored: Layers = {}
        self._codes: dict[str, mx.array] = {}
        if not bits:
            raise RequestError(f"no layer of the code predictor is in groups of {group_size}: leave --tune out")
        for path, layer in self._layers.items():
            with work.doing(FITTING, layer.weight.size * FIT_SECONDS):
                self._stored[path] = quantise(layer.weight.astype(dtype), bits[path], group_size, dtype)
            codes, scales, _ = self._stored[path]
            ones = mx.ones(scales.shape)
            plain = mx.dequantize(codes, ones, mx.zeros(scales.shape), group_size, bits[path])
            self._codes[path] = plain.astype(mx.uint8).reshape(*scales.shape, group_size)
            mx.eval(self._codes[path])

    def tuned(self, frames: Frames, aside: Frames) -> Tuning:
        """At most `STEPS` steps and `MOST_SECONDS`, and until the work is stopped."""
        moves: Moves = {
            path: {"scale": mx.zeros(scales.shape), "bias": mx.zeros(scales.shape)}
            for path, (_, scales, _) in self._stored.items()
        }
        before = self.divergence(moves, aside)
        losses: list[float] = []
        optimiser = optimizers.Adam(learning_rate=RATE)
        gradient = mx.value_and_grad(self._loss)
        step_seconds = _step_seconds(self._plain.values(), self._predictor)
        began = time.monotonic()
        for step, chosen in enumerate(_shuffled(len(frames), STEPS)):
            if self._work.is_stopped:
                self._reset()
                self._work.drop(TUNING)
                return Tuning({}, before, before, len(aside), tuple(losses), False)
            if time.monotonic() - began > MOST_SECONDS:
                break
            with self._work.doing(TUNING, step_seconds):
                loss, change = gradient(moves, frames.inputs[chosen], frames.logs[chosen])
                optimiser.learning_rate = RATE * (1 - step / STEPS)
                moves = tree_map(lambda move: mx.clip(move, -MOST, MOST), optimiser.apply_gradients(change, moves))
                mx.eval(moves, optimiser.state, loss)
                losses.append(float(loss.item()))  # type: ignore[arg-type]
        self._work.drop(TUNING)
        after = self.divergence(moves, aside)
        layers = {path: self._moved(path, moves[path]) for path in self._layers} if after < before else {}
        return Tuning(layers, before, after, len(aside), tuple(losses), True)

    def divergence(self, moves: Moves, frames: Frames) -> float:
        """The mean KL of these frames, in nats, with scales and biases moved so far."""
        total = 0.0
        for at in range(0, len(frames), FRAMES):
            some = slice(at, at + FRAMES)
            mean: Any = self._loss(moves, frames.inputs[some], frames.logs[some]).item()
            total += mean * len(frames.inputs[some])
        self._reset()
        return total / len(frames)

    def _loss(self, moves: Moves, inputs: mx.array, logs: mx.array) -> mx.array:
        for path, layer in self._layers.items():
            scale, bias = (_straight(value, self._dtype) for value in self._fit(path, moves[path]))
            layer.weight = (self._codes[path] * scale[..., None] + bias[..., None]).reshape(layer.weight.shape)
        return (mx.exp(logs) * (logs - predictor_logs(self._predictor, inputs))).sum(-1).mean()

    def _fit(self, path: str, move: Mapping[str, mx.array]) -> tuple[mx.array, mx.array]:
        """Scales and biases, float32. A move of the bias moves all weights of a group by so many distances between two
        codes; one of the scale moves the ends of its range by so many, and its middle not at all."""
        _, scales, biases = (part.astype(mx.float32) for part in self._stored[path])
        middle = (2 ** self._bits[path] - 1) / 2
        return scales * (1 + move["scale"] / middle), biases + scales * (move["bias"] - move["scale"])

    def _moved(self, path: str, move: Mapping[str, mx.array]) -> tuple[mx.array, ...]:
        scale, bias = (value.astype(self._dtype) for value in self._fit(path, move))
        mx.eval(scale, bias)
        return self._stored[path][0], scale, bias

    def _reset(self) -> None:
        for path, layer in self._layers.items():
            layer.weight = self._plain[path]


def _step_seconds(weights: Iterable[mx.array], predictor: CodePredictor) -> float:
    """Usual ones."""
    return STEP_SECONDS * FRAMES * sum(weight.size for weight in weights) * predictor.num_code_groups


def _straight(value: mx.array, dtype: mx.Dtype) -> mx.array:
    """The value as it is stored; the gradient passes as if it were not rounded."""
    return value + mx.stop_gradient(value.astype(dtype).astype(mx.float32) - value)


def _shuffled(frames: int, steps: int) -> Iterator[mx.array]:
    """The numbers of the frames of each step: all of them in turn, in another order every time."""
    chance, waiting = np.random.default_rng(0), np.zeros(0, np.int64)
    for _ in range(steps):
        while len(waiting) < min(FRAMES, frames):
            waiting = np.concatenate([waiting, chance.permutation(frames)])
        yield mx.array(waiting[:FRAMES])
        waiting = waiting[FRAMES:]
