"""Layers of the generator for one piece on a CPU: the same numbers, in stretches of time and by fewer products.

MLX's CPU backend computes all but products on one core, an operation at a time, and holds what each of them made.
Here the whole arrays are NumPy's and are written in place, activations are made a stretch at a time, which stays in the
processor's cache, and a convolution of k taps is about 2/3 k products: see `ThirdsOfConv`.
"""

from __future__ import annotations

from collections.abc import Iterator

import mlx.core as mx
import numpy as np

from mlx_tts.models.kokoro.layers import EPS, AdaIN, SameConv1d, SnakeBlock, UpConv1d
from mlx_tts.nn.activations import SnakeBeta, leaky_relu
from mlx_tts.nn.conv import Conv1d

NUMBERS = 3 << 17  # of a stretch: 1.5 MB


class ThirdsOfConv:
    """A convolution of k taps a dilation d apart, computed for every third position at once.

    With x split into its three phases X0, X1, X2 (X3, X4: X0, X1 one later) and the weights likewise into W0, W1, W2,
    the phases of the output are sums of six convolutions with a third of the taps, where nine would be the plain way:

        y0 = X1 (W0 + W1) + X2 (W0 + W2) + (X0 - X1 - X2) W0
        y1 = X1 (W0 + W1) + X3 (W1 + W2) + (X2 - X1 - X3) W1
        y2 = X2 (W0 + W2) + X3 (W1 + W2) + (X4 - X2 - X3) W2
    """

    def __init__(self, conv: SameConv1d):
        weight, (k, _, self.outputs) = conv.weight, conv.weight.shape
        self.edge, self.dilation = conv.edge, conv.dilation
        self.bias = np.array(conv.bias)
        self.reach = -(-k // 3)  # of a phase, in its own positions
        thirds = [weight[at::3] for at in range(3)]
        self._alone = thirds
        self._pairs = [_added(thirds[one], thirds[other]) for one, other in ((0, 1), (0, 2), (1, 2))]
        mx.eval(self._pairs)

    @property
    def step(self) -> int:
        """A stretch is a multiple of it."""
        return 3 * self.dilation

    def rows(self, positions: int) -> int:
        """Of the input of so many positions of the output, from `edge` before the first of them on."""
        return positions + self.reach * self.step

    def phases(self, x: np.ndarray) -> list[np.ndarray]:
        """Input [rows(n), C] -> the phases of the output [n / step, dilation, outputs], without the bias."""
        apart = x.reshape(-1, 3, self.dilation, x.shape[1])
        count = len(apart) - 1
        phase = [apart[at // 3 : at // 3 + count, at % 3] for at in range(5)]
        parts = np.empty((6, *phase[0].shape), np.float32)
        parts[0], parts[1], parts[2] = phase[1:4]
        for to, first, one, other in ((3, 0, 1, 2), (4, 2, 1, 3), (5, 4, 2, 3)):
            np.subtract(phase[first], phase[one], out=parts[to])
            np.subtract(parts[to], phase[other], out=parts[to])
        made = self._products(mx.array(parts.reshape(6, -1, x.shape[1])))
        return [np.asarray(y).reshape(-1, self.dilation, self.outputs) for y in made]

    def _products(self, parts: mx.array) -> list[mx.array]:
        d, length = self.dilation, parts.shape[1] - (self.reach - 1) * self.dilation
        a, b, c = (_summed(None, part, weight, d, length) for part, weight in zip(parts[:3], self._pairs, strict=True))
        made = [
            _summed(y, part, weight, d, length)
            for y, part, weight in zip((a + b, a + c, b + c), parts[3:], self._alone, strict=True)
        ]
        mx.eval(made)
        return made


def _added(one: mx.array, other: mx.array) -> mx.array:
    """Weights [k, in, out] and [k or k - 1, in, out] -> their sum."""
    return mx.concatenate([one[: len(other)] + other, one[len(other) :]])


def _summed(y: mx.array | None, x: mx.array, weight: mx.array, dilation: int, length: int) -> mx.array:
    """y [length, out] and a convolution of x [n, in], tap by tap."""
    for at, tap in enumerate(weight):
        part = x[at * dilation : at * dilation + length]
        y = part @ tap if y is None else mx.addmm(y, part, tap)
    assert y is not None
    return y


class StyledSnake:
    """AdaIN and snake of a whole input [T, C], for a stretch of it at a time."""

    def __init__(self, x: np.ndarray, adain: AdaIN, snake: SnakeBeta, style: mx.array):
        self._x = x
        gamma, self._shift = np.split(np.array(adain.fc(style))[0], 2)
        self._mean, variance = moments(x)
        self._scale = (1 + gamma) / np.sqrt(variance + np.float32(EPS))
        self._alpha, self._beta = np.array(snake.alpha), np.array(snake.beta)

    def rows(self, begin: int, end: int) -> np.ndarray:
        """[end - begin, C]: zeros before the first position and behind the last."""
        T, C = self._x.shape
        made = np.zeros((end - begin, C), np.float32)
        first, last = max(begin, 0), min(end, T)
        y = made[first - begin : last - begin]
        np.subtract(self._x[first:last], self._mean, out=y)
        y *= self._scale
        y += self._shift
        wave = y * self._alpha
        np.sin(wave, out=wave)
        np.square(wave, out=wave)
        wave *= self._beta
        y += wave
        return made


def moments(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and biased variance over time of [T, C], of those of stretches, each read once from memory."""
    T, C = x.shape
    mean, squares, before = np.zeros(C), np.zeros(C), 0
    for begin, end in stretches(T, C):
        part = x[begin:end]
        own = part.mean(axis=0)
        apart = part - own
        np.square(apart, out=apart)
        count, moved = end - begin, own - mean
        squares += apart.sum(axis=0) + np.square(moved) * (before * count / (before + count))
        mean += moved * (count / (before + count))
        before += count
    return mean.astype(np.float32), (squares / T).astype(np.float32)


def stretches(positions: int, channels: int, step: int = 1) -> Iterator[tuple[int, int]]:
    """Begins and ends, in whole steps; the last end may lie behind the last position. They depend on the layer, and on
    the length only at its end."""
    size = max(1, NUMBERS // channels // step) * step
    for begin in range(0, positions, size):
        yield begin, begin + size if step > 1 else min(begin + size, positions)


def convolve(source: StyledSnake, conv: SameConv1d, room: np.ndarray, positions: int, adds: bool) -> None:
    """The convolution of all of a source into `room`, or added to what is there; `room` has a step of rows more, where
    the last stretch may end."""
    thirds = ThirdsOfConv(conv)
    for begin, end in stretches(positions, room.shape[1], thirds.step):
        end = min(end, begin + -(-(positions - begin) // thirds.step) * thirds.step)
        x = source.rows(begin - thirds.edge, begin - thirds.edge + thirds.rows(end - begin))
        to = room[begin:end].reshape(-1, 3, thirds.dilation, room.shape[1])
        for at, y in enumerate(thirds.phases(x)):
            if adds:
                to[:, at] += y
                to[:, at] += thirds.bias
            else:
                np.add(y, thirds.bias, out=to[:, at])


def convolve_plainly(conv: Conv1d, x: mx.array, to: np.ndarray) -> None:
    """A convolution of [1, ., .], without padding, into `to` [T, C]."""
    for begin, end in stretches(*to.shape):
        y = conv(x[:, begin * conv.stride : (end - 1) * conv.stride + conv.span])
        to[begin:end] = np.asarray(y)[0]


def snake_block(block: SnakeBlock, room: np.ndarray, other: np.ndarray, positions: int, style: mx.array) -> np.ndarray:
    """What a `SnakeBlock` makes of what stands in `room`, in its place. `other` is for what comes between."""
    x, y = room[:positions], other[:positions]
    for at in range(len(block.convs1)):
        convolve(StyledSnake(x, block.adain1[at], block.snake1[at], style), block.convs1[at], other, positions, False)
        convolve(StyledSnake(y, block.adain2[at], block.snake2[at], style), block.convs2[at], room, positions, True)
    mx.clear_cache()  # buffers of a stretch fit no other layer
    return x


def upsampled(up: UpConv1d, x: np.ndarray, before: int) -> np.ndarray:
    """A transposed convolution of the leaky x [T, C] -> [before + T * stride, outputs]; the first `before` are left."""
    T, u, reach = len(x), up.stride, -(-up.kernel_size // up.stride)
    made = np.empty((before + T * u, up.bias.shape[0]), np.float32)
    for begin, end in stretches(T, u * made.shape[1] // 2):
        first, last = max(0, begin - reach), min(T, end + reach)
        y = np.asarray(up(leaky_relu(mx.array(x[first:last])[None], 0.1)))[0]
        made[before + begin * u : before + end * u] = y[(begin - first) * u : (end - first) * u]
    return made


def convolve_leaky(conv: SameConv1d, x: np.ndarray, slope: float) -> mx.array:
    """A convolution of the leaky x [T, C], with its padding -> [1, T, outputs]."""
    made = []
    for begin, end in stretches(*x.shape):
        first, last = max(0, begin - conv.edge), min(len(x), end + conv.edge)
        y = conv(leaky_relu(mx.array(x[first:last])[None], slope))
        made.append(mx.contiguous(y[:, begin - first : end - first]))
        mx.eval(made[-1])
    return mx.concatenate(made, axis=1)
