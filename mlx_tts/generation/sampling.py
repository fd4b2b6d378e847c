"""Logits in, ids out: the one place where penalties, filters and draws happen. All lazy, nothing is read back."""

from __future__ import annotations

from dataclasses import dataclass

import mlx.core as mx


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
    """How a frame is drawn: its first code, the other codes, and the penalty on first codes already used."""

    first: SamplerSettings
    rest: SamplerSettings
    repetition_penalty: float

    @property
    def greedy(self) -> bool:
        return self.first.greedy and self.rest.greedy


def gumbel_noise(keys: list[tuple[int, int]], width: int) -> mx.array:
    """Keys of B rows -> [B, width] standard Gumbel noise, float32; a row depends on its own key alone."""
    rows = mx.array(keys, mx.uint32)
    return mx.vmap(lambda key: mx.random.gumbel((width,), mx.float32, key=key))(rows)


def penalise(logits: mx.array, used: mx.array, penalty: float) -> mx.array:
    """[B, V], [B, V] bool -> [B, V]: used ids become less likely (Keskar et al. 2019, as in HF generate)."""
    if penalty == 1.0:
        return logits
    return mx.where(used, mx.where(logits < 0, logits * penalty, logits / penalty), logits)


def keep_top_k(logits: mx.array, k: int) -> mx.array:
    """[..., V] -> [..., V]: all but the k largest become -inf; ties with the k-th stay."""
    if k <= 0 or k >= logits.shape[-1]:
        return logits
    smallest_kept = mx.topk(logits, k, axis=-1).min(axis=-1, keepdims=True)
    return mx.where(logits < smallest_kept, -mx.inf, logits)


def keep_top_p(logits: mx.array, p: float) -> mx.array:
    """[..., V] -> [..., V]: keep the smallest set of likely ids whose probability reaches p (Holtzman et al. 2020)."""
    if p >= 1.0:
        return logits
    ascending = mx.sort(logits, axis=-1)
    below = mx.cumsum(mx.softmax(ascending, axis=-1), axis=-1)
    kept = mx.where(below > 1.0 - p, ascending, mx.inf)
    smallest_kept = mx.minimum(kept.min(axis=-1, keepdims=True), ascending[..., -1:])
    return mx.where(logits < smallest_kept, -mx.inf, logits)


def sample(logits: mx.array, noise: mx.array | None, settings: SamplerSettings) -> mx.array:
    """[..., V] logits and Gumbel noise -> [...] ids drawn from softmax(logits / temperature) after the filters.

    argmax(log p + Gumbel noise) is an exact draw from p (Gumbel-max), so 16 draws chain without reading any back.
    """
    if settings.greedy or noise is None:
        return mx.argmax(logits, axis=-1)
    logits = logits.astype(mx.float32) * (1.0 / settings.temperature)
    logits = keep_top_p(keep_top_k(logits, settings.top_k), settings.top_p)
    return mx.argmax(logits + noise, axis=-1)
