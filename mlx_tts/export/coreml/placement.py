"""Packages in, what Core ML makes of each out: where it plans the operations, load time, time of a call. For `doctor`.

Each package is looked at in a process of its own with a time limit, because Core ML can abort or hang. What is planned
is not yet what runs: Core ML may choose otherwise at the call, and nothing tells.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mlx_tts.errors import MlxTtsError
from mlx_tts.export.coreml import runtime

LIMIT_SECONDS = 600.0
CALLS = 20
NEURAL_ENGINE = "MLNeuralEngineComputeDevice"


def examine(packages: Sequence[Path]) -> dict[str, Any]:
    """{"units", "packages": name -> counts and times, or a fault}"""
    return {"units": runtime.chosen_units(), "packages": {path.stem: _examined(path) for path in packages}}


def _examined(package: Path) -> dict[str, Any]:
    size = {"megabytes": sum(file.stat().st_size for file in package.glob("**/*") if file.is_file()) / 1e6}
    command = [sys.executable, "-m", "mlx_tts.export.coreml.placement", str(package)]
    try:
        runtime.framework()
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False)
    except MlxTtsError as error:
        return {**size, "fault": str(error)}
    except subprocess.TimeoutExpired:
        return {**size, "fault": f"no answer within {LIMIT_SECONDS:.0f} s"}
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return {**size, "fault": f"the process ended with {done.returncode}: {last}"}
    return {**size, **json.loads(done.stdout.splitlines()[-1])}


def look(core: Any, package: Path, units: str) -> dict[str, Any]:
    """One package, in this process."""
    runtime.compiled(core, package)
    start = time.perf_counter()
    model = runtime.CoreMLModel(core, package, units)
    loaded = time.perf_counter() - start
    cache = model.open_cache() if model.model.modelDescription().stateDescriptionsByName() else None
    inputs = {name: np.zeros(values.shape, values.dtype) for name, (_, values) in model.inputs.items()}
    model.predict(inputs, cache)
    start = time.perf_counter()
    for _ in range(CALLS):
        model.predict(inputs, cache)
    call = 1000 * (time.perf_counter() - start) / CALLS
    on_engine, operations = planned(core, model)
    return {"load_seconds": loaded, "call_ms": call, "on_neural_engine": on_engine, "operations": operations}


def planned(core: Any, model: runtime.CoreMLModel) -> tuple[int, int]:
    """How many operations are planned on the Neural Engine, and how many there are that are planned anywhere."""
    ready, found = threading.Event(), []

    def take(plan: Any, error: Any) -> None:
        found.append((plan, error))
        ready.set()

    load = core.MLComputePlan.loadContentsOfURL_configuration_completionHandler_
    load(model.url, model.configuration, take)
    if not ready.wait(LIMIT_SECONDS) or found[0][0] is None:
        raise MlxTtsError(f"Core ML gave no plan for {model.package.name} ({found and found[0][1]})")
    plan = found[0][0]
    operations = plan.modelStructure().program().functions()["main"].block().operations()
    usages = [plan.computeDeviceUsageForMLProgramOperation_(operation) for operation in operations]
    devices = [type(usage.preferredComputeDevice()).__name__ for usage in usages if usage is not None]
    return sum(name == NEURAL_ENGINE for name in devices), len(devices)


if __name__ == "__main__":  # the child of `examine`
    print(json.dumps(look(runtime.framework(), Path(sys.argv[1]), runtime.chosen_units())))
