"""Layers of a codec on the CPU by NumPy, for one stream: [T, C] and the state before -> [T', C'] and the state after.

MLX's CPU backend makes every operation a pass over memory on one core, and a codec that streams has thousands of small
ones: a frame of a small codec takes half of the time here. Sums and products are those of the modules that the layers
are made from, whose weights they read where they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import erf, sqrt
from typing import Any, Protocol

import numpy as np
from mlx import nn
from numpy.typing import NDArray

from mlx_tts.nn.activations import SnakeBeta
from mlx_tts.nn.conv import CausalConv1d, CausalConvTranspose1d
from mlx_tts.nn.linear import ProductLinear
from mlx_tts.nn.row_steps import Floats, whole_product
from mlx_tts.runtime.blas import multiply_into

NORMAL_REACH, NORMAL_STEPS = 8.5, 34_000  # between two values of the table a line errs by 8e-9


class RowLayer(Protocol):
    """A layer for one stream; its state belongs to the caller."""

    def make_state(self) -> Any: ...

    def step(self, x: Floats, state: Any) -> tuple[Floats, Any]: ...


class RowLinear:
    """[T, in] -> [T, out]"""

    def __init__(self, layer: nn.Module):
        weight = np.asarray(layer.weight)
        self._weight = weight if isinstance(layer, ProductLinear) else np.ascontiguousarray(weight.T)
        self._bias = np.array(layer.bias) if "bias" in layer else None

    def __call__(self, x: Floats) -> Floats:
        y = whole_product(x, self._weight)
        if self._bias is not None:
            y += self._bias
        return y


class RowConv:
    """`CausalConv1d` padded with zeros, without strides. The state: the inputs that the next output still needs."""

    def __init__(self, layer: CausalConv1d):
        conv = layer.conv
        if conv.stride != 1 or layer.pad_mode != "constant":
            raise ValueError("a stream's convolution takes each input, and zeros stand before the first one")
        self._weight = np.asarray(conv.weight)
        self._bias = np.array(conv.bias) if "bias" in conv else np.zeros(conv.weight.shape[-1], np.float32)
        self._dilation, self._depthwise = conv.dilation, conv.groups > 1
        self._inputs, self._tail = conv.in_channels, layer.tail

    def make_state(self) -> Floats:
        return np.zeros((self._tail, self._inputs), np.float32)

    def step(self, x: Floats, state: Floats) -> tuple[Floats, Floats]:
        T = len(x)
        if self._tail:
            x = np.concatenate([state, x])
            state = x[T:].copy()  # a view would keep all of the inputs
        y = np.zeros((T, len(self._bias)), np.float32)
        for at, weight in enumerate(self._weight):
            tap = x[at * self._dilation :][:T]
            if self._depthwise:
                y += tap * weight.reshape(-1)
            else:
                multiply_into(y, tap, weight, adds=at > 0)
        y += self._bias  # last, as PyTorch adds it
        return y, state


class RowTransposeConv:
    """`CausalConvTranspose1d` whose kernel is as long as its stride, or twice as long. The state: what the last input
    adds to outputs still to come."""

    def __init__(self, layer: CausalConvTranspose1d):
        conv = layer.conv
        self._parts = 1 + conv.overlap // conv.stride
        if conv.groups != 1 or self._parts > 2:
            raise ValueError("a stream's transposed convolution reaches two inputs at most, and all of their channels")
        self._weight = np.asarray(conv.weight).reshape(conv.weight.shape[0], -1)
        self._bias, self._overlap = np.array(conv.bias), conv.overlap

    def make_state(self) -> Floats:
        return np.zeros((self._overlap, len(self._bias)), np.float32)

    def step(self, x: Floats, state: Floats) -> tuple[Floats, Floats]:
        T, outputs = len(x), len(self._bias)
        parts = whole_product(x, self._weight).reshape(T, self._parts, -1, outputs)
        made = parts[:, 0] + self._bias
        if self._overlap:
            made[0] += state
            made[1:] += parts[:-1, 1]
            state = parts[-1, 1].copy()
        return made.reshape(-1, outputs), state


class RowSnake:
    """`SnakeBeta`."""

    def __init__(self, layer: SnakeBeta):
        self._alpha, self._beta = np.array(layer.alpha), np.array(layer.beta)

    def make_state(self) -> tuple[()]:
        return ()

    def step(self, x: Floats, state: tuple[()]) -> tuple[Floats, tuple[()]]:
        wave = x * self._alpha
        np.sin(wave, out=wave)
        np.square(wave, out=wave)
        wave *= self._beta
        wave += x
        return wave, state


class RowChain:
    """Layers one after the other. around: the input is added to their output."""

    def __init__(self, layers: Sequence[RowLayer], around: bool = False):
        self.layers, self._around = list(layers), around

    def make_state(self) -> tuple[Any, ...]:
        return tuple(layer.make_state() for layer in self.layers)

    def step(self, x: Floats, state: Sequence[Any]) -> tuple[Floats, tuple[Any, ...]]:
        y, after = x, []
        for layer, own in zip(self.layers, state, strict=True):
            y, own = layer.step(y, own)
            after.append(own)
        if self._around:
            y += x
        return y, tuple(after)


class RowNorm:
    """`nn.RMSNorm`, or `nn.LayerNorm` with a bias: [T, D] -> [T, D]."""

    def __init__(self, layer: nn.RMSNorm | nn.LayerNorm):
        self._weight, self._eps = np.array(layer.weight), np.float32(layer.eps)
        self._bias = np.array(layer.bias) if isinstance(layer, nn.LayerNorm) else None

    def __call__(self, x: Floats) -> Floats:
        if self._bias is not None:
            x = x - x.mean(-1, keepdims=True)
        y = x / np.sqrt(np.square(x).mean(-1, keepdims=True) + self._eps)
        y *= self._weight
        if self._bias is not None:
            y += self._bias
        return y


def gelu(x: Floats) -> Floats:
    """x * P(X < x) of a standard normal X: the exact form, read from a table."""
    places, values = _normal_distribution()
    return x * np.interp(x, places, values).astype(np.float32)


@cache
def _normal_distribution() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    places = np.linspace(-NORMAL_REACH, NORMAL_REACH, NORMAL_STEPS + 1)
    return places, np.array([0.5 * (1 + erf(place / sqrt(2))) for place in places])
