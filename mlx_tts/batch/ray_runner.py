"""The tasks of a run -> the same files, made by the machines of a Ray cluster as they come and go.

One actor a machine (or a GPU) has an engine of its own and takes blocks of tasks. An actor gets work only once it has
answered `ready`, and is never restarted by Ray: a pool that waits for a restart hangs for ever when no node is left. A
machine that is lost loses its blocks to the others; what it has finished stands in its table.
"""

from __future__ import annotations

import platform
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlx_tts import __version__
from mlx_tts.batch.plan import PreparedBatch, Progress, Role, StoppedError, Task
from mlx_tts.batch.run_folder import identity, is_same
from mlx_tts.batch.settings import BatchSettings, How
from mlx_tts.batch.tables import FAILED, SUSPECT, Done
from mlx_tts.errors import RequestError
from mlx_tts.runtime.ray_cluster import Cluster, connected
from mlx_tts.shortened import reason_of

if TYPE_CHECKING:
    from mlx_tts.batch.worker import LineWorker

WAIT_SECONDS = 0.5  # for results, before other things are looked at
NOBODY_SECONDS = 60.0  # without any machine that works, until the run gives up
LOST_SECONDS = 3.0  # until a node that lost its actor is asked again: the list of nodes may not know of its end yet
MOST_DEATHS = 3  # of actors on one node that lives on: then the node itself is at fault
MOST_SECONDS, LEAST_SECONDS = 300.0, 15.0
SHARES = 4  # of what is left, for each machine: towards the end blocks become small, so that all end together
BLOCKS_AT_ONCE = 2  # so that no row is empty while the next block is on its way


@dataclass(eq=False)
class Machine:
    """One actor. node: where it lives. blocks: what it works on, by the reference to the answer."""

    node: str
    actor: Any
    asked: Any
    host: str = ""
    blocks: dict[Any, list[Task]] = field(default_factory=dict)


def make_on_cluster(
    run: PreparedBatch, progress: Progress, say: Callable[[str], None], tell: Callable[[Progress], None]
) -> int:
    """Make all tasks of a plan; how many another run made meanwhile. StoppedError keeps what is done."""
    assert run.how.ray is not None
    made_elsewhere = 0
    with connected(run.how.ray) as cluster:
        for model, tasks in run.plan.by_model():
            pool = _Pool(cluster, run, model, tasks, progress, say, tell)
            try:
                made_elsewhere += pool.work()
            finally:
                pool.close()
    return made_elsewhere


class _Pool:
    """The machines that make the tasks of one model."""

    def __init__(
        self,
        cluster: Cluster,
        run: PreparedBatch,
        model: str,
        tasks: list[Task],
        progress: Progress,
        say: Callable[[str], None],
        tell: Callable[[Progress], None],
    ):
        self._cluster, self._ray, self._run = cluster, cluster.ray, run
        self._progress, self._say, self._tell = progress, say, tell
        self._blocks = Blocks(tasks)
        self._expected = {task.line.id: task.seconds for task in tasks}
        self._counted: set[str] = set()
        self._machines: list[Machine] = []
        self._deaths: dict[str, int] = {}
        self._lost: dict[str, float] = {}
        self._refused: dict[str, str] = {}
        self._taken_over: set[str] = set()
        self._made_elsewhere = 0
        self._worked = time.monotonic()
        folder = run.folder.absolute()
        self._job = ClusterJob(folder, identity(folder), run.settings, run.plan.roles, model, run.how)
        self._run.done.read()

    def work(self) -> int:
        """Until all blocks are made."""
        while len(self._blocks) or any(machine.blocks for machine in self._machines):
            self._must_go_on()
            self._hire()
            self._hand_out()
            self._take_in()
            self._count_rows()
        return self._made_elsewhere

    def _must_go_on(self) -> None:
        if self._cluster.head_is_lost():
            raise StoppedError("the head of the cluster does not answer any more: what is done is kept, run it again")
        if any(machine.host for machine in self._machines):
            self._worked = time.monotonic()
        elif time.monotonic() - self._worked > NOBODY_SECONDS or (
            self._refused and not self._machines and not set(self._cluster.nodes()) - set(self._refused)
        ):
            why = "; ".join(dict.fromkeys(self._refused.values())) or "none is free"
            raise StoppedError(f"no machine of the cluster works on this ({why}): what is done is kept, run it again")

    def _hire(self) -> None:
        """Start an actor on every node that has none, one for each of its GPUs."""
        alive = self._cluster.nodes()
        for node, resources in alive.items():
            wanted = int(resources.get("GPU", 0)) or (1 if resources.get("CPU", 0) >= 1 else 0)
            there = sum(machine.node == node for machine in self._machines)
            was_lost = time.monotonic() - self._lost.get(node, 0.0) < LOST_SECONDS
            if node not in self._refused and not was_lost:
                for _ in range(wanted - there):
                    self._machines.append(self._new_machine(node, resources, wanted))

    def _new_machine(self, node: str, resources: dict[str, float], actors: int) -> Machine:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        options: dict[str, Any] = {"num_cpus": int(resources.get("CPU", 0)) // actors}
        if resources.get("GPU"):
            options["num_gpus"] = 1
        actor = (
            self._ray.remote(Maker)
            .options(
                max_restarts=0,
                max_concurrency=BLOCKS_AT_ONCE + 1,
                scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=False),
                **options,
            )
            .remote(self._job)
        )
        return Machine(node, actor, actor.ready.remote())

    def _hand_out(self) -> None:
        ready = [machine for machine in self._machines if machine.host]
        for machine in ready:
            while len(machine.blocks) < BLOCKS_AT_ONCE and len(self._blocks):
                block = self._blocks.take(len(ready) * BLOCKS_AT_ONCE)
                taken_over = frozenset(self._taken_over.intersection(task.line.id for task in block))
                machine.blocks[machine.actor.make.remote(block, taken_over)] = block
        self._progress.workers = len(ready)

    def _take_in(self) -> None:
        """Answers that are there, or nothing after a while."""
        waiting = {machine.asked: machine for machine in self._machines if not machine.host}
        waiting |= {answer: machine for machine in self._machines for answer in machine.blocks}
        if not waiting:
            time.sleep(WAIT_SECONDS)
            return
        answered, _ = self._ray.wait(list(waiting), num_returns=1, timeout=WAIT_SECONDS)
        for answer in answered:
            machine = waiting[answer]
            if machine not in self._machines:
                continue  # it was lost a moment ago
            try:
                self._take(machine, answer, self._ray.get(answer, timeout=WAIT_SECONDS))
            except self._ray.exceptions.RayTaskError as error:
                self._on_error(machine, error)
            except self._ray.exceptions.RayError as error:
                self._lose(machine, error)

    def _take(self, machine: Machine, answer: Any, value: Any) -> None:
        if answer == machine.asked:
            if value["version"] != __version__:
                self._refuse(machine, f"it has mlx-tts {value['version']}, and this is {__version__}")
                return
            if not self._counted and not any(other.host for other in self._machines):
                self._progress.began = time.monotonic()
            machine.host = value["host"]
            return
        rows, elsewhere = value
        del machine.blocks[answer]
        self._made_elsewhere += elsewhere
        for row in rows:
            self._count(row)

    def _on_error(self, machine: Machine, error: Any) -> None:
        """The actor lives and its method raised: where it is not about this machine alone, the run ends."""
        cause = getattr(error, "cause", None) or error
        why = reason_of(cause, 300)
        if isinstance(cause, StoppedError):
            raise StoppedError(why)
        self._refuse(machine, why)

    def _refuse(self, machine: Machine, why: str) -> None:
        self._refused[machine.node] = why
        self._say(f"a machine of the cluster is left out: {why}")
        self._dismiss(machine)

    def _lose(self, machine: Machine, error: Any) -> None:
        """The process, the machine or the way to it is gone: what it worked on goes to the others."""
        self._lost[machine.node] = time.monotonic()
        lines = sum(map(len, machine.blocks.values()))
        self._say(f"lost a machine ({machine.host or 'before it was ready'}): {lines} lines go to the others")
        if machine.node in self._cluster.nodes():
            self._deaths[machine.node] = self._deaths.get(machine.node, 0) + 1
            if self._deaths[machine.node] >= MOST_DEATHS:
                self._refused[machine.node] = f"its process died {MOST_DEATHS} times, {type(error).__name__}"
        self._dismiss(machine)

    def _dismiss(self, machine: Machine) -> None:
        self._machines.remove(machine)
        for block in machine.blocks.values():
            self._blocks.give_back(block)
            self._taken_over.update(task.line.id for task in block)
        with suppress(Exception):  # it is gone already
            self._ray.kill(machine.actor)

    def _count_rows(self) -> None:
        """What the tables say of blocks that are still in work."""
        for name in self._run.done.read():
            if name in self._expected:
                self._count(self._run.done.entries[name].parsed())
        self._progress.made_seconds = self._progress.seconds
        self._tell(self._progress)

    def _count(self, row: dict[str, Any]) -> None:
        if row["id"] in self._counted:
            return
        self._counted.add(row["id"])
        self._progress.count(row, self._expected)
        if row["status"] == FAILED:
            self._say(f"line {row['line']} ({row['id']}) failed: {row['error']}")
        if row["status"] == SUSPECT:
            self._say(f"line {row['line']} ({row['id']}) may be misspoken: listen to {row['file']}")

    def close(self) -> None:
        if not self._cluster.head_is_lost():
            for machine in self._machines:
                with suppress(Exception):  # it is gone already
                    self._ray.kill(machine.actor)


class Blocks:
    """What nobody has taken yet. A block that a machine did not finish comes back to the front."""

    def __init__(self, tasks: Iterable[Task]):
        self._tasks = deque(tasks)
        self._seconds = sum(task.seconds for task in self._tasks)

    def __len__(self) -> int:
        return len(self._tasks)

    def take(self, machines: int) -> list[Task]:
        """The next block, sized for so many machines; at least one task."""
        wanted = min(MOST_SECONDS, max(LEAST_SECONDS, self._seconds / (SHARES * max(1, machines))))
        block: list[Task] = []
        seconds = 0.0
        while self._tasks and (not block or seconds + self._tasks[0].seconds <= wanted):
            block.append(self._tasks.popleft())
            seconds += block[-1].seconds
        self._seconds -= seconds
        return block

    def give_back(self, block: Iterable[Task]) -> None:
        """What is to be made by somebody else."""
        for task in reversed(list(block)):
            self._tasks.appendleft(task)
            self._seconds += task.seconds


@dataclass(frozen=True)
class ClusterJob:
    """What every machine is told: small values alone. Each machine looks the model up by its name for itself.
    identity: of the folder."""

    folder: Path
    identity: str
    settings: BatchSettings
    roles: Sequence[Role]
    model: str
    how: How


class Maker:
    """Lives in a process of Ray. `ready` loads the model; `make` may be called for several blocks at a time."""

    def __init__(self, job: ClusterJob):
        self._job = job
        self._loading = threading.Lock()
        self._loaded: LineWorker | None = None

    def ready(self) -> dict[str, Any]:
        """Load the model. RequestError where this machine cannot take part: it does not see the folder."""
        from mlx_tts.batch.worker import open_worker

        job = self._job
        if not is_same(job.folder, job.identity):
            raise RequestError(f"it does not see {job.folder}: share the folder under the same path")
        with self._loading:
            if self._loaded is None:
                done = Done(job.folder)
                self._loaded = open_worker(job.folder, job.settings, job.roles, job.model, job.how, done, _ignore)
        return {"host": socket.gethostname(), "version": __version__, "python": platform.python_version()}

    def make(self, block: list[Task], taken_over: frozenset[str]) -> tuple[list[dict[str, Any]], int]:
        """Make a block; the rows of its lines, and how many somebody else had made. taken_over: see LineWorker."""
        assert self._loaded is not None
        worker = replace(self._loaded, taken_over=taken_over)
        return [row for row in worker.render(iter(block)) if row is not None], worker.made_elsewhere


def _ignore(_line: str) -> None: ...
