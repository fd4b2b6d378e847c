"""What was measured is there for the next run of the same checkpoint with the same settings, and for no other."""

import json
import os

import numpy as np
import pytest

from mlx_tts.models.recipes.kept import FOLDER, KeptMeasurements


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MLX_TTS_HOME", str(tmp_path / "home"))
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "weights").write_bytes(b"123")
    return tmp_path / "model"


def kept(folder, **settings):
    return KeptMeasurements(folder, {"group": 64, **settings})


def test_what_was_kept_comes_back(folder):
    first = kept(folder)
    assert (first.sentences, first.found("heads 4"), first.sentence(0)) == (0, None, None)
    frames = np.arange(6, dtype=np.int32).reshape(2, 3)
    first.keep_sentences({0: {"frames": frames, "path": np.array([1, 2])}, 1: {}})
    first.keep("heads 4", {"KL": 0.0123456789})
    again = kept(folder)
    assert again.found("heads 4") == {"KL": 0.0123456789}
    assert again.sentences == 2
    np.testing.assert_array_equal(again.sentence(0)["frames"], frames)
    assert again.sentence(1) == {}, "it was spoken and came to nothing"
    assert again.sentence(2) is None


def test_other_settings_and_changed_weights_begin_anew(folder):
    kept(folder).keep("heads 4", {"KL": 1.0})
    assert kept(folder, group=32).found("heads 4") is None
    os.utime(folder / "weights", ns=(0, 0))
    assert kept(folder).found("heads 4") is None


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 no archive", b"text"])
def test_a_damaged_file_is_as_none(folder, data):
    kept(folder).keep("heads 4", {"KL": 1.0})
    (path,) = (folder.parent / "home" / FOLDER).iterdir()
    path.write_bytes(data)
    assert kept(folder).found("heads 4") is None
    kept(folder).keep("heads 4", {"KL": 2.0})
    assert kept(folder).found("heads 4") == {"KL": 2.0}


@pytest.mark.slow
def test_no_byte_that_is_wrong_ends_a_conversion(folder):
    kept(folder).keep("heads 4", {"KL": 1.0})
    (path,) = (folder.parent / "home" / FOLDER).iterdir()
    whole = path.read_bytes()
    for at in range(0, len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        kept(folder)


@pytest.mark.parametrize("told", [None, [], {"sentences": 5, "divergences": {}}, {"sentences": [], "divergences": [1]}])
def test_what_is_no_measurement_is_as_none(folder, told):
    kept(folder).keep("heads 4", {"KL": 1.0})
    (path,) = (folder.parent / "home" / FOLDER).iterdir()
    np.savez(path, found=np.frombuffer(json.dumps(told).encode(), np.uint8))
    assert (kept(folder).found("heads 4"), kept(folder).sentences) == (None, 0)


def test_a_cache_that_cannot_be_written_changes_nothing(folder):
    (folder.parent / "home").write_text("in the way")
    first = kept(folder)
    first.keep("heads 4", {"KL": 1.0})
    assert first.found("heads 4") == {"KL": 1.0}
