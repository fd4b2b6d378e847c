"""[B, K] -> [B, N]: a layer with the norm before it and what stands behind it, in one launch where the kernel works."""

from __future__ import annotations

import mlx.core as mx
from mlx import nn

from mlx_tts.nn.fused import product
from mlx_tts.nn.fused.self_check import CheckNumbers, passes_self_check

CHECK_ROWS = 64  # output numbers of a product in its self-check


def part_of(layer: nn.Module, rows: int) -> nn.Module:
    """The same kind of layer with the first rows of its matrix."""
    small = _like(layer)
    for name, value in layer.parameters().items():
        small[name] = value[:rows]
    return small


def in_float32(layer: nn.Module) -> nn.Module:
    """The same layer computing in float32; quantised numbers stay as they are."""
    wide = _like(layer)
    for name, value in layer.parameters().items():
        wide[name] = value.astype(mx.float32) if mx.issubdtype(value.dtype, mx.floating) else value
    return wide


def _like(layer: nn.Module) -> nn.Module:
    other = type(layer).__new__(type(layer))
    nn.Module.__init__(other)
    for name in ("group_size", "bits", "mode", "eps"):
        if hasattr(layer, name):
            setattr(other, name, getattr(layer, name))
    return other


def multiply(
    layer: nn.Module, x: mx.array, norm: nn.RMSNorm | None = None, residual: mx.array | None = None, gated: bool = False
) -> mx.array:
    """[B, K] -> [B, N]: norm, product, then bias, residual or SwiGLU."""
    behind = product.GATED if gated else product.PLAIN if residual is None else product.RESIDUAL
    if "bias" in layer:
        assert behind == product.PLAIN
        behind = product.BIASED
    chosen = product.signature(layer, x.shape[0], x.dtype, norm, behind)

    def check() -> list[tuple[mx.array, mx.array]]:
        assert chosen is not None
        small, numbers = part_of(layer, CHECK_ROWS), CheckNumbers()
        few = numbers.normal((x.shape[0], chosen.columns), x.dtype)
        height = small.weight.shape[0]
        added = None if residual is None else numbers.normal((x.shape[0], height), x.dtype)
        wide = None if added is None else added.astype(mx.float32)
        own = None if norm is None else in_float32(norm)
        exact = product.plain(in_float32(small), few.astype(mx.float32), own, wide, behind)  # type: ignore[arg-type]
        return [(product.fused(chosen, small, few, norm, added), exact.astype(x.dtype))]

    if passes_self_check(chosen, check):
        assert chosen is not None
        return product.fused(chosen, layer, x, norm, residual)
    return product.plain(layer, x, norm, residual, behind)
