"""A weight in, its form with 256 different numbers out: the numbers and, for each weight, which one (k-means)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

ENTRIES = 256
ROUNDS = 40  # of k-means; the error changes by less than a thousandth after 30
HALVES = 1 << 16  # how many float16 there are: k-means runs over their counts, not over the weights


def palette(weight: NDArray[Any]) -> tuple[NDArray[np.uint8], NDArray[np.float16]]:
    """Weights of any shape -> numbers of entries (the same shape) and the entries [256], float16, ascending."""
    codes = weight.astype(np.float16).view(np.uint16)
    counts = np.bincount(codes.reshape(-1), minlength=HALVES)
    present = np.flatnonzero(counts)
    values = present.astype(np.uint16).view(np.float16).astype(np.float64)
    order = np.argsort(values, kind="stable")
    values, present = values[order], present[order]
    weights = counts[present].astype(np.float64)
    entries = _k_means(values, weights).astype(np.float16)
    nearest = np.searchsorted(_borders(entries.astype(np.float64)), values)
    table = np.zeros(HALVES, np.uint8)
    table[present] = nearest
    return table[codes], entries


def _borders(centres: NDArray[np.float64]) -> NDArray[np.float64]:
    return (centres[1:] + centres[:-1]) / 2


def _k_means(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ascending values and how often each occurs -> centres, ascending. In one dimension a cluster is an interval."""
    if len(values) <= ENTRIES:
        return np.concatenate([values, np.full(ENTRIES - len(values), values[-1])])
    # The best density of centres goes with the third root of the density of the values (Panter and Dite 1951).
    bins = np.linspace(values[0], values[-1], 4 * ENTRIES + 1)
    density = np.cbrt(np.histogram(values, bins, weights=weights)[0] + 1e-3)
    centres = np.interp((np.arange(ENTRIES) + 0.5) / ENTRIES, np.cumsum(density) / density.sum(), bins[1:])
    count, total = (np.concatenate([[0], np.cumsum(column)]) for column in (weights, weights * values))
    for _ in range(ROUNDS):
        edges = np.concatenate([[0], np.searchsorted(values, _borders(centres)), [len(values)]])
        held = np.diff(count[edges])
        centres = np.where(held > 0, np.diff(total[edges]) / np.maximum(held, 1), centres)
        centres.sort()
    return centres
