"""Prepared prompts in, frames of codes out: the only decode loop. Nothing else calls the talker."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mlx_tts.errors import ModelError
from mlx_tts.generation.sampling import RowSampling, gumbel_noise, penalise, sample
from mlx_tts.generation.seeds import frame_key
from mlx_tts.generation.signs import Surprises
from mlx_tts.kernels.core.forms import StepKernels
from mlx_tts.models.qwen3_tts import autotune
from mlx_tts.models.qwen3_tts.config import CONTROL_IDS, TalkerConfig
from mlx_tts.models.qwen3_tts.gpu_step import CompiledDecode
from mlx_tts.models.qwen3_tts.prefill import Prefill, WaitingPrompt
from mlx_tts.models.qwen3_tts.rows import RowInputs, TalkerRow, Utterance, joined, who_stays
from mlx_tts.models.qwen3_tts.talker import Talker
from mlx_tts.nn.cache import KVCache, RowCache, alone, regrouped, unstacked
from mlx_tts.nn.linear import expanded_for_stacks
from mlx_tts.runtime.device import compiled, policy
from mlx_tts.samples import Codes

LEAST_LOG = -1e4  # stands for minus infinity, which times zero is not a number
SampledFrame = tuple[mx.array, mx.array, mx.array]
Keys = list[tuple[int, int]]
State = tuple[mx.array, mx.array, mx.array, mx.array]
MIN_FRAMES = 2  # the reference forbids the end of speech for the first two (`min_new_tokens`)


def surprise(logits: mx.array, codes: mx.array) -> mx.array:
    """[B, V], [B] -> [B, 3]: surprise, entropy, and variance of the surprise."""
    logits = logits.astype(mx.float32)
    logs = mx.maximum(logits - mx.logsumexp(logits, axis=-1, keepdims=True), LEAST_LOG)
    weighted = mx.exp(logs) * logs
    entropy = -weighted.sum(axis=-1)
    variance = (weighted * logs).sum(axis=-1) - mx.square(entropy)
    sampled = mx.take_along_axis(logs, codes[:, None], axis=-1)[:, 0]
    return mx.stack([-sampled, entropy, variance], axis=-1)


def surprises_of(values: Sequence[NDArray[np.float32]]) -> Surprises | None:
    """What `surprise` says of each sampled code, in order; None without any."""
    return Surprises(*np.stack(values, axis=1)) if len(values) else None


def repeated(talker: Talker, made: Codes, used: mx.array) -> SampledFrame:
    """[B, K], used ids [B, V] -> codes [B, K], their embedding [B, D], used ids: the sums in the order of the plain
    operations (`FrameLoop.sample_frame`)."""
    codes = mx.array(made, mx.uint32)
    return codes, talker.embed_frames(codes), _with(used, codes)


def repeated_on_gpu(talker: Talker, made: Codes, used: mx.array, text: mx.array) -> SampledFrame:
    """[B, K], [B, V], [B, D] -> codes [B, K], the talker's next input [B, 1, D], used ids: the sums in the order of
    `CompiledDecode.sample_frame`, in float32 and from the text on."""
    codes = mx.array(made, mx.uint32)
    total = text.astype(mx.float32) + talker.embed_code(codes[:, 0]).astype(text.dtype)
    embedding = None
    for at, table in enumerate(talker.code_predictor.model.codec_embedding, 1):
        embedding = table(codes[:, at])
        total = total + embedding.astype(mx.float32)
    assert embedding is not None
    return codes, total.astype(embedding.dtype)[:, None], _with(used, codes)


def _with(used: mx.array, codes: mx.array) -> mx.array:
    return used | (mx.arange(used.shape[1], dtype=mx.uint32) == codes[:, :1])


def forbidden_ids(config: TalkerConfig) -> tuple[mx.array, mx.array]:
    """Additive masks [V] for the first frames (no end of speech yet) and for all later ones."""
    mask = np.zeros(config.vocab_size, np.float32)
    mask[config.vocab_size - CONTROL_IDS :] = -np.inf
    early = mask.copy()
    early[config.codec_eos_token_id] = -np.inf
    mask[config.codec_eos_token_id] = 0
    return mx.array(early), mx.array(mask)


class FrameLoop:
    """What the loop of one talker needs. Holds no utterance: only masks, and on a GPU its compiled steps."""

    def __init__(self, talker: Talker, config: TalkerConfig):
        self.talker = talker
        self.config = config
        self.early, self.later = forbidden_ids(config)
        self.rest_vocabulary = config.code_predictor_config.vocab_size
        self.noise_width = config.vocab_size + (config.num_code_groups - 1) * self.rest_vocabulary
        self.kernels: StepKernels | None = None
        self.compiled: CompiledDecode | None = None
        self.prompts = Prefill(talker)
        if policy().few_launches:
            self._use(autotune.TRIAL.choose(talker))
        self.surprise = compiled(lambda logits, forbidden, codes: surprise(logits + forbidden, codes))

    @property
    def kernel_form(self) -> str:
        """Forms agree in greedy codes, not in sampled ones."""
        return "plain" if self.kernels is None else self.kernels.form.name

    def use_kernel_form(self, name: str) -> None:
        """On a GPU: that of an earlier run, so that the rest of a speech is computed like its beginning."""
        if self.kernels is not None and name != self.kernel_form:
            self._use(self.kernels.in_form(name))

    def _use(self, kernels: StepKernels) -> None:
        talker = expanded_for_stacks(self.talker) if kernels.form.stacks else self.talker
        self.kernels, self.prompts = kernels, Prefill(talker, kernels)
        self.compiled = CompiledDecode(talker, kernels)

    def begin(self, utterance: Utterance, take: int = 0) -> Generator[int, None, TalkerRow]:
        """Read all of a prompt but its last position, which the first step reads; yields each block's positions. Those
        that were begun and not yet read are read together on a GPU."""
        return self._begun(utterance, take, self.prompts.enter(utterance.prefill[:-1]))

    def _begun(self, utterance: Utterance, take: int, prompt: WaitingPrompt) -> Generator[int, None, TalkerRow]:
        caches = yield from self.prompts.read(prompt)
        used = mx.zeros((1, self.config.vocab_size), mx.bool_)
        return TalkerRow(utterance, take, caches, utterance.prefill[None, -1:], used)

    def open_batch(self) -> TalkerBatch:
        """An empty batch; it belongs to the caller."""
        return TalkerBatch(self)

    def sample_frame(
        self,
        sampling: RowSampling,
        logits: mx.array,
        hidden: mx.array,
        used: mx.array,
        forbidden: mx.array,
        noise: mx.array | None,
    ) -> tuple[mx.array, mx.array, mx.array]:
        """Codes [B, K], their embedding, used ids: what `CompiledDecode.sample_frame` computes, by plain operations."""
        vocabulary = self.config.vocab_size
        logits = penalise(logits.astype(mx.float32), used, sampling.penalty) + forbidden
        first = sample(logits, None if noise is None else noise[:, :vocabulary], sampling.first)
        rest_noise = None if noise is None else noise[:, vocabulary:]
        rest, embedding = self.talker.code_predictor(hidden, self.talker.embed_code(first), rest_noise, sampling.rest)
        used = used | (mx.arange(vocabulary, dtype=mx.uint32) == first[:, None])
        return mx.concatenate([first[:, None], rest], axis=1), embedding, used

    def sample_or_repeat(
        self,
        rows: Sequence[TalkerRow],
        made: Sequence[Codes | None],
        sampling: RowSampling,
        state: State,
        keys: Keys,
    ) -> SampledFrame:
        """A frame of each row on the CPU, codes [B, K], embedding [B, D], used ids [B, V]: sampled, or repeated where
        `made` has its codes. state: logits, hidden, used ids, forbidden ids, each [B, ...]. A row's bits are its own.
        """
        again = [at for at, codes in enumerate(made) if codes is not None]
        if not again:
            return self.sample_frame(sampling, *state, self.noise(sampling, keys))
        stored = np.stack([codes for codes in made if codes is not None])
        kept = repeated(self.talker, stored, state[2][mx.array(again)])
        fresh = [at for at, codes in enumerate(made) if codes is None]
        if not fresh:
            return kept
        config, which = self.config, mx.array(fresh)
        own = RowSampling.of([rows[at].utterance.params for at in fresh], config.vocab_size, self.rest_vocabulary)
        noise = self.noise(own, [keys[at] for at in fresh])
        logits, hidden, used, forbidden = (part[which] for part in state)
        sampled = self.sample_frame(own, logits, hidden, used, forbidden, noise)
        order = mx.array(np.argsort(again + fresh))
        codes, embedding, used = (mx.concatenate(list(both))[order] for both in zip(kept, sampled, strict=True))
        return codes, embedding, used

    def noise(self, sampling: RowSampling, keys: Keys) -> mx.array | None:
        """[B, noise_width] of these keys; None where sampling is greedy."""
        return None if sampling.greedy else gumbel_noise(keys, self.noise_width)


@dataclass(frozen=True)
class CodeStep:
    """Codes [B, K] of rows, and how the first ones surprised the model [B, 3], on their way from the device. surprises:
    of each row, where that is noted. faults: of utterances whose first frame this is; what they waited for was
    there before the frame. places: where each row that was asked for stands among these; empty: in the same order."""

    surprises: Sequence[list[NDArray[np.float32]]]
    codes: mx.array
    surprise: mx.array
    end_of_speech: int
    faults: Sequence[Callable[[], ModelError | None] | None] = ()
    places: Sequence[int] = ()

    def read(self) -> list[Codes | ModelError | None]:
        for own, values in zip(self.surprises, np.array(self.surprise), strict=True):
            own.append(values)
        frames = np.array(self.codes, dtype=np.int32)
        faults = [None if fault is None else fault() for fault in self.faults] or [None] * len(frames)
        pairs = zip(frames, faults, strict=True)
        found = [fault or (None if codes[0] == self.end_of_speech else codes) for codes, fault in pairs]
        return [found[at] for at in self.places] if self.places else found


class TalkerBatch:
    """Rows that take their steps together: next inputs x [B, 1, D], used ids [B, V] and, on a GPU, their caches."""

    def __init__(self, loop: FrameLoop):
        self.loop = loop
        self.rows: list[TalkerRow] = []
        self.caches: list[KVCache] = []
        self.x = mx.zeros((0,))
        self.used = mx.zeros((0,))
        self.sampling: RowSampling | None = None
        self.scratch: list[mx.array] = []  # the code predictor's caches
        self.inputs: RowInputs | None = None

    def step(self, rows: Sequence[TalkerRow]) -> CodeStep:
        """Put one frame of each row on its way to the device. All rows must be ready."""
        self._compose(rows)
        numbers = {id(row): at for at, row in enumerate(self.rows)}
        places, rows = [numbers[id(row)] for row in rows], self.rows
        loop, sampling, inputs = self.loop, self.sampling, self.inputs
        assert sampling is not None
        assert inputs is not None
        forbidden = inputs.forbidden([row.frame < MIN_FRAMES for row in rows], loop.early, loop.later)
        made = [row.made_codes for row in rows]
        keys = [frame_key(r.utterance.seed, r.take, r.frame) for r in rows]
        faults = [None if row.frame else row.utterance.fault for row in rows]
        text = inputs.text([row.frame for row in rows], [row.text for row in rows])
        for row in rows:
            row.frame, row.text = row.frame + 1, None
        if loop.compiled is not None:
            logits, hidden = loop.compiled.decode_step(self.x, self.caches)
            kept = [codes for codes in made if codes is not None]
            if len(kept) == len(made):
                codes, self.x, self.used = repeated_on_gpu(loop.talker, np.stack(kept), self.used, text)
            else:  # rows that repeat sample the same once more: another row costs a GPU little
                noise = loop.noise(sampling, keys)
                codes, self.x, self.used = loop.compiled.sample_frame(
                    logits, hidden, self.used, forbidden, text, noise, sampling, self.scratch
                )
        else:
            logits, hidden = loop.talker.step_rows(self.x, [row.caches for row in rows])
            state = (logits, hidden, self.used, forbidden)
            codes, embedding, self.used = loop.sample_or_repeat(rows, made, sampling, state, keys)
            self.x = (embedding + text)[:, None]
        surprises = loop.surprise(logits, forbidden, codes[:, 0])
        mx.async_eval(codes, self.x, self.used, surprises)
        noted, end = [row.surprises for row in rows], loop.config.codec_eos_token_id
        return CodeStep(noted, codes, surprises, end, faults, places)

    def _compose(self, rows: Sequence[TalkerRow]) -> None:
        """Make these the rows of the batch, in any order; those that leave it get their state back."""
        kept, joining = who_stays(self.rows, rows)
        if not joining and len(kept) == len(self.rows):
            return
        for at, row in enumerate(self.rows):
            if at not in kept:
                row.x, row.used = self.x[at : at + 1], self.used[at : at + 1]
        if self.loop.compiled is not None:
            self._regroup(kept, joining)
        self.rows = rows = [*(self.rows[at] for at in kept), *joining]
        self.x = joined(self.x, kept, [row.x for row in joining])
        self.used = joined(self.used, kept, [row.used for row in joining])
        self.inputs = RowInputs([row.utterance for row in rows], self.inputs, kept)
        config = self.loop.config
        params = [row.utterance.params for row in rows]
        self.sampling = RowSampling.of(params, config.vocab_size, self.loop.rest_vocabulary)

    def _regroup(self, kept: list[int], joining: list[TalkerRow]) -> None:
        """A GPU steps all rows over one cache a layer: give rows that leave their own, and take newcomers in."""
        assert self.loop.compiled is not None
        new = [row.caches for row in joining if not isinstance(row.caches, RowCache)]  # those are of the CPU
        if self.rows and self.caches[0].unseen:
            mx.eval(self.x)  # what kernels write to the caches must be there before rows are copied
        for at, row in enumerate(self.rows):
            if at not in kept:
                row.caches = unstacked(self.caches, at)
        if len(kept) + len(joining) == 1:  # a single row needs no padding and no mask
            self.caches = unstacked(self.caches, kept[0]) if kept else alone(new[0])
        else:
            self.caches = regrouped(self.caches, kept, new)
        for row in joining:
            row.caches = []
        self.scratch = self.loop.compiled.scratch(len(kept) + len(joining))
