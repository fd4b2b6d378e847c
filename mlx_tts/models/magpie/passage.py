"""Text ids of a piece, and what the piece before left -> the window that is read, and the decoder's memory of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx

from mlx_tts.models.magpie.alignment import Window
from mlx_tts.models.magpie.network import Magpie
from mlx_tts.nn.cross_attention import Memory

MOST_HISTORY = 20  # ids of the pieces before that stay in the window


@dataclass(frozen=True)
class Continuation:
    """What a piece leaves to the next: its window's ids and encoding, and where in the whole text it stands."""

    ids: tuple[int, ...]
    encoded: Any  # [1, n, D]
    offset: int
    attended: int


@dataclass(frozen=True)
class Passage:
    """A piece ready to be spoken. encoded: [1, n, D], the encoder's output for the whole window."""

    ids: tuple[int, ...]
    encoded: mx.array
    window: Window

    def continuation(self, attended: int) -> Continuation:
        return Continuation(self.ids, self.encoded, self.window.offset, attended)

    def memory(self, model: Magpie) -> list[Memory]:
        return model.read_memory(self.encoded)


def read_passage(model: Magpie, ids: Sequence[int], after: Continuation | None, final: bool) -> Passage:
    """Encode a piece's ids, the end of speech among them, behind the last ids of the piece before."""
    own = len(ids)
    if after is None:
        return Passage(tuple(ids), model.encode(ids), Window(own, own, final=final))
    window_ids = (*after.ids, *ids)[-(own + min(own, MOST_HISTORY)) :]
    n = len(window_ids)
    encoded = model.encode(window_ids)
    history = n - own
    if history:
        encoded = mx.concatenate([after.encoded[:, -history:], encoded[:, history:]], axis=1)
    offset = after.offset + len(after.ids) - history
    return Passage(window_ids, encoded, Window(n, own, offset, after.attended, first=False, final=final))
