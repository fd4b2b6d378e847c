"""Voices by name: names that stay in the folder, files that are checked, errors that say what to do."""

import os

import numpy as np
import pytest

from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.library.voice_shelf import VoiceShelf, check_name
from mlx_tts.library.voice_store import SavedVoice, load_voice, save_voice
from mlx_tts.speech import Voice

SAVED = SavedVoice(Voice(np.linspace(-1, 1, 16, dtype=np.float32)), "0.6b-base-8bit")


@pytest.fixture
def shelf(tmp_path):
    return VoiceShelf(tmp_path / "uploaded-voices", tmp_path / "voices")


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../me", "a/b", "a\\b", "/etc/passwd", ".hidden", "-o", " me", "me ", "me.", "a\0b", "a\nb",
     "x" * 65, "me\u202eevil", "~", "me:you", "*"],
)  # fmt: skip
def test_names_that_are_none(shelf, name):
    with pytest.raises(RequestError, match="is not a name for a voice"):
        shelf.add(name, SAVED)
    assert not shelf.saved.exists()


@pytest.mark.parametrize("name", ["me", "Aunt May", "Jörg", "声", "v1.2_b-c", "7"])
def test_names(name):
    check_name(name)


def test_names_that_mean_something_else():
    with pytest.raises(RequestError, match=r"is the name of a file: leave \.safetensors out"):
        check_name("me.safetensors")
    for preset in ("ivy", "Ryan", "uncle fu", "Uncle-Fu"):
        with pytest.raises(RequestError, match="is a preset voice: choose another name"):
            check_name(preset)


def test_a_voice_is_kept_found_renamed_and_removed(shelf):
    assert shelf.voices() == []
    assert shelf.get("me") is None
    shelf.add("Aunt May", SAVED)
    assert [path.name for path in shelf.saved.iterdir()] == ["Aunt May.safetensors"]
    assert load_voice(shelf.saved / "Aunt May.safetensors").voice.name == "Aunt May"
    assert shelf.get("aunt-may").name == "Aunt May"
    with pytest.raises(RequestError, match="a voice is called 'Aunt May' already"):
        shelf.add("aunt_may", SAVED)
    with pytest.raises(RequestError, match="are one name"):
        shelf.rename("Aunt May", "aunt may")
    shelf.rename("aunt may", "June")
    assert [path.name for path in shelf.saved.iterdir()] == ["June.safetensors"]
    assert load_voice(shelf.saved / "June.safetensors").voice.name == "June"
    shelf.remove("june")
    assert list(shelf.saved.iterdir()) == []
    with pytest.raises(RequestError, match=r"no voice of yours is called 'june': there are none yet"):
        shelf.remove("june")


def test_composed_and_decomposed_letters_are_one_name(shelf):
    shelf.add("Jo\u0308rg", SAVED)
    assert shelf.get("J\u00f6rg") is not None
    save_voice(SAVED.voice, shelf.saved / "Zoe\u0308.safetensors")  # as a Mac writes what was typed
    assert shelf.get("Zo\u00eb") is not None


def test_uploaded_voices_are_found_by_name_and_id_after_the_users_own(shelf):
    shelf.uploaded.mkdir(parents=True)
    save_voice(Voice(np.ones(16, np.float32), name="May"), shelf.uploaded / "voice_00ff.safetensors", "other")
    assert shelf.get("may").uploaded
    assert shelf.get("voice_00ff").name == "May"
    shelf.saved.mkdir()
    save_voice(SAVED.voice, shelf.saved / "May.safetensors", "mine")
    assert shelf.get("may").saved.model == "mine"


def test_two_voices_of_one_name(shelf):
    shelf.saved.mkdir(parents=True)
    for name in ("a-b", "a_b"):
        save_voice(SAVED.voice, shelf.saved / f"{name}.safetensors")
    assert shelf.get("a_b").name == "a_b"
    with pytest.raises(RequestError, match=r"two voices are called 'A B': a-b\.safetensors and a_b\.safetensors"):
        shelf.get("A B")


def test_a_damaged_file_is_named_and_hides_no_other(shelf):
    shelf.add("good", SAVED)
    (shelf.saved / "bad.safetensors").write_bytes(b"nonsense")
    assert [kept.name for kept in shelf.voices()] == ["good"]
    assert len(shelf.damaged()) == 1
    assert "bad.safetensors is not a voice file or is damaged" in shelf.damaged()[0]
    with pytest.raises(MlxTtsError, match="is not a voice file or is damaged"):
        shelf.get("bad")


def test_a_folder_that_is_none(shelf):
    shelf.saved.parent.mkdir(exist_ok=True)
    shelf.saved.write_text("in the way")
    with pytest.raises(RequestError, match="is not writable"):
        shelf.add("me", SAVED)


def test_a_folder_that_is_not_writable(shelf, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(RequestError, match=r"voices cannot be kept: the folder .* is not writable"):
        shelf.add("me", SAVED)
