"""VoxCPM as a family: what models/families.py asks for. Imports nothing heavy before it is needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlx_tts.errors import ModelError

if TYPE_CHECKING:
    from mlx_tts.models.voxcpm2.checkpoint import Checkpoint
    from mlx_tts.models.voxcpm2.synthesizer import VoxCPMTTS
    from mlx_tts.speech import Capabilities, CheckedRequest, SpeechRequest


@dataclass(frozen=True)
class VoxCPMFamily:
    name: str = "voxcpm2"
    small_files: tuple[str, ...] = ("config.json", "tokenizer.json")
    described_by: tuple[str, ...] = ("config.json", "tokenizer.json")
    weights: tuple[str, ...] = (
        "model.safetensors",
        "model-*-of-*.safetensors",
        "model.safetensors.index.json",
        "pytorch_model.bin",
        "audiovae.safetensors",
        "audiovae.pth",
    )
    archives: tuple[str, ...] = ()

    def recognises(self, config: Mapping[str, Any]) -> bool:
        from mlx_tts.models.voxcpm2.config import architecture_of

        return architecture_of(dict(config)) is not None

    def missing_files(self, folder: Path) -> list[str]:
        from mlx_tts.models.voxcpm2.sources import missing_weights

        return [name for name in self.described_by if not (folder / name).is_file()] + missing_weights(folder)

    def open(self, folder: Path, config: dict[str, Any]) -> Checkpoint:
        from mlx_tts.models.voxcpm2.checkpoint import open_checkpoint

        return open_checkpoint(folder, config)

    def can(self, kind: str) -> Capabilities | None:
        from mlx_tts.models.voxcpm2.checkpoint import KINDS

        return KINDS.get(kind)

    def check(self, checkpoint: Checkpoint, request: SpeechRequest) -> CheckedRequest:
        from mlx_tts.models.voxcpm2.check import check_request

        return check_request(checkpoint, request)

    def load(self, checkpoint: Checkpoint, *, dtype: str | None, log: Callable[[str], None]) -> VoxCPMTTS:
        from mlx_tts.models.voxcpm2.synthesizer import load

        return load(checkpoint, dtype=dtype, log=log)

    def unpack(self, archives: list[Path], destination: Path, *, log: Callable[[str], None]) -> None:
        del archives, destination, log  # there are none: `archives` is empty
        raise ModelError("checkpoints of this family are plain folders: there is nothing to unpack")

    def convert(self, source: Checkpoint, destination: Path, *, log: Callable[[str], None], **options: Any) -> None:
        from mlx_tts.models.voxcpm2.conversion import convert

        convert(source, destination, log=log, **options)


FAMILY = VoxCPMFamily()
