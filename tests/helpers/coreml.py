"""What tests of Core ML share: a loud skip where coremltools is missing, and a stand-in for Apple's framework."""

from __future__ import annotations

import importlib.util
import shutil
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest

from mlx_tts.export.coreml.evaluator import EvaluatedModel

INSTALL = "coremltools is not installed (extra `coreml`): the Core ML packages are NOT checked here"


def needs_coremltools() -> pytest.MarkDecorator:
    missing = importlib.util.find_spec("coremltools") is None
    if missing:
        warnings.warn(INSTALL, stacklevel=2)
    return pytest.mark.skipif(missing, reason=INSTALL)


class FakeArray:
    """MLMultiArray, with rows padded to 64 bytes as the Neural Engine likes them."""

    TYPES: ClassVar = {65552: np.float16, 65568: np.float32, 131104: np.int32}

    def __init__(self, shape: tuple[int, ...], kind: int):
        self.kind, dtype = kind, np.dtype(self.TYPES[kind])
        last = -(-shape[-1] * dtype.itemsize // 64) * 64 // dtype.itemsize
        self.whole = np.zeros((*shape[:-1], last), dtype)
        self.view = self.whole[..., : shape[-1]]

    def shape(self) -> tuple[int, ...]:
        return self.view.shape

    def strides(self) -> list[int]:
        return [stride // self.whole.itemsize for stride in self.whole.strides]

    def dataType(self) -> int:
        return self.kind

    def multiArrayValue(self) -> FakeArray:
        return self

    def dataPointer(self) -> Any:
        memory = memoryview(self.whole.reshape(-1).view(np.uint8))
        return SimpleNamespace(as_buffer=lambda count: memory[:count])


class FakeState:
    def __init__(self, arrays: dict[str, FakeArray]):
        self.arrays = arrays

    def getMultiArrayForStateNamed_handler_(self, name: str, handler: Any) -> None:
        handler(self.arrays[name])


class FakeFeatures:
    def __init__(self, arrays: dict[str, FakeArray]):
        self.arrays = arrays

    def featureNames(self) -> list[str]:
        return list(self.arrays)

    def featureValueForName_(self, name: str) -> FakeArray:
        return self.arrays[name]


def _kind(dtype: Any) -> int:
    return next(kind for kind, known in FakeArray.TYPES.items() if known == dtype)


class FakeModel:
    """MLModel, computed by the evaluator from the package that was compiled to this folder."""

    def __init__(self, folder: Path):
        self.evaluated = EvaluatedModel(folder)
        self.program = self.evaluated.evaluator.program

    def modelDescription(self) -> Any:
        def described(values: Any) -> Any:
            return {
                name: SimpleNamespace(
                    multiArrayConstraint=lambda shape=shape, dtype=dtype: SimpleNamespace(
                        shape=lambda: shape, dataType=lambda: _kind(dtype)
                    )
                )
                for name, (shape, dtype) in values.items()
            }

        return SimpleNamespace(
            inputDescriptionsByName=lambda: described(self.program.inputs),
            stateDescriptionsByName=lambda: described(self.program.states),
        )

    def newState(self) -> FakeState:
        return FakeState({name: FakeArray(shape, _kind(dtype)) for name, (shape, dtype) in self.program.states.items()})

    def predictionFromFeatures_usingState_error_(self, given: FakeFeatures, state: FakeState, _error: None) -> Any:
        return self._predict({**given.arrays, **state.arrays}), None

    def predictionFromFeatures_error_(self, given: FakeFeatures, _error: None) -> Any:
        return self._predict(given.arrays), None

    def _predict(self, arrays: dict[str, FakeArray]) -> FakeFeatures:
        found = self.evaluated.predict({name: array.view for name, array in arrays.items()})
        results = {}
        for name, value in found.items():
            results[name] = FakeArray(value.shape, 65552)
            results[name].view[...] = value
        return FakeFeatures(results)


class FakeCoreML:
    """The names of pyobjc's module that runtime.py uses. compilations: how often a package was compiled."""

    MLComputeUnitsCPUAndNeuralEngine, MLComputeUnitsCPUOnly = 3, 0

    def __init__(self, scratch: Path):
        self.scratch, self.compilations, self.units = scratch, 0, []
        allocated = SimpleNamespace
        configuration = SimpleNamespace(setComputeUnits_=self.units.append)
        self.MLModelConfiguration = allocated(alloc=lambda: allocated(init=lambda: configuration))
        self.NSURL = allocated(fileURLWithPath_=lambda path: allocated(path=lambda: path))
        self.MLFeatureValue = allocated(featureValueWithMultiArray_=lambda array: array)
        self.MLMultiArray = allocated(
            alloc=lambda: allocated(
                initWithShape_dataType_error_=lambda shape, kind, _error: (FakeArray(tuple(shape), kind), None)
            )
        )
        self.MLDictionaryFeatureProvider = allocated(
            alloc=lambda: allocated(initWithDictionary_error_=lambda values, _error: (FakeFeatures(values), None))
        )
        self.MLModel = allocated(
            compileModelAtURL_error_=self._compile,
            modelWithContentsOfURL_configuration_error_=self._load,
        )

    def _compile(self, url: Any, _error: None) -> Any:
        self.compilations += 1
        made = self.scratch / f"compiled{self.compilations}.mlmodelc"
        shutil.copytree(url.path(), made)
        return SimpleNamespace(path=lambda: str(made)), None

    def _load(self, url: Any, _configuration: Any, _error: None) -> Any:
        if not Path(url.path()).is_dir():
            return None, "no such model"
        return FakeModel(Path(url.path())), None
