"""Any array -> the same shape: SiLU, GELU and ReLU, without MLX's compiled versions on the CPU.

`mlx.nn`'s own are compiled functions. On the CPU MLX compiles those with the machine's C++ compiler and loads the
result from a folder in the shared temporary directory, whoever put it there. So nothing compiled runs on the CPU.
"""

from __future__ import annotations

from math import sqrt

import mlx.core as mx
from mlx import nn

from mlx_tts.runtime.device import policy


def silu(x: mx.array) -> mx.array:
    """x * sigmoid(x)"""
    return nn.silu(x) if policy().compiles else x * mx.sigmoid(x)


def gelu(x: mx.array) -> mx.array:
    """The exact form, by the error function."""
    return nn.gelu(x) if policy().compiles else x * (1 + mx.erf(x / sqrt(2))) / 2


def relu(x: mx.array) -> mx.array:
    """max(x, 0)"""
    return mx.maximum(x, 0)
