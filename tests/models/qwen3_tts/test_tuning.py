"""Tuned scales and biases of the code predictor: the loss falls, words that were not tuned on gain, codes stay."""

import json
import os
import signal

import mlx.core as mx
import numpy as np
import pytest

from mlx_tts.api import load_folder
from mlx_tts.checkpoints.work import ConversionWork
from mlx_tts.errors import RequestError
from mlx_tts.models import families
from mlx_tts.models.convert_options import ConvertOptions
from mlx_tts.models.families import open_checkpoint
from mlx_tts.models.qwen3_tts import recipe, tuning
from mlx_tts.models.recipes import speech
from mlx_tts.speech import SpeechRequest
from tests.helpers.converting import sentences_of
from tests.helpers.paths import TINY

WORDS = ("Hello world.", "It was quiet.", "She counted.", "Nobody said.")
ASKED = ConvertOptions(bits=4, recipe="uniform", tune=True)


@pytest.fixture
def few_steps(few_frames, monkeypatch):
    for name, value in {"STEPS": 12, "FRAMES": 32, "TIMES": 1}.items():
        monkeypatch.setattr(tuning, name, value)


def quiet() -> ConversionWork:
    return ConversionWork(lambda _line: None)


@pytest.fixture(scope="module")
def read():
    """A plain predictor and its layers, the frames to tune on, and those of other words."""
    checkpoint = open_checkpoint(TINY)
    requests = [SpeechRequest(text, voice="ivy", seed=at) for at, text in enumerate(WORDS)]
    spoken = sentences_of(recipe, checkpoint, requests)
    talker = recipe.plain_network(checkpoint, speech.untold)
    frames, aside = tuning.frames_of(talker, recipe.reader(talker, checkpoint, spoken), spoken)
    return talker.code_predictor, tuning.predictor_layers(talker), frames, aside


def tuner(read, bits: int, work: ConversionWork | None = None) -> tuning.PredictorTuner:
    predictor, layers, _, _ = read
    return tuning.PredictorTuner(predictor, layers, dict.fromkeys(layers, bits), 64, mx.bfloat16, work or quiet())


@pytest.mark.long
@pytest.mark.slow
def test_the_loss_falls_and_other_words_gain(read, few_steps):
    _, layers, frames, aside = read
    plain = {path: layer.weight for path, layer in layers.items()}
    own = tuner(read, 4)
    found = own.tuned(frames, aside)
    assert np.mean(found.losses[-3:]) < 0.7 * np.mean(found.losses[:3])
    assert found.after < 0.85 * found.before
    assert all(layers[path].weight is weight for path, weight in plain.items())
    assert set(found.layers) == set(layers)
    for path, (codes, scales, biases) in found.layers.items():
        before = own._stored[path]
        assert mx.array_equal(codes, before[0]).item()
        assert scales.dtype == biases.dtype == mx.bfloat16
        weights = [mx.dequantize(codes, *pair, 64, 4) for pair in ((scales, biases), before[1:])]
        steps = mx.abs(weights[0] - weights[1]).reshape(*scales.shape, 64) / before[1][..., None]
        assert 0 < steps.max().item() < 2 * tuning.MOST + 0.1  # and the rounding of bfloat16


@pytest.mark.long
@pytest.mark.slow
def test_what_gains_nothing_is_left(read, few_steps, monkeypatch):
    monkeypatch.setattr(tuning, "RATE", 5.0)  # far too fast
    monkeypatch.setattr(tuning, "STEPS", 3)
    _, _, frames, aside = read
    found = tuner(read, 4).tuned(frames, aside)
    assert found.layers == {}
    assert found.line.startswith("tuning gained nothing")


@pytest.mark.slow
def test_stopped_tuning_keeps_least_squares(read, few_steps):
    _, layers, frames, aside = read
    plain = {path: layer.weight for path, layer in layers.items()}
    work = quiet()
    with work.stoppable():
        assert work.stop()
        assert not work.stop(), "the second time the command itself ends"
        found = tuner(read, 4, work).tuned(frames, aside)
    assert (found.layers, found.losses, found.is_whole) == ({}, (), False)
    assert "was stopped" in found.line
    assert all(layers[path].weight is weight for path, weight in plain.items())
    assert not work.stop(), "nothing is going on any more"


@pytest.mark.slow
def test_a_tuned_model_is_written_and_speaks(tmp_path, few_steps):
    source = open_checkpoint(TINY)
    found = families.convert(source, tmp_path / "made", ASKED, lambda _: None)
    assert found is not None
    assert "were tuned by gradient: KL of the code predictor 0." in found
    assert "were tuned by gradient" in (tmp_path / "made" / "README.md").read_text()
    families.convert(source, tmp_path / "plain", ConvertOptions(bits=4, recipe="uniform"), lambda _: None)
    tuned, plain = (mx.load(str(tmp_path / name / "model.safetensors")) for name in ("made", "plain"))
    assert {name: (value.shape, value.dtype) for name, value in tuned.items()} == {
        name: (value.shape, value.dtype) for name, value in plain.items()
    }
    moved = {name for name, value in plain.items() if not mx.array_equal(value, tuned[name]).item()}
    assert moved
    assert all(name.startswith("talker.code_predictor.") and name.endswith(("scales", "biases")) for name in moved)
    configs = [json.loads((tmp_path / name / "config.json").read_text()) for name in ("made", "plain")]
    assert configs[0] == configs[1]
    with load_folder(tmp_path / "made") as model:
        assert 0.3 < model.speak("Hello world.", voice="ivy", seed=1).seconds < 3


@pytest.mark.long
def test_ctrl_c_stops_tuning_and_writes_the_folder(tmp_path, few_steps, monkeypatch, capfd):
    from mlx_tts.cli import run

    monkeypatch.setattr(tuning, "STEPS", 100_000)
    tuned = tuning.PredictorTuner.tuned

    def interrupted(self, frames, aside):
        os.kill(os.getpid(), signal.SIGINT)
        return tuned(self, frames, aside)

    monkeypatch.setattr(tuning.PredictorTuner, "tuned", interrupted)
    arguments = ["convert", "tiny", str(tmp_path / "made"), "--bits", "4", "--recipe", "uniform", "--tune"]
    assert run(arguments) == 0
    assert "tuning was stopped: scales and biases of the code predictor are those of least squares" in (
        " ".join(capfd.readouterr().err.split())
    )
    assert (tmp_path / "made" / "model.safetensors").exists()


@pytest.mark.parametrize("options", [{}, {"bits": 4, "mode": "mxfp4", "recipe": "uniform"}])
def test_it_goes_with_affine_bits(options):
    with pytest.raises(RequestError, match="--tune goes with --bits and --mode affine"):
        ConvertOptions(tune=True, **options)
