"""What one utterance of the decode loop is: its text and voice, its steps on their way, and where it ends."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mlx_tts.models.magpie.alignment import Alignment
from mlx_tts.models.magpie.decoding import Decoding
from mlx_tts.models.magpie.passage import Continuation, Passage
from mlx_tts.models.magpie.settings import GenerationSettings
from mlx_tts.samples import Codes


@dataclass(frozen=True)
class Utterance:
    """One text ready for the loop. context: [1, T, D], what stands before the audio: the voice. text, language: what
    the ids were read from."""

    passage: Passage
    context: mx.array
    settings: GenerationSettings
    seed: int
    text: str = ""
    language: str = ""


@dataclass
class Launch:
    """One step of a row on its way: codes and the parallel heads' choices [slots], attention [ids]; None where there is
    no prior, or where the row's alignment has taken it in."""

    codes: mx.array
    parallel: mx.array
    attention: mx.array | None


@dataclass
class Row:
    """An utterance on its way: `step` steps of take `take` were read, and `sent` are made or on their way. A step makes
    a stack of frames.

    queue: frames that were made and not yet given. promised: how many of them earlier steps of the engine will take.
    """

    utterance: Utterance
    take: int
    decoding: Decoding
    alignment: Alignment | None
    x: mx.array  # [1, 1, D]: what the decoder reads next
    step: int = 0
    sent: int = 0
    last: mx.array | None = None  # [slots]: the codes of the step that was sent last
    launches: deque[Launch] = field(default_factory=deque)
    queue: deque[Codes] = field(default_factory=deque)
    promised: int = 0
    over: bool = False
    ready: bool = True

    def continuation(self) -> Continuation:
        """What the next piece takes."""
        window = self.utterance.passage.window
        attended = self.alignment.attended if self.alignment else window.attended
        return self.utterance.passage.continuation(attended)


def first_end(sampled: NDArray[np.bool_], heads: NDArray[np.bool_], method: str) -> int | None:
    """Where EOS stands in the codes [S, C] that were sampled and in the heads' choices -> the first frame that ends."""
    for frame, (own, likely) in enumerate(zip(sampled, heads, strict=True)):
        sources = (likely, own) if "multinomial" in method else (likely,)
        if method.endswith("any"):
            ends = any(source.any() for source in sources)
        elif method.endswith("all"):
            ends = any(source.all() for source in sources)
        else:
            ends = any(bool(source[0]) for source in sources)
        if ends:
            return frame
    return None
