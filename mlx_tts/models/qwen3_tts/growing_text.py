"""A request whose text still arrives -> an utterance that reads each text id when its frame needs it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

import mlx.core as mx

from mlx_tts.models.qwen3_tts.frames import Utterance
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


@dataclass(frozen=True)
class GrowingUtterance(Utterance):
    """read_trailing: the trailing ids of the text so far, the closing one last. A frame waits for the id it needs;
    words are whole, so more of them change no id that was read."""

    growing: GrowingText
    read_trailing: Callable[[], list[int]]
    embed: Callable[[mx.array], mx.array]

    def text_after(self, frame: int) -> mx.array | None:
        complete = has_arrived(self.growing)
        ids = self.read_trailing()[: None if complete else -1]
        if frame < len(ids):
            return self.embed(mx.array(ids[frame : frame + 1]))[0]
        return self.pad if complete else None
