"""MIL operation and arguments in, result out, in float32: the operations that this tool's packages may hold.

Each function takes the arguments that Apple's specification of the operation names. Others are refused by the caller.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
SUM_TERMS = 32  # added up in float32 before the harsh arithmetic rounds
LEAST_NORMAL = float(np.finfo(np.float16).tiny)
ERF = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)


@dataclass(frozen=True)
class Arithmetic:
    """How results are rounded: see evaluator.py."""

    mode: str

    def rounded(self, value: Array, dtype: Any) -> Array:
        """A result as the declared type holds it, in float32."""
        if dtype == np.float16 and self.mode != "wide":
            return self.half(value)
        return value.astype(np.float32 if dtype in (np.float16, np.float32) else dtype, copy=False)

    def half(self, value: Array) -> Array:
        value = value.astype(np.float16).astype(np.float32)
        if self.mode == "harsh":
            value[np.abs(value) < LEAST_NORMAL] = 0
        return value

    def product(self, a: Array, b: Array) -> Array:
        """a @ b over the last axis of a and the one before the last of b."""
        if self.mode != "harsh":
            return np.matmul(a, b)
        total = np.zeros((1,), np.float32)
        for at in range(0, a.shape[-1], SUM_TERMS):
            total = self.half(total + self.half(np.matmul(a[..., at : at + SUM_TERMS], b[..., at : at + SUM_TERMS, :])))
        return total

    def total(self, x: Array, axes: tuple[int, ...]) -> Array:
        """The sum over axes, which stay with length 1."""
        if self.mode != "harsh":
            return x.sum(axes, keepdims=True, dtype=np.float32)
        kept = tuple(axis for axis in range(x.ndim) if axis not in axes)
        flat = x.transpose(*kept, *axes).reshape([x.shape[axis] for axis in kept] + [-1])
        total = self.product(flat[..., None, :], np.ones((flat.shape[-1], 1), np.float32))
        return total.reshape([1 if axis in axes else x.shape[axis] for axis in range(x.ndim)])


def _axes(axes: Any, x: Array) -> tuple[int, ...]:
    return tuple(int(axis) % x.ndim for axis in np.atleast_1d(axes))


def _conv(how: Arithmetic, x: Array, weight: Array, bias: Any = None, strides: Any = (1, 1), dilations: Any = (1, 1),
          groups: Any = 1, pad_type: Any = "valid", **_padding: Any) -> Array:  # fmt: skip
    """[1, in, 1, T], [out, in per group, 1, k] -> [1, out, 1, T']: only what this tool writes, without padding."""
    B, C, height, T = x.shape
    out, _, rows, k = weight.shape
    if (B, height, rows, str(pad_type), int(groups) in (1, C)) != (1, 1, 1, "valid", True) or np.any(
        np.asarray(strides) != 1
    ):
        raise ValueError("a convolution of another form than this tool writes")
    dilation = int(np.asarray(dilations).flat[-1])
    length = T - (k - 1) * dilation
    taps = np.stack([x[0, :, 0, at * dilation : at * dilation + length] for at in range(k)], axis=1)  # [C, k, T']
    if int(groups) == 1:
        y = how.product(weight.reshape(out, C * k), taps.reshape(C * k, length))
    else:
        y = how.product(weight.reshape(C, 1, k), taps)[:, 0]
    y = y if bias is None else y + bias[:, None]
    return y[None, :, None]


def _conv_transpose(how: Arithmetic, x: Array, weight: Array, bias: Any = None, strides: Any = (1, 1),
                    groups: Any = 1, pad_type: Any = "valid", **_rest: Any) -> Array:  # fmt: skip
    """[1, in, 1, T], [in, out, 1, k] -> [1, out, 1, (T - 1) * stride + k]"""
    _, C, _, T = x.shape
    _, out, _, k = weight.shape
    if int(groups) != 1 or str(pad_type) != "valid":
        raise ValueError("a transposed convolution of another form than this tool writes")
    stride = int(np.asarray(strides).flat[-1])
    spread = how.product(weight.reshape(C, out * k).T, x[0, :, 0]).reshape(out, k, T)
    y = np.zeros((out, (T - 1) * stride + k), np.float32)
    for at in range(k):
        y[:, at : at + (T - 1) * stride + 1 : stride] += spread[:, at]
    y = y if bias is None else y + bias[:, None]
    return y[None, :, None]


def _matmul(how: Arithmetic, x: Array, y: Array, transpose_x: Any = False, transpose_y: Any = False) -> Array:
    x = x.swapaxes(-1, -2) if transpose_x else x
    return how.product(x, y.swapaxes(-1, -2) if transpose_y else y)


def _softmax(_how: Arithmetic, x: Array, axis: Any = -1) -> Array:
    e = np.exp(x - x.max(int(axis), keepdims=True))
    return e / e.sum(int(axis), keepdims=True)


def _layer_norm(
    _how: Arithmetic, x: Array, axes: Any, gamma: Any = None, beta: Any = None, epsilon: Any = 1e-5
) -> Array:
    over = _axes(axes, x)
    centred = x - x.mean(over, keepdims=True)
    y = centred / np.sqrt(np.square(centred).mean(over, keepdims=True) + np.float32(epsilon))
    shape = [x.shape[axis] if axis in over else 1 for axis in range(x.ndim)]
    y = y if gamma is None else y * np.reshape(gamma, shape)
    return y if beta is None else y + np.reshape(beta, shape)


def _reduce_mean(how: Arithmetic, x: Array, axes: Any, keep_dims: Any = False) -> Array:
    over = _axes(axes, x)
    y = how.total(x, over) / np.float32(np.prod([x.shape[axis] for axis in over]))
    return y if keep_dims else np.squeeze(y, over)


def _reduce_max(_how: Arithmetic, x: Array, axes: Any, keep_dims: Any = False) -> Array:
    over = _axes(axes, x)
    return x.max(over, keepdims=True) if keep_dims else x.max(over)


def _inverse(_how: Arithmetic, x: Array, epsilon: Any = 1e-4) -> Array:
    return 1 / (x + np.float32(epsilon))


def _rsqrt(_how: Arithmetic, x: Array, epsilon: Any = 1e-12) -> Array:
    return 1 / np.sqrt(x + np.float32(epsilon))


def _silu(_how: Arithmetic, x: Array) -> Array:
    return x / (1 + np.exp(-x))


def _gelu(_how: Arithmetic, x: Array, mode: Any = "EXACT") -> Array:
    if str(mode) != "EXACT":
        raise ValueError(f"gelu of mode {mode}")
    z = np.abs(x.astype(np.float64)) / np.sqrt(2)  # the error function, to 1.5e-7 (Abramowitz and Stegun 7.1.26)
    t = 1 / (1 + 0.3275911 * z)
    erf = np.sign(x) * (1 - np.polyval(ERF[::-1], t) * t * np.exp(-z * z))
    return (x * (1 + erf) / 2).astype(np.float32)


def _reshape(_how: Arithmetic, x: Array, shape: Any) -> Array:
    return x.reshape([int(size) for size in shape])


def _transpose(_how: Arithmetic, x: Array, perm: Any) -> Array:
    return x.transpose([int(axis) for axis in perm])


def _concat(_how: Arithmetic, values: list[Array], axis: Any, interleave: Any = False) -> Array:
    if interleave:
        raise ValueError("an interleaved concat")
    return np.concatenate(values, axis=int(axis))


def _split(_how: Arithmetic, x: Array, axis: Any, split_sizes: Any = None, num_splits: Any = None) -> list[Array]:
    parts = int(num_splits) if split_sizes is None else np.cumsum(split_sizes)[:-1]
    return list(np.split(x, parts, axis=int(axis)))


def _slice_by_size(_how: Arithmetic, x: Array, begin: Any, size: Any) -> Array:
    ends = [
        start + (length if length >= 0 else whole - start)
        for start, length, whole in zip(begin, size, x.shape, strict=True)
    ]
    return x[tuple(slice(int(start), int(end)) for start, end in zip(begin, ends, strict=True))]


def _gather(_how: Arithmetic, x: Array, indices: Array, axis: Any = 0, batch_dims: Any = 0, **_checks: Any) -> Array:
    if int(batch_dims):
        raise ValueError("a gather with batch dimensions")
    return np.take(x, indices.astype(np.int64), axis=int(axis)).astype(np.float32)


def _lut_to_dense(_how: Arithmetic, indices: Array, lut: Array, vector_axis: Any = None) -> Array:
    """Numbers of entries [out, in, 1, k] and one palette of scalars [1, 1, 1, 1, entries, 1] -> the weight."""
    if int(np.prod(lut.shape)) != lut.shape[-2] or vector_axis is not None:
        raise ValueError("a palette that is not one for the whole weight")
    return lut.reshape(-1)[indices]


def _plain(function: Callable[..., Array]) -> Callable[..., Array]:
    return lambda _how, **arguments: function(*(arguments[name] for name in ("x", "y") if name in arguments))


OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": _plain(np.add),
    "sub": _plain(np.subtract),
    "mul": _plain(np.multiply),
    "maximum": _plain(np.maximum),
    "abs": _plain(np.abs),
    "sin": _plain(np.sin),
    "clip": lambda _how, x, alpha, beta: np.clip(x, np.float32(alpha), np.float32(beta)),
    "identity": _plain(lambda x: x),
    "read_state": lambda _how, input: input,
    "conv": _conv,
    "conv_transpose": _conv_transpose,
    "matmul": _matmul,
    "softmax": _softmax,
    "layer_norm": _layer_norm,
    "inverse": _inverse,
    "rsqrt": _rsqrt,
    "silu": _silu,
    "gelu": _gelu,
    "reduce_mean": _reduce_mean,
    "reduce_max": _reduce_max,
    "reshape": _reshape,
    "transpose": _transpose,
    "concat": _concat,
    "split": _split,
    "slice_by_size": _slice_by_size,
    "gather": _gather,
    "constexpr_lut_to_dense": _lut_to_dense,
}
# Their results are numbers of their arguments.
EXACT = frozenset({"identity", "read_state", "reshape", "transpose", "concat", "split", "slice_by_size"})
