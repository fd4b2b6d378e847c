"""Draws follow the distribution, repeat with their address, and the filters do what HF generate does."""

import mlx.core as mx
import numpy as np
import pytest

from mlx_tts.generation.sampling import (
    SamplerSettings,
    frame_key,
    gumbel_noise,
    keep_top_k,
    keep_top_p,
    penalise,
    sample,
)

PLAIN = SamplerSettings(temperature=1.0, top_k=0, top_p=1.0)


def counts(probabilities: list[float], settings: SamplerSettings, draws: int = 20_000) -> np.ndarray:
    logits = mx.log(mx.array(probabilities))
    width = len(probabilities)
    noise = gumbel_noise([frame_key(7, 0, n) for n in range(draws)], width)
    drawn = sample(mx.broadcast_to(logits, (draws, width)), noise, settings)
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


def test_top_k_keeps_ties_and_ignores_a_k_beyond_the_vocabulary():
    logits = mx.array([[3.0, 1.0, 2.0, 2.0, 0.0]])
    assert np.isfinite(np.array(keep_top_k(logits, 2))[0]).tolist() == [True, False, True, True, False]
    assert np.isfinite(np.array(keep_top_k(logits, 9))).all()


@pytest.mark.parametrize(("p", "kept"), [(0.3, 1), (0.5, 1), (0.51, 2), (0.79, 2), (0.81, 3), (1.0, 4)])
def test_top_p_keeps_the_smallest_set_that_reaches_p(p, kept):
    logits = mx.log(mx.array([[0.5, 0.3, 0.15, 0.05]]))
    assert np.isfinite(np.array(keep_top_p(logits, p))).sum() == kept


def test_penalty_divides_positive_and_multiplies_negative_logits():
    logits, used = mx.array([[2.0, -2.0, 2.0, -2.0]]), mx.array([[True, True, False, False]])
    assert np.array(penalise(logits, used, 2.0))[0].tolist() == [1.0, -4.0, 2.0, -2.0]


def test_temperature_zero_is_greedy():
    logits = mx.array([[0.0, 3.0, 1.0]])
    assert sample(logits, gumbel_noise([(1, 2)], 3), SamplerSettings(0.0, 0, 1.0)).item() == 1


def test_a_draw_depends_on_its_address_alone():
    alone = np.array(gumbel_noise([frame_key(1, 2, 3)], 8)[0])
    among = np.array(gumbel_noise([frame_key(9, 9, 9), frame_key(1, 2, 3)], 8)[1])
    assert np.array_equal(alone, among)


def test_addresses_differ_in_every_part():
    addresses = {frame_key(s, u, f) for s in range(8) for u in range(8) for f in range(64)}
    assert len(addresses) == 8 * 8 * 64
