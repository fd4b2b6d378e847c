"""A batch between its reading and its work: how it is to run, what it will do, and how far it is."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mlx_tts.batch.lines import BadLine, Line
from mlx_tts.batch.outputs import Outputs
from mlx_tts.batch.plan import Plan
from mlx_tts.batch.roles import Roles
from mlx_tts.batch.settings import BatchSettings
from mlx_tts.batch.shards import Shard
from mlx_tts.batch.tables import FAILED, Done

ALL, ORDINARY = Shard(), Outputs()


@dataclass(frozen=True)
class How:
    """How a run works, which changes no file. rows: side by side, None is what suits the memory. strict: nothing starts
    if a line is bad. offline, fetch_unnamed: see Roles. ray: the address of a cluster that does the work."""

    rows: int | None = None
    shard: Shard = ALL
    strict: bool = False
    offline: bool = False
    fetch_unnamed: bool = False
    ray: str | None = None
    outputs: Outputs = ORDINARY


@dataclass
class Prepared:
    """What a run will do, before anything is begun."""

    folder: Path
    settings: BatchSettings
    how: How
    lines: list[Line]
    bad: list[BadLine]
    ignored: set[str]
    roles: Roles
    done: Done
    plan: Plan


@dataclass
class Progress:
    """Told while a run goes on. seconds: of finished speech; made_seconds: of all that was generated, also of lines
    still in work; expected_seconds: that finished lines were expected to be. workers: machines that work now."""

    total_seconds: float
    total: int
    spoken: int = 0
    failed: int = 0
    seconds: float = 0.0
    made_seconds: float = 0.0
    expected_seconds: float = 0.0
    began: float = field(default_factory=time.monotonic)
    workers: int = 1

    def count(self, row: dict[str, Any], expected: dict[str, float]) -> None:
        """Take in the row of a finished line."""
        self.expected_seconds += expected.get(row["id"], 0.0)
        if row["status"] == FAILED:
            self.failed += 1
        else:
            self.spoken += 1
            self.seconds += row["seconds"]
