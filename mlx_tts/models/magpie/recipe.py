"""What of Magpie is measured for `mlx-tts convert --bits 4`: see `models/recipes`.

The decoder reads its sentences under the priors that they were spoken with, for the logits of its own heads, which end
the speech. The local transformer reads the unchanged hidden states, as it sampled the codes. All logits are guided.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mlx_tts.models.convert_options import ConvertOptions
from mlx_tts.models.magpie.alignment import Alignment
from mlx_tts.models.magpie.checkpoint import Checkpoint
from mlx_tts.models.magpie.frames import MagpieRow
from mlx_tts.models.magpie.local_transformer import Guidance, local_logits
from mlx_tts.models.magpie.network import BOS, MASK, Magpie
from mlx_tts.models.magpie.synthesizer import MagpieTTS
from mlx_tts.models.magpie.weights import open_magpie
from mlx_tts.models.recipes.contract import Arrays, Log, MeasuredOutput, PartOf, SpokenSentence, made_plain
from mlx_tts.nn.attention import TINY
from mlx_tts.speech import CheckedRequest, Voice

NEEDS_WORDS = False
HEADS, LOCAL = "KL of the decoder's heads", "KL of the local transformer"
# As Qwen3-TTS: codes of a whole frame, and those within it.
OUTPUTS = {HEADS: MeasuredOutput(0.04), LOCAL: MeasuredOutput(0.015)}
PARTS = {
    "text encoder": PartOf((HEADS,), r"encoder\.layers\."),
    "context encoder": PartOf((HEADS,), r"context_encoder\.layers\."),
    "decoder's attention": PartOf((HEADS,), r"decoder\.layers\.\d+\.(self|cross)_attn\."),
    "decoder's MLPs": PartOf((HEADS,), r"decoder\.layers\.\d+\.mlp\."),
    "decoder's heads": PartOf((HEADS,), r"final_proj"),
    "local transformer's layers": PartOf((LOCAL,), r"local\.(model\.layers\.|in_projection)"),
    "local transformer's heads": PartOf((LOCAL,), r"local\.heads\."),
}
PATH = "path"  # the attended position of each step, among a sentence's arrays


@dataclass(frozen=True)
class Sentence:
    """ids: of the text. codes: [S, slots], of each step. priors: [S, ids], under which the steps were decoded, or
    None."""

    request: CheckedRequest
    ids: tuple[int, ...]
    codes: mx.array
    priors: NDArray[np.float32] | None


def outputs(checkpoint: Checkpoint) -> Mapping[str, MeasuredOutput]:
    return OUTPUTS if checkpoint.model.local is not None else {HEADS: OUTPUTS[HEADS]}


def parts(checkpoint: Checkpoint, _options: ConvertOptions) -> Mapping[str, PartOf]:
    there = outputs(checkpoint)
    return {name: part for name, part in PARTS.items() if part.outputs[0] in there}


def plain_network(checkpoint: Checkpoint, log: Log) -> Magpie:
    return made_plain(open_magpie(checkpoint), log)


def frame_weights(network: Magpie, checkpoint: Checkpoint) -> Mapping[str, int]:
    """Both rows of a guided step read the decoder. The local transformer reads a step code by code."""
    found = dict.fromkeys(outputs(checkpoint), 0)
    for path, layer in network.named_modules():
        for name, part in PARTS.items():
            if part.outputs[0] in found and "weight" in layer and re.match(part.paths, path):
                many = network.slots if name == "local transformer's layers" else 1
                found[part.outputs[0]] += 2 * many * layer.weight.size
    return found


def more_of(row: MagpieRow) -> Arrays:
    return {} if row.alignment is None else {PATH: np.array(row.alignment.path, np.int64)}


def sentence(model: MagpieTTS, spoken: SpokenSentence) -> Sentence:
    """What is left of a step at the end, of which not all frames were kept, is left out."""
    passage, settings = model.passage(spoken.request), spoken.request.params
    stack = model.frame_stack
    steps = max(1, len(spoken.frames) // stack)
    codes = np.resize(spoken.frames, (steps * stack, spoken.frames.shape[1])).reshape(steps, -1)
    priors = None
    if PATH in spoken.more:
        alignment = Alignment(passage.window, settings.epsilon, settings.lookahead)
        priors = np.ones((steps, len(passage.ids)), np.float32)
        for step in range(steps):
            if alignment.prior is not None:
                priors[step] = alignment.prior
            if step < len(spoken.more[PATH]):
                alignment.follow(_seen(len(passage.ids), int(spoken.more[PATH][step])))
    return Sentence(spoken.request, passage.ids, mx.array(codes), priors)


def _seen(ids: int, attended: int) -> NDArray[np.float32]:
    """Attention that is at one position alone: what follows from it is what followed from the model's."""
    scores = np.zeros(ids, np.float32)
    scores[min(attended, ids - 1)] = 1
    return scores


def reader(network: Magpie, checkpoint: Checkpoint, sentences: Sequence[Sentence]) -> MagpieReader:
    return MagpieReader(network, checkpoint.info.voices, sentences)


class MagpieReader:
    """See `contract.Reader`."""

    def __init__(self, network: Magpie, voices: Sequence[str], sentences: Sequence[Sentence]):
        self._network, self._voices, self._sentences = network, voices, sentences
        self._hidden: list[tuple[mx.array, Guidance]] = []  # of each sentence, as the network is

    def positions(self, _output: str) -> list[int]:
        return [len(one.codes) for one in self._sentences]

    def read(self, output: str) -> Iterator[mx.array]:
        return self._heads_logits() if output == HEADS else self._local_logits()

    def _heads_logits(self) -> Iterator[mx.array]:
        """[S, slots, V] of each sentence."""
        is_first_time = not self._hidden
        for one in self._sentences:
            hidden, guidance = self._decoded(one)
            if is_first_time:
                self._hidden.append((hidden, guidance))
            logits = guidance(self._network.final_proj(hidden))
            yield logits.reshape(len(one.codes), self._network.slots, -1)

    def _local_logits(self) -> Iterator[mx.array]:
        """[S, slots, V] of each sentence; of a MaskGit one, which sees all codes, [n, V] of every second slot without
        its code."""
        network = self._network
        for one, (hidden, guidance) in zip(self._sentences, self._hidden, strict=True):
            if network.config.local_type != "maskgit":
                yield mx.stack(local_logits(network, hidden, guidance, one.codes), axis=1)
                continue
            steps, slots = one.codes.shape
            is_hidden = np.add.outer(np.arange(steps), np.arange(slots)) % 2 == 0
            codes = mx.where(mx.array(is_hidden), network.codebook_size + MASK, one.codes)
            logits = mx.stack(local_logits(network, hidden, guidance, codes), axis=1)
            yield logits.reshape(steps * slots, -1)[mx.array(np.flatnonzero(is_hidden))]

    def _decoded(self, one: Sentence) -> tuple[mx.array, Guidance]:
        """Hidden states [S or 2 S, D] of the steps, those of the second row next to those of the first."""
        network, settings = self._network, one.request.params
        memories = network.read_memory(network.encode(one.ids))
        context = self._context(one.request.voice)
        begin = mx.full((1, 1, network.slots), network.codebook_size + BOS, one.codes.dtype)
        spoken = network.embed_frames(mx.concatenate([begin, one.codes[None, :-1]], axis=1))
        if one.priors is not None:
            before = np.ones((context.shape[1], len(one.ids)), np.float32)
            prior = mx.array(np.concatenate([before, one.priors]) + np.float32(TINY))
            for layer in settings.prior_layers:
                memories[layer].prior = prior
        rows = [network.decoder(mx.concatenate([context, spoken], axis=1), network.make_caches(), memories)]
        if settings.guidance is not None:
            empty = mx.concatenate([mx.zeros_like(context), spoken], axis=1)
            rows.append(network.decoder(empty, network.make_caches()))
        steps = len(one.codes)
        hidden = mx.stack([row[0, -steps:] for row in rows], axis=1)
        return hidden.reshape(len(rows) * steps, -1), Guidance.of([settings.guidance] * steps)

    def _context(self, voice: str | Voice | None) -> mx.array:
        if isinstance(voice, Voice):
            return self._network.context_of(mx.array(np.asarray(voice.reference_codes)))
        assert voice is not None
        return self._network.baked_context(self._voices.index(voice))
