"""Shared fixtures: the cases of the oracle with their weights, and the trained tiny voice if it is at hand."""

from __future__ import annotations

import gc
import json
import os
import sys
import warnings
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

# Workers share the cores, and a BLAS of several threads spends most of its time waiting for them: before it is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import mlx.core as mx
import numpy as np
import pytest

# Where an environment forbids to keep what is compiled, each worker would compile all tests anew, which takes 5 s, and
# each command that a test starts the package. scripts/check.py does the same.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

pytest_plugins = ["tests.helpers.processor_time"]
ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "fixtures" / "oracle"
sys.path.insert(0, str(ROOT / "scripts" / "oracle"))

from materialise import materialise  # noqa: E402 (found through the line above)

from tests.helpers.compiler import speed_up_mlx  # noqa: E402

ALL_CASES = tuple(sorted(path.name for path in CASES.iterdir()))
BASE_CASES = tuple(name for name in ALL_CASES if name.startswith("base"))


@dataclass
class Case:
    """folder: a checkpoint that loads. golden: what the official code computes with it. requests: what was asked."""

    folder: Path
    golden: Any
    requests: list[dict[str, Any]]

    def request(self, name: str) -> dict[str, Any]:
        return next(request for request in self.requests if request["name"] == name)

    @cached_property
    def synthesizer(self) -> Any:
        from mlx_tts.api import load_folder

        return load_folder(self.folder)

    @property
    def model(self) -> Any:
        """The family's own synthesizer, behind the public one."""
        return self.synthesizer._synthesizer


@pytest.fixture(scope="session")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Case]:
    """`oracle("base_tiny")` -> its Case; weights are made once a session."""
    cases: dict[str, Case] = {}

    def case(name: str) -> Case:
        if name not in cases:
            folder = tmp_path_factory.mktemp(name)
            materialise(CASES / name, folder)
            requests = json.loads((CASES / name / "requests.json").read_text(encoding="utf-8"))
            cases[name] = Case(folder, np.load(CASES / name / "golden.npz"), requests)
        return cases[name]

    return case


@pytest.fixture(scope="session")
def tiny_voice() -> Path:
    """The folder of the trained tiny voice; tests that need it are skipped, and say so, where it is absent."""
    for folder in (ROOT / "shared" / "tiny_voice", ROOT.parent / "shared" / "tiny_voice"):
        if folder.is_dir():
            return folder
    message = f"NOT CHECKED against the trained tiny voice: there is no {ROOT.parent / 'shared' / 'tiny_voice'}"
    warnings.warn(message, stacklevel=1)  # pytest lists warnings even where it only counts skipped tests
    pytest.skip(message)


@pytest.fixture(scope="session")
def tiny_base() -> str:
    """The alias of the built-in model that clones; tests of it are skipped, and say so, where the package has none."""
    if (ROOT / "mlx_tts" / "builtin" / "tiny-base").is_dir():
        return "tiny-base"
    message = "NOT CHECKED: clones by the built-in model, for there is no mlx_tts/builtin/tiny-base"
    warnings.warn(message, stacklevel=1)
    pytest.skip(message)


@pytest.fixture(scope="session")
def short_tiny(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with the built-in model, whose pieces end after half a second: for tests that compare sound with sound,
    or ask which piece came where. They switch the guard off, which would make such pieces anew."""
    from mlx_tts.library.catalog import find
    from tests.helpers.short_model import short_model

    return str(short_model(find("tiny").folder, tmp_path_factory.mktemp("models") / "tiny", frames=6))


def pytest_configure(config: pytest.Config) -> None:
    speed_up_mlx()
    if not hasattr(config, "workerinput"):  # under xdist all reports arrive at the controller
        config.pluginmanager.register(NamedAtOnce(config), "named_at_once")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Ten thousand tests are no garbage: to look for some among them again and again takes each worker 2 s."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


class NamedAtOnce:
    """Prints what failed when it fails: a run that is stopped before its end has then said what it found."""

    def __init__(self, config: pytest.Config) -> None:
        self.plugins = config.pluginmanager

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        terminal = self.plugins.get_plugin("terminalreporter")
        if not report.failed or terminal is None:
            return
        said = report.longreprtext.strip().splitlines() or [""]
        reason = next((line.removeprefix("E").strip() for line in said if line.startswith("E ")), said[-1])
        terminal.ensure_newline()
        terminal.write_line(f"FAILED {report.nodeid} in its {report.when}: {reason}")


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_xdist_auto_num_workers() -> int | None:
    """`-n auto` is one worker more than there are cores: tests wait for clocks, players and servers, a fifth of their
    time, in which another has the core. Where the environment names a number, that is taken."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return (cores or 1) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """The tests of a file go to one worker: what they share is imported and made once, not once a worker. `--dist` may
    say otherwise, as where some files hold most of the work."""
    if config.getoption("dist") != "load":  # what -n alone means
        return None
    from xdist.scheduler import LoadFileScheduling

    return LoadFileScheduling(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """`smoke("a", "b")` on a test: its other cases are `long`. What is `long` is `slow` as well."""
    seen: dict[str, set[str]] = {}
    for item in items:
        if smoke := item.get_closest_marker("smoke"):
            case = item.callspec.id  # type: ignore[attr-defined]
            seen.setdefault(item.nodeid.partition("[")[0], set(smoke.args)).discard(case)
            if case not in smoke.args:
                item.add_marker("long")
        if item.get_closest_marker("long"):
            item.add_marker("slow")
    missing = {name: cases for name, cases in seen.items() if cases}
    some = config.getoption("lf", False) or any("::" in argument for argument in config.args)
    if missing and not some:
        raise pytest.UsageError(f"these tests have no such cases: {missing}")


@pytest.fixture(autouse=True)
def exact_arithmetic():
    """Numbers are compared on the CPU: a GPU may multiply float32 matrices in fewer bits."""
    mx.set_default_device(mx.cpu)
    mx.random.seed(0)


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """An empty folder to work in, with a home of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLX_TTS_HOME", str(tmp_path / "home"))
    return tmp_path
