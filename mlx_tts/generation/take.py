"""How a request's sound leaves, and what is known of one attempt at it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlx_tts.generation.guard import Fault, QualityMonitor
from mlx_tts.generation.synthesizer import Frame, Row
from mlx_tts.samples import Samples


@dataclass(frozen=True)
class Delivery:
    """How a request's sound leaves. live: as it is made; else the utterance leaves when it is whole and good.
    silent: the frames alone are wanted, so unwatched takes are not decoded. plays_until: of `time.monotonic`, when the
    listener will have heard what was spoken before."""

    live: bool = False
    low_latency: bool = False
    silent: bool = False
    plays_until: float = 0.0


@dataclass
class Take:
    """One attempt. launched: steps on their way or read. piece_frames: of the piece in work, so far. pending: those of
    them that nobody decodes yet. sound: of those that are decoded. early: frames that were read before the guard heard
    the piece before them. chunks: sound of whole pieces, not yet given."""

    number: int
    state: Any
    monitor: QualityMonitor | None
    limit: int
    row: Row | None = None
    launched: int = 0
    frames: list[Frame] = field(default_factory=list)
    piece_frames: int = 0
    pending: list[Frame] = field(default_factory=list)
    sound: list[Samples] = field(default_factory=list)
    early: list[Frame | None] = field(default_factory=list)
    chunks: list[Samples] = field(default_factory=list)
    decoded_chunks: int = 0
    given_frames: int = 0
    fault: Fault | None = None
    over: bool = False

    def cut(self, frames: int) -> tuple[NDArray[Any], Any]:
        """So many of the pending frames, which are to be decoded now, and the decoder's state before them."""
        piece, self.pending = np.stack(self.pending[:frames]), self.pending[frames:]
        return piece, self.state

    @property
    def good_frames(self) -> int:
        return len(self.frames) if self.fault is None else min(self.fault.good_frames, len(self.frames))

    @property
    def is_under_way(self) -> bool:
        """Whether a frame of it is being made."""
        return self.launched > len(self.frames) + len(self.early)
