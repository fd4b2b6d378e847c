"""Which kernels may be used here: at its first use a kernel runs against the plain form, on small random numbers.

A kernel that does not compile, or that gives other numbers, is left alone from then on, with one line in the log:
slower sound, never wrong sound.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Sequence
from typing import ClassVar, Protocol, TypeVar

import mlx.core as mx

from mlx_tts.kernels.core.forms import kernel_form, left_out

log = logging.getLogger("mlx_tts")
_results: dict[tuple[Signature, int], bool] = {}  # of a kernel with so many rows: whether it passed
# Told a kernel's name and None before its check, and the name and its fault ("": none) after it.
watchers: list[Callable[[str, str | None], None]] = []
# of the largest number: a wrong index is off by about that much, float32 products in the TF32 format by a thousandth
TOLERANCE = {mx.float32: 3e-3, mx.bfloat16: 1e-2}
SEVERAL_LAYERS = 2.0  # times that, where what is compared was rounded on its way, once a product


class Signature(Hashable, Protocol):
    """A frozen dataclass of all that makes one compiled kernel differ from another."""

    kind: ClassVar[str]  # begins its name in results that are stored


T = TypeVar("T", bound=Signature)


def self_checked(
    chosen: T | None,
    check: Callable[[T], list[tuple[mx.array, mx.array]]],
    rows: int = 0,
    part: str = "products",
) -> T | None:
    """The kernel of this signature if it works here, else None; `check` gives pairs (what it made, what it should have
    made), and runs at the first call.

    rows: of the batch, where the check depends on them and the signature does not. part: of the kernel form.
    """
    if chosen is None or not kernel_form().uses(part):
        return None
    if left_out() and kernel_name(chosen, rows) in left_out():
        return None
    if (chosen, rows) not in _results:
        name = kernel_name(chosen, rows)
        for watch in watchers:
            watch(name, None)
        times = SEVERAL_LAYERS if part == "stacks" else 1.0
        try:
            fault = next((fault for made, right in check(chosen) if (fault := _difference(made, right, times))), None)
        except (RuntimeError, ValueError) as error:
            fault = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        if fault:
            log.warning("a fused kernel is left out, plain operations take its place: %s (%s)", fault, chosen)
        _results[chosen, rows] = fault is None
        for watch in watchers:
            watch(name, fault or "")
    return chosen if _results[chosen, rows] else None


def kernel_name(chosen: Signature, rows: int) -> str:
    """What a kernel is called in stored results."""
    return chosen.kind + str(chosen).removeprefix(type(chosen).__name__) + (f", {rows} rows" if rows else "")


class CheckNumbers:
    """Random numbers for a self-check, from a key of their own: MLX's global random state is the caller's."""

    def __init__(self, seed: int = 0):
        self._key = mx.random.key(seed)

    def _next(self) -> mx.array:
        self._key, key = mx.random.split(self._key)
        return key

    def normal(self, shape: Sequence[int], dtype: mx.Dtype = mx.float32) -> mx.array:
        return mx.random.normal(shape, key=self._next()).astype(dtype)

    def uniform(self, shape: Sequence[int]) -> mx.array:
        return mx.random.uniform(shape=shape, key=self._next())

    def gumbel(self, shape: Sequence[int]) -> mx.array:
        return mx.random.gumbel(shape, key=self._next())


def _difference(made: mx.array, right: mx.array, times: float = 1.0) -> str | None:
    if made.shape != right.shape or made.dtype != right.dtype:
        return f"made {made.shape} {made.dtype} instead of {right.shape} {right.dtype}"
    most = times * TOLERANCE.get(right.dtype, 0.0)
    made, right = made.astype(mx.float32), right.astype(mx.float32)
    allowed = most * mx.maximum(mx.abs(right).max(), 1e-6)
    off = mx.abs(made - right).max()
    if (off <= allowed).item():  # NaN never passes
        return None
    return f"off by {off.item():.3g}, allowed {allowed.item():.3g}"
