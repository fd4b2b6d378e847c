"""A measured conversion: its parts, its gate, its card, and that an interrupted one leaves nothing."""

import json
import os
import re
import subprocess
import sys
from functools import partialmethod

import mlx.core as mx
import numpy as np
import pytest

from mlx_tts.api import load_folder
from mlx_tts.checkpoints.work import ConversionWork
from mlx_tts.cli import run
from mlx_tts.errors import RequestError
from mlx_tts.models import families
from mlx_tts.models.convert_options import ConvertOptions
from mlx_tts.models.families import open_checkpoint
from mlx_tts.models.qwen3_tts import recipe as recipes
from mlx_tts.models.recipes import speech
from mlx_tts.models.recipes.contract import MeasuredOutput
from mlx_tts.models.recipes.measuring import MeasuredNetwork, parts_of
from mlx_tts.speech import Sampling, SpeechRequest
from tests.helpers.converting import convert, first_frames, sentences_of
from tests.helpers.paths import TINY

FEW = {"MOST_FRAMES": 16, "MOST_SENTENCE_FRAMES": 4, "ROWS": 4}
ASKED = ConvertOptions(bits=4, text_embedding_bits="auto")


def convert_measured(source, destination, **options) -> str:
    lines: list[str] = []
    asked = ConvertOptions(bits=4, group_size=32, **options)
    found = families.convert(open_checkpoint(source), destination, asked, lines.append)
    assert found is not None
    assert any(line.startswith("recipe: all parts together") for line in lines)
    told = [line for line in lines if line.startswith("recipe: ")]
    assert told[0] == "recipe: the model speaks sentences of its own"
    since = lines[lines.index(told[0]) :]
    assert [line for line in since if line.startswith("CPU: ")] == []  # it would take the place of a step
    assert "recipe: measuring what each part loses in fewer bits" in told
    return found


def stored_forms(folder) -> dict[str, dict]:
    """Of the layers that have another form than most."""
    config = json.loads((folder / "config.json").read_text())["quantization"]
    return {name: form for name, form in config.items() if isinstance(form, dict)}


def stored_bits(folder) -> dict[str, int]:
    return {name: form["bits"] for name, form in stored_forms(folder).items()}


@pytest.mark.smoke("base_wide")
@pytest.mark.slow
@pytest.mark.parametrize("name", ["custom_voice_wide", "base_wide", "voice_design_wide"])
def test_every_kind_of_model_is_measured(oracle, tmp_path, few_frames, name):
    found = convert_measured(oracle(name).folder, tmp_path / "made")
    assert found.splitlines()[0].endswith("the gate is passed")
    card = (tmp_path / "made" / "README.md").read_text()
    assert "| talker's MLPs |" in card
    assert "| gate: passed |" in card
    forms = stored_forms(tmp_path / "made")
    assert {form["bits"] for form in forms.values()} <= {6, 8}
    stored = mx.load(str(tmp_path / "made" / "model.safetensors"))
    for path, form in forms.items():  # as many bits as config.json says
        weights = stored[f"{path}.scales"].shape[-1] * form["group_size"]
        assert stored[f"{path}.weight"].shape[-1] * 32 == weights * form["bits"]


@pytest.mark.long
def test_a_part_that_is_made_worse_gets_more_bits(oracle, tmp_path, few_frames, monkeypatch):
    """With a gate so narrow that 4 bits miss it for the predictor, and none other."""
    monkeypatch.setitem(recipes.OUTPUTS, recipes.PREDICTOR, MeasuredOutput(1e-9))
    convert_measured(oracle("custom_voice_wide").folder, tmp_path / "made")
    bits = stored_bits(tmp_path / "made")
    assert bits["talker.code_predictor.model.layers.0.mlp.up_proj"] == 8
    assert bits["talker.code_predictor.lm_head.0"] == 8
    assert "talker.model.layers.0.mlp.up_proj" not in bits


def _noted(self, measured, measure, bits, outputs):
    measured.append(bits)
    return measure(self, bits, outputs)


@pytest.mark.long
def test_a_budget_is_kept_or_named(tmp_path, few_frames, monkeypatch):
    """And the second conversion speaks and measures nothing that the first one did."""
    checkpoint = open_checkpoint(TINY)
    with pytest.raises(RequestError, match=r"a budget of 5 MB is too small for this model: give 1\d MB or more"):
        convert(checkpoint, tmp_path / "small", bits=4, budget_mb=5, for_mlx_audio=True)
    assert not list(tmp_path.iterdir())
    measured = []
    monkeypatch.setattr(MeasuredNetwork, "divergences", partialmethod(_noted, measured, MeasuredNetwork.divergences))
    monkeypatch.setattr(speech, "speak", None)
    asked = ConvertOptions(bits=4, budget_mb=13, for_mlx_audio=True)
    found = families.convert(checkpoint, tmp_path / "small", asked, lambda _: None)
    assert len(measured) == 1, "the whole alone"
    assert "MISSED" in found
    assert re.search(r"try a budget of 1[4-6] MB", found)  # by so few frames, roughly
    assert "misses the gate, so it is not recommended" in (tmp_path / "small" / "README.md").read_text()
    size = (tmp_path / "small" / "model.safetensors").stat().st_size
    assert 12_500_000 < size < 13_000_000 + 100_000  # a header is not counted


@pytest.mark.slow
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


@pytest.mark.slow
def test_the_talker_reads_again_what_it_spoke(few_frames):
    """Greedy sentences: the likeliest first codes of the reading are the codes that were spoken."""
    checkpoint = open_checkpoint(TINY)
    request = SpeechRequest("Hello world.", voice="ivy", seed=1, sampling=Sampling(temperature=0, repetition_penalty=1))
    (sentence,) = sentences_of(recipes, checkpoint, [request])
    network = MeasuredNetwork(recipes, checkpoint, [sentence], ASKED, 64)
    first, rest = network.reference[recipes.FIRST_CODE][0], network.reference[recipes.PREDICTOR][0]
    codes = np.array(sentence.codes)
    assert np.array_equal(np.array(rest.argmax(-1)), codes[:, 1:])
    assert np.array_equal(np.array(first.argmax(-1)), codes[:, 0])


@pytest.mark.slow
def test_measuring_leaves_the_weights_as_they_were(few_frames):
    checkpoint = open_checkpoint(TINY)
    sentences = speech.spoken_sentences(recipes, checkpoint, ConversionWork(print), 0.0)
    network = MeasuredNetwork(recipes, checkpoint, sentences, ASKED, 64)
    (part,) = parts_of(network.layers, {"layers": recipes.PARTS["predictor's layers"]})
    assert network.divergences(dict.fromkeys(part.layers, 4), [recipes.PREDICTOR])[recipes.PREDICTOR] > 0.05
    assert network.divergences({}, [recipes.PREDICTOR])[recipes.PREDICTOR] == pytest.approx(0, abs=1e-6)
    table = "model.text_embedding"
    moved = [network.divergences({table: bits}, [recipes.FIRST_CODE])[recipes.FIRST_CODE] for bits in (4, 8)]
    assert 1e-4 < moved[0] < 0.05
    assert moved[1] < moved[0] / 20
    config = checkpoint.model.talker_config
    (part,) = parts_of(network.layers, recipes.TABLES)
    assert (part.layers, part.weights) == ((table,), config.text_vocab_size * config.text_hidden_size)
    assert network.layers[table].weight.shape[0] < config.text_vocab_size / 2, "the rows that were read alone"


# Ctrl-C at the line itself: whoever reads lines from outside may come to it when the conversion has ended.
STOPPED = """
import os, signal, sys
write = sys.stderr.write
def write_and_stop(text):
    write(text)
    if "talker's attention in" in text:
        os.kill(os.getpid(), signal.SIGINT)
sys.stderr.write = write_and_stop
"""


@pytest.mark.slow
def test_an_interrupted_measurement_leaves_nothing_and_goes_on_from_there(tmp_path):
    few = "".join(f"speech.{name} = {value}\n" for name, value in FEW.items())
    program = f"from mlx_tts.models.recipes import speech\n{few}from mlx_tts.cli import main\nmain()"
    made, home = tmp_path / "made", {"MLX_TTS_HOME": str(tmp_path / "home"), "PYTHONUNBUFFERED": "1"}
    arguments = ["convert", "tiny", str(made), "--bits", "4", "-v"]

    def started(program: str):
        line = [sys.executable, "-c", program, *arguments]
        return subprocess.Popen(line, stderr=subprocess.PIPE, text=True, env={**os.environ, **home})

    process = started(STOPPED + program)
    told = process.communicate(timeout=120)[1]
    assert process.returncode == 130, told
    assert "talker's attention in" in told
    assert "Traceback" not in told
    assert [path.name for path in tmp_path.iterdir()] == ["home"]
    again = started(program)
    assert again.stderr is not None
    kept = r"\d+ of 12 divergences and 4 sentences are those of an earlier run"
    assert any(re.search(kept, told) for told in again.stderr)
    again.kill()
    again.communicate()


@pytest.mark.long
@pytest.mark.slow
def test_the_built_in_voice_passes_the_gate_and_speaks(tmp_path, capfd):
    """Of all its sentences: docs/use.md has the table."""
    assert run(["convert", "tiny", str(tmp_path / "made"), "--bits", "4"]) == 0
    assert "the gate is passed" in capfd.readouterr().err
    bits = stored_bits(tmp_path / "made")
    assert bits["talker.code_predictor.model.layers.0.mlp.up_proj"] == 8
    assert "talker.model.layers.0.mlp.up_proj" not in bits
    with load_folder(tmp_path / "made") as model:
        assert model.info.quantisation == "4-bit"
        speech = model.speak("The harbour was quiet.", voice="ivy", seed=1)
    assert 0.8 < speech.seconds < 4
    assert (tmp_path / "made" / "model.safetensors").stat().st_size < 14_400_000


@pytest.mark.long
@pytest.mark.slow
def test_mlx_audio_speaks_mixed_bits(oracle, tmp_path, few_frames, monkeypatch):
    """Its logits are ours: the same first frame, greedy. config.json has an entry for each layer of other bits."""
    monkeypatch.setitem(recipes.OUTPUTS, recipes.PREDICTOR, MeasuredOutput(0.002))
    source = open_checkpoint(oracle("custom_voice_wide").folder)
    convert(source, tmp_path / "made", bits=4, group_size=32, dtype="float32", for_mlx_audio=True)
    bits = stored_bits(tmp_path / "made")
    assert set(bits.values()) == {6}
    assert "talker.model.layers.0.mlp.up_proj" not in bits, "4 bits, those of all that has no entry"
    assert np.array_equal(*first_frames(tmp_path / "made", "ryan", monkeypatch))


@pytest.mark.slow
def test_what_mlx_audio_cannot_read_is_said(tmp_path):
    asked = ConvertOptions(bits=4, recipe="uniform", text_embedding_bits=8, codec_bits=8)
    said = families.convert(open_checkpoint(TINY), tmp_path / "made", asked, lambda _: None)
    assert said == "mlx-audio cannot read this folder: for it, leave --text-embedding-bits, --codec-bits out"
    assert said in (tmp_path / "made" / "README.md").read_text()
