"""Kokoro as a family: what models/families.py asks for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mlx_tts.models.families import LazyFamily

WEIGHTS = ("kokoro-v1_0.pth", "kokoro-v1_0.safetensors", "model.safetensors")  # of the release, of conversions
VOICES = "voices/*"


class KokoroFamily(LazyFamily):
    """The official config.json has no `model_type`: the entries of its parts tell what it is."""

    def recognises(self, config: Mapping[str, Any]) -> bool:
        return super().recognises(config) or ("istftnet" in config and "plbert" in config)

    def missing_files(self, folder: Path) -> list[str]:
        missing = [] if (folder / "config.json").is_file() else ["config.json"]
        if not any(path.is_file() for ending in ("pth", "safetensors") for path in folder.glob(f"*.{ending}")):
            missing.append(WEIGHTS[0])
        if not any((folder / "voices").glob("*")):
            missing.append(VOICES)
        return missing


FAMILY = KokoroFamily(
    name="kokoro",
    package="mlx_tts.models.kokoro",
    model_types=("kokoro",),
    small_files=("config.json", VOICES),
    described_by=("config.json", VOICES),
    weights=WEIGHTS,
)
