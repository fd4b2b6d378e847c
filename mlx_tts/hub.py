"""ModelSpec -> local folder: what is on disk is used without touching the network, the rest is fetched and resumed."""

from __future__ import annotations

import errno
import json
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mlx_tts.catalog import ModelSpec, format_bytes
from mlx_tts.errors import DownloadError, ModelError

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
    folder = _download(spec, (*SMALL_FILES, *WEIGHTS), progress)
    if missing := missing_files(folder):
        raise ModelError(f"{spec.repository} has no {', '.join(missing)}: it is not a speech checkpoint this program reads")
    return folder


def fetch_description(spec: ModelSpec, *, offline: bool = False) -> Path:
    """The folder with at least the model's small files, so that a request can be refused before gigabytes are fetched."""
    folder = local_folder(spec)
    missing = missing_files(folder) if folder else ["config.json"]
    if folder and not {"config.json", "speech_tokenizer/config.json"} & set(missing):
        return folder
    _refuse_unfetchable(spec, folder, missing, offline)
    return _download(spec, SMALL_FILES, progress=False)


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


def _download(spec: ModelSpec, patterns: tuple[str, ...], progress: bool) -> Path:
    """Fetch in a thread of its own, so that Ctrl-C is heard at once; what came so far is kept and resumed."""
    outcome: list[Path | BaseException] = []
    cancelled = threading.Event()

    def work(bar: Any) -> None:
        from huggingface_hub import HfApi, snapshot_download
        from huggingface_hub.utils import logging

        logging.set_verbosity_error()  # its warnings of every retry would bury the one line that counts
        try:
            # Asks once, so a missing network or repository is known at once; snapshot_download would try for half a minute.
            HfApi().model_info(spec.repository or "", revision=spec.revision, timeout=10)
            folder = snapshot_download(
                spec.repository,
                revision=spec.revision,
                cache_dir=cache_root(),
                allow_patterns=list(patterns),
                tqdm_class=bar,
            )
            outcome.append(Path(folder))
        except BaseException as error:
            outcome.append(error)

    with _progress_bar(spec, cancelled, progress) as bar:
        thread = threading.Thread(target=work, args=(bar,), daemon=True)
        thread.start()
        try:
            while thread.is_alive():
                thread.join(0.1)
        except KeyboardInterrupt:
            cancelled.set()
            thread.join(2.0)
            raise
    result = outcome[0]
    if isinstance(result, Path):
        return result
    raise _explained(spec, result) from (result if isinstance(result, Exception) else None)


def _explained(spec: ModelSpec, error: BaseException) -> BaseException:
    """huggingface_hub's exception -> one clear line; what it does not know goes through as it is."""
    from huggingface_hub import errors as hub_errors

    chain = list(_causes(error))
    if any(getattr(cause, "errno", None) == errno.ENOSPC for cause in chain):
        return DownloadError(f"the disk of {cache_root()} is full: make room or point HF_HUB_CACHE elsewhere")
    if isinstance(error, hub_errors.GatedRepoError):
        return DownloadError(f"{spec.repository} asks for its terms to be accepted first: do that on its page, then `hf auth login`")
    if isinstance(error, hub_errors.RevisionNotFoundError):
        return DownloadError(f"{spec.repository} has no revision {spec.revision}: check the name, or update mlx-tts")
    status = getattr(getattr(error, "response", None), "status_code", None)
    if isinstance(error, hub_errors.RepositoryNotFoundError) or status == 401:
        return DownloadError(f"no repository {spec.repository} (or it is private): check the name; `mlx-tts models` lists the known ones")
    if isinstance(error, PermissionError):
        return DownloadError(f"{cache_root()} cannot be written: check its permissions or point HF_HUB_CACHE elsewhere")
    if isinstance(error, hub_errors.HfHubHTTPError):
        return DownloadError(f"the model hub answered {status} for {spec.repository}: try again; what came so far is kept")
    if isinstance(error, (OSError, hub_errors.LocalEntryNotFoundError)) or _is_network_error(error):
        return DownloadError(
            f"no connection to the model hub while fetching {spec.name}: check the network and run it again, what came so "
            "far is kept (the built-in model `tiny` needs no network)"
        )
    return error


def _is_network_error(error: BaseException) -> bool:
    # The transport under huggingface_hub changed between its versions (requests, httpx); they name errors alike.
    return any("Connect" in type(cause).__name__ or "Timeout" in type(cause).__name__ for cause in _causes(error))


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


@contextmanager
def _progress_bar(spec: ModelSpec, cancelled: threading.Event, shown: bool) -> Iterator[Any]:
    """A class for huggingface_hub to report bytes to, shown as one bar on standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn
    from tqdm import tqdm

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), disable=not shown) as display:
        task = display.add_task(spec.name, total=spec.size_bytes)

        class Bytes(tqdm):
            def __init__(self, *args: Any, **kwargs: Any) -> None:
                # It has several bars: files, bytes received, bytes on disk. The byte counts meet at the end.
                self.counts_bytes = kwargs.get("unit") == "B"
                kwargs.pop("name", None)
                super().__init__(*args, **{**kwargs, "disable": True})
                self.bytes_so_far = 0.0

            def update(self, n: float | None = 1) -> bool | None:
                if cancelled.is_set():
                    raise InterruptedError("cancelled")
                if self.counts_bytes:
                    self.bytes_so_far += n or 0
                    display.update(task, completed=max(display.tasks[0].completed, self.bytes_so_far))
                return None

        yield Bytes
