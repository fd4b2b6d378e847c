"""[..., D] -> [..., D]: norms in the form that one position on the CPU takes fastest, and the choice between forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mlx.core as mx
from mlx import nn

from mlx_tts.runtime.device import policy

Norm = Callable[[mx.array], mx.array]


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
