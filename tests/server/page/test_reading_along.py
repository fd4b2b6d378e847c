"""The player and the text beside it: marks, jumps, the slider, subtitles, and what the browser remembers."""

import json
import re
from itertools import pairwise

import pytest

from mlx_tts.narration.subtitles import as_srt, as_vtt
from mlx_tts.speech import Mark
from tests.server.page.person import saved, set_seed, speak, wait_for_message, wait_until_heard, write

SENTENCES = ["Good morning.", "The train leaves at nine.", "Nobody waits."]
pytestmark = [pytest.mark.long, pytest.mark.slow]


@pytest.fixture
def spoken(page):
    """The page behind a speech of three sentences."""
    write(page, f"{SENTENCES[0]} {SENTENCES[1]}\n\n{SENTENCES[2]}")
    set_seed(page, 3)
    speak(page)
    wait_for_message(page, "Done")
    wait_until_heard(page)
    return page


def position(page) -> int:
    return int(page.get_by_role("slider", name="Position").get_attribute("aria-valuenow"))


def test_sentences_words_jumps_and_subtitles(spoken):
    page = spoken
    assert page.locator(".sentence").all_inner_texts() == SENTENCES
    assert page.locator(".reader p").count() == 2  # paragraphs stay

    marks = [Mark(**mark) for mark in json.loads(saved(page, "Marks")[1])]
    sentences = [mark for mark in marks if mark.level == "sentence"]
    assert [mark.text for mark in sentences] == SENTENCES
    assert [mark.text for mark in marks if mark.level == "word"] == " ".join(SENTENCES).split()
    assert all(a.end <= b.start + 0.01 for a, b in pairwise(sentences))
    assert sentences[2].start - sentences[1].end > 0.5  # the pause between paragraphs
    assert saved(page, "Subtitles, SRT")[1].decode() == as_srt(sentences)
    assert saved(page, "Subtitles, VTT")[1].decode() == as_vtt(sentences)

    page.locator(".sentence", has_text=SENTENCES[2]).click()
    page.locator(".sentence.now", has_text=SENTENCES[2]).wait_for()
    page.locator(".word.now").first.wait_for()
    wait_until_heard(page)

    slider = page.get_by_role("slider", name="Position")
    slider.focus()
    page.keyboard.press("Home")
    assert position(page) == 0
    page.keyboard.press("End")
    assert position(page) == round(sentences[2].end) or position(page) == int(slider.get_attribute("aria-valuemax"))
    box = slider.bounding_box()
    page.mouse.click(box["x"] + 2, box["y"] + box["height"] / 2)
    assert position(page) == 0
    assert re.fullmatch(r"0 s of \d+ s", slider.get_attribute("aria-valuetext"))

    page.get_by_role("group", name=re.compile("Text being read")).focus()
    page.keyboard.press("ArrowRight")
    page.locator(".sentence.now", has_text=SENTENCES[1]).wait_for()
    page.get_by_role("button", name="Pause", exact=True).click()
    at = page.evaluate("document.getElementById('clock').textContent")
    page.wait_for_timeout(600)
    assert page.evaluate("document.getElementById('clock').textContent") == at  # nothing goes on


def test_the_browser_remembers_and_forgets(spoken):
    page = spoken
    first = saved(page, "WAV")
    page.reload()
    page.wait_for_selector("body[data-ready=yes]")
    assert page.get_by_label("Text", exact=True).input_value().startswith(SENTENCES[0])
    page.get_by_role("button", name=re.compile("^Play: Good morning")).click()
    page.locator(".sentence.now").wait_for()
    wait_until_heard(page)
    assert saved(page, "WAV") == first
    page.get_by_role("button", name="Forget all").click()
    wait_for_message(page, "All of them are forgotten.")
    assert not page.get_by_role("heading", name="Spoken before").is_visible()
