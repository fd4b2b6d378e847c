"""A request whose text still arrives -> an utterance that reads each text id when its frame needs it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import mlx.core as mx

from mlx_tts.generation.growing import has_arrived
from mlx_tts.models.qwen3_tts.rows import Utterance
from mlx_tts.speech import GrowingText


@dataclass(frozen=True, kw_only=True)
class GrowingUtterance(Utterance):
    """read_trailing: the trailing ids of the text so far, the closing one last. A frame waits for the id it needs;
    words are whole, so more of them change no id that was read."""

    text_grows: ClassVar[bool] = True
    growing: GrowingText
    read_trailing: Callable[[], list[int]]
    embed: Callable[[mx.array], mx.array]

    def text_after(self, frame: int) -> mx.array | None:
        complete = has_arrived(self.growing)
        ids = self.read_trailing()[: None if complete else -1]
        if frame < len(ids):
            return self.embed(mx.array(ids[frame : frame + 1]))[0]
        return self.pad if complete else None
