"""Which voices a model is asked for, and what is said of those that it does not have."""

from pathlib import Path

import pytest

from mlx_tts.errors import RequestError
from mlx_tts.job.prepare import must_have_voice
from mlx_tts.speech import Capabilities, ModelInfo

VOICES = ("af_heart", "am_michael", "bf_emma")


def info(mixes: bool) -> ModelInfo:
    can = Capabilities(presets=True, mixes=mixes)
    return ModelInfo(Path("k"), "kokoro", "", "", VOICES, ("english",), 24_000, 40.0, 1, "", can=can)


@pytest.mark.parametrize("voice", ["af_heart", "AF-Heart", "af_heart+am_michael", "af_heart(2)+bf_emma(1)"])
def test_a_model_in_a_folder_mixes_its_voices(voice):
    must_have_voice(voice, info(mixes=True), "a folder")


def test_a_mix_is_refused_where_voices_are_not_mixed_or_not_all_there():
    with pytest.raises(RequestError, match=r"has no voice 'af_heart\+am_michael'"):
        must_have_voice("af_heart+am_michael", info(mixes=False), "a folder")
    with pytest.raises(RequestError, match=r"has no voice 'af_heart\+am_adam'"):
        must_have_voice("af_heart+am_adam", info(mixes=True), "a folder")
