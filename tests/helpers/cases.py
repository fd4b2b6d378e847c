"""Many small cases in one test, where pytest's own work for a test costs more than they do. All that fail are named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

MOST_SHOWN = 50


class Cases:
    """`with Cases() as case:`, and in it `with case(name):` around each case. One that fails lets the others go on."""

    def __init__(self) -> None:
        self.tried = 0
        self.failed: list[str] = []

    def __enter__(self) -> Cases:
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is None and not self.tried:
            pytest.fail("there was no case", pytrace=False)
        if kind is None and self.failed:
            shown = "\n".join(self.failed[:MOST_SHOWN])
            pytest.fail(f"{len(self.failed)} of {self.tried} cases:\n{shown}", pytrace=False)

    def __call__(self, *name: object) -> AbstractContextManager[None]:
        return self._one(name)

    @contextmanager
    def _one(self, name: tuple[object, ...]) -> Iterator[None]:
        self.tried += 1
        try:
            yield
        except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 (whatever a test may end with)
            said = str(error).strip() if isinstance(error, AssertionError) else repr(error)
            self.failed.append(f"{', '.join(map(repr, name))}: {said}")
