"""What `doctor` says of a package: counts of the plan, times of a call, and a line for a process that ends or hangs."""

import subprocess
import sys
from types import SimpleNamespace

import pytest

from mlx_tts.errors import MlxTtsError
from mlx_tts.export.coreml import placement, runtime
from mlx_tts.export.coreml.graph import Form, save
from tests.helpers.coreml import FakeCoreML, needs_coremltools

RUN = subprocess.run
ENGINE, CPU = placement.NEURAL_ENGINE, "MLCPUComputeDevice"


@pytest.fixture
def package(tmp_path, monkeypatch):
    monkeypatch.setenv("MLX_TTS_COREML", "cpu")
    folder = tmp_path / "SpeechDecoder.mlpackage"
    folder.mkdir()
    (folder / "weights").write_bytes(bytes(2_000_000))
    return folder


def usage(device: str | None) -> object:
    """What a plan says of one operation: the class of the device is its answer. Constants are planned nowhere."""
    return device and SimpleNamespace(preferredComputeDevice=type(device, (), {}))


def core_with_plan(devices, error=None) -> object:
    """Apple's framework as far as a plan goes, which it hands over in a callback."""
    operations = list(enumerate(devices))
    block = SimpleNamespace(block=lambda: SimpleNamespace(operations=lambda: operations))
    program = SimpleNamespace(functions=lambda: {"main": block})
    plan = SimpleNamespace(
        modelStructure=lambda: SimpleNamespace(program=lambda: program),
        computeDeviceUsageForMLProgramOperation_=lambda operation: usage(operation[1]),
    )

    def load(_url, _configuration, take):
        take(None if error else plan, error)

    return SimpleNamespace(MLComputePlan=SimpleNamespace(loadContentsOfURL_configuration_completionHandler_=load))


def loaded(package) -> object:
    return SimpleNamespace(url="url", configuration="configuration", package=package)


def test_operations_are_counted_by_the_device_that_is_planned(package):
    core = core_with_plan([ENGINE, CPU, ENGINE, None, ENGINE])
    assert placement.planned(core, loaded(package)) == (3, 4)


def test_a_plan_that_is_refused_or_never_comes(package, monkeypatch):
    with pytest.raises(MlxTtsError, match=r"no plan for SpeechDecoder.mlpackage .*out of luck"):
        placement.planned(core_with_plan([], error="out of luck"), loaded(package))
    monkeypatch.setattr(placement, "LIMIT_SECONDS", 0.1)
    silent = core_with_plan([])
    silent.MLComputePlan.loadContentsOfURL_configuration_completionHandler_ = lambda *_: None
    with pytest.raises(MlxTtsError, match="no plan"):
        placement.planned(silent, loaded(package))


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("import os; os.abort()", "the process ended with -6: no message"),
        ("raise SystemExit('ANECCompile failed')", "the process ended with 1: ANECCompile failed"),
        ("import time; time.sleep(60)", "no answer within 1 s"),
    ],
)
def test_a_package_that_breaks_its_process_is_a_line(package, monkeypatch, code, fault):
    monkeypatch.setattr(runtime, "framework", lambda: None)
    monkeypatch.setattr(placement, "LIMIT_SECONDS", 1.0)
    monkeypatch.setattr(placement.subprocess, "run", lambda _line, **how: RUN([sys.executable, "-c", code], **how))
    found = placement.examine([package])
    assert found == {"units": "cpu", "packages": {"SpeechDecoder": {"megabytes": 2.0, "fault": fault}}}


@pytest.mark.slow
@needs_coremltools()
def test_a_package_is_loaded_called_and_timed(tmp_path):
    """With a state and without one, since Core ML has a call for each."""
    core = FakeCoreML(tmp_path)
    core.MLComputePlan = core_with_plan([ENGINE, ENGINE, CPU]).MLComputePlan
    shape = (1, 4, 1, 1)
    save(tmp_path / "plain.mlpackage", Form(), {"x": shape}, lambda graph, given: {"y": given["x"]})
    save(
        tmp_path / "cache.mlpackage", Form(), {"x": shape},
        lambda graph, given: {"y": graph.op.add(x=given["x"], y=given["keys"])}, states={"keys": shape},
    )  # fmt: skip
    for name in ("plain", "cache"):
        found = placement.look(core, tmp_path / f"{name}.mlpackage", "ne")
        assert (found["on_neural_engine"], found["operations"]) == (2, 3)
        assert found["load_seconds"] > 0 and found["call_ms"] > 0
    assert set(core.units) == {core.MLComputeUnitsCPUAndNeuralEngine}


@pytest.mark.skipif(sys.platform == "darwin", reason="there the framework is found")
def test_off_a_mac_each_package_says_so(package):
    (found,) = placement.examine([package])["packages"].values()
    assert "needs a Mac" in found["fault"]
