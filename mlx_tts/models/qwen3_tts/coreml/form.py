"""Qwen3-TTS on Core ML, as models/families.py asks for it. Imports nothing heavy before it is needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlx_tts.models.convert_options import ConvertOptions
    from mlx_tts.models.qwen3_tts.checkpoint import Checkpoint

Log = Callable[[str], None]


@dataclass(frozen=True)
class Qwen3TTSOnCoreML:
    def convert(self, source: Checkpoint, destination: Path, options: ConvertOptions, log: Log) -> list[list[str]]:
        from mlx_tts.models.qwen3_tts.coreml.conversion import convert

        return convert(source, destination, options, log)

    def load(self, checkpoint: Checkpoint, *, log: Log) -> Any:
        from mlx_tts.export.coreml import runtime
        from mlx_tts.models.qwen3_tts.coreml import engine
        from mlx_tts.models.qwen3_tts.coreml.manifest import read_manifest

        open_model, manifest = runtime.opener(), read_manifest(checkpoint.folder)
        names = [*manifest.code_decoder, "MultiCodeDecoder.mlpackage", "SpeechDecoder.mlpackage"]
        log("loading Core ML packages; the first time, the chip's compiler may take minutes")
        runtime.first_load([checkpoint.folder / name for name in names])
        return engine.load(checkpoint, open_model, log)

    def examine(self, checkpoint: Checkpoint) -> dict[str, Any]:
        from mlx_tts.export.coreml.placement import examine
        from mlx_tts.models.qwen3_tts.coreml.manifest import read_manifest

        manifest = read_manifest(checkpoint.folder)
        made = {"source": manifest.source, "bits": manifest.bits, "norm": manifest.norm, "context": manifest.context}
        return {**made, **examine([checkpoint.folder / name for name in manifest.packages])}


FORM = Qwen3TTSOnCoreML()
