"""Logits in, ids out: the one place for penalties, filters and sampling. All lazy, nothing is read back.

Every row has settings of its own. They are arrays in the step, so that one compiled graph serves all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mlx_tts.runtime.device import compiled, policy


@dataclass(frozen=True)
class SamplerSettings:
    """Temperature (0 is greedy), top-k (0: all) and top-p (1: all), in the order in which they apply."""

    temperature: float
    top_k: int
    top_p: float

    @property
    def greedy(self) -> bool:
        return self.temperature == 0


@dataclass(frozen=True)
class SamplingParams:
    """How a frame is sampled: its first code, the other codes, and the penalty on first codes already used."""

    first: SamplerSettings
    rest: SamplerSettings
    repetition_penalty: float

    @property
    def greedy(self) -> bool:
        return self.first.greedy and self.rest.greedy


@dataclass(frozen=True)
class CodeSampling:
    """How one code of each of B rows is sampled; all arrays are [B, 1].

    Greedy rows have inverse temperature 1, k = 1 and no noise, so that it is a plain argmax.
    """

    inverse_temperature: mx.array  # float32
    kth_column: mx.array  # int32: where the k-th largest logit stands among the ascending ones
    top_p_tail: mx.array  # float32: 1 - p, and -1 where p keeps all
    noisy: mx.array  # bool: False in greedy rows
    greedy: bool  # every row is
    uses_top_p: bool  # some row does
    # What only the host knows; None in a compiled step, whose graph must not depend on it.
    all_noisy: bool | None = None
    range_of_k: tuple[int, int] | None = None

    @property
    def arrays(self) -> list[mx.array]:
        """The first fields, in their order."""
        return [self.inverse_temperature, self.kth_column, self.top_p_tail, self.noisy]

    @classmethod
    def from_arrays(cls, arrays: Sequence[mx.array], form: tuple[bool, bool]) -> CodeSampling:
        """The same again; form: `greedy` and `uses_top_p`."""
        inverse_temperature, kth_column, top_p_tail, noisy = arrays
        return cls(inverse_temperature, kth_column, top_p_tail, noisy, *form)

    @classmethod
    def of(cls, rows: Sequence[SamplerSettings], vocabulary: int) -> CodeSampling:
        """The settings of the rows for codes out of so many."""
        kept = [_kept(row, vocabulary) for row in rows]
        tails = [-1.0 if row.greedy or row.top_p >= 1 else 1.0 - row.top_p for row in rows]
        noisy = [not row.greedy for row in rows]
        return cls(
            _column([1.0 if row.greedy else 1.0 / row.temperature for row in rows], np.float32),
            _column([vocabulary - k for k in kept], np.int32),
            _column(tails, np.float32),
            _column(noisy, np.bool_),
            greedy=not any(noisy),
            uses_top_p=max(tails) >= 0,
            all_noisy=all(noisy),
            range_of_k=(min(kept), max(kept)),
        )


@dataclass(frozen=True)
class RowSampling:
    """`SamplingParams` of B rows as arrays: what a step takes.

    Only the two flags of `form` change its graph, so there are at most three graphs, whatever is asked for.
    """

    first: CodeSampling
    rest: CodeSampling
    penalty: mx.array  # [B, 1] float32
    packed: mx.array  # [B, 8] float32, for the kernels: inverse temperature, k, penalty, noisy; first, then rest

    @classmethod
    def of(cls, params: Sequence[SamplingParams], first_vocabulary: int, rest_vocabulary: int) -> RowSampling:
        """One entry of `params` a row. Make it when the rows change, not for every frame."""
        penalties = [row.repetition_penalty for row in params]
        packed = [
            [*_packed(row.first, first_vocabulary, row.repetition_penalty), *_packed(row.rest, rest_vocabulary, 1.0)]
            for row in params
        ]
        return cls(
            CodeSampling.of([row.first for row in params], first_vocabulary),
            CodeSampling.of([row.rest for row in params], rest_vocabulary),
            _column(penalties, np.float32),
            mx.array(np.asarray(packed, np.float32)),
        )

    @property
    def rows(self) -> int:
        return self.packed.shape[0]

    @property
    def greedy(self) -> bool:
        """Whether no row needs noise."""
        return self.first.greedy and self.rest.greedy

    @property
    def uses_top_p(self) -> bool:
        return self.first.uses_top_p or self.rest.uses_top_p

    @property
    def form(self) -> tuple[bool, bool]:
        """What the graph of a step depends on."""
        return self.greedy, self.uses_top_p

    @property
    def arrays(self) -> list[mx.array]:
        """What goes into a compiled step; `from_arrays` takes it up there."""
        return [*self.first.arrays, *self.rest.arrays, self.penalty, self.packed]

    @classmethod
    def from_arrays(cls, arrays: Sequence[mx.array], form: tuple[bool, bool]) -> RowSampling:
        """The same inside a compiled step, without what only the host knows."""
        *codes, penalty, packed = arrays
        half = len(codes) // 2
        first, rest = (CodeSampling.from_arrays(own, form) for own in (codes[:half], codes[half:]))
        return cls(first, rest, penalty, packed)


def _column(values: Sequence[float], dtype: type[np.generic]) -> mx.array:
    return mx.array(np.asarray(values, dtype)[:, None])


def _kept(settings: SamplerSettings, vocabulary: int) -> int:
    if settings.greedy:
        return 1
    return settings.top_k if 0 < settings.top_k < vocabulary else vocabulary


def _packed(settings: SamplerSettings, vocabulary: int, penalty: float) -> tuple[float, float, float, float]:
    inverse = 1.0 if settings.greedy else 1.0 / settings.temperature
    return inverse, _kept(settings, vocabulary), penalty, float(not settings.greedy)


def gumbel_noise(keys: list[tuple[int, int]], width: int) -> mx.array:
    """Keys of B rows -> [B, width] standard Gumbel noise, float32; a row depends on its own key alone."""
    make = _compiled_noise(width) if policy().compiles else _noise(width)
    return make(mx.array(keys, mx.uint32))  # type: ignore[no-any-return]


def _noise(width: int) -> Callable[[mx.array], mx.array]:
    return mx.vmap(lambda key: mx.random.gumbel((width,), mx.float32, key=key))


@lru_cache(maxsize=8)
def _compiled_noise(width: int) -> Callable[[mx.array], mx.array]:
    """Two launches instead of eleven."""
    return compiled(_noise(width))


def penalise(logits: mx.array, used: mx.array, penalty: mx.array) -> mx.array:
    """[B, V], [B, V] bool, [B, 1] -> [B, V]: used ids become less likely (Keskar et al. 2019, as in HF generate)."""
    return mx.where(used, mx.where(logits < 0, logits * penalty, logits / penalty), logits)


def keep_top_k(logits: mx.array, kth_largest: mx.array) -> mx.array:
    """[B, V], [B, 1] -> [B, V]: all below the k-th largest become -inf; ties with it stay."""
    return mx.where(logits < kth_largest, -mx.inf, logits)


def kth_largest(logits: mx.array, how: CodeSampling) -> mx.array:
    """[B, V] -> [B, 1]: the k-th largest logit of each row."""
    if how.range_of_k is None:  # a GPU sorts up to 4,096 numbers in one launch, and selects no faster
        return mx.take_along_axis(mx.sort(logits, axis=-1), how.kth_column, axis=-1)
    smallest, largest = how.range_of_k
    kept = mx.topk(logits, largest, axis=-1)  # the CPU selects five times faster than it sorts
    if smallest == largest:
        return kept.min(axis=-1, keepdims=True)
    return mx.take_along_axis(mx.sort(kept, axis=-1), how.kth_column - (logits.shape[-1] - largest), axis=-1)


def keep_top_p(logits: mx.array, tail: mx.array) -> mx.array:
    """[B, V], 1 - p [B, 1] -> [B, V]: keep the smallest set of likely ids whose probability reaches p (Holtzman et al.
    2020)."""
    ascending = mx.sort(logits, axis=-1)
    below = mx.cumsum(mx.softmax(ascending, axis=-1), axis=-1)
    kept = mx.where(below > tail, ascending, mx.inf)
    smallest_kept = mx.minimum(kept.min(axis=-1, keepdims=True), ascending[..., -1:])
    return mx.where(logits < smallest_kept, -mx.inf, logits)


def sample(logits: mx.array, noise: mx.array | None, how: CodeSampling) -> mx.array:
    """[B, V] logits and Gumbel noise -> [B] ids sampled from softmax(logits / temperature) after the filters.

    argmax(log p + Gumbel noise) is an exact sample of p (Gumbel-max), so 16 samples chain without reading any back.
    """
    if how.greedy or noise is None:
        return mx.argmax(logits, axis=-1)
    scaled = logits.astype(mx.float32) * how.inverse_temperature
    if how.range_of_k is None:
        # The k-th largest logit, scaled, is the k-th largest scaled one; so the sort need not wait for the product.
        scaled = keep_top_k(scaled, kth_largest(logits, how).astype(mx.float32) * how.inverse_temperature)
    elif how.range_of_k[0] < logits.shape[-1]:
        scaled = keep_top_k(scaled, kth_largest(scaled, how))
    if how.uses_top_p:
        scaled = keep_top_p(scaled, how.top_p_tail)
    if not how.all_noisy:
        noise = mx.where(how.noisy, noise, 0.0)  # not a product: noise may be infinite
    return mx.argmax(scaled + noise, axis=-1)


def sample_on_host(
    logits: NDArray[np.float32], noise: NDArray[np.float32] | None, how: CodeSampling
) -> NDArray[np.intp]:
    """What `sample` does, by NumPy: for logits that are there already, where to hand each code to MLX takes longer."""
    if how.greedy or noise is None:
        return _likeliest(logits)
    scaled: NDArray[np.float32] = logits * np.asarray(how.inverse_temperature)
    for row, at in zip(scaled, np.asarray(how.kth_column)[:, 0].tolist(), strict=True):
        if at:
            row[row < np.partition(row, at)[at]] = -np.inf
    if how.uses_top_p:
        scaled = np.array(keep_top_p(mx.array(scaled), how.top_p_tail))
    return _likeliest(scaled + (noise if how.all_noisy else np.where(how.noisy, noise, np.float32(0))))


def _likeliest(values: NDArray[np.float32]) -> NDArray[np.intp]:
    return values.argmax(axis=-1)  # type: ignore[no-any-return]
