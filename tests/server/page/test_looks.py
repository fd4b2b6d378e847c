"""The page on phones and in the dark, by keyboard and to a screen reader; axe-core looks for faults in every state."""

import json
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest

from mlx_tts.library import catalog
from tests.helpers.books import epub
from tests.helpers.browser import opened_page
from tests.server.page.person import CLONE, MACHINE, SPEAK, drop, go_to, speak, wait_for_message, write
from tests.server.test_voices import cloning  # noqa: F401 (a fixture)

pytestmark = [pytest.mark.long, pytest.mark.slow]
PHONE = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True, "color_scheme": "dark"}
DESK = {"viewport": {"width": 1280, "height": 860}, "color_scheme": "light"}


@pytest.fixture(scope="module")
def axe() -> str:
    """The program that looks for faults, as its package carries it."""
    found = find_spec("axe_playwright_python")
    if found is None or found.origin is None:
        pytest.skip("NOT CHECKED for accessibility: axe-playwright-python is not installed (group dev)")
    return (Path(found.origin).parent / "axe.min.js").read_text(encoding="utf-8")


def faults(page, axe: str) -> list[str]:
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, { resultTypes: ['violations', 'passes'] })")
    assert len(found["passes"]) > 10  # it did look
    return [f"{fault['impact']} {fault['id']}: {fault['nodes'][0]['html']}" for fault in found["violations"]]


# Whether the message lies above all that is on the page: at the bottom of a phone it covered Stop and Speak.
IS_ABOVE = """() => {
  const message = document.getElementById("status").getBoundingClientRect();
  return message.height > 0 && message.bottom <= document.querySelector("main").offsetTop;
}"""


def overflow(page) -> list[str]:
    """What is wider than the window. Texts in boxes that scroll on purpose are not counted."""
    return json.loads(
        page.evaluate(
            """() => JSON.stringify([...document.body.querySelectorAll("*")].filter((part) => {
              const { left, right, width } = part.getBoundingClientRect();
              const hidden = part.closest(".scroll, .unseen, .skip, #download, svg");
              return width && !hidden && (right > innerWidth + 1 || left < -1);
            }).map((part) => part.outerHTML.slice(0, 80)))"""
        )
    )


@pytest.mark.parametrize("how", [DESK, PHONE], ids=["desk", "phone"])
def test_every_section_is_accessible_and_fits(chrome, cloning, axe, how):  # noqa: F811
    # Without motion: a message that is just fading away has too little contrast for a moment.
    with opened_page(chrome, cloning.url, **{**how, "reduced_motion": "reduce"}) as (page, seen):
        found = {}

        def look(state: str) -> None:
            found[state] = faults(page, axe) + overflow(page)
            assert page.evaluate("document.documentElement.scrollWidth") <= how["viewport"]["width"], state

        look("beginning")
        page.get_by_text("Dialogue of two voices").click()
        page.get_by_label("Give each speaker a voice").check()
        look("dialogue")
        page.get_by_label("Give each speaker a voice").uncheck()
        page.get_by_role("button", name="Say it as…").click()
        page.get_by_role("button", name="Keep it").click()
        page.get_by_text("Which word?").wait_for()
        look("say as")
        page.keyboard.press("Escape")
        drop(page, "willows.epub", epub())
        wait_for_message(page, "The Wind in the Willows")
        page.get_by_role("button", name="What will be spoken of The Wild Wood").click()
        page.get_by_text("number seven").wait_for()
        look("book")
        page.get_by_role("button", name="Close the file").click()
        write(page, "Good morning. " * 3)
        speak(page)
        wait_for_message(page, "Done")
        assert how is DESK or page.evaluate(IS_ABOVE)
        look("reading")
        page.get_by_role("button", name="Download").click()
        page.get_by_role("menu").wait_for()
        look("menu")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Connect", exact=True).click()
        page.get_by_role("dialog").wait_for()
        look("connect")
        page.keyboard.press("Escape")
        go_to(page, CLONE)
        look("clone")
        go_to(page, MACHINE)
        page.get_by_role("img", name="First sound").wait_for()
        look("machine")
        assert not any(found.values()), found
        seen.check(cloning.url)


def test_dark_and_light(chrome, server):
    colours = "getComputedStyle(document.body).backgroundColor"
    with opened_page(chrome, server.url, color_scheme="dark") as (page, _):
        dark = page.evaluate(colours)
        theme = page.get_by_role("button", name="Colours")
        theme.click()  # from the system's to light
        light = page.evaluate(colours)
        assert dark != light
        theme.click()
        assert page.evaluate(colours) == dark
        page.reload()
        page.wait_for_selector("body[data-ready=yes]")
        page.emulate_media(color_scheme="light")
        assert page.evaluate(colours) == dark  # what was chosen stays


def test_less_motion(chrome, server):
    with opened_page(chrome, server.url, reduced_motion="reduce") as (page, _):
        moving = "getComputedStyle(document.getElementById('go')).transitionDuration"
        assert page.evaluate(moving) == "0s"


def test_all_by_keyboard(page):
    """Without a mouse: along the sections, to the text, speak, and stop by Escape."""
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the text"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "tab-speak"
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("tabpanel", name=CLONE).is_visible()
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("tabpanel", name=MACHINE).is_visible()
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("tabpanel", name=SPEAK).is_visible()
    page.get_by_role("textbox", name="Text", exact=True).focus()
    page.keyboard.type("This is a long story, and nobody knows yet how it will end. " * 10)
    page.keyboard.press("Control+Enter")
    wait_for_message(page, "Speaking.")
    page.keyboard.press("Escape")
    wait_for_message(page, "Stopped.")


def test_every_control_has_a_name(page):
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, textarea, canvas[role], [role=slider]")]
          .filter((control) => !(control.getAttribute("aria-label") || control.textContent.trim()
            || control.labels?.length || control.getAttribute("aria-labelledby")))
          .map((control) => control.outerHTML)"""
    )
    assert nameless == []


def test_the_machine_counts(page, server):
    write(page, "Hello.")
    speak(page)
    wait_for_message(page, "Done")
    go_to(page, MACHINE)
    page.wait_for_timeout(2500)
    figures = page.locator(".figure").all_inner_texts()
    lines = httpx.get(f"{server.url}/metrics").text.splitlines()
    assert int(figures[3]) == sum(
        float(line.split()[-1]) for line in lines if line.startswith("mlx_tts_requests_total")
    )
    assert figures[1].endswith("s") and float(figures[2]) > 0
    table = page.get_by_role("table").inner_text()
    assert "tiny" in table and "Loaded" in table
    families = {spec.family for spec in catalog.models()}
    shown = set(page.locator("#models tbody td:nth-child(3)").all_inner_texts())
    assert len(shown) == len(families) >= 4 and {"Kokoro", "Magpie", "Qwen3-TTS", "VoxCPM"} <= shown


def test_a_model_to_fetch_has_its_command_to_copy(page):
    go_to(page, MACHINE)
    row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="kokoro", exact=True))
    assert row.locator("code").inner_text() == "mlx-tts pull kokoro"
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    row.get_by_role("button", name="Copy the command that fetches kokoro").click()
    page.get_by_role("status").filter(has_text="Copied: the command that fetches kokoro.").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == "mlx-tts pull kokoro"
    there = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="tiny", exact=True))
    assert there.get_by_role("button").count() == 0
