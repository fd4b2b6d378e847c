"""German, Spanish, French, Italian, Portuguese and English: what rounds of paragraphs written anew found, by rule."""

from pathlib import Path

import pytest

from mlx_tts.text.normalise.normaliser import normalise

HERE = Path(__file__).parent
WRITTEN = (HERE / "western.txt").read_text(encoding="utf-8") + (HERE / "romance.txt").read_text(encoding="utf-8")
CASES = []
for line in WRITTEN.splitlines():
    if line.startswith("# "):
        language = line[2:]
    elif line:
        CASES.append((language, *line.split(" => ")))


@pytest.mark.parametrize(("language", "written", "said"), CASES)
def test_what_is_said(language, written, said):
    assert normalise(written, *language.split()) == said
