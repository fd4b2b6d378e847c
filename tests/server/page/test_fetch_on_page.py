"""Fetch, on the page: the size is said and asked first, progress is shown, and the model can be chosen."""

import re

import pytest

from tests.helpers.browser import opened_page
from tests.server.page.person import MACHINE, choose_voice, go_to, picture, speak, wait_for_message, write
from tests.server.page.test_looks import axe, faults, overflow  # noqa: F401 (axe is a fixture)
from tests.server.test_fetching import ALIAS, WEIGHTS, fetching, files  # noqa: F401 (files is a fixture)

pytestmark = [pytest.mark.long, pytest.mark.slow]
WIDTHS = {390: 844, 820: 1180, 1280: 860}
HIDDEN_PART = """() => {
  const box = document.querySelector("#models").parentElement;
  return box.scrollWidth - box.clientWidth;
}"""


def test_a_model_is_fetched_and_chosen(chrome, files, axe, tmp_path):  # noqa: F811
    playwright = pytest.importorskip("playwright.sync_api")
    with (
        fetching(tmp_path, files, slow=WEIGHTS) as (server, hub),
        opened_page(chrome, server.url, reduced_motion="reduce") as (page, seen),
    ):
        go_to(page, MACHINE)
        fetch = page.get_by_role("button", name=f"Fetch {ALIAS}", exact=True)
        stop = page.get_by_role("button", name=f"Stop fetching {ALIAS}", exact=True)
        fetch.click()
        assert re.search(r"about 2\.0 GB from mlx-community/Qwen3-TTS.*Apache", page.get_by_role("dialog").inner_text())
        assert faults(page, axe) == []
        picture(page, "fetch-asked")
        # What the tab asked for comes only now, say.
        page.evaluate("import('/page/facts.js').then(({ facts }) => facts.dispatchEvent(new Event('change')))")
        page.get_by_role("button", name="Not now").click()
        playwright.expect(fetch).to_be_focused()
        assert hub.asked == []
        fetch.click()
        page.keyboard.press("Enter")  # the first button, by keyboard
        stop.wait_for()
        page.get_by_text(re.compile(r"^\d+% of ")).wait_for()
        assert faults(page, axe) == []
        page.get_by_role("button", name="Fetch kokoro", exact=True).click(force=True)  # it says why not
        wait_for_message(page, f"{ALIAS} is being fetched")
        for width, height in WIDTHS.items():
            page.set_viewport_size({"width": width, "height": height})
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                assert overflow(page) == []
                page.locator("#models").scroll_into_view_if_needed()
                picture(page, f"fetch-{width}-{scheme}", whole=True)
        assert page.evaluate(HIDDEN_PART) <= 0  # at 1280
        stop.click()
        wait_for_message(page, "Stopped.")
        hub.slow = None
        fetch.click()
        page.get_by_role("button", name="Fetch it").click()
        wait_for_message(page, f"{ALIAS} is here")
        go_to(page, "Speak")
        choose_voice(page, "Ryan")
        write(page, "Hi.")
        speak(page)
        wait_for_message(page, "Done")
        seen.check(server.url)


def test_the_table_fits_a_window_of_1280(page):
    """Without the option: with the commands to copy."""
    go_to(page, MACHINE)
    page.get_by_role("button", name="Copy the command that fetches kokoro").wait_for()
    assert page.evaluate(HIDDEN_PART) <= 0
    picture(page, "table-1280", whole=True)
    page.set_viewport_size({"width": 390, "height": 844})
    picture(page, "table-390", whole=True)
    assert overflow(page) == []


def test_what_goes_wrong_is_said(chrome, files, tmp_path):  # noqa: F811
    with (
        fetching(tmp_path, files, refusal=(500, "")) as (server, _),
        opened_page(chrome, server.url) as (page, _),
    ):
        go_to(page, MACHINE)
        page.get_by_role("button", name=f"Fetch {ALIAS}", exact=True).click()
        page.get_by_role("button", name="Fetch it").click()
        wait_for_message(page, "The model hub answered 500")
        assert page.evaluate("document.activeElement.dataset.fetch") == ALIAS


def test_a_model_on_disk_is_served_and_nothing_is_asked(chrome, files, tiny_base, tmp_path):  # noqa: F811
    with (
        fetching(tmp_path, files) as (server, hub),
        opened_page(chrome, server.url) as (page, seen),
    ):
        go_to(page, MACHINE)
        page.get_by_role("button", name=f"Serve {tiny_base}", exact=True).click()
        wait_for_message(page, f"{tiny_base} is here")
        row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name=tiny_base, exact=True))
        assert "Served" in row.inner_text() and not row.get_by_role("button").count()
        assert hub.asked == []
        seen.check(server.url)
