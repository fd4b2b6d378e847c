"""VoxCPM as a family: what models/families.py asks for. Imports nothing heavy before it is needed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mlx_tts.models.families import LazyFamily


class VoxCPMFamily(LazyFamily):
    def recognises(self, config: Mapping[str, Any]) -> bool:
        from mlx_tts.models.voxcpm2.config import architecture_of

        return architecture_of(dict(config)) is not None

    def missing_files(self, folder: Path) -> list[str]:
        from mlx_tts.models.voxcpm2.weights import missing_files

        return [name for name in self.described_by if not (folder / name).is_file()] + missing_files(folder)


FAMILY = VoxCPMFamily(
    name="voxcpm2",
    package="mlx_tts.models.voxcpm2",
    small_files=("config.json", "tokenizer.json"),
    described_by=("config.json", "tokenizer.json"),
    weights=(
        "model.safetensors",
        "model-*-of-*.safetensors",
        "model.safetensors.index.json",
        "pytorch_model.bin",
        "audiovae.safetensors",
        "audiovae.pth",
    ),
)
