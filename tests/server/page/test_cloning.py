"""A voice is recorded or chosen, checked, kept under a name, used and deleted."""

import httpx
import pytest

from tests.helpers.browser import opened_page
from tests.server.page.person import CLONE, choose_recording, go_to, speak, wait_for_message, write
from tests.server.test_voices import cloning  # noqa: F401 (a fixture)

pytestmark = [pytest.mark.long, pytest.mark.slow]


@pytest.fixture
def cloner(chrome, cloning):  # noqa: F811
    with opened_page(chrome, cloning.url) as (page, seen):
        go_to(page, CLONE)
        yield page
        seen.check(cloning.url)


def own_voices(server) -> list[str]:
    listed = httpx.get(f"{server.url}/v1/audio/voices").json()["voices"]
    return [voice["name"] for voice in listed if voice["type"] == "audio_sample"]


@pytest.fixture(scope="module")
def recording(cloning):  # noqa: F811
    """A voice that says a sentence, with its own silence around it."""
    text = "The morning was quiet, and a little wind came over the hills."
    return cloning.post(input=text, voice="rowan", response_format="wav", seed=1).content


def test_a_voice_is_made_used_and_deleted(cloner, cloning, recording):  # noqa: F811
    page = cloner
    make = page.get_by_role("button", name="Make the voice")
    choose_recording(page, recording)
    assert "The recording was checked" in wait_for_message(page, "The recording was checked")
    drawn = "(canvas) => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some(Boolean)"
    assert page.get_by_role("img", name="The recording's level over time").evaluate(drawn)
    page.get_by_label("Name", exact=True).fill("Aunt May")
    assert make.is_disabled()  # nobody has agreed yet
    page.get_by_label("This is my voice").check()
    make.click()
    wait_for_message(page, "Aunt May is ready.")
    assert own_voices(cloning) == ["Aunt May"]
    page.get_by_role("button", name="Hear Aunt May").click()
    wait_for_message(page, "This is Aunt May.")
    page.get_by_role("button", name="Use Aunt May").click()
    assert "Aunt May" in page.locator("#voice-facts").inner_text()
    write(page, "Hello.")
    speak(page)
    wait_for_message(page, "Done")
    go_to(page, CLONE)
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Delete Aunt May").click()
    wait_for_message(page, "Aunt May is deleted.")
    assert own_voices(cloning) == []


def test_the_microphone_is_recorded_and_its_fault_is_named(cloner):
    """The browser's stand-in for a microphone beeps, which is not a voice."""
    page = cloner
    page.get_by_role("button", name="Record", exact=True).click()
    wait_for_message(page, "Recording.")
    page.wait_for_timeout(3000)
    page.get_by_role("button", name="Stop recording").click()
    wait_for_message(page, "The recording was checked")
    report = page.get_by_role("list", name="Check of the recording").inner_text()
    assert " s long" in report
    assert page.get_by_label("Words of the recording").input_value() == page.locator("#passage").inner_text()
    page.get_by_role("button", name="Record again").wait_for()


def test_what_is_no_recording_is_said(chrome, cloning):  # noqa: F811
    with opened_page(chrome, cloning.url) as (page, _):
        go_to(page, CLONE)
        choose_recording(page, b"not a sound", "voice.wav")
        assert "not audio" in page.get_by_role("list", name="Check of the recording").inner_text()
        page.get_by_label("Name", exact=True).fill("Aunt May")
        page.get_by_label("This is my voice").check()
        assert page.get_by_role("button", name="Make the voice").is_disabled()


def test_the_way_to_a_model_that_clones(page):
    go_to(page, CLONE)
    notice = page.locator("#no-cloner")
    assert "mlx-tts serve --model tiny --model 0.6b-base-8bit" in notice.inner_text()
    assert not page.get_by_role("button", name="Record", exact=True).is_visible()
