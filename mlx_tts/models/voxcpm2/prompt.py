"""Ids of a text, and the latents of recordings -> the rows that the language models read before the first patch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mlx_tts.models.voxcpm2.config import AUDIO_START, REFERENCE_END, REFERENCE_START

Patches = NDArray[np.float32]  # [N, P, D]


@dataclass(frozen=True)
class Prompt:
    """ids: [n], 0 where audio stands. is_audio: [n]. patches: [N, P, D], those of all audio rows in order."""

    ids: NDArray[np.int32]
    is_audio: NDArray[np.bool_]
    patches: Patches

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def last(self) -> Patches:
        """[P, D]: the patch at the last row; zeros where that is text."""
        return self.patches[-1] if self.is_audio[-1] else np.zeros(self.patches.shape[1:], np.float32)


def lay_out(
    text_ids: Sequence[int], shape: tuple[int, int], reference: Patches | None, continued: Patches | None
) -> Prompt:
    """reference: how the voice sounds, before the text. continued: what speech goes on from, behind it; its words are
    at the beginning of the text. shape: (P, D) of a patch."""
    ids: list[int] = []
    parts: list[Patches] = []
    if reference is not None:
        ids += [REFERENCE_START, *[0] * len(reference), REFERENCE_END]
        parts.append(reference)
    ids += [*text_ids, AUDIO_START]
    first_audio = 1 if reference is not None else 0
    is_audio = np.zeros(len(ids) + (0 if continued is None else len(continued)), np.bool_)
    if reference is not None:
        is_audio[first_audio : first_audio + len(reference)] = True
    if continued is not None:
        is_audio[len(ids) :] = True
        ids += [0] * len(continued)
        parts.append(continued)
    patches = np.concatenate(parts) if parts else np.zeros((0, *shape), np.float32)
    return Prompt(np.array(ids, np.int32), is_audio, patches.astype(np.float32, copy=False))


def heard_before(reference: Patches | None, continued: Patches | None, count: int) -> Patches | None:
    """The patches that the decoder hears before the first one that is made: the last of all audio, where the prompt
    ends in audio. One shorter than `count` is filled up from the reference, as the official code does."""
    if continued is None:
        return None
    whole = continued if reference is None else np.concatenate([reference, continued])
    return whole[-count:]
