"""The oracle's cases of the families that have fixtures of their own: weights are made, and the model loaded, once."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlx_tts
from mlx_tts import SpeechRequest
from mlx_tts.errors import RequestError
from tests.helpers.paths import ROOT

sys.path.insert(0, str(ROOT / "scripts" / "oracle"))  # where the families' `materialise` are

MAGPIE, VOXCPM, KOKORO = (
    ROOT / "tests" / "fixtures" / name for name in ("oracle_magpie", "oracle_voxcpm2", "oracle_kokoro")
)


@dataclass
class FamilyCase:
    """folder: the checkpoint with its weights, in a folder of its own. golden: what the official code computes."""

    case: Path
    folder: Path
    golden: Any
    tts: Any

    def json(self, name: str) -> Any:
        return json.loads((self.case / name).read_text(encoding="utf-8"))


@contextmanager
def family_cases(
    fixtures: Path, make: Callable[[Path, Path], None], temporary: pytest.TempPathFactory
) -> Iterator[Callable[[str], FamilyCase]]:
    """A function from a case's name to the case. make: (case, out) -> the checkpoint in out/folder."""
    cases: dict[str, FamilyCase] = {}

    def case(name: str) -> FamilyCase:
        if name not in cases:
            stored, out = fixtures / name, temporary.mktemp(name)
            make(stored, out)
            golden = np.load(stored / "golden.npz")
            cases[name] = FamilyCase(stored, out / "folder", golden, mlx_tts.load(str(out / "folder")))
        return cases[name]

    yield case
    for made in cases.values():
        made.tts.close()


def refused(tts: Any, match: str, text: str = "Hello.", **fields: Any) -> None:
    """Such a request is refused, in one line."""
    with pytest.raises(RequestError, match=match) as error:
        tts.check(SpeechRequest(text, **fields))
    assert "\n" not in str(error.value)
