"""German, Spanish, French, Italian, Portuguese and English: what rounds of paragraphs written anew found, by rule."""

from pathlib import Path

import pytest

from mlx_tts.text.normalise.normaliser import normalise

CASES = []
for line in Path(__file__).with_name("western.txt").read_text(encoding="utf-8").splitlines():
    if line.startswith("# "):
        language = line[2:]
    elif line:
        CASES.append((language, *line.split(" => ")))


@pytest.mark.parametrize(("language", "written", "said"), CASES)
def test_what_is_said(language, written, said):
    assert normalise(written, *language.split()) == said
