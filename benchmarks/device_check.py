"""Nothing in; out, in seconds: whether MLX works on this machine's device, with the whole text of what fails.

python benchmarks/device_check.py 4x40 8x40      exit 0: all of it works; quantised products of 4 bits and 40 rows, ...

On CUDA MLX compiles such a product when first used, half a minute each, unless MLX_PTX_CACHE_DIR holds it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial

import mlx.core as mx
import numpy as np
from mlx import nn

WIDTH = 1024


def product() -> float:
    x = mx.random.normal((256, 256))
    return np.abs(np.array(x @ x) - np.array(x) @ np.array(x)).max()


def quantised_product(bits: int, rows: int) -> float:
    """Of many rows, as for a prompt."""
    layer = nn.Linear(WIDTH, 2 * WIDTH, bias=False)
    layer.set_dtype(mx.bfloat16)
    small = layer.to_quantized(64, bits)
    x = mx.random.normal((1, rows, WIDTH)).astype(mx.bfloat16)
    exact = x @ mx.dequantize(small.weight, small.scales, small.biases, 64, bits).T
    return mx.abs(small(x).astype(mx.float32) - exact.astype(mx.float32)).max().item()


def convolution() -> float:
    x, weight = mx.random.normal((1, 64, 32)), mx.random.normal((48, 7, 32))
    whole = mx.conv1d(x, weight)
    right = sum(x[:, at : at + 58] @ weight[:, at].T for at in range(7))
    return mx.abs(whole - right).max().item()  # type: ignore[union-attr]


def attempt(what: str, run: Callable[[], float], allowed: float) -> bool:
    begin = time.perf_counter()
    try:
        off = run()
    except Exception as error:  # noqa: BLE001 (whatever it is, the next check runs too)
        print(f"FAILED {what} after {time.perf_counter() - begin:.1f} s: {type(error).__name__}: {error}", flush=True)
        return False
    good = bool(off <= allowed)
    outcome = "works" if good else "GIVES WRONG NUMBERS"
    print(f"{what} {outcome}, off by {off:.2g} ({time.perf_counter() - begin:.1f} s)", flush=True)
    return good


def main() -> int:
    found = mx.device_info() if hasattr(mx, "device_info") else {}
    kept = {name: found[name] for name in ("device_name", "free_memory", "architecture") if name in found}
    print(
        f"IMPORT OK: mlx {mx.__version__}, {mx.default_device()}, python {sys.version.split()[0]}, {kept}", flush=True
    )
    checks = [attempt("a product", product, 0.5)]
    for given in sys.argv[1:]:
        bits, rows = map(int, given.split("x"))
        product_of = partial(quantised_product, bits, rows)
        checks.append(attempt(f"a quantised product, {bits} bits, {rows} rows", product_of, 0.5))
    checks.append(attempt("a convolution", convolution, 0.5))
    return 0 if all(checks) else 1


if __name__ == "__main__":
    sys.exit(main())
