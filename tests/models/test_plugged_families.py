"""A package that nobody here knows brings a family by its entry point; a broken one is named in one line."""

import json
import os
import subprocess
import sys

import pytest

from mlx_tts.models import families
from tests.helpers.paths import ROOT

SPEAK = """
import mlx_tts
with mlx_tts.load({folder!r}) as tts:
    print(tts.info.family, tts.speak("Hello there.", voice="high", seed=3).sample_rate)
"""


def install(site, entry: str, module: str = "") -> None:
    """What pip leaves of a package: its module, and its metadata with the entry point."""
    site.mkdir(exist_ok=True)
    if module:
        (site / "stranger.py").write_text(module)
    information = site / "mlx_tts_stranger-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: mlx-tts-stranger\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(f"[{families.GROUP}]\n{entry}\n")


@pytest.fixture
def place(tmp_path):
    """Where to install, and a checkpoint that only the toy family reads."""
    folder = tmp_path / "tones"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"model_type": "toy_tones"}))
    return tmp_path / "site", folder


def python(site, *line: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(site), str(ROOT)])
    return subprocess.run(
        [sys.executable, *line], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}, cwd=site.parent
    )


@pytest.mark.slow
def test_a_family_of_another_package_speaks(place):
    site, folder = place
    install(site, "toy = stranger:FAMILY", "from tests.helpers.toy_family import FAMILY\n")
    done = python(site, "-c", SPEAK.format(folder=str(folder)))
    assert (done.stdout, done.returncode) == ("toy 48000\n", 0), done.stderr
    done = python(site, "-m", "mlx_tts", "speak", "Hello.", "--model", str(folder), "-o", "out.wav")
    assert done.returncode == 0, done.stderr
    assert (site.parent / "out.wav").stat().st_size > 10_000


@pytest.mark.slow
@pytest.mark.parametrize(
    ("entry", "module", "fault"),
    [
        ("toy = stranger:FAMILY", "import nothing_of_this_name\n", "No module named 'nothing_of_this_name'"),
        ("toy = stranger:FAMILY", "FAMILY = 3\n", "stranger:FAMILY is not a family with this name"),
        ("other = stranger:FAMILY", "from tests.helpers.toy_family import FAMILY\n", "not a family with this name"),
        ("magpie = stranger:FAMILY", "raise SystemError\n", "the name of a family of mlx-tts"),
    ],
)
def test_one_line_says_what_is_wrong_with_a_package(place, entry, module, fault):
    site, folder = place
    install(site, entry, module)
    done = python(site, "-m", "mlx_tts", "speak", "Hello.", "--model", str(folder), "-o", "out.wav")
    assert done.returncode == 1
    assert "the package mlx-tts-stranger has a family" in done.stderr
    assert fault in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_ordinary_speech_and_help_never_look_at_other_packages(place):
    site, _ = place
    install(site, "toy = stranger:FAMILY", "raise SystemExit('looked at')\n")
    assert python(site, "-m", "mlx_tts", "--help").returncode == 0
    line = ["speak", "Hi.", "--model", "tiny", "--max-seconds", "0.2", "-q", "-o", "out.wav"]
    done = python(site, "-m", "mlx_tts", *line)
    assert done.returncode == 0, done.stderr
