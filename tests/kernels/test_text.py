"""The kernels' text in its files: whole, formatted, and in the wheel."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from mlx_tts.kernels.core import source
from tests.helpers.paths import ROOT

FILES = sorted(source.FOLDER.glob("*.h"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_part_is_found_and_whole(path):
    parts = source._parts_of(path.stem)
    assert len(parts) - 1 == len(re.findall(r"^PART\(", path.read_text(), re.MULTILINE))
    for part in parts:
        text = source.text_of(path.stem, part)
        assert not re.search(r"PART\(|INSERT\(|^#include \"", text, re.MULTILINE)
        assert text.count("{") == text.count("}")
        assert source.text_of(path.stem, part) is text  # its hash is taken at each launch, and kept with it


def test_the_text_travels_with_the_package():
    assert FILES and all(path.is_relative_to(ROOT / "mlx_tts") for path in FILES)
    assert 'packages = ["mlx_tts"]' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    ignored = subprocess.run(["git", "check-ignore", *map(str, FILES)], cwd=ROOT, capture_output=True, check=False)
    assert not ignored.stdout  # hatch leaves out what git ignores


@pytest.mark.skipif(shutil.which("clang-format") is None, reason="NOT CHECKED: the kernels' layout, for want of it")
def test_clang_format_leaves_it_as_it_is():
    subprocess.run(["clang-format", "--dry-run", "--Werror", *map(str, FILES)], cwd=ROOT, check=True)
