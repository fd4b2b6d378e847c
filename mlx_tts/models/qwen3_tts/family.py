"""Qwen3-TTS as a family: what models/families.py asks for. Imports nothing heavy before it is needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlx_tts.checkpoints.shard_index import read_index
from mlx_tts.errors import ModelError
from mlx_tts.export.coreml.places import MANIFEST

if TYPE_CHECKING:
    from mlx_tts.models.qwen3_tts.checkpoint import Checkpoint
    from mlx_tts.models.qwen3_tts.synthesizer import Qwen3TTS
    from mlx_tts.speech import Capabilities, CheckedRequest, SpeechRequest


NAME = "qwen3_tts"  # also the model_type in config.json


@dataclass(frozen=True)
class Qwen3TTSFamily:
    name: str = NAME
    small_files: tuple[str, ...] = (
        "config.json",
        "generation_config.json",
        "tokenizer_config.json",
        "tokenizer.json",
        "vocab.json",
        "merges.txt",
        "model.safetensors.index.json",
        "speech_tokenizer/config.json",
        "speech_tokenizer/model.safetensors.index.json",
    )
    described_by: tuple[str, ...] = ("config.json", "speech_tokenizer/config.json")
    weights: tuple[str, ...] = ("model*.safetensors", "speech_tokenizer/model*.safetensors")
    archives: tuple[str, ...] = ()

    def recognises(self, config: Mapping[str, Any]) -> bool:
        return config.get("model_type") == NAME

    def missing_files(self, folder: Path) -> list[str]:
        missing = [name for name in self.described_by if not (folder / name).is_file()]
        if not (folder / "tokenizer.json").is_file():
            missing += [name for name in ("vocab.json", "merges.txt") if not (folder / name).is_file()]
        parts = () if (folder / MANIFEST).is_file() else (folder, folder / "speech_tokenizer")
        for part in parts:  # a folder of Core ML packages says itself what is missing, when it is loaded
            missing += [str((part / name).relative_to(folder)) for name in _missing_weights(part)]
        return missing

    def open(self, folder: Path, config: dict[str, Any]) -> Checkpoint:
        from mlx_tts.models.qwen3_tts.checkpoint import open_checkpoint

        return open_checkpoint(folder, config)

    def can(self, kind: str) -> Capabilities | None:
        from mlx_tts.models.qwen3_tts.checkpoint import KINDS

        return KINDS.get(kind)

    def check(self, checkpoint: Checkpoint, request: SpeechRequest) -> CheckedRequest:
        from mlx_tts.models.qwen3_tts.check import check_request

        return check_request(checkpoint, request)

    def load(self, checkpoint: Checkpoint, *, dtype: str | None, log: Callable[[str], None]) -> Qwen3TTS:
        from mlx_tts.models.qwen3_tts.synthesizer import load

        return load(checkpoint, dtype=dtype, log=log)

    def unpack(self, archives: list[Path], destination: Path, *, log: Callable[[str], None]) -> None: ...

    def convert(self, source: Checkpoint, destination: Path, *, log: Callable[[str], None], **options: Any) -> None:
        from mlx_tts.models.qwen3_tts.conversion import convert

        convert(source, destination, log=log, **options)


def _missing_weights(folder: Path) -> list[str]:
    if (folder / "model.safetensors").is_file():
        return []
    index = folder / "model.safetensors.index.json"
    if not index.is_file():
        return ["model.safetensors"]
    try:
        shards = sorted(set(read_index(index).values()))
    except ModelError:
        return [index.name]
    return [name for name in shards if not (folder / name).is_file()]


FAMILY = Qwen3TTSFamily()
