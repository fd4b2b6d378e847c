"""Qwen3-TTS as a family: what models/families.py asks for. Imports nothing heavy before it is needed."""

from __future__ import annotations

from pathlib import Path

from mlx_tts.checkpoints.shard_index import missing_weights
from mlx_tts.export.coreml.packages import MANIFEST
from mlx_tts.models.families import LazyFamily


class Qwen3TTSFamily(LazyFamily):
    def missing_files(self, folder: Path) -> list[str]:
        missing = [name for name in self.described_by if not (folder / name).is_file()]
        if not (folder / "tokenizer.json").is_file():
            missing += [name for name in ("vocab.json", "merges.txt") if not (folder / name).is_file()]
        parts = () if (folder / MANIFEST).is_file() else (folder, folder / "speech_tokenizer")
        for part in parts:  # a folder of Core ML packages says itself what is missing, when it is loaded
            missing += [str((part / name).relative_to(folder)) for name in missing_weights(part)]
        return missing


FAMILY = Qwen3TTSFamily(
    name="qwen3_tts",
    package="mlx_tts.models.qwen3_tts",
    model_types=("qwen3_tts",),
    small_files=(
        "config.json",
        "generation_config.json",
        "tokenizer_config.json",
        "tokenizer.json",
        "vocab.json",
        "merges.txt",
        "model.safetensors.index.json",
        "speech_tokenizer/config.json",
        "speech_tokenizer/model.safetensors.index.json",
    ),
    described_by=("config.json", "speech_tokenizer/config.json"),
    weights=("model*.safetensors", "speech_tokenizer/model*.safetensors"),
)
