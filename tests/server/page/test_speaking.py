"""A person with a browser writes a text and listens: the sound itself is caught and recognised."""

import io

import numpy as np
import pytest
import soundfile

from tests.helpers.browser import opened_page, wait_for_sound
from tests.helpers.hearing import recognised, words
from tests.server.page.person import (
    choose_voice,
    played_again,
    saved,
    set_seed,
    speak,
    wait_for_message,
    wait_until_heard,
    write,
)

TEXT = "Good morning. The train leaves at nine."
pytestmark = [pytest.mark.long, pytest.mark.slow]


@pytest.mark.timed  # a busy machine leaves holes in what a browser plays
@pytest.mark.heard
def test_a_text_is_heard_and_saved(page):
    choose_voice(page, "Ivy")
    set_seed(page, 3)
    write(page, TEXT)
    speak(page)
    wait_for_sound(page)
    wait_for_message(page, "Done")
    wait_until_heard(page)

    samples, loud, rate = played_again(page)
    assert rate == 24_000
    assert recognised(loud, rate) == words(TEXT)

    name, wav = saved(page, "WAV")
    kept, kept_rate = soundfile.read(io.BytesIO(wav), dtype="float32")
    assert name == "Good morning The train leaves at.wav"
    assert kept_rate == 24_000
    assert int.from_bytes(wav[40:44], "little") == len(wav) - 44  # sizes are true, unlike those of a stream
    assert recognised(kept, kept_rate) == words(TEXT)
    # What was heard is what is kept: a stretch of the file lies in the captured sound, sample for sample.
    middle = kept[len(kept) // 2 :][:2000]
    fit = np.correlate(samples, middle, "valid").max() / (middle @ middle)
    assert fit == pytest.approx(1, abs=0.02)


def test_stop_reaches_the_server(page, server):
    before = server.metric("mlx_tts_cancelled_total")
    write(page, "This is a long story, and nobody knows yet how it will end. " * 40)
    speak(page)
    wait_for_message(page, "Speaking.")
    wait_for_sound(page)
    stop = page.get_by_role("button", name="Stop", exact=True)
    assert stop.is_enabled()  # heard while it is still being made
    stop.click()
    server.wait_for_metric("mlx_tts_cancelled_total", before + 1)
    server.wait_for_metric("mlx_tts_active_streams", 0)
    wait_for_message(page, "Stopped.")
    assert stop.is_disabled()


def test_closing_the_page_ends_the_speech(chrome, server):
    before = server.metric("mlx_tts_cancelled_total")
    with opened_page(chrome, server.url) as (page, _):
        write(page, "This is a long story, and nobody knows yet how it will end. " * 40)
        speak(page)
        wait_for_message(page, "Speaking.")
    server.wait_for_metric("mlx_tts_cancelled_total", before + 1)


def test_a_voice_is_heard_before_it_is_used(page):
    choose_voice(page, "Hazel")
    assert "Woman, American English" in page.locator("#voice-facts").inner_text()
    page.get_by_role("button", name="Hear Hazel").click()
    wait_for_message(page, "This is Hazel.")
    wait_for_sound(page)
    page.get_by_role("button", name="Hear Hazel").wait_for()  # until then it stops the sample


def test_nothing_to_say(chrome, server):
    with opened_page(chrome, server.url) as (page, seen):
        speak(page)
        wait_for_message(page, "Write a text first.")
        assert not seen.complaints
        write(page, "* * *")
        speak(page)
        assert "give some words" in wait_for_message(page, "There is nothing")
        assert page.get_by_role("textbox", name="Text", exact=True).is_visible()
