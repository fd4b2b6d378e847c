"""Layers of the generator for one piece on a CPU: the same numbers, in stretches of time and by fewer products.

MLX's CPU backend computes all but products on one core, an operation at a time, and holds what each of them made.
Here the whole arrays are NumPy's and are written in place, activations are made a stretch at a time, which stays in the
processor's cache, and a convolution of k taps is about k / 2 products: see `WinogradConv`. Stretches are shared out to
the processor's cores, and each product is made by one thread: see `share_out`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

import mlx.core as mx
import numpy as np

from mlx_tts.models.kokoro.layers import EPS, AdaIN, SameConv1d, SnakeBlock, UpConv1d
from mlx_tts.nn.activations import SnakeBeta
from mlx_tts.nn.conv import Conv1d
from mlx_tts.runtime.blas import multiply_into
from mlx_tts.runtime.sharing import share_out

NUMBERS = 3 << 16  # of a stretch: 0.75 MB
PHASES = 4  # of a convolution: so many positions are computed at once
POINTS = {"0": 0.0, "1": 1.0, "-1": -1.0, "2": 2.0, "-2": -2.0, "1/2": 0.5}  # where the polynomials are taken
SHARES = 4  # stretches come in multiples of it, equally long, so that so many cores end together

Span = tuple[int, int]


@dataclass(frozen=True)
class Cores:
    """How many threads make stretches. The sound does not depend on it."""

    threads: int = 1

    def each(self, work: Callable[[Span], object], spans: list[Span]) -> None:
        share_out(work, spans, self.threads)


class WinogradConv:
    """A convolution of k taps a dilation d apart, computed for every fourth position at once: Winograd's minimal
    filtering, F(4, 4), or F(4, 3) where k is at most 3.

    With x split into its four phases X0 to X3 (X4 to X6: X0 to X2 one later) and the weights likewise into W0 to W3,
    the output's phases are Yi = W0 X(i) + ... + W3 X(i + 3). They follow from the values of polynomials at the points
    0, 1, -1, 2, -2, 1/2 and infinity: seven convolutions of a quarter of the taps each, where the plain way takes
    sixteen. F(4, 3) does without 1/2.
    """

    def __init__(self, conv: SameConv1d, cores: Cores):
        weight = np.asarray(conv.weight)
        k, _, self.outputs = weight.shape
        self.edge, self.dilation = conv.edge, conv.dilation
        self.bias = np.array(conv.bias)
        self.reach = -(-k // PHASES)  # of a phase, in its own positions
        self.has_half = k > 3
        self._weights: dict[str, np.ndarray] = {"infinity": weight[3 if self.has_half else 2 :: PHASES]}
        points = {name: at for name, at in POINTS.items() if name != "1/2" or self.has_half}

        def work(name: str) -> None:
            divisor = prod(points[name] - other for other in points.values() if other != points[name])
            if name == "1/2":
                divisor *= 8  # see `_outputs`
            self._weights[name] = _polynomial(weight, points[name], 1 / divisor)

        share_out(work, points, cores.threads)

    @property
    def step(self) -> int:
        """A stretch is a multiple of it."""
        return PHASES * self.dilation

    def rows(self, positions: int) -> int:
        """Of the input of so many positions of the output, from `edge` before the first of them on."""
        return positions + self.reach * self.step

    def phases(self, x: np.ndarray) -> list[np.ndarray]:
        """Input [rows(n), C] -> the phases of the output [n / step, dilation, outputs], without the bias."""
        parts = self._inputs(x.reshape(-1, self.dilation, x.shape[1]))
        return [y.reshape(-1, self.dilation, self.outputs) for y in self._outputs(parts)]

    def _inputs(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """[4 n + 4, dilation, C], of which every fourth is one phase -> what each point's weights are multiplied with,
        [n * dilation, C]. In x^j stands the input j later: each line is a product of the other points' factors."""
        C, reach = x.shape[-1], len(x) - 2 * PHASES + 1

        def fourths(of: np.ndarray, start: int) -> np.ndarray:
            return of[start : start + reach : PHASES]

        parts = {}
        if self.has_half:
            parts["1/2"] = fourths(x, 5) - 5 * fourths(x, 3)  # x (x^2 - 1) (x^2 - 4)
            parts["1/2"] += 4 * fourths(x, 1)
            x = x[1:] - np.float32(0.5) * x[:-1]  # all the others have the factor x - 1/2
        later = -4 * x[:-2]  # x^2 - 4
        later += x[2:]
        zeroth, first, second, third = (fourths(later, at) for at in range(PHASES))
        parts["0"], parts["infinity"] = second - zeroth, third - first
        parts["1"], parts["-1"] = second + first, second - first
        first, second = (fourths(x, at + 2) - fourths(x, at) for at in (1, 2))  # x^2 - 1
        first *= 2
        parts["2"], parts["-2"] = second + first, second - first
        return {name: part.reshape(-1, C) for name, part in parts.items()}

    def _outputs(self, parts: dict[str, np.ndarray]) -> list[np.ndarray]:
        """Yi is the sum of each point's product times the point to the power of i; that of infinity is part of Y3, and
        that of 1/2 comes as its eighth. The products of 0 and infinity go into the sums of the others."""
        one, less_one = self._product(parts, "1"), self._product(parts, "-1")
        two, less_two = self._product(parts, "2"), self._product(parts, "-2")
        even, odd = one + less_one, np.subtract(one, less_one, out=one)
        even_two, odd_two = two + less_two, np.subtract(two, less_two, out=two)
        made = [np.add(even, even_two, out=less_one)]
        odd_two *= 2
        made.append(np.add(odd, odd_two, out=less_two))
        even_two *= 4
        made.append(np.add(even, even_two, out=even))
        odd_two *= 4
        made.append(np.add(odd, odd_two, out=odd))
        if self.has_half:
            half = self._product(parts, "1/2")
            for y in made[:0:-1]:
                y += half
                half *= 2
            made[0] += half
        self._add(parts["0"], self._weights["0"], made[0])
        self._add(parts["infinity"], self._weights["infinity"], made[3])
        return made

    def _product(self, parts: dict[str, np.ndarray], point: str) -> np.ndarray:
        x = parts[point]
        y = np.empty((len(x) - (self.reach - 1) * self.dilation, self.outputs), np.float32)
        self._add(x, self._weights[point], y, adds=False)
        return y

    def _add(self, x: np.ndarray, weight: np.ndarray, y: np.ndarray, adds: bool = True) -> None:
        """A convolution of x [n, in], tap by tap, into y [length, out]."""
        for at, tap in enumerate(weight):
            begin = at * self.dilation
            multiply_into(y, x[begin : begin + len(y)], tap, adds or at > 0)


def _polynomial(weight: np.ndarray, point: float, factor: float) -> np.ndarray:
    """factor * (W0 + point W1 + point^2 W2 + point^3 W3) of weights [k, in, out]; a phase W may miss its last tap."""
    total = weight[::PHASES] * np.float32(factor)
    for power in range(1, PHASES if point else 1):
        part = weight[power::PHASES]
        total[: len(part)] += part * np.float32(factor * point**power)
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
    winograd = WinogradConv(conv, cores)

    def work(span: Span) -> None:
        begin, end = span
        x = source.rows(begin - winograd.edge, begin - winograd.edge + winograd.rows(end - begin))
        to = room[begin:end].reshape(-1, PHASES, winograd.dilation, room.shape[1])
        for at, y in enumerate(winograd.phases(x)):
            if adds:
                to[:, at] += y
                to[:, at] += winograd.bias
            else:
                np.add(y, winograd.bias, out=to[:, at])

    cores.each(work, stretches(positions, room.shape[1], winograd.step))


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
