"""A folder that has its name only when all of it is written; until then it is hidden and of our own making."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mlx_tts.errors import MlxTtsError, RequestError


@contextmanager
def atomic_folder(destination: Path) -> Iterator[Path]:
    """A fresh folder to write into. Renamed to `destination` at the end; removed if anything fails on the way.

    RequestError if something is there already (an empty folder is replaced), MlxTtsError if it cannot be written.
    """
    destination = Path(destination).absolute()
    if destination.exists() and (not destination.is_dir() or any(destination.iterdir())):
        raise RequestError(f"{destination} exists and is not empty: choose another folder")
    unfinished = None
    try:
        unfinished = Path(
            tempfile.mkdtemp(prefix=f".{destination.name[:40]}.", suffix=".unfinished", dir=destination.parent)
        )
        yield unfinished
        unfinished.chmod(0o755)  # mkdtemp's folders are for the owner alone
        if destination.exists():
            destination.rmdir()
        unfinished.rename(destination)
    except (OSError, RuntimeError) as error:
        raise MlxTtsError(
            f"{destination} cannot be written ({error}): free some space or choose another folder"
        ) from None
    finally:
        if unfinished is not None:
            shutil.rmtree(unfinished, ignore_errors=True)
