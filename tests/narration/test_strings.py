"""A string is read as `mlx-tts speak` reads it; a SpeechRequest is spoken as it is."""

import numpy as np
import pytest

import mlx_tts
from mlx_tts import SpeechRequest
from mlx_tts.text.phonemes.reader import with_phones


@pytest.mark.slow
def test_a_string_is_read_and_a_request_is_exact():
    with mlx_tts.load("tiny") as tts:

        def samples(text):
            return tts.speak(SpeechRequest(text, voice="ivy", seed=1, max_frames=3)).samples

        def read(text):
            return tts.speak(text, voice="ivy", seed=1, max_frames=3).samples

        assert np.array_equal(read("It cost $5."), samples("It cost five dollars."))
        assert np.array_equal(read("Ask Niamh."), samples(with_phones("Ask Niamh.")))
        assert not np.array_equal(read("Ask Niamh."), samples("Ask Niamh."))
        assert np.array_equal(read("It is late."), samples("It is late."))
        chunks = tts.stream("Ask Niamh.", voice="ivy", seed=1, max_frames=3)
        assert np.array_equal(np.concatenate([chunk.samples for chunk in chunks]), read("Ask Niamh."))
