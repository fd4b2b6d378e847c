"""Subtitles of a page against the recogniser's own times: sentences begin and end where they are heard."""

import json
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np
import pytest
import soundfile

from mlx_tts.cli import run
from tests.helpers.hearing import recognised_times, words
from tests.helpers.paths import ROOT

PAGE_WORDS = 190  # half of the two pages


def page() -> str:
    """Whole paragraphs of the two pages until a page is full."""
    kept: list[str] = []
    for paragraph in (ROOT / "tests" / "fixtures" / "two_pages.txt").read_text(encoding="utf-8").strip().split("\n\n"):
        if len(" ".join(kept).split()) < PAGE_WORDS:
            kept.append(paragraph)
    return "\n\n".join(kept)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.heard
def test_sentences_of_a_page_begin_where_the_recogniser_hears_them(tmp_path, monkeypatch, capfd):
    pytest.importorskip("faster_whisper", reason="NOT HEARD: faster-whisper is not installed")
    monkeypatch.chdir(tmp_path)
    Path("page.txt").write_text(page(), encoding="utf-8")
    line = ["speak", "-f", "page.txt", "--model", "tiny", "--voice", "ivy", "--seed", "3", "-o", "page.wav", "-q"]
    assert run([*line, "--subtitles", "page.json"]) == 0
    sentences = json.loads(Path("page.json").read_text())
    samples, rate = soundfile.read("page.wav", dtype="float32")
    said = [(word, number) for number, mark in enumerate(sentences) for word in words(mark["text"])]
    heard = [(word, start, end) for text, start, end in recognised_times(samples, rate) for word in words(text)]
    matcher = SequenceMatcher(None, [word for word, _ in said], [word for word, *_ in heard], autojunk=False)
    begins, ends = [], []
    for block in matcher.get_matching_blocks():
        for i, j in zip(range(block.a, block.a + block.size), range(block.b, block.b + block.size), strict=True):
            number = said[i][1]
            if i == 0 or said[i - 1][1] != number:
                begins.append(heard[j][1] - sentences[number]["start"])
            if i == len(said) - 1 or said[i + 1][1] != number:
                ends.append(heard[j][2] - sentences[number]["end"])
    with capfd.disabled():
        for name, errors in (("begins", begins), ("ends", ends)):
            off = np.abs(errors)
            print(f"\n{name}: {len(off)} of {len(sentences)} sentences, median {np.median(off):.3f} s, "
                  f"90 % within {np.percentile(off, 90):.3f} s", end="")  # fmt: skip
    assert len(begins) > 0.7 * len(sentences), "the recogniser heard other words: NOT MEASURED"
    assert sentences == sorted(sentences, key=lambda mark: mark["start"])
    for errors in (begins, ends):
        assert np.median(np.abs(errors)) <= 0.1
        assert np.percentile(np.abs(errors), 90) <= 0.3
