"""Codec decoder against official audio; streams against the whole."""

from __future__ import annotations

import shutil

import mlx.core as mx
import numpy as np
import pytest
from mlx.utils import tree_flatten

from mlx_tts.errors import ModelError
from mlx_tts.models.qwen3_tts.codec.decoder import CodecDecoder
from mlx_tts.models.qwen3_tts.codec.weights import decoder_weights
from mlx_tts.models.qwen3_tts.config import load_codec_config
from mlx_tts.models.qwen3_tts.weights import load_codec_decoder
from mlx_tts.nn import conv
from mlx_tts.nn import streaming as streamed_layers
from tests.conftest import ALL_CASES
from tests.helpers.gpu_form import with_policy
from tests.helpers.rounding import rows_keep_their_bits

pytestmark = pytest.mark.slow

RAGGED = (1, 2, 3, 1, 40, 7, 12)  # longer than the window and than the frames decoded at once


def load(folder) -> CodecDecoder:
    return load_codec_decoder(folder, load_codec_config(folder))


def calm(decoder: CodecDecoder) -> CodecDecoder:
    """The decoder with small activations: random ones amplify the last bit of a float32 to 1e-4 in the sound.

    Where a BLAS rounds a row differently in a longer matrix, that hides what these tests look for.
    """
    for path, module in decoder.named_modules():
        if path.startswith("decoder") and "beta" in module:
            module.beta = module.beta * 0.05
    return decoder


def streamed(decoder: CodecDecoder, codes: mx.array, lengths=RAGGED) -> np.ndarray:
    state, pieces, start = decoder.make_state(codes.shape[0]), [], 0
    for length in lengths:
        samples, state = decoder.step(codes[:, start : start + length], state)
        assert samples.shape == (codes.shape[0], length * decoder.samples_per_frame)
        pieces.append(np.array(samples))
        start += length
    assert start == codes.shape[1]
    return np.concatenate(pieces, axis=1)


def random_codes(frames: int, batch: int = 1, books: int = 16, size: int = 2048) -> mx.array:
    return mx.array(np.random.default_rng(frames).integers(0, size, (batch, frames, books)))


@pytest.mark.smoke("base_tiny", "custom_voice_wide")
@pytest.mark.parametrize("name", ALL_CASES)
def test_audio_is_the_official_one(oracle, name):
    case = oracle(name)
    decoder, codes = load(case.folder), mx.array(case.golden["codec/codes"])[None]
    np.testing.assert_allclose(np.array(decoder(codes))[0, ::5], case.golden["codec/wav_whole"], atol=1e-4)
    np.testing.assert_allclose(np.array(decoder.decode_chunked(codes))[0, ::5], case.golden["codec/wav"], atol=1e-4)


@pytest.mark.parametrize("name", ["base_tiny", "base_wide"])
def test_a_clone_continues_its_reference(oracle, name):
    """The state primed with the reference's frames gives the official audio, cut at exactly their length."""
    case = oracle(name)
    decoder, golden = load(case.folder), case.golden
    clone = case.requests[-1]["name"]
    reference, codes = (mx.array(golden[key])[None] for key in ("codec/encoded", f"{clone}/codes"))
    _, state = decoder.step(reference, decoder.make_state())
    samples, _ = decoder.step(codes, state)
    np.testing.assert_allclose(np.array(samples)[0], golden[f"{clone}/wav"], atol=1e-4)


@pytest.mark.smoke("base_wide-products", "base_tiny-native")
@pytest.mark.parametrize("products", [True, False], ids=["products", "native"])
@pytest.mark.parametrize("name", ["base_tiny", "base_wide"])
def test_a_ragged_stream_is_the_whole(oracle, monkeypatch, name, products):
    monkeypatch.setattr(conv, "prefers_products", lambda: products)
    decoder, codes = load(oracle(name).folder), random_codes(sum(RAGGED), batch=2)
    if not (products and rows_keep_their_bits()):  # MLX's convolutions round a row differently in a longer piece
        calm(decoder)
    np.testing.assert_allclose(streamed(decoder, codes), np.array(decoder(codes)), atol=1e-5)


@pytest.mark.skipif(shutil.which("g++") is None, reason="compiling on the CPU takes a C++ compiler")
def test_a_stream_of_compiled_steps_is_the_whole(oracle, monkeypatch):
    """As on a GPU: MLX's own convolutions, short pieces by compiled steps."""
    for module in (conv, streamed_layers):
        monkeypatch.setattr(module, "prefers_products", lambda: False)
    with_policy(monkeypatch, streamed_layers, compiles=True, looks_ahead=True)
    decoder, lengths = calm(load(oracle("base_tiny").folder)), (1, 2, 1, 2, 40, 1)
    codes = random_codes(sum(lengths), batch=2)
    whole = np.array(decoder(codes))
    taken = []
    step = decoder._short_step
    monkeypatch.setattr(decoder, "_short_step", lambda codes, state: taken.append(codes.shape[1]) or step(codes, state))
    np.testing.assert_allclose(streamed(decoder, codes, lengths), whole, atol=1e-5)
    assert taken == [1, 2, 1, 2, 1]


def test_both_ways_to_convolve_agree(oracle, monkeypatch):
    folder, codes = oracle("base_wide").folder, random_codes(20)
    by_products = np.array(calm(load(folder))(codes))
    monkeypatch.setattr(conv, "prefers_products", lambda: False)
    np.testing.assert_allclose(np.array(calm(load(folder))(codes)), by_products, atol=1e-5)


def test_interleaved_streams_do_not_touch(oracle):
    decoder = load(oracle("base_tiny").folder)
    one, two = random_codes(12), random_codes(13)[:, :12]
    alone = streamed(decoder, one, (4, 4, 4)), streamed(decoder, two, (4, 4, 4))
    states, pieces = [decoder.make_state(), decoder.make_state()], ([], [])
    for start in (0, 4, 8):
        for i, codes in enumerate((one, two)):
            samples, states[i] = decoder.step(codes[:, start : start + 4], states[i])
            pieces[i].append(np.array(samples))
    for together, expected in zip(pieces, alone, strict=True):
        np.testing.assert_array_equal(np.concatenate(together, axis=1), expected)


def test_a_state_can_be_used_twice(oracle):
    """A step leaves the state it was given as it was."""
    decoder, codes = load(oracle("base_tiny").folder), random_codes(8)
    _, state = decoder.step(codes[:, :4], decoder.make_state())
    first, _ = decoder.step(codes[:, 4:], state)
    again, _ = decoder.step(codes[:, 4:], state)
    np.testing.assert_array_equal(np.array(first), np.array(again))


def test_the_state_does_not_grow(oracle):
    decoder = load(oracle("base_tiny").folder)
    shapes = []
    state = decoder.make_state(2)
    for frames in (1, 5, 20):
        _, state = decoder.step(random_codes(frames, batch=2), state)
        shapes.append([array.shape for _, array in tree_flatten(state)])
    assert shapes[0] == shapes[1] == shapes[2]


def test_a_frame_sees_exactly_the_attention_window(oracle):
    """The mask, position by position: sliding_window keys with the current one, and none from before the stream."""
    transformer = load(oracle("base_tiny").folder).pre_transformer
    window = transformer.window
    for position in (0, 3, 50):
        mask = np.array(transformer.mask(mx.array([position]), 5))[0, 0]
        for query in range(5):
            seen = np.flatnonzero(mask[query]) + position - (window - 1)
            now = position + query
            np.testing.assert_array_equal(seen, np.arange(max(0, now - window + 1), now + 1))


def test_no_frames_are_no_samples(oracle):
    decoder = load(oracle("base_tiny").folder)
    assert decoder(random_codes(1)[:, :0]).shape == (1, 0)
    assert decoder.decode_chunked(random_codes(1)[:, :0]).shape == (1, 0)


def test_the_tiny_voice_sounds_as_stored(tiny_voice):
    decoder, golden = load(tiny_voice / "checkpoint"), np.load(tiny_voice / "golden.npz")
    for sentence in "012":
        codes = mx.array(golden[f"{sentence}/codes"])[None]
        samples = streamed(decoder, codes, (1, 2, 4, 8, codes.shape[1] - 15))
        np.testing.assert_allclose(samples[0, ::5], golden[f"{sentence}/wav"], atol=1e-4)
    np.testing.assert_allclose(samples, np.array(decoder(codes)), atol=1e-5)


def test_every_tensor_is_used_or_known_to_be_of_no_use(oracle):
    case = oracle("base_tiny")
    config = load_codec_config(case.folder).decoder_config
    raw = mx.load(str(case.folder / "speech_tokenizer" / "model.safetensors"))
    weights = decoder_weights(raw, config)
    assert {*weights.sources, *weights.ignored} == {name for name in raw if name.startswith("decoder.")}
    assert len(weights.ignored) == 2
    assert set(weights.sources.values()) == set(weights.parameters)
    assert {array.dtype for array in weights.parameters.values()} == {mx.float32}
    without_encoder = {name: array for name, array in raw.items() if not name.startswith("encoder.")}
    assert decoder_weights(without_encoder, config).sources == weights.sources


def test_a_bad_codebook_is_named(oracle):
    case = oracle("base_tiny")
    config = load_codec_config(case.folder).decoder_config
    raw = mx.load(str(case.folder / "speech_tokenizer" / "model.safetensors"))
    name = "decoder.quantizer.rvq_rest.vq.layers.3._codebook.embedding_sum"
    with pytest.raises(ModelError, match=name):
        decoder_weights({key: value for key, value in raw.items() if key != name}, config)
    with pytest.raises(ModelError, match=name):
        decoder_weights(raw | {name: raw[name][:-1]}, config)
    extra = raw | {"decoder.quantizer.rvq_rest.vq.layers.15._codebook.embedding_sum": raw[name]}
    with pytest.raises(ValueError, match=r"layers\.15"):
        CodecDecoder(config).load_weights(list(decoder_weights(extra, config).parameters.items()), strict=True)
