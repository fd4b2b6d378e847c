"""Lines that can be spoken, and what was made before -> the tasks that are left, the longest first; their progress."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from mlx_tts.batch.lines import BadLine, Line, name_key
from mlx_tts.batch.roles import Role, Roles
from mlx_tts.batch.settings import BatchSettings, How, Shard
from mlx_tts.batch.tables import FAILED, Done
from mlx_tts.generation.seeds import line_seed
from mlx_tts.text.cutting.pace import CAPITAL, CAPITALS, DIGIT, LATIN, STOP, STOPS, expected_seconds

LATIN_DIGITS = bytes(code for code in range(256) if chr(code).isdigit())
LATIN_CAPITALS = bytes(code for code in range(256) if chr(code).isupper())
LATIN_STOPS = "".join(sorted(stop for stop in STOPS if ord(stop) < 256)).encode("latin-1")


class Task(NamedTuple):
    """One line to speak. role: its place in the plan's roles. path: of the file, from the output folder.
    seconds: of speech, expected at an ordinary pace."""

    line: Line
    role: int
    seed: int
    seconds: float
    path: str


@dataclass
class BatchPlan:
    """tasks: what is left to do, model by model, the longest first. done: how many lines are there already.
    elsewhere: how many belong to other shares."""

    roles: list[Role] = field(default_factory=list)
    tasks: list[Task] = field(default_factory=list)
    done: int = 0
    elsewhere: int = 0

    @property
    def seconds(self) -> float:
        return sum(task.seconds for task in self.tasks)

    def by_model(self) -> Iterator[tuple[str, list[Task]]]:
        """The tasks of each model, in their order."""
        groups: dict[str, list[Task]] = {}
        for task in self.tasks:
            groups.setdefault(self.roles[task.role].model, []).append(task)
        yield from groups.items()


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
    plan: BatchPlan


@dataclass
class Progress:
    """Told while a run goes on. seconds: of finished speech; made_seconds: of all that was generated, also of lines
    still in work; expected_seconds: that finished lines were expected to be; spoken_again: about how much of what was
    generated was thrown away. workers: machines that work now; rows: lines that one makes side by side."""

    total_seconds: float
    total: int
    spoken: int = 0
    failed: int = 0
    seconds: float = 0.0
    made_seconds: float = 0.0
    expected_seconds: float = 0.0
    spoken_again: float = 0.0
    began: float = field(default_factory=time.monotonic)
    workers: int = 1
    rows: int = 1

    def count(self, row: dict[str, Any], expected: dict[str, float]) -> None:
        """Take in the row of a finished line."""
        self.expected_seconds += expected.get(row["id"], 0.0)
        if row["status"] == FAILED:
            self.failed += 1
        else:
            self.spoken += 1
            self.seconds += row["seconds"]
            self.spoken_again += (row["guard"]["takes"] - 1) * row["seconds"] / row["pieces"]


def make_plan(lines: list[Line], roles: Roles, done: Done, shard: Shard) -> BatchPlan:
    """Decide what is left. done: knows which lines have their file already."""
    plan = BatchPlan()
    places: dict[int, int] = {}
    settings = roles.settings
    for line in lines:
        if not shard.has(line.id):
            plan.elsewhere += 1
            continue
        path = path_of(line, settings.ending, settings.hash_folders)
        if done.has(line, path):
            plan.done += 1
            continue
        role = roles.of(line)
        place = places.setdefault(id(role), len(plan.roles))
        if place == len(plan.roles):
            plan.roles.append(role)
        speed = line.asked.get("speed", settings.speed)
        plan.tasks.append(Task(line, place, seed_of(line, settings.seed), quick_seconds(line.text) / speed, path))
    order = {name: number for number, name in enumerate(dict.fromkeys(role.model for role in plan.roles))}
    plan.tasks.sort(key=lambda task: (order[plan.roles[task.role].model], -task.seconds, task.line.id))
    return plan


def seed_of(line: Line, seed: int) -> int:
    """The line's own seed, else one that follows from the run's and the id: doing it twice gives the same speech."""
    return int(line.asked["seed"]) if "seed" in line.asked else line_seed(seed, line.id)


def path_of(line: Line, ending: str, hash_folders: bool) -> str:
    """Where a line's file goes, from the output folder."""
    if not hash_folders:
        return line.file + ending
    digest = hashlib.sha256(name_key(line.file).encode()).hexdigest()
    return f"{digest[:2]}/{line.file}{ending}"


def quick_seconds(text: str) -> float:
    """What `expected_seconds` says, for a hundred thousand lines: characters are counted by kind, not looked at one by
    one."""
    try:
        data = text.encode("latin-1")
    except UnicodeEncodeError:
        seconds = CAPITAL * sum(len(word.group()) for word in CAPITALS.finditer(text))
        return seconds + sum(count * expected_seconds(character) for character, count in Counter(text).items())
    digits = len(data) - len(data.translate(None, LATIN_DIGITS))
    stops = len(data) - len(data.translate(None, LATIN_STOPS))
    has_capitals = len(data) - len(data.translate(None, LATIN_CAPITALS)) > 1
    capitals = sum(map(len, CAPITALS.findall(text))) if has_capitals else 0
    return LATIN * (len(data) - digits - stops) + DIGIT * digits + STOP * stops + CAPITAL * capitals
