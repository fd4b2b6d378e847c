"""A conversion of Qwen3-TTS with its options as keywords, for tests."""

from pathlib import Path
from typing import Any

from mlx_tts.models.convert_options import ConvertOptions
from mlx_tts.models.qwen3_tts import conversion


def convert(source: Any, destination: Path, **options: Any) -> None:
    conversion.convert(source, destination, ConvertOptions(**options), lambda _line: None)
