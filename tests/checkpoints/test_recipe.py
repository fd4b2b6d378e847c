"""Bits are chosen as a table worked out by hand says; the whole is what decides."""

import math

import mlx.core as mx
import pytest

from mlx_tts.checkpoints.recipe import Part, choose, find_recipe, least_passing, mean_divergence
from mlx_tts.errors import RequestError

# 8 000 000 weights take 4, 6 or 8 MB, 2 000 000 a quarter of that
LAYERS, HEAD, TEXT = Part("layers", ("a", "b"), 8_000_000), Part("head", ("c",), 2_000_000), Part("t", ("t",), 8, (8,))
LIMITS = {"first": 0.04, "rest": 0.015}
COSTS = {
    "layers": {4: {"first": 0.030}, 6: {"first": 0.002}},
    "head": {4: {"first": 0.012, "rest": 0.016}, 6: {"first": 0.001, "rest": 0.006}},
}


def bits(*parts: Part, **more) -> tuple[int, ...]:
    return tuple(choose(parts, COSTS, LIMITS, **more).values())


def test_the_fewest_bytes_within_the_limits():
    # 4 and 4 bits: 0.042 of 0.04 and 0.016 of 0.015. 4 and 6: 0.031 and 0.006, in 5.5 MB. 6 and 4 misses the second.
    assert bits(LAYERS, HEAD) == (4, 6)


def test_a_smaller_margin_costs_bytes():
    # Half of the limits is 0.02 and 0.0075: layers in 6 bits, the head's 0.006 still fits.
    assert bits(LAYERS, HEAD, margin=0.5) == (6, 6)
    # A third is 0.0133 and 0.005: the head in 8 bits.
    assert bits(LAYERS, HEAD, margin=1 / 3) == (6, 8)
    assert bits(LAYERS, HEAD, margin=0.01) == (8, 8)


def test_a_budget_takes_the_least_worst_divergence_that_fits():
    # 5 MB: 4 and 4 bits alone. 5.5: 4 and 6 (31/40 of a limit). 7: 6 and 4 misses (16/15), so 4 and 8 (30/40) is best.
    assert bits(LAYERS, HEAD, budget_bytes=5_000_000) == (4, 4)
    assert bits(LAYERS, HEAD, budget_bytes=5_500_000) == (4, 6)
    assert bits(LAYERS, HEAD, budget_bytes=7_000_000) == (4, 8)
    assert bits(LAYERS, HEAD, budget_bytes=8_000_000) == (6, 8)
    assert bits(LAYERS, HEAD, budget_bytes=99_000_000) == (8, 8)


def test_a_budget_that_nothing_fits_names_the_least_that_passes():
    with pytest.raises(RequestError, match="4 MB is too small for this model: give 6 MB"):
        bits(LAYERS, HEAD, budget_bytes=4_000_000)
    assert least_passing([LAYERS, HEAD], COSTS, LIMITS, 1_000_000) == 6_500_000
    with pytest.raises(RequestError, match="give 7 MB"):
        bits(LAYERS, HEAD, budget_bytes=5_900_000, other_bytes=1_000_000)


def test_a_part_has_no_more_choices_than_it_says():
    assert bits(LAYERS, HEAD, TEXT) == (4, 6, 8)


def test_the_whole_decides_and_the_margin_shrinks():
    asked = []

    def measure(chosen):
        asked.append(tuple(chosen.values()))
        worse = 0.011 if chosen["layers"] == 4 else 0.0  # more than the sum of both
        return {"first": 0.031 + worse, "rest": 0.006}

    recipe = find_recipe([LAYERS, HEAD], COSTS, LIMITS, measure, other_bytes=500_000)
    assert asked == [(4, 6), (6, 6)]  # margins that choose the same are not measured again
    assert recipe.passes
    assert recipe.layer_bits == {"a": 6, "b": 6, "c": 6}
    assert recipe.file_bytes == 8_000_000
    assert recipe.line.endswith("the gate is passed")
    assert "| layers | 8000000 | 6 | 0.0020 | - |" in recipe.table
    assert "| gate: passed |" in recipe.table


def test_a_recipe_that_misses_the_gate_says_so():
    recipe = find_recipe(
        [LAYERS, HEAD], COSTS, LIMITS, lambda _: {"first": 0.042, "rest": 0.016}, budget_bytes=5_000_000
    )
    assert not recipe.passes
    assert recipe.layer_bits == {"a": 4, "b": 4, "c": 4}
    assert "MISSED" in recipe.line
    assert "try a budget of 6 MB" in recipe.line
    assert "| gate: MISSED |" in recipe.table


def test_divergence_is_the_mean_over_rows_in_nats():
    even, sure = mx.log(mx.array([[0.5, 0.5]])), mx.log(mx.array([[0.9, 0.1]]))
    expected = 0.5 * math.log(0.5 / 0.9) + 0.5 * math.log(0.5 / 0.1)
    assert mean_divergence([even], [sure + 3]) == pytest.approx(expected, rel=1e-5)  # a constant changes nothing
    twice = mx.concatenate([even, even])[None]
    assert mean_divergence([even, twice], [sure, twice]) == pytest.approx(expected / 3, rel=1e-5)
