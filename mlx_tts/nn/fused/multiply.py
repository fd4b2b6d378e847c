"""[B, K] -> [B, N]: a layer with the norm before it and what stands behind it, in one launch where the kernel works."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
from mlx import nn

from mlx_tts.nn.fused import product, rows_product
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
    for kernels in (product, rows_product):
        made = _by_kernel(kernels, layer, x, norm, residual, behind)
        if made is not None:
            return made
    return product.plain(layer, x, norm, residual, behind)


def _by_kernel(
    kernels: Any, layer: nn.Module, x: mx.array, norm: nn.RMSNorm | None, residual: mx.array | None, behind: int
) -> mx.array | None:
    """The same by a kernel of the module `kernels`, or None where there is none that passes its check."""
    chosen = kernels.signature(layer, x.shape[0], x.dtype, norm, behind)

    def check() -> list[tuple[mx.array, mx.array]]:
        assert chosen is not None
        small, numbers = part_of(layer, CHECK_ROWS), CheckNumbers()
        few = numbers.normal((chosen.batch, chosen.columns), x.dtype)
        height = small.weight.shape[0]
        added = None if residual is None else numbers.normal((chosen.batch, height), x.dtype)
        wide = None if added is None else added.astype(mx.float32)
        own = None if norm is None else in_float32(norm)
        exact = product.plain(in_float32(small), few.astype(mx.float32), own, wide, behind)  # type: ignore[arg-type]
        pairs = [(kernels.fused(chosen, small, few, norm, added), exact.astype(x.dtype))]
        if chosen.batch > 2:  # one row fewer than it can take
            less = None if added is None else added[:-1]
            pairs.append((kernels.fused(chosen, small, few[:-1], norm, less), exact[:-1].astype(x.dtype)))
        return pairs

    if passes_self_check(chosen, check):
        return kernels.fused(chosen, layer, x, norm, residual)  # type: ignore[no-any-return]
    return None
