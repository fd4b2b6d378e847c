"""Tasks of one model -> blocks of a few minutes of sound, which machines take one after the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from mlx_tts.batch.plan import Task

MOST_SECONDS, LEAST_SECONDS = 300.0, 15.0
SHARES = 4  # of what is left, for each machine: towards the end blocks become small, so that all end together


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
