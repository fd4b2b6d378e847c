"""The oracle's cases for VoxCPM with their weights: `voxcpm("text")` is loaded once a session."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlx_tts
from tests.helpers.paths import ROOT

sys.path.insert(0, str(ROOT / "scripts" / "oracle"))
from voxcpm2.materialise import materialise

CASES = ROOT / "tests" / "fixtures" / "oracle_voxcpm2"


@dataclass
class VoxCPMCase:
    """folder: the checkpoint with its weights. golden: what the official code computes."""

    case: Path
    folder: Path
    golden: Any
    tts: Any

    def json(self, name: str) -> Any:
        return json.loads((self.case / name).read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def voxcpm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], VoxCPMCase]]:
    cases: dict[str, VoxCPMCase] = {}

    def case(name: str) -> VoxCPMCase:
        if name not in cases:
            folder = tmp_path_factory.mktemp(name) / "folder"
            materialise(CASES / name, folder)
            for file in folder.iterdir():
                file.chmod(0o644)
            golden = np.load(CASES / name / "golden.npz")
            cases[name] = VoxCPMCase(CASES / name, folder, golden, mlx_tts.load(str(folder)))
        return cases[name]

    yield case
    for made in cases.values():
        made.tts.close()
