"""The oracle's cases for Magpie with their weights: `magpie("baked_s1")` is loaded once a session."""

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
from magpie.materialise import materialise

CASES = ROOT / "tests" / "fixtures" / "oracle_magpie"


@dataclass
class MagpieCase:
    """folder: plain files; archives: the folder with the two archives. golden: what NeMo computes."""

    case: Path
    archives: Path
    folder: Path
    golden: Any
    tts: Any

    def json(self, name: str) -> Any:
        return json.loads((self.case / name).read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def magpie(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], MagpieCase]]:
    cases: dict[str, MagpieCase] = {}

    def case(name: str) -> MagpieCase:
        if name not in cases:
            out = tmp_path_factory.mktemp(name)
            materialise(CASES / name, out)
            golden = np.load(CASES / name / "golden.npz")
            cases[name] = MagpieCase(CASES / name, out, out / "folder", golden, mlx_tts.load(str(out / "folder")))
        return cases[name]

    yield case
    for made in cases.values():
        made.tts.close()
