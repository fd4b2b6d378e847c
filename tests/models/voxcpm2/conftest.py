"""The oracle's cases for VoxCPM with their weights: `voxcpm("text")` is loaded once a session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.helpers.family_cases import VOXCPM, FamilyCase, family_cases


@pytest.fixture(scope="session")
def voxcpm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], FamilyCase]]:
    from voxcpm2.materialise import materialise

    def make(case: Path, out: Path) -> None:
        materialise(case, out / "folder")
        for file in (out / "folder").iterdir():
            file.chmod(0o644)

    with family_cases(VOXCPM, make, tmp_path_factory) as case:
        yield case
