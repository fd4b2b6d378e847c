"""[B, T, C] -> [B, T', C']: causal convolutions, each with a whole face and a streaming one that agree.

MLX's CPU convolution runs at 1 GFLOP/s where a matrix product runs at 150, so on the CPU a convolution is a few
matrix products. On CUDA those of one tap, depthwise and transposed ones are, too, because cuDNN plans again for each
length. Weights are kept in the order that the chosen form reads: see `conv_weight`.
"""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any, Literal

import mlx.core as mx
import mlx.nn as nn

from mlx_tts.nn.linear import transposed
from mlx_tts.runtime.device import compiled, policy

State = Any  # a tree of tuples of arrays, made by `make_state` and passed from step to step by the caller

# From this many channels on, one product of unfolded rows is faster than a sum of products (OpenBLAS, short pieces).
# Decided by the layer, never by the length, so that a row's rounding does not depend on the piece it comes in.
WIDE = 512
SLOPE = 2 * (2 / 3.141592653589793) ** 0.5
CUBIC = 0.044715


def prefers_products() -> bool:
    """Whether this device convolves faster with matrix products than with its own convolution."""
    return policy().prefers_products


def conv_weight(weight: mx.array, layout: str = "torch") -> mx.array:
    """A stored weight, "torch" [out, in, k] or "mlx" [out, k, in], in the order that `Conv1d` reads.

    That is [k, in, out] for products and [out, k, in] for MLX's own convolution. `in` is per group.
    """
    if not prefers_products():
        return mx.contiguous(weight if layout == "mlx" else weight.transpose(0, 2, 1))
    out, *taps = weight.shape
    turned = transposed(weight.reshape(out, -1)).reshape(*taps, out)
    return turned if layout == "mlx" else mx.contiguous(turned.transpose(1, 0, 2))


def grouped_transposed_weight(weight: mx.array) -> mx.array:
    """A PyTorch weight [in, 1, k] of a transposed convolution with a group an output [out], half as many as inputs or
    fewer, comes in reshaped to [out, in per group, k] -> the order that `ConvTranspose1d` reads, on any device."""
    return mx.contiguous(weight.transpose(1, 2, 0))


def _transposes_by_products() -> bool:
    """On CUDA, too: there MLX copies the weight at each call, 134 MB in VoxCPM2's first layer."""
    return prefers_products() or policy().avoids_libraries


def transposed_conv_weight(weight: mx.array) -> mx.array:
    """A PyTorch weight [in, out, k] in the order `ConvTranspose1d` reads: [in, k, out], or MLX's own [out, k, in]."""
    return mx.contiguous(weight.transpose(0, 2, 1) if _transposes_by_products() else weight.transpose(1, 2, 0))


class Conv1d(nn.Module):
    """Convolution without padding: [B, T, in] -> [B, (T - span) // stride + 1, out], span = (k - 1) * dilation + 1.

    groups is 1 or, for a depthwise convolution, the number of channels.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        stride: int = 1,
        dilation: int = 1,
        groups: int = 1,
        bias: bool = True,
    ):
        super().__init__()
        if groups != 1 and not groups == in_channels == out_channels:
            raise ValueError(
                f"groups {groups} with {in_channels} -> {out_channels} channels: neither plain nor depthwise"
            )
        self.products = prefers_products()
        width = in_channels // groups
        shape = (kernel_size, width, out_channels) if self.products else (out_channels, kernel_size, width)
        self.weight = mx.zeros(shape)
        if bias:
            self.bias = mx.zeros((out_channels,))
        self.in_channels, self.kernel_size, self.stride = in_channels, kernel_size, stride
        self.dilation, self.groups = dilation, groups
        self.span = (kernel_size - 1) * dilation + 1

    def __call__(self, x: mx.array) -> mx.array:
        if self.products:
            y = self._by_products(x)
        elif self.groups > 1 and policy().avoids_libraries:
            y = _depthwise(self.weight[:, :, 0], *self._taps(x))
        elif self.kernel_size == 1 and policy().avoids_libraries:
            (tap,), weight = self._taps(x), self.weight[:, 0].T
            return mx.addmm(self.bias, tap, weight) if "bias" in self else tap @ weight
        else:
            y = self._by_convolution(x)
        return y + self.bias if "bias" in self else y

    def _by_convolution(self, x: mx.array) -> mx.array:
        return mx.conv1d(x, self.weight, self.stride, 0, self.dilation, self.groups)

    def _taps(self, x: mx.array) -> list[mx.array]:
        last = (x.shape[1] - self.span) // self.stride * self.stride + 1
        return [x[:, start : start + last : self.stride] for start in range(0, self.span, self.dilation)]

    def _by_products(self, x: mx.array) -> mx.array:
        taps = self._taps(x)
        if self.groups > 1:
            return _sum([tap * row for tap, row in zip(taps, self.weight, strict=True)])
        if self.in_channels >= WIDE and len(taps) > 1:
            taps = [mx.concatenate(taps, axis=-1)]
        weights = self.weight.reshape(len(taps), -1, self.weight.shape[-1])
        # Products are added up afterwards, not one into the next: 20 % slower, but half the rounding error.
        return _sum([tap @ weight for tap, weight in zip(taps, weights, strict=True)])


@compiled
def _depthwise(weight: mx.array, *taps: mx.array) -> mx.array:
    """weight [C, k], k times [B, T, C] -> [B, T, C] in one launch, where one array of all taps would hold k times as
    much. Sums in pairs stay flat enough to be compiled together with what follows."""
    parts = [tap * weight[:, at] for at, tap in enumerate(taps)]
    while len(parts) > 1:
        parts = [_sum(parts[at : at + 2]) for at in range(0, len(parts), 2)]
    return parts[0]


class CausalConv1d(nn.Module):
    """Convolution that sees the past only: [B, T, in] -> [B, ceil(T / stride), out].

    pad_mode "constant" puts zeros before the first input and after an incomplete last stride, "edge" repeats the
    first and the last input there. delay: outputs see the inputs so many later.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        stride: int = 1,
        dilation: int = 1,
        groups: int = 1,
        bias: bool = True,
        pad_mode: Literal["constant", "edge"] = "constant",
        delay: int = 0,
    ):
        super().__init__()
        self.conv = Conv1d(in_channels, out_channels, kernel_size, stride, dilation, groups, bias)
        self.pad_mode = pad_mode
        self.tail = self.conv.span - stride + delay  # the past inputs that the next output still needs

    def __call__(self, x: mx.array) -> mx.array:
        missing = -x.shape[1] % self.conv.stride
        return self.conv(mx.pad(x, [(0, 0), (self.tail, missing), (0, 0)], mode=self.pad_mode))

    def make_state(self, batch: int) -> State:
        """State before the first input: zeros, so a stream pads as "constant" does."""
        if self.pad_mode != "constant":
            raise ValueError(f"a convolution padded with {self.pad_mode!r} does not stream")
        return (mx.zeros((batch, self.tail, self.conv.in_channels)),) if self.tail else ()

    def step(self, x: mx.array, state: State) -> tuple[mx.array, State]:
        """The next inputs, a multiple of the stride of them -> their outputs and the state after them."""
        if not self.tail:
            return self.conv(x), state
        x = mx.concatenate([state[0], x], axis=1)
        return self.conv(x), (x[:, x.shape[1] - self.tail :],)


class ConvTranspose1d(nn.Module):
    """Transposed causal convolution: [B, T, in] -> [B, T * stride, out]; what reaches past the end is cut off.

    kernel_size is a multiple of the stride. groups is 1 or the number of output channels; then output j reads the
    inputs j * in / out and those that follow it.
    """

    def __init__(self, in_channels: int, out_channels: int, kernel_size: int, stride: int, groups: int = 1):
        super().__init__()
        if kernel_size % stride:
            raise ValueError(f"kernel size {kernel_size} is not a multiple of the stride {stride}")
        if groups != 1 and (groups != out_channels or in_channels % groups):
            raise ValueError(f"groups {groups} with {in_channels} -> {out_channels}: neither 1 nor the outputs")
        self.groups = groups
        self.products = _transposes_by_products() or groups > 1
        width = in_channels // groups
        shape = (width, kernel_size, out_channels) if self.products else (out_channels, kernel_size, in_channels)
        self.weight = mx.zeros(shape)
        self.bias = mx.zeros((out_channels,))
        self.out_channels, self.stride = out_channels, stride
        self.overlap = kernel_size - stride

    def __call__(self, x: mx.array) -> mx.array:
        return self.step(x, mx.zeros((x.shape[0], self.overlap, self.out_channels)))[0]

    def step(self, x: mx.array, carried: mx.array) -> tuple[mx.array, mx.array]:
        """[B, T, in] and what is carried, [B, overlap, out] -> [B, T * stride, out] and what these inputs add to later
        outputs. The bias is not a part of that: it would be added twice at every seam."""
        (B, T, _), ready = x.shape, x.shape[1] * self.stride
        if self.products and self.overlap == self.stride:
            y = self._products(x).reshape(B, T, 2, self.stride, self.out_channels)
            late = carried[:, None] if T == 1 else mx.concatenate([carried[:, None], y[:, :-1, 1]], axis=1)
            return (y[:, :, 0] + late + self.bias).reshape(B, ready, -1), y[:, -1, 1]
        y = self._spread(x)
        if self.overlap:
            y = mx.concatenate([y[:, : self.overlap] + carried, y[:, self.overlap :]], axis=1)
        return y[:, :ready] + self.bias, y[:, ready:]

    def _spread(self, x: mx.array) -> mx.array:
        """All that the inputs add to the output, without the bias: [B, T, in] -> [B, T * stride + overlap, out]."""
        if not self.products:
            return mx.conv_transpose1d(x, self.weight, self.stride)
        reach = 1 + self.overlap // self.stride
        y = self._products(x).reshape(*x.shape[:2], reach, -1)
        parts = [mx.pad(y[:, :, i], [(0, 0), (i, reach - 1 - i), (0, 0)]) for i in range(reach)]
        return _sum(parts).reshape(x.shape[0], -1, self.out_channels)

    def _products(self, x: mx.array) -> mx.array:
        """[B, T, in] -> [B, T, k * out]: what each input adds to k outputs."""
        if self.groups == 1:
            return x @ self.weight.reshape(x.shape[2], -1)
        inputs = x.reshape(*x.shape[:2], 1, self.out_channels, -1)
        return _sum([inputs[..., at] * row for at, row in enumerate(self.weight)]).reshape(*x.shape[:2], -1)


class CausalConvTranspose1d(nn.Module):
    """`ConvTranspose1d` with its streaming face."""

    def __init__(self, in_channels: int, out_channels: int, kernel_size: int, stride: int, groups: int = 1):
        super().__init__()
        self.conv = ConvTranspose1d(in_channels, out_channels, kernel_size, stride, groups)

    def __call__(self, x: mx.array) -> mx.array:
        return self.conv(x)

    def make_state(self, batch: int) -> State:
        return (mx.zeros((batch, self.conv.overlap, self.conv.out_channels)),) if self.conv.overlap else ()

    def step(self, x: mx.array, state: State) -> tuple[mx.array, State]:
        """The next inputs -> stride outputs for each, and what they add to outputs still to come."""
        if not self.conv.overlap:
            return self.conv(x), state
        y, carried = self.conv.step(x, state[0])
        return y, (carried,)


def _sum(parts: list[mx.array]) -> mx.array:
    return reduce(add, parts)


def _gelu(x: mx.array) -> mx.array:
    """GELU by its tanh form: 0.5 (1 + tanh z) is the logistic function of 2 z."""
    return x * mx.sigmoid(x * (SLOPE + (SLOPE * CUBIC) * mx.square(x)))


class UnfoldedConv1d(Conv1d):
    """The same as one product of unfolded rows: cuDNN plans a convolution again for each length, and a text has a
    length that no text before it had."""

    def _by_convolution(self, x: mx.array) -> mx.array:
        places, outputs = x.shape[1] - self.kernel_size + 1, self.weight.shape[0]
        rows = mx.concatenate([x[:, at : at + places] for at in range(self.kernel_size)], axis=-1)
        return rows @ self.weight.reshape(outputs, -1).T


class ConvMLP(nn.Module):
    """causal: each position sees itself and those before it; else as many on either side. No biases."""

    def __init__(self, width: int, inner: int, kernel_size: int, causal: bool):
        super().__init__()
        self.padding = (kernel_size - 1, 0) if causal else ((kernel_size - 1) // 2, kernel_size // 2)
        self.up: nn.Module
        self.down: nn.Module
        if kernel_size == 1:
            self.up, self.down = nn.Linear(width, inner, bias=False), nn.Linear(inner, width, bias=False)
        else:
            form = UnfoldedConv1d if policy().avoids_libraries else Conv1d
            self.up, self.down = (
                form(width, inner, kernel_size, bias=False),
                form(inner, width, kernel_size, bias=False),
            )
        self._gelu = compiled(_gelu)

    def __call__(self, x: mx.array) -> mx.array:
        return self.down(self._padded(self._gelu(self.up(self._padded(x)))))

    def _padded(self, x: mx.array) -> mx.array:
        return mx.pad(x, [(0, 0), self.padding, (0, 0)]) if any(self.padding) else x
