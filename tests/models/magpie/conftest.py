"""The oracle's cases for Magpie with their weights: `magpie("baked_s1")` is loaded once a session."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.helpers.family_cases import MAGPIE, FamilyCase, family_cases


@pytest.fixture(scope="session")
def magpie(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], FamilyCase]]:
    """The two archives lie next to each case's folder."""
    from magpie.materialise import materialise

    with family_cases(MAGPIE, materialise, tmp_path_factory) as case:
        yield case
