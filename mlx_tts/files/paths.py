"""What a caller gives as a file's name -> Path; RequestError for what is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mlx_tts.errors import RequestError


def as_path(value: Any, name: str = "path") -> Path:
    if not isinstance(value, (str, Path)) or not str(value) or "\0" in str(value):
        raise RequestError(f"{name} is {repr(value)[:60]}, a {type(value).__name__}: give a file's name")
    return Path(value)


def user_path(text: str) -> Path:
    """A path that may begin with ~; one of a user who is not known stays as it is written."""
    try:
        return Path(text).expanduser()
    except RuntimeError:
        return Path(text)
