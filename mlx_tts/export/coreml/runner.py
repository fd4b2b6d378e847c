"""What runs a package: named arrays in, named arrays out. One form is Core ML itself, the other the evaluator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mlx_tts.export.coreml.evaluator import Evaluator, Mode

Array = NDArray[Any]
CACHES = ("keys", "values")


class Cache(Protocol):
    """The state of one row in one package: keys and values [1, channels, 1, columns], which the graph only reads."""

    def write(self, name: str, column: int, value: Array) -> None:
        """Put [1, channels, 1, 1] into a column of `keys` or `values`."""
        ...


class Model(Protocol):
    """A package that is ready to run."""

    def open_cache(self) -> Any:
        """An empty cache; it belongs to the caller."""
        ...

    def predict(self, inputs: Mapping[str, Array], cache: Any = None) -> Mapping[str, Array]:
        """What comes out is valid until the next call."""
        ...


OpenModel = Callable[[Path], Model]  # a package -> the model


class ArrayCache:
    """A cache of plain arrays."""

    def __init__(self, shapes: Mapping[str, tuple[int, ...]]):
        self.arrays = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}

    def write(self, name: str, column: int, value: Array) -> None:
        self.arrays[name][..., column : column + 1] = value


class EvaluatedModel:
    """A package run by the evaluator: on any machine, far from real time."""

    def __init__(self, package: Path, mode: Mode = "declared"):
        self.evaluator, self.mode = Evaluator.open(package), mode

    def open_cache(self) -> ArrayCache:
        program = self.evaluator.program
        known = {**program.inputs, **program.states}
        return ArrayCache({name: known[name][0] for name in CACHES})

    def predict(self, inputs: Mapping[str, Array], cache: ArrayCache | None = None) -> dict[str, Array]:
        return self.evaluator.run({**inputs, **(cache.arrays if cache is not None else {})}, self.mode)
