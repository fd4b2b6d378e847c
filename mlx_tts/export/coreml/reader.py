"""A saved .mlpackage in, its program out: inputs, operations, and every constant as an array. Builds nothing."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlx_tts.errors import ModelError
from mlx_tts.export.coreml.packages import blob_file, coremltools, model_file

RECORD = struct.Struct("<IIQQ")  # sentinel, type, size in bytes, offset of the data
SENTINEL = 0xDEADBEEF
BLOB_TYPES = {1: np.float16, 2: np.float32, 3: np.uint8, 4: np.int8, 6: np.int16, 7: np.uint16, 14: np.int32}
# Numbers of the enumeration `DataType` in MIL.proto.
TYPES = {1: np.bool_, 2: np.str_, 10: np.float16, 11: np.float32, 21: np.int8, 22: np.int16, 23: np.int32, 31: np.uint8}
FIELDS = {"floats": np.float32, "ints": np.int32, "longInts": np.int64, "bools": np.bool_, "strings": np.str_}


@dataclass(frozen=True)
class Operation:
    """inputs: name of the argument -> names of values, one or several for a tuple. constants: the same for arguments
    that are written into the operation. outputs: names, with the type of each."""

    kind: str
    inputs: dict[str, tuple[str, ...]]
    constants: dict[str, Any]
    outputs: tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Program:
    """inputs and states: name -> (shape, type). blobs: name of a constant -> (offset, shape, type) in weight.bin."""

    inputs: dict[str, tuple[tuple[int, ...], Any]]
    states: dict[str, tuple[tuple[int, ...], Any]]
    operations: tuple[Operation, ...]
    outputs: tuple[str, ...]
    constants: dict[str, NDArray[Any]]
    blobs: dict[str, tuple[int, tuple[int, ...], str]]


def read_program(package: Path) -> Program:
    """The program of a package with one function; ModelError says what is damaged."""
    coremltools()
    from coremltools.proto import Model_pb2  # type: ignore[import-not-found]
    from google.protobuf.message import DecodeError

    specification = Model_pb2.Model()
    try:
        specification.ParseFromString(model_file(package).read_bytes())
        weights = blob_file(package)
        blob = np.memmap(weights, np.uint8, "r") if weights.exists() else np.zeros(0, np.uint8)
        functions = specification.mlProgram.functions
        if list(functions) != ["main"]:
            raise ModelError(f"{package} has the functions {', '.join(functions) or 'none'}: expected main")
        return _Reader(package, blob).program(functions["main"])
    except (OSError, DecodeError, ValueError, KeyError, struct.error) as error:
        raise ModelError(f"{package} is damaged ({error}): convert the model again") from None


class _Reader:
    def __init__(self, package: Path, blob: NDArray[np.uint8]):
        self.package, self.blob = package, blob
        self.constants: dict[str, NDArray[Any]] = {}
        self.blobs: dict[str, tuple[int, tuple[int, ...], str]] = {}

    def program(self, function: Any) -> Program:
        inputs: dict[str, Any] = {}
        states: dict[str, Any] = {}
        for given in function.inputs:
            is_state = given.type.HasField("stateType")
            kind = given.type.stateType.wrappedType.tensorType if is_state else given.type.tensorType
            (states if is_state else inputs)[given.name] = (_shape(kind), _type(kind))
        block = function.block_specializations[function.opset]
        operations = [found for operation in block.operations if (found := self._operation(operation)) is not None]
        return Program(inputs, states, tuple(operations), tuple(block.outputs), self.constants, self.blobs)

    def _operation(self, operation: Any) -> Operation | None:
        """None for a constant, whose value is kept by its name."""
        if operation.type == "const":
            name = operation.outputs[0].name
            self.constants[name] = self._value(operation.attributes["val"], name)
            return None
        if operation.blocks:
            raise ModelError(f"{self.package} has an operation {operation.type} with blocks: it is not of this tool")
        inputs, constants = {}, {}
        for key, argument in operation.inputs.items():
            values = [part.value for part in argument.arguments if part.HasField("value")]
            if values:
                constants[key] = self._value(values[0], operation.outputs[0].name)
            else:
                inputs[key] = tuple(part.name for part in argument.arguments)
        outputs = tuple((output.name, _type(output.type.tensorType)) for output in operation.outputs)
        return Operation(operation.type, inputs, constants, outputs)

    def _value(self, value: Any, name: str) -> NDArray[Any]:
        kind = value.type.tensorType
        shape, dtype = _shape(kind), _type(kind)
        if value.HasField("blobFileValue"):
            return self._stored(int(value.blobFileValue.offset), shape, dtype, name)
        tensor = value.immediateValue.tensor
        field = tensor.WhichOneof("value")
        if field == "bytes":
            return np.frombuffer(tensor.bytes.values, dtype).reshape(shape)
        return np.array(getattr(tensor, field).values, FIELDS[field]).astype(dtype).reshape(shape)

    def _stored(self, at: int, shape: tuple[int, ...], dtype: Any, name: str) -> NDArray[Any]:
        sentinel, kind, size, offset = RECORD.unpack(self.blob[at : at + RECORD.size].tobytes())
        fits = sentinel == SENTINEL and BLOB_TYPES.get(kind) == dtype and offset + size <= len(self.blob)
        if not fits or size != np.dtype(dtype).itemsize * int(np.prod(shape)):
            raise ModelError(f"{self.package} has a damaged record of weights for {name}: convert the model again")
        self.blobs[name] = (offset, shape, np.dtype(dtype).name)
        return self.blob[offset : offset + size].view(dtype).reshape(shape)


def _shape(kind: Any) -> tuple[int, ...]:
    return tuple(int(dimension.constant.size) for dimension in kind.dimensions)


def _type(kind: Any) -> Any:
    return TYPES[kind.dataType]


def stored_weights(package: Path) -> list[dict[str, Any]]:
    """Where the constants of a package's products and tables lie in weight.bin, in the order of their operations: for
    readers that have no coremltools."""
    program = read_program(package)
    names = [
        operation.inputs[key][0]
        for operation in program.operations
        for key in ("x", "weight", "bias")
        if key in operation.inputs and operation.inputs[key][0] in program.blobs
    ]
    return [
        {"package": package.name, "offset": offset, "shape": list(shape), "dtype": dtype}
        for offset, shape, dtype in (program.blobs[name] for name in names)
    ]
