"""[B, T, C] -> [B, T, C]: SnakeBeta, x + sin(frequency * x)^2 * amplitude, with one pair of numbers a channel."""

from __future__ import annotations

from math import pi

import mlx.core as mx
import mlx.nn as nn

from mlx_tts.runtime.device import policy

# sin(r) = r + r * z * (s0 + s1 z + ...) with z = r^2 and |r| <= pi / 2, to 5e-9 (least maximum error, fitted).
SINE = (-0.16666657096462387, 0.008333017290577114, -0.00019806615132436997, 2.6000546187694835e-06)
LEAST_FREQUENCY = 1e-9  # what references add before they divide by a frequency
PI_HIGH = 3.140625  # exact in 10 bits, so that a whole number of them is exact too
PI_LOW = pi - PI_HIGH


@mx.compile
def _snake_fused(x: mx.array, alpha: mx.array, beta: mx.array) -> mx.array:
    return x + mx.square(mx.sin(x * alpha)) * beta


def _snake_polynomial(x: mx.array, alpha: mx.array, beta: mx.array) -> mx.array:
    """The same from products and sums only: MLX's CPU sine takes 16 ns a number, all of this takes a fifth."""
    phase = x * alpha
    turns = mx.round(phase * (1 / pi))  # half turns, over each of which the squared sine repeats
    r = (phase - turns * PI_HIGH) - turns * PI_LOW
    z = mx.square(r)
    y = z * SINE[-1]
    for coefficient in SINE[-2::-1]:
        y = (y + coefficient) * z
    return x + mx.square(r + r * y) * beta


class SnakeBeta(nn.Module):
    """alpha [C] is the frequency, beta [C] the amplitude: not their logarithms, which a checkpoint stores."""

    def __init__(self, channels: int):
        super().__init__()
        self.alpha = mx.ones((channels,))
        self.beta = mx.ones((channels,))

    def __call__(self, x: mx.array) -> mx.array:
        # A compiled function on the CPU would need a C++ compiler on the user's machine.
        return (_snake_fused if policy().compiles else _snake_polynomial)(x, self.alpha, self.beta)

    def make_state(self, _batch: int) -> tuple:
        return ()

    def step(self, x: mx.array, state: tuple) -> tuple[mx.array, tuple]:
        return self(x), state


class HalfSnake(nn.Module):
    """`SnakeBeta` on the first half of the channels, rounded down; a leaky ReLU on the others."""

    def __init__(self, channels: int):
        super().__init__()
        self.half = channels // 2
        self.snake = SnakeBeta(self.half)

    def __call__(self, x: mx.array) -> mx.array:
        return mx.concatenate([self.snake(x[..., : self.half]), leaky_relu(x[..., self.half :])], axis=-1)

    def make_state(self, _batch: int) -> tuple:
        return ()

    def step(self, x: mx.array, state: tuple) -> tuple[mx.array, tuple]:
        return self(x), state


def leaky_relu(x: mx.array, slope: float = 0.01) -> mx.array:
    """The plain operations: MLX's own function is compiled, which on the CPU needs a compiler."""
    return mx.maximum(x, slope * x)


def snake_frequency(alpha: mx.array) -> mx.array:
    """A stored alpha (a logarithm) -> the frequency."""
    return mx.exp(alpha)


def snake_amplitude(beta: mx.array) -> mx.array:
    """A stored beta (the logarithm of the amplitude's inverse) -> the amplitude."""
    return 1 / (mx.exp(beta) + 1e-9)
