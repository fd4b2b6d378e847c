"""A package in, a model that Core ML runs out, through pyobjc: the only module that speaks to Apple's framework.

Units are the Neural Engine with the CPU, or the CPU alone (MLX_TTS_COREML=cpu); with the GPU Core ML has been seen to
abort the process. The framework's names are those of Apple's documentation, with pyobjc's underscores.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlx_tts.errors import MlxTtsError, ModelError, RequestError
from mlx_tts.export.coreml.evaluator import OpenModel
from mlx_tts.extras import missing
from mlx_tts.shortened import shown

Array = NDArray[Any]
UNITS = {"ne": "MLComputeUnitsCPUAndNeuralEngine", "cpu": "MLComputeUnitsCPUOnly"}
TYPES = {65552: np.float16, 65568: np.float32, 131104: np.int32}  # values of MLMultiArrayDataType
COMPILED, TRIED = ".mlmodelc", "loaded.json"
FIRST_LOAD_SECONDS = 900.0  # the Neural Engine's compiler may take minutes, once
LEAST_MACOS = 15


def chosen_units() -> str:
    """ "ne" or "cpu"."""
    asked = os.environ.get("MLX_TTS_COREML", "ne")
    if asked not in UNITS:
        raise RequestError(f"MLX_TTS_COREML is {shown(asked)}: use {' or '.join(UNITS)}")
    return asked


def framework() -> Any:
    """The module CoreML of pyobjc; MlxTtsError where there is none."""
    if sys.platform != "darwin":
        raise MlxTtsError(
            "--engine coreml needs a Mac (Core ML is a part of macOS): leave it out to speak with MLX here"
        )
    if int(platform.mac_ver()[0].split(".")[0]) < LEAST_MACOS:
        raise MlxTtsError(f"--engine coreml needs macOS {LEAST_MACOS} or newer, this is {platform.mac_ver()[0]}")
    try:
        return importlib.import_module("CoreML")
    except ImportError:
        raise MlxTtsError(missing("--engine coreml needs pyobjc", "coreml")) from None


def first_load(packages: Sequence[Path], seconds: float = FIRST_LOAD_SECONDS) -> None:
    """Load packages in another process, with a time limit, once for each version of macOS: the first load compiles for
    the chip, which may take minutes, hang, or end the process."""
    units, mark = chosen_units(), packages[0].parent / TRIED
    tried = {"macos": platform.mac_ver()[0], "units": units}
    if mark.is_file() and mark.read_text(encoding="utf-8") == json.dumps(tried):
        return
    command = [sys.executable, "-m", "mlx_tts.export.coreml.runtime", *map(str, packages)]
    hint = "MLX_TTS_COREML=cpu leaves the Neural Engine out; please report it with `mlx-tts doctor --model FOLDER`"
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        raise MlxTtsError(f"Core ML did not load the packages within {seconds:.0f} s: {hint}") from None
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"the process ended with {done.returncode}"]
        raise MlxTtsError(f"Core ML could not load the packages ({lines[-1]}): {hint}")
    with contextlib.suppress(OSError):
        mark.write_text(json.dumps(tried), encoding="utf-8")


def opener() -> OpenModel:
    """What opens a package on this machine."""
    core, units = framework(), chosen_units()
    return lambda package: CoreMLModel(core, package, units)


class CoreMLModel:
    """One loaded package. Its input arrays are made once and filled again for each call."""

    def __init__(self, core: Any, package: Path, units: str):
        self.core = core
        configuration = core.MLModelConfiguration.alloc().init()
        configuration.setComputeUnits_(getattr(core, UNITS[units]))
        self.url = _url(core, compiled(core, package))
        self.configuration = configuration
        model, error = core.MLModel.modelWithContentsOfURL_configuration_error_(self.url, configuration, None)
        self.model = _must(model, error, package)
        described = self.model.modelDescription().inputDescriptionsByName()
        self.inputs = {str(name): self._array(described[name].multiArrayConstraint()) for name in described}
        values = {
            name: core.MLFeatureValue.featureValueWithMultiArray_(array) for name, (array, _) in self.inputs.items()
        }
        provider, error = core.MLDictionaryFeatureProvider.alloc().initWithDictionary_error_(values, None)
        self.provider, self.package = _must(provider, error, package), package

    def _array(self, constraint: Any) -> tuple[Any, Array]:
        """An MLMultiArray of this shape and type, and a numpy view of its memory."""
        array, error = self.core.MLMultiArray.alloc().initWithShape_dataType_error_(
            constraint.shape(), constraint.dataType(), None
        )
        array = _must(array, error, "an input")
        return array, view(array)

    def open_cache(self) -> CoreMLCache:
        return CoreMLCache(self.model.newState())

    def predict(self, inputs: Mapping[str, Array], cache: CoreMLCache | None = None) -> dict[str, Array]:
        for name, value in inputs.items():
            self.inputs[name][1][...] = value
        if cache is None:
            found, error = self.model.predictionFromFeatures_error_(self.provider, None)
        else:
            found, error = self.model.predictionFromFeatures_usingState_error_(self.provider, cache.state, None)
        found = _must(found, error, self.package)
        names = [str(name) for name in found.featureNames()]
        return {name: view(found.featureValueForName_(name).multiArrayValue()).astype(np.float32) for name in names}


class CoreMLCache:
    """The state of one row: the graph reads it, columns are written from here into Core ML's own memory."""

    def __init__(self, state: Any):
        self.state = state

    def write(self, name: str, column: int, value: Array) -> None:
        def put(array: Any) -> None:
            view(array)[..., column : column + 1] = value

        self.state.getMultiArrayForStateNamed_handler_(name, put)


def view(array: Any) -> Array:
    """An MLMultiArray's memory as numpy sees it; rows may be padded, so the strides are asked for."""
    dtype = np.dtype(TYPES[int(array.dataType())])
    shape, strides = [int(n) for n in array.shape()], [int(n) * dtype.itemsize for n in array.strides()]
    reach = dtype.itemsize + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    return np.ndarray(shape, dtype, array.dataPointer().as_buffer(reach), 0, strides)


def compiled(core: Any, package: Path) -> Path:
    """The package as Core ML loads it. It is compiled once and kept next to the package: what the chip's own compiler
    makes of it is kept by the system under this path."""
    kept = package.with_suffix(COMPILED)
    if not kept.is_dir():
        url, error = core.MLModel.compileModelAtURL_error_(_url(core, package), None)
        made = Path(str(_must(url, error, package).path()))
        unfinished = kept.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        try:
            shutil.move(made, unfinished)
            unfinished.rename(kept)
        except OSError as problem:
            raise MlxTtsError(f"{kept} cannot be written ({problem}): copy the folder to where you may write") from None
    return kept


def _url(core: Any, path: Path) -> Any:
    return core.NSURL.fileURLWithPath_(str(path))


def _must(result: Any, error: Any, package: Any) -> Any:
    if result is None:
        name = package.name if isinstance(package, Path) else package
        raise ModelError(f"Core ML refused {name} ({error}): `mlx-tts doctor --model FOLDER` says more")
    return result


if __name__ == "__main__":  # the child of `first_load`
    open_one = opener()
    for given in sys.argv[1:]:
        open_one(Path(given))
