"""A measured conversion of Magpie: what it reads again is what it spoke, and the folder speaks."""

import json

import mlx.core as mx
import numpy as np
import pytest

import mlx_tts
from mlx_tts import SpeechRequest
from mlx_tts.cli import run
from mlx_tts.models.convert_options import ConvertOptions
from mlx_tts.models.families import open_checkpoint
from mlx_tts.models.magpie import recipe
from mlx_tts.models.magpie.frames import FrameLoop
from mlx_tts.models.magpie.weights import path_of
from mlx_tts.models.recipes.measuring import MeasuredNetwork
from mlx_tts.speech import Sampling
from tests.helpers.converting import sentences_of


@pytest.mark.slow
@pytest.mark.smoke("2.5-baked_s2", "1.0-baked_s1")
@pytest.mark.parametrize("case", ["baked_s1", "baked_s2"])
@pytest.mark.parametrize("guidance", [2.5, 1.0])
def test_it_reads_again_what_it_spoke(magpie, monkeypatch, few_frames, case, guidance):
    """Under the priors and with the guidance that it was spoken with: the logits of the decoder's heads, and greedy
    codes of the local transformer."""
    checkpoint, heads, launch = open_checkpoint(magpie(case).folder), [], FrameLoop.launch

    def noted(loop, rows):
        launch(loop, rows)
        heads.append(np.array(rows[0].launches[-1].parallel))

    monkeypatch.setattr(FrameLoop, "launch", noted)
    asked = {"voice": checkpoint.info.voices[1], "language": "en", "seed": 1, "options": {"guidance": guidance}}
    request = SpeechRequest("Hello world, this is a test.", sampling=Sampling(temperature=0), **asked)
    (sentence,) = sentences_of(recipe, checkpoint, [request])
    assert sentence.priors is not None
    assert len(np.unique(sentence.priors)) > 1
    network = MeasuredNetwork(recipe, checkpoint, [sentence], ConvertOptions(bits=4), 32)
    own, codes = network.reference[recipe.HEADS][0], slice(0, checkpoint.codec.codebook_size)
    assert np.array_equal(np.array(own[..., codes].argmax(-1)), np.stack(heads)[: len(sentence.codes)])
    assert mx.array_equal(network.reference[recipe.LOCAL][0][..., codes].argmax(-1), sentence.codes)


@pytest.mark.smoke("maskgit")
@pytest.mark.slow
@pytest.mark.parametrize("case", ["baked_s2", "context_audio", "maskgit"])
def test_every_kind_is_measured_and_speaks(magpie, tmp_path, few_frames, capfd, case):
    made, source = tmp_path / "made", magpie(case)
    assert run(["convert", str(source.folder), str(made), "--bits", "4", "--group-size", "32"]) == 0
    assert "the gate is passed" in capfd.readouterr().err
    card = (made / "README.md").read_text()
    assert "| local transformer's layers |" in card
    assert "| gate: passed |" in card
    stored = mx.load(str(made / "model.safetensors"))
    config = json.loads((made / "config.json").read_text())["quantization"]
    own = {name: form["bits"] for name, form in config.items() if isinstance(form, dict)}
    for name, scales in stored.items():
        if name.endswith(".scales"):
            layer = path_of(name).removesuffix(".scales")
            bits = own.get(layer, 4)
            assert stored[name.replace(".scales", ".weight")].shape[1] * 32 == scales.shape[1] * 32 * bits
    if case == "baked_s2":
        assert own.keys() >= {"decoder.layers.0.self_attn.qkv_proj"}
    with mlx_tts.load(str(made)) as tts:
        voice = tts.voices[0] if tts.voices else tts.voice(np.sin(np.arange(66150) / 20).astype(np.float32), 22050)
        assert tts.speak("Hello.", voice=voice, language="en", seed=1, max_frames=4).samples.size > 0


@pytest.mark.long
@pytest.mark.slow
def test_mixed_bits_are_made_plain_by_layer(magpie, tmp_path, few_frames):
    made, plain = tmp_path / "made", tmp_path / "plain"
    assert run(["convert", str(magpie("baked_s2").folder), str(made), "--bits", "4", "--group-size", "32"]) == 0
    assert run(["convert", str(made), str(plain), "--dtype", "float32"]) == 0
    request = SpeechRequest("Hello world, this is a test.", voice="Sofia", language="en", seed=1, max_frames=4)
    with mlx_tts.load(str(made)) as one, mlx_tts.load(str(plain)) as other:
        np.testing.assert_array_equal(one.generate_codes(request), other.generate_codes(request))
