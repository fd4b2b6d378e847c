"""[B, T, C] -> [B, T', C']: the layers of this family. Rows of a batch may have different lengths: see `Extent`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from mlx_tts.nn.activations import SnakeBeta, leaky_relu
from mlx_tts.nn.conv import WIDE, Conv1d
from mlx_tts.runtime.blas import multiply_into, one_thread
from mlx_tts.runtime.device import compiled, policy
from mlx_tts.runtime.sharing import share_out

EPS = 1e-5  # of all norms but PL-BERT's
HALF = 1 / sqrt(2)
COLUMN_SHARES = 4  # of a wide layer: so many cores make a part of its outputs each
STEPS_AT_ONCE = 8  # of an LSTM in one compiled function


@dataclass(frozen=True)
class Extent:
    """How many of the T positions each of the B rows has. mask [B, T, 1]: 1 inside, 0 behind; None where all have T."""

    lengths: tuple[int, ...]
    mask: mx.array | None = None

    @classmethod
    def of(cls, lengths: Sequence[int]) -> Extent:
        longest = max(lengths)
        if all(length == longest for length in lengths):
            return cls(tuple(lengths))
        inside = np.arange(longest)[None] < np.array(lengths)[:, None]
        return cls(tuple(lengths), mx.array(inside[..., None].astype(np.float32)))

    def times(self, factor: int, more: int = 0) -> Extent:
        """Of what has `factor` positions for each of these, and `more` besides."""
        return Extent.of([length * factor + more for length in self.lengths])

    def cut(self, x: mx.array) -> mx.array:
        """[B, T, C] with zeros behind each row's end, as a convolution sees them there."""
        return x if self.mask is None else x * self.mask

    def reversal(self) -> mx.array | None:
        """[B, T]: where each position of a row stands when the row is read backwards; None where all have T."""
        if self.mask is None:
            return None
        places = np.arange(max(self.lengths))[None].repeat(len(self.lengths), 0)
        ends = np.array(self.lengths)[:, None]
        return mx.array(np.where(places < ends, ends - 1 - places, places))


def share_columns(work: Callable[[slice], object], columns: int) -> None:
    """work(part) for the parts of so many columns, by all cores, each product by one thread."""
    size = -(-columns // COLUMN_SHARES)
    with one_thread() as threads:
        share_out(work, [slice(at, at + size) for at in range(0, columns, size)], threads)


class SharedLinear(nn.Module):
    """A wide linear layer: [B, L, in] -> [B, L, out].

    weight: [out, in], but on the CPU [in, out], which takes a fifth less time where L is small. There one row is made
    by all cores; the numbers do not depend on how many there are.
    """

    def __init__(self, inputs: int, outputs: int):
        super().__init__()
        self.products = policy().prefers_products
        self.weight = mx.zeros((inputs, outputs) if self.products else (outputs, inputs))
        self.bias = mx.zeros((outputs,))

    def __call__(self, x: mx.array) -> mx.array:
        if not self.products:
            return mx.addmm(self.bias, x, self.weight.T)
        if len(x) > 1:
            return mx.addmm(self.bias, x, self.weight)
        rows, weight = np.asarray(x)[0], np.asarray(self.weight)
        made = np.empty((len(rows), weight.shape[1]), np.float32)

        def work(columns: slice) -> None:
            multiply_into(made[:, columns], rows, weight[:, columns], adds=False)

        share_columns(work, weight.shape[1])
        return mx.array(made)[None] + self.bias


class SameConv1d(Conv1d):
    """A convolution whose output is as long as its input: [B, T, in] -> [B, T, out]. kernel_size is odd.

    On the CPU the product of each tap goes into the sum of those before it: a third faster than sums of products, and
    faster than one product of unfolded rows, which are long to pack.
    """

    def __init__(self, in_channels: int, out_channels: int, kernel_size: int, dilation: int = 1, bias: bool = True):
        super().__init__(in_channels, out_channels, kernel_size, dilation=dilation, bias=bias)
        self.edge = (kernel_size - 1) // 2 * dilation

    def __call__(self, x: mx.array) -> mx.array:
        if self.edge:
            x = mx.pad(x, [(0, 0), (self.edge, self.edge), (0, 0)])
        return self._summed(x) if self.products else super().__call__(x)

    def _summed(self, x: mx.array) -> mx.array:
        if len(x) == 1 and self.weight.shape[2] >= WIDE:
            return self._shared_out(x)
        taps = self._taps(x)
        y = mx.addmm(self.bias, taps[0], self.weight[0]) if "bias" in self else taps[0] @ self.weight[0]
        for tap, weight in zip(taps[1:], self.weight[1:], strict=True):
            y = mx.addmm(y, tap, weight)
        return y

    def _shared_out(self, x: mx.array) -> mx.array:
        """One row, by all cores. The numbers do not depend on how many there are."""
        rows, weight = np.asarray(x)[0], np.asarray(self.weight)
        made = np.empty((len(rows) - 2 * self.edge, weight.shape[2]), np.float32)

        def work(columns: slice) -> None:
            for at, tap in enumerate(weight):
                begin = at * self.dilation
                multiply_into(made[:, columns], rows[begin : begin + len(made)], tap[:, columns], adds=at > 0)

        share_columns(work, weight.shape[2])
        y = mx.array(made)[None]
        return y + self.bias if "bias" in self else y


class UpConv1d(nn.Module):
    """Transposed convolution: [B, T, in] -> [B, T * stride, out], its outer taps cut off alike on both sides."""

    def __init__(self, in_channels: int, out_channels: int, kernel_size: int, stride: int):
        super().__init__()
        self.weight = mx.zeros((in_channels, kernel_size, out_channels))
        self.bias = mx.zeros((out_channels,))
        self.stride, self.kernel_size = stride, kernel_size

    def __call__(self, x: mx.array) -> mx.array:
        (B, T, C), u, k = x.shape, self.stride, self.kernel_size
        reach = -(-k // u)
        y = (x @ self.weight.reshape(C, -1)).reshape(B, T, k, -1)
        y = mx.pad(y, [(0, 0), (0, 0), (0, reach * u - k), (0, 0)]).reshape(B, T, reach, -1)
        parts = [mx.pad(y[:, :, at], [(0, 0), (at, reach - 1 - at), (0, 0)]) for at in range(reach)]
        total = sum(parts[1:], parts[0]).reshape(B, (T + reach - 1) * u, -1)
        start = (k - u) // 2
        return total[:, start : start + T * u] + self.bias


class DoublingPool(nn.Module):
    """Depthwise transposed convolution of three taps and stride 2: [B, T, C] -> [B, 2 T, C]."""

    def __init__(self, channels: int):
        super().__init__()
        self.weight = mx.zeros((3, channels))
        self.bias = mx.zeros((channels,))

    def __call__(self, x: mx.array) -> mx.array:
        B, T, C = x.shape
        following = mx.pad(x[:, 1:], [(0, 0), (0, 1), (0, 0)])
        odd = x * self.weight[2] + following * self.weight[0]
        return mx.stack([x * self.weight[1], odd], axis=2).reshape(B, 2 * T, C) + self.bias


class AdaIN(nn.Module):
    """Instance norm over time, scaled and moved by the style: [B, T, C], [B, S] -> [B, T, C]."""

    def __init__(self, style: int, channels: int):
        super().__init__()
        self.fc = nn.Linear(style, 2 * channels)

    def __call__(self, x: mx.array, s: mx.array, extent: Extent) -> mx.array:
        gamma, beta = mx.split(self.fc(s)[:, None], 2, axis=-1)
        return _normed(x, extent, gamma, beta)


def _normed(x: mx.array, extent: Extent, gamma: mx.array, beta: mx.array) -> mx.array:
    if extent.mask is None:
        x = x - x.mean(axis=1, keepdims=True)
        variance = mx.square(x).mean(axis=1, keepdims=True)
    else:
        count = mx.array(extent.lengths, mx.float32)[:, None, None]
        x = x - (x * extent.mask).sum(axis=1, keepdims=True) / count
        variance = mx.square(x * extent.mask).sum(axis=1, keepdims=True) / count
    return x * ((1 + gamma) * mx.rsqrt(variance + EPS)) + beta


class AdaLayerNorm(nn.Module):
    """Layer norm over channels, scaled and moved by the style: [B, T, C], [B, S] -> [B, T, C]."""

    def __init__(self, style: int, channels: int):
        super().__init__()
        self.fc = nn.Linear(style, 2 * channels)

    def __call__(self, x: mx.array, s: mx.array) -> mx.array:
        gamma, beta = mx.split(self.fc(s)[:, None], 2, axis=-1)
        return (1 + gamma) * mx.fast.layer_norm(x, None, None, EPS) + beta


class StyledBlock(nn.Module):
    """A residual block of two convolutions behind AdaIN: [B, T, in] -> [B, T, out], or [B, 2 T, out] if it doubles."""

    def __init__(self, style: int, channels: int, outputs: int, doubles: bool = False):
        super().__init__()
        self.norm1, self.norm2 = AdaIN(style, channels), AdaIN(style, outputs)
        self.conv1, self.conv2 = SameConv1d(channels, outputs, 3), SameConv1d(outputs, outputs, 3)
        self.conv1x1 = SameConv1d(channels, outputs, 1, bias=False) if channels != outputs else None
        self.pool = DoublingPool(channels) if doubles else None

    def __call__(self, x: mx.array, s: mx.array, extent: Extent) -> tuple[mx.array, Extent]:
        y, shortcut, after = extent.cut(leaky_relu(self.norm1(x, s, extent), 0.2)), x, extent
        if self.pool is not None:
            after = extent.times(2)
            y, shortcut = after.cut(self.pool(y)), mx.repeat(x, 2, axis=1)
        y = self.conv1(y)
        y = self.conv2(after.cut(leaky_relu(self.norm2(y, s, after), 0.2)))
        if self.conv1x1 is not None:
            shortcut = self.conv1x1(shortcut)
        return (y + shortcut) * HALF, after


class SnakeBlock(nn.Module):
    """Three pairs of convolutions, each behind AdaIN and snake, added to what came in: [B, T, C] -> [B, T, C]."""

    def __init__(self, style: int, channels: int, kernel_size: int, dilations: Sequence[int]):
        super().__init__()
        pairs = range(len(dilations))
        self.adain1, self.adain2 = [AdaIN(style, channels) for _ in pairs], [AdaIN(style, channels) for _ in pairs]
        self.snake1, self.snake2 = [SnakeBeta(channels) for _ in pairs], [SnakeBeta(channels) for _ in pairs]
        self.convs1 = [SameConv1d(channels, channels, kernel_size, dilation) for dilation in dilations]
        self.convs2 = [SameConv1d(channels, channels, kernel_size) for _ in pairs]

    def __call__(self, x: mx.array, s: mx.array, extent: Extent) -> mx.array:
        for at in range(len(self.convs1)):
            y = made_now(extent.cut(self.snake1[at](self.adain1[at](x, s, extent))))
            y = made_now(self.convs1[at](y))
            y = made_now(extent.cut(self.snake2[at](self.adain2[at](y, s, extent))))
            x = made_now(x + self.convs2[at](y))
        return x


def made_now(x: mx.array) -> mx.array:
    """Computed at once on the CPU, where MLX would otherwise hold what many layers made, 12 MB a step and sentence."""
    if not policy().shares_pieces:
        mx.eval(x)
    return x


class BiLSTM(nn.Module):
    """One layer in both directions: [B, T, in] -> [B, T, 2 H]. The directions are one stacked product a step, and the
    products with the input are made before the loop.

    inputs [in, 8 H], bias [8 H], recurrent [2, H, 4 H]: forward, then backward; gates i, f, g, o. The numbers of g are
    stored doubled: tanh x = 2 sigmoid(2 x) - 1, so that all gates are one sigmoid.
    """

    def __init__(self, inputs: int, hidden: int):
        super().__init__()
        self.inputs = mx.zeros((inputs, 8 * hidden))
        self.bias = mx.zeros((8 * hidden,))
        self.recurrent = mx.zeros((2, hidden, 4 * hidden))
        self._steps = compiled(_lstm_steps)

    def __call__(self, x: mx.array, extent: Extent) -> mx.array:
        (B, T, _), hidden = x.shape, self.recurrent.shape[1]
        if B == 1 and policy().prefers_products:
            return self._alone(x)
        ahead, back = mx.split(mx.addmm(self.bias, x, self.inputs), 2, axis=-1)
        reversal = extent.reversal()
        gates = mx.stack([ahead, _backwards(back, reversal)]).transpose(2, 0, 1, 3)  # [T, 2, B, 4 H]
        h = c = mx.zeros((2, B, hidden))
        states = []
        for at in range(0, T, STEPS_AT_ONCE):
            made, c = self._steps(gates[at : at + STEPS_AT_ONCE], self.recurrent, h, c)
            states.append(made)
            h = made[-1]
        both = mx.concatenate(states).transpose(1, 2, 0, 3)  # [2, B, T, H]
        return mx.concatenate([both[0], _backwards(both[1], reversal)], axis=-1)

    def _alone(self, x: mx.array) -> mx.array:
        """One row on the CPU, where MLX takes six times as long for a step. Gates and hidden states are halved:
        sigmoid 2 x = (1 + tanh x) / 2."""
        (_, T, _), hidden = x.shape, self.recurrent.shape[1]
        ahead, back = np.split(np.asarray(mx.addmm(self.bias, x, self.inputs))[0], 2, axis=1)
        gates = np.stack([ahead, back[::-1]], axis=1)  # [T, 2, 4 H]
        gates *= 0.5
        recurrent, states = np.asarray(self.recurrent), np.empty((T, 2, hidden), np.float32)
        half, c = np.zeros((2, 2, hidden), np.float32)
        with one_thread():
            for own, h in zip(gates, states, strict=True):
                for at, weight in enumerate(recurrent):
                    multiply_into(own[at : at + 1], half[at : at + 1], weight)
                np.tanh(own, out=own)
                gate = own * np.float32(0.5)
                gate += 0.5
                c *= gate[:, hidden : 2 * hidden]
                c += gate[:, :hidden] * own[:, 2 * hidden : 3 * hidden]
                np.multiply(gate[:, 3 * hidden :], np.tanh(c), out=h)
                np.multiply(h, 0.5, out=half)
        return mx.array(np.concatenate([states[:, 0], states[::-1, 1]], axis=1))[None]


def _lstm_steps(gates: mx.array, recurrent: mx.array, h: mx.array, c: mx.array) -> tuple[mx.array, mx.array]:
    """gates [n, 2, B, 4 H]: the inputs' part of n steps -> hidden states [n, 2, B, H], the last cell state."""
    made = []
    for own in gates:
        i, f, g, o = mx.split(mx.sigmoid(own + h @ recurrent), 4, axis=-1)
        c = f * c + i * (2 * g - 1)
        h = o * mx.tanh(c)
        made.append(h)
    return mx.stack(made), c


def _backwards(x: mx.array, reversal: mx.array | None) -> mx.array:
    """[B, T, C] with each row's own positions in reverse order."""
    if reversal is None:
        return x[:, ::-1]
    return mx.take_along_axis(x, reversal[..., None], axis=1)
