"""What the decode loop is given, and what it keeps of it: an utterance, and a row on its way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mlx_tts.errors import ModelError
from mlx_tts.generation.sampling import SamplingParams
from mlx_tts.generation.signs import TextAttention
from mlx_tts.nn.cache import Caches
from mlx_tts.samples import Codes


@dataclass(frozen=True)
class TextPlaces:
    """Where the text stands among the talker's positions. first: of its first id; ids: how many it has; begins: of
    each of the words, counted from there."""

    first: int
    ids: int
    words: tuple[str, ...]
    begins: tuple[int, ...]


@dataclass(frozen=True)
class Utterance:
    """One text ready for the loop.

    prefill: [L, D] what the talker is given first. trailing: [N, D] text added to the frames that follow, one a frame;
    after the last, `pad` [D] is added for ever. params and seed: how its codes are sampled. places: of the words, where
    their times can be told. fault: what is wrong with its embeddings; it waits for the device.
    """

    prefill: mx.array
    trailing: mx.array
    pad: mx.array
    params: SamplingParams
    seed: int
    places: TextPlaces | None = None
    fault: Callable[[], ModelError | None] | None = None
    text_grows: ClassVar[bool] = False

    def text_after(self, frame: int) -> mx.array | None:
        """[D]: what is added to the embedding of a frame before the talker reads it; None: it has not arrived yet."""
        return self.trailing[frame] if frame < self.trailing.shape[0] else self.pad


@dataclass
class Row:
    """An utterance on its way: about to generate `frame` of take `take`.

    caches (one a layer), x [1, 1, D] and used [1, V] are its state while it is in no batch. draws: [3] of each
    frame that was read, how its first code surprised the model; attention: of its frames, once it was asked for.
    made: codes [T, K] of its first frames, which an earlier run drew.
    """

    utterance: Utterance
    take: int
    caches: Caches
    x: mx.array
    used: mx.array
    frame: int = 0
    text: mx.array | None = None
    draws: list[NDArray[np.float32]] = field(default_factory=list)
    attention: TextAttention | None = None
    made: Codes | None = None

    @property
    def made_codes(self) -> Codes | None:
        """[K]: of the frame that it is about to generate, where an earlier run drew them."""
        return self.made[self.frame] if self.made is not None and self.frame < len(self.made) else None

    @property
    def ready(self) -> bool:
        if self.text is None:
            self.text = self.utterance.text_after(self.frame)
        return self.text is not None
