"""A measured conversion of VoxCPM: what it reads again is what it spoke, and the folder speaks."""

import json

import mlx.core as mx
import numpy as np
import pytest

import mlx_tts
from mlx_tts import SpeechRequest
from mlx_tts.cli import run
from mlx_tts.models.families import open_checkpoint
from mlx_tts.models.recipes import speech
from mlx_tts.models.recipes.contract import MeasuredOutput
from mlx_tts.models.voxcpm2 import recipe
from mlx_tts.models.voxcpm2.frames import FrameLoop
from tests.helpers.converting import sentences_of


@pytest.mark.slow
@pytest.mark.parametrize("case", ["text", "first"])
def test_it_reads_again_what_it_spoke(voxcpm, monkeypatch, few_frames, case):
    """The states of both language models before each patch."""
    checkpoint, seen, launch = open_checkpoint(voxcpm(case).folder), [], FrameLoop.launch

    def noted(loop, rows):
        seen.append([np.array(state[0]) for state in (rows[0].lm, rows[0].residual)])
        return launch(loop, rows)

    monkeypatch.setattr(FrameLoop, "launch", noted)
    voice = None
    if not checkpoint.info.can.designs:
        recording = np.sin(np.arange(20000) / 9).astype(np.float32)
        voice = voxcpm(case).tts.voice(recording, 16000, "Hello, you.")
    sentences = sentences_of(recipe, checkpoint, [SpeechRequest("Hello world.", voice=voice, seed=1)])
    reader = recipe.reader(recipe.plain_network(checkpoint, print), checkpoint, sentences)
    made = len(sentences[0].patches)
    assert made == speech.MOST_SENTENCE_FRAMES
    for own, spoken in zip(reader._said(sentences[0]), zip(*seen, strict=True), strict=True):
        np.testing.assert_allclose(np.array(own), np.stack(spoken)[:made], atol=2e-4)


def test_velocities_lead_from_the_noise_to_the_patch(voxcpm, few_frames):
    """A patch has so much noise at a time that one exact step of the ideal velocity, noise less patch, ends in it."""
    checkpoint = open_checkpoint(voxcpm("text").folder)
    (sentence,) = sentences_of(recipe, checkpoint, [SpeechRequest("Hello.", seed=1)])
    reader = recipe.reader(recipe.plain_network(checkpoint, print), checkpoint, [sentence])
    seen = []

    def ideal(x, _mu, _conditions, _time, _guidance):
        seen.append(x)
        return x

    reader._diffusion.velocity = ideal
    (found,) = reader.read(recipe.PATCHES)
    T = len(sentence.patches)
    assert found.shape == (T, len(recipe.STEPS_SEEN), *sentence.patches.shape[1:])
    times = [recipe.times(sentence.settings.steps)[int(share * sentence.settings.steps)] for share in (0.3, 0.6, 0.9)]
    noise = np.stack([np.array(recipe.noise_of(1, 0, at, sentence.patches.shape[1:])) for at in range(T)])
    for time, x in zip(times, seen, strict=True):
        np.testing.assert_allclose(np.array(x) - time * (noise - sentence.patches), sentence.patches, atol=1e-5)


def test_relative_error():
    references, others = [mx.array([3.0, 0.0]), mx.array([[4.0]])], [mx.array([3.0, 0.3]), mx.array([[4.4]])]
    assert recipe.relative_error(references, others) == pytest.approx((0.09 + 0.16) / 25)


@pytest.mark.smoke("first")
@pytest.mark.slow
@pytest.mark.parametrize("case", ["text", "first"])
def test_both_kinds_are_measured_and_speak(voxcpm, tmp_path, few_frames, capfd, monkeypatch, case):
    """With a gate between what 4 and 6 bits reach."""
    monkeypatch.setitem(recipe.OUTPUTS, recipe.PATCHES, MeasuredOutput(0.02, recipe.relative_error))
    made = tmp_path / "made"
    assert run(["convert", str(voxcpm(case).folder), str(made), "--bits", "4", "--group-size", "32"]) == 0
    assert "the gate is passed" in capfd.readouterr().err
    card = (made / "README.md").read_text()
    assert "| semantic model's MLPs |" in card
    assert "error of the patches" in card
    names = mx.load(str(made / "model.safetensors"))
    assert {name.split(".")[0] for name in names if name.endswith(".scales")} == {"base_lm", "residual_lm"}
    config = json.loads((made / "config.json").read_text())["quantization"]
    assert config["bits"] == 4
    with mlx_tts.load(str(made)) as tts:
        assert tts.info.quantisation == "4-bit"
