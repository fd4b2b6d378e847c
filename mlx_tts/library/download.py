"""A repository's files -> huggingface_hub's cache, with one progress bar, and one clear line when it fails."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mlx_tts.errors import DownloadError, MlxTtsError
from mlx_tts.library.catalog import ModelSpec
from mlx_tts.library.checksums import announced_files, check_files


def download(spec: ModelSpec, patterns: tuple[str, ...], cache: Path, progress: bool) -> Path:
    """Fetch in a thread of its own, so that Ctrl-C is heard at once; what came so far is kept and resumed."""
    repository = spec.repository or ""
    endpoint = os.environ.get("HF_ENDPOINT")
    if endpoint and not endpoint.startswith(("http://", "https://")):
        raise DownloadError(f"HF_ENDPOINT is {endpoint!r}, which is not an address: begin it with https:// or unset it")
    outcome: list[Path | BaseException] = []
    cancelled = threading.Event()

    def stop_if_cancelled() -> None:
        if cancelled.is_set():
            raise InterruptedError("cancelled")

    def work(bar: Any) -> None:
        from huggingface_hub import HfApi, snapshot_download
        from huggingface_hub.utils import logging

        logging.set_verbosity_error()  # its warnings of every retry would bury the one line that counts
        try:
            # Fails at once where the network or the repository is missing; the next call would try for half a minute.
            info = HfApi().model_info(repository, revision=spec.revision, timeout=10, files_metadata=True)
            folder = snapshot_download(
                repository,
                revision=spec.revision,
                cache_dir=cache,
                allow_patterns=list(patterns),
                tqdm_class=bar,
            )
            check_files(Path(folder), spec.pinned_files, announced_files(info), stop_if_cancelled)
            outcome.append(Path(folder))
        except BaseException as error:  # noqa: BLE001 (carried over to the thread that waits, which raises it)
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
    raise _explained(spec, result, cache) from (result if isinstance(result, Exception) else None)


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
            f"the model hub answered {status} for {spec.repository}: try again; what came so far is kept"
        )
    if isinstance(error, (OSError, hub_errors.LocalEntryNotFoundError)) or _is_network_error(error):
        return DownloadError(
            f"no connection to the model hub while fetching {spec.name}: check the network and run it again, "
            "what came so far is kept (the built-in model `tiny` needs no network)"
        )
    if isinstance(error, Exception):
        reason = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
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
    """A class for huggingface_hub to report bytes to, shown as one bar on standard error."""
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
