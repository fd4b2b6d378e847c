"""A browser for the tests of the page, and the page of a server with the built-in voices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.helpers.browser import browser, opened_page


@pytest.fixture(scope="module")  # its event loop must not stay for the tests behind
def chrome() -> Iterator[Any]:
    with browser() as opened:
        yield opened


@pytest.fixture
def page(chrome: Any, server: Any) -> Iterator[Any]:
    """The page of the shared server. At the end: no other host was asked, and no script complained."""
    with opened_page(chrome, server.url) as (page, seen):
        yield page
        seen.check(server.url)
