"""From a book to a narration in a voice of one's own, with nothing but the page. `scripts/page_pictures.py` makes the
pictures in docs from this walk."""

import io
import os
import re
from collections.abc import Iterator
from typing import Any

import av
import numpy as np
import pytest

from tests.helpers.books import AUTHOR, CHAPTERS, TITLE, epub
from tests.helpers.browser import opened_page
from tests.helpers.paths import BUILT_IN
from tests.server.conftest import running
from tests.server.page.person import (
    CLONE,
    MACHINE,
    choose_recording,
    choose_voice,
    drop,
    go_to,
    picture,
    saved,
    set_seed,
    speak,
    wait_for_message,
    write,
)

pytestmark = pytest.mark.slow
PICTURED = (
    "The Mole had been working very hard all the morning, spring-cleaning his little home. Spring was moving in the "
    "air above. It was small wonder, then, that he said Bother!"
)
MESSAGE_LEAVES = 6500  # milliseconds
PASSAGE = "The morning was quiet, and a little wind came over the hills."


@pytest.fixture(scope="module")
def cloning(tmp_path_factory, base_model):
    """The server as it starts without a word where the package has a model that clones; else random weights clone."""
    options = [] if (BUILT_IN / "tiny-base").is_dir() else ["--model", "tiny", "--model", str(base_model)]
    with running(tmp_path_factory.mktemp("walk"), *options) as server:
        server.wait_until_ready()
        yield server


@pytest.fixture
def walker(chrome, cloning) -> Iterator[Any]:
    with opened_page(chrome, cloning.url, viewport={"width": 1180, "height": 800}) as (page, seen):
        yield page
        seen.check(cloning.url)


def test_a_book_is_narrated_in_a_voice_of_ones_own(walker, cloning):
    page = walker
    recording = cloning.post(input=PASSAGE, voice="rowan", response_format="wav", seed=1).content

    go_to(page, CLONE)
    choose_recording(page, recording, "grandfather.wav")
    page.get_by_label("Name", exact=True).fill("Grandfather")
    page.get_by_label("This is my voice").check()
    picture(page, "clone", whole=True)
    page.get_by_role("button", name="Make the voice").click()
    wait_for_message(page, "Grandfather is ready.")
    page.get_by_role("button", name="Use Grandfather").click()

    drop(page, "willows.epub", epub())
    wait_for_message(page, TITLE)
    page.get_by_role("checkbox", name="The Open Road").uncheck()
    page.get_by_role("button", name="What will be spoken of The Wild Wood").click()
    page.locator(".spoken", has_text="to meet the Badger").wait_for()
    picture(page, "book")
    speak(page)
    wait_for_message(page, "Done")

    name, book = saved(page, "M4B")
    wait_for_message(page, "M4B file saved.")
    assert name == f"{TITLE}.m4b"
    with av.open(io.BytesIO(book)) as file:
        assert [chapter["metadata"]["title"] for chapter in file.chapters()] == ["The River Bank", "The Wild Wood"]
        assert file.metadata["title"] == TITLE and file.metadata["artist"] == AUTHOR
        assert {"audio", "video"} <= {stream.type for stream in file.streams}  # the cover is a picture
        sound = np.concatenate([frame.to_ndarray()[0] for frame in file.decode(audio=0)])
        first, second = file.chapters()
        starts = [chapter["start"] * float(chapter["time_base"]) for chapter in (first, second)]
    assert starts[0] == 0 and 1.4 < starts[1] < len(sound) / 24_000  # behind the pause between chapters
    assert np.abs(sound).max() > 0.01
    headings = page.locator(".reader h2").all_inner_texts()
    assert headings == [title for title in CHAPTERS if title != "The Open Road"]


@pytest.mark.skipif("MLX_TTS_PICTURES" not in os.environ, reason="pictures are made by scripts/page_pictures.py")
def test_the_other_pictures(chrome, server):
    """A voice that speaks well, in daylight and in the dark, and on a phone in the dark."""
    with opened_page(chrome, server.url, viewport={"width": 1180, "height": 800}) as (page, _):
        choose_voice(page, "Hazel")
        set_seed(page, 3)
        page.get_by_text("More", exact=True).click()
        write(page, PICTURED)
        speak(page)
        wait_for_message(page, "Done")
        page.wait_for_timeout(MESSAGE_LEAVES)
        page.locator(".sentence", has_text="Spring was moving").click()
        page.wait_for_timeout(1200)
        picture(page, "speak")
        page.emulate_media(color_scheme="dark")
        picture(page, "speak-dark")
    with opened_page(chrome, server.url, viewport={"width": 1180, "height": 800}) as (page, _):
        write(page, f"{PICTURED} " * 3)
        speak(page)
        go_to(page, MACHINE)
        page.get_by_role("status").filter(has_text=re.compile("^Done")).wait_for()
        page.wait_for_timeout(3000)
        picture(page, "machine")
    phone = {"viewport": {"width": 360, "height": 720}, "color_scheme": "dark", "is_mobile": True, "has_touch": True}
    with opened_page(chrome, server.url, **phone) as (page, _):
        write(page, PICTURED)
        speak(page)
        wait_for_message(page, "Done")
        page.wait_for_timeout(MESSAGE_LEAVES)
        page.locator(".sentence", has_text="Spring was moving").click()
        page.wait_for_timeout(1200)
        picture(page, "phone")
