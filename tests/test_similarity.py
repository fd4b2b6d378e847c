"""scripts/similarity.py: cosines in order, a table, a picture that an XML parser reads."""

import sys

import numpy as np
import pytest
from defusedxml import ElementTree

from tests.helpers.paths import ROOT


@pytest.fixture
def similarity(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    before = list(sys.path)
    import similarity

    yield similarity
    sys.modules.pop("similarity")
    sys.path[:] = before


REFERENCE = np.array([3.0, 0.0, 4.0])
OTHERS = [
    ("other.wav", "distractor", np.array([0.0, 2.0, 0.0])),
    ("a & b.wav", "result", np.array([6.0, 0.0, 8.0])),
    ("c.wav", "result", np.array([1.0, 0.0, 0.0])),
]


def test_the_most_similar_comes_first(similarity):
    rows = similarity.compare(REFERENCE, OTHERS)
    assert [(row.name, round(row.similarity, 6)) for row in rows] == [
        ("a & b.wav", 1.0),
        ("c.wav", 0.6),
        ("other.wav", 0),
    ]
    assert similarity.table(rows).splitlines()[2] == "| a & b.wav | result | 1.000 |"


def test_a_distractor_that_is_closer_is_noticed(similarity):
    assert not similarity.mixed_up(similarity.compare(REFERENCE, OTHERS))
    closer = [*OTHERS, ("twin.wav", "distractor", np.array([3.0, 1.0, 4.0]))]
    assert similarity.mixed_up(similarity.compare(REFERENCE, closer))


def test_the_picture(similarity):
    svg = ElementTree.fromstring(similarity.picture("me.wav", similarity.compare(REFERENCE, OTHERS)))
    widths = [float(bar.get("width")) for bar in svg.iter("{http://www.w3.org/2000/svg}rect") if bar.get("x")]
    assert widths == [400.0, 240.0, 0.0]
    assert "a & b.wav" in [text.text for text in svg.iter("{http://www.w3.org/2000/svg}text")]
