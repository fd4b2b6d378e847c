"""What a caller gives as a file's name -> Path; RequestError for what cannot be one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from mlx_tts.errors import RequestError

LONGEST_PART = 255  # bytes of a name, on every system in use


def as_path(value: Any, name: str = "path") -> Path:
    if not isinstance(value, (str, Path)) or not str(value) or "\0" in str(value):
        raise RequestError(f"{name} is {repr(value)[:60]}, a {type(value).__name__}: give a file's name")
    path = Path(value)
    try:
        is_too_long = any(len(os.fsencode(part)) > LONGEST_PART for part in path.parts)
    except UnicodeEncodeError:
        raise RequestError(f"{name} is {str(value)[:60]!r}, which no file's name can be: choose another") from None
    if is_too_long:
        raise RequestError(f"{name} is {str(value)[:60]!r}...: that is too long for a file's name")
    return path


def user_path(text: str) -> Path:
    """A path that may begin with ~; one of a user who is not known stays as it is written."""
    try:
        return Path(text).expanduser()
    except RuntimeError:
        return Path(text)
