"""What a person does on the page, by the names of its controls."""

from __future__ import annotations

import base64
import re
import time
from typing import Any

import numpy as np

from tests.helpers.browser import PATIENCE, sound_of

SPEAK, CLONE, MACHINE = "Speak", "Clone a voice", "Machine"


def go_to(page: Any, section: str) -> None:
    page.get_by_role("tab", name=section).click()


def write(page: Any, text: str) -> None:
    page.get_by_role("textbox", name="Text", exact=True).fill(text)


def choose_voice(page: Any, name: str) -> None:
    page.get_by_role("radio", name=name, exact=True).check()


def speak(page: Any) -> None:
    page.get_by_role("button", name="Speak", exact=True).click()


def set_seed(page: Any, seed: int) -> None:
    page.get_by_text("More", exact=True).click()
    page.get_by_label("Seed").fill(str(seed))


def wait_for_message(page: Any, begins: str) -> str:
    """Until the line of messages begins so; all of it."""
    until = time.monotonic() + PATIENCE / 1000
    while not (text := str(page.get_by_role("status").inner_text())).startswith(begins):
        assert time.monotonic() < until, f"{begins!r} was not said, but {text!r}"
        page.wait_for_timeout(50)
    return text


def wait_until_heard(page: Any) -> None:
    page.get_by_role("button", name="Play", exact=True).wait_for()


def played_again(page: Any) -> tuple[np.ndarray, np.ndarray, int]:
    """What is heard when all was made: whole, without the silence in front, and its rate. A slow machine leaves holes
    in what is heard while it is made; then there are none."""
    page.evaluate("heard.parts = []")
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_role("button", name="Pause", exact=True).wait_for()
    wait_until_heard(page)
    samples, rate = sound_of(page)
    return samples, samples[np.flatnonzero(np.abs(samples) > 0.01)[0] :], rate


def saved(page: Any, name: str) -> tuple[str, bytes]:
    """A download from the player's menu: the file's name and bytes."""
    page.get_by_role("button", name="Download").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name=re.compile(f"^{name}")).click()
    return download.value.suggested_filename, download.value.path().read_bytes()


def drop(page: Any, name: str, data: bytes) -> None:
    """Let a file fall on the page, as from a folder's window."""
    transfer = page.evaluate_handle(
        """([name, text]) => {
          const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
          const transfer = new DataTransfer();
          transfer.items.add(new File([bytes], name));
          return transfer;
        }""",
        [name, base64.b64encode(data).decode()],
    )
    for kind in ("dragenter", "dragover", "drop"):
        page.dispatch_event("body", kind, {"dataTransfer": transfer})


def choose_recording(page: Any, data: bytes, name: str = "voice.wav") -> None:
    page.get_by_label("Recording", exact=True).set_input_files({"name": name, "mimeType": "audio/wav", "buffer": data})
    page.get_by_role("list", name="Check of the recording").get_by_role("listitem").first.wait_for()


def picture(page: Any, name: str, whole: bool = False) -> None:
    """A picture for the docs, where `scripts/page_pictures.py` asks for them."""
    import os
    from pathlib import Path

    if folder := os.environ.get("MLX_TTS_PICTURES"):
        page.screenshot(path=Path(folder) / f"{name}.png", animations="disabled", full_page=whole)
