"""Any array -> the same shape: SiLU, GELU, ReLU, ELU, Snake and norms, without MLX's compiled versions on the CPU.

`mlx.nn`'s own are compiled functions. On the CPU MLX compiles those with the machine's C++ compiler and loads the
result from a folder in the shared temporary directory, where anybody may have put it. So nothing compiled runs there.
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi, sqrt
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from mlx_tts.runtime.device import policy

# sin(r) = r + r * z * (s0 + s1 z + ...) with z = r^2 and |r| <= pi / 2, to 5e-9 (least maximum error, fitted).
SINE = (-0.16666657096462387, 0.008333017290577114, -0.00019806615132436997, 2.6000546187694835e-06)
LEAST_FREQUENCY = 1e-9  # what references add before they divide by a frequency
PI_HIGH = 3.140625  # exact in 10 bits, so that a whole number of them is exact too
PI_LOW = pi - PI_HIGH
Norm = Callable[[mx.array], mx.array]


def silu(x: mx.array) -> mx.array:
    """x * sigmoid(x)"""
    return nn.silu(x) if policy().compiles else x * mx.sigmoid(x)


def gelu(x: mx.array) -> mx.array:
    """The exact form, by the error function."""
    return nn.gelu(x) if policy().compiles else x * (1 + mx.erf(x / sqrt(2))) / 2


def relu(x: mx.array) -> mx.array:
    """max(x, 0)"""
    return mx.maximum(x, 0)


def elu(x: mx.array) -> mx.array:
    """x where it is above 0, else exp(x) - 1"""
    return nn.elu(x) if policy().compiles else mx.where(x > 0, x, mx.exp(x) - 1)


class ELU(nn.Module):
    """`elu` as a layer."""

    def __call__(self, x: mx.array) -> mx.array:
        return elu(x)


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


class Stateless(nn.Module):
    """A layer that carries nothing from step to step, with the face of those that do."""

    def make_state(self, _batch: int) -> tuple:
        return ()

    def step(self, x: mx.array, state: tuple) -> tuple[mx.array, tuple]:
        return self(x), state


class SnakeBeta(Stateless):
    """[B, T, C] -> [B, T, C]: x + sin(alpha * x)^2 * beta. alpha [C] is the frequency, beta [C] the amplitude: not
    their logarithms, which a checkpoint stores."""

    def __init__(self, channels: int):
        super().__init__()
        self.alpha = mx.ones((channels,))
        self.beta = mx.ones((channels,))

    def __call__(self, x: mx.array) -> mx.array:
        # A compiled function on the CPU would need a C++ compiler on the user's machine.
        return (_snake_fused if policy().compiles else _snake_polynomial)(x, self.alpha, self.beta)


class HalfSnake(Stateless):
    """`SnakeBeta` on the first half of the channels, rounded down; a leaky ReLU on the others."""

    def __init__(self, channels: int):
        super().__init__()
        self.half = channels // 2
        self.snake = SnakeBeta(self.half)

    def __call__(self, x: mx.array) -> mx.array:
        return mx.concatenate([self.snake(x[..., : self.half]), leaky_relu(x[..., self.half :])], axis=-1)


def leaky_relu(x: mx.array, slope: float = 0.01) -> mx.array:
    """The plain operations: MLX's own function is compiled, which on the CPU needs a compiler."""
    return mx.maximum(x, slope * x)


def snake_frequency(alpha: mx.array) -> mx.array:
    """A stored alpha (a logarithm) -> the frequency."""
    return mx.exp(alpha)


def snake_amplitude(beta: mx.array) -> mx.array:
    """A stored beta (the logarithm of the amplitude's inverse) -> the amplitude."""
    return 1 / (mx.exp(beta) + 1e-9)


def norm_constants(weight: mx.array, eps: float) -> tuple[mx.array, mx.array]:
    """An RMSNorm's weight [1, ..., D] -> what `normed` takes."""
    width = weight.shape[-1]
    return weight.astype(mx.float32) * width**0.5, mx.full((1,) * weight.ndim, width * eps, mx.float32)


def normed(x: mx.array, scale: mx.array, floor: mx.array) -> mx.array:
    """RMSNorm in half of mx.fast.rms_norm's operations on the CPU: sums in the place of means, and nothing to shape."""
    return x * mx.rsqrt((x * x).sum(-1, keepdims=True) + floor) * scale


def step_norm(norm: Any) -> Norm:
    """The same norm for rows [B, D] of one position each: its own kernel on a GPU, few operations on the CPU."""
    if not policy().prefers_products:
        return norm
    scale, floor = norm_constants(norm.weight[None], norm.eps)
    if isinstance(norm, nn.RMSNorm):
        return lambda x: normed(x, scale, floor)
    # A LayerNorm without a bias is the RMSNorm of what is left without the mean.
    return lambda x: normed(x - x.mean(-1, keepdims=True), scale, floor)


def layer_norm(width: int, eps: float) -> nn.Module:
    """A LayerNorm with a weight and no bias."""
    return nn.LayerNorm(width, eps, bias=False)
