"""The dialog Connect: what it shows is run as it stands, and makes the same bytes as the request that was chosen."""

import re
import shutil
import subprocess
import sys

import pytest

from tests.helpers.books import epub
from tests.helpers.browser import opened_page
from tests.helpers.paths import ROOT
from tests.server.page.person import choose_voice, drop, set_seed, speak, wait_for_message, write

pytestmark = [pytest.mark.long, pytest.mark.slow]
TEXT = """It's "late" \\ at `night`, for $HOME.

Nobody's 100% sure: 你好 and 😀!"""
RUN = {
    "curl": ("speech.sh", ["bash"], "curl"),
    "Python": ("speech.py", [sys.executable], None),
    "JavaScript": ("speech.mjs", ["node"], "node"),
}


def connect(page) -> None:
    page.get_by_role("button", name="Connect", exact=True).click()
    page.get_by_role("dialog", name="Use this server in your program").wait_for()


def code(page, language: str) -> str:
    return str(page.get_by_role("region", name=f"{language}, code").inner_text())


def copied(page, what: str) -> str:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name=f"Copy {what}", exact=True).click()
    page.get_by_role("status").filter(has_text=f"Copied: {what}.").wait_for()
    return str(page.evaluate("navigator.clipboard.readText()"))


def spoken_by(language: str, program: str, folder) -> bytes:
    """The file that a program from the dialog writes."""
    name, command, needed = RUN[language]
    if needed and not shutil.which(needed):
        pytest.skip(f"NOT CHECKED: the code for {language}, for {needed} is not installed")
    (folder / name).write_text(program, encoding="utf-8")
    done = subprocess.run([*command, name], cwd=folder, capture_output=True, text=True, timeout=90, check=False)
    assert done.returncode == 0, done.stderr
    (written,) = folder.glob("speech.wav")
    return written.read_bytes()


@pytest.mark.parametrize("language", RUN)
def test_what_is_copied_says_exactly_what_is_chosen(page, server, tmp_path, language):
    choose_voice(page, "Hazel")
    page.locator("#language").select_option(label="English")
    page.get_by_label("Speed", exact=True).fill("1.2")
    set_seed(page, 3)
    write(page, TEXT)
    connect(page)
    page.get_by_label("Format").select_option(label="WAV")
    program = copied(page, language)
    assert program == code(page, language)
    wanted = {"model": "tiny", "voice": "hazel", "language": "english", "speed": 1.2, "seed": 3}
    answer = server.post(input=TEXT, response_format="wav", **wanted)
    assert spoken_by(language, program, tmp_path) == answer.content


def test_without_a_key_none_is_sent(page, server):
    connect(page)
    assert page.locator("#connect-address").inner_text() == f"{server.url}/v1"
    assert copied(page, "the address") == f"{server.url}/v1"
    assert page.locator("#connect-key").inner_text().startswith("None is needed.")
    assert not page.get_by_label("Show the key").is_visible()
    assert "Authorization" not in code(page, "curl") + code(page, "JavaScript")
    assert 'api_key="none"' in code(page, "Python")


@pytest.mark.parametrize("language", RUN)
def test_the_key_is_shown_to_who_typed_it_and_asks_for_it(chrome, serve, tmp_path, language):
    (tmp_path / "key").write_text('it\'s-a-"secret"\n')
    server = serve("--model", "tiny", "--api-key-file", str(tmp_path / "key"))
    own = chrome.new_context()
    try:
        page = own.new_page()
        page.goto(server.url)
        page.get_by_label("Key", exact=True).fill('it\'s-a-"secret"')
        page.get_by_role("button", name="Go on").click()
        page.wait_for_selector("body[data-ready=yes]")
        connect(page)
        page.get_by_label("Format").select_option(label="WAV")
        assert page.locator("#connect-key").inner_text().startswith("This server needs one.")
        assert all("YOUR-KEY" in code(page, name) for name in RUN)
        assert "secret" not in page.get_by_role("dialog").inner_text()
        page.get_by_label("Show the key").check()
        assert b"RIFF" in spoken_by(language, code(page, language), tmp_path)
        page.get_by_role("button", name="Close", exact=True).click()
        connect(page)
        assert "secret" not in page.get_by_role("dialog").inner_text()  # it is asked for each time
        assert not page.evaluate("JSON.stringify(localStorage).includes('secret')")
    finally:
        own.close()


def test_each_client_of_the_docs_has_a_tile(page):
    docs = (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?) \|", docs.partition("| the program |")[2].partition("\n\n")[0], re.M)
    named = [name for row in rows for name, place in re.findall(r"\[(.+?)\]\((.+?)\)", row) if place != "#applications"]
    named += re.findall(r"^\| (\w[^|]*?) \|", docs.partition("\n## Applications")[2], re.M)
    connect(page)
    tiles = page.locator("#connect-clients h4").all_inner_texts()
    assert len(named) > 10
    assert sorted(map(str.casefold, tiles)) == sorted(map(str.casefold, named))


def test_a_program_in_a_container_is_given_docker_s_name(page, server):
    connect(page)
    port = server.address[1]
    assert copied(page, "the line for Open WebUI") == f"http://host.docker.internal:{port}/v1"
    assert copied(page, "the line for SillyTavern") == f"{server.url}/v1/audio/speech"


def test_without_the_browser_s_clipboard(page, server):
    """As on a page that comes by plain http from another machine."""
    connect(page)
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.get_by_role("button", name="Copy the address").click()
    page.get_by_role("status").filter(has_text="Copied: the address.").wait_for()
    page.get_by_role("button", name="Close", exact=True).click()
    write(page, "")
    page.get_by_role("textbox", name="Text", exact=True).focus()
    page.keyboard.press("Control+V")
    assert page.get_by_role("textbox", name="Text", exact=True).input_value() == f"{server.url}/v1"


def test_by_keyboard_beside_a_speech(page):
    """Escape closes the dialog and leaves the speech alone; the focus goes back to where it was."""
    write(page, "This is a long story, and nobody knows yet how it will end. " * 40)
    speak(page)
    wait_for_message(page, "Speaking.")
    page.get_by_role("button", name="Connect", exact=True).focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Use this server in your program")
    dialog.wait_for()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Copy the address"
    page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
    assert page.evaluate("document.activeElement.id") == "connect"
    assert page.get_by_role("button", name="Stop", exact=True).is_enabled()
    page.keyboard.press("Escape")
    wait_for_message(page, "Stopped.")


def test_where_there_is_no_text_yet_or_a_book(chrome, server):
    with opened_page(chrome, server.url) as (page, seen):
        connect(page)
        assert "The sheet is empty" in page.locator("#connect-note").inner_text()
        assert "The morning was quiet" in code(page, "curl")
        page.get_by_role("button", name="Close", exact=True).click()
        drop(page, "willows.epub", epub())
        wait_for_message(page, "The Wind in the Willows")
        connect(page)
        assert page.locator("#connect-note").inner_text().startswith("The text is the beginning")
        assert '"plain": true' in code(page, "curl") and '"plain": True' in code(page, "Python")
        seen.check(server.url)
