"""A chosen model -> its opened checkpoint, then the loaded model."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from mlx_tts.cli.console import Console
from mlx_tts.cli.options import FetchOptions
from mlx_tts.errors import DownloadError
from mlx_tts.library import hub
from mlx_tts.library.catalog import ModelSpec
from mlx_tts.library.selection import Choice

if TYPE_CHECKING:
    from mlx_tts.api import TextToSpeech
    from mlx_tts.models.families import OpenCheckpoint


def agrees_to_fetch(fetch: FetchOptions, console: Console) -> Callable[[str], bool]:
    """Why something has to be fetched -> whether it may be: not offline, and then --yes or an answer decides.
    DownloadError where nobody can answer."""

    def agrees(why: str) -> bool:
        if fetch.offline or hub.is_offline():
            return False
        if fetch.yes:
            console.say(why)
            return True
        if not console.can_ask:
            raise DownloadError(f"{why}: add --yes to download it")
        return console.agrees(f"{why}. Download it now?")

    return agrees


def must_agree_to_fetch(spec: ModelSpec, fetch: FetchOptions, console: Console) -> None:
    """Ask before a model is downloaded. DownloadError for a no, and where nobody can answer. Without the network
    nothing is asked: what is missing is said where it is looked for."""
    if spec.folder is not None or fetch.yes or fetch.offline or hub.is_offline() or hub.is_on_disk(spec):
        return
    if not console.can_ask:
        raise DownloadError(
            f"{spec.name} ({spec.download_size}) is not on disk: add --yes to download it, "
            f"or run `mlx-tts pull {spec.name}` first"
        )
    if not console.agrees(f"{spec.name} is not on disk. Download it now ({spec.download_size})?"):
        raise DownloadError(
            f"nothing was done: {spec.name} was not downloaded (`mlx-tts pull {spec.name}` does it later, "
            "--model takes another)"
        )


def fetched(spec: ModelSpec, offline: bool, console: Console, fetch: Callable[..., Path] | None = None) -> Path:
    """The model's folder, with the download shown. fetch: hub.fetch, or hub.fetch_description."""
    from mlx_tts.cli.progress import DownloadProgress

    try:
        fetch = fetch or hub.fetch
        with console.held():
            return fetch(spec, offline=offline, log=console.say, progress=DownloadProgress(console, spec.name))
    finally:
        console.progress("")


def open_checkpoint(choice: Choice, fetch: FetchOptions, console: Console) -> OpenCheckpoint:
    """The checkpoint's small files; asks before a model is fetched."""
    from mlx_tts.models import families

    must_agree_to_fetch(choice.spec, fetch, console)
    return families.open_checkpoint(fetched(choice.spec, fetch.offline, console, hub.fetch_description))


def load(
    spec: ModelSpec,
    checkpoint: OpenCheckpoint | None,
    fetch: FetchOptions,
    console: Console,
    engine: str = "mlx",
) -> TextToSpeech:
    """The model, fetched if need be. checkpoint: its small files, where they were read already. engine: what computes
    it, one of families.ENGINES."""
    from mlx_tts import api
    from mlx_tts.models import families

    if checkpoint is None:
        must_agree_to_fetch(spec, fetch, console)
    folder = fetched(spec, fetch.offline, console)
    start = time.perf_counter()
    if checkpoint is None or checkpoint.folder != folder:
        checkpoint = families.open_checkpoint(folder)
    if console.verbose:
        _show_details(console)
    with console.working(f"loading {spec.name}"):
        model = api.load_checkpoint(checkpoint, log=console.detail, engine=engine)
    console.detail(f"loaded {spec.name} in {time.perf_counter() - start:.2f} s")
    return model


class _Details(logging.Handler):
    """What the package logs, as details of the console."""

    def __init__(self, console: Console):
        super().__init__(logging.INFO)
        self._console = console

    def emit(self, record: logging.LogRecord) -> None:
        self._console.detail(record.getMessage())


def _show_details(console: Console) -> None:
    log = logging.getLogger("mlx_tts")
    log.handlers = [_Details(console)]
    log.setLevel(logging.INFO)
