"""Fewer bits: what is written, what is read again, and what the gate finds."""

import json

import numpy as np
import pytest
from safetensors import safe_open

from mlx_tts.errors import ModelError, RequestError
from mlx_tts.models import families
from mlx_tts.models.convert_options import ConvertOptions
from mlx_tts.models.kokoro import conversion, gate
from mlx_tts.models.kokoro.weights import folded, numbers, stored_tensors
from mlx_tts.runtime import mlx_thread

SENTENCE = "nˈi, hˈAlO wˈɜɹld!"


@pytest.fixture
def convert(kokoro, tmp_path, monkeypatch):
    """Of the case "plain": (the opened result, what its user is told)."""
    monkeypatch.setattr(gate, "SENTENCES", (SENTENCE,) * 3)
    monkeypatch.setattr(conversion, "LEAST", 1 << 8)
    source = families.open_checkpoint(kokoro("plain").folder)

    def make(**options):
        told = mlx_thread.run(
            conversion.convert, source, tmp_path / "made", ConvertOptions(**options), lambda _line: None
        )
        return families.open_checkpoint(tmp_path / "made"), told

    return make


def weights_of(checkpoint):
    stored = stored_tensors(checkpoint.weights, checkpoint.quantization)
    return {name: np.array(numbers(value)) for name, value in folded(stored, checkpoint.weights)}


@pytest.mark.slow
def test_eight_bits_are_near_and_speak(convert, kokoro):
    made, told = convert(bits=8, group_size=32)
    assert "the gate is" in told
    assert made.info.quantisation == "8-bit"
    plain = mlx_thread.run(weights_of, families.open_checkpoint(kokoro("plain").folder))
    stored = mlx_thread.run(weights_of, made)
    assert stored.keys() == plain.keys()
    for name, value in plain.items():
        assert np.abs(stored[name] - value).max() <= 0.02 * np.abs(value).max() + 1e-9, name
        if name.startswith("decoder.generator."):
            np.testing.assert_array_equal(stored[name], value)
    moved = [name for name in plain if not np.array_equal(plain[name], stored[name])]
    assert any(name.startswith("bert.") for name in moved)
    assert "text_encoder.lstm.weight_ih_l0" in moved
    assert any(plain[name].shape[1] * plain[name].shape[-1] % 32 for name in moved if plain[name].ndim == 3)
    assert (made.folder / "README.md").read_text(encoding="utf-8").count("| lengths changed, % |") == 1


@pytest.mark.slow
def test_each_part_has_its_bits(convert):
    made, _ = convert(bits=4, group_size=32, codec_bits=8)
    bits = {name: form["bits"] for name, form in made.quantization.items() if isinstance(form, dict)}
    assert {bits[name] for name in bits if name.startswith(("bert", "predictor."))} == {8}
    assert {bits[name] for name in bits if name.startswith("decoder.generator.")} == {8}
    assert {bits[name] for name in bits if name.startswith("text_encoder.")} == {4}
    assert bits["decoder.decode.0.conv1"] == 4


@pytest.mark.slow
def test_uniform_bits_are_uniform(convert):
    made, _ = convert(bits=4, group_size=32, recipe="uniform")
    assert {form["bits"] for form in made.quantization.values() if isinstance(form, dict)} == {4}
    with safe_open(str(made.weights), framework="np") as file:
        assert not any(name.startswith("decoder.generator.") and name.endswith(".scales") for name in file.keys())  # noqa: SIM118 (it is no dictionary)


@pytest.mark.slow
def test_a_shape_that_does_not_fit_is_named(convert):
    made, _ = convert(bits=8, group_size=32)
    path = made.folder / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    for shape in ([5, 7], "x", [True, 1], [10**9, 1], None):
        config["quantization"]["decoder.decode.0.conv1"]["shape"] = shape
        path.write_text(json.dumps(config), encoding="utf-8")
        with pytest.raises(ModelError, match=r"decoder\.decode\.0\.conv1 that does not fit"):
            mlx_thread.run(weights_of, families.open_checkpoint(made.folder))


def test_the_gate_sees_what_moved():
    still = gate.SpokenPhrase(
        np.array([3, 4, 5, 6]), np.full(36, 120.0), np.sin(np.arange(9000) / 9).astype(np.float32)
    )
    assert gate.differences([still], [still]).passes
    longer = gate.SpokenPhrase(np.array([3, 4, 5, 7]), still.pitch, still.samples)
    assert gate.differences([still], [longer]).found[gate.LENGTHS] == 25
    higher = gate.SpokenPhrase(still.lengths, still.pitch + 2, still.samples)
    assert not gate.differences([still], [higher]).passes
    noise = np.random.default_rng(1).standard_normal(9000).astype(np.float32)
    found = gate.differences([still], [gate.SpokenPhrase(still.lengths, still.pitch, noise)])
    assert found.found[gate.SPECTRUM] > 10
    assert found.line.endswith("the gate is MISSED, so this folder is not recommended")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({}, "give 8, 6 or 4"),
        ({"bits": 8, "tune": True}, "--tune"),
        ({"bits": 4, "budget_mb": 9}, "--budget-mb"),
        ({"bits": 8, "group_size": 16}, "do not go together"),
    ],
)
def test_what_cannot_be_meant_is_refused(convert, options, says):
    with pytest.raises(RequestError, match=says):
        convert(**options)
