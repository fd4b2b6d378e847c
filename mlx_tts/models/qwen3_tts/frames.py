"""Prepared prompts in, frames of codes out: the only decode loop. Nothing else calls the talker."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from itertools import islice

import mlx.core as mx
import numpy as np

from mlx_tts.generation.sampling import RowSampling, SamplingParams, frame_key, gumbel_noise, penalise, sample
from mlx_tts.models.qwen3_tts.compiled_decode import CompiledDecode
from mlx_tts.models.qwen3_tts.config import CONTROL_IDS, TalkerConfig
from mlx_tts.models.qwen3_tts.talker import Talker
from mlx_tts.nn.cache import KVCache, stacked, unstacked
from mlx_tts.runtime.device import on_gpu
from mlx_tts.speech import Codes

MIN_FRAMES = 2  # the reference forbids the end of speech for the first two (`min_new_tokens`)


@dataclass(frozen=True)
class Utterance:
    """One text ready for the loop.

    prefill: [L, D] what the talker is given first. trailing: [N, D] text added to the frames that follow, one a frame;
    after the last, `pad` [D] is added for ever. seed and index address the random draws.
    """

    prefill: mx.array
    trailing: mx.array
    pad: mx.array
    seed: int
    index: int
    max_frames: int

    def text_after(self, frame: int) -> mx.array:
        """[D]: what is added to the embedding of a frame before the talker reads it."""
        return self.trailing[frame] if frame < self.trailing.shape[0] else self.pad


def forbidden_ids(config: TalkerConfig) -> tuple[mx.array, mx.array]:
    """Additive masks [V] for the first frames (no end of speech yet) and for all later ones."""
    mask = np.zeros(config.vocab_size, np.float32)
    mask[config.vocab_size - CONTROL_IDS :] = -np.inf
    early = mask.copy()
    early[config.codec_eos_token_id] = -np.inf
    mask[config.codec_eos_token_id] = 0
    return mx.array(early), mx.array(mask)


class FrameLoop:
    """The decode loop of one talker. Holds no utterance: only masks, and on a GPU its compiled steps."""

    def __init__(self, talker: Talker, config: TalkerConfig):
        self.talker = talker
        self.config = config
        self.early, self.later = forbidden_ids(config)
        predictor = config.code_predictor_config
        self.noise_width = config.vocab_size + (config.num_code_groups - 1) * predictor.vocab_size
        self._steps = CompiledDecode(talker) if on_gpu() else None

    def _sample_frame(
        self,
        sampling: RowSampling,
        logits: mx.array,
        hidden: mx.array,
        used: mx.array,
        forbidden: mx.array,
        noise: mx.array | None,
    ) -> tuple[mx.array, mx.array, mx.array]:
        """Codes [B, K], their embedding, used ids: what `CompiledDecode.frame` computes, by plain operations."""
        vocabulary = self.config.vocab_size
        logits = penalise(logits.astype(mx.float32), used, sampling.penalty) + forbidden
        first = sample(logits, None if noise is None else noise[:, :vocabulary], sampling.first)
        rest_noise = None if noise is None else noise[:, vocabulary:]
        rest, embedding = self.talker.code_predictor(hidden, self.talker.embed_code(first), rest_noise, sampling.rest)
        used = used | (mx.arange(vocabulary, dtype=mx.uint32) == first[:, None])
        return mx.concatenate([first[:, None], rest], axis=1), embedding, used

    def generate(self, utterance: Utterance, params: SamplingParams) -> Iterator[Codes]:
        """Yield the frames of one utterance, [K] int32 each, until the end of speech or `max_frames`."""
        for _, codes in self.run(iter([utterance]), params):
            if codes is not None:
                yield codes

    def run(
        self, utterances: Iterator[Utterance], params: SamplingParams, rows: int = 1
    ) -> Generator[tuple[int, Codes | None], bool | None, None]:
        """Speak utterances, `rows` of them side by side; a row that ends is given the next utterance.

        Yields (index of the utterance, frame [K]) and (index, None) behind its last. Sending True for a frame stops its
        utterance there. An utterance's draws depend on its own address alone, so `rows` changes nothing but the speed.

        One step of look-ahead: a step is on its way to the device before the one before it is read, so the device never
        waits for the host; what it began behind an utterance's last frame is thrown away.
        """
        batch = _Batch(self.talker, self.config, self._steps)
        waiting: tuple[mx.array, list[_Row]] | None = None
        while True:
            batch.fill(utterances, rows)
            launched = None
            if any(row.more for row in batch.rows):
                launched = (self._launch(batch, params), [replace(row) for row in batch.rows])
                batch.advance()
            if waiting is not None:
                codes = np.array(waiting[0], dtype=np.int32)
                for at, row in enumerate(waiting[1]):
                    if row.utterance.index in batch.ended or not row.more:
                        continue
                    over = codes[at, 0] == self.config.codec_eos_token_id
                    stop = over or (yield row.utterance.index, codes[at])
                    if stop or row.frame + 1 == row.utterance.max_frames:
                        batch.ended.add(row.utterance.index)
                        yield row.utterance.index, None
            if launched is None and waiting is None:
                return
            waiting = launched

    def _launch(self, batch: _Batch, params: SamplingParams) -> mx.array:
        """Put one step of all rows on its way to the device -> codes [B, K], not yet computed."""
        if batch.sampling is None or batch.sampling.rows != len(batch.rows):
            vocabularies = self.config.vocab_size, self.config.code_predictor_config.vocab_size
            batch.sampling = RowSampling.of([params] * len(batch.rows), *vocabularies)
        forbidden = mx.stack([self.early if row.frame < MIN_FRAMES else self.later for row in batch.rows])
        noise = None
        if not params.greedy:
            keys = [frame_key(row.utterance.seed, row.utterance.index, row.frame) for row in batch.rows]
            noise = gumbel_noise(keys, self.noise_width)
        text = mx.stack([row.utterance.text_after(row.frame) for row in batch.rows])
        if self._steps is not None:
            logits, hidden = self._steps.read(batch.x, batch.caches)
            drawn = self._steps.frame(logits, hidden, batch.used, forbidden, text, noise, batch.sampling, batch.scratch)
            codes, batch.x, batch.used = drawn
        else:
            logits, hidden = self.talker(batch.x, batch.caches)
            drawn = self._sample_frame(batch.sampling, logits, hidden, batch.used, forbidden, noise)
            codes, embedding, batch.used = drawn
            batch.x = (embedding + text)[:, None]
        mx.async_eval(codes, batch.x, batch.used)
        return codes


@dataclass
class _Row:
    """What a row of the batch is about to do: the given frame of its utterance."""

    utterance: Utterance
    frame: int = 0

    @property
    def more(self) -> bool:
        return self.frame < self.utterance.max_frames


class _Batch:
    """The rows in work: their caches, next inputs x [B, 1, D] and used ids [B, V]. Dies with the generator."""

    def __init__(self, talker: Talker, config: TalkerConfig, steps: CompiledDecode | None):
        self.talker, self.config, self.steps = talker, config, steps
        self.rows: list[_Row] = []
        self.ended: set[int] = set()  # utterances over: a step may still be under way for them
        self.caches: list[KVCache] = []
        self.x = mx.zeros((0,))
        self.used = mx.zeros((0,))
        self.scratch: list[mx.array] = []  # the code predictor's caches
        self.sampling: RowSampling | None = None

    def advance(self) -> None:
        for row in self.rows:
            row.frame += 1

    def fill(self, utterances: Iterator[Utterance], wanted: int) -> None:
        """Take out the rows that ended and put new utterances in their places."""
        kept = [at for at, row in enumerate(self.rows) if row.utterance.index not in self.ended]
        fresh = list(islice(utterances, wanted - len(kept)))
        if len(kept) == len(self.rows) and not fresh:
            return
        mx.eval(self.x)  # steps write to the caches unseen by MLX: they must be done before rows are copied
        parts = [self._row(at) for at in kept] + [self._begun(utterance) for utterance in fresh]
        self.rows = [self.rows[at] for at in kept] + [_Row(utterance) for utterance in fresh]
        if not parts:
            return
        caches, xs, used = zip(*parts, strict=True)
        # a single row needs no padding and no mask
        self.caches = caches[0] if len(parts) == 1 else stacked(list(caches))
        self.x, self.used = mx.concatenate(list(xs)), mx.concatenate(list(used))
        if self.steps is not None:
            self.scratch = self.steps.scratch(len(parts))

    def _row(self, at: int) -> tuple[list[KVCache], mx.array, mx.array]:
        return unstacked(self.caches, at), self.x[at : at + 1], self.used[at : at + 1]

    def _begun(self, utterance: Utterance) -> tuple[list[KVCache], mx.array, mx.array]:
        """Read all of a prompt but its last position, which the next step of the batch reads."""
        caches = self.talker.make_cache()
        self.talker.model(utterance.prefill[None, :-1], caches)
        used = mx.zeros((1, self.config.vocab_size), mx.bool_)
        return caches, utterance.prefill[None, -1:], used
