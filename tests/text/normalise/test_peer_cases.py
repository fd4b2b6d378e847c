"""How many written forms of another normaliser's tests, and of everyday texts, are read in one of the accepted ways.

`forms` has forms of the same kinds that were written before anyone looked at the rules."""

import re
import unicodedata
from functools import cache
from pathlib import Path

import pytest

import mlx_tts

HERE = Path(__file__).parent
SILENT = re.compile(r"[\s.,;:!?…'\"’‘“”„«»‹›¿¡()\[\]\-‐‑‒–—·、。，：；！？「」『』（）_]")
# Percent of all cases and of the everyday ones.
WANTED = {"en": (98, 95), "de": (98, 95), "es": (98, 95), "fr": (96, 95), "it": (96, 95), "pt": (98, 95), "ru": (98, 0),
          "ja": (96, 0), "zh": (95, 0), "ko": (98, 0)}  # fmt: skip
WANTED_FORMS = 94


def compared(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return SILENT.sub("", unicodedata.normalize("NFC", folded)).replace("ё", "е")


@cache
def answers(code: str, folder: str = "peer") -> list[tuple[str, str, bool, str]]:
    """kind, written, right, said."""
    found = []
    for line in (HERE / folder / f"{code}.tsv").read_text(encoding="utf-8").splitlines():
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
def test_enough_of_other_forms_is_right(code):
    cases = answers(code, "forms")
    wrong = [(written, said) for _, written, right, said in cases if not right]
    assert len(cases) >= 40
    assert 100 * (len(cases) - len(wrong)) / len(cases) >= WANTED_FORMS, wrong


@pytest.mark.parametrize("code", WANTED)
def test_no_answer_mixes_digits_and_words(code):
    for _, written, _, said in (*answers(code), *answers(code, "forms")):
        assert not re.search(r"\d", said) or compared(said) == compared(written), (written, said)
