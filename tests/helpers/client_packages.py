"""Packages of other programs that tests speak through: skipped where they are missing, or demanded as in CI."""

import os
from importlib.util import find_spec

import pytest

EVERY_CLIENT = "MLX_TTS_EVERY_CLIENT"  # set by the job `clients`, which installs all of them


def needs_client(package: str, what: str) -> None:
    """Skip the test that checks `what`, and say so; fail instead where every client has to be there."""
    try:
        found = find_spec(package)
    except ModuleNotFoundError:  # a package around it is missing
        found = None
    if found is None:
        reason = f"NOT CHECKED: {what}, for {package} is not installed"
        if os.environ.get(EVERY_CLIENT):
            pytest.fail(f"{reason}, and {EVERY_CLIENT} wants every client")
        pytest.skip(reason)
