"""Hidden states of a step in, the codes of its frames out: one after the other, in passes, or all at once. All lazy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import mlx.core as mx
import numpy as np
from mlx import nn

from mlx_tts.generation.sampling import CodeSampling, keep_top_k, kth_largest, sample
from mlx_tts.models.magpie.config import GenerationSettings
from mlx_tts.models.magpie.network import MASK, Magpie

NONE, ALL, SOME = "none", "all", "some"
CERTAIN = 5.0  # the confidence of a code that is fixed


@dataclass(frozen=True)
class Guidance:
    """Rows as the decoder has them, conditional and unconditional side by side -> one row an utterance."""

    form: str  # whether none of the utterances has a second row, all of them, or some
    conditional: mx.array  # [R]: the row of each utterance
    unconditional: mx.array  # [R]: its second row, or the first again
    scale: mx.array  # [R, 1]
    owner: mx.array  # [B]: the utterance of each row

    @classmethod
    def of(cls, scales: Sequence[float | None]) -> Guidance:
        first: list[int] = []
        second: list[int] = []
        owner: list[int] = []
        for at, scale in enumerate(scales):
            first.append(len(owner))
            second.append(len(owner) + (scale is not None))
            owner += [at] * (1 if scale is None else 2)
        form = ALL if None not in scales else NONE if not any(scales) else SOME
        column = np.array([1.0 if scale is None else scale for scale in scales], np.float32)[:, None]
        return cls(form, mx.array(first), mx.array(second), mx.array(column), mx.array(owner))

    @property
    def arrays(self) -> list[mx.array]:
        return [self.conditional, self.unconditional, self.scale, self.owner]

    def __call__(self, logits: mx.array) -> mx.array:
        """[B, V] -> [R, V] float32"""
        logits = logits.astype(mx.float32)
        if self.form == NONE:
            return logits
        if self.form == ALL:
            pairs = logits.reshape(-1, 2, logits.shape[-1])
            return self.scale * pairs[:, 0] + (1 - self.scale) * pairs[:, 1]
        return self.scale * logits[self.conditional] + (1 - self.scale) * logits[self.unconditional]

    def first_rows(self, x: mx.array) -> mx.array:
        """[B, D] -> [R, D]: the conditional ones."""
        if self.form == NONE:
            return x
        return x.reshape(-1, 2, x.shape[-1])[:, 0] if self.form == ALL else x[self.conditional]

    def embed(self, table: nn.Embedding, codes: mx.array) -> mx.array:
        """Codes [R] -> their embedding, for every row of each utterance [B, D]; in one launch where all are alike."""
        if self.form == NONE:
            return table(codes)
        if self.form == SOME:
            return table(codes[self.owner])
        both = table(mx.broadcast_to(codes[:, None], (codes.shape[0], 2)))
        return both.reshape(-1, both.shape[-1])


@dataclass(frozen=True)
class StepSampling:
    """How the codes of R utterances are sampled. forbidden: [R, V], added to logits. noise: [R, n * V], of n
    codes, or None."""

    how: CodeSampling
    confidence: CodeSampling
    forbidden: mx.array
    noise: mx.array | None

    @classmethod
    def of(cls, settings: Sequence[GenerationSettings], forbidden: mx.array, noise: mx.array | None) -> StepSampling:
        V = forbidden.shape[-1]
        warm = [replace(own.sampler, temperature=own.confidence_temperature) for own in settings]
        how = CodeSampling.of([own.sampler for own in settings], V)
        return cls(how, CodeSampling.of(warm, V), forbidden, noise)

    def noise_of(self, number: int) -> mx.array | None:
        V = self.forbidden.shape[-1]
        return None if self.noise is None else self.noise[:, number * V : (number + 1) * V]

    def one(self, logits: mx.array, number: int) -> mx.array:
        """Guided logits [R, V] -> codes [R]"""
        return sample(logits + self.forbidden, self.noise_of(number), self.how)

    def with_confidence(self, logits: mx.array, number: int) -> tuple[mx.array, mx.array]:
        """Guided logits [R, V] -> codes [R] and their probabilities [R]"""
        scaled = (logits + self.forbidden) * self.confidence.inverse_temperature
        scaled = keep_top_k(scaled, kth_largest(scaled, self.confidence))
        noise = self.noise_of(number)
        sampled = scaled if noise is None else scaled + mx.where(self.how.noisy, noise, 0.0)
        codes = mx.argmax(sampled, axis=-1)
        probabilities = mx.softmax(scaled, axis=-1)
        return codes, mx.take_along_axis(probabilities, codes[:, None], axis=-1)[:, 0]


def codes_sampled(model: Magpie, settings: GenerationSettings) -> int:
    """How many codes are sampled in a step."""
    in_passes = settings.local and model.config.local_type == "maskgit"
    return model.slots * (settings.passes if in_passes else 1)


def sample_codes(
    model: Magpie,
    hidden: mx.array,
    parallel: mx.array,
    guidance: Guidance,
    sampling: StepSampling,
    settings: GenerationSettings,
) -> mx.array:
    """Hidden states [B, D] and guided logits of the parallel heads [R, slots, V] -> codes [R, slots]

    settings: of one of the utterances; all have the same `local` and `passes`.
    """
    if not settings.local:
        return mx.stack([sampling.one(parallel[:, slot], slot) for slot in range(model.slots)], axis=1)
    if model.config.local_type == "maskgit":
        return _in_passes(model, hidden, guidance, sampling, settings.passes)
    return _one_by_one(model, hidden, guidance, sampling)


def local_logits(model: Magpie, hidden: mx.array, guidance: Guidance, codes: mx.array) -> list[mx.array]:
    """Guided logits [R, V] of every slot, given the codes [R, slots] before it: for looking at, and for tests."""
    local = model.local
    x = [local.project(hidden)]
    x += [local.project(model.audio_embeddings[slot](codes[:, slot])[guidance.owner]) for slot in range(model.slots)]
    y = local.model(mx.stack(x, axis=1), local.make_caches(), causal=local.causal)
    shift = 0 if local.causal else 1
    return [guidance(head(y[:, slot + shift])) for slot, head in enumerate(local.heads)]


def _one_by_one(model: Magpie, hidden: mx.array, guidance: Guidance, sampling: StepSampling) -> mx.array:
    local = model.local
    caches = local.make_caches()
    x, codes = local.project(hidden), []
    for slot, head in enumerate(local.heads):
        y = local.model(x[:, None], caches)[:, 0]
        code = sampling.one(guidance(head(y)), slot)
        codes.append(code)
        if slot + 1 < len(local.heads):
            x = local.project(model.audio_embeddings[slot](code))[guidance.owner]
    return mx.stack(codes, axis=1)


def _in_passes(model: Magpie, hidden: mx.array, guidance: Guidance, sampling: StepSampling, passes: int) -> mx.array:
    """Sample all slots, keep the most confident ones, and sample the others again given those."""
    slots = model.slots
    shape = (guidance.conditional.shape[0], slots)
    codes, confidence = mx.full(shape, model.codebook_size + MASK), mx.zeros(shape)
    for number in range(passes):
        # In float32, as the reference: where the product is a whole number, other precisions round it up.
        open_share = np.cos(np.float32(number / passes) * np.float32(np.pi / 2))
        kept = slots - int(np.ceil(np.float32(slots) * open_share))
        order = mx.argsort(mx.argsort(-confidence, axis=1), axis=1)
        fixed = order < kept
        codes = mx.where(fixed, codes, model.codebook_size + MASK)
        sampled = [
            sampling.with_confidence(logits, number * slots + slot)
            for slot, logits in enumerate(local_logits(model, hidden, guidance, codes))
        ]
        codes = mx.where(fixed, codes, mx.stack([code for code, _ in sampled], axis=1))
        confidence = mx.where(fixed, CERTAIN, mx.stack([certain for _, certain in sampled], axis=1))
    return codes
