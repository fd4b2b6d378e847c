"""Whatever goes wrong while a checkpoint is read or loaded -> one ModelError that names its folder or file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mlx_tts.errors import MlxTtsError, ModelError
from mlx_tts.files.reading import UnreadableFileError

MOST_SHOWN = 200


@contextmanager
def as_model_error(folder: Path) -> Iterator[None]:
    """While a checkpoint is loaded: any other error becomes a ModelError that names its folder.

    Errors of our own name file and key already and go through. `--debug` still shows where another one came from.
    """
    try:
        yield
    except MlxTtsError:
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {' '.join(str(error).split())[:MOST_SHOWN]}"
        raise ModelError(f"{folder} cannot be loaded ({reason}): fetch or copy the whole checkpoint again") from error


@contextmanager
def part_of_checkpoint(path: Path) -> Iterator[None]:
    """While a file of a checkpoint is read: ModelError where it is missing or cannot be read."""
    try:
        yield
    except FileNotFoundError:
        raise ModelError(f"{path.parent} has no {path.name}: fetch or copy the whole checkpoint again") from None
    except UnreadableFileError as error:
        raise ModelError(f"{path} {error}: fetch or copy it again") from None
