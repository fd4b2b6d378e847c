"""Log mel spectrogram against the official one."""

from __future__ import annotations

import numpy as np
import pytest

from mlx_tts.audio.mel import log_mel, mel_filters
from tests.conftest import BASE_CASES


@pytest.mark.parametrize("name", BASE_CASES)
def test_mel_is_the_official_one(oracle, name):
    golden = oracle(name).golden
    mel = log_mel(golden["audio"])
    assert mel.dtype == np.float32
    np.testing.assert_allclose(mel, golden["mel"].T, atol=1e-3)


def test_silence_is_the_floor():
    mel = log_mel(np.zeros(24000, np.float32))
    assert mel.shape == ((24000 - 256) // 256 + 1, 128)
    assert np.all(mel <= np.log(1.1e-5) + 1e-6)


def test_each_filter_has_area_one():
    filters = mel_filters(24000, 128, 1024, 12000.0)
    assert filters.shape == (128, 513)
    wide = filters[100:]  # narrow triangles are sampled too coarsely for their sum to say much
    np.testing.assert_allclose(wide.sum(axis=1) * 24000 / 1024, 1, atol=0.05)
