"""The two halves of a frame for a GPU, few launches each: the talker's step over its caches, and sampling 16 codes.

Attention is a kernel of our own where that passes its check, with caches that it writes in place; else MLX's.
"""

from __future__ import annotations

from collections.abc import Callable

import mlx.core as mx
import numpy as np
from mlx import nn

from mlx_tts.generation.sampling import RowSampling, SamplerSettings, SamplingParams, penalise, sample
from mlx_tts.kernels import persistent_stack
from mlx_tts.kernels.core.forms import StepKernels
from mlx_tts.kernels.core.self_check import CheckNumbers, self_checked
from mlx_tts.kernels.layer_steps import (
    LayerSteps,
    UnrolledStack,
    attention_passes,
    decode,
    empty_cache,
    plain_layers,
    starts_of,
)
from mlx_tts.kernels.persistent_sizes import LaterCodes, StackKernel
from mlx_tts.kernels.persistent_stack import CHECK_LAYERS, counters, counters_of
from mlx_tts.kernels.products import multiply
from mlx_tts.kernels.sampling import SamplingKernel, place_of
from mlx_tts.models.qwen3_tts.talker import CodePredictor, Talker
from mlx_tts.nn.cache import KVCache
from mlx_tts.runtime.device import compiled

Frame = tuple[mx.array, mx.array, mx.array, list[mx.array]]


class CompiledDecode:
    """Compiled steps of one talker. Holds no utterance. kernels: those that they use, as long as they live."""

    def __init__(self, talker: Talker, kernels: StepKernels):
        self.talker, self.kernels = talker, kernels
        self._step = compiled(self._decoded)
        self._layers = LayerSteps(talker.model)
        self._head = compiled(self._ends)
        self._frames: dict[tuple[bool, bool], Callable[..., Frame]] = {}  # by the form of the sampling

    def decode_step(self, x: mx.array, caches: list[KVCache]) -> tuple[mx.array, mx.array]:
        """[B, 1, D] -> logits [B, V] and normed hidden state [B, D]; appends one column to the caches."""
        with self.kernels.in_use():
            return self._next(x, caches)

    def _next(self, x: mx.array, caches: list[KVCache]) -> tuple[mx.array, mx.array]:
        B, length = x.shape[0], caches[0].length
        if not caches[0].has_room(1):
            if caches[0].unseen:
                mx.eval(x)  # what kernels write to the caches must be there before a copy is made
            for cache in caches:
                cache.reserve(length + 1)
        assert caches[0].kv is not None
        if not attention_passes(self.talker.model.layers[0].self_attn, B, caches[0].kv.shape[3], 1, x.dtype):
            return self._head(self._layers(x[:, 0], caches))  # type: ignore[no-any-return]
        offsets = mx.array([length], mx.int32), starts_of(caches[0].start, B)
        for cache in caches:
            cache.length, cache.unseen = cache.length + 1, True
        return self._step(x[:, 0], *offsets, counters_of(caches), [cache.kv for cache in caches])  # type: ignore[no-any-return]

    def _decoded(
        self, x: mx.array, offset: mx.array, starts: mx.array, barrier: mx.array, caches: list[mx.array]
    ) -> tuple[mx.array, mx.array]:
        return self._ends(decode(self.talker.model, x, caches, offset, starts, barrier))

    def _ends(self, x: mx.array) -> tuple[mx.array, mx.array]:
        return multiply(self.talker.codec_head, x, self.talker.model.norm), self.talker.model.norm(x)

    def sample_frame(
        self,
        logits: mx.array,
        hidden: mx.array,
        used: mx.array,
        forbidden: mx.array,
        text: mx.array,
        noise: mx.array | None,
        sampling: RowSampling,
        scratch: list[mx.array],
    ) -> tuple[mx.array, mx.array, mx.array]:
        """Sample a frame: codes [B, K], the next input [B, 1, D], used ids [B, V]. scratch: the batch's own."""
        if sampling.form not in self._frames:
            self._frames[sampling.form] = compiled(FrameSampler(self.talker, sampling.form))
        arguments = [logits, hidden, used, forbidden, text, scratch, sampling.arrays]
        with self.kernels.in_use():
            codes, x, used, scratch[:] = self._frames[sampling.form](*arguments, *([] if noise is None else [noise]))
        return codes, x[:, None], used

    def scratch(self, batch: int) -> list[mx.array]:
        """The predictor's caches for one batch of rows; a frame reads no column that it did not write. The last array
        is not a cache: see `persistent_stack.counters`."""
        predictor = self.talker.code_predictor
        attn = predictor.model.layers[0].self_attn
        shape = (batch, attn.kv_heads, predictor.num_code_groups, attn.head_dim)
        return [*(empty_cache(*shape, self.talker.dtype) for _ in predictor.model.layers), counters()]


class FrameSampler:
    """Sampling of all 16 codes of a frame as one pure function of arrays. form: of its `RowSampling`."""

    def __init__(self, talker: Talker, form: tuple[bool, bool]):
        self.talker, self.form = talker, form
        predictor = talker.code_predictor
        self._stack = UnrolledStack(predictor.model, predictor.num_code_groups)

    def __call__(
        self,
        logits: mx.array,
        hidden: mx.array,
        used: mx.array,
        forbidden: mx.array,
        text: mx.array,
        scratch: list[mx.array],
        settings: list[mx.array],
        noise: mx.array | None = None,
    ) -> Frame:
        predictor, B = self.talker.code_predictor, logits.shape[0]
        sampling = RowSampling.from_arrays(settings, self.form)
        first, width = self.talker.model.codec_embedding, predictor.num_code_groups
        codes, used, pair, total = sample_first(logits, noise, used, forbidden, sampling, first, hidden, text, width)
        x = pair.reshape(2 * B, -1)
        attn = predictor.model.layers[0].self_attn
        in_place = all(attention_passes(attn, B, width, new, x.dtype) for new in (1, 2))
        *caches, barrier = scratch
        starts, kept = starts_of(None, B), caches
        for slot, (head, table) in enumerate(zip(predictor.lm_head, predictor.model.codec_embedding, strict=True), 1):
            if "small_to_mtp_projection" in predictor:
                x = multiply(predictor.small_to_mtp_projection, x)
            if in_place:
                at, new = (0, 2) if slot == 1 else (slot, 1)
                x = decode(predictor.model, x, caches, mx.array([at], mx.int32), starts, barrier, new)
            else:
                x, kept = self._stack(x, slot - 1, kept)
            x = x.reshape(B, -1, x.shape[-1])[:, -1]
            logits = multiply(head, x, predictor.model.norm)
            place = (slot, first.weight.shape[0] + (slot - 1) * predictor.vocab_size)
            last = slot == width - 1
            sampled = sample_following(logits, noise, sampling, table, codes, total, place, last)
            codes, total = sampled[0], sampled[2]
            x = x if sampled[1] is None else sampled[1]
            if slot == 1 and in_place and "small_to_mtp_projection" not in predictor and width > 2:
                whole = later_codes(
                    predictor, first.weight.shape[0], x, caches, starts, barrier, sampling, noise, codes, total
                )
                if whole is not None:
                    return *whole, used, scratch
        return codes, total, used, scratch


def later_codes(
    predictor: CodePredictor,
    first_ids: int,
    x: mx.array,
    caches: list[mx.array],
    starts: mx.array,
    barrier: mx.array,
    sampling: RowSampling,
    noise: mx.array | None,
    codes: mx.array,
    total: mx.array,
) -> tuple[mx.array, mx.array] | None:
    """All codes behind the second one in one launch: codes [B, K] and the next input [B, D]; None: no kernel has it."""
    ends = list(predictor.lm_head)[1:], list(predictor.model.codec_embedding)[1:]
    own = None if sampling.greedy else noise
    ids, width = predictor.vocab_size, 0 if own is None else own.shape[1]
    later = LaterCodes(ids, codes.shape[1], 2, first_ids + ids, width, own is None)
    chosen = None
    if not sampling.uses_top_p:
        chosen = persistent_stack.of_codes(predictor.model, ends, later, x.shape[0], x.dtype, caches[0].shape[3])

    def check(chosen: StackKernel) -> list[tuple[mx.array, mx.array]]:
        """Its own codes are given to the plain form; the last of them is sampled again from its own logits."""
        numbers, rows = CheckNumbers(), x.shape[0]
        few, how = predictor.model.layers[:CHECK_LAYERS], _check_sampling(mx.zeros((rows, ids)), own is None)
        given, summed = numbers.normal(x.shape, x.dtype), numbers.normal(total.shape)
        made_noise = None if own is None else numbers.gumbel(own.shape)
        before = mx.zeros(codes.shape, mx.uint32)
        kept = [mx.contiguous(numbers.normal(cache.shape, cache.dtype)) for cache in caches]
        step, right = given, [cache.astype(mx.float32) for cache in kept[: len(few)]]  # before they are written to
        mx.eval(kept, right)
        some = (given, kept, starts, persistent_stack.counters(), how.packed, made_noise, before, summed)
        sampled, sums, logits = persistent_stack.sample_codes(chosen, predictor.model, ends, *some, layers=len(few))
        mx.eval(sampled, sums, logits)
        for at, table in enumerate(ends[1], later.slot):
            exact, right = plain_layers(few, step, right, mx.array([at]), starts[:rows], 1)
            step = table(sampled[:, at]).astype(mx.float32)
            summed = summed + step
        last = codes.shape[1] - 1
        head = multiply(ends[0][-1], exact, predictor.model.norm).astype(logits.dtype)
        at = later.noise_at + (later.steps - 1) * ids
        again = sample(logits, None if made_noise is None else made_noise[:, at : at + ids], how.rest)
        pairs = [(cache, one.astype(cache.dtype)) for cache, one in zip(kept, right, strict=False)]
        return [(logits, head), (sampled[:, last], again), (sums, summed.astype(sums.dtype)), *pairs]

    chosen = self_checked(chosen, check, rows=x.shape[0], part="stacks")
    if chosen is None:
        return None
    made = persistent_stack.sample_codes(
        chosen, predictor.model, ends, x, caches, starts, barrier, sampling.packed, own, codes, total
    )
    return made[0], made[1]


def _ids(count: int) -> mx.array:
    """0 .. count - 1 as a constant of the graph: `mx.arange` would be a launch."""
    return mx.array(np.arange(count, dtype=np.uint32))


def _is(count: int, slot: int) -> mx.array:
    return mx.array(np.arange(count) == slot)


def _plain_table(table: nn.Embedding) -> mx.array | None:
    return table.weight if type(table) is nn.Embedding else None


def sample_first(
    logits: mx.array,
    noise: mx.array | None,
    used: mx.array,
    forbidden: mx.array,
    sampling: RowSampling,
    table: nn.Embedding,
    hidden: mx.array,
    text: mx.array,
    count: int,
) -> list[mx.array]:
    """Code 0: codes [B, K] with only it set, used ids, (hidden, embedding) [B, 2, D], embedding + text in float32."""
    weight = _plain_table(table)
    own = None if sampling.greedy else noise

    def plain(
        logits: mx.array,
        own: mx.array | None,
        used: mx.array,
        forbidden: mx.array,
        sampling: RowSampling,
        hidden: mx.array,
        text: mx.array,
    ) -> list[mx.array]:
        V = logits.shape[1]
        fair = penalise(logits.astype(mx.float32), used, sampling.penalty) + forbidden
        code = sample(fair, None if own is None else own[:, :V], sampling.first)
        embedding = table(code).astype(hidden.dtype)
        codes = mx.where(_is(count, 0), code[:, None], mx.array(0, mx.uint32))
        seen = used | (_ids(V) == code[:, None])
        pair = mx.where(_is(2, 0)[:, None], hidden[:, None], embedding[:, None])  # stacked in one launch
        return [codes, seen, pair, text.astype(mx.float32) + embedding]

    chosen = None
    if weight is not None and not sampling.uses_top_p and hidden.dtype == text.dtype == weight.dtype:
        chosen = SamplingKernel.of(logits, count, weight, own, first=True)

    def check(chosen: SamplingKernel) -> list[tuple[mx.array, mx.array]]:
        assert weight is not None
        numbers, rows = CheckNumbers(), _check_sampling(logits, sampling.greedy)
        some = 2 * numbers.normal(logits.shape, logits.dtype), None if own is None else numbers.gumbel(own.shape)
        masks = numbers.uniform(used.shape) < 0.3, mx.zeros(forbidden.shape)
        state, words = numbers.normal(hidden.shape, hidden.dtype), numbers.normal(text.shape, text.dtype)
        made = chosen.sample_first(*some, *masks, rows.packed, weight, state, words)
        return list(zip(made, plain(*some, *masks, rows, state, words), strict=True))

    chosen = self_checked(chosen, check, rows=logits.shape[0])
    if chosen is not None and weight is not None:
        return chosen.sample_first(logits, own, used, forbidden, sampling.packed, weight, hidden, text)
    return plain(logits, own, used, forbidden, sampling, hidden, text)


def sample_following(
    logits: mx.array,
    noise: mx.array | None,
    sampling: RowSampling,
    table: nn.Embedding,
    codes: mx.array,
    total: mx.array,
    place: tuple[int, int],
    last: bool,
) -> tuple[mx.array, mx.array | None, mx.array]:
    """A later code: codes with it set, its embedding [B, D], the sum so far (the last: as the talker reads it)."""
    slot, noise_at = place
    weight, where = _plain_table(table), place_of(slot, noise_at)
    own = None if sampling.greedy else noise

    def plain(
        logits: mx.array, own: mx.array | None, sampling: RowSampling, codes: mx.array, total: mx.array
    ) -> tuple[mx.array, mx.array | None, mx.array]:
        code = sample(logits, None if own is None else own[:, noise_at : noise_at + logits.shape[1]], sampling.rest)
        embedding = table(code)
        codes = mx.where(_is(codes.shape[1], slot), code[:, None], codes)
        total = total + embedding.astype(mx.float32)
        return codes, None if last else embedding, total.astype(embedding.dtype) if last else total

    chosen = None
    if weight is not None and not sampling.uses_top_p:
        chosen = SamplingKernel.of(logits, codes.shape[1], weight, own, last=last)

    def check(chosen: SamplingKernel) -> list[tuple[mx.array, mx.array]]:
        assert weight is not None
        numbers, rows = CheckNumbers(), _check_sampling(logits, sampling.greedy)
        some = 2 * numbers.normal(logits.shape, logits.dtype), None if own is None else numbers.gumbel(own.shape)
        before = mx.arange(codes.size, dtype=mx.uint32).reshape(codes.shape), numbers.normal(total.shape)
        made = chosen.sample_following(*some, rows.packed, weight, *before, where)
        pairs = zip(made, plain(*some, rows, *before), strict=True)
        return [(one, other) for one, other in pairs if one is not None and other is not None]

    chosen = self_checked(chosen, check, rows=logits.shape[0])
    if chosen is not None and weight is not None:
        return chosen.sample_following(logits, own, sampling.packed, weight, codes, total, where)
    return plain(logits, own, sampling, codes, total)


def _check_sampling(logits: mx.array, greedy: bool) -> RowSampling:
    """Rows with unlike settings, for a self-check: it runs while a step is traced, when the step's have no values."""
    B, V = logits.shape
    kinds = [SamplerSettings(0.9, 50, 1.0), SamplerSettings(0.7, 3, 1.0), SamplerSettings(1.2, 0, 1.0)]
    kinds.insert(1, SamplerSettings(0, 0, 1.0))
    rows = [kinds[1 if greedy else row % len(kinds)] for row in range(B)]
    return RowSampling.of([SamplingParams(how, how, 1.05 + 0.1 * at) for at, how in enumerate(rows)], V, V)
