"""Files that are dropped on the page: chapters to choose, what will be spoken, and files that are none."""

import pytest

from tests.helpers.books import epub
from tests.server.page.person import drop, speak, wait_for_message

pytestmark = [pytest.mark.long, pytest.mark.slow]


def test_a_book_shows_its_chapters_and_what_will_be_spoken(page):
    drop(page, "willows.epub", epub())
    wait_for_message(page, "The Wind in the Willows: 3 chapters.")
    chapters = page.get_by_role("list", name="Chapters").get_by_role("listitem")
    assert chapters.count() == 3
    assert page.get_by_text("Kenneth Grahame").is_visible()
    assert page.locator(".book-head img").evaluate("(cover) => cover.complete && cover.naturalWidth") == 96
    page.get_by_role("button", name="What will be spoken of The Wild Wood").click()
    page.get_by_text("who lived at number seven.").wait_for()  # as the model says it, not as it is written
    page.get_by_role("button", name="Choose none").click()
    speak(page)
    wait_for_message(page, "Choose a chapter")
    page.get_by_role("checkbox", name="The Wild Wood").check()
    assert "characters" in page.locator("#length").inner_text()
    page.get_by_role("button", name="Close the file").click()
    assert page.get_by_role("textbox", name="Text", exact=True).is_visible()


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("note.md", b"A **bold** word.", "A bold word."),
        ("page.html", b"<html><body><script>x</script><p>One &amp; two.</p></body></html>", "One & two."),
        ("note.txt", "Grüße aus Köln.".encode("latin-1"), "Grüße aus Köln."),
    ],
)
def test_a_short_file_goes_into_the_text_box(page, name, data, text):
    drop(page, name, data)
    wait_for_message(page, f"{name} is in the text box.")
    assert page.get_by_role("textbox", name="Text", exact=True).input_value().strip() == text


def test_a_file_that_is_no_text(chrome, server):
    from tests.helpers.browser import opened_page

    with opened_page(chrome, server.url) as (page, seen):
        drop(page, "broken.epub", b"PK not a book")
        assert "zip archive" in wait_for_message(page, "broken.epub is no EPUB")
        assert page.get_by_role("textbox", name="Text", exact=True).is_visible()
        drop(page, "voice.wav", b"RIFF")
        wait_for_message(page, "No served model can clone")
    assert all("400" in complaint for complaint in seen.complaints)  # the browser's own line about the answer
