"""What was spoken and measured of a checkpoint, in a file of the cache: an interrupted conversion goes on from there,
and another budget needs no second measurement."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from mlx_tts.files.writing import write_whole
from mlx_tts.models.recipes.contract import Arrays
from mlx_tts.runtime.folders import cache_folder

FOLDER = "recipes"  # of the cache
FOUND = "found"  # the array with what was measured, as JSON
NUMBERS = 1  # raised whenever the same settings give other numbers


class KeptMeasurements:
    """Values by what was measured, and arrays by the number of the sentence. A file that is damaged or cannot be
    written only costs time."""

    def __init__(self, folder: Path, settings: Mapping[str, Any], path: Path | None = None):
        """folder: of the checkpoint. settings: all else that the numbers depend on."""
        self._path = path or cache_folder() / FOLDER / f"{_digest(folder, settings)}.npz"
        self._found: dict[str, dict[str, float]] = {}
        self._sentences: dict[int, Arrays] = {}
        self._read()

    def found(self, name: str) -> dict[str, float] | None:
        """The divergences that were measured under this name."""
        return self._found.get(name)

    def keep(self, name: str, divergences: dict[str, float]) -> None:
        self._found[name] = divergences
        self._write()

    @property
    def sentences(self) -> int:
        """How many were spoken."""
        return len(self._sentences)

    def sentence(self, number: int) -> Arrays | None:
        """Empty for one that came to no frame."""
        return self._sentences.get(number)

    def keep_sentences(self, sentences: Mapping[int, Arrays]) -> None:
        self._sentences |= sentences
        self._write()

    def _read(self) -> None:
        try:
            with np.load(self._path, allow_pickle=False) as stored:
                found = json.loads(stored[FOUND].tobytes())
                self._sentences = {number: {} for number in found["sentences"]}
                for name in stored.files:
                    number, _, part = name.partition(".")
                    if part:
                        self._sentences[int(number)][part] = stored[name]
                self._found = dict(found["divergences"])
        # zipfile raises RuntimeError for marks of encryption and of what it does not know; JSON may be of another shape
        except (OSError, ValueError, KeyError, EOFError, BadZipFile, RuntimeError, TypeError, AttributeError):
            self._found, self._sentences = {}, {}

    def _write(self) -> None:
        found = {"divergences": self._found, "sentences": list(self._sentences)}
        arrays: dict[str, Any] = {FOUND: np.frombuffer(json.dumps(found).encode(), np.uint8)}
        for number, parts in self._sentences.items():
            arrays |= {f"{number}.{part}": value for part, value in parts.items()}
        data = io.BytesIO()
        np.savez(data, **arrays)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._path, data.getvalue())
        except OSError:
            return  # the next run measures again


def _digest(folder: Path, settings: Mapping[str, Any]) -> str:
    """Of the checkpoint's files, by size and time of change, and of the settings."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    stats = [(str(path.relative_to(folder)), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    whole = [str(folder.resolve()), stats, dict(settings), NUMBERS, version("mlx")]
    return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()[:32]
