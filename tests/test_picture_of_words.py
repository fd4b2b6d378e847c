"""scripts/picture_of_words.py: every word stands where its time is, and the picture in docs is one of these."""

import numpy as np
from defusedxml import ElementTree

from scripts.picture_of_words import LEFT, RIGHT, TEXT, WIDTH, picture
from tests.helpers.paths import ROOT

SVG = "{http://www.w3.org/2000/svg}"
MARKS = [("One", 0.0, 0.5), ("<two>", 0.5, 1.0), ("three", 1.0, 2.0)]


def test_words_stand_where_they_are_spoken():
    root = ElementTree.fromstring(picture(np.sin(np.arange(48_000) / 9), 24_000, {"marks": MARKS, "heard": MARKS[:1]}))
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert texts[:6] == ["marks", "One", "<two>", "three", "heard", "One"]
    assert texts[-1] == "1.5 s"
    boxes = list(root.iter(f"{SVG}rect"))[1:]
    inner = WIDTH - LEFT - RIGHT
    assert [float(box.get("x")) for box in boxes] == [LEFT, LEFT + inner / 4, LEFT + inner / 2, LEFT]
    assert [float(box.get("width")) for box in boxes][2] == inner / 2 - 1


def test_the_picture_in_docs_has_every_word():
    root = ElementTree.parse(ROOT / "docs" / "words.svg").getroot()
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert texts[1 : 1 + len(TEXT.split())] == TEXT.split()
    assert "recogniser" in texts
