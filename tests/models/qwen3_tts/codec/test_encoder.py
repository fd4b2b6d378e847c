"""Codec encoder against the official codes."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest

from mlx_tts.models.qwen3_tts.codec.encoder import CodecEncoder
from mlx_tts.models.qwen3_tts.codec.weights import encoder_weights
from mlx_tts.models.qwen3_tts.config import load_codec_config
from tests.conftest import BASE_CASES

pytestmark = pytest.mark.slow


def load(folder) -> CodecEncoder:
    config = load_codec_config(folder)
    weights = encoder_weights(mx.load(str(folder / "speech_tokenizer" / "model.safetensors")), config)
    encoder = CodecEncoder(config)
    encoder.load_weights(list(weights.parameters.items()), strict=True)
    return encoder


@pytest.mark.parametrize("name", BASE_CASES)
def test_codes_are_the_official_ones(oracle, name):
    case = oracle(name)
    codes = np.array(load(case.folder)(mx.array(case.golden["audio"])[None]))[0]
    official = case.golden["codec/encoded"]
    assert codes.shape == official.shape
    assert np.mean(codes == official) >= 0.999


def test_a_started_frame_counts(oracle):
    encoder = load(oracle("base_tiny").folder)
    for samples, frames in ((1, 1), (1920, 1), (1921, 2), (3 * 1920 - 1, 3)):
        assert encoder(mx.zeros((1, samples))).shape == (1, frames, 16)


def test_rows_of_a_batch_do_not_touch(oracle):
    case = oracle("base_tiny")
    encoder, audio = load(case.folder), case.golden["audio"][:24000]
    both = mx.array(np.stack([audio, audio[::-1]]))
    np.testing.assert_array_equal(np.array(encoder(both)[1:]), np.array(encoder(both[1:])))


def test_every_tensor_is_used_or_known_to_be_of_no_use(oracle):
    case = oracle("base_tiny")
    raw = mx.load(str(case.folder / "speech_tokenizer" / "model.safetensors"))
    weights = encoder_weights(raw, load_codec_config(case.folder))
    assert {*weights.sources, *weights.ignored} == {name for name in raw if name.startswith("encoder.")}
    assert not any("input_proj" in name or ".conv." in name for name in weights.ignored)


def test_the_tiny_voice_encodes_to_its_own_number_of_codebooks(tiny_voice):
    codes = load(tiny_voice / "checkpoint")(mx.random.normal((1, 5 * 1920)) * 0.1)
    assert codes.shape == (1, 5, 8)
    assert int(codes.max()) < 512
