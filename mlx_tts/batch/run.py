"""A source of lines, settings and a folder -> every file that is missing, the table of results, a page about them."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlx_tts.batch.lines import BadLine, Line, Source, read_lines, read_rows
from mlx_tts.batch.plan import BatchPlan, MustAgree, PreparedBatch, Progress, Roles, make_plan, path_of
from mlx_tts.batch.results import write_outputs
from mlx_tts.batch.run_folder import check_folder, locked, open_folder
from mlx_tts.batch.settings import BatchSettings, How, Outputs
from mlx_tts.batch.tables import FAILED, REFUSED, SUSPECT, Done, ResultRow, empty_row
from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.files.reading import user_path
from mlx_tts.narration.time_left import TimeLeft
from mlx_tts.runtime.ray_cluster import must_be_safe
from mlx_tts.shortened import shortened
from mlx_tts.text.cutting.pace import expected_seconds

SHOWN_BAD, SHOWN_CASTS = 20, 20


@dataclass(frozen=True)
class Outcome:
    """spoken: by this run. there: lines whose files were there already, or were made by another run meanwhile. failed:
    that could not be spoken. refused: bad lines, which never began. seconds: of speech that this run made."""

    folder: Path
    spoken: int
    there: int
    failed: int
    refused: tuple[BadLine, ...]
    seconds: float
    elapsed: float

    @property
    def is_complete(self) -> bool:
        return not (self.failed or self.refused)


Say = Callable[[str], None]
Tell = Callable[[Progress], None]


def run_batch(
    source: Source,
    output: str | Path,
    settings: BatchSettings | None = None,
    how: How | None = None,
    *,
    say: Say = lambda _line: None,
    tell: Tell = lambda _progress: None,
) -> Outcome:
    """Speak every line of a file, or every mapping of an iterable, into a folder, and what was made before not again.

    say: takes lines for people. tell: takes the progress, several times a second. RequestError: nothing was begun.
    """
    return carry_out(prepare(source, Path(output), settings or BatchSettings(), how or How()), say, tell)


def prepare(
    source: Source, folder: Path, settings: BatchSettings, how: How, must_agree: MustAgree | None = None
) -> PreparedBatch:
    """Read, check and plan; RequestError where nothing can begin. Loads no weights and writes nothing. must_agree: see
    Roles."""
    settings.check()
    how.outputs.check(settings)
    if how.ray is not None:
        must_be_safe(how.ray)
    check_folder(folder, settings.describe())
    lines = read_lines(read_rows(source), settings.ending, _folder_of(source))
    roles = Roles(settings, how.offline, how.fetch_unnamed, must_agree)
    good, unspeakable = roles.sort_out(lines.good)
    bad = sorted([*lines.bad, *unspeakable], key=lambda line: line.number)
    if bad and (how.strict or not good):
        _refuse(bad, "nothing was begun, because of --strict" if good else "no line can be spoken")
    done = Done(folder)
    if folder.is_dir():
        done.read()
        done.read_sizes()
    plan = make_plan(good, roles, done, how.shard)
    return PreparedBatch(folder, settings, how, good, bad, lines.ignored, roles, done, plan)


def _folder_of(source: Source) -> Path:
    """Where the files lie that rows name; the current folder where the rows are not from a file."""
    is_file = isinstance(source, (str, Path)) and str(source) != "-"
    return user_path(str(source)).parent if is_file else Path()


def _refuse(bad: list[BadLine], why: str) -> None:
    first = "; ".join(f"line {line.number} {line.error}" for line in bad[:3])
    more = f"; and {len(bad) - 3:,} more" if len(bad) > 3 else ""
    raise RequestError(f"{why}: {first}{more}")


def carry_out(run: PreparedBatch, say: Say, tell: Tell) -> Outcome:
    """Make what is missing, then the table and the page. Interrupted, it leaves what is done and a table of that."""
    folder, plan = run.folder, run.plan
    open_folder(folder, run.settings.describe())
    for line in run.bad[:SHOWN_BAD]:
        say(f"line {line.number} {line.error}")
    if len(run.bad) > SHOWN_BAD:
        say(f"and {len(run.bad) - SHOWN_BAD:,} more bad lines: results.jsonl names them all")
    if run.ignored:
        say(f"columns that are not used: {shortened(', '.join(sorted(run.ignored)), 200)}")
    _tell_casts(run, say)
    progress = Progress(plan.seconds, len(plan.tasks), left=_time_left(plan) if run.how.ray is None else None)
    made_elsewhere = 0
    complete = False
    try:
        if plan.tasks:
            made_elsewhere = _make(run, progress, say, tell)
        complete = True
    finally:
        elapsed = time.monotonic() - progress.began
        # What ended a run early, such as a full disk, is told; that its table could not be written either is not.
        with nullcontext() if complete else suppress(MlxTtsError), locked(folder):
            run.done.read()
            write_outputs(folder, run.how.outputs if complete else Outputs(report=False), _results(run))
    there = plan.done + made_elsewhere
    return Outcome(folder, progress.spoken, there, progress.failed, tuple(run.bad), progress.seconds, elapsed)


def _tell_casts(run: PreparedBatch, say: Say) -> None:
    """Who speaks as whom in the lines that are made now."""
    casts, lines = run.roles.casts, (task.line for task in run.plan.tasks)
    told = sorted((line.number, casts[line.id]) for line in lines if line.id in casts)
    for number, who in told[:SHOWN_CASTS]:
        say(f"line {number}: {who}")
    if len(told) > SHOWN_CASTS:
        say(f"and {len(told) - SHOWN_CASTS:,} more lines have a cast")


def _time_left(plan: BatchPlan) -> TimeLeft:
    left = TimeLeft()
    for _, tasks in plan.by_model():
        for task in tasks:
            left.plan(task.line.id, expected_seconds(task.line.text))
    return left


def _make(run: PreparedBatch, progress: Progress, say: Say, tell: Tell) -> int:
    """Have the tasks made here or on a cluster; how many another run made meanwhile."""
    if run.how.ray is not None:
        from mlx_tts.batch.ray_runner import make_on_cluster

        return make_on_cluster(run, progress, say, tell)
    made_elsewhere = 0
    for name, tasks in run.plan.by_model():
        made_elsewhere += _make_here(run, name, tasks, progress, say, tell)
    return made_elsewhere


def _make_here(run: PreparedBatch, name: str, tasks: list[Any], progress: Progress, say: Say, tell: Tell) -> int:
    from mlx_tts.batch.worker import open_worker
    from mlx_tts.runtime.device import policy

    worker = open_worker(run.folder, run.settings, run.plan.roles, name, run.how, run.done, say)
    model = worker.model
    if progress.left is not None:
        progress.left.use_model(worker.rows, model.info.frame_rate, policy().step_cost)
    worker.left = progress.left
    progress.began += 0 if progress.spoken else time.monotonic() - progress.began
    frame_rate = model.info.frame_rate
    made_before, frames_before = progress.made_seconds, model.frames_made
    expected = {task.line.id: task.seconds for task in tasks}
    total = progress.total
    try:
        with closing(worker.render(iter(tasks))) as results:
            for row in results:
                progress.total = total - worker.made_elsewhere  # by another run in this folder
                progress.made_seconds = made_before + (model.frames_made - frames_before) / frame_rate
                if row is not None:
                    progress.count(row, expected)
                    if row["status"] == FAILED:
                        say(f"line {row['line']} ({row['id']}) failed: {row['error']}")
                    if row["status"] == SUSPECT:
                        say(f"line {row['line']} ({row['id']}) may be misspoken: listen to {row['file']}")
                tell(progress)
    finally:
        worker.close()
    return worker.made_elsewhere


def _results(run: PreparedBatch) -> Iterator[ResultRow]:
    """What is known of every line, in the order of the source; nothing of those that nobody has tried yet."""
    settings = run.settings
    everything: list[Line | BadLine] = [*run.lines, *run.bad]
    everything.sort(key=lambda line: line.number)
    for line in everything:
        if isinstance(line, BadLine):
            yield empty_row(line.id, line.number, REFUSED, line.error)
        elif row := run.done.row_of(line, path_of(line, settings.ending, settings.hash_folders)):
            yield row


def free_bytes(folder: Path) -> int:
    """Room on the disk that a folder is on, or will be."""
    existing = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    return shutil.disk_usage(existing).free
