"""[B, K] -> [B, N]: a product with a plain or quantised matrix, with what stands before and behind it, in one launch.

Before: an RMSNorm. Behind: a bias, a residual to add, or SwiGLU. Two kernels, each where it is faster than the products
of MLX: for a few rows one warp makes a few output numbers at once and reads the input itself, so that no warp waits for
another; 9 to 32 rows take CUDA's matrix units.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import mlx.core as mx
from mlx import nn

from mlx_tts.kernels.core import source
from mlx_tts.kernels.core.self_check import CheckNumbers, self_checked
from mlx_tts.kernels.core.source import SIMD_WIDTH, KernelText, bits_of, gpu_language, launch, text_of
from mlx_tts.nn.activations import silu
from mlx_tts.runtime.device import policy

# Input rows; beyond that the products of MLX are faster. On CUDA the host is what a frame waits for, and a product of
# MLX costs it several times a kernel's launch: it is captured as a graph of its own, and a norm, a residual or a gate
# next to it is one launch more each. Its quantised product of 8 rows and more is also compiled again in every process,
# for most of a minute: the code predictor's first step has two positions a row.
MOST_ROWS = {"metal": 4, "cuda": 8}
MOST_QUANTISED_ROWS = {"metal": 4, "cuda": 16}
WARPS = 4  # a group; they do not talk to each other
TILE, MOST_TILES = 16, 2  # rows of a matrix unit, and how many times that
COLUMNS_A_STEP, OUTPUTS = 32, 8  # of a warp's step, of a group
CHECK_ROWS = 64  # output numbers of a product in its self-check

PLAIN, RESIDUAL, GATED, BIASED = range(4)  # what stands behind the product


@dataclass(frozen=True)
class ProductKernel:
    """The kernel for a few rows. bits is 16 or 32 for a plain matrix."""

    kind: ClassVar[str] = "product"
    columns: int
    bits: int
    group_size: int
    batch: int  # rows it can take: a power of two, so that few kernels are compiled while rows come and go
    behind: int
    epsilon: float  # of the norm in front; 0: no norm
    dtype: mx.Dtype
    wide: int  # output numbers a warp makes

    @classmethod
    def of(
        cls, layer: nn.Module, batch: int, dtype: mx.Dtype, norm: nn.RMSNorm | None, behind: int
    ) -> ProductKernel | None:
        """The kernel for this layer and this many input rows, or None where there is none."""
        weight = layer.weight
        most = MOST_QUANTISED_ROWS if isinstance(layer, nn.QuantizedLinear) else MOST_ROWS
        language = source.gpu_language()
        if language is None or batch > most[language] or dtype not in (mx.float32, mx.bfloat16):
            return None
        if isinstance(layer, nn.QuantizedLinear):
            if layer.mode != "affine" or layer.bits not in (4, 6, 8) or layer.scales.dtype != dtype:
                return None
            bits, group_size, columns = layer.bits, layer.group_size, weight.shape[1] * 32 // layer.bits
        elif type(layer) is nn.Linear and weight.dtype == dtype:
            bits, group_size, columns = dtype.size * 8, 0, weight.shape[1]
        else:
            return None
        if ("bias" in layer) != (behind == BIASED) or columns % values_read(bits):
            return None
        if norm is not None and norm.weight.dtype != dtype:
            return None
        height = weight.shape[0]
        batch = 1 << (batch - 1).bit_length()
        # 8 rows read the input so often that two numbers should share each reading; 4 lack registers on Metal, 16 on
        # CUDA.
        wide = 1 if height <= 1024 or behind == GATED or batch in (4, 16) else 2
        return cls(columns, bits, group_size, batch, behind, norm.eps if norm else 0.0, dtype, wide)

    def run(
        self, layer: nn.Module, x: mx.array, norm: nn.RMSNorm | None = None, residual: mx.array | None = None
    ) -> mx.array:
        """[B, K] -> [B, N]"""
        gated = self.behind == GATED
        width = layer.weight.shape[0] // (2 if gated else 1)
        values = values_read(self.bits)
        step = min(values, 8)
        sizes: dict[str, int | str] = {
            "COLUMNS": self.columns,
            "BITS": self.bits,
            "GROUP_SIZE": self.group_size,
            "QUANTISED": int(self.group_size > 0),
            "NORMED": int(norm is not None),
            "EPSILON": bits_of(self.epsilon),
            "BATCH": self.batch,
            "WIDE": self.wide,
            "ROWS": self.wide * (2 if gated else 1),
            "WARPS": WARPS,
            "VALUES": values,
            "STEP": step,
            "WORDS_A_STEP": -(-step * self.bits // 32),
            "CHUNKS": -(-self.columns // (SIMD_WIDTH * values)),
            "PLAIN": PLAIN,
            "RESIDUAL": RESIDUAL,
            "GATED": GATED,
            "BIASED": BIASED,
            "BEHIND": self.behind,
        }
        given = {"x": x, "w": layer.weight, "scales": layer.get("scales"), "biases": layer.get("biases")}
        given |= {"norm": norm.weight if norm else None, "residual": residual, "bias": layer.get("bias")}
        groups = -(-width // (WARPS * self.wide))
        return _launched("product", given, (x.shape[0], width), self.dtype, groups, WARPS, sizes)


@dataclass(frozen=True)
class RowsProductKernel:
    """The kernel for 9 to 32 rows of a plain matrix, by CUDA's matrix units: norm, product and what is behind.

    MLX gives such products to cuBLAS, which costs the host more than the kernel the GPU. Each warp multiplies a share
    of the columns; shares are added up in shared memory. 16 bytes of a row are two steps of a matrix unit: the columns
    stand there in another order, the same one in both factors.
    """

    kind: ClassVar[str] = "rows_product"
    columns: int
    tiles: int
    warps: int
    behind: int
    epsilon: float  # of the norm in front; 0: no norm

    @property
    def batch(self) -> int:
        """Rows it can take."""
        return self.tiles * TILE

    @classmethod
    def of(
        cls, layer: nn.Module, rows: int, dtype: mx.Dtype, norm: nn.RMSNorm | None, behind: int
    ) -> RowsProductKernel | None:
        """The kernel for this layer and this many input rows, or None where there is none."""
        if gpu_language() != "cuda" or dtype != mx.bfloat16 or not MOST_ROWS["cuda"] < rows <= MOST_TILES * TILE:
            return None
        if type(layer) is not nn.Linear or layer.weight.dtype != dtype or "bias" in layer:
            return None
        if norm is not None and norm.weight.dtype != dtype:
            return None
        columns = layer.weight.shape[1]
        warps = next((count for count in (8, 4, 2, 1) if columns % (count * COLUMNS_A_STEP) == 0), None)
        if warps is None or behind not in (PLAIN, RESIDUAL, GATED):
            return None
        return cls(columns, -(-rows // TILE), warps, behind, norm.eps if norm else 0.0)

    def run(
        self, layer: nn.Module, x: mx.array, norm: nn.RMSNorm | None = None, residual: mx.array | None = None
    ) -> mx.array:
        """[B, K] -> [B, N]"""
        parts = 2 if self.behind == GATED else 1
        width = layer.weight.shape[0] // parts
        sizes: dict[str, int | str] = {
            "COLUMNS": self.columns,
            "TILES": self.tiles,
            "EIGHTS": 2 * self.tiles,
            "PARTS": parts,
            "WARPS": self.warps,
            "STEPS": self.columns // (COLUMNS_A_STEP * self.warps),
            "NORMED": int(norm is not None),
            "ADDED": int(residual is not None),
            "EPSILON": bits_of(self.epsilon),
        }
        given = {"x": x, "w": layer.weight, "norm": None if norm is None else norm.weight, "residual": residual}
        groups = -(-width // OUTPUTS)
        return _launched("rows_product", given, (x.shape[0], width), x.dtype, groups, self.warps, sizes)


def _launched(
    name: str,
    given: dict[str, mx.array | None],
    shape: tuple[int, int],
    dtype: mx.Dtype,
    groups: int,
    warps: int,
    sizes: dict[str, int | str],
) -> mx.array:
    there = {key: array for key, array in given.items() if array is not None}
    text = KernelText(name, tuple(there), ("out",), text_of(name, "body"), text_of(name))
    arrays, types = list(there.values()), {"value_t": dtype}
    return launch(text, arrays, [(shape, dtype)], (groups, 1, 1), warps * SIMD_WIDTH, sizes, types)[0]


def plain(layer: nn.Module, x: mx.array, norm: nn.RMSNorm | None, residual: mx.array | None, behind: int) -> mx.array:
    """The same by MLX's own operations."""
    if residual is not None and type(layer) is nn.Linear and x.shape[0] > 1 and policy().few_launches:
        return mx.addmm(residual, x, layer.weight.T)  # one launch, not two; a single row has a faster product
    y = layer(x if norm is None else norm(x))
    if behind == GATED:
        gate, up = mx.split(y, 2, axis=-1)
        return silu(gate) * up
    return y if residual is None else residual + y


def multiply(
    layer: nn.Module, x: mx.array, norm: nn.RMSNorm | None = None, residual: mx.array | None = None, gated: bool = False
) -> mx.array:
    """[B, K] -> [B, N]: norm, product, then bias, residual or SwiGLU."""
    behind = GATED if gated else PLAIN if residual is None else RESIDUAL
    if "bias" in layer:
        assert behind == PLAIN
        behind = BIASED
    for kind in (ProductKernel, RowsProductKernel):
        offered: ProductKernel | RowsProductKernel | None = kind.of(layer, x.shape[0], x.dtype, norm, behind)
        if offered is not None and self_checked(offered, partial(_check, layer, x, norm, residual)) is not None:
            return offered.run(layer, x, norm, residual)
    return plain(layer, x, norm, residual, behind)


def _check(
    layer: nn.Module,
    x: mx.array,
    norm: nn.RMSNorm | None,
    residual: mx.array | None,
    chosen: ProductKernel | RowsProductKernel,
) -> list[tuple[mx.array, mx.array]]:
    """With as many rows as the kernel takes, and with one fewer."""
    small, numbers = part_of(layer, CHECK_ROWS), CheckNumbers()
    few = numbers.normal((chosen.batch, chosen.columns), x.dtype)
    added = None if residual is None else numbers.normal((chosen.batch, small.weight.shape[0]), x.dtype)
    wide = None if added is None else added.astype(mx.float32)
    own = None if norm is None else in_float32(norm)
    exact = plain(in_float32(small), few.astype(mx.float32), own, wide, chosen.behind)  # type: ignore[arg-type]
    pairs = [(chosen.run(small, few, norm, added), exact.astype(x.dtype))]
    if chosen.batch > 2:
        less = None if added is None else added[:-1]
        pairs.append((chosen.run(small, few[:-1], norm, less), exact[:-1].astype(x.dtype)))
    return pairs


def values_read(bits: int) -> int:
    """Weights that a lane reads at once: those of 16 bytes, with 6 bits of 12."""
    return 16 if bits == 6 else 128 // bits


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
