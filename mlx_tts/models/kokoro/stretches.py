"""Layers of the generator for one piece on a CPU: the same numbers, in stretches of time and by fewer products.

MLX's CPU backend computes all but products on one core, an operation at a time, and holds what each of them made.
Here the whole arrays are NumPy's and are written in place, activations are made a stretch at a time, which stays in the
processor's cache, and a convolution of k taps is about 2/3 k products: see `ThirdsOfConv`. Stretches are shared out to
the processor's cores, and each product is made by one thread: see `share_out`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mlx.core as mx
import numpy as np

from mlx_tts.models.kokoro.layers import EPS, AdaIN, SameConv1d, SnakeBlock, UpConv1d
from mlx_tts.nn.activations import SnakeBeta
from mlx_tts.nn.conv import Conv1d
from mlx_tts.runtime.blas import multiply_into
from mlx_tts.runtime.sharing import share_out

NUMBERS = 3 << 16  # of a stretch: 0.75 MB
SHARES = 4  # stretches come in multiples of it, equally long, so that so many cores end together

Span = tuple[int, int]


@dataclass(frozen=True)
class Cores:
    """How many threads make stretches. The sound does not depend on it."""

    threads: int = 1

    def each(self, work: Callable[[Span], object], spans: list[Span]) -> None:
        share_out(work, spans, self.threads)


class ThirdsOfConv:
    """A convolution of k taps a dilation d apart, computed for every third position at once.

    With x split into its three phases X0, X1, X2 (X3, X4: X0, X1 one later) and the weights likewise into W0, W1, W2,
    the phases of the output are sums of six convolutions with a third of the taps, where nine would be the plain way:

        y0 = X1 (W0 + W1) + X2 (W0 + W2) + (X0 - X1 - X2) W0
        y1 = X1 (W0 + W1) + X3 (W1 + W2) + (X2 - X1 - X3) W1
        y2 = X2 (W0 + W2) + X3 (W1 + W2) + (X4 - X2 - X3) W2
    """

    def __init__(self, conv: SameConv1d):
        weight = np.asarray(conv.weight)
        k, _, self.outputs = weight.shape
        self.edge, self.dilation = conv.edge, conv.dilation
        self.bias = np.array(conv.bias)
        self.reach = -(-k // 3)  # of a phase, in its own positions
        self._alone = [weight[at::3] for at in range(3)]
        self._pairs = [_added(self._alone[one], self._alone[other]) for one, other in ((0, 1), (0, 2), (1, 2))]

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
        made = self._products(parts.reshape(6, -1, x.shape[1]))
        return [y.reshape(-1, self.dilation, self.outputs) for y in made]

    def _products(self, parts: np.ndarray) -> list[np.ndarray]:
        length = parts.shape[1] - (self.reach - 1) * self.dilation
        a, b, c = np.empty((3, length, self.outputs), np.float32)
        for y, part, weight in zip((a, b, c), parts[:3], self._pairs, strict=True):
            self._sum_into(y, part, weight, adds=False)
        made = [a + b, a + c, b]
        made[2] += c
        for y, part, weight in zip(made, parts[3:], self._alone, strict=True):
            self._sum_into(y, part, weight, adds=True)
        return made

    def _sum_into(self, y: np.ndarray, x: np.ndarray, weight: np.ndarray, adds: bool) -> None:
        """A convolution of x [n, in], tap by tap, into y [length, out]."""
        for at, tap in enumerate(weight):
            begin = at * self.dilation
            multiply_into(y, x[begin : begin + len(y)], tap, adds or at > 0)


def _added(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Weights [k, in, out] and [k or k - 1, in, out] -> their sum."""
    total = one.copy()
    total[: len(other)] += other
    return total


class StyledSnake:
    """AdaIN and snake of a whole input [T, C], for a stretch of it at a time."""

    def __init__(self, x: np.ndarray, adain: AdaIN, snake: SnakeBeta, style: mx.array, cores: Cores):
        self._x = x
        gamma, self._shift = np.split(np.array(adain.fc(style))[0], 2)
        self._mean, variance = moments(x, cores)
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


def moments(x: np.ndarray, cores: Cores) -> tuple[np.ndarray, np.ndarray]:
    """Mean and biased variance over time of [T, C], of those of stretches, each read once from memory."""
    T, C = x.shape
    found: dict[Span, tuple[np.ndarray, np.ndarray]] = {}

    def work(span: Span) -> None:
        part = x[span[0] : span[1]]
        own = part.mean(axis=0)
        apart = part - own
        np.square(apart, out=apart)
        found[span] = own, apart.sum(axis=0)

    spans = stretches(T, C)
    cores.each(work, spans)
    mean, squares = np.zeros(C), np.zeros(C)
    for begin, end in spans:
        own, own_squares = found[begin, end]
        count, moved = end - begin, own - mean
        squares += own_squares + np.square(moved) * (begin * count / end)
        mean += moved * (count / end)
    return mean.astype(np.float32), (squares / T).astype(np.float32)


def stretches(positions: int, channels: int, step: int = 1) -> list[Span]:
    """Begins and ends, about equally long and in whole steps; the last end may lie behind the last position."""
    steps = -(-positions // step)
    count = -(-positions * channels // (NUMBERS * SHARES)) * SHARES
    size = -(-steps // count) * step
    return [(begin, min(begin + size, steps * step)) for begin in range(0, steps * step, size)]


def convolve(source: StyledSnake, conv: SameConv1d, room: np.ndarray, positions: int, adds: bool, cores: Cores) -> None:
    """The convolution of all of a source into `room`, or added to what is there; `room` has a step of rows more, where
    the last stretch may end."""
    thirds = ThirdsOfConv(conv)

    def work(span: Span) -> None:
        begin, end = span
        x = source.rows(begin - thirds.edge, begin - thirds.edge + thirds.rows(end - begin))
        to = room[begin:end].reshape(-1, 3, thirds.dilation, room.shape[1])
        for at, y in enumerate(thirds.phases(x)):
            if adds:
                to[:, at] += y
                to[:, at] += thirds.bias
            else:
                np.add(y, thirds.bias, out=to[:, at])

    cores.each(work, stretches(positions, room.shape[1], thirds.step))


def snake_block(
    block: SnakeBlock, room: np.ndarray, other: np.ndarray, positions: int, style: mx.array, cores: Cores
) -> np.ndarray:
    """What a `SnakeBlock` makes of what stands in `room`, in its place. `other` is for what comes between."""
    x, y = room[:positions], other[:positions]
    for at in range(len(block.convs1)):
        first = StyledSnake(x, block.adain1[at], block.snake1[at], style, cores)
        convolve(first, block.convs1[at], other, positions, False, cores)
        second = StyledSnake(y, block.adain2[at], block.snake2[at], style, cores)
        convolve(second, block.convs2[at], room, positions, True, cores)
    return x


def convolve_plainly(conv: Conv1d, x: np.ndarray, to: np.ndarray, cores: Cores) -> None:
    """A convolution of x [., .], without padding, into `to` [T, C]; as many taps in a product as it steps over."""
    stride, inputs, (T, C) = conv.stride, x.shape[1], to.shape
    weight, bias = np.asarray(conv.weight), np.array(conv.bias)

    def work(span: Span) -> None:
        begin, end = span
        for tap in range(0, len(weight), stride):
            taps = weight[tap : tap + stride]
            first = begin * stride + tap
            if len(taps) == stride:
                rows = x[first : first + (end - begin) * stride].reshape(end - begin, -1)
            else:  # the last few
                rows = np.concatenate([x[first + at :: stride][: end - begin] for at in range(len(taps))], axis=1)
            multiply_into(to[begin:end], rows, taps.reshape(len(taps) * inputs, C), adds=tap > 0)
        to[begin:end] += bias

    cores.each(work, stretches(T, C))


def upsampled(up: UpConv1d, x: np.ndarray, before: int, cores: Cores) -> np.ndarray:
    """A transposed convolution of the leaky x [T, C] -> [before + T * stride, outputs]; the first `before` are left."""
    (T, C), u, k = x.shape, up.stride, up.kernel_size
    reach, cut = -(-k // u), (k - u) // 2
    bias = np.array(up.bias)
    outputs = len(bias)
    weight = np.zeros((C, reach * u, outputs), np.float32)
    weight[:, :k] = np.asarray(up.weight)
    parts = np.ascontiguousarray(weight.reshape(C, reach, u * outputs).transpose(1, 0, 2))
    made = np.empty((before + T * u, outputs), np.float32)

    def work(span: Span) -> None:
        begin, end = span  # what input t adds begins at t * u, before the outer taps are cut off
        rows = _leaky(x, begin - reach + 1, end, 0.1)
        total = np.empty((end - begin, u * outputs), np.float32)
        for at, part in enumerate(parts):
            late = reach - 1 - at
            multiply_into(total, rows[late : late + end - begin], part, adds=at > 0)
        first, last = max(0, begin * u - cut), min(T * u, end * u - cut)
        own = total.reshape(-1, outputs)[first + cut - begin * u : last + cut - begin * u]
        np.add(own, bias, out=made[before + first : before + last])

    cores.each(work, stretches(T + reach - 1, u * outputs))
    return made


def convolve_leaky(conv: SameConv1d, x: np.ndarray, slope: float, cores: Cores) -> np.ndarray:
    """A convolution of the leaky x [T, C], with its padding -> [T, outputs]."""
    weight, bias = np.asarray(conv.weight), np.array(conv.bias)
    made = np.empty((len(x), len(bias)), np.float32)

    def work(span: Span) -> None:
        begin, end = span
        rows = _leaky(x, begin - conv.edge, end + conv.edge, slope)
        for tap, part in enumerate(weight):
            multiply_into(made[begin:end], rows[tap * conv.dilation :][: end - begin], part, adds=tap > 0)
        made[begin:end] += bias

    cores.each(work, stretches(*x.shape))
    return made


def _leaky(x: np.ndarray, begin: int, end: int, slope: float) -> np.ndarray:
    """[end - begin, C]: zeros before the first position and behind the last."""
    made = np.zeros((end - begin, x.shape[1]), np.float32)
    first, last = max(begin, 0), min(end, len(x))
    own = x[first:last]
    np.maximum(own, own * np.float32(slope), out=made[first - begin : last - begin])
    return made
