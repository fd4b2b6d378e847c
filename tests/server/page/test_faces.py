"""Voices as faces: all of every served model, each with a play sign, by mouse and by keyboard."""

import json

import httpx
import pytest

from tests.helpers.browser import opened_page, wait_for_sound
from tests.server.page.person import speak, wait_for_message, write

pytestmark = [pytest.mark.long, pytest.mark.slow]


def test_every_voice_has_a_face_and_a_play_sign(page, server):
    presets = [
        voice["name"]
        for voice in httpx.get(f"{server.url}/v1/audio/voices").json()["voices"]
        if voice["type"] == "preset"
    ]
    faces = page.get_by_role("group", name="Voice", exact=True)
    assert [name.casefold() for name in faces.get_by_role("radio").evaluate_all(NAMES)] == presets
    signs = faces.get_by_role("button").evaluate_all("signs => signs.map((sign) => sign.getAttribute('aria-label'))")
    assert [sign.removeprefix("Hear ").casefold() for sign in signs] == presets


NAMES = "faces => faces.map((face) => face.labels[0].querySelector('span:not([aria-hidden])').textContent)"


def test_a_voice_is_heard_without_being_chosen(page):
    asked = []
    page.on("request", lambda request: request.url.endswith("/v1/audio/speech") and asked.append(request.post_data))
    chosen = page.get_by_role("radio", checked=True)
    before = chosen.input_value()
    page.get_by_role("radio", checked=False).last.hover()
    sign = page.get_by_role("group", name="Voice", exact=True).get_by_role("button").last
    name = sign.get_attribute("aria-label").removeprefix("Hear ")
    sign.click()
    wait_for_message(page, f"This is {name}.")
    wait_for_sound(page)
    assert json.loads(asked[-1])["voice"] == name.casefold()
    assert chosen.input_value() == before


def test_a_voice_is_chosen_and_heard_by_keyboard(chrome, server):
    with opened_page(chrome, server.url) as (page, seen):
        page.get_by_role("radio", checked=True).focus()
        page.keyboard.press("ArrowRight")
        name = page.evaluate(f"({NAMES})([document.activeElement])[0]")
        assert page.locator("#voice-facts strong").inner_text() == name
        page.keyboard.press("Tab")  # past all other faces and their signs
        assert page.evaluate("document.activeElement.getAttribute('aria-label')") == f"Hear {name}"
        page.keyboard.press("Enter")
        wait_for_message(page, f"This is {name}.")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == "language"
        page.reload()
        page.wait_for_selector("body[data-ready=yes]")
        assert page.locator("#voice-facts strong").inner_text() == name  # kept in this browser
        write(page, "Hello.")
        speak(page)
        wait_for_message(page, "Done")
        seen.check(server.url)
