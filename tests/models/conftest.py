"""What the tests of several families share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="module")
def loaded() -> Iterator[dict[str, Any]]:
    """Models by name, filled by the tests of a file and closed after the last of them."""
    models: dict[str, Any] = {}
    yield models
    for tts in models.values():
        tts.close()
