"""A saved package and named inputs in, its outputs out, by numpy alone: what the file says, where no Core ML is.

It reads the file and nothing of the builder, so that a fault of the builder shows. Three kinds of arithmetic:
`declared` computes inside an operation in float32 and rounds every result to the type that the file declares; `wide`
rounds nothing; `harsh` rounds sums to float16 after every 32 terms too and knows no subnormal numbers: what overflows
there may overflow on a chip. A normalisation counts as one operation in all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from mlx_tts.errors import ModelError
from mlx_tts.export.coreml.operations import EXACT, OPERATIONS, Arithmetic
from mlx_tts.export.coreml.reader import Operation, Program, read_program

Mode = Literal["declared", "wide", "harsh"]
Array = NDArray[Any]
MASKED = -11_000.0, -9000.0  # where masks lie, and what they were added to
CACHES = ("keys", "values")


@dataclass
class Evaluator:
    """One program and its constants, in float32. peaks: the largest magnitude of the results so far, by name."""

    program: Program
    name: str
    constants: dict[str, Array]
    last_use: dict[str, int]
    peaks: dict[str, float] = field(default_factory=dict)

    @classmethod
    def open(cls, package: Path) -> Evaluator:
        """Read a package; ModelError for an operation that is not in the list."""
        program = read_program(package)
        if unknown := sorted({operation.kind for operation in program.operations} - set(OPERATIONS)):
            raise ModelError(f"{package} has operations that the evaluator does not know: {', '.join(unknown)}")
        tables = {operation.inputs["x"][0] for operation in program.operations if operation.kind == "gather"}
        constants = {
            name: value if name in tables else _as_float32(value)  # of a table only the rows that are asked for
            for name, value in program.constants.items()
        }
        last_use = {
            name: at
            for at, operation in enumerate(program.operations)
            for names in operation.inputs.values()
            for name in names
        }
        return cls(program, package.name, constants, last_use)

    def run(self, inputs: Mapping[str, Array], mode: Mode = "declared") -> dict[str, Array]:
        """Inputs and states by name -> outputs by name, all float32 or int32."""
        wanted = {**self.program.inputs, **self.program.states}
        if set(inputs) != set(wanted):
            raise ModelError(f"{self.name} takes {', '.join(sorted(wanted))}; given were {', '.join(sorted(inputs))}")
        how = Arithmetic(mode)
        values: dict[str, Array] = {}
        for name, (shape, dtype) in wanted.items():
            if np.shape(inputs[name]) != shape:
                raise ModelError(f"{self.name} takes {name} of shape {shape}; given was {np.shape(inputs[name])}")
            values[name] = how.rounded(_as_float32(np.asarray(inputs[name])), dtype)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # what overflows shows in the result
            for at, operation in enumerate(self.program.operations):
                self._compute(operation, values, how)
                for names in operation.inputs.values():
                    for name in names:
                        if self.last_use[name] == at and name not in self.program.outputs:
                            values.pop(name, None)
        return {name: values[name] for name in self.program.outputs}

    def _compute(self, operation: Operation, values: dict[str, Array], how: Arithmetic) -> None:
        arguments: dict[str, Any] = dict(operation.constants)
        for key, names in operation.inputs.items():
            found = [self.constants[name] if name in self.constants else values[name] for name in names]
            arguments[key] = found if key == "values" else found[0]
        if operation.kind.startswith("constexpr"):  # weights: the same in every call
            name = operation.outputs[0][0]
            if name not in self.constants:
                self.constants[name] = OPERATIONS[operation.kind](how, **arguments)
            return
        results = OPERATIONS[operation.kind](how, **arguments)
        for (name, dtype), result in zip(
            operation.outputs, results if isinstance(results, list) else [results], strict=True
        ):
            if operation.kind in EXACT:  # moves numbers that are rounded already
                values[name] = result
            else:
                values[name] = how.rounded(result, dtype)
                self._note_peak(name, values[name])

    def _note_peak(self, name: str, value: Array) -> None:
        if value.dtype == np.float32 and value.size:
            seen = value if value.min() > MASKED[1] else value[(value < MASKED[0]) | (value > MASKED[1])]
            peak = float(np.abs(seen).max()) if seen.size else 0.0
            before = self.peaks.get(name, 0.0)
            self.peaks[name] = peak if not peak <= before else before  # NaN is kept

    @property
    def peak(self) -> float:
        """The largest magnitude of any result but masks; NaN or infinity where something overflowed."""
        values = list(self.peaks.values())
        return float(np.max(values)) if values else 0.0


def _as_float32(value: Array) -> Array:
    """Halves as float32, which numpy multiplies a hundred times faster; other types as they are."""
    return value.astype(np.float32) if value.dtype in (np.float16, np.float64) else value


class Model(Protocol):
    """A package that is ready to run."""

    def open_cache(self) -> Any:
        """An empty cache, which belongs to the caller: keys and values [1, channels, 1, columns] of one row, which the
        graph only reads. Its `write(name, column, value)` puts [1, channels, 1, 1] into a column of either."""
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
