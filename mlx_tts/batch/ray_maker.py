"""Blocks of tasks in, rows of results out, in an actor of Ray: one engine on one machine, or on one of its GPUs."""

from __future__ import annotations

import platform
import socket
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlx_tts import __version__
from mlx_tts.batch.folder import Claims, is_same
from mlx_tts.batch.plan import Task
from mlx_tts.batch.render import StoppedError, Worker
from mlx_tts.batch.roles import Role
from mlx_tts.batch.settings import BatchSettings
from mlx_tts.batch.tables import Done, Table
from mlx_tts.errors import RequestError

BLOCKS_AT_ONCE = 2  # so that no row is empty while the next block is on its way


@dataclass(frozen=True)
class Job:
    """What every machine is told: small values alone. Each machine looks the model up by its name for itself.
    identity: of the folder."""

    folder: Path
    identity: str
    settings: BatchSettings
    roles: Sequence[Role]
    model: str
    rows: int | None
    offline: bool


class Maker:
    """Lives in a process of Ray. `ready` loads the model; `make` may be called for several blocks at a time."""

    def __init__(self, job: Job):
        self._job = job
        self._loading = threading.Lock()
        self._loaded: Any = None

    def ready(self) -> dict[str, Any]:
        """Load the model. RequestError where this machine cannot take part: it does not see the folder."""
        from mlx_tts.batch.loading import load_model, machine_of
        from mlx_tts.batch.verify import verifier

        job = self._job
        if not is_same(job.folder, job.identity):
            raise RequestError(f"it does not see {job.folder}: share the folder under the same path")
        with self._loading:
            if self._loaded is None:
                model, rows = load_model(job.model, job.rows, job.offline, _ignore)
                self._table, self._claims, self._done = Table(job.folder), Claims(job.folder), Done(job.folder)
                self._verify = verifier(job.settings, _ignore)
                self._machine = machine_of(model)
                self._loaded = model, rows
        return {"host": socket.gethostname(), "version": __version__, "python": platform.python_version()}

    def make(self, block: list[Task], taken_over: frozenset[str]) -> tuple[list[dict[str, Any]], int]:
        """Make a block; the rows of its lines, and how many of them somebody else had made. taken_over: see Worker."""
        model, rows = self._loaded
        job = self._job
        worker = Worker(
            job.folder,
            job.settings,
            job.roles,
            model,
            rows,
            self._table,
            self._claims,
            self._done,
            self._machine,
            self._verify,
            taken_over,
        )
        return [row for row in worker.render(iter(block)) if row is not None], worker.made_elsewhere


def _ignore(_line: str) -> None: ...


__all__ = ["BLOCKS_AT_ONCE", "Job", "Maker", "StoppedError"]
