"""What is told of a batch: the dry run, a bar with the time left, and the sum at the end."""

from __future__ import annotations

import json
import time
from contextlib import AbstractContextManager, suppress
from pathlib import Path

import typer

from mlx_tts.audio.formats import FORMATS
from mlx_tts.batch.run import Outcome, PreparedBatch, Progress, free_bytes
from mlx_tts.cli.console import Console
from mlx_tts.cli.progress import duration, time_left_line
from mlx_tts.errors import RequestError
from mlx_tts.files.reading import UnreadableFileError, read_json_object
from mlx_tts.files.writing import write_whole
from mlx_tts.runtime.folders import cache_folder

LEAST_SECONDS = 20.0  # of speech, before a run says how fast this machine is


def print_dry_run(run: PreparedBatch) -> None:
    """Lines, pieces, seconds, time and disk, on standard output."""
    plan, settings = run.plan, run.settings
    rate = settings.rate or (24_000 if not plan.roles else _rates(run))
    format = FORMATS[settings.format]
    size = plan.seconds * format.bytes_a_second * (rate / 24_000 if format.lossless else 1.0)
    speed = speed_of(run.plan.roles[0].model) if plan.roles else None
    time_needed = f"about {duration(plan.seconds / speed)}" if speed else "not known before a first run on this machine"
    facts = {
        "lines": f"{len(run.lines) + len(run.bad):,}",
        "bad": f"{len(run.bad):,}",
        "there already": f"{plan.done:,}",
        "of other shares": f"{plan.elsewhere:,}",
        "to make": f"{len(plan.tasks):,}",
        "pieces": f"{count_pieces(run):,}",
        "speech": f"about {duration(plan.seconds)}",
        "time": time_needed,
        "disk": f"about {size / 1e6:,.1f} MB of {free_bytes(run.folder) / 1e6:,.0f} MB free",
    }
    for line in run.bad:
        typer.echo(f"line {line.number} {line.error}")
    for name, value in facts.items():
        typer.echo(f"{name + ':':<17}{value}")


def _rates(run: PreparedBatch) -> int:
    return max(run.roles.checkpoints[role.model].info.sample_rate for role in run.plan.roles)


def count_pieces(run: PreparedBatch) -> int:
    """How many pieces the tasks are; short plain lines are one, others are cut as they will be."""
    from functools import partial

    from mlx_tts.batch.speaking import pieces_of
    from mlx_tts.models.families import check_request

    pieces = 0
    for task in run.plan.tasks:
        role, text = run.plan.roles[task.role], task.line.text
        if len(text) < 100 and not any(sign in text for sign in "\n[<#"):
            pieces += 1
        else:
            checkpoint = run.roles.checkpoints[role.model]
            with suppress(RequestError):  # the run itself says what is wrong with the line
                pieces += len(pieces_of(text, role, checkpoint.info, partial(check_request, checkpoint)))
    return pieces


class Telling:
    """What a run says, on standard error."""

    def __init__(self, run: PreparedBatch, console: Console):
        self._run, self._console = run, console
        self._progress: Progress | None = None
        plan = run.plan
        if plan.done:
            total = plan.done + len(plan.tasks)
            console.say(f"{plan.done:,} of {total:,} lines are there already")

    def say(self, line: str) -> None:
        self._console.say(line)

    def progress(self, progress: Progress) -> None:
        self._progress = progress

    def moving(self) -> AbstractContextManager[None]:
        """While this lasts, the bar moves, also while no line is finished."""

        def line() -> tuple[str, float] | None:
            return None if self._progress is None else progress_line(self._progress, time.monotonic())

        return self._console.moving(line)

    def interrupted(self) -> None:
        self.say(f"interrupted: what is done is kept in {self._run.folder}, and the same command goes on")

    def sum_up(self, outcome: Outcome) -> None:
        self._console.progress("")
        speed = outcome.seconds / outcome.elapsed if outcome.elapsed else 0.0
        if outcome.seconds > LEAST_SECONDS and self._run.plan.roles:
            _keep_speed(self._run.plan.roles[0].model, speed)
        there = f", {outcome.there:,} were there" if outcome.there else ""
        what = f"{outcome.spoken:,} line{'s' if outcome.spoken != 1 else ''}, {duration(outcome.seconds)} of speech"
        self._console.say(f"spoke {what} in {duration(outcome.elapsed)}{there}")
        self._console.say(f"wrote {outcome.folder}/results.jsonl and {outcome.folder}/report.html")


def progress_line(progress: Progress, now: float) -> tuple[str, float]:
    """What is done, with the time left by what this run has really made so far, and the share of the work."""
    line = f"{progress.spoken:,} of {progress.total:,} lines"
    made = progress.seconds if progress.left is None else progress.left.shown_seconds
    line += f", {duration(made)} of speech"
    if progress.failed:
        line += f", {progress.failed:,} failed"
    if progress.workers != 1:
        line += f", {progress.workers} machines"
    if progress.spoken + progress.failed >= progress.total:  # each line has its row, and the files are closed now
        return line, 1.0
    if progress.left is None:
        seconds, share = _of_cluster(progress, now)
    else:
        seconds, share = progress.left.seconds(now), progress.left.share
    return (line if seconds is None else f"{line}, {time_left_line(seconds)}"), share


def _of_cluster(progress: Progress, now: float) -> tuple[float | None, float]:
    """The time left and the share of the work, where only finished lines are known."""
    share = progress.expected_seconds / max(progress.total_seconds, 1e-6)
    return (None if share <= 0 else (now - progress.began) * (1 - share) / share), min(1.0, share)


def _speed_file() -> Path:
    return cache_folder() / "batch-speed.json"


def speed_of(model: str) -> float | None:
    """Seconds of speech a second in the last run with this model on this machine; None where there was none."""
    try:
        speed = read_json_object(_speed_file()).get(model)
    except (FileNotFoundError, UnreadableFileError):
        return None
    return float(speed) if isinstance(speed, (int, float)) and speed > 0 else None


def _keep_speed(model: str, speed: float) -> None:
    try:
        known = read_json_object(_speed_file())
    except (FileNotFoundError, UnreadableFileError):
        known = {}
    with suppress(OSError):
        _speed_file().parent.mkdir(parents=True, exist_ok=True)
        write_whole(_speed_file(), json.dumps({**known, model: round(speed, 3)}).encode())
