"""What the page shows depends on the models: a manner to speak in, voices to describe, a key to give."""

import json
import shutil

import pytest

from tests.helpers.browser import opened_page
from tests.server.page.person import SPEAK, choose_voice, go_to, speak, wait_for_message, write

pytestmark = [pytest.mark.long, pytest.mark.slow]


def copied(oracle, case: str, folder):
    """A model with random weights, whose speech is cut short."""
    shutil.copytree(oracle(case).folder, folder)
    path = folder / "generation_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"max_new_tokens": 8}))
    return str(folder)


def test_instructions_and_described_voices(chrome, serve, oracle, tmp_path):
    following = copied(oracle, "custom_voice_wide", tmp_path / "following")
    designing = copied(oracle, "voice_design_wide", tmp_path / "designing")
    server = serve("--model", "tiny", "--model", following, "--model", designing, ready=False)
    with opened_page(chrome, server.url) as (page, seen):
        assert not page.locator("#manner").is_visible()  # the built-in voices follow none
        faces = page.get_by_role("group", name="Voice", exact=True)
        assert faces.get_by_role("group").count() == 3
        choose_voice(page, "A voice that you describe")
        page.get_by_label("Describe the voice").fill("An old sailor.")
        asked = []
        page.on("request", lambda request: request.url.endswith("/v1/audio/speech") and asked.append(request.post_data))
        write(page, "Hello.")
        speak(page)
        wait_for_message(page, "Done")
        assert json.loads(asked[-1])["instructions"] == "An old sailor."
        faces.get_by_role("radio").nth(4).check()
        page.get_by_label("How to speak").wait_for()
        seen.check(server.url)


def test_a_key_is_asked_for(chrome, serve, tmp_path):
    (tmp_path / "key").write_text("a-long-secret\n")
    server = serve("--model", "tiny", "--api-key-file", str(tmp_path / "key"))
    own = chrome.new_context()
    try:
        page = own.new_page()
        page.goto(server.url)
        key = page.get_by_label("Key", exact=True)
        key.fill("wrong")
        page.get_by_role("button", name="Go on").click()
        wait_for_message(page, "That key is wrong.")
        key.fill("a-long-secret")
        page.get_by_role("button", name="Go on").click()
        page.wait_for_selector("body[data-ready=yes]")
        write(page, "Hello.")
        speak(page)
        wait_for_message(page, "Done")
        page.reload()  # the window still knows it
        page.wait_for_selector("body[data-ready=yes]")
        go_to(page, SPEAK)
        assert page.evaluate("localStorage.length && !JSON.stringify(localStorage).includes('secret')")
    finally:
        own.close()
