"""Downloaded files, compared with what models.toml pins and what the hub announced: DownloadError where one differs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlx_tts.errors import DownloadError

BLOCK_BYTES = 1 << 20


@dataclass(frozen=True)
class Announced:
    """What the hub says of a file. Large files have a SHA-256, small ones the SHA-1 by which git knows them."""

    size: int | None = None
    sha256: str | None = None
    git_sha1: str | None = None


def announced_files(info: Any) -> dict[str, Announced]:
    """What huggingface_hub's ModelInfo, asked for with files_metadata, says of each file."""
    found = {}
    for sibling in info.siblings or ():
        lfs = getattr(sibling, "lfs", None)
        sha256 = getattr(lfs, "sha256", None) or (lfs.get("sha256") if isinstance(lfs, dict) else None)
        git_sha1 = None if lfs else getattr(sibling, "blob_id", None)
        found[sibling.rfilename] = Announced(getattr(sibling, "size", None), sha256, git_sha1)
    return found


def check_files(
    folder: Path, pinned: Mapping[str, str], announced: Mapping[str, Announced], go_on: Callable[[], None]
) -> None:
    """Check every file of a snapshot; one that is wrong is removed, so that it is fetched again.

    pinned: name -> SHA-256 of models.toml, which counts more than what the hub says. go_on is called now and then and
    may raise.
    """
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        name = path.relative_to(folder).as_posix()
        said = announced.get(name, Announced())
        fault = _fault(path, pinned.get(name), said, go_on)
        if fault is not None:
            path.resolve().unlink(missing_ok=True)  # the cache keeps the bytes elsewhere
            path.unlink(missing_ok=True)
            raise DownloadError(f"{name} is not the file that {fault}: it was removed, fetch the model again")


def _fault(path: Path, pinned: str | None, said: Announced, go_on: Callable[[], None]) -> str | None:
    size = path.stat().st_size
    if pinned is None and said.size is not None and size != said.size:
        return f"the hub announced ({size:,} bytes instead of {said.size:,})"
    if pinned is not None or said.sha256 is not None:
        by = "this program knows" if pinned is not None else "the hub announced"
        found = _digest(path, hashlib.sha256(), go_on)
        return None if found == (pinned or said.sha256) else f"{by} (its SHA-256 is {found[:16]}...)"
    if said.git_sha1 is not None:
        found = _digest(path, hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False), go_on)
        return None if found == said.git_sha1 else f"the hub announced (its git SHA-1 is {found[:16]}...)"
    return None


def _digest(path: Path, digest: Any, go_on: Callable[[], None]) -> str:
    with path.open("rb") as file:
        while block := file.read(BLOCK_BYTES):
            go_on()
            digest.update(block)
    return digest.hexdigest()  # type: ignore[no-any-return]
