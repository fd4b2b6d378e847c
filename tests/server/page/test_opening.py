"""`serve --open` opens the page, once, at an address that a browser can go to."""

import time

import pytest

from mlx_tts.cli import run
from mlx_tts.cli.page_opening import page_address

pytestmark = pytest.mark.long


@pytest.mark.parametrize(
    ("said", "gone_to"),
    [
        ("http://127.0.0.1:8880", "http://127.0.0.1:8880/"),
        ("http://0.0.0.0:80", "http://127.0.0.1:80/"),
        ("http://[::]:8880", "http://[::1]:8880/"),
        ("http://[::1]:8880", "http://[::1]:8880/"),
        ("http://voice.lan:8880", "http://voice.lan:8880/"),
    ],
)
def test_where_the_browser_goes(said, gone_to):
    assert page_address(said) == gone_to


def test_the_page_is_opened(serve, tmp_path):
    opened, browser = tmp_path / "opened", tmp_path / "browser"
    browser.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$1\" >> '{opened}'\n")
    browser.chmod(0o755)
    server = serve("--model", "tiny", "--open", BROWSER=f"{browser} %s")
    until = time.monotonic() + 20
    while not opened.exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert opened.read_text() == f"{server.url}/\n"


def test_a_service_opens_nothing(capfd):
    assert run(["serve", "--open", "--install"]) == 2
    assert "--open" in capfd.readouterr().err
