"""Loading in a child first: what hangs, crashes or is refused there is one clear line here."""

import json
import subprocess
import sys

import pytest

from mlx_tts.errors import MlxTtsError
from mlx_tts.export.coreml import runtime

RUN = subprocess.run


@pytest.fixture
def package(tmp_path, monkeypatch):
    monkeypatch.setenv("MLX_TTS_COREML", "cpu")
    return tmp_path / "CodeDecoder.mlpackage"


def child(monkeypatch, code: str) -> None:
    """A program in the place of Python, that runs this code whatever it is asked for."""
    monkeypatch.setattr(runtime.subprocess, "run", lambda _line, **how: RUN([sys.executable, "-c", code], **how))


def test_a_load_that_hangs(package, monkeypatch):
    child(monkeypatch, "import time; time.sleep(60)")
    with pytest.raises(MlxTtsError, match=r"did not load the packages within 0 s: MLX_TTS_COREML=cpu leaves"):
        runtime.first_load([package], seconds=0.3)


def test_a_load_that_ends_the_process(package, monkeypatch):
    child(monkeypatch, "import os; os.abort()")
    with pytest.raises(MlxTtsError, match="the process ended with -6"):
        runtime.first_load([package])
    child(monkeypatch, "raise SystemExit('ANECCompile failed')")
    with pytest.raises(MlxTtsError, match=r"could not load the packages \(ANECCompile failed\)"):
        runtime.first_load([package])


def test_a_load_that_went_well_is_not_tried_again(package, monkeypatch):
    child(monkeypatch, "pass")
    runtime.first_load([package])
    assert json.loads((package.parent / runtime.TRIED).read_text())["units"] == "cpu"
    child(monkeypatch, "raise SystemExit(1)")
    runtime.first_load([package])
    monkeypatch.setenv("MLX_TTS_COREML", "ne")
    with pytest.raises(MlxTtsError, match="could not load"):
        runtime.first_load([package])
