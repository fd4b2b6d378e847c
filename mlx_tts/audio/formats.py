"""A file name's extension -> how libsndfile is to write it. Imports nothing heavy: names are checked first."""

from __future__ import annotations

from pathlib import Path

from mlx_tts.errors import RequestError

FORMATS = {
    ".wav": ("WAV", "PCM_16"),
    ".flac": ("FLAC", "PCM_16"),
    ".mp3": ("MP3", "MPEG_LAYER_III"),
    ".ogg": ("OGG", "VORBIS"),
    ".opus": ("OGG", "OPUS"),
}
BOOKS = (".m4b", ".m4a")  # written through PyAV by the command line alone


def check_extension(path: Path) -> str:
    """The extension in lower case; RequestError names the allowed ones."""
    extension = path.suffix.lower()
    if extension not in FORMATS:
        what = f"extension {path.suffix!r}" if path.suffix else "no extension"
        raise RequestError(f"{path} has {what}, which is no audio format: use {', '.join(FORMATS)}")
    return extension
