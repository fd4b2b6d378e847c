"""The frames of a piece that was stopped in its midst <-> a small file beside the finished pieces."""

from __future__ import annotations

import contextlib
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlx_tts.files.reading import UnreadableFileError, read_bytes
from mlx_tts.files.writing import write_whole

SUFFIX = ".unfinished.safetensors"
MOST_BYTES = 64_000_000


@dataclass(frozen=True)
class UnfinishedPiece:
    """See speech.Unfinished. What cannot be kept or read is made again, so nothing here raises."""

    path: Path

    def read(self, seed: int) -> NDArray[Any] | None:
        """[T, ...]; None where there are none, where they are damaged, or where they were made with another seed."""
        from safetensors import SafetensorError
        from safetensors.numpy import load

        try:
            stored = load(read_bytes(self.path, MOST_BYTES))
            frames, made_with, check = stored["frames"], stored["seed"].tobytes(), int(stored["check"][0])
        except (FileNotFoundError, UnreadableFileError, SafetensorError, ValueError, TypeError, KeyError, IndexError):
            return None
        whole = frames.ndim > 1 and len(frames) and check == zlib.crc32(frames.tobytes())
        return frames if whole and made_with == str(seed).encode() else None

    def write(self, seed: int, frames: NDArray[Any]) -> None:
        """All of them, or none where there is no room."""
        from safetensors.numpy import save

        frames = np.ascontiguousarray(frames)
        stored = {
            "frames": frames,
            "seed": np.frombuffer(str(seed).encode(), np.uint8),
            "check": np.array([zlib.crc32(frames.tobytes())], np.uint32),
        }
        with contextlib.suppress(OSError):
            write_whole(self.path, save(stored), follow=False)
