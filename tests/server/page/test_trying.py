"""Sentences to try where the sheet is empty."""

import pytest

from tests.server.page.person import speak, wait_for_message, write

pytestmark = [pytest.mark.long, pytest.mark.slow]


def tries(page):
    return page.get_by_role("group", name="Or try one of these:")


def test_three_sentences_and_one_is_spoken(page):
    buttons = tries(page).get_by_role("button")
    assert buttons.count() == 3
    text = buttons.nth(2).inner_text()
    assert buttons.nth(2).get_attribute("lang") == "en"
    buttons.nth(2).focus()
    page.keyboard.press("Enter")
    box = page.get_by_role("textbox", name="Text", exact=True)
    assert box.input_value() == text
    assert not tries(page).is_visible()
    assert page.evaluate("document.activeElement.id") == "go"
    page.keyboard.press("Enter")
    wait_for_message(page, "Done")
    page.reload()
    page.wait_for_selector("body[data-ready=yes]")
    assert box.input_value() == text  # kept, as what is typed
    write(page, " ")
    tries(page).wait_for()


def test_only_above_an_empty_sheet(page):
    tries(page).wait_for()
    write(page, "Hello.")
    assert not tries(page).is_visible()
    speak(page)
    wait_for_message(page, "Done")
    assert not tries(page).is_visible()
    page.get_by_role("button", name="Back to the text").click()
    assert not tries(page).is_visible()


def test_each_language_has_three_and_an_unknown_one_none(page):
    found = page.evaluate(
        """async () => {
          const { Tries } = await import("/page/tries.js");
          const tries = new Tries(() => {});
          return ["english", "german", "japanese", "klingon"].map((language) => {
            tries.show(true, language);
            const texts = [...document.querySelectorAll("#tries-list button")].map((button) => button.textContent);
            return document.getElementById("tries").hidden ? [] : texts;
          });
        }"""
    )
    assert [len(set(texts)) for texts in found] == [3, 3, 3, 0]
    assert len({text for texts in found for text in texts}) == 9
