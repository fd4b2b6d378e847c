"""Every operation of the evaluator, alone, against MLX's own; and the three ways of rounding."""

import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest

from mlx_tts.export.coreml.operations import EXACT, OPERATIONS, Arithmetic

WIDE, DECLARED, HARSH = Arithmetic("wide"), Arithmetic("declared"), Arithmetic("harsh")
RANDOM = np.random.default_rng(0)


def numbers(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(np.float32)


X, Y = numbers(2, 3, 5, 4), numbers(2, 3, 5, 4)
SEQUENCE, ROWS = numbers(1, 6, 1, 9), np.arange(4, dtype=np.int32)


def conv_of(x: mx.array, weight: np.ndarray, **how: int) -> mx.array:
    """[1, C, 1, T] by MLX's own convolution, which wants [1, T, C] and [out, k, in]."""
    y = mx.conv1d(x[:, :, 0].swapaxes(1, 2), mx.array(weight[:, :, 0].swapaxes(1, 2)), **how)
    return y.swapaxes(1, 2)[:, :, None]


FULL, DEPTHWISE, SPREAD = numbers(4, 6, 1, 3), numbers(6, 1, 1, 3), numbers(6, 4, 1, 4)
GAMMA, BETA = numbers(3), numbers(3)


def spread_of(x: mx.array) -> mx.array:
    y = mx.conv_transpose1d(x[:, :, 0].swapaxes(1, 2), mx.array(SPREAD[:, :, 0].transpose(1, 2, 0)), 2)
    return y.swapaxes(1, 2)[:, :, None]


def layer_norm_of(x: mx.array) -> mx.array:
    return mx.fast.layer_norm(x.swapaxes(1, 3), mx.array(GAMMA), mx.array(BETA), 1e-3).swapaxes(1, 3)


CASES = [
    ("add", {"x": X, "y": Y}, lambda: mx.array(X) + mx.array(Y)),
    ("sub", {"x": X, "y": Y}, lambda: mx.array(X) - mx.array(Y)),
    ("mul", {"x": X, "y": Y[:, :, :1]}, lambda: mx.array(X) * mx.array(Y[:, :, :1])),
    ("maximum", {"x": X, "y": np.float32(0.2)}, lambda: mx.maximum(mx.array(X), 0.2)),
    ("abs", {"x": X}, lambda: mx.abs(mx.array(X))),
    ("sin", {"x": 50 * X}, lambda: mx.sin(mx.array(50 * X))),
    ("clip", {"x": X, "alpha": -0.5, "beta": 0.25}, lambda: mx.clip(mx.array(X), -0.5, 0.25)),
    ("identity", {"x": X}, lambda: mx.array(X)),
    ("read_state", {"input": X}, lambda: mx.array(X)),
    (
        "conv",
        {"x": SEQUENCE, "weight": FULL, "dilations": [1, 2]},
        lambda: conv_of(mx.array(SEQUENCE), FULL, dilation=2),
    ),
    (
        "conv",
        {"x": SEQUENCE, "weight": DEPTHWISE, "groups": 6},
        lambda: conv_of(mx.array(SEQUENCE), DEPTHWISE, groups=6),
    ),
    ("conv_transpose", {"x": SEQUENCE, "weight": SPREAD, "strides": [1, 2]}, lambda: spread_of(mx.array(SEQUENCE))),
    ("matmul", {"x": X, "y": Y, "transpose_y": True}, lambda: mx.array(X) @ mx.array(Y).swapaxes(-1, -2)),
    ("matmul", {"x": X, "y": Y, "transpose_x": True}, lambda: mx.array(X).swapaxes(-1, -2) @ mx.array(Y)),
    ("softmax", {"x": 9 * X, "axis": 3}, lambda: mx.softmax(mx.array(9 * X), axis=3)),
    (
        "layer_norm",
        {"x": X, "axes": [1], "gamma": GAMMA, "beta": BETA, "epsilon": 1e-3},
        lambda: layer_norm_of(mx.array(X)),
    ),
    ("inverse", {"x": np.abs(X) + 1, "epsilon": 0.5}, lambda: 1 / (mx.abs(mx.array(X)) + 1.5)),
    ("rsqrt", {"x": np.abs(X), "epsilon": 0.5}, lambda: mx.rsqrt(mx.abs(mx.array(X)) + 0.5)),
    ("silu", {"x": X}, lambda: nn.silu(mx.array(X))),
    ("gelu", {"x": 2 * X, "mode": "EXACT"}, lambda: nn.gelu(mx.array(2 * X))),
    ("reduce_mean", {"x": X, "axes": [1], "keep_dims": True}, lambda: mx.array(X).mean(1, keepdims=True)),
    ("reduce_mean", {"x": X, "axes": [-1]}, lambda: mx.array(X).mean(-1)),
    ("reduce_max", {"x": X, "axes": [2], "keep_dims": True}, lambda: mx.array(X).max(2, keepdims=True)),
    ("reshape", {"x": X, "shape": [6, 1, 20]}, lambda: mx.array(X).reshape(6, 1, 20)),
    ("transpose", {"x": X, "perm": [0, 3, 1, 2]}, lambda: mx.array(X).transpose(0, 3, 1, 2)),
    ("concat", {"values": [X, Y], "axis": 2}, lambda: mx.concatenate([mx.array(X), mx.array(Y)], axis=2)),
    ("split", {"x": X, "split_sizes": [2, 3], "axis": 2}, lambda: mx.split(mx.array(X), [2], axis=2)),
    ("split", {"x": X, "num_splits": 2, "axis": 3}, lambda: mx.split(mx.array(X), 2, axis=3)),
    ("slice_by_size", {"x": X, "begin": [0, 1, 0, 2], "size": [2, 2, 5, -1]}, lambda: mx.array(X)[:, 1:3, :, 2:]),
    ("gather", {"x": X, "indices": ROWS[1::2] - 1, "axis": 1}, lambda: mx.array(X)[:, [0, 2]]),
    (
        "constexpr_lut_to_dense",
        {"indices": np.array([[[[2]]], [[[0]]]], np.uint8), "lut": numbers(1, 1, 1, 1, 3, 1)},
        None,
    ),
]


@pytest.mark.parametrize(
    ("kind", "arguments", "wanted"), CASES, ids=lambda value: value if isinstance(value, str) else ""
)
def test_an_operation_is_mlx_s(kind, arguments, wanted):
    found = OPERATIONS[kind](WIDE, **arguments)
    if wanted is None:
        assert np.array_equal(found.reshape(-1), arguments["lut"].reshape(-1)[[2, 0]])
        return
    found, expected = (value if isinstance(value, list) else [value] for value in (found, wanted()))
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert one.shape == other.shape
        assert np.abs(one - np.array(other)).max() < 2e-6


def test_every_operation_is_tested():
    assert {kind for kind, _, _ in CASES} == set(OPERATIONS)
    assert set(OPERATIONS) > EXACT


def test_an_operation_of_another_form_is_refused():
    with pytest.raises(ValueError, match="convolution"):
        OPERATIONS["conv"](WIDE, SEQUENCE, FULL, pad_type="same")
    with pytest.raises(ValueError, match="gelu"):
        OPERATIONS["gelu"](WIDE, X, mode="TANH_APPROXIMATION")
    with pytest.raises(ValueError, match="batch"):
        OPERATIONS["gather"](WIDE, X, ROWS, batch_dims=1)


def test_declared_results_are_halves_and_wide_ones_are_not():
    value = np.array([1 + 2.0**-12], np.float32)
    assert DECLARED.rounded(value, np.float16) == np.float16(1)
    assert WIDE.rounded(value, np.float16) == value
    assert DECLARED.rounded(value, np.float32) == value


def test_only_harsh_arithmetic_loses_subnormals_and_overflows_in_a_sum():
    tiny = np.array([2.0**-20], np.float32)
    assert DECLARED.rounded(tiny, np.float16) == tiny
    assert HARSH.rounded(tiny, np.float16) == 0
    squares = np.full((1, 64), 40_000, np.float32)
    signs = np.concatenate([np.ones((32, 1)), -np.ones((32, 1))]).astype(np.float32)
    assert DECLARED.product(squares, signs) == 0
    with np.errstate(all="ignore"):
        assert not np.isfinite(HARSH.product(squares, signs))
        assert not np.isfinite(HARSH.total(squares, (1,)))
