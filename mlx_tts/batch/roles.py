"""What a line says of model, voice, language and instruction -> the checked request that it is spoken by.

Most lines share a few combinations, so each is worked out once. Reads models' small files; loads no weights.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mlx_tts.batch.lines import BadLine, Line
from mlx_tts.batch.settings import BatchSettings
from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.library import hub
from mlx_tts.library.catalog import ModelSpec, voice_key
from mlx_tts.library.selection import Choice
from mlx_tts.library.voice_choice import Chosen, check_with_voice, choose
from mlx_tts.models import families
from mlx_tts.models.families import OpenCheckpoint
from mlx_tts.narration.job import packing_for, reading_for
from mlx_tts.speech import CheckedRequest, SpeechRequest, Voice
from mlx_tts.text.cutting.pieces import Packing
from mlx_tts.text.languages import AUTO
from mlx_tts.text.reading import Reading

SAMPLE = "..."  # stands for the text
Combination = tuple[str | None, str | None, str | None, str | None]


@dataclass(frozen=True)
class Role:
    """model: its lasting name, by which every machine finds it. request: all but text and seed."""

    model: str
    request: CheckedRequest
    reading: Reading
    packing: Packing

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
        asked = self.settings
        combination = (
            line.model or asked.model,
            line.voice or asked.voice,
            line.language or asked.language,
            line.instruct or asked.instruct,
        )
        known = self._known.get(combination)
        if known is None:
            try:
                known = self._role(*combination)
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

    def _role(self, model: str | None, voice: str | None, language: str | None, instruct: str | None) -> Role:
        chosen = choose(model, voice)
        checkpoint = self._checkpoint(chosen.choice)
        info = checkpoint.info
        saved = chosen.saved
        if voice is not None and voice_key(voice) in map(voice_key, info.voices):
            saved = None  # a preset of a model that the catalogue does not know
        asked = self.settings
        request = SpeechRequest(
            SAMPLE,
            voice=(saved and saved.voice) or _preset(voice, checkpoint, chosen),
            language=language or AUTO,
            instruct=instruct,
            sampling=asked.sampling,
            seed=0,
            guard=asked.guard,
            retries=asked.retries,
        )
        checked, prepare = check_with_voice(request, saved, chosen.choice, checkpoint)
        if prepare and saved is not None:
            raise RequestError(
                f"the voice {voice!r} was made with {saved.model or 'another model'}: use that model, "
                "or make the voice again with this one"
            )
        reading = reading_for(info, normalise=asked.normalise, lexicon=asked.lexicon, markup=asked.markup)
        packing = packing_for(info, checked.language)
        return Role(chosen.choice.spec.lasting_name, checked, reading, packing)

    def _checkpoint(self, choice: Choice) -> OpenCheckpoint:
        name = choice.spec.lasting_name
        if name not in self.checkpoints:
            offline = self.offline or hub.is_offline() or not (choice.named or self.fetch_unnamed)
            folder = hub.fetch_description(choice.spec, offline=offline, log=None, progress=False)
            self.checkpoints[name] = families.open_checkpoint(folder)
            self.specs[name] = choice.spec
        return self.checkpoints[name]


def _preset(voice: str | None, checkpoint: OpenCheckpoint, chosen: Chosen) -> str | None:
    """The preset as the checkpoint spells it; without a name the one that the catalogue lists first."""
    if voice is not None:
        by_key = {voice_key(name): name for name in checkpoint.info.voices}
        return by_key.get(voice_key(voice), voice)
    listed = chosen.choice.spec.voices
    return listed[0] if checkpoint.info.can.presets and listed else None
