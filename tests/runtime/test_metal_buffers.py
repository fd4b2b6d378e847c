"""Longer command buffers where they help, and nowhere else."""

import os
import platform
import subprocess
import sys
from types import SimpleNamespace

import pytest

from mlx_tts.runtime import metal_buffers
from mlx_tts.runtime.metal_buffers import NAME, lengthen_command_buffers

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("system", "brand", "given", "loaded", "wanted"),
    [
        ("darwin", "Apple M1\n", None, False, "100"),
        ("darwin", "Apple M2 Max\n", None, False, "100"),
        ("darwin", "Apple M4 Pro\n", None, False, "100"),
        ("darwin", "Apple M5\n", None, False, None),
        ("darwin", "Apple M10\n", None, False, None),
        ("darwin", "Apple M1\n", "40", False, "40"),
        ("darwin", "Apple M1\n", None, True, None),
        ("linux", "Apple M1\n", None, False, None),
    ],
)
def test_which_machines(system, brand, given, loaded, wanted, monkeypatch):
    monkeypatch.delenv(NAME, raising=False)
    if given:
        monkeypatch.setenv(NAME, given)
    monkeypatch.setattr(metal_buffers.sys, "platform", system)
    monkeypatch.setattr(platform, "machine", lambda: "arm64")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: SimpleNamespace(stdout=brand))
    modules = dict(sys.modules)
    modules.pop("mlx.core", None)
    monkeypatch.setattr(metal_buffers.sys, "modules", modules | ({"mlx.core": None} if loaded else {}))
    before = dict(os.environ)
    lengthen_command_buffers()
    found = os.environ.get(NAME)
    os.environ.clear()
    os.environ.update(before)
    assert found == wanted
