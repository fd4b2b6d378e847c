"""A checkpoint in, the bits of each part of its talker out, found by measuring: `mlx-tts convert --bits 4`.

The model speaks everyday sentences. Then its talker, with plain weights, reads all of it again with one part quantised
at a time: how far do the logits of the first codes and of the code predictor's codes move? The code predictor reads the
unchanged hidden states, so each of the two networks has divergences of its own.
"""

from __future__ import annotations

import gc
import math
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import mlx.core as mx
import numpy as np
from mlx import nn

from mlx_tts.checkpoints.least_squares import quantise
from mlx_tts.checkpoints.quantising import DTYPES, dequantised, make_plain
from mlx_tts.checkpoints.recipe import BITS, MEGABYTE, Divergences, Part, Recipe, find_recipe, mean_divergence
from mlx_tts.checkpoints.shard_index import BUILT_IN
from mlx_tts.checkpoints.work import FIT_SECONDS, FITTING, ConversionWork
from mlx_tts.errors import MlxTtsError
from mlx_tts.models import families
from mlx_tts.models.convert_options import ConvertOptions
from mlx_tts.models.qwen3_tts.alignment import inputs
from mlx_tts.models.qwen3_tts.checkpoint import Checkpoint
from mlx_tts.models.qwen3_tts.synthesizer import Qwen3TTS
from mlx_tts.models.qwen3_tts.talker import Talker
from mlx_tts.models.qwen3_tts.weights import stored_talker
from mlx_tts.nn.cache import KVCache
from mlx_tts.nn.linear import cast_network, choose_dtype, kept_random_state
from mlx_tts.samples import Codes
from mlx_tts.speech import SpeechRequest, Voice
from mlx_tts.text.languages import everyday_in_turn

FIRST_CODE, PREDICTOR = "first code", "code predictor"
LIMITS = {FIRST_CODE: 0.04, PREDICTOR: 0.015}  # nats: the gate
# What is measured: name -> the output that it moves, and which paths its layers have. Projections that are fused into
# one product stay together.
PARTS = {
    "talker's attention": (FIRST_CODE, r"model\.layers\..*\.self_attn\."),
    "talker's MLPs": (FIRST_CODE, r"model\.layers\..*\.mlp\."),
    "first code's head": (FIRST_CODE, r"codec_head"),
    "predictor's layers": (PREDICTOR, r"code_predictor\.(model\.layers\.|small_to_mtp_projection)"),
    "predictor's heads": (PREDICTOR, r"code_predictor\.lm_head\."),
}
# Kinds of work. Their usual seconds, for each weight that a frame meets, are right for their proportions alone.
SPEAKING, READING = "speaking", {FIRST_CODE: "reading the talker", PREDICTOR: "reading the code predictor"}
SPEAK_SECONDS, READ_SECONDS = 5e-10, 5e-10
USUAL_FRAMES = 1.2  # times MOST_FRAMES: sentences are spoken to their end
TEXT_PROJECTION, TEXT_BITS = r"text_projection\.", (8,)  # small; what it made is read as it was
MOST_FRAMES, MOST_SENTENCE_FRAMES, ROWS = 600, 60, 8
DESCRIPTIONS = (
    "A calm woman with a clear, warm voice.",
    "A young man who speaks quickly and cheerfully.",
    "An elderly man with a deep, slow voice.",
    "A friendly girl with a bright voice.",
)
REFERENCE_TEXT = "The harbour was quiet when the first boats came home, and nobody on the shore said a word."
Log = Callable[[str], None]
Forms = Mapping[str, int]  # path of a layer -> bits
T = TypeVar("T")


@dataclass(frozen=True)
class SpokenSentence:
    """read: [1, L, D], all that the talker read. first: the position there that gave the first frame. codes: [T, K]."""

    read: mx.array
    first: int
    codes: mx.array


def measured_recipe(
    checkpoint: Checkpoint, options: ConvertOptions, group_size: int, file_bytes: int, log: Log
) -> Recipe:
    """The recipe of a checkpoint, on the MLX thread. file_bytes: what the file takes where all layers have the bits of
    the options. It takes about as long as speaking for a minute and converting four times. RequestError where the
    budget is too small."""
    work = ConversionWork.of(log)
    plan = _plan(plain_talker(checkpoint, log), group_size, work)
    work("recipe: the model speaks sentences of its own")
    sentences = spoken_sentences(checkpoint, work)
    gc.collect()  # the model that spoke is gone before its talker is loaded again
    plan.spoken(sentences)
    network = MeasuredTalker(plain_talker(checkpoint, log), sentences, group_size, DTYPES[options.dtype], work)
    parts = network.parts
    costs: dict[str, dict[int, Divergences]] = {}
    for part in parts:
        costs[part.name] = {}
        for bits in part.choices[:-1]:
            output = PARTS[part.name][0]
            costs[part.name][bits] = network.divergences(dict.fromkeys(part.layers, bits), [output])
            work(f"recipe: {part.name} in {bits} bits: KL of the {output} {costs[part.name][bits][output]:.4f}")

    def measure(bits: Mapping[str, int]) -> Divergences:
        plan.whole()
        work("recipe: all parts together, " + ", ".join(f"{name} {own}" for name, own in bits.items()))
        return network.divergences({path: bits[part.name] for part in parts for path in part.layers}, list(LIMITS))

    budget = None if options.budget_mb is None else options.budget_mb * MEGABYTE
    assert options.bits is not None
    other_bytes = file_bytes - sum(part.bytes(options.bits) for part in parts)
    return find_recipe(parts, costs, LIMITS, measure, budget, other_bytes)


class _Plan:
    """What a recipe will have to do, told before it is done.

    parts: that are measured. frame_weights: the weights that a frame meets when each output is read."""

    def __init__(self, parts: Sequence[Part], frame_weights: Mapping[str, int], work: ConversionWork):
        self._parts, self._frame_weights, self._work = parts, frame_weights, work
        self._wholes = 0
        frames = round(USUAL_FRAMES * MOST_FRAMES)
        work.plan(SPEAKING, frames * speaking_seconds(frame_weights))
        work.plan(FITTING, FIT_SECONDS * sum(part.weights * len(part.choices) for part in parts))
        self._frames = dict.fromkeys(LIMITS, frames)
        self._plan_reading()

    def _plan_reading(self) -> None:
        """The talker is read twice and the code predictor once before any part is, and each again for the whole."""
        passes = {FIRST_CODE: 3, PREDICTOR: 2}
        for part in self._parts:
            if part.name in PARTS:
                passes[PARTS[part.name][0]] += len(part.choices) - 1
        for output, many in passes.items():
            self._work.drop(READING[output])
            self._work.plan(READING[output], many * self._pass_seconds(output))

    def _pass_seconds(self, output: str) -> float:
        return self._frames[output] * self._frame_weights[output] * READ_SECONDS

    def spoken(self, sentences: Sequence[SpokenSentence]) -> None:
        """Now it is known how much there is to read."""
        self._frames = {
            FIRST_CODE: sum(sentence.read.shape[1] for sentence in sentences),
            PREDICTOR: sum(len(sentence.codes) for sentence in sentences),
        }
        self._plan_reading()

    def whole(self) -> None:
        """All parts are measured together; once is planned from the beginning."""
        if self._wholes:
            self._work.plan(FITTING, FIT_SECONDS * sum(part.weights for part in self._parts))
            for output in LIMITS:
                self._work.plan(READING[output], self._pass_seconds(output))
        self._wholes += 1


def _plan(talker: Talker, group_size: int, work: ConversionWork) -> _Plan:
    return _Plan(parts_of(layers_of(talker, group_size)), frame_weights(talker), work)


def frame_weights(talker: Talker) -> dict[str, int]:
    """Of each output: the weights that a frame meets when it is read. The code predictor reads a frame code by code."""
    layers = {path: layer for path, layer in talker.named_modules() if isinstance(layer, nn.Linear)}
    found = dict.fromkeys(LIMITS, 0)
    for output, pattern in PARTS.values():
        matched = sum(layer.weight.size for path, layer in layers.items() if re.match(pattern, path))
        is_once = output == FIRST_CODE or "lm_head" in pattern
        found[output] += matched if is_once else matched * talker.code_predictor.num_code_groups
    return found


def speaking_seconds(weights: Mapping[str, int]) -> float:
    """Usual ones, of a frame. weights: see `frame_weights`."""
    return SPEAK_SECONDS * sum(weights.values())


def layers_of(talker: Talker, group_size: int) -> dict[str, Any]:
    """The layers that can be quantised, by their paths."""
    return {
        path: layer
        for path, layer in talker.named_modules()
        if isinstance(layer, nn.Linear) and layer.weight.shape[-1] % group_size == 0
    }


def parts_of(layers: Mapping[str, Any]) -> tuple[Part, ...]:
    """What gets bits of its own. layers: see `layers_of`."""

    def part(name: str, pattern: str, choices: tuple[int, ...] = BITS) -> Part:
        paths = tuple(path for path in layers if re.match(pattern, path))
        return Part(name, paths, sum(layers[path].weight.size for path in paths), choices)

    measured = [part(name, paths) for name, (_, paths) in PARTS.items()]
    return tuple(one for one in (*measured, part("text projection", TEXT_PROJECTION, TEXT_BITS)) if one.layers)


def plain_talker(checkpoint: Checkpoint, log: Log) -> Talker:
    """With plain weights in the dtype in which the device computes, lazy; without what embeds text."""
    with kept_random_state():
        talker, _ = stored_talker(checkpoint)
        talker.model.text_embedding = nn.Identity()
        dtype = choose_dtype(talker.dtype, None)
        make_plain(talker)
    cast_network(talker, dtype, log)
    return talker


class MeasuredTalker:
    """A talker of plain weights that reads again what was spoken, and its logits as it is.

    group_size and dtype: of the quantised weights that stand in for its own for the time of a measurement."""

    def __init__(
        self,
        talker: Talker,
        sentences: Sequence[SpokenSentence],
        group_size: int,
        dtype: mx.Dtype,
        log: Log = lambda _line: None,
    ):
        self._talker, self._sentences = talker, sentences
        self._group_size, self._dtype = group_size, dtype
        self._work, self._frame_weights = ConversionWork.of(log), frame_weights(talker)
        self.layers = layers_of(talker, group_size)
        self._hidden = self._hidden_states()
        self.reference = {name: self.logits(name) for name in LIMITS}

    @property
    def parts(self) -> tuple[Part, ...]:
        return parts_of(self.layers)

    def _reading(self, output: str, frames: int) -> AbstractContextManager[None]:
        return self._work.doing(READING[output], frames * self._frame_weights[output] * READ_SECONDS)

    def divergences(self, forms: Forms, outputs: Sequence[str]) -> dict[str, float]:
        """Of these outputs, in nats, while the layers have so many bits."""
        with self.replaced((path, self._quantised(path, bits)) for path, bits in forms.items()):
            return {name: mean_divergence(self.reference[name], self.logits(name)) for name in outputs}

    def _quantised(self, path: str, bits: int) -> mx.array:
        weight = self.layers[path].weight
        with self._work.doing(FITTING, weight.size * FIT_SECONDS):
            made = quantise(weight.astype(self._dtype), bits, self._group_size, self._dtype)
        return dequantised(made, bits, self._group_size)

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

    def logits(self, output: str) -> list[mx.array]:
        """Of one of `LIMITS`, [T, ..., V] of each sentence."""
        return self._first_logits() if output == FIRST_CODE else self._predictor_logits()

    def _hidden_states(self) -> list[mx.array]:
        """[T, D] of each sentence: the normed states that gave its frames."""
        states = []
        for sentence in self._sentences:
            with self._reading(FIRST_CODE, sentence.read.shape[1]):
                hidden = self._talker.model(sentence.read.astype(self._talker.dtype), self._talker.make_cache())
                states.append(hidden[0, sentence.first :])
                mx.eval(states)
        return states

    def _first_logits(self) -> list[mx.array]:
        logits = [self._talker.codec_head(hidden) for hidden in self._hidden_states()]
        mx.eval(logits)
        return logits

    def _predictor_logits(self) -> list[mx.array]:
        """[T, K - 1, V] of each sentence, from the unchanged hidden states."""
        predictor, made = self._talker.code_predictor, []
        for sentence, hidden in zip(self._sentences, self._hidden, strict=True):
            codes = sentence.codes
            read = [hidden, self._talker.embed_code(codes[:, 0])]
            read += [table(codes[:, at]) for at, table in enumerate(predictor.model.codec_embedding[:-1], 1)]
            caches = [KVCache(capacity=predictor.num_code_groups) for _ in predictor.model.layers]
            with self._reading(PREDICTOR, len(codes)):
                states = predictor.model(predictor.project(mx.stack(read, axis=1)), caches)
                made.append(mx.stack([head(states[:, at]) for at, head in enumerate(predictor.lm_head, 1)], axis=1))
                mx.eval(made)
        return made


# What the model says.


def spoken_sentences(checkpoint: Checkpoint, log: Log, first_seed: int = 0) -> list[SpokenSentence]:
    """Sentences in its languages and voices in turn, until there are enough frames."""
    work, model = ConversionWork.of(log), _loaded(checkpoint, log)
    requests = _requests(checkpoint, model, log, first_seed)
    frame_seconds = speaking_seconds(frame_weights(plain_talker(checkpoint, lambda _line: None)))
    sentences: list[SpokenSentence] = []
    frames = 0
    for at in range(0, len(requests), ROWS):
        if frames >= MOST_FRAMES:
            break
        sentences += _spoken(checkpoint, model, requests[at : at + ROWS], work, frame_seconds)
        frames = sum(len(sentence.codes) for sentence in sentences)
        turns = math.ceil(max(0, MOST_FRAMES - frames) / (frames / (at // ROWS + 1)))
        work.drop(SPEAKING)
        work.plan(SPEAKING, turns * frames / (at // ROWS + 1) * frame_seconds)
    log(f"recipe: {len(sentences)} sentences, {frames} frames")
    return sentences


def _loaded(checkpoint: Checkpoint, log: Log) -> Qwen3TTS:
    model = families.load(checkpoint, log=log)
    assert isinstance(model, Qwen3TTS)
    return model


def _requests(checkpoint: Checkpoint, model: Qwen3TTS, log: Log, first_seed: int) -> list[SpeechRequest]:
    can = checkpoint.info.can
    voices: Sequence[str | Voice | None] = checkpoint.info.voices or (None,)
    if can.clones:
        voices = [model.voice(*recording) for recording in _recordings(log)]
    return [
        SpeechRequest(
            sentence,
            voice=voices[at % len(voices)],
            language=language if language in checkpoint.info.languages else "auto",
            instruct=DESCRIPTIONS[at % len(DESCRIPTIONS)] if can.designs else None,
            seed=first_seed + at,
        )
        for at, (language, sentence) in enumerate(everyday_in_turn(checkpoint.info.languages))
    ]


def _recordings(log: Log) -> list[tuple[Any, int]]:
    """Samples [N] and their rate: what a model that clones is given for voices is said by the built-in ones."""
    log("recipe: the built-in voices say a sentence each, for this model to clone")
    checkpoint: Any = families.open_checkpoint(BUILT_IN / "tiny")
    model = _loaded(checkpoint, log)
    requests = [SpeechRequest(REFERENCE_TEXT, voice=name, seed=0) for name in checkpoint.info.voices]
    frames = _frames(checkpoint, model, requests, ConversionWork(log), 0.0)[1]  # so little that it is not counted
    return [(model.decode_codes(codes), checkpoint.info.sample_rate) for codes in frames]


def _spoken(
    checkpoint: Checkpoint,
    model: Qwen3TTS,
    requests: Sequence[SpeechRequest],
    log: Log = lambda _line: None,
    frame_seconds: float = 0.0,
) -> list[SpokenSentence]:
    utterances, frames = _frames(checkpoint, model, requests, ConversionWork.of(log), frame_seconds)
    spoken = []
    for utterance, codes in zip(utterances, map(mx.array, frames), strict=True):
        read = inputs(model.talker, utterance, codes).astype(mx.float32)
        mx.eval(read)
        spoken.append(SpokenSentence(read, len(utterance.prefill) - 1, codes))
    return spoken


def _frames(
    checkpoint: Checkpoint,
    model: Qwen3TTS,
    requests: Sequence[SpeechRequest],
    work: ConversionWork,
    frame_seconds: float,
) -> tuple[list[Any], list[Codes]]:
    """The utterances and their codes [T, K], made side by side."""
    prepared = [model.prepare(families.check_request(checkpoint, request)) for request in requests]
    rows = [_result(model.begin(one, 0)) for one in prepared]
    made: list[list[Codes]] = [[] for _ in rows]
    batch, going = model.open_batch(), list(range(len(rows)))
    while going:
        with work.doing(SPEAKING, len(going) * frame_seconds):
            read = batch.step([rows[at] for at in going]).read()
        still = []
        for at, frame in zip(going, read, strict=True):
            if isinstance(frame, MlxTtsError):
                raise frame
            if frame is not None:
                made[at].append(frame)
                still += [at] if len(made[at]) < MOST_SENTENCE_FRAMES else []
        going = still
    return [one.utterance for one in prepared], [np.stack(frames) for frames in made]


def _result(steps: Generator[Any, None, T]) -> T:
    """What a generator returns when all its steps are done."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]
