"""Recordings that somebody sends: what is not a recording of a voice is answered with 400."""

import io

import numpy as np
import pytest
import soundfile

from mlx_tts.server.answers import ApiError
from mlx_tts.server.uploads import RATE, decode_recording


@pytest.mark.parametrize(
    ("value", "says"),
    [(3e38, r"holds samples up to 3e\+38"), (np.nan, "not numbers"), (0.0, None)],
    ids=["beyond floats", "nan", "sound"],
)
def test_numbers_that_are_not_sound(value, says):
    samples = 0.1 * np.sin(np.arange(2 * RATE) / 20)
    samples[5000:5100] = value
    file = io.BytesIO()
    soundfile.write(file, samples, RATE, format="WAV", subtype="FLOAT")
    if says is None:
        assert len(decode_recording(file.getvalue())) == pytest.approx(2 * RATE, abs=10)
        return
    with pytest.raises(ApiError, match=says) as caught:
        decode_recording(file.getvalue())
    assert caught.value.status == 400
