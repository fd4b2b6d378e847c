"""Shared fixtures: the cases of the oracle with their weights, and the trained tiny voice if it is at hand."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "fixtures" / "oracle"
sys.path.insert(0, str(ROOT / "scripts" / "oracle"))

from materialise import materialise  # noqa: E402 (found through the line above)

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


# Files whose tests are all of a kind; single tests carry their own marks.
MARKS = {
    "tests/builtin/": ("slow", "heard"),
    "tests/narration/test_long_hearing.py": ("slow", "heard"),
    "tests/test_readme.py": ("slow",),
    "tests/kernels/": ("slow", "compiled"),
    "tests/models/qwen3_tts/test_talker.py": ("slow",),
    "tests/models/qwen3_tts/test_conversion.py": ("slow",),
    "tests/models/qwen3_tts/codec/": ("slow",),
    "tests/models/magpie/test_oracle.py": ("slow",),
    "tests/models/magpie/test_rows.py": ("slow",),
    "tests/models/magpie/test_archives.py": ("slow",),
    "tests/generation/test_engine.py": ("slow",),
    "tests/runtime/": ("slow",),
    "tests/cli/test_tiny.py": ("slow",),
    "tests/cli/test_process.py": ("slow",),
    "tests/attack/": ("slow",),
    "tests/batch/test_scale.py": ("slow",),
    "tests/batch/test_ray_nodes.py": ("slow",),
    "tests/cli/test_measurement.py": ("slow",),
    "tests/checkpoints/": ("slow",),
    "tests/audio/playback/": ("slow",),
    "tests/server/test_built_in_cloning.py": ("slow", "heard"),
    "tests/server/test_clients.py": ("slow",),
    "tests/server/test_faults.py": ("slow",),
    "tests/server/test_load.py": ("slow",),
    "tests/server/test_pages.py": ("slow",),
    "tests/server/test_proxy.py": ("slow",),
    "tests/server/test_security.py": ("slow",),
    "tests/server/test_soak.py": ("slow",),
    "tests/server/test_voices.py": ("slow",),
    "tests/server/test_websocket.py": ("slow",),
    "tests/server/test_wyoming.py": ("slow",),
}
SLOW_TESTS = (  # of files that are quick otherwise
    "test_minutes_in_one_call",
    "test_a_line_of_a_megabyte",
    "test_the_number_of_rows_changes_nothing",
    "test_killed_and_resumed_is_the_same_file",
    "test_text_from_a_pipe_is_spoken_while_it_arrives",
    "test_a_book_takes_constant_memory",
    "test_a_full_disk_leaves_nothing_behind",
    "test_ctrl_c_leaves_a_valid_file_that_says_what_it_is",
    "test_a_closed_pipe_is_quiet",
    "test_loading_holds_each_weight_once",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        where = item.path.relative_to(ROOT).as_posix()
        for prefix, marks in MARKS.items():
            if where.startswith(prefix):
                for mark in marks:
                    item.add_marker(mark)
        uses_model = where.endswith("test_guard.py") and {"voice", "altered"} & set(getattr(item, "fixturenames", ()))
        if uses_model or item.name.split("[")[0] in SLOW_TESTS:
            item.add_marker("slow")


@pytest.fixture(autouse=True)
def exact_arithmetic():
    """Numbers are compared on the CPU: a GPU may multiply float32 matrices in fewer bits."""
    mx.set_default_device(mx.cpu)
    mx.random.seed(0)
