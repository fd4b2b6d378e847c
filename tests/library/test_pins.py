"""What was first fetched is written down; a change, on the hub or on this disk, is said in one line."""

import hashlib
import json
from dataclasses import replace

import pytest

from mlx_tts.cli import run
from mlx_tts.errors import MlxTtsError
from mlx_tts.library import catalog, pins
from mlx_tts.library.catalog import ModelSpec
from mlx_tts.library.download import Announced, check_files

SPEC = ModelSpec(name="owner/model", repository="owner/model", revision="main")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MLX_TTS_HOME", str(tmp_path / "home"))
    made = tmp_path / "snapshots" / ("1" * 40)
    made.mkdir(parents=True)
    (made / "config.json").write_text("{}")
    (made / "model.safetensors").write_bytes(b"weights")
    return made


def test_the_first_download_is_the_pin(folder):
    lines: list[str] = []
    pins.record(SPEC, folder, lines.append)
    pins.record(SPEC, folder, lines.append)
    assert not lines
    assert pins.verify(SPEC, folder) == "owner/model: 2 files have the SHA-256 that they should have"
    later = folder.rename(folder.with_name("2" * 40))
    (later / "model.safetensors").write_bytes(b"other weights")
    pins.record(SPEC, later, lines.append)
    (line,) = lines
    assert "other bytes in model.safetensors" in line and "2" * 12 in line and "1" * 12 in line


def test_what_was_checked_while_it_came_is_not_read_again(folder):
    pins.record(SPEC, folder, None, {"model.safetensors": "a" * 64})
    pin = pins.known(SPEC)
    assert pin is not None
    assert pin.files["model.safetensors"] == "a" * 64
    assert pin.files["config.json"] == hashlib.sha256(b"{}").hexdigest()


def test_a_download_says_what_it_checked(folder):
    sha256 = hashlib.sha256(b"weights").hexdigest()
    said = {"model.safetensors": Announced(7, sha256), "config.json": Announced(2)}
    assert check_files(folder, {}, said, lambda: None) == {"model.safetensors": sha256}


def test_a_changed_or_missing_file_is_named(folder):
    pins.record(SPEC, folder, None)
    (folder / "model.safetensors").write_bytes(b"Weights")
    (folder / "config.json").unlink()
    with pytest.raises(MlxTtsError, match=r"is not as it was fetched: config\.json, model\.safetensors in "):
        pins.verify(SPEC, folder)


def test_the_table_counts_more_than_the_record(folder):
    pins.record(SPEC, folder, None)
    with pytest.raises(MlxTtsError, match=r"is not as it was fetched: config\.json"):
        pins.verify(replace(SPEC, pinned_files={"config.json": "0" * 64}), folder)


def test_what_nothing_is_known_of_is_said(folder):
    with pytest.raises(MlxTtsError, match="nothing is known of owner/model to compare it with"):
        pins.verify(SPEC, folder)
    pins.record(SPEC, folder, None)
    (folder / "extra.txt").write_text("x")
    assert pins.verify(SPEC, folder).endswith("; nothing is known of extra.txt")


def test_what_comes_with_the_package_was_never_fetched(capfd):
    assert run(["pull", "tiny", "--verify"]) == 2
    assert "mlx-tts: tiny is not a download, so that there is nothing to compare it with" in capfd.readouterr().err


@pytest.mark.parametrize(
    "damage", ["", "[]", "{", json.dumps({"main": 3}), json.dumps({"main": {"commit": 1, "files": []}})]
)
def test_a_damaged_record_is_none(folder, damage):
    pins.record(SPEC, folder, None)
    pins._path(SPEC).write_text(damage)
    assert pins.known(SPEC) is None


def test_the_command(folder, monkeypatch, capfd):
    monkeypatch.setattr(catalog, "find", lambda name: SPEC)
    monkeypatch.setattr("mlx_tts.library.hub.is_on_disk", lambda spec: True)
    monkeypatch.setattr("mlx_tts.library.hub.local_folder", lambda spec: folder)
    pins.record(SPEC, folder, None)
    assert run(["pull", "owner/model", "--verify"]) == 0
    assert capfd.readouterr().err.endswith("owner/model: 2 files have the SHA-256 that they should have\n")
    (folder / "model.safetensors").write_bytes(b"x")
    assert run(["pull", "owner/model", "--verify"]) == 1
    assert "mlx-tts: owner/model is not as it was fetched: model.safetensors" in capfd.readouterr().err
