"""What the official code computes: random weights in two shapes, and the released weights where they are at hand."""

import json

import numpy as np
import pytest

from mlx_tts.runtime import mlx_thread
from tests.helpers.family_cases import KOKORO as CASES

NAMES = ("plain", "limit")
REQUESTS = [
    pytest.param(case, request, id=f"{case}-{request['name']}", marks=[pytest.mark.slow] if case == "limit" else [])
    for case in NAMES
    for request in json.loads((CASES / case / "requests.json").read_text(encoding="utf-8"))
]
RELEASED = json.loads((CASES / "real" / "requests.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("case", "asked"), REQUESTS)
def test_a_request_is_what_the_official_code_makes_of_it(kokoro, case, asked):
    from kokoro.compare import compare_request

    made = kokoro(case)
    seed = made.json("manifest.json")["seed"]
    assert mlx_thread.run(compare_request, made.tts, made.golden, asked, seed) == []


def test_the_sound_of_the_official_excitation(kokoro):
    from kokoro.compare import compare_sound

    made, whole = kokoro("plain"), np.load(CASES / "plain" / "whole.npz")
    asked = next(request for request in made.json("requests.json") if request["name"] == "one")
    assert mlx_thread.run(compare_sound, made.tts, made.golden, whole, asked) == []


@pytest.mark.parametrize(
    "key", ["ids", "style", "durations", "lengths", "bert", "features", "text", "F0", "N", "encoded"]
)
def test_a_difference_is_seen(kokoro, key):
    """A golden number that is changed is named."""
    from kokoro.compare import compare_request

    made = kokoro("plain")
    asked = next(request for request in made.json("requests.json") if request["name"] == "one")
    changed = {name: made.golden[name] for name in made.golden.files if name.startswith("one/")}
    value = np.array(changed[f"one/{key}"])
    value.flat[-1] += 1 if value.dtype.kind in "iu" else 0.05
    found = mlx_thread.run(compare_request, made.tts, {**changed, f"one/{key}": value}, asked, 11)
    assert any(line.startswith(key) for line in found)


@pytest.mark.slow
@pytest.mark.parametrize("asked", RELEASED, ids=[request["name"] for request in RELEASED])
def test_the_released_weights(released, asked):
    from kokoro.compare import compare_real

    golden = np.load(CASES / "real" / "golden.npz")
    assert mlx_thread.run(compare_real, released, golden, asked) == []
