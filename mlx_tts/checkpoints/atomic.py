"""A folder that has its name only when all of it is written; until then it is hidden and of our own making."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.files.writing import UNFINISHED, hidden, only_run

MARK = ".made-by-mlx-tts"


@contextmanager
def atomic_folder(destination: Path) -> Iterator[Path]:
    """A fresh folder to write into. Renamed to `destination` at the end; removed if anything fails on the way.

    RequestError if something is there already (an empty folder is replaced), MlxTtsError if it cannot be written.
    """
    destination = Path(destination).absolute()
    if destination.exists() and (not destination.is_dir() or any(destination.iterdir())):
        raise RequestError(f"{destination} exists and is not empty: choose another folder")
    unfinished = hidden(destination, UNFINISHED)
    try:
        with only_run(destination):
            _make_ours(unfinished)
            try:
                yield unfinished
                (unfinished / MARK).unlink()
                if destination.exists():
                    destination.rmdir()
                unfinished.rename(destination)
            finally:
                shutil.rmtree(unfinished, ignore_errors=True)
    except (OSError, RuntimeError) as error:
        raise MlxTtsError(
            f"{destination} cannot be written ({error}): free some space or choose another folder"
        ) from None


def _make_ours(folder: Path) -> None:
    """A fresh folder with a mark in it. One that a killed run left has the mark too; nothing else is removed."""
    if (folder / MARK).is_file():
        shutil.rmtree(folder)
    folder.mkdir()
    (folder / MARK).touch()
