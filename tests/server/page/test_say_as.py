"""A selected word is said otherwise: heard first, kept in the browser, and sent with each text that has the word."""

import json

import pytest

from tests.helpers.browser import opened_page
from tests.server.page.person import speak, wait_for_message, write

pytestmark = [pytest.mark.long, pytest.mark.slow]


def bodies(page):
    found = []

    def note(request):
        if request.method == "POST":
            found.append((request.url, json.loads(request.post_data)))

    page.on("request", note)
    return found


def select(page, start, end):
    page.get_by_role("textbox", name="Text", exact=True).evaluate(
        "(box, [start, end]) => { box.focus(); box.setSelectionRange(start, end); }", [start, end]
    )


def test_a_word_is_said_otherwise(page):
    sent = bodies(page)
    write(page, "The GIF is small.")
    select(page, 4, 8)  # with the space behind it
    page.get_by_role("button", name="Say it as…").click()
    assert page.get_by_label("Word or phrase").input_value() == "GIF"
    page.keyboard.type("jiffy")  # the focus is where it is needed
    page.get_by_role("button", name="Hear it").click()
    page.get_by_text("GIF is said like this.").wait_for()
    assert sent[-1][1]["lexicon"] == [{"match": "GIF", "say": "jiffy"}]
    page.get_by_role("button", name="Keep it").click()
    wait_for_message(page, "GIF will be said as jiffy.")
    with page.expect_response("**/page/api/plan") as planned:
        speak(page)
    assert planned.value.json()["pieces"][0]["spoken"] == "The jiffy is small."
    wait_for_message(page, "Done")
    assert sent[-1][0].endswith("/v1/audio/speech") and sent[-1][1]["lexicon"] == [{"match": "GIF", "say": "jiffy"}]

    page.reload()
    page.wait_for_selector("body[data-ready=yes]")
    sent.clear()
    write(page, "Nothing of the kind.")
    speak(page)
    wait_for_message(page, "Done")
    assert all("lexicon" not in body for _, body in sent)  # only what the text has
    page.get_by_role("button", name="Say it as…").click()
    page.get_by_role("button", name="Forget GIF").click()
    page.get_by_text("GIF will be said as it is written.").wait_for()
    assert page.evaluate("localStorage.getItem('mlx-tts.lexicon')") == "[]"


def test_what_the_server_refuses_is_not_kept(chrome, server):
    with opened_page(chrome, server.url) as (page, _):  # the browser notes the refusal as an error
        page.get_by_role("button", name="Say it as…").click()
        page.get_by_role("button", name="Keep it").click()
        page.get_by_role("alert").get_by_text("Which word?").wait_for()
        page.get_by_label("Word or phrase").fill("GIF")
        page.get_by_label("Say it as", exact=True).fill("/123/")
        page.keyboard.press("Enter")
        page.get_by_role("alert").get_by_text("is not IPA").wait_for()
        assert page.evaluate("localStorage.getItem('mlx-tts.lexicon')") is None
        page.get_by_label("Say it as", exact=True).fill("/dʒɪf/")
        page.keyboard.press("Enter")
        wait_for_message(page, "GIF will be said as /dʒɪf/.")
        assert json.loads(page.evaluate("localStorage.getItem('mlx-tts.lexicon')")) == [{"match": "GIF", "ipa": "dʒɪf"}]
