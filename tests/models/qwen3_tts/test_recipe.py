"""A measured conversion: its parts, its gate, its card, and that an interrupted one leaves nothing."""

import json
import os
import signal
import subprocess
import sys
import time

import mlx.core as mx
import numpy as np
import pytest

from mlx_tts.api import load_folder
from mlx_tts.cli import run
from mlx_tts.errors import RequestError
from mlx_tts.models import families
from mlx_tts.models.convert_options import ConvertOptions
from mlx_tts.models.families import open_checkpoint
from mlx_tts.models.qwen3_tts import recipe as recipes
from mlx_tts.speech import Sampling, SpeechRequest
from tests.helpers.converting import convert, first_frames
from tests.helpers.paths import TINY

FEW = {"MOST_FRAMES": 16, "MOST_SENTENCE_FRAMES": 4, "ROWS": 4}


@pytest.fixture
def few_frames(monkeypatch):
    for name, value in FEW.items():
        monkeypatch.setattr(recipes, name, value)


def convert_measured(source, destination, **options) -> str:
    lines: list[str] = []
    asked = ConvertOptions(bits=4, group_size=32, **options)
    found = families.convert(open_checkpoint(source), destination, asked, lines.append)
    assert found is not None
    assert any(line.startswith("recipe: all parts together") for line in lines)
    return found


def stored_bits(folder) -> dict[str, int]:
    config = json.loads((folder / "config.json").read_text())["quantization"]
    return {name: form["bits"] for name, form in config.items() if isinstance(form, dict)}


@pytest.mark.smoke("base_wide")
@pytest.mark.slow
@pytest.mark.parametrize("name", ["custom_voice_wide", "base_wide", "voice_design_wide"])
def test_every_kind_of_model_is_measured(oracle, tmp_path, few_frames, name):
    found = convert_measured(oracle(name).folder, tmp_path / "made")
    assert found.endswith("the gate is passed")
    card = (tmp_path / "made" / "README.md").read_text()
    assert "| talker's MLPs |" in card
    assert "| gate: passed |" in card
    bits = stored_bits(tmp_path / "made")
    assert set(bits.values()) <= {6, 8}
    stored = mx.load(str(tmp_path / "made" / "model.safetensors"))
    for path, own in bits.items():  # as many bits as config.json says
        assert stored[f"{path}.weight"].shape[1] * 32 == stored[f"{path}.scales"].shape[1] * 32 * own


@pytest.mark.slow
def test_a_part_that_is_made_worse_gets_more_bits(oracle, tmp_path, few_frames, monkeypatch):
    """With a gate so narrow that 4 bits miss it for the predictor, and none other."""
    monkeypatch.setitem(recipes.LIMITS, recipes.PREDICTOR, 1e-9)
    convert_measured(oracle("custom_voice_wide").folder, tmp_path / "made")
    bits = stored_bits(tmp_path / "made")
    assert bits["talker.code_predictor.model.layers.0.mlp.up_proj"] == 8
    assert bits["talker.code_predictor.lm_head.0"] == 8
    assert "talker.model.layers.0.mlp.up_proj" not in bits


@pytest.mark.slow
def test_a_budget_is_kept_or_named(tmp_path, few_frames):
    checkpoint = open_checkpoint(TINY)
    with pytest.raises(RequestError, match=r"a budget of 5 MB is too small for this model: give 1\d MB or more"):
        convert(checkpoint, tmp_path / "small", bits=4, budget_mb=5)
    assert not list(tmp_path.iterdir())
    found = families.convert(checkpoint, tmp_path / "small", ConvertOptions(bits=4, budget_mb=13), lambda _: None)
    assert "MISSED" in found
    assert "try a budget of 14 MB" in found
    assert "misses the gate, so it is not recommended" in (tmp_path / "small" / "README.md").read_text()
    size = (tmp_path / "small" / "model.safetensors").stat().st_size
    assert 12_500_000 < size < 13_000_000 + 100_000  # a header is not counted


def test_uniform_bits_are_as_before(oracle, tmp_path):
    source = open_checkpoint(oracle("custom_voice_wide").folder)
    options = ConvertOptions(bits=4, group_size=32, recipe="uniform")
    assert families.convert(source, tmp_path / "made", options, lambda _: None) is None
    assert stored_bits(tmp_path / "made") == {}


@pytest.mark.parametrize(
    "options",
    [
        {"bits": 8, "recipe": "auto"},
        {"recipe": "auto"},
        {"bits": 4, "mode": "mxfp4", "recipe": "auto"},
        {"bits": 6, "budget_mb": 100},
        {"bits": 4, "recipe": "uniform", "budget_mb": 100},
    ],
)
def test_a_recipe_goes_with_four_affine_bits(options):
    with pytest.raises(RequestError, match="--recipe auto and --budget-mb go with --bits 4 and --mode affine"):
        ConvertOptions(**options)


@pytest.mark.parametrize("options", [{"recipe": "auto"}, {"budget_mb": 100}])
@pytest.mark.parametrize("family", ["magpie", "voxcpm2"])
def test_families_without_a_recipe_say_so(tmp_path, family, options):
    with pytest.raises(RequestError, match=f"{family} models have no measured recipe"):
        families.family(family).convert(None, tmp_path / "made", ConvertOptions(bits=4, **options), print)


def test_the_talker_reads_again_what_it_spoke(few_frames):
    """Greedy sentences: the likeliest first codes of the reading are the codes that were spoken."""
    checkpoint = open_checkpoint(TINY)
    model = families.load(checkpoint)
    request = SpeechRequest("Hello world.", voice="ivy", seed=1, sampling=Sampling(temperature=0, repetition_penalty=1))
    (sentence,) = recipes._spoken(checkpoint, model, [request])
    network = recipes.MeasuredTalker(recipes.plain_talker(checkpoint, print), [sentence], 64, mx.bfloat16)
    first, rest = network.reference[recipes.FIRST_CODE][0], network.reference[recipes.PREDICTOR][0]
    codes = np.array(sentence.codes)
    assert np.array_equal(np.array(rest.argmax(-1)), codes[:, 1:])
    assert np.array_equal(np.array(first.argmax(-1)), codes[:, 0])


def test_measuring_leaves_the_weights_as_they_were(few_frames):
    checkpoint = open_checkpoint(TINY)
    sentences = recipes.spoken_sentences(checkpoint, print)
    network = recipes.MeasuredTalker(recipes.plain_talker(checkpoint, print), sentences, 64, mx.bfloat16)
    part = next(part for part in network.parts if part.name == "predictor's layers")
    assert network.divergences(dict.fromkeys(part.layers, 4), [recipes.PREDICTOR])[recipes.PREDICTOR] > 0.05
    assert network.divergences({}, [recipes.PREDICTOR])[recipes.PREDICTOR] == pytest.approx(0, abs=1e-6)


@pytest.mark.slow
def test_an_interrupted_measurement_leaves_nothing(tmp_path):
    few = "".join(f"recipe.{name} = {value}\n" for name, value in FEW.items())
    program = f"from mlx_tts.models.qwen3_tts import recipe\n{few}from mlx_tts.cli import main\nmain()"
    line = [sys.executable, "-c", program, "convert", "tiny", str(tmp_path / "made"), "--bits", "4", "-v"]
    process = subprocess.Popen(line, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"})
    assert process.stderr is not None
    for told in process.stderr:
        if "talker's MLPs in 4 bits" in told:
            break
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    rest = process.stderr.read()
    assert process.wait(60) == 130, rest
    assert "Traceback" not in rest
    assert not list(tmp_path.iterdir())


@pytest.mark.long
@pytest.mark.slow
def test_the_built_in_voice_passes_the_gate_and_speaks(tmp_path, capfd):
    """Of all its sentences: docs/use.md has the table."""
    assert run(["convert", "tiny", str(tmp_path / "made"), "--bits", "4"]) == 0
    assert "the gate is passed" in capfd.readouterr().err
    bits = stored_bits(tmp_path / "made")
    assert bits["talker.code_predictor.model.layers.0.mlp.up_proj"] == 6
    assert "talker.model.layers.0.mlp.up_proj" not in bits
    with load_folder(tmp_path / "made") as model:
        assert model.info.quantisation == "4-bit"
        speech = model.speak("The harbour was quiet.", voice="ivy", seed=1)
    assert 0.8 < speech.seconds < 4
    assert (tmp_path / "made" / "model.safetensors").stat().st_size < 14_200_000


@pytest.mark.long
@pytest.mark.slow
def test_mlx_audio_speaks_mixed_bits(tmp_path, few_frames, monkeypatch):
    """Its logits are ours: the same first frame, greedy."""
    monkeypatch.setitem(recipes.LIMITS, recipes.FIRST_CODE, 0.2)  # so few frames do not tell: 4 bits for the talker
    convert(open_checkpoint(TINY), tmp_path / "made", bits=4, dtype="float32")
    assert len(set(stored_bits(tmp_path / "made").values())) > 1
    assert np.array_equal(*first_frames(tmp_path / "made", "ivy", monkeypatch))
