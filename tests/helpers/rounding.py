"""What the BLAS of this machine does with the last bits of a product."""

from __future__ import annotations

import warnings
from functools import cache

import mlx.core as mx
import numpy as np


@cache
def rows_keep_their_bits() -> bool:
    """Whether a row of a product has the same bits however many rows there are. So it is with the builds of OpenBLAS
    for AVX-512; those for AVX2 add up in another order for other numbers of rows."""
    keys = mx.random.split(mx.random.key(0))
    for rows, columns, outputs in ((40, 512, 256), (300, 96, 96), (64, 64, 192), (23, 256, 16)):
        x, weight = mx.random.normal((rows, columns), key=keys[0]), mx.random.normal((columns, outputs), key=keys[1])
        for first in (1, 2, 3, 7, rows // 2):
            if not mx.array_equal(mx.concatenate([x[:first] @ weight, x[first:] @ weight]), x @ weight).item():
                warnings.warn("NOT CHECKED to the last bit: this BLAS rounds rows by how many there are", stacklevel=2)
                return False
    return True


def assert_same_sound(made: np.ndarray, wanted: np.ndarray, rounding: float = 1e-5) -> None:
    """Equal bits, where the BLAS can give them; else within its rounding, full scale being 1."""
    if rows_keep_their_bits():
        np.testing.assert_array_equal(made, wanted)
    else:
        np.testing.assert_allclose(made, wanted, rtol=0, atol=rounding)
