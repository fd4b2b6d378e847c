"""What of Qwen3-TTS is measured for `mlx-tts convert --bits 4`: see `models/recipes`.

The talker reads its sentences for the logits of the first codes. The code predictor reads the unchanged hidden states,
so each of the two networks has a divergence of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import mlx.core as mx
import numpy as np
from mlx import nn
from numpy.typing import NDArray

from mlx_tts.generation.sampling import SamplingParams
from mlx_tts.models.convert_options import ConvertOptions
from mlx_tts.models.qwen3_tts.alignment import inputs
from mlx_tts.models.qwen3_tts.checkpoint import Checkpoint
from mlx_tts.models.qwen3_tts.prompt import PromptTracks, embed_prompt
from mlx_tts.models.qwen3_tts.rows import Utterance
from mlx_tts.models.qwen3_tts.synthesizer import Qwen3TTS
from mlx_tts.models.qwen3_tts.talker import Talker
from mlx_tts.models.qwen3_tts.weights import stored_talker
from mlx_tts.models.recipes.contract import Arrays, Log, MeasuredOutput, PartOf, SpokenSentence, TextRows, made_plain
from mlx_tts.nn.cache import KVCache
from mlx_tts.nn.linear import kept_random_state
from mlx_tts.speech import Voice

NEEDS_WORDS = False
FIRST_CODE, PREDICTOR = "KL of the first code", "KL of the code predictor"
OUTPUTS = {FIRST_CODE: MeasuredOutput(0.04), PREDICTOR: MeasuredOutput(0.015)}
PARTS = {  # projections that are fused into one product stay together
    "talker's attention": PartOf((FIRST_CODE,), r"model\.layers\..*\.self_attn\."),
    "talker's MLPs": PartOf((FIRST_CODE,), r"model\.layers\..*\.mlp\."),
    "first code's head": PartOf((FIRST_CODE,), r"codec_head"),
    "predictor's layers": PartOf((PREDICTOR,), r"code_predictor\.(model\.layers\.|small_to_mtp_projection)"),
    "predictor's heads": PartOf((PREDICTOR,), r"code_predictor\.lm_head\."),
    "text projection": PartOf((FIRST_CODE,), r"text_projection\.", (6,)),  # small
}
TABLE_GROUP = 128  # of tables, whose rows are only looked up: in groups of 64 scales would be 3 % of the folder
TABLES = {"text table": PartOf((FIRST_CODE,), r"model\.text_embedding")}
CODE_TABLES = "tables of codes", r"(code_predictor\.)?model\.codec_embedding"  # of the bits that are asked for


@dataclass(frozen=True)
class Sentence:
    """tracks: what the prompt is, as integers. vector: of the speaker, None for a preset. codes: [T, K]. ids, rows: [n]
    and [n, W], the rows of the table of text that it needs. params: as it was sampled."""

    tracks: PromptTracks
    vector: mx.array | None
    codes: mx.array
    ids: NDArray[np.int32]
    rows: mx.array
    params: SamplingParams


def outputs(_checkpoint: Checkpoint) -> Mapping[str, MeasuredOutput]:
    return OUTPUTS


def parts(_checkpoint: Checkpoint, options: ConvertOptions) -> Mapping[str, PartOf]:
    found, group_size = dict(PARTS), table_group(options)
    if options.measures_text:
        found |= {name: replace(part, group_size=group_size) for name, part in TABLES.items()}
    if options.table_bits is not None:
        name, paths = CODE_TABLES
        found[name] = PartOf((FIRST_CODE, PREDICTOR), paths, (options.table_bits,), group_size)
    return found


def table_group(options: ConvertOptions) -> int | None:
    """How many weights of a table share a scale in a measured recipe; None: as many as elsewhere."""
    return TABLE_GROUP if options.is_measured and options.group_size is None else None


def plain_network(checkpoint: Checkpoint, log: Log) -> Talker:
    with kept_random_state():
        talker, _ = stored_talker(checkpoint)
    return made_plain(talker, log)


def frame_weights(talker: Talker, _checkpoint: Checkpoint) -> Mapping[str, int]:
    """The code predictor reads a frame code by code."""
    layers = {path: layer for path, layer in talker.named_modules() if isinstance(layer, nn.Linear)}
    found = dict.fromkeys(OUTPUTS, 0)
    for part in PARTS.values():
        matched = sum(layer.weight.size for path, layer in layers.items() if re.match(part.paths, path))
        for output in part.outputs:
            is_once = output == FIRST_CODE or "lm_head" in part.paths
            found[output] += matched if is_once else matched * talker.code_predictor.num_code_groups
    return found


def more_of(_row: Any) -> Arrays:
    return {}


def sentence(model: Qwen3TTS, spoken: SpokenSentence) -> Sentence:
    voice, tracks = spoken.request.voice, model.tracks(spoken.request)
    used = np.concatenate([tracks.text, tracks.trailing, [model.pad_id]])
    ids = np.unique(np.maximum(used, 0)).astype(np.int32)
    rows = model.talker.model.text_embedding(mx.array(ids))
    mx.eval(rows)
    vector = mx.array(voice.speaker_embedding) if isinstance(voice, Voice) else None
    return Sentence(tracks, vector, mx.array(spoken.frames), ids, rows, spoken.request.params)


def reader(talker: Talker, checkpoint: Checkpoint, sentences: Sequence[Sentence]) -> TalkerReader:
    return TalkerReader(talker, checkpoint.model.tts_pad_token_id, sentences)


class TalkerReader:
    """See `contract.Reader`."""

    def __init__(self, talker: Talker, pad: int, sentences: Sequence[Sentence]):
        self._talker, self._pad, self._sentences = talker, pad, sentences
        self._hidden: list[mx.array] = []  # [T, D] of each sentence, as the network is: what gave its frames
        if sentences:
            ids, places = np.unique(np.concatenate([one.ids for one in sentences]), return_index=True)
            rows = mx.concatenate([one.rows for one in sentences])[mx.array(places)]
            vocabulary = talker.config.text_vocab_size
            talker.model.text_embedding = TextRows(mx.array(ids), rows.astype(talker.dtype), vocabulary)

    def positions(self, output: str) -> list[int]:
        frames = [len(one.codes) for one in self._sentences]
        if output == PREDICTOR:
            return frames
        return [len(one.tracks.text) + many - 1 for one, many in zip(self._sentences, frames, strict=True)]

    def read(self, output: str) -> Iterator[mx.array]:
        return self._first_logits() if output == FIRST_CODE else self._predictor_logits()

    def _first_logits(self) -> Iterator[mx.array]:
        """[T, V] of each sentence."""
        is_first_time = not self._hidden
        for one in self._sentences:
            read = self._inputs(one)
            states = self._talker.model(read, self._talker.make_cache())[0, -len(one.codes) :]
            if is_first_time:
                self._hidden.append(states)
            yield self._talker.codec_head(states)

    def _inputs(self, one: Sentence) -> mx.array:
        """[1, L, D]: all that the talker read."""
        prefill = embed_prompt(one.tracks, self._talker, one.vector)
        tail = self._talker.embed_text(mx.array([*one.tracks.trailing.tolist(), self._pad]))
        return inputs(self._talker, Utterance(prefill, tail[:-1], tail[-1], one.params, 0), one.codes)

    def _predictor_logits(self) -> Iterator[mx.array]:
        """[T, K - 1, V] of each sentence, from the unchanged hidden states."""
        predictor = self._talker.code_predictor
        for read in self.predictor_inputs():
            caches = [KVCache(capacity=predictor.num_code_groups) for _ in predictor.model.layers]
            states = predictor.model(predictor.project(read), caches)
            yield mx.stack([head(states[:, at]) for at, head in enumerate(predictor.lm_head, 1)], axis=1)

    def predictor_inputs(self) -> Iterator[mx.array]:
        """[T, K, D] of each sentence: the hidden state of each frame and the embeddings of all its codes but the last.
        The first codes were read before."""
        tables = self._talker.code_predictor.model.codec_embedding[:-1]
        for one, hidden in zip(self._sentences, self._hidden, strict=True):
            read = [hidden, self._talker.embed_code(one.codes[:, 0])]
            yield mx.stack([*read, *(table(one.codes[:, at]) for at, table in enumerate(tables, 1))], axis=1)
