"""The codec's decoder by NumPy against official audio and against the plain operations."""

from __future__ import annotations

from dataclasses import replace
from math import erf, sqrt

import numpy as np
import pytest

from mlx_tts.models.qwen3_tts.codec import rows
from mlx_tts.models.qwen3_tts.codec.rows import CodecRows, codec_rows
from mlx_tts.models.qwen3_tts.config import load_codec_config
from mlx_tts.models.qwen3_tts.weights import load_codec_decoder
from mlx_tts.nn.stream_rows import gelu
from tests.models.qwen3_tts.codec.test_decoder import RAGGED, calm, random_codes

pytestmark = pytest.mark.slow


def load(folder):
    return load_codec_decoder(folder, load_codec_config(folder))


def streamed(made: CodecRows, codes: np.ndarray, lengths=RAGGED) -> np.ndarray:
    state, pieces, start = made.make_state(), [], 0
    for length in lengths:
        samples, state = made.step(codes[start : start + length], state)
        pieces.append(samples)
        start += length
    assert start == len(codes)
    return np.concatenate(pieces)


@pytest.mark.smoke("base_tiny")
@pytest.mark.parametrize("name", ["base_tiny", "base_wide", "custom_voice_wide"])
def test_audio_is_the_official_one(oracle, name):
    case = oracle(name)
    codes, wanted = case.golden["codec/codes"], case.golden["codec/wav_whole"]
    made = CodecRows(load(case.folder))
    samples, _ = made.step(codes, made.make_state())
    assert samples.dtype == np.float32
    np.testing.assert_allclose(samples[::5], wanted, atol=1e-4)


def test_a_stream_equals_the_whole_of_the_plain_operations(oracle):
    """Longer than the window of the attention, in pieces of other lengths than those that are decoded at once."""
    decoder = calm(load(oracle("base_tiny").folder))
    codes = random_codes(sum(RAGGED))
    samples = streamed(CodecRows(decoder), np.array(codes[0]))
    np.testing.assert_allclose(samples, np.array(decoder(codes))[0], atol=2e-6)
    assert np.abs(samples).max() > 0.02


def test_streams_next_to_each_other_keep_their_states(oracle):
    """A state is not changed by the step that reads it, so that a stream can go on from it twice, to the same bits."""
    made = CodecRows(load(oracle("base_tiny").folder))
    first, second = (np.array(random_codes(frames)[0]) for frames in (5, 3))
    _, before = made.step(first, made.make_state())
    alone, _ = made.step(second, before)
    (_, after), (together, _) = made.decode([(first, before), (second, before)]).read()
    np.testing.assert_array_equal(together, alone)
    assert np.abs(made.step(second, after)[0] - alone).max() > 1e-3


def test_it_is_for_small_codecs_on_the_cpu(oracle, monkeypatch):
    decoder = load(oracle("base_tiny").folder)
    assert isinstance(codec_rows(decoder), CodecRows)
    monkeypatch.setattr(rows, "CACHED_BYTES", 1000)
    assert codec_rows(decoder) is None
    monkeypatch.undo()
    elsewhere = replace(rows.policy(), prefers_products=False)
    monkeypatch.setattr(rows, "policy", lambda: elsewhere)
    assert codec_rows(decoder) is None


def test_no_frames_are_no_samples(oracle):
    made = CodecRows(load(oracle("base_tiny").folder))
    state = made.make_state()
    samples, after = made.step(np.zeros((0, 16), np.int32), state)
    assert samples.shape == (0,)
    assert after is state


def test_gelu_is_the_exact_one():
    x = np.random.default_rng(0).normal(0, 3, 4000).astype(np.float32)
    wanted = np.array([value * 0.5 * (1 + erf(value / sqrt(2))) for value in x.astype(float)])
    assert np.abs(gelu(x) - wanted).max() < 5e-7
    np.testing.assert_array_equal(gelu(np.array([-50.0, 0.0, 50.0], np.float32)), [0, 0, 50])
