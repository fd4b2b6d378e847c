"""Least squares give less error than `mx.quantize` in the same format, and what can be said exactly is said exactly."""

import mlx.core as mx
import numpy as np
import pytest

from mlx_tts.checkpoints import least_squares
from mlx_tts.checkpoints.least_squares import quantise

BITS = (2, 3, 4, 5, 6, 8)


def weights(rows: int, columns: int, seed: int = 0) -> mx.array:
    random = np.random.default_rng(seed)
    return mx.array(random.standard_normal((rows, columns)) * np.exp(0.3 * random.standard_normal((rows, columns))))


def squared_error(parts, weight: mx.array, bits: int, size: int) -> np.ndarray:
    """Of each group, with the arithmetic of exact scales."""
    codes, scales, biases = parts
    back = mx.dequantize(codes, scales.astype(mx.float32), biases.astype(mx.float32), size, bits)
    return np.square(np.array(back) - np.array(weight.astype(mx.float32))).reshape(-1, size).sum(1)


@pytest.mark.parametrize("bits", BITS)
def test_what_the_format_can_say_comes_back_exactly(bits):
    """All codes in random order, a scale and a bias that bfloat16 holds: also shows that codes are packed as MLX's."""
    random = np.random.default_rng(bits)
    codes = random.integers(0, 2**bits, (24, 128)).astype(np.float32)
    codes[:, ::64], codes[:, 1::64] = 0, 2**bits - 1  # so that each group has its whole range
    weight = mx.array(codes * 0.25 - 1.5)
    parts = quantise(weight, bits, 64, mx.bfloat16)
    assert not squared_error(parts, weight, bits, 64).any()
    expected = mx.quantize(weight.astype(mx.bfloat16), 64, bits)
    assert [(part.shape, part.dtype) for part in parts] == [(part.shape, part.dtype) for part in expected]


@pytest.mark.parametrize(
    ("bits", "size", "less"), [(3, 64, 0.2), (4, 32, 0.2), (4, 64, 0.15), (6, 64, 0.1), (8, 64, 0.3)]
)
def test_less_error_than_mlx(bits, size, less):
    weight = weights(128, 1024).astype(mx.bfloat16)
    ours = squared_error(quantise(weight, bits, size, mx.bfloat16), weight, bits, size)
    plain = squared_error(mx.quantize(weight, size, bits), weight, bits, size)
    assert ours.sum() < (1 - less) * plain.sum()


def test_no_other_scale_or_bias_is_better_for_the_codes(monkeypatch):
    monkeypatch.setattr(least_squares, "TURNS_OF_THE_BEST", 60)  # until nothing moves
    weight = weights(8, 256)
    codes, scales, biases = quantise(weight, 4, 64, mx.float32)
    least = squared_error((codes, scales, biases), weight, 4, 64)
    for scale, bias in ((1.003, 0), (0.997, 0), (1, 0.002), (1, -0.002)):
        assert (squared_error((codes, scales * scale, biases + bias), weight, 4, 64) > least - 1e-4).all()


@pytest.mark.parametrize("dtype", [mx.bfloat16, mx.float16, mx.float32])
@pytest.mark.parametrize("value", [0.0, 1.0, -0.125])
def test_equal_weights_stay_what_they_are(dtype, value):
    parts = quantise(mx.full((2, 64), value), 4, 64, dtype)
    assert not squared_error(parts, mx.full((2, 64), value), 4, 64).any()
    assert np.isfinite(np.array(parts[1].astype(mx.float32))).all()


@pytest.mark.parametrize("dtype", [mx.bfloat16, mx.float16])
def test_scales_are_rounded_as_mlx_rounds(dtype):
    values = np.concatenate([np.array(weights(1, 4096))[0], [1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-11, 65000.0, 1e-6]])
    expected = mx.array(values.astype(np.float32)).astype(dtype).astype(mx.float32)
    assert np.array_equal(least_squares._rounded(values, dtype), np.array(expected))


def test_blocks_and_threads_change_nothing(monkeypatch):
    weight = weights(37, 128)
    whole = quantise(weight, 5, 32, mx.bfloat16)
    monkeypatch.setattr(least_squares, "BLOCK_WEIGHTS", 128 * 3)
    for one, other in zip(whole, quantise(weight, 5, 32, mx.bfloat16), strict=True):
        assert mx.array_equal(one, other)


def test_a_convolution_is_so_many_rows():
    weight = weights(12, 64)
    parts = quantise(weight.reshape(4, 3, 64), 8, 32, mx.bfloat16)
    for part, flat in zip(parts, quantise(weight, 8, 32, mx.bfloat16), strict=True):
        assert mx.array_equal(part, flat.reshape(4, 3, -1))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_weights_that_are_not_numbers_are_refused(bad):
    weight = np.zeros((4, 64), np.float32)
    weight[2, 7] = bad
    with pytest.raises(ValueError, match="not finite"):
        quantise(mx.array(weight), 4, 64, mx.bfloat16)


def test_some_rows_of_a_table_are_what_they_are_in_the_whole():
    weight, ids = weights(40, 128), mx.array([3, 17, 39])
    for some, whole in zip(
        quantise(weight[ids], 4, 64, mx.bfloat16), quantise(weight, 4, 64, mx.bfloat16), strict=True
    ):
        assert mx.array_equal(some, whole[ids])
