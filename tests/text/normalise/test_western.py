"""German, Spanish, French, Italian, Portuguese and English: what rounds of paragraphs written anew found, by rule."""

from pathlib import Path

import pytest

from mlx_tts.text.normalise.normaliser import normalise
from tests.helpers.cases import Cases

HERE = Path(__file__).parent
WRITTEN = (HERE / "western.txt").read_text(encoding="utf-8") + (HERE / "romance.txt").read_text(encoding="utf-8")
CASES: dict[str, list[list[str]]] = {}
for line in WRITTEN.splitlines():
    if line.startswith("# "):
        language = line[2:]
    elif line:
        CASES.setdefault(language, []).append(line.split(" => "))


@pytest.mark.parametrize("language", CASES)
def test_what_is_said(language):
    with Cases() as case:
        for written, said in CASES[language]:
            with case(written):
                assert normalise(written, *language.split()) == said
