"""Draws follow the distribution, repeat with their address, and the filters do what HF generate does."""

from dataclasses import replace

import mlx.core as mx
import numpy as np
import pytest

from mlx_tts.generation.sampling import (
    CodeSampling,
    RowSampling,
    SamplerSettings,
    SamplingParams,
    gumbel_noise,
    keep_top_k,
    keep_top_p,
    kth_largest,
    penalise,
    sample,
)
from mlx_tts.generation.seeds import frame_key

PLAIN = SamplerSettings(temperature=1.0, top_k=0, top_p=1.0)


def counts(probabilities: list[float], settings: SamplerSettings, draws: int = 20_000) -> np.ndarray:
    logits = mx.log(mx.array(probabilities))
    width = len(probabilities)
    noise = gumbel_noise([frame_key(7, 0, n) for n in range(draws)], width)
    drawn = sample(mx.broadcast_to(logits, (draws, width)), noise, CodeSampling.of([settings] * draws, width))
    return np.bincount(np.array(drawn), minlength=width)


def chi_square(observed: np.ndarray, expected: np.ndarray) -> float:
    return float(((observed - expected) ** 2 / expected).sum())


def test_draws_follow_the_distribution():
    probabilities = np.array([0.5, 0.25, 0.15, 0.07, 0.03])
    observed = counts(probabilities.tolist(), PLAIN)
    # 4 degrees of freedom: 18.5 is exceeded once in a thousand
    assert chi_square(observed, probabilities * observed.sum()) < 18.5


def test_temperature_sharpens_as_the_power_of_its_inverse():
    probabilities = np.array([0.5, 0.3, 0.2])
    powered = probabilities**2 / (probabilities**2).sum()
    observed = counts(probabilities.tolist(), SamplerSettings(0.5, 0, 1.0))
    assert chi_square(observed, powered * observed.sum()) < 13.8  # 2 degrees of freedom


def test_top_k_renormalises_over_the_kept():
    observed = counts([0.4, 0.3, 0.2, 0.1], SamplerSettings(1.0, 2, 1.0))
    assert observed[2:].sum() == 0
    assert chi_square(observed[:2], np.array([4, 3]) / 7 * observed.sum()) < 10.8


def in_graph(how: CodeSampling) -> CodeSampling:
    """As a compiled step sees it: without what only the host knows."""
    return replace(how, all_noisy=None, range_of_k=None)


def kept_by_k(logits: mx.array, k: int) -> list[list[bool]]:
    how = CodeSampling.of([SamplerSettings(1.0, k, 1.0)] * logits.shape[0], logits.shape[1])
    kept = [
        np.isfinite(np.array(keep_top_k(logits, kth_largest(logits, form)))).tolist() for form in (how, in_graph(how))
    ]
    assert kept[0] == kept[1]
    return kept[0]


def test_top_k_keeps_ties_and_ignores_a_k_beyond_the_vocabulary():
    logits = mx.array([[3.0, 1.0, 2.0, 2.0, 0.0]])
    assert kept_by_k(logits, 2) == [[True, False, True, True, False]]
    assert kept_by_k(logits, 9) == [[True] * 5]
    assert kept_by_k(logits, 0) == [[True] * 5]


@pytest.mark.parametrize(("p", "kept"), [(0.3, 1), (0.5, 1), (0.51, 2), (0.79, 2), (0.81, 3), (1.0, 4)])
def test_top_p_keeps_the_smallest_set_that_reaches_p(p, kept):
    logits = mx.log(mx.array([[0.5, 0.3, 0.15, 0.05]]))
    tail = CodeSampling.of([SamplerSettings(1.0, 0, p)], 4).top_p_tail
    assert np.isfinite(np.array(keep_top_p(logits, tail))).sum() == kept


def test_penalty_divides_positive_and_multiplies_negative_logits():
    logits = mx.array([[2.0, -2.0, 2.0, -2.0]] * 2)
    used = mx.array([[True, True, False, False]] * 2)
    penalised = np.array(penalise(logits, used, mx.array([[2.0], [4.0]])))
    assert penalised.tolist() == [[1.0, -4.0, 2.0, -2.0], [0.5, -8.0, 2.0, -2.0]]


def test_temperature_zero_is_greedy():
    logits = mx.array([[0.0, 3.0, 1.0]])
    greedy = CodeSampling.of([SamplerSettings(0.0, 0, 1.0)], 3)
    assert sample(logits, gumbel_noise([(1, 2)], 3), greedy).item() == 1


UNLIKE = [
    SamplerSettings(0.9, 50, 1.0),
    SamplerSettings(0, 0, 1.0),
    SamplerSettings(1.3, 0, 0.6),
    SamplerSettings(0.5, 3, 0.9),
    SamplerSettings(0, 50, 0.5),
    SamplerSettings(1.0, 700, 1.0),
]


def scalar_sample(logits: mx.array, noise: mx.array, settings: SamplerSettings) -> mx.array:
    """One row by its own numbers, as Python scalars: what the arrays stand for."""
    if settings.greedy:
        return mx.argmax(logits, axis=-1)
    logits = logits.astype(mx.float32) * (1.0 / settings.temperature)
    if 0 < settings.top_k < logits.shape[-1]:
        smallest = mx.topk(logits, settings.top_k, axis=-1).min(axis=-1, keepdims=True)
        logits = mx.where(logits < smallest, -mx.inf, logits)
    if settings.top_p < 1.0:
        ascending = mx.sort(logits, axis=-1)
        below = mx.cumsum(mx.softmax(ascending, axis=-1), axis=-1)
        kept = mx.where(below > 1.0 - settings.top_p, ascending, mx.inf)
        smallest = mx.minimum(kept.min(axis=-1, keepdims=True), ascending[..., -1:])
        logits = mx.where(logits < smallest, -mx.inf, logits)
    return mx.argmax(logits + noise, axis=-1)


@pytest.mark.parametrize("dtype", [mx.float32, mx.bfloat16], ids=str)  # bfloat16: hundreds of ties
@pytest.mark.parametrize("form", ["host", "graph"])
def test_every_row_has_its_own_settings(dtype, form):
    """The same ids as each row draws alone, by the scalar form and by arrays of one row."""
    B, V = len(UNLIKE), 600
    all_rows = CodeSampling.of(UNLIKE, V)
    rows = all_rows if form == "host" else in_graph(all_rows)
    for trial in range(40):
        logits = (3 * mx.random.normal((B, V), key=mx.random.key(trial))).astype(dtype)
        noise = gumbel_noise([frame_key(trial, 0, row) for row in range(B)], V)
        noise[1, :7] = -mx.inf  # a greedy row must not see it
        noise[1, int(mx.argmax(logits[1]).item())] = -mx.inf
        drawn = sample(logits, noise, rows).tolist()
        scalar = [scalar_sample(logits[at], noise[at], how).item() for at, how in enumerate(UNLIKE)]
        assert drawn == scalar
        for at, how in enumerate(UNLIKE):
            alone = CodeSampling.of([how], V)
            own = alone if form == "host" else in_graph(alone)
            assert sample(logits[at : at + 1], noise[at : at + 1], own).item() == drawn[at]


def test_rows_carry_their_settings_into_a_step_as_arrays():
    rows = [SamplingParams(how, UNLIKE[-1 - at], 1 + 0.1 * at) for at, how in enumerate(UNLIKE)]
    rows.append(SamplingParams(UNLIKE[0], UNLIKE[0], 1.0))
    sampling = RowSampling.of(rows, 3072, 2048)
    again = RowSampling.from_arrays(sampling.arrays, sampling.form)
    assert again.form == sampling.form == (False, True)
    for made, right in zip(again.arrays, sampling.arrays, strict=True):
        assert mx.array_equal(made, right)
        assert made.shape[0] == again.rows == len(rows)
    packed = np.array(sampling.packed)
    assert packed[2].tolist() == np.float32([1 / 1.3, 3072, 1.2, 1, 2, 3, 1, 1]).tolist()
    assert packed[1].tolist() == np.float32([1, 1, 1.1, 0, 1, 1, 1, 0]).tolist()


def test_settings_change_numbers_not_graphs():
    """At most three forms, so at most three compiled graphs for a batch size."""
    forms = set()
    for first in UNLIKE:
        for rest in UNLIKE:
            for other in UNLIKE:
                mixed = [SamplingParams(first, rest, 1.05), SamplingParams(other, other, 1.3)]
                form = RowSampling.of(mixed, 3072, 2048).form
                asked = [how for row in mixed for how in (row.first, row.rest)]
                assert form == (
                    all(how.greedy for how in asked),
                    any(how.top_p < 1 and not how.greedy for how in asked),
                )
                forms.add(form)
    assert forms == {(True, False), (False, False), (False, True)}


def test_a_draw_depends_on_its_address_alone():
    alone = np.array(gumbel_noise([frame_key(1, 2, 3)], 8)[0])
    among = np.array(gumbel_noise([frame_key(9, 9, 9), frame_key(1, 2, 3)], 8)[1])
    assert np.array_equal(alone, among)


def test_addresses_differ_in_every_part():
    addresses = {frame_key(s, u, f) for s in range(8) for u in range(8) for f in range(64)}
    assert len(addresses) == 8 * 8 * 64
