"""Checkpoints in every form speak alike; conversions are smaller and still speak; what is damaged is refused."""

import json
import pickle
import shutil
import zipfile

import mlx.core as mx
import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import mlx_tts
from mlx_tts import SpeechRequest
from mlx_tts.checkpoints.torch_zip import read_torch_zip
from mlx_tts.cli import run
from mlx_tts.errors import ModelError
from mlx_tts.models import families
from mlx_tts.models.voxcpm2.weights import DECODER_PARTS, ENCODER_PARTS, UNIT


def hello(tts, **more):
    with tts.submit(SpeechRequest("Hello world.", seed=1, max_frames=3, guard=False, **more)) as stream:
        samples = np.concatenate([chunk.samples for chunk in stream])
    return stream.codes, samples


def copy(case, to):
    shutil.copytree(case.folder, to)
    return to


def with_config(folder, **entries):
    path = folder / "config.json"
    config = {**json.loads(path.read_text()), **entries}
    path.write_text(json.dumps({name: value for name, value in config.items() if value is not None}))
    return folder


def mlx_name(name, layers):
    """An official name of the codec as MLX conversions have it."""
    parts = name.split(".")
    units = {official: own for own, official in UNIT.items()}
    if name.startswith("encoder.block.0."):
        return name.replace("encoder.block.0.", "encoder.conv_in.")
    if name.startswith(("encoder.block.", "decoder.model.")):
        encoder = parts[0] == "encoder"
        at, rest = int(parts[2]), ".".join(parts[3:])
        if not encoder and at < 2:
            return f"decoder.conv_in.layers.{at}.{rest}"
        if not encoder and at >= layers + 2:
            return f"decoder.{('snake_out', 'conv_out')[at - layers - 2]}.{rest}"
        known = {official: own for own, official in (ENCODER_PARTS if encoder else DECODER_PARTS).items()}
        part, inner = known[".".join(parts[3:5])], parts[5:]
        middle = [units[".".join(inner[:2])]] if len(inner) == 3 else []
        return ".".join([parts[0], "blocks.layers", str(at - (1 if encoder else 2)), part, *middle, inner[-1]])
    if name.startswith("decoder.sr_cond_model."):
        return f"decoder.sr_cond_layers.{int(parts[2]) - 2}.{'.'.join(parts[3:])}"
    return name


def mlx_folder(case, folder):
    """The checkpoint as MLX conversions are published: all in one file, weights joined, convolutions [out, k, in]."""
    copy(case, folder)
    config = json.loads((folder / "config.json").read_text())
    layers = len(config["audio_vae_config"]["decoder_rates"])
    tensors = load_file(folder / "model.safetensors")
    codec = read_torch_zip(folder / "audiovae.pth")
    for name, value in codec.items():
        if "fc_logvar" in name or name.endswith((".weight_g", "sr_bin_boundaries")):
            continue
        new = mlx_name(name, layers)
        if name.endswith(".weight_v"):
            norm = np.sqrt((value**2).sum((1, 2), keepdims=True))
            value = codec[name.replace("weight_v", "weight_g")] * value / norm
            new = new.replace("weight_v", "weight")
            value = value.transpose(1, 2, 0) if ".conv_t." in new else value.transpose(0, 2, 1)
        tensors[f"audio_vae.{new}"] = np.ascontiguousarray(value)
    (folder / "audiovae.pth").unlink()
    save_file(tensors, folder / "model.safetensors")
    return with_config(folder, model_type="voxcpm2")


@pytest.mark.slow
def test_an_mlx_conversion_speaks_as_the_original(voxcpm, tmp_path):
    case = voxcpm("text")
    folder = mlx_folder(case, tmp_path / "mlx")
    assert families.family("voxcpm2").missing_files(folder) == []
    with mlx_tts.load(str(folder)) as tts:
        for own, wanted in zip(hello(tts), hello(case.tts), strict=True):
            np.testing.assert_allclose(own, wanted, atol=1e-4)  # the norms were joined in another order
        audio = np.sin(np.arange(16_000) / 9).astype(np.float32)
        own, wanted = (model.voice(audio, 16_000).reference_latents for model in (tts, case.tts))
        np.testing.assert_allclose(own, wanted, atol=1e-4)  # the norms were joined in another order


@pytest.mark.parametrize("drop", ["architecture", None])
def test_a_config_without_a_name_is_of_the_first_architecture(voxcpm, tmp_path, drop):
    case = voxcpm("first")
    folder = copy(case, tmp_path / "plain")
    if drop:
        with_config(folder, **{drop: None})
    with mlx_tts.load(str(folder)) as tts:
        np.testing.assert_array_equal(hello(tts)[0], hello(case.tts)[0])


@pytest.mark.slow
def test_safetensors_go_before_archives(voxcpm, tmp_path):
    folder = copy(voxcpm("first"), tmp_path / "both")
    tensors = {name: np.array(value) for name, value in read_torch_zip(folder / "pytorch_model.bin").items()}
    save_file(tensors, folder / "model.safetensors")
    (folder / "pytorch_model.bin").write_bytes(b"not read")
    save_file(
        {k: np.array(v) for k, v in read_torch_zip(folder / "audiovae.pth").items()}, folder / "audiovae.safetensors"
    )
    (folder / "audiovae.pth").write_bytes(b"not read")
    with mlx_tts.load(str(folder)) as tts:
        np.testing.assert_array_equal(hello(tts)[1], hello(voxcpm("first").tts)[1])


@pytest.mark.parametrize(
    ("removed", "missing"),
    [
        (("audiovae.pth",), ["audiovae.pth"]),
        (("model.safetensors",), ["model.safetensors"]),
        (("tokenizer.json", "audiovae.pth"), ["tokenizer.json", "audiovae.pth"]),
    ],
)
def test_what_a_folder_lacks(voxcpm, tmp_path, removed, missing):
    folder = copy(voxcpm("text"), tmp_path / "less")
    for name in removed:
        (folder / name).unlink()
    assert families.family("voxcpm2").missing_files(folder) == missing


def test_weights_in_bfloat16_archives_are_read(tmp_path):
    """Their bits are taken as they are: the type is MLX's own."""
    from torch_archive import STORAGES, torch_zip

    from mlx_tts.checkpoints.tensors import open_archive

    values = mx.random.normal((3, 5), key=mx.random.key(0)).astype(mx.bfloat16)
    STORAGES["uint16"] = "BFloat16Storage"
    (tmp_path / "a.bin").write_bytes(torch_zip({"x": np.array(values.view(mx.uint16))}, "archive", nested=True))
    (read,) = open_archive(tmp_path / "a.bin").tensors.values()
    assert read.dtype == mx.bfloat16
    assert mx.array_equal(read, values).item()


@pytest.mark.slow
@pytest.mark.parametrize(("bits", "closeness"), [(8, 0.02), (4, 0.35)])
def test_conversions(voxcpm, tmp_path, bits, closeness):
    case, made = voxcpm("text"), tmp_path / "made"
    asked = ["--bits", str(bits), "--recipe", "uniform", "--group-size", "32"]
    assert run(["convert", str(case.folder), str(made), *asked]) == 0
    names = set(load_file_names(made / "model.safetensors"))
    assert "base_lm.layers.0.self_attn.q_proj.scales" in names
    quantised = {name.split(".")[0] for name in names if name.endswith(".scales")}
    assert quantised == {"base_lm", "residual_lm"}  # neither the stop head nor the diffusion transformer
    assert json.loads((made / "config.json").read_text())["model_type"] == "voxcpm2"
    with mlx_tts.load(str(made)) as tts:
        assert tts.info.quantisation == f"{bits}-bit"
        exact, own = hello(case.tts)[0][0], hello(tts)[0][0]
        assert 0 < np.abs(own - exact).mean() / np.abs(exact).mean() < closeness
        latents = mx.array(case.golden["codec/latents"].T[None])
        wav = np.array(tts._synthesizer._decoder(latents)[0])[:: case.json("manifest.json")["stride"]]
        np.testing.assert_allclose(wav, case.golden["codec/wav"], atol=1e-5)
    again = tmp_path / "again"
    assert run(["convert", str(made), str(again), "--dtype", "float32"]) == 0
    assert f"float32, made from {bits}-bit weights" in (again / "README.md").read_text()
    assert "quantization" not in json.loads((again / "config.json").read_text())
    with mlx_tts.load(str(again)) as tts:
        np.testing.assert_allclose(hello(tts)[0][0], own, atol=1e-4)


def load_file_names(path):
    from safetensors import safe_open

    with safe_open(path, "np") as file:
        return list(file.keys())


@pytest.mark.slow
def test_a_cast_conversion_of_an_archive(voxcpm, tmp_path, capfd):
    case, made = voxcpm("first"), tmp_path / "made"
    assert run(["convert", str(case.folder), str(made), "--dtype", "float32"]) == 0
    assert not (made / "pytorch_model.bin").exists()
    assert not any("fc_logvar" in name for name in load_file_names(made / "audiovae.safetensors"))
    with mlx_tts.load(str(made)) as tts:
        np.testing.assert_array_equal(hello(tts)[1], hello(case.tts)[1])
    for option in (["--codec-dtype", "float16"], ["--drop-encoder"], ["--bits", "8", "--text-embedding-bits", "8"]):
        assert run(["convert", str(case.folder), str(tmp_path / "x"), *option]) == 2
    assert "this model's codec is kept in float32" in capfd.readouterr().err


@pytest.mark.slow
def test_without_the_encoder_it_designs_and_does_not_clone(voxcpm, tmp_path):
    made = tmp_path / "made"
    assert run(["convert", str(voxcpm("text").folder), str(made), "--drop-encoder"]) == 0
    with mlx_tts.load(str(made)) as tts:
        assert len(tts.speak("Hello.", instruct="slow", seed=1, max_frames=2).samples) == 2 * 7680
        with pytest.raises(ModelError, match="came without the codec's encoder"):
            tts.voice(np.zeros(16_000, np.float32) + 0.1, 16_000)


@pytest.mark.parametrize("name", ["model.safetensors", "audiovae.pth"])
def test_a_truncated_file(voxcpm, tmp_path, name):
    folder = copy(voxcpm("text"), tmp_path / "broken")
    data = (folder / name).read_bytes()
    (folder / name).write_bytes(data[: len(data) // 2])
    with pytest.raises(ModelError, match=name.replace(".", r"\.")) as error:
        mlx_tts.load(str(folder))
    assert "\n" not in str(error.value)


def test_weights_that_are_missing_or_too_many_are_named(voxcpm, tmp_path):
    folder = copy(voxcpm("text"), tmp_path / "broken")
    tensors = load_file(folder / "model.safetensors")
    removed = tensors.pop("residual_lm.layers.0.mlp.up_proj.weight")
    save_file(tensors, folder / "model.safetensors")
    with pytest.raises(ModelError, match=r"lacks residual_lm\.layers\.0\.mlp\.up_proj\.weight"):
        mlx_tts.load(str(folder))
    save_file(
        {**tensors, "residual_lm.layers.0.mlp.up_proj.weight": removed, "extra": removed}, folder / "model.safetensors"
    )
    with pytest.raises(ModelError, match="has unexpected tensors: extra"):
        mlx_tts.load(str(folder))


class Dangerous:
    def __reduce__(self):
        return (print, ("executed",))


@pytest.mark.parametrize("nested", [False, True])
def test_nothing_in_an_archive_is_run(voxcpm, tmp_path, capfd, nested):
    folder = copy(voxcpm("text"), tmp_path / "bad")
    value = {"decoder.model.0.bias": Dangerous()}
    with zipfile.ZipFile(folder / "audiovae.pth", "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps({"state_dict": value} if nested else value, protocol=2))
    with pytest.raises(ModelError, match="holds weights that are not read, it names"):
        mlx_tts.load(str(folder))
    assert "executed" not in capfd.readouterr().out
