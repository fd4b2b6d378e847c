"""A network with nothing but 127.0.0.1 in it, so that what tests start can be reached from nowhere else."""

from __future__ import annotations

import ctypes
import os
import subprocess
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

NEW_NETWORK = 0x40000000  # CLONE_NEWNET
OWN = Path("/proc/thread-self/ns/net")


@contextmanager
def closed_network() -> Iterator[None]:
    """This thread, and all that it starts meanwhile, is in a network of its own. Only root may make one; others are
    skipped with a line that says how to run the tests."""
    libc = ctypes.CDLL(None, use_errno=True)
    before = os.open(OWN, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if libc.unshare(NEW_NETWORK):
            message = (
                f"NOT CHECKED on Ray nodes: no network of their own ({os.strerror(ctypes.get_errno())}); run as root, "
                "or under `unshare --user --map-root-user`"
            )
            warnings.warn(message, stacklevel=1)
            pytest.skip(message)
        try:
            subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
            yield
        finally:
            if libc.setns(before, NEW_NETWORK):
                raise OSError(ctypes.get_errno(), "the network of before cannot be entered again")
    finally:
        os.close(before)
