"""docs/reading.md: its Python example prints what it says, its lexicon is one, its dry run is true."""

import re
import subprocess
import sys

import pytest

from mlx_tts.text.normalise.lexicon import read_lexicon
from mlx_tts.text.reading import Reading
from tests.helpers.paths import ROOT

TEXT = (ROOT / "docs" / "reading.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    match = re.search(rf"^```{language}\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    assert match
    return match[1]


@pytest.mark.slow
def test_the_python_example():
    printed = subprocess.run(
        [sys.executable, "-c", block("python")], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert printed.stdout == TEXT.rpartition("prints\n\n```\n")[2].partition("```")[0]


def test_the_lexicon(tmp_path):
    (tmp_path / "words.toml").write_text(block("toml"), encoding="utf-8")
    reading = Reading("off", read_lexicon(tmp_path / "words.toml"))
    assert (
        reading.spoken("SIOBHAN writes SQL at B12, a Gift.", "english") == "shi-vawn writes sequel at bee 1 2, a Gift."
    )


def test_the_dry_run():
    command, said = block("").strip().split("\n")
    written = command.partition('"')[2].rstrip('"').replace("\\$", "$")
    assert Reading("on").spoken(written, "english") == said
