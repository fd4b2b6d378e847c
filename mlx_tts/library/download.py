"""A repository's files -> huggingface_hub's cache: one progress bar, each file checked, one line when it fails."""

from __future__ import annotations

import errno
import hashlib
import os
import threading
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlx_tts.errors import DownloadError, MlxTtsError
from mlx_tts.library.catalog import ModelSpec
from mlx_tts.shortened import reason_of, shown

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


@dataclass(frozen=True)
class Fetched:
    """The folder of a download, and the SHA-256 of those of its files for which it was worked out."""

    folder: Path
    sha256: Mapping[str, str]


def check_files(
    folder: Path, pinned: Mapping[str, str], announced: Mapping[str, Announced], go_on: Callable[[], None]
) -> dict[str, str]:
    """Check every file of a snapshot; one that is wrong is removed, so that it is fetched again. The SHA-256 of those
    for which it is known.

    pinned: name -> SHA-256 of models.toml, which counts more than what the hub says. go_on is called now and then and
    may raise.
    """
    right = {}
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        name = path.relative_to(folder).as_posix()
        said = announced.get(name, Announced())
        fault = _fault(path, pinned.get(name), said, go_on)
        if fault is not None:
            remove_cached(path)
            raise DownloadError(f"{name} is not the file that {fault}: it was removed, fetch the model again")
        if (sha256 := pinned.get(name) or said.sha256) is not None:
            right[name] = sha256  # found to be so
    return right


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


# Whether a bar is shown; or what is told how many bytes there are, of how many, and how many were there before.
Shown = bool | Callable[[float, float | None, float], None]


def download(spec: ModelSpec, patterns: tuple[str, ...], cache: Path, progress: Shown) -> Fetched:
    """Fetch in a thread of its own, so that Ctrl-C is heard at once; files that came whole are kept. progress:
    see `Shown`; a function is called ten times a second."""
    endpoint = os.environ.get("HF_ENDPOINT")
    if endpoint and not endpoint.startswith(("http://", "https://")):
        raise DownloadError(
            f"HF_ENDPOINT is {shown(endpoint)}, which is not an address: begin it with https:// or unset it"
        )
    outcome: list[Fetched | BaseException] = []
    cancelled = threading.Event()

    def stop_if_cancelled() -> None:
        if cancelled.is_set():
            raise InterruptedError("cancelled")

    def work(bar: Any) -> None:
        try:
            outcome.append(_fetched(spec, patterns, cache, bar, stop_if_cancelled))
        except BaseException as error:  # noqa: BLE001 (carried over to the thread that waits, which raises it)
            outcome.append(error)

    with _progress_bar(spec, cancelled, progress is True) as (bar, received):
        thread = threading.Thread(target=work, args=(bar,), daemon=True)
        thread.start()
        try:
            while thread.is_alive():
                thread.join(0.1)
                if callable(progress):
                    progress(*received())
        except KeyboardInterrupt:
            cancelled.set()
            thread.join(2.0)
            raise
    result = outcome[0]
    if isinstance(result, Fetched):
        return result
    raise _explained(spec, result, cache) from (result if isinstance(result, Exception) else None)


def _fetched(
    spec: ModelSpec, patterns: tuple[str, ...], cache: Path, bar: Any, stop_if_cancelled: Callable[[], None]
) -> Fetched:
    """A snapshot, fetched and checked. bar: see `_progress_bar`."""
    from huggingface_hub import HfApi, constants, snapshot_download
    from huggingface_hub.utils import filter_repo_objects, logging

    repository = spec.repository or ""
    if hasattr(constants, "DOWNLOAD_CHUNK_SIZE"):  # 10 MB: on a slow line nothing would move for seconds
        constants.DOWNLOAD_CHUNK_SIZE = BLOCK_BYTES
    logging.set_verbosity_error()  # its warnings of every retry would bury the one line that counts
    # Fails at once where the network or the repository is missing; the next call would try for half a minute.
    info = HfApi().model_info(repository, revision=spec.revision, timeout=10, files_metadata=True)
    announced = announced_files(info)
    wanted = list(filter_repo_objects(announced, allow_patterns=list(patterns)))
    there = {name for name in wanted if _is_there(repository, name, info.sha, cache)}
    bar.expect({name: announced[name].size for name in wanted}, there)
    folder = snapshot_download(
        repository, revision=spec.revision, cache_dir=cache, allow_patterns=list(patterns), tqdm_class=bar
    )
    try:
        right = check_files(Path(folder), spec.pinned_files, announced, stop_if_cancelled)
    except InterruptedError:
        _leave_incomplete(Path(folder))
        raise
    return Fetched(Path(folder), right)


def _leave_incomplete(folder: Path) -> None:
    """A snapshot that was not checked to the end lacks a small file, so that the next run fetches that and checks all;
    else it would be taken for a whole model."""
    remove_cached(folder / "config.json")


def remove_cached(path: Path) -> None:
    """A file of a snapshot, and its bytes, which the cache keeps elsewhere."""
    path.resolve().unlink(missing_ok=True)
    path.unlink(missing_ok=True)


def _is_there(repository: str, name: str, commit: str | None, cache: Path) -> bool:
    from huggingface_hub import try_to_load_from_cache

    return isinstance(try_to_load_from_cache(repository, name, cache_dir=cache, revision=commit), str)


def _explained(spec: ModelSpec, error: BaseException, cache: Path) -> BaseException:
    """huggingface_hub's exception -> one clear line."""
    from huggingface_hub import errors as hub_errors

    if isinstance(error, MlxTtsError):
        return error
    chain = list(_causes(error))
    if any(getattr(cause, "errno", None) == errno.ENOSPC for cause in chain):
        return DownloadError(f"the disk of {cache} is full: make room or point HF_HUB_CACHE elsewhere")
    if isinstance(error, hub_errors.GatedRepoError):
        return DownloadError(
            f"{spec.repository} asks for its terms to be accepted first: do that on its page, then `hf auth login`"
        )
    if isinstance(error, hub_errors.RevisionNotFoundError):
        return DownloadError(f"{spec.repository} has no revision {spec.revision}: check the name, or update mlx-tts")
    status = getattr(getattr(error, "response", None), "status_code", None)
    if isinstance(error, hub_errors.RepositoryNotFoundError) or status == 401:
        return DownloadError(
            f"no repository {spec.repository} (or it is private): check the name; `mlx-tts models` lists the known ones"
        )
    if isinstance(error, PermissionError):
        return DownloadError(f"{cache} cannot be written: check its permissions or point HF_HUB_CACHE elsewhere")
    if isinstance(error, hub_errors.HfHubHTTPError):
        return DownloadError(
            f"the model hub answered {status} for {spec.repository}: try again; files that came whole are kept"
        )
    if isinstance(error, (OSError, hub_errors.LocalEntryNotFoundError)) or _is_network_error(error):
        return DownloadError(
            f"no connection to the model hub while fetching {spec.name}: check the network and run it again, "
            "files that came whole are kept (the built-in model `tiny` needs no network)"
        )
    if isinstance(error, Exception):
        reason = f"{type(error).__name__}: {reason_of(error)}"
        return DownloadError(f"{spec.repository} could not be fetched ({reason}): try again later")
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
    """A class for huggingface_hub to report bytes to, shown as one bar on standard error; and what tells how many
    came, and of how many."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn
    from tqdm import tqdm

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), disable=not shown) as display:
        task = display.add_task(spec.name, total=spec.size_bytes)
        counted: list[Bytes] = []
        there = kept = 0.0  # bytes of files that are whole; and of those that were begun

        class Bytes(tqdm):
            def __init__(self, *args: Any, **kwargs: Any) -> None:
                # It has several bars: files, bytes on disk, bytes received. The last two differ by what was kept.
                if kwargs.get("unit") == "B":
                    counted.append(self)
                self.is_transfer = str(kwargs.pop("name", "")).endswith("transfer")
                super().__init__(*args, **{**kwargs, "disable": True})
                self.bytes_so_far = 0.0

            @staticmethod
            def expect(sizes: Mapping[str, int | None], found: Container[str]) -> None:
                """All files as the hub announced them, and those that are on disk already."""
                nonlocal there
                if sizes and None not in sizes.values():
                    there = sum(size or 0 for name, size in sizes.items() if name in found)
                    display.update(task, total=sum(size or 0 for size in sizes.values()), completed=there)

            def update(self, n: float | None = 1) -> bool | None:
                nonlocal kept
                if cancelled.is_set():
                    raise InterruptedError("cancelled")
                if self in counted:
                    self.bytes_so_far += n or 0
                    most = max(bar.bytes_so_far for bar in counted)
                    received = [bar.bytes_so_far for bar in counted if bar.is_transfer]
                    if received and (not received[0] or (self.is_transfer and received[0] == n)):
                        kept = max(0.0, most - received[0])  # nothing, or a first part, came from the network so far
                    display.update(task, completed=max(display.tasks[0].completed, there + most))
                return None

        yield Bytes, lambda: (display.tasks[0].completed, display.tasks[0].total, there + kept)
