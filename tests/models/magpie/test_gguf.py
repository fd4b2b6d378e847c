"""GGUF files in the layouts of NVIDIA's converter speak as the archives do; others are refused with one line."""

import json
import random
import struct

import numpy as np
import pytest

import mlx_tts
from mlx_tts import SpeechRequest
from mlx_tts.checkpoints.gguf import read_gguf
from mlx_tts.errors import ModelError
from mlx_tts.models.magpie.archives import import_archives, open_gguf
from mlx_tts.speech import Sampling

F32, F16, I32, Q4_0, Q8_0 = 0, 1, 26, 2, 8
SHORT = {
    "pre_conv.conv": "dec.pre",
    "post_conv.conv": "dec.post",
    "post_activation.activation.snake_act.alpha": "dec.post_act.alpha",
}


def packed(value, kind):
    """An array as a GGUF stores it."""
    if kind != Q8_0:
        return value.astype({F32: "<f4", F16: "<f2", I32: "<i4"}[kind]).tobytes()
    blocks = value.astype(np.float32).reshape(-1, 32)
    scales = (np.abs(blocks).max(axis=1) / 127).astype(np.float16)
    safe = np.where(scales == 0, 1, scales).astype(np.float32)[:, None]
    out = np.empty(len(blocks), np.dtype([("scale", "<f2"), ("codes", "i1", 32)]))
    out["scale"], out["codes"] = scales, np.clip(np.round(blocks / safe), -127, 127)
    return out.tobytes()


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def write_gguf(path, settings, tensors, kind_of=lambda _name, _value: F32, alignment=32):
    """settings: name -> text or number. tensors: name -> array. kind_of: how a tensor is stored."""
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(settings))
    for name, value in settings.items():
        head += text(name)
        head += struct.pack("<I", 8) + text(value) if isinstance(value, str) else struct.pack("<II", 4, value)
    body = b""
    for name, value in tensors.items():
        kind = I32 if value.dtype.kind == "i" else kind_of(name, value)
        head += text(name) + struct.pack("<I", value.ndim)
        head += b"".join(struct.pack("<Q", size) for size in reversed(value.shape))
        head += struct.pack("<IQ", kind, len(body))
        body += packed(value, kind)
        body += b"\0" * (-len(body) % alignment)
    path.write_bytes(head + b"\0" * (-len(head) % alignment) + body)


def model_tensors(case):
    """Names verbatim, convolutions of the feed-forward layers tap by tap."""
    from safetensors.numpy import load_file

    out = {}
    for name, value in load_file(case.folder / "model.safetensors").items():
        if name.endswith(".causal_mask"):
            continue
        if name.endswith((".pos_ff.proj.conv.weight", ".pos_ff.o_net.conv.weight")):
            for tap in range(value.shape[2]):
                out[f"{name}.k{tap}"] = value[:, :, tap]
        else:
            out[name] = value
    return out


def codec_tensors(case):
    """The decoder alone, by short names, with the norms multiplied in and upsampling written out with zeros."""
    from safetensors.numpy import load_file

    stored = load_file(case.folder / "codec" / "model.safetensors")
    out = {"q.fsq.codebook": np.zeros((2, 3, 4), np.float32)}
    for name, value in stored.items():
        if not name.startswith("audio_decoder.") or name.endswith("original0"):
            continue
        stem = name.removeprefix("audio_decoder.")
        if stem.endswith(".alpha"):
            out[short(stem)] = value
            out[short(stem) + "_inv"] = 1 / (value + 1e-9)
        elif stem.endswith(".bias"):
            out[short(stem.removesuffix(".bias")) + ".b"] = value.reshape(1, -1, 1)
        elif stem.endswith(".parametrizations.weight.original1"):
            norm = stored[name.replace("original1", "original0")]
            weight = norm * value / np.sqrt(np.square(value).sum(axis=(1, 2), keepdims=True))
            stem = stem.removesuffix(".parametrizations.weight.original1")
            if stem.startswith("up_sample"):
                whole = np.zeros((len(weight), len(weight) // 2, weight.shape[2]), np.float32)
                whole[np.arange(len(weight)), np.arange(len(weight)) // 2] = weight[:, 0]
                weight = whole
            out[short(stem) + ".w"] = weight.astype(np.float32)
    return out


def short(stem):
    if stem in SHORT:
        return SHORT[stem]
    kind, number, *rest = stem.split(".")
    if kind == "activations":
        return f"dec.act.{number}.alpha"
    if kind == "up_sample_conv_layers":
        return f"dec.up.{number}"
    part = {"input_activation": "ia", "skip_activation": "sa", "input_conv": "ic", "skip_conv": "sc"}[rest[4]]
    return f"dec.res.{number}.{rest[1]}.{rest[3]}.{part}" + (".alpha" if part in ("ia", "sa") else "")


def matrices(kind):
    """As the converters choose: a matrix in the wanted kind, all else in 32 bits."""
    return lambda name, value: kind if value.ndim == 2 and (kind != Q8_0 or value.shape[-1] % 32 == 0) else F32


def released(case, folder, kind=F32, verbatim=False):
    """A folder with the GGUFs of model and codec, and the files of the unpacked archive one folder below."""
    (folder / "tokenizer").mkdir(parents=True)
    source = case.case / "checkpoint"
    for file in (source / "magpie").iterdir():
        (folder / "tokenizer" / file.name).write_bytes(file.read_bytes())
    config = json.loads((source / "config.json").read_text())
    config["model_type"] = config.pop("decoder_model_type")
    settings = {"general.architecture": "magpietts", "magpietts.config_json": json.dumps(config), "magpietts.heads": 4}
    tensors = model_tensors(case)
    if verbatim:
        from safetensors.numpy import load_file

        settings = {"general.architecture": "magpie"}
        tensors = load_file(case.folder / "model.safetensors")
    write_gguf(folder / "magpie.gguf", settings, tensors, matrices(kind))
    codec = (source / "codec_config.json").read_text()
    settings = {"general.architecture": "nemo-nano-codec", "nano_codec.config_json": codec}
    write_gguf(folder / "codec.gguf", settings, codec_tensors(case))
    return sorted(folder.glob("*.gguf"))


def hello(tts):
    request = SpeechRequest(
        "Hello world, this is a test.", "Sofia", "en", None, Sampling(temperature=0), options={"cache": "recomputed"}
    )
    return tts.generate_codes(request)


@pytest.mark.slow
@pytest.mark.parametrize("verbatim", [False, True])
def test_every_code_and_the_sound_are_the_references(magpie, tmp_path, verbatim):
    case = magpie("baked_s2")
    import_archives(released(case, tmp_path / "released", verbatim=verbatim), tmp_path / "made", lambda _line: None)
    with mlx_tts.load(str(tmp_path / "made")) as tts:
        np.testing.assert_array_equal(hello(tts), case.golden["hello/codes"])
        codes = case.golden["codec/codes"]
        np.testing.assert_allclose(tts.decode_codes(codes)[::3], case.golden["codec/wav"], atol=1e-4)
        assert tts.info.voices == ("Aria", "Jason", "John", "Leo", "Sofia")


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "closeness"), [(F16, 2e-3), (Q8_0, 0.02)])
def test_shorter_numbers_speak_alike(magpie, tmp_path, kind, closeness):
    case = magpie("baked_s2")
    import_archives(released(case, tmp_path / "released", kind), tmp_path / "made", lambda _line: None)
    request = SpeechRequest("Hello world, this is a test.", voice="Sofia", language="en")
    with mlx_tts.load(str(tmp_path / "made")) as tts:
        exact = case.tts.prompt(case.tts.check(request)).encoded
        off = np.abs(tts.prompt(tts.check(request)).encoded - exact).mean() / np.abs(exact).mean()
        assert 1e-6 < off < closeness


@pytest.mark.slow
def test_a_gguf_beside_an_archive_is_left_out(magpie, tmp_path):
    case = magpie("baked_s2")
    paths = [
        *released(case, tmp_path / "released", Q8_0),
        case.folder.parent / "magpie.nemo",
        case.folder.parent / "codec.nemo",
    ]
    import_archives(paths, tmp_path / "made", lambda _line: None)
    from safetensors.numpy import load_file

    made, exact = (load_file(folder / "model.safetensors") for folder in (tmp_path / "made", case.folder))
    np.testing.assert_array_equal(made["final_proj.weight"], exact["final_proj.weight"])


def test_blocks_of_eight_bits(tmp_path):
    value = np.random.default_rng(0).normal(size=(3, 64)).astype(np.float32)
    write_gguf(tmp_path / "x.gguf", {}, {"a": value}, lambda *_: Q8_0)
    np.testing.assert_allclose(read_gguf(tmp_path / "x.gguf").tensor("a"), value, atol=0.02)


def refused(path, says):
    with pytest.raises(ModelError, match=says) as error:
        open_gguf(path).tensors  # noqa: B018
    assert "\n" not in str(error.value)


A_TENSOR = {"a": np.zeros((2, 32), np.float32)}


def test_what_is_not_read_is_said(tmp_path):
    path = tmp_path / "x.gguf"
    write_gguf(path, {"general.architecture": "llama"}, {})
    refused(path, "is a GGUF of 'llama'; read are magpietts, nemo-nano-codec, magpie: use the .nemo")
    write_gguf(path, {"general.architecture": "magpietts"}, A_TENSOR)
    patch(path, KIND, "<I", Q4_0)
    refused(path, "'a' is stored as Q4_0; read are F32, F16, BF16 and Q8_0")
    write_gguf(path, {"general.architecture": "magpietts", "magpietts.config_json": "[1"}, {})
    refused(path, "has a config that cannot be read as JSON")
    write_gguf(path, {"general.architecture": "magpie"}, {})
    refused(path, r"has no 'model_config.yaml', which no GGUF holds: unpack the model's .nemo into it")
    write_gguf(
        path, {"general.architecture": "magpietts", "magpietts.config_json": "{}"}, {"x.weight.k1": A_TENSOR["a"]}
    )
    refused(path, "has not every tap of 'x.weight'")
    write_gguf(path, {"general.architecture": "nemo-nano-codec", "nano_codec.config_json": "{}"}, A_TENSOR)
    refused(path, "has a tensor 'a' that no codec of this model has")


VERSION, TENSORS, SETTINGS = 4, 8, 16  # bytes from the beginning of the file
DIMENSIONS, ROW, ROWS, KIND, OFFSET = -32, -28, -20, -12, -8  # from the end of the last tensor's description


def patch(path, at, form, number):
    """Another number in the file; a negative place counts from the end of the description of the last tensor."""
    data = bytearray(path.read_bytes())
    description = 9 + 4 + 16 + 4 + 8
    start = at if at >= 0 else max(data.rfind(text(name)) for name in "ab") + description + at
    data[start : start + struct.calcsize(form)] = struct.pack(form, number)
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("at", "form", "number"),
    [
        (0, "<I", 0),
        (VERSION, "<I", 9),
        (TENSORS, "<Q", 1 << 60),
        (TENSORS, "<Q", 2),
        (SETTINGS, "<Q", 1 << 60),
        (24, "<Q", 1 << 62),  # the length of the first name
        (DIMENSIONS, "<I", 5),
        (ROW, "<Q", 1 << 61),
        (ROWS, "<Q", 1 << 61),
        (ROWS, "<Q", 3),
        (KIND, "<I", 99),
        (KIND, "<I", 28),  # numbers of twice the size
        (OFFSET, "<Q", 64),
        (OFFSET, "<Q", 7),
        (OFFSET, "<Q", (1 << 64) - 32),
    ],
)
def test_sizes_that_lie_are_refused(tmp_path, at, form, number):
    path = tmp_path / "x.gguf"
    settings = {"general.architecture": "magpietts", "magpietts.config_json": "{}"}
    write_gguf(path, settings, A_TENSOR)
    assert open_gguf(path).tensors["a"].shape == (2, 32)
    patch(path, at, form, number)
    refused(path, "is not a GGUF file that this program reads")


def test_tensors_in_each_other_are_refused(tmp_path):
    path = tmp_path / "x.gguf"
    write_gguf(path, {"general.architecture": "magpietts"}, {"a": A_TENSOR["a"], "b": A_TENSOR["a"]})
    patch(path, OFFSET, "<Q", 128)
    refused(path, "'b' stands askew, or in another tensor")


def refusal_of(path):
    try:
        open_gguf(path).tensors  # noqa: B018
    except ModelError as error:
        return str(error)
    return None


@pytest.mark.slow
def test_a_thousand_fuzzed_files(tmp_path):
    """Each is read or refused with one line; nothing else is raised."""
    from tests.checkpoints.test_nemo_archive import fuzzed

    path, dice, read = tmp_path / "x.gguf", random.Random(3), 0
    settings = {"general.architecture": "magpietts", "magpietts.config_json": "{}", "magpietts.heads": 3}
    names = ("a.weight.k0", "a.weight.k1", "b", "c")
    write_gguf(path, settings, dict.fromkeys(names, A_TENSOR["a"]), lambda name, _: Q8_0 if name == "b" else F16)
    good = path.read_bytes()
    for _ in range(1000):
        changed = fuzzed(good, dice)
        path.write_bytes(fuzzed(changed, dice) if len(changed) > 700 and dice.random() < 0.3 else changed)
        line = refusal_of(path)
        read += line is None
        assert line is None or "\n" not in line
    assert 100 < read < 950
