"""Rows of a table that stays in its file are the table's own, number for number, and nothing else of it is read."""

import json
import os
import shutil
import sys
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest
from mlx import nn
from safetensors.numpy import load_file, save_file

from mlx_tts.api import load_folder
from mlx_tts.checkpoints import stored_rows
from mlx_tts.checkpoints.stored_rows import StoredEmbedding
from mlx_tts.checkpoints.tensors import open_tensors
from mlx_tts.errors import ModelError
from mlx_tts.speech import Sampling, SpeechRequest
from tests.helpers.oracle_cases import request_for
from tests.helpers.paths import ROOT

sys.path.insert(0, str(ROOT / "scripts"))

from soak import resident_bytes

pytestmark = pytest.mark.slow

IDS = mx.array([[3, 0, 99], [99, 7, 7]])
GREEDY = SpeechRequest("Hello world.", voice="ryan", sampling=Sampling(temperature=0), max_frames=8)


def stored(folder: Path, table: nn.Module) -> StoredEmbedding:
    """The same table in a file, between two other tensors."""
    tensors = {f"text.{part}": value for part, value in table.parameters().items()}
    mx.save_safetensors(str(folder / "model.safetensors"), {"a": mx.ones((3,)), **tensors, "z": mx.ones((5,))})
    return StoredEmbedding(table, "text", open_tensors(folder))


@pytest.mark.parametrize("dtype", [mx.float32, mx.float16, mx.bfloat16])
def test_plain_rows(tmp_path, dtype):
    table = nn.Embedding(100, 24)
    table.weight = table.weight.astype(dtype)
    rows = stored(tmp_path, table)(IDS)
    assert rows.dtype == dtype
    assert rows.shape == (2, 3, 24)
    assert mx.array_equal(rows, table(IDS))


@pytest.mark.parametrize(
    ("mode", "bits", "group_size"),
    [("affine", 4, 64), ("affine", 6, 32), ("affine", 8, 32), ("mxfp4", 4, 32), ("mxfp8", 8, 32), ("nvfp4", 4, 16)],
)
def test_quantised_rows(tmp_path, mode, bits, group_size):
    plain = nn.Embedding(100, 128)
    plain.weight = plain.weight.astype(mx.bfloat16)
    table = nn.QuantizedEmbedding.from_embedding(plain, group_size, bits, mode)
    rows = stored(tmp_path, table)(IDS)
    assert rows.dtype == table(IDS).dtype
    assert mx.array_equal(rows, table(IDS))


def test_only_the_rows_that_are_asked_for_are_made_plain(tmp_path, monkeypatch):
    """Of 60,000 rows of 8 bits, which would be 31 MB as floats."""
    plain = nn.Embedding(60_000, 128)
    table = nn.QuantizedEmbedding.from_embedding(plain, 64, 8)
    rows, made, dequantize = stored(tmp_path, table), [], mx.dequantize
    del plain, table
    monkeypatch.setattr(mx, "dequantize", lambda weight, *more: made.append(weight.shape) or dequantize(weight, *more))
    mx.clear_cache()
    mx.reset_peak_memory()
    before = mx.get_active_memory()
    mx.eval(rows(mx.array([[5, 59_999], [5, 0]])))
    assert made == [(2, 2, 32)]
    assert mx.get_peak_memory() - before < 100_000


def test_no_ids_give_no_rows(tmp_path):
    assert stored(tmp_path, nn.Embedding(100, 24))(mx.zeros((0,), mx.int32)).shape == (0, 24)


def test_rows_that_were_read_last_are_not_read_again(tmp_path, monkeypatch):
    """Each reading lets the other threads of a server in."""
    table = nn.Embedding(100, 24)
    rows, read, pread = stored(tmp_path, table), [], os.pread
    monkeypatch.setattr(os, "pread", lambda file, size, at: read.append(at) or pread(file, size, at))
    monkeypatch.setattr(stored_rows, "KEPT_BYTES", 2 * 24 * 4)
    for ids, times in (([1, 2], 2), ([2, 1, 2], 0), ([3], 1), ([2], 0), ([1], 1), ([2], 0), ([3], 1)):
        read.clear()
        assert mx.array_equal(rows(mx.array(ids)), table(mx.array(ids)))
        assert len(read) == times


@pytest.mark.parametrize("wrong", [100, -1])
def test_an_id_outside_the_table_is_refused(tmp_path, wrong):
    with pytest.raises(ModelError, match=rf"text id {wrong}, the table has 100 rows"):
        stored(tmp_path, nn.Embedding(100, 24))(mx.array([1, wrong]))


def test_a_file_that_was_cut_off_meanwhile_is_named(tmp_path):
    table = stored(tmp_path, nn.Embedding(100, 24))
    os.truncate(tmp_path / "model.safetensors", 1000)
    with pytest.raises(ModelError, match=r"model\.safetensors ends inside text\.weight"):
        table(mx.array([99]))


def test_the_rows_are_of_the_file_that_was_opened(tmp_path):
    table = nn.Embedding(100, 24)
    rows = stored(tmp_path, table)
    (tmp_path / "model.safetensors").unlink()
    stored(tmp_path, nn.Embedding(100, 24))
    assert mx.array_equal(rows(IDS), table(IDS))


def test_a_table_in_shards(oracle, tmp_path):
    """Quantised, its parts in different files: the same codes as from one file."""
    from mlx_tts.models.families import open_checkpoint
    from tests.helpers.converting import convert

    folder = tmp_path / "small"
    convert(open_checkpoint(oracle("custom_voice_tiny").folder), folder, bits=8, group_size=32, text_embedding_bits=8)
    wanted = load_folder(folder).generate_codes(GREEDY)
    tensors = dict(mx.load(str(folder / "model.safetensors")))
    index = {}
    for number, part in enumerate(("weight", "scales", "biases")):
        name = f"model-0000{number + 1}-of-00003.safetensors"
        ours = [tensor for tensor in tensors if tensor.endswith(part) or (not number and tensor not in index)]
        ours = [tensor for tensor in ours if number or not tensor.endswith((".scales", ".biases"))]
        mx.save_safetensors(str(folder / name), {tensor: tensors[tensor] for tensor in ours}, {"format": "mlx"})
        index |= dict.fromkeys(ours, name)
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": index}))
    assert index["talker.model.text_embedding.scales"] != index["talker.model.text_embedding.weight"]
    assert np.array_equal(load_folder(folder).generate_codes(GREEDY), wanted)


@pytest.mark.parametrize("fault", ["missing", "misshapen"])
def test_a_text_table_that_does_not_fit_is_named(oracle, tmp_path, fault):
    folder = Path(shutil.copytree(oracle("custom_voice_tiny").folder, tmp_path / "checkpoint"))
    name = "talker.model.text_embedding.weight"
    tensors = load_file(folder / "model.safetensors")
    table = tensors.pop(name)
    save_file(tensors | ({name: table[:-1]} if fault == "misshapen" else {}), folder / "model.safetensors")
    with pytest.raises(ModelError, match=name):
        load_folder(folder)


def big_table(folder: Path, name: str, rows: int) -> int:
    """Give a checkpoint's tensor more rows, and its config if that says how many; the bytes of the new tensor."""
    part = folder / "speech_tokenizer" if name.startswith("encoder.") else folder
    tensors = load_file(part / "model.safetensors")
    table = tensors[name]
    big = np.zeros((rows, *table.shape[1:]), table.dtype)
    big[: len(table)] = table
    save_file(tensors | {name: big}, part / "model.safetensors", {"format": "pt"})
    if "text_embedding" in name:
        config = json.loads((folder / "config.json").read_text())
        config["talker_config"]["text_vocab_size"] = rows
        (folder / "config.json").write_text(json.dumps(config))
    return big.nbytes


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("talker.model.text_embedding.weight", 400_000),
        ("encoder.downsample.conv.weight", 300_000),  # of no shape that cloning would take: speaking does not look
        ("speaker_encoder.fc.bias", 40_000_000),
    ],
)
def test_speaking_takes_no_memory_for_what_it_does_not_use(oracle, tmp_path, name, rows):
    """A tensor of 150 MB in a checkpoint of 3 MB: neither MLX nor the process grows by it."""
    reference = oracle("base_tiny")
    request = request_for(reference, "xvector", sampling=Sampling(temperature=0), max_frames=8)
    folder = Path(shutil.copytree(reference.folder, tmp_path / "checkpoint"))
    size = big_table(folder, name, rows)
    assert size > 140e6
    wanted = reference.synthesizer.speak(request).samples  # warm: what else is needed is there
    mx.clear_cache()
    mx.reset_peak_memory()
    active, resident = mx.get_active_memory(), resident_bytes()
    synthesizer = load_folder(folder)
    assert np.array_equal(synthesizer.speak(request).samples, wanted)
    assert mx.get_peak_memory() - active < size / 4
    assert resident_bytes() - resident < size / 2
