"""Frames of codes and the state before them in, samples and the state after them out: the codec's package, on the host.

The state of a stream is a value: tails of the layers, keys and values of the last positions, and how many there were.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlx_tts.export.coreml.runner import CACHES, Model
from mlx_tts.models.qwen3_tts.config import CodecDecoderConfig
from mlx_tts.models.qwen3_tts.coreml.steps import MASK, rotation

Array = NDArray[Any]


@dataclass(frozen=True)
class SoundState:
    """position: frames before. arrays: the package's inputs that carry what was before."""

    position: int
    arrays: dict[str, Array]


class SpeechDecoder:
    """table: all codebooks below each other, [codebooks * size, channels]."""

    def __init__(self, model: Model, config: CodecDecoderConfig, table: Array, shapes: dict[str, tuple[int, ...]]):
        self.model, self.config, self.table, self.shapes = model, config, table, shapes

    def make_state(self) -> SoundState:
        return SoundState(0, {name: np.zeros(shape, np.float32) for name, shape in self.shapes.items()})

    def step(self, codes: Array, state: SoundState) -> tuple[NDArray[np.float32], SoundState]:
        """[T, K] -> samples [T * 1,920]"""
        pieces = []
        for frame in codes:
            samples, state = self._frame(frame, state)
            pieces.append(samples)
        return np.concatenate(pieces) if pieces else np.zeros(0, np.float32), state

    def _frame(self, codes: Array, state: SoundState) -> tuple[NDArray[np.float32], SoundState]:
        config, position = self.config, state.position
        rows = codes.astype(np.int64) + np.arange(config.num_quantizers) * config.codebook_size
        x = np.asarray(self.table[rows], np.float32).sum(axis=0)
        past = config.sliding_window - 1
        mask = np.full((1, 1, 1, past), MASK, np.float32)
        mask[..., : min(position, past)] = 0  # a full window is used round and round: the order of keys does not matter
        cosine, sine = rotation(config.head_dim, config.rope_theta, position)
        inputs = {"x": x.reshape(1, -1, 1, 1), "mask": mask, "cosine": cosine, "sine": sine}
        found = self.model.predict({**inputs, **state.arrays})
        after = {name: np.array(found[f"next_{name}"]) for name in self.shapes if name not in CACHES}
        for name in CACHES:
            after[name] = state.arrays[name].copy()
            after[name][..., position % past] = found[f"new_{name}"][..., 0]
        return np.array(found["samples"], np.float32).reshape(-1), SoundState(position + 1, after)
