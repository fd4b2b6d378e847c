"""What a line says besides its text -> the checked request that it is spoken by.

Most lines share a few combinations, so each is worked out once. Reads models' small files; loads no weights.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from mlx_tts.batch.lines import BadLine, Line
from mlx_tts.batch.settings import BatchSettings
from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.job import prepare
from mlx_tts.library import hub
from mlx_tts.library.catalog import ModelSpec
from mlx_tts.library.selection import Choice
from mlx_tts.models import families
from mlx_tts.models.families import OpenCheckpoint
from mlx_tts.setting import updated
from mlx_tts.speech import CheckedRequest, Voice

Combination = tuple[tuple[str, Any], ...]
OF_A_LINE = ("seed", "speed")  # what lines of one role may have of their own


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


@dataclass
class Roles:
    """checkpoints: the small files of every model in use, by its lasting name. A model that is not on disk is fetched
    if somebody named it, or with fetch_unnamed; with offline none is."""

    settings: BatchSettings
    offline: bool = False
    fetch_unnamed: bool = False
    specs: dict[str, ModelSpec] = field(default_factory=dict)
    checkpoints: dict[str, OpenCheckpoint] = field(default_factory=dict)
    _known: dict[Combination, Role | str] = field(default_factory=dict)

    def of(self, line: Line) -> Role:
        """The line's role; RequestError says why it has none."""
        combination = tuple((name, value) for name, value in line.asked.items() if name not in OF_A_LINE)
        known = self._known.get(combination)
        if known is None:
            try:
                known = self._role(updated(self.settings, dict(combination)))
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
                self.of(line)
                good.append(line)
            except RequestError as error:
                bad.append(BadLine(line.number, line.id, f"cannot be spoken: {error}"))
        return good, bad

    def _role(self, settings: BatchSettings) -> Role:
        chosen = prepare.choose(settings, self._checkpoint)
        request, again = prepare.checked_request(replace(settings, seed=0), chosen)
        if again and chosen.saved is not None:
            raise RequestError(
                f"the voice {settings.voice!r} was made with {chosen.saved.model or 'another model'}: use that model, "
                "or make the voice again with this one"
            )
        return Role(chosen.choice.spec.lasting_name, request, settings)

    def _checkpoint(self, choice: Choice) -> OpenCheckpoint:
        name = choice.spec.lasting_name
        if name not in self.checkpoints:
            offline = self.offline or hub.is_offline() or not (choice.named or self.fetch_unnamed)
            folder = hub.fetch_description(choice.spec, offline=offline, log=None, progress=False)
            self.checkpoints[name] = families.open_checkpoint(folder)
            self.specs[name] = choice.spec
        return self.checkpoints[name]
