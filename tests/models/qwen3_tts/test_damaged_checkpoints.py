"""A damaged or hostile checkpoint is a ModelError that names the file and the key; nothing crashes or hangs."""

import json
import os
import shutil

import mlx.core as mx
import numpy as np
import pytest

from mlx_tts.api import load_checkpoint
from mlx_tts.errors import MlxTtsError, ModelError
from mlx_tts.models.families import open_checkpoint
from mlx_tts.speech import SpeechRequest


@pytest.fixture(params=["custom_voice_tiny"])
def folder(oracle, request, tmp_path):
    """A copy to damage: small files are copied, weights are linked."""
    source, copy = oracle(request.param).folder, tmp_path / "model"
    shutil.copytree(
        source, copy, copy_function=lambda a, b: os.link(a, b) if a.endswith("tensors") else shutil.copy(a, b)
    )
    return copy


def edit(path, keys, value):
    data = json.loads(path.read_text())
    inner = data
    for key in keys[:-1]:
        inner = inner[key]
    if value is ...:
        del inner[keys[-1]]
    else:
        inner[keys[-1]] = value
    path.write_text(json.dumps(data))


CONFIG = [
    ("talker_config.spk_id.serena", 10_000_000),
    ("talker_config.spk_id.serena", 3072),
    ("talker_config.spk_id.serena", -1),
    ("talker_config.spk_id.serena", [1, 2]),
    ("talker_config.spk_id", {"\x1b[2Jx": 5}),
    ("talker_config.codec_language_id.english", 4000),
    ("talker_config.codec_language_id.english", 1.5),
    ("talker_config.codec_bos_id", 3072),
    ("talker_config.codec_eos_token_id", 10**30),
    ("talker_config.codec_pad_id", True),
    ("talker_config.spk_is_dialect", {"serena": "klingon"}),
    ("tts_pad_token_id", 10**6),
    ("talker_config.num_hidden_layers", 10**30),
    ("talker_config.num_hidden_layers", 501),
    ("talker_config.num_hidden_layers", 0),
    ("talker_config.hidden_size", 2**31),
    ("talker_config.hidden_size", 0),
    ("talker_config.num_key_value_heads", 3),
    ("talker_config.head_dim", 15),
    ("talker_config.rope_theta", 0),
    ("talker_config.vocab_size", 1000),
    ("talker_config.code_predictor_config.num_code_groups", 15),
    ("talker_config.code_predictor_config.vocab_size", 4096),
    ("talker_config", 5),
    ("talker_config.hidden_size", ...),
    ("model_type", ["qwen3_tts"]),
    ("tts_model_type", "x"),
    ("quantization", 4),
    ("quantization", {"bits": [1], "group_size": 64}),
]


@pytest.mark.parametrize(("path", "value"), CONFIG, ids=[f"{path}={value}"[:60] for path, value in CONFIG])
def test_config(folder, path, value):
    edit(folder / "config.json", path.split("."), value)
    with pytest.raises(ModelError) as refused:
        open_checkpoint(folder)
    name = {"vocab_size": "", "spk_id": "name"}.get(path.split(".")[-1], path.split(".")[-1])
    assert "config.json" in str(refused.value)
    assert name in str(refused.value)  # of a vocabulary: what does not fit it
    assert str(refused.value).isprintable() and len(str(refused.value)) < 500


CODEC = [
    ("decode_upsample_rate", 1919),
    ("decoder_config.upsample_rates", []),
    ("decoder_config.upsample_rates", [0, 5, 4, 3]),
    ("decoder_config.upsample_rates", [10**9] * 4),
    ("decoder_config.num_quantizers", 8),
    ("decoder_config.codebook_size", 1000),
    ("output_sample_rate", 0),
    ("encoder_valid_num_quantizers", 64),
    ("decoder_config.num_semantic_quantizers", 16),
]


@pytest.mark.parametrize(("path", "value"), CODEC)
def test_codec_config(folder, path, value):
    edit(folder / "speech_tokenizer" / "config.json", path.split("."), value)
    with pytest.raises(ModelError, match=f"speech_tokenizer/config.json.*{path.split('.')[-1]}"):
        open_checkpoint(folder)


@pytest.mark.parametrize(
    ("name", "value"),
    [("temperature", -1), ("temperature", 1e30), ("top_p", 0), ("top_k", -1), ("repetition_penalty", 0.0)],
)
def test_generation_config(folder, name, value):
    edit(folder / "generation_config.json", [name], value)
    with pytest.raises(ModelError, match=f"generation_config.json.{name} is"):
        open_checkpoint(folder)


def test_generation_config_with_what_is_no_number(folder):
    path = folder / "generation_config.json"
    path.write_text(path.read_text().replace("{", '{"repetition_penalty": NaN,', 1))
    with pytest.raises(ModelError, match=r"generation_config.json holds NaN"):
        open_checkpoint(folder)


SMALL = ["config.json", "generation_config.json", "speech_tokenizer/config.json", "tokenizer_config.json", "vocab.json",
         "merges.txt"]  # fmt: skip
WEIGHTS = ["model.safetensors", "speech_tokenizer/model.safetensors"]


@pytest.mark.parametrize("name", SMALL + WEIGHTS)
@pytest.mark.parametrize("kind", ["pipe", "/dev/zero", "folder"])
def test_kinds_of_files(folder, name, kind):
    path = folder / name
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(kind)
    with pytest.raises(ModelError, match=f"{path.name} is not a regular file"):
        load_checkpoint(open_checkpoint(folder))


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("data", [b"", b"\xff\xff", b"[" * 100_000, b'{"a":' * 3000, b"\0" * 100])
def test_bytes_of_small_files(folder, name, data):
    (folder / name).write_bytes(data)
    if name == "merges.txt" and data in (b"", b"\0" * 100, b"[" * 100_000, b'{"a":' * 3000):
        data = b"no pair at all\n"
        (folder / name).write_bytes(data)
    with pytest.raises(ModelError, match=str(folder)):
        load_checkpoint(open_checkpoint(folder))


TOKENS = [
    5,
    {"x": {"content": "a"}},
    {"1": 5},
    {"1": {}},
    {"1": {"content": 5}},
    {"1": {"content": ""}},
    {"-1": {"content": "a"}},
    {"9" * 4000: {"content": "a"}},
    {"1": {"content": "\x1b[31m", "special": "yes"}},
    {"1": {"content": "\ud800"}},
]


@pytest.mark.parametrize("tokens", TOKENS, ids=range(len(TOKENS)))
def test_added_tokens(folder, tokens):
    edit(folder / "tokenizer_config.json", ["added_tokens_decoder"], tokens)
    with pytest.raises(ModelError) as refused:
        load_checkpoint(open_checkpoint(folder))
    assert str(refused.value).isprintable() and len(str(refused.value)) < 500


def rewrite(folder, change, name="model.safetensors"):
    tensors, metadata = mx.load(str(folder / name), return_metadata=True)
    change(tensors)
    (folder / name).unlink()
    mx.save_safetensors(str(folder / name), tensors, metadata)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize(
    ("file", "tensor"),
    [
        ("model.safetensors", "talker.model.layers.0.mlp.up_proj.weight"),
        ("model.safetensors", "talker.code_predictor.lm_head.0.weight"),
        ("speech_tokenizer/model.safetensors", "decoder.decoder.0.conv.bias"),
    ],
)
def test_weights_that_are_no_numbers(folder, file, tensor, value):
    def spoil(tensors):
        spoilt = np.array(tensors[tensor].astype(mx.float32))
        spoilt.flat[3] = value
        tensors[tensor] = mx.array(spoilt)

    rewrite(folder, spoil, file)
    with pytest.raises(ModelError, match="not numbers"):
        load_checkpoint(open_checkpoint(folder))


def test_whole_numbers_where_weights_belong(folder):
    name = "talker.model.layers.0.mlp.up_proj.weight"
    rewrite(folder, lambda tensors: tensors.update({name: tensors[name].astype(mx.int32)}))
    with pytest.raises(ModelError, match=f"has {name} in mlx.core.int32"):
        load_checkpoint(open_checkpoint(folder))


def test_sound_that_is_no_number(folder):
    """The text table is read row by row while speaking, so it shows there."""
    name = "talker.model.text_embedding.weight"
    rewrite(folder, lambda tensors: tensors.update({name: mx.full(tensors[name].shape, float("nan"))}))
    with load_checkpoint(open_checkpoint(folder)) as tts, pytest.raises(MlxTtsError, match="not numbers"):
        tts.speak("Hello.", max_frames=3)


@pytest.mark.slow
def test_a_damaged_row_of_the_text_table_ends_only_who_reads_it(folder):
    name = "talker.model.text_embedding.weight"
    requests = [SpeechRequest(text, seed=1, max_frames=3) for text in ("Hello.", "Why?")]
    with load_checkpoint(open_checkpoint(folder)) as tts:
        mine, others = ({*tts.prompt(r).text.tolist(), *tts.prompt(r).trailing.tolist()} for r in requests)
        expected = tts.generate_codes(requests[0])
    assert others - mine

    def spoil(tensors):
        table = np.array(tensors[name].astype(mx.float32))
        table[sorted(others - mine)] = np.nan
        tensors[name] = mx.array(table).astype(tensors[name].dtype)

    rewrite(folder, spoil)
    with load_checkpoint(open_checkpoint(folder)) as tts:
        with tts.submit(requests[1]) as damaged, tts.submit(requests[0]) as whole:
            assert sum(len(chunk.samples) for chunk in whole) == 1920 * len(expected)
            with pytest.raises(ModelError, match="text embeddings that are not numbers"):
                list(damaged)
        np.testing.assert_array_equal(tts.generate_codes(requests[0]), expected)


def test_an_unknown_failure_names_the_folder(folder, monkeypatch):
    def fail(*_):
        raise KeyError("x\ny")

    monkeypatch.setattr("mlx_tts.models.qwen3_tts.synthesizer.load_talker", fail)
    with pytest.raises(ModelError, match=f"{folder} cannot be loaded .KeyError: 'x.*ny'"):
        load_checkpoint(open_checkpoint(folder))


@pytest.mark.parametrize("shard", ["../a.safetensors", "/dev/zero", "x", 5, "a\x1b.safetensors"])
def test_a_shard_index(folder, shard):
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"talker.a": shard}}))
    with pytest.raises(ModelError, match=r"model.safetensors.index.json (names a shard|has a weight_map)") as refused:
        load_checkpoint(open_checkpoint(folder))
    assert str(refused.value).isprintable()
