"""Two built-in models that share their weights: as good as two whole ones, and nobody else's files may do that."""

import json
import shutil
import sys

import mlx.core as mx
import numpy as np
import pytest
from safetensors import safe_open

from mlx_tts.api import load_folder
from mlx_tts.checkpoints import shard_index
from mlx_tts.checkpoints.tensors import open_tensors
from mlx_tts.errors import ModelError
from mlx_tts.models.qwen3_tts.checkpoint import open_checkpoint
from tests.helpers.converting import convert
from tests.helpers.oracle_cases import request_for
from tests.helpers.paths import ROOT

sys.path.insert(0, str(ROOT / "scripts" / "train_tiny"))

import ship

pytestmark = pytest.mark.slow

OWN = ("speaker_encoder.", "encoder.")


def without_own(whole, part):
    with safe_open(str(whole / "model.safetensors"), framework="np") as file:
        metadata = file.metadata()
    shared = {
        name: value for name, value in mx.load(str(whole / "model.safetensors")).items() if not name.startswith(OWN)
    }
    mx.save_safetensors(str(part / "model.safetensors"), shared, metadata)


@pytest.fixture
def faces(oracle, tmp_path, monkeypatch):
    """(the whole model, the folder that holds both faces)"""
    whole, tiny, built_in = oracle("base_tiny").folder, tmp_path / "tiny", tmp_path / "builtin"
    shutil.copytree(whole, tiny)
    for part in ship.PARTS:
        without_own(whole / part, tiny / part)
    ship.ship(tiny, whole, built_in)
    monkeypatch.setattr(shard_index, "BUILT_IN", built_in)
    return whole, built_in


def test_the_second_face_is_whole_and_small(faces, oracle):
    whole, built_in = faces
    shipped = built_in / "tiny-base"
    for part in ship.PARTS:
        expected, found = open_tensors(whole / part), open_tensors(shipped / part)
        assert found.tensors.keys() == expected.tensors.keys()
        for name, value in expected.tensors.items():
            assert np.array_equal(np.array(found.tensors[name]), np.array(value)), name
        assert found.metadata == expected.metadata
    shared = (built_in / "tiny" / "model.safetensors").stat().st_size
    assert (shipped / "model-own.safetensors").stat().st_size + shared < (
        whole / "model.safetensors"
    ).stat().st_size + 4096
    case = oracle("base_tiny")
    asked = case.requests[0]["name"]
    request = request_for(case, asked, seed=1, max_frames=6)
    with load_folder(shipped) as second, load_folder(whole) as first:
        assert np.array_equal(second.speak(request).samples, first.speak(request).samples)


def test_it_converts_to_a_checkpoint_of_its_own(faces, tmp_path):
    whole, built_in = faces
    for source, name in ((whole, "a"), (built_in / "tiny-base", "b")):
        convert(open_checkpoint(source), tmp_path / name, bits=8, group_size=32)
    for part in ship.PARTS:
        first, second = (mx.load(str(tmp_path / name / part / "model.safetensors")) for name in "ab")
        assert first.keys() == second.keys()
        assert all(ship.same(value, second[name]) for name, value in first.items())
    assert not list((tmp_path / "b").rglob("*.index.json"))


def test_a_strangers_folder_may_not(faces, tmp_path):
    _, built_in = faces
    shutil.copytree(built_in, tmp_path / "strange")
    with pytest.raises(ModelError, match="names a shard outside its folder"):
        open_tensors(tmp_path / "strange" / "tiny-base")


@pytest.mark.parametrize("shard", ["../../elsewhere.safetensors", "/dev/x.safetensors", "../link.safetensors"])
def test_nor_may_a_built_in_model_reach_outside(faces, tmp_path, shard):
    _, built_in = faces
    (tmp_path / "elsewhere.safetensors").write_bytes(b"")
    (built_in / "link.safetensors").symlink_to(tmp_path / "elsewhere.safetensors")
    (built_in / "tiny-base" / "model.safetensors.index.json").write_text(
        json.dumps({"weight_map": {"talker.a": shard}})
    )
    with pytest.raises(ModelError, match="names a shard outside its folder"):
        open_tensors(built_in / "tiny-base")


def test_faces_of_two_trainings_are_refused(faces, tmp_path):
    whole, built_in = faces
    shutil.copytree(built_in / "tiny", tmp_path / "other")
    path = tmp_path / "other" / "model.safetensors"
    tensors = dict(mx.load(str(path)))
    name = next(iter(tensors))
    mx.save_safetensors(str(path), tensors | {name: tensors[name] + 1})
    with pytest.raises(SystemExit, match=f"does not share {name}"):
        ship.ship(tmp_path / "other", whole, tmp_path / "out")
