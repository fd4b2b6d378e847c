"""A voice survives its file, and a file that is none is named."""

import numpy as np
import pytest
from safetensors.numpy import save_file

from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.library.voice_store import load_voice, save_voice
from mlx_tts.speech import Voice

EMBEDDING = np.linspace(-3, 3, 1024, dtype=np.float32)
CODES = np.arange(160, dtype=np.int32).reshape(10, 16)


@pytest.mark.parametrize("voice", [Voice(EMBEDDING), Voice(EMBEDDING, CODES, "Hellø, words.", name="me")])
def test_there_and_back(tmp_path, voice):
    save_voice(voice, tmp_path / "me.safetensors", "0.6b-base-8bit")
    saved = load_voice(tmp_path / "me.safetensors")
    assert saved.model == "0.6b-base-8bit"
    assert (saved.voice.name, saved.voice.transcript) == (voice.name, voice.transcript)
    np.testing.assert_array_equal(saved.voice.speaker_embedding, voice.speaker_embedding)
    np.testing.assert_array_equal(saved.voice.reference_codes, voice.reference_codes)
    assert [path.name for path in tmp_path.iterdir()] == ["me.safetensors"]
    assert (tmp_path / "me.safetensors").stat().st_size < 6_000


def write(path, metadata, **tensors):
    save_file(tensors, path, {"format": "mlx-tts-voice", "version": "1", **metadata})


def test_a_file_that_is_no_voice(tmp_path):
    path = tmp_path / "me.safetensors"
    with pytest.raises(RequestError, match=r"no voice file .*--save-voice"):
        load_voice(path)
    path.write_bytes(b"nonsense")
    with pytest.raises(MlxTtsError, match="is no voice file or damaged"):
        load_voice(path)
    write(path, {"format": "pt"}, speaker_embedding=EMBEDDING)
    with pytest.raises(MlxTtsError, match="is no voice file: make one"):
        load_voice(path)
    write(path, {"version": "9"}, speaker_embedding=EMBEDDING)
    with pytest.raises(MlxTtsError, match="voice format 9; this program reads 1: update"):
        load_voice(path)


@pytest.mark.parametrize(
    ("metadata", "tensors", "says"),
    [
        ({}, {"reference_codes": CODES}, "holds no speaker vector"),
        ({}, {"speaker_embedding": EMBEDDING[None]}, "holds no speaker vector"),
        ({}, {"speaker_embedding": EMBEDDING * np.nan}, "holds no speaker vector"),
        ({}, {"speaker_embedding": EMBEDDING, "reference_codes": CODES}, "codes without a transcript"),
        ({"transcript": "x"}, {"speaker_embedding": EMBEDDING}, "codes without a transcript"),
        (
            {"transcript": "x"},
            {"speaker_embedding": EMBEDDING, "reference_codes": CODES[0]},
            "codes without a transcript",
        ),
    ],
)
def test_a_voice_with_something_missing(tmp_path, metadata, tensors, says):
    write(tmp_path / "me.safetensors", metadata, **tensors)
    with pytest.raises(MlxTtsError, match=says):
        load_voice(tmp_path / "me.safetensors")


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(MlxTtsError, match="cannot write"):
        save_voice(Voice(EMBEDDING), tmp_path / "gone" / "me.safetensors")
