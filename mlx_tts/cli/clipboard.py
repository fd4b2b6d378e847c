"""What was copied to the clipboard -> its text, by the program that the system has for it."""

from __future__ import annotations

import shutil
import subprocess

from mlx_tts.errors import RequestError

PROGRAMS = (
    ("pbpaste",),  # macOS
    ("wl-paste", "--no-newline"),  # Wayland
    ("xclip", "-out", "-selection", "clipboard"),
    ("xsel", "--clipboard", "--output"),
)
MOST_SECONDS = 10.0  # a program that asks another one for the text, which may hang


def clipboard_text() -> str:
    """RequestError where there is no such program, or no text."""
    program = next((line for line in PROGRAMS if shutil.which(line[0])), None)
    if program is None:
        raise RequestError("--clipboard needs wl-paste, xclip or xsel here: install one, or pipe the text in")
    try:
        found = subprocess.run(program, capture_output=True, timeout=MOST_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RequestError(f"{program[0]} did not give the clipboard's text ({type(error).__name__})") from None
    text = found.stdout.decode("utf-8", "replace")
    if found.returncode or not text.strip():
        raise RequestError("there is no text in the clipboard: copy some first")
    return text
