"""A checkpoint that does not fit is refused in one line that names the fault; shards and declared layouts load."""

import json
import shutil
import struct
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from mlx_tts.api import load_folder
from mlx_tts.errors import ModelError
from mlx_tts.models.families import open_checkpoint
from mlx_tts.speech import Sampling, SpeechRequest

GREEDY = SpeechRequest("Hello world.", voice="ryan", sampling=Sampling(temperature=0), max_frames=8)


@pytest.fixture
def checkpoint(oracle, tmp_path) -> Path:
    return Path(shutil.copytree(oracle("custom_voice_tiny").folder, tmp_path / "checkpoint"))


def edit(folder: Path, change, part: str = "model.safetensors") -> None:
    tensors = load_file(folder / part)
    change(tensors)
    save_file(tensors, folder / part, {"format": "pt"})


def refusal(folder: Path) -> str:
    with pytest.raises(ModelError) as caught:
        load_folder(folder)
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    "name",
    [
        "config.json",
        "model.safetensors",
        "speech_tokenizer/config.json",
        "speech_tokenizer/model.safetensors",
        "merges.txt",
    ],
)
def test_a_missing_file_is_named(checkpoint, name):
    (checkpoint / name).unlink()
    assert Path(name).name in refusal(checkpoint)


def test_a_missing_tensor_is_named(checkpoint):
    edit(checkpoint, lambda tensors: tensors.pop("talker.model.layers.1.self_attn.k_norm.weight"))
    assert "lacks talker.model.layers.1.self_attn.k_norm.weight" in refusal(checkpoint)


def test_an_extra_tensor_is_named(checkpoint):
    edit(
        checkpoint, lambda tensors: tensors.update({"talker.model.layers.9.mlp.up_proj.weight": np.zeros((2, 2), "f")})
    )
    assert "talker.model.layers.9.mlp.up_proj.weight" in refusal(checkpoint)


def test_a_tensor_of_no_part_is_named(checkpoint):
    edit(checkpoint, lambda tensors: tensors.update({"vocoder.weight": np.zeros((2, 2), "f")}))
    assert "vocoder.weight" in refusal(checkpoint)


def test_a_misshapen_tensor_is_named_with_both_shapes(checkpoint):
    edit(checkpoint, lambda tensors: tensors.update({"talker.codec_head.weight": np.zeros((3072, 65), "f")}))
    assert "talker.codec_head.weight of shape (3072, 65) instead of (3072, 64)" in refusal(checkpoint)


@pytest.mark.parametrize("change", ["missing", "misshapen", "extra"])
def test_codec_faults_are_named_as_in_the_file(checkpoint, change):
    name = "decoder.pre_transformer.layers.0.self_attn.q_proj.weight"

    def apply(tensors):
        if change == "missing":
            del tensors[name]
        elif change == "misshapen":
            tensors[name] = tensors[name][:-1]
        else:
            tensors[name + "_extra"] = tensors[name]

    edit(checkpoint, apply, "speech_tokenizer/model.safetensors")
    assert name in refusal(checkpoint)


def test_a_truncated_file_is_refused(checkpoint):
    path = checkpoint / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1000])
    assert "damaged or incomplete" in refusal(checkpoint)


def test_a_tampered_header_is_refused(checkpoint):
    path = checkpoint / "model.safetensors"
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    first = next(name for name in header if name != "__metadata__")
    header[first]["data_offsets"] = [0, 4]
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data[8 + size :])
    assert "damaged or incomplete" in refusal(checkpoint)


@pytest.mark.parametrize("content", ["{", "[]", '{"model_type": "llama"}', '{"model_type": "qwen3_tts"}'])
def test_a_broken_config_is_refused(checkpoint, content):
    (checkpoint / "config.json").write_text(content)
    assert "config.json" in refusal(checkpoint)


@pytest.mark.parametrize("value", [None, "64", -1, 2.5])
def test_a_config_value_of_the_wrong_type_is_named(checkpoint, value):
    path = checkpoint / "config.json"
    data = json.loads(path.read_text())
    data["talker_config"]["hidden_size"] = value
    path.write_text(json.dumps(data))
    assert "talker_config.hidden_size" in refusal(checkpoint)


def test_scales_without_a_quantization_entry_are_refused(checkpoint):
    edit(checkpoint, lambda tensors: tensors.update({"talker.codec_head.scales": np.zeros((3072, 1), "f")}))
    assert "no quantization entry" in refusal(checkpoint)


@pytest.mark.slow
def test_shards_give_the_same_codes_as_one_file(checkpoint):
    wanted = load_folder(checkpoint).generate_codes(GREEDY)
    tensors = load_file(checkpoint / "model.safetensors")
    (checkpoint / "model.safetensors").unlink()
    names = sorted(tensors)
    index = {}
    for i in range(2):
        shard = f"model-0000{i + 1}-of-00002.safetensors"
        part = {name: tensors[name] for name in names[i::2]}
        save_file(part, checkpoint / shard, {"format": "pt"})
        index |= dict.fromkeys(part, shard)
    (checkpoint / "model.safetensors.index.json").write_text(json.dumps({"weight_map": index}))
    assert np.array_equal(load_folder(checkpoint).generate_codes(GREEDY), wanted)
    (checkpoint / shard).unlink()
    assert shard in refusal(checkpoint)


@pytest.mark.slow
def test_half_precision_weights_compute_in_float32(checkpoint):
    edit(checkpoint, lambda tensors: tensors.update({name: value.astype("float16") for name, value in tensors.items()}))
    synthesizer = load_folder(checkpoint)
    assert synthesizer._synthesizer.talker.dtype == mx.float32
    assert synthesizer.generate_codes(GREEDY).shape == (8, 16)


def test_describe_reads_no_weights(checkpoint):
    (checkpoint / "model.safetensors").unlink()
    info = open_checkpoint(checkpoint).info
    assert (info.kind, info.codebooks, info.sample_rate, info.frame_rate) == ("custom_voice", 16, 24000, 12.5)
    assert "ryan" in info.voices
    assert info.languages[0] == "auto"
    assert "english" in info.languages
    assert not any("dialect" in language for language in info.languages)
