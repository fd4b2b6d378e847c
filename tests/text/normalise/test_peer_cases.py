"""How many written forms of another normaliser's tests, and of everyday texts, are read in one of the accepted ways."""

import re
import unicodedata
from functools import cache
from pathlib import Path

import pytest

import mlx_tts

PEER = Path(__file__).parent / "peer"
SILENT = re.compile(r"[\s.,;:!?…'\"’‘“”„«»‹›¿¡()\[\]\-‐‑‒–—·、。，：；！？「」『』（）_]")
# Percent of all cases and of the everyday ones.
WANTED = {"en": (98, 95), "de": (98, 95), "es": (98, 95), "fr": (96, 95), "it": (96, 95), "pt": (98, 95), "ru": (98, 0),
          "ja": (96, 0), "zh": (95, 0), "ko": (98, 0)}  # fmt: skip


def compared(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return SILENT.sub("", unicodedata.normalize("NFC", folded)).replace("ё", "е")


@cache
def answers(code: str) -> list[tuple[str, str, bool, str]]:
    """kind, written, right, said."""
    found = []
    for line in (PEER / f"{code}.tsv").read_text(encoding="utf-8").splitlines():
        kind, written, spoken = line.split("\t")
        said = mlx_tts.normalise(written, language=code)
        right = compared(said) in {compared(form) for form in spoken.split(" | ")}
        found.append((kind, written, right, said))
    return found


@pytest.mark.parametrize("code", WANTED)
def test_enough_is_right(code):
    cases = answers(code)
    own = [right for kind, _, right, _ in cases if kind.startswith("own ")]
    wrong = [(written, said) for _, written, right, said in cases if not right]
    assert 100 * (len(cases) - len(wrong)) / len(cases) >= WANTED[code][0], wrong
    assert not own or 100 * sum(own) / len(own) >= WANTED[code][1], wrong


@pytest.mark.parametrize("code", WANTED)
def test_no_answer_mixes_digits_and_words(code):
    for _, written, _, said in answers(code):
        assert not re.search(r"\d", said) or compared(said) == compared(written), (written, said)
