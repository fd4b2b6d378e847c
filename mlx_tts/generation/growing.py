"""A text that still arrives -> whether it is complete, without anybody waiting for it in the MLX thread."""

from __future__ import annotations

import threading

from mlx_tts.speech import GrowingText


def has_arrived(growing: GrowingText) -> bool:
    """Take in what is there without waiting; whether the text is complete."""
    advance = getattr(growing, "advance", None)
    while advance is not None and not growing.complete and advance():
        pass
    return growing.complete


def keep_waiting(growing: GrowingText) -> None:
    """Have a thread wait for a text that can only be waited for, so that nobody else does."""
    if hasattr(growing, "advance"):
        return

    def wait() -> None:
        while not growing.complete:
            growing.wait()

    threading.Thread(target=wait, name="mlx-tts growing text", daemon=True).start()
