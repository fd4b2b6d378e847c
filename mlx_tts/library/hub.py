"""ModelSpec -> local folder: what is on disk is used without touching the network, the rest is fetched."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from mlx_tts.errors import DownloadError, ModelError
from mlx_tts.files.reading import UnreadableFileError, read_text, user_path
from mlx_tts.library import pins
from mlx_tts.library.catalog import ModelSpec, format_bytes
from mlx_tts.library.download import Shown, download, remove_cached
from mlx_tts.models import families

Log = Callable[[str], None]

MOST_REFERENCE_BYTES = 200
PLAIN_NAME = re.compile(r"[\w.-]*\w[\w.-]*")  # of a commit's folder
HEADROOM_BYTES = 200_000_000  # left free on the disk in addition to the model itself


def cache_root() -> Path:
    """Where huggingface_hub keeps models; worked out here, because importing it takes longer than all else."""
    if folder := os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE"):
        return user_path(os.path.expandvars(folder))
    home = os.environ.get("HF_HOME")
    if not home:
        home = str(Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface")
    return user_path(os.path.expandvars(home)) / "hub"


def is_offline() -> bool:
    """Whether HF_HUB_OFFLINE (or transformers' variable, which huggingface_hub reads too) forbids the network."""
    values = (os.environ.get(name, "") for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"))
    return any(value.upper() in ("1", "ON", "YES", "TRUE") for value in values)


def storage_folder(spec: ModelSpec) -> Path:
    """Where the cache keeps all of a repository."""
    assert spec.repository is not None
    return cache_root() / ("models--" + spec.repository.replace("/", "--"))


def local_folder(spec: ModelSpec) -> Path | None:
    """The folder of the model as far as it is on disk, complete or not; None where there is nothing yet."""
    if spec.folder is not None:
        return spec.folder if spec.folder.is_dir() else None
    storage = storage_folder(spec)
    if _archives(spec):
        made = unpacked_folder(spec)
        return made if made.is_dir() else None
    commit = spec.revision
    reference = storage / "refs" / spec.revision
    with contextlib.suppress(
        FileNotFoundError, UnreadableFileError
    ):  # a damaged one counts as none: the model is fetched again
        commit = read_text(reference, MOST_REFERENCE_BYTES).strip()
    if not PLAIN_NAME.fullmatch(commit):
        return None
    snapshot = storage / "snapshots" / commit
    return snapshot if snapshot.is_dir() else None


def _archives(spec: ModelSpec) -> tuple[str, ...]:
    """Patterns of the archives that a model of the catalogue is published as; none where files are plain."""
    found = families.archive_family(spec.family) if spec.family and spec.companion else None
    return () if found is None else found.archives[:1]


def unpacked_folder(spec: ModelSpec) -> Path:
    """Where the checkpoint that is made of a model's archives is kept; it goes with `models rm`."""
    return storage_folder(spec) / "unpacked" / spec.revision


def missing_files(folder: Path, family: str | None = None) -> list[str]:
    """What a checkpoint folder lacks, by the rules of its family; empty when it is complete.

    family: its name where the catalogue knows it; else the folder's own config.json says it.
    """
    if family is not None:
        return families.family(family).missing_files(folder)
    config = families.read_config(folder)
    known = None if config is None else families.recognising(config)
    return (known or families.families()[0]).missing_files(folder)


def is_on_disk(spec: ModelSpec) -> bool:
    """Whether the model can be used without the network."""
    folder = local_folder(spec)
    return folder is not None and not missing_files(folder, spec.family)


def fetch(spec: ModelSpec, *, offline: bool = False, log: Log | None = None, progress: Shown = False) -> Path:
    """The folder of a complete model, downloaded if need be; DownloadError or ModelError when that cannot be.
    progress: see `download`."""
    folder = local_folder(spec)
    missing = missing_files(folder, spec.family) if folder else []
    if folder and not missing:
        return folder
    if spec.folder is not None and folder and families.archives_in(folder):
        return folder
    _refuse_unfetchable(spec, folder, missing, offline)
    if log:
        licence = f", {spec.licence}" if spec.licence and _archives(spec) else ""
        log(f"fetching {spec.name} ({spec.download_size}) from {spec.repository}{licence}")
        if not spec.is_pinned:
            log(f"{spec.name} has no fixed commit: the newest one of its repository is taken")
    _check_space(spec)
    if _archives(spec):
        folder = _fetch_archives(spec, log, progress)
        pins.record(spec, folder, log)
        return folder
    fetched = download(spec, _patterns(spec, weights=True), cache_root(), progress)
    folder = fetched.folder
    if missing := missing_files(folder, spec.family):
        raise ModelError(
            f"{spec.repository} has no {', '.join(missing)}: it is not a speech checkpoint this program reads"
        )
    pins.record(spec, folder, log, fetched.sha256)
    return folder


def _fetch_archives(spec: ModelSpec, log: Log | None, progress: Shown) -> Path:
    """Fetch the archives of a model and of its companion, make a checkpoint of them, and let go of them."""
    assert spec.family is not None
    family = families.archive_family(spec.family)
    assert family is not None
    target = unpacked_folder(spec)
    specs = [
        spec,
        replace(spec, name=spec.companion or "", repository=spec.companion, revision="main", size_bytes=None),
    ]
    folders = [download(own, _archives(spec), cache_root(), progress).folder for own in specs]
    found = [path for folder in folders for pattern in _archives(spec) for path in sorted(folder.glob(pattern))]
    target.parent.mkdir(parents=True, exist_ok=True)
    family.unpack(found, target, log=log or (lambda _line: None))
    for path in found:
        remove_cached(path)
    return target


def fetch_description(
    spec: ModelSpec, *, offline: bool = False, log: Log | None = None, progress: Shown = False
) -> Path:
    """The folder with at least the model's small files: a request is refused before gigabytes are fetched. Archives
    are fetched whole, since their small files are inside."""
    if _archives(spec) or (spec.folder and spec.folder.is_dir() and families.archives_in(spec.folder)):
        return fetch(spec, offline=offline, log=log, progress=progress)
    folder = local_folder(spec)
    missing = missing_files(folder, spec.family) if folder else ["config.json"]
    if folder and not any(name in missing for name in _required(spec)):
        return folder
    _refuse_unfetchable(spec, folder, missing, offline)
    return download(spec, _patterns(spec, weights=False), cache_root(), progress=False).folder


def _families(spec: ModelSpec) -> list[families.Family]:
    """The family of a model; all of them where only its config will tell."""
    if spec.family:
        return [families.family(spec.family)]
    return [*families.families(), *families.plugged()[0].values()]


def _patterns(spec: ModelSpec, weights: bool) -> tuple[str, ...]:
    """The files to fetch: repositories also hold pictures, samples and other frameworks' weights."""
    found = [name for family in _families(spec) for name in (*family.small_files, *(family.weights if weights else ()))]
    return tuple(dict.fromkeys(found))


def _required(spec: ModelSpec) -> set[str]:
    return {name for family in _families(spec) for name in family.described_by}


def _refuse_unfetchable(spec: ModelSpec, folder: Path | None, missing: list[str], offline: bool) -> None:
    if spec.folder is not None:
        if folder and (config := families.read_config(folder)) is not None:
            families.family_of(folder, config)  # which says what families there are, where none of them is this one's
        what = f"has no {', '.join(missing)}" if folder else "is not there"
        raise ModelError(f"{spec.folder} {what}: fetch or copy the whole checkpoint again")
    if offline or is_offline():
        state = f"only partly on disk ({missing[0]} is missing)" if folder else "not on disk"
        raise DownloadError(f"{spec.name} is {state} and the network is off: run `mlx-tts pull {spec.name}` with it on")


def _check_space(spec: ModelSpec) -> None:
    root = cache_root()
    existing = next(path for path in (root, *root.parents) if path.exists())
    free = shutil.disk_usage(existing).free
    if spec.size_bytes is not None and free < spec.size_bytes + HEADROOM_BYTES:
        raise DownloadError(
            f"{spec.name} needs {spec.download_size}, the disk of {root} has {format_bytes(free)} free: "
            "make room or point HF_HUB_CACHE elsewhere"
        )
