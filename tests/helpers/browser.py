"""A headless Chromium for tests of the page: what it asked for, what it complained of, and the sound that it made."""

from __future__ import annotations

import base64
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 90_000  # milliseconds: these machines are busy

# Whatever goes to a destination goes to a recorder as well, and <audio> goes through Web Audio, so what is heard is
# caught without the page's help.
TAP = """
(() => {
  window.heard = { rate: 0, parts: [] };
  const connect = AudioNode.prototype.connect;
  const taps = new WeakMap();
  AudioNode.prototype.connect = function (target, ...rest) {
    if (target instanceof AudioDestinationNode) {
      const { context } = target;
      if (!taps.has(context)) {
        const tap = context.createScriptProcessor(2048, 1, 1);
        tap.onaudioprocess = ({ inputBuffer }) => {
          heard.rate = context.sampleRate;
          heard.parts.push(inputBuffer.getChannelData(0).slice());
        };
        taps.set(context, tap);
        connect.call(tap, target);
      }
      connect.call(this, taps.get(context));
    }
    return connect.call(this, target, ...rest);
  };
  const play = HTMLMediaElement.prototype.play;
  HTMLMediaElement.prototype.play = function () {
    if (!this.tapped) {
      this.tapped = new AudioContext({ sampleRate: 24000 });
      this.tapped.createMediaElementSource(this).connect(this.tapped.destination);
    }
    return play.call(this);
  };
  window.soundHeard = () => {
    const all = new Int16Array(heard.parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of heard.parts) for (const value of part) all[at++] = Math.max(-1, Math.min(1, value)) * 32767;
    let text = "";
    const bytes = new Uint8Array(all.buffer);
    for (let i = 0; i < bytes.length; i += 32768) text += String.fromCharCode(...bytes.subarray(i, i + 32768));
    return btoa(text);
  };
})();
"""
OF_THE_TAP = "ScriptProcessorNode is deprecated"


@dataclass
class Seen:
    """What a page did. requests: addresses. complaints: errors of scripts and lines of the console."""

    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def check(self, url: str) -> None:
        """Nothing was asked of another host, and nothing broke."""
        own = urlsplit(url).netloc
        others = [
            asked
            for asked in self.requests
            if urlsplit(asked).netloc != own and urlsplit(asked).scheme not in ("data", "blob")
        ]
        assert self.requests and not others, others
        assert not self.complaints, self.complaints


def chromium() -> str:
    """The browser's program; the test is skipped where there is none."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("NOT CHECKED in a browser: no Chromium is installed (apt install chromium, or set CHROMIUM)")
    return found


@contextmanager
def browser() -> Iterator[Any]:
    """One browser, closed at the end. Its microphone is a file or a tone, never a person."""
    driver = pytest.importorskip(
        "playwright.sync_api", reason="NOT CHECKED in a browser: playwright is not installed (group dev)"
    )
    program = chromium()
    with driver.sync_playwright() as playwright:
        options = ["--no-sandbox", "--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream"]
        opened = playwright.chromium.launch(executable_path=program, args=options)
        try:
            yield opened
        finally:
            opened.close()


@contextmanager
def opened_page(browser: Any, url: str, **context: Any) -> Iterator[tuple[Any, Seen]]:
    """The page, ready for use, in a context of its own: no history and no settings of another test."""
    settings = {"viewport": {"width": 1280, "height": 860}, "locale": "en-GB", **context}
    own = browser.new_context(permissions=["microphone"], accept_downloads=True, **settings)
    own.set_default_timeout(PATIENCE)
    seen = Seen()
    page = own.new_page()
    page.add_init_script(TAP)
    page.on("request", lambda request: seen.requests.append(request.url))
    page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    page.on(
        "console",
        lambda line: (
            line.type in ("error", "warning") and OF_THE_TAP not in line.text and seen.complaints.append(line.text)
        ),
    )
    try:
        page.goto(url)
        page.wait_for_selector("body[data-ready=yes]")
        yield page, seen
    finally:
        own.close()


def sound_of(page: Any) -> tuple[np.ndarray, int]:
    """The samples that went to the speakers so far, and their rate."""
    samples = np.frombuffer(base64.b64decode(page.evaluate("soundHeard()")), "<i2").astype(np.float32) / 32768
    return samples, int(page.evaluate("heard.rate"))


def wait_for_sound(page: Any) -> None:
    """Until something was heard. The page's policy forbids what `wait_for_function` does.

    Where the machine makes a long text slower than it is heard, the page waits: it is told to begin.
    """
    until = time.monotonic() + PATIENCE / 1000
    while not page.evaluate("heard.parts.some((part) => part.some((value) => Math.abs(value) > 0.01))"):
        assert time.monotonic() < until, "nothing was heard"
        page.evaluate("document.querySelector('#begin-now:not([hidden])')?.click()")
        page.wait_for_timeout(50)
