"""The wheel of this tree, and the installer of the group `dev` on PATH, for tests that install as users do."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.paths import ROOT


@pytest.fixture(scope="module")
def built_wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Its path. While the tests of a module run, `uv` is found: also where the environment of pytest is not active."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{os.environ['PATH']}{os.pathsep}{Path(sys.executable).parent}")
        if shutil.which("uv") is None:
            pytest.skip("NOT CHECKED: installs of the wheel, for uv is missing; it is in the group dev")
        folder = tmp_path_factory.mktemp("dist")
        subprocess.run(["uv", "build", "-q", "--wheel", "--out-dir", folder, ROOT], check=True)
        yield next(folder.glob("*.whl"))
