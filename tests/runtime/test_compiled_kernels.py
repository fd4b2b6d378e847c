"""Compiled GPU kernels are kept in a folder that only the user writes to."""

from __future__ import annotations

import os

import pytest

from mlx_tts.runtime.compiled_kernels import CACHES, NAME, keep_compiled_kernels, let_caches_fill

pytestmark = pytest.mark.slow


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("MLX_TTS_HOME", str(tmp_path))
    monkeypatch.setenv(NAME, "taken back at the end of the test")
    monkeypatch.delenv(NAME)
    return tmp_path


def test_a_private_folder_is_made_and_named(home):
    folder = keep_compiled_kernels()
    assert folder == home / "cuda"
    assert os.environ[NAME] == str(folder)
    assert folder.stat().st_mode & 0o777 == 0o700


def test_who_set_the_variable_has_decided(home, monkeypatch):
    monkeypatch.setenv(NAME, "/elsewhere")
    assert keep_compiled_kernels() is None
    assert os.environ[NAME] == "/elsewhere"
    assert not (home / "cuda").exists()


def test_a_folder_that_others_write_to_is_not_used(home):
    (home / "cuda").mkdir()
    (home / "cuda").chmod(0o777)
    assert keep_compiled_kernels() is None
    assert os.environ[NAME] != str(home / "cuda")


def test_a_file_in_the_way_is_no_error(home):
    (home / "cuda").write_text("")
    assert keep_compiled_kernels() is None


def test_full_caches_are_no_error_unless_somebody_wants_it(monkeypatch):
    for name in CACHES:
        monkeypatch.setenv(name, "taken back at the end of the test")
        monkeypatch.delenv(name)
    monkeypatch.setenv("MLX_CUDA_CONV_CACHE_SIZE", "64")
    let_caches_fill()
    assert os.environ["MLX_ENABLE_CACHE_THRASHING_CHECK"] == "0"
    assert os.environ["MLX_CUDA_CONV_CACHE_SIZE"] == "64"
