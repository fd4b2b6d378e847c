"""Kokoro as a family: what models/families.py asks for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mlx_tts.models.families import LazyFamily

WEIGHTS = ("*.pth", "*.safetensors")  # the release has kokoro-v1_0.pth, conversions have model.safetensors


class KokoroFamily(LazyFamily):
    """The official config.json has no `model_type`: the entries of its parts tell what it is."""

    def recognises(self, config: Mapping[str, Any]) -> bool:
        return super().recognises(config) or ("istftnet" in config and "plbert" in config)

    def missing_files(self, folder: Path) -> list[str]:
        missing = [name for name in self.described_by if not (folder / name).is_file()]
        if not any(path.is_file() for pattern in WEIGHTS for path in folder.glob(pattern)):
            missing.append("kokoro-v1_0.pth")
        if not any((folder / "voices").glob("*")):
            missing.append("voices/*")
        return missing


FAMILY = KokoroFamily(
    name="kokoro",
    package="mlx_tts.models.kokoro",
    model_types=("kokoro",),
    small_files=("config.json", "voices/*"),
    described_by=("config.json",),
    weights=WEIGHTS,
)
