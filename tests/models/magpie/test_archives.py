"""Archives become checkpoints that speak alike; conversions are smaller and still speak; damaged ones are refused."""

import json
import shutil

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file

import mlx_tts
from mlx_tts import SpeechRequest
from mlx_tts.cli import run
from mlx_tts.errors import ModelError
from mlx_tts.models.magpie.archives import import_archives
from mlx_tts.speech import Sampling
from tests.helpers.family_cases import MAGPIE as CASES

pytestmark = pytest.mark.slow

GREEDY = Sampling(temperature=0)


def archives_of(case, folder):
    folder.mkdir()
    for name in ("magpie.nemo", "codec.nemo"):
        shutil.copyfile(case.folder.parent / name, folder / name)
    return folder


def hello(tts):
    options = {"cache": "recomputed"}
    return tts.generate_codes(
        SpeechRequest("Hello world, this is a test.", "Sofia", "en", None, GREEDY, options=options)
    )


def test_archives_speak_as_plain_files_do(magpie, tmp_path, capfd):
    """Of a dictionary that is in the archive twice, the last counts; the tables are frozen."""
    case = magpie("baked_s2")
    source, made = archives_of(case, tmp_path / "released"), tmp_path / "made"
    assert run(["speak", "Hi.", "--model", str(source), "-o", str(tmp_path / "x.wav")]) == 1
    assert f"released holds archives: `mlx-tts convert {source} DEST` makes a checkpoint" in capfd.readouterr().err
    assert run(["convert", str(source), str(made), "--dtype", "float32"]) == 0
    tables = json.loads((made / "text" / "tables.json").read_text())
    golden = case.json("tokenizers.json")["tokens"]
    assert tables == {name: tokens for name, tokens in golden.items() if tokens != "byt5"}
    with mlx_tts.load(str(made)) as tts:
        np.testing.assert_array_equal(hello(tts), case.golden["hello/codes"])
        assert tts.info.voices == ("Aria", "Jason", "John", "Leo", "Sofia")
    assert not any(
        name.startswith(("discriminator", "mel_loss")) for name in load_file(made / "codec" / "model.safetensors")
    )


@pytest.mark.parametrize(("bits", "closeness"), [(8, 0.02), (4, 0.3)])
def test_conversions(magpie, tmp_path, bits, closeness):
    case, made = magpie("baked_s2"), tmp_path / "made"
    asked = ["--bits", str(bits), "--recipe", "uniform", "--drop-encoder"]
    assert run(["convert", str(case.folder), str(made), *asked]) == 0
    with safe_open(made / "model.safetensors", "np") as file:
        assert "decoder.layers.0.self_attention.qkv_net.scales" in set(file.keys())
    assert not any(name.startswith("audio_encoder") for name in load_file(made / "codec" / "model.safetensors"))
    with mlx_tts.load(str(made)) as tts:
        assert tts.info.quantisation == f"{bits}-bit"
        request = SpeechRequest("Hello world, this is a test.", voice="Sofia", language="en")
        exact = case.tts.prompt(case.tts.check(request)).encoded
        off = np.abs(tts.prompt(tts.check(request)).encoded - exact).mean() / np.abs(exact).mean()
        assert off < closeness
        codes = case.golden["codec/codes"]
        np.testing.assert_array_equal(tts.decode_codes(codes), case.tts.decode_codes(codes))
        assert tts.speak("Hello.", seed=1, max_frames=4).samples.size == 4096
    again = tmp_path / "again"
    assert run(["convert", str(made), str(again), "--dtype", "float32"]) == 0
    assert f"float32, made from {bits}-bit weights" in (again / "README.md").read_text()
    assert "quantization" not in json.loads((again / "config.json").read_text())
    with mlx_tts.load(str(made)) as tts, mlx_tts.load(str(again)) as plain:
        prompts = [one.prompt(one.check(request)).encoded for one in (tts, plain)]
    np.testing.assert_allclose(*prompts, atol=1e-5)


def test_a_model_and_a_codec_that_do_not_fit(magpie, tmp_path):
    model, other = magpie("baked_s1").folder.parent, magpie("maskgit").folder.parent
    with pytest.raises(ModelError, match=r"model and codec in .* do not fit"):
        import_archives([model / "magpie.nemo", other / "codec.nemo"], tmp_path / "made", print)
    with pytest.raises(ModelError, match="one archive of its codec next to the other, 0 are there"):
        import_archives([model / "magpie.nemo"], tmp_path / "made", print)
    with pytest.raises(ModelError, match="one archive of a model next to the other, 2 are there"):
        import_archives([model / "magpie.nemo", other / "magpie.nemo", model / "codec.nemo"], tmp_path / "made", print)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("part", ["magpie.nemo", "codec.nemo"])
def test_a_truncated_archive_leaves_nothing(magpie, tmp_path, part):
    source = archives_of(magpie("maskgit"), tmp_path / "released")
    data = (source / part).read_bytes()
    (source / part).write_bytes(data[: len(data) // 2])
    with pytest.raises(ModelError, match=part):
        import_archives(sorted(source.iterdir()), tmp_path / "made", print)
    assert [path.name for path in tmp_path.iterdir()] == ["released"]


def test_weights_that_are_missing_are_named(magpie, tmp_path):
    from safetensors.numpy import save_file

    folder = tmp_path / "broken"
    shutil.copytree(magpie("maskgit").folder, folder)
    tensors = load_file(folder / "model.safetensors")
    del tensors["decoder.layers.0.norm_self.weight"]
    save_file(tensors, folder / "model.safetensors")
    with pytest.raises(ModelError, match=r"lacks decoder\.layers\.0\.input_layernorm\.weight"):
        mlx_tts.load(str(folder))


def test_the_cases_are_those_of_the_fixtures():
    assert {path.name for path in CASES.iterdir() if path.is_dir()} == {
        "baked_s1",
        "baked_s2",
        "context_audio",
        "maskgit",
    }
