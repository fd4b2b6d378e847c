"""Lines that can be spoken, and what was made before -> the tasks that are left, the longest first; their progress.

What a line says besides its text is its role: a checked request. Most lines share a few, so each is worked out once.
Reads models' small files; loads no weights.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from mlx_tts.batch.lines import BadLine, Line, name_key
from mlx_tts.batch.settings import BatchSettings, How, Shard
from mlx_tts.batch.tables import FAILED, Done
from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.generation.seeds import line_seed
from mlx_tts.job import prepare
from mlx_tts.job.casting import cast_text, naming_narrator, narrated
from mlx_tts.library import hub
from mlx_tts.library.catalog import ModelSpec
from mlx_tts.library.selection import Choice
from mlx_tts.models import families
from mlx_tts.models.families import OpenCheckpoint
from mlx_tts.narration.plan import Check
from mlx_tts.narration.time_left import TimeLeft
from mlx_tts.setting import updated
from mlx_tts.shortened import shown
from mlx_tts.speech import CheckedRequest, ModelInfo, Voice
from mlx_tts.text.cutting.pace import expected_seconds
from mlx_tts.text.cutting.pieces import Chapter

MustAgree = Callable[[ModelSpec], None]
Combination = tuple[tuple[str, Any], ...]
OF_A_LINE = ("seed", "speed")  # what lines of one role may have of their own


class StoppedError(MlxTtsError):
    """The run cannot go on; what is done is kept."""


@dataclass(frozen=True)
class Role:
    """model: its lasting name, by which every machine finds it. request: all but text and seed. settings: the run's,
    with those of the line."""

    model: str
    request: CheckedRequest
    settings: BatchSettings

    @property
    def voice_name(self) -> str | None:
        voice = self.request.voice
        return voice.name if isinstance(voice, Voice) else voice

    def chapters_of(self, text: str, info: ModelInfo, check: Check) -> tuple[list[Chapter], str | None]:
        """A line's text, and a line for people that says who speaks as whom where it has a cast. check: of a part in
        another voice. RequestError: the cast is of another text, or names a voice that is not there."""
        settings = self.settings
        if settings.cast is None:
            return prepare.chapters_of(settings, text), None
        chapters, casting = cast_text(text, settings.cast, prepare.asides_of(settings))
        return casting.voiced(chapters, info.voices, self.request.voice, check)


@dataclass
class Roles:
    """checkpoints: the small files of every model in use, by its lasting name. A model that is not on disk is fetched
    if somebody named it, or with fetch_unnamed; with offline none is. must_agree: is asked before one is fetched,
    whether it was named or not, and raises StoppedError where it must not be. casts: by the ids of lines that have one,
    who speaks as whom."""

    settings: BatchSettings
    offline: bool = False
    fetch_unnamed: bool = False
    must_agree: MustAgree | None = None
    specs: dict[str, ModelSpec] = field(default_factory=dict)
    checkpoints: dict[str, OpenCheckpoint] = field(default_factory=dict)
    casts: dict[str, str] = field(default_factory=dict)
    _known: dict[Combination, Role | str] = field(default_factory=dict)

    def of(self, line: Line) -> Role:
        """The line's role; RequestError says why it has none."""
        combination = tuple((name, value) for name, value in line.asked.items() if name not in OF_A_LINE)
        known = self._known.get(combination)
        if known is None:
            try:
                known = self._role(updated(self.settings, dict(combination)))
            except StoppedError:
                raise
            except MlxTtsError as error:
                known = str(error)
            self._known[combination] = known
        if isinstance(known, str):
            raise RequestError(known)
        return known

    def sort_out(self, lines: list[Line]) -> tuple[list[Line], list[BadLine]]:
        """The lines that some model can speak, and the others with the reason."""
        good, bad = [], []
        for line in lines:
            try:
                role = self.of(line)
                if role.settings.cast is not None:
                    self.casts[line.id] = self._cast_of(line, role)
                good.append(line)
            except RequestError as error:
                bad.append(BadLine(line.number, line.id, f"cannot be spoken: {error}"))
        return good, bad

    def _cast_of(self, line: Line, role: Role) -> str:
        """Who speaks as whom; RequestError for a cast that does not fit."""
        checkpoint = self.checkpoints[role.model]
        check = prepare.part_check(partial(families.check_request, checkpoint), checkpoint.info)
        return role.chapters_of(line.text, checkpoint.info, check)[1] or ""

    def _role(self, settings: BatchSettings) -> Role:
        narrator, where = (settings.cast.narrator, settings.cast.path) if settings.cast is not None else (None, "")
        settings = narrated(settings, narrator)
        with naming_narrator(narrator, where):
            chosen = prepare.choose(settings, self._checkpoint)
            request, again = prepare.checked_request(replace(settings, seed=0), chosen)
        if again and chosen.saved is not None:
            raise RequestError(
                f"the voice {shown(settings.voice)} was made with {chosen.saved.model or 'another model'}: use that "
                "model, or make the voice again with this one"
            )
        return Role(chosen.choice.spec.lasting_name, request, settings)

    def _checkpoint(self, choice: Choice) -> OpenCheckpoint:
        name = choice.spec.lasting_name
        if name not in self.checkpoints:
            offline = self.offline or hub.is_offline()
            if self.must_agree is not None and not offline:
                self.must_agree(choice.spec)
            offline = offline or not (choice.named or self.fetch_unnamed or self.must_agree is not None)
            folder = hub.fetch_description(choice.spec, offline=offline, log=None, progress=False)
            self.checkpoints[name] = families.open_checkpoint(folder)
            self.specs[name] = choice.spec
        return self.checkpoints[name]


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
class PreparedBatch:
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
    still in work; expected_seconds: that finished lines were expected to be. workers: machines that work now. left:
    what tells the time left where lines are made in this process; None on a cluster."""

    total_seconds: float
    total: int
    spoken: int = 0
    failed: int = 0
    seconds: float = 0.0
    made_seconds: float = 0.0
    expected_seconds: float = 0.0
    began: float = field(default_factory=time.monotonic)
    workers: int = 1
    left: TimeLeft | None = None

    def count(self, row: dict[str, Any], expected: dict[str, float]) -> None:
        """Take in the row of a finished line."""
        self.expected_seconds += expected.get(row["id"], 0.0)
        if row["status"] == FAILED:
            self.failed += 1
        else:
            self.spoken += 1
            self.seconds += row["seconds"]


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
        plan.tasks.append(Task(line, place, seed_of(line, settings.seed), expected_seconds(line.text) / speed, path))
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
