"""ModelSpec -> local folder: what is on disk is used without touching the network, the rest is fetched and resumed."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from mlx_tts.errors import DownloadError, ModelError
from mlx_tts.library.catalog import ModelSpec, format_bytes
from mlx_tts.library.download import download

Log = Callable[[str], None]

# What the program reads: repositories also hold pictures, samples and other frameworks' weights.
SMALL_FILES = (
    "config.json",
    "generation_config.json",
    "tokenizer_config.json",
    "tokenizer.json",
    "vocab.json",
    "merges.txt",
    "model.safetensors.index.json",
    "speech_tokenizer/config.json",
    "speech_tokenizer/model.safetensors.index.json",
)
WEIGHTS = ("model*.safetensors", "speech_tokenizer/model*.safetensors")
HEADROOM_BYTES = 200_000_000  # left free on the disk beside the model itself


def cache_root() -> Path:
    """Where huggingface_hub keeps models; worked out here, for importing it costs more than all else at start."""
    if folder := os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE"):
        return Path(os.path.expandvars(folder)).expanduser()
    home = os.environ.get("HF_HOME")
    if not home:
        home = str(Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface")
    return Path(os.path.expandvars(home)).expanduser() / "hub"


def is_offline() -> bool:
    """Whether HF_HUB_OFFLINE (or transformers' variable, which huggingface_hub reads too) forbids the network."""
    values = (os.environ.get(name, "") for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"))
    return any(value.upper() in ("1", "ON", "YES", "TRUE") for value in values)


def local_folder(spec: ModelSpec) -> Path | None:
    """The folder of the model as far as it is on disk, complete or not; None where there is nothing yet."""
    if spec.folder is not None:
        return spec.folder if spec.folder.is_dir() else None
    assert spec.repository is not None
    storage = cache_root() / ("models--" + spec.repository.replace("/", "--"))
    commit = spec.revision
    reference = storage / "refs" / spec.revision
    if reference.is_file():
        commit = reference.read_text(encoding="utf-8").strip()
    snapshot = storage / "snapshots" / commit
    return snapshot if snapshot.is_dir() else None


def missing_files(folder: Path) -> list[str]:
    """What a checkpoint folder lacks of the files every checkpoint has; empty when it is complete."""
    missing = [name for name in ("config.json", "speech_tokenizer/config.json") if not (folder / name).is_file()]
    if not (folder / "tokenizer.json").is_file():
        missing += [name for name in ("vocab.json", "merges.txt") if not (folder / name).is_file()]
    for part in (folder, folder / "speech_tokenizer"):
        missing += [str((part / name).relative_to(folder)) for name in _missing_weights(part)]
    return missing


def _missing_weights(folder: Path) -> list[str]:
    if (folder / "model.safetensors").is_file():
        return []
    index = folder / "model.safetensors.index.json"
    if not index.is_file():
        return ["model.safetensors"]
    try:
        shards = sorted(set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()))
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return [index.name]
    return [name for name in shards if not (folder / name).is_file()]


def is_on_disk(spec: ModelSpec) -> bool:
    """Whether the model can be used without the network."""
    folder = local_folder(spec)
    return folder is not None and not missing_files(folder)


def fetch(spec: ModelSpec, *, offline: bool = False, log: Log | None = None, progress: bool = False) -> Path:
    """The folder of a complete model, downloaded if need be; DownloadError or ModelError when that cannot be."""
    folder = local_folder(spec)
    missing = missing_files(folder) if folder else []
    if folder and not missing:
        return folder
    _refuse_unfetchable(spec, folder, missing, offline)
    if log:
        log(f"fetching {spec.name} ({spec.download_size}) from {spec.repository}")
    _check_space(spec)
    folder = download(spec, (*SMALL_FILES, *WEIGHTS), cache_root(), progress)
    if missing := missing_files(folder):
        raise ModelError(
            f"{spec.repository} has no {', '.join(missing)}: it is not a speech checkpoint this program reads"
        )
    return folder


def fetch_description(spec: ModelSpec, *, offline: bool = False) -> Path:
    """The folder with at least the model's small files: a request is refused before gigabytes are fetched."""
    folder = local_folder(spec)
    missing = missing_files(folder) if folder else ["config.json"]
    if folder and not {"config.json", "speech_tokenizer/config.json"} & set(missing):
        return folder
    _refuse_unfetchable(spec, folder, missing, offline)
    return download(spec, SMALL_FILES, cache_root(), progress=False)


def _refuse_unfetchable(spec: ModelSpec, folder: Path | None, missing: list[str], offline: bool) -> None:
    if spec.folder is not None:
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
