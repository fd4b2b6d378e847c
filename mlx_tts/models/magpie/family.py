"""MagpieTTS as a family: what models/families.py asks for. Imports nothing heavy before it is needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlx_tts.models.magpie.checkpoint import Checkpoint
    from mlx_tts.models.magpie.synthesizer import MagpieTTS
    from mlx_tts.speech import Capabilities, CheckedRequest, SpeechRequest

MODEL_TYPE = "magpie_tts"  # in the config.json of converted folders


@dataclass(frozen=True)
class MagpieFamily:
    name: str = "magpie"
    small_files: tuple[str, ...] = ("config.json", "codec/config.json", "text/*")
    described_by: tuple[str, ...] = ("config.json", "codec/config.json")
    weights: tuple[str, ...] = ("model.safetensors", "codec/model.safetensors")
    archives: tuple[str, ...] = ("*.nemo", "*.gguf")

    def recognises(self, config: Mapping[str, Any]) -> bool:
        return config.get("model_type") == MODEL_TYPE

    def missing_files(self, folder: Path) -> list[str]:
        return [name for name in (*self.described_by, *self.weights) if not (folder / name).is_file()]

    def open(self, folder: Path, config: dict[str, Any]) -> Checkpoint:
        from mlx_tts.models.magpie.checkpoint import open_checkpoint

        return open_checkpoint(folder, config)

    def can(self, kind: str) -> Capabilities | None:
        from mlx_tts.models.magpie.checkpoint import KINDS

        return KINDS.get(kind)

    def check(self, checkpoint: Checkpoint, request: SpeechRequest) -> CheckedRequest:
        from mlx_tts.models.magpie.check import check_request

        return check_request(checkpoint, request)

    def load(self, checkpoint: Checkpoint, *, dtype: str | None, log: Callable[[str], None]) -> MagpieTTS:
        from mlx_tts.models.magpie.synthesizer import load

        return load(checkpoint, dtype=dtype, log=log)

    def unpack(self, archives: list[Path], destination: Path, *, log: Callable[[str], None]) -> None:
        from mlx_tts.models.magpie.archives import import_archives

        import_archives(archives, destination, log)

    def convert(self, source: Checkpoint, destination: Path, *, log: Callable[[str], None], **options: Any) -> None:
        from mlx_tts.models.magpie.conversion import convert

        convert(source, destination, log=log, **options)


FAMILY = MagpieFamily()
