"""A model as it was first fetched here, its commit and the SHA-256 of each file -> a warning when it changes.

models.toml pins what could be verified. For what follows a branch, the first download is the pin: the records stand
in the data folder, one small file a repository, so that they outlive the download itself.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.files.reading import UnreadableFileError, read_json_object
from mlx_tts.files.writing import write_whole
from mlx_tts.library.catalog import ModelSpec
from mlx_tts.runtime.folders import data_folder

Log = Callable[[str], None]
NOTHING: Mapping[str, str] = {}
MOST_NAMED = 3  # files named in one line; the rest are counted


@dataclass(frozen=True)
class Pin:
    """commit: the name of the folder that the files were fetched into. files: name -> SHA-256."""

    commit: str
    files: dict[str, str]


def record(spec: ModelSpec, folder: Path, log: Log | None, checked: Mapping[str, str] = NOTHING) -> None:
    """After a download: write down what came, or say what is not as it was the first time. Never stops the download.

    checked: the SHA-256 of files that were just compared with it; weights of gigabytes are not read again."""
    if spec.repository is None:
        return
    found, first = Pin(folder.name, digests(folder, checked)), known(spec)
    if first is None:
        _write(spec, found, log)
        return
    changed = sorted(name for name, digest in found.files.items() if first.files.get(name, digest) != digest)
    if log and (changed or first.commit != found.commit):
        what = f"other bytes in {_named(changed)}" if changed else "the same bytes in every file that was here before"
        log(
            f"{spec.name} is not what was first fetched here: commit {found.commit[:12]} in place of "
            f"{first.commit[:12]}, {what}; if that is as you want it, remove {_path(spec)} before the next download"
        )


def verify(spec: ModelSpec, folder: Path) -> str:
    """Compare what is on disk with models.toml and with the record of the first download: one line of what was found.

    MlxTtsError names the files that are different or gone. RequestError: the model was never downloaded."""
    if spec.repository is None:
        raise RequestError(
            f"{spec.name} is not a download, so that there is nothing to compare it with: where it comes with mlx-tts "
            "and does not speak, install mlx-tts again"
        )
    first = known(spec)
    expected = {**(first.files if first is not None and first.commit == folder.name else {}), **spec.pinned_files}
    if not expected:
        raise MlxTtsError(
            f"nothing is known of {spec.name} to compare it with: it was fetched before such records were kept, or "
            "copied here; `mlx-tts models rm` and `mlx-tts pull` fetch it again and keep such a record"
        )
    found = digests(folder)
    wrong = sorted(name for name, digest in expected.items() if found.get(name) != digest)
    if wrong:
        raise MlxTtsError(
            f"{spec.name} is not as it was fetched: {_named(wrong)} in {folder}; remove the model with "
            f"`mlx-tts models rm {spec.name}` and fetch it again"
        )
    unknown = sorted(set(found) - set(expected))
    told = f"; nothing is known of {_named(unknown)}" if unknown else ""
    return f"{spec.name}: {len(expected)} files have the SHA-256 that they should have{told}"


def known(spec: ModelSpec) -> Pin | None:
    """The record of the first download; None where there is none, or a damaged one."""
    try:
        table = read_json_object(_path(spec)).get(spec.revision)
    except (FileNotFoundError, UnreadableFileError):
        return None
    if (
        not isinstance(table, dict)
        or not isinstance(table.get("commit"), str)
        or not isinstance(table.get("files"), dict)
    ):
        return None
    return Pin(table["commit"], {str(name): str(digest) for name, digest in table["files"].items()})


def digests(folder: Path, checked: Mapping[str, str] = NOTHING) -> dict[str, str]:
    """The SHA-256 of each file of a checkpoint's folder, by its name there. checked: those that are known."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name in checked:
            found[name] = checked[name]
        elif path.is_file():
            with path.open("rb") as file:
                found[name] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def _path(spec: ModelSpec) -> Path:
    return data_folder() / "pins" / f"{(spec.repository or spec.name).replace('/', '--')}.json"


def _write(spec: ModelSpec, pin: Pin, log: Log | None) -> None:
    path = _path(spec)
    try:
        table = read_json_object(path)
    except (FileNotFoundError, UnreadableFileError):
        table = {}
    table[spec.revision] = {"commit": pin.commit, "files": pin.files}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps(table, indent=1, sort_keys=True).encode())
    except (OSError, MlxTtsError) as error:
        if log:
            log(f"what was fetched could not be written down, so a later change will not be seen: {error}")


def _named(names: list[str]) -> str:
    rest = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {rest} more" if rest > 0 else "")
