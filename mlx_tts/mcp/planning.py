"""What an agent asks for -> a checked plan without weights; the plan's model, loaded when it is first spoken.

Nothing is fetched for an agent: a model that is not on disk is refused with the command that fetches it.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlx_tts.errors import DownloadError, RequestError
from mlx_tts.job import prepare
from mlx_tts.job.settings import SpeechSettings
from mlx_tts.library import hub
from mlx_tts.library.voice_choice import is_voice_file
from mlx_tts.models import families
from mlx_tts.setting import SettingError, settings_in, updated
from mlx_tts.shortened import shown
from mlx_tts.speech import SpeechRequest, Voice
from mlx_tts.text.source.documents import read_document

if TYPE_CHECKING:
    from mlx_tts.api import TextToSpeech
    from mlx_tts.library.selection import Choice
    from mlx_tts.models.families import OpenCheckpoint
    from mlx_tts.narration.plan import Plan
    from mlx_tts.text.cutting.pieces import Chapter

MOST_CHARACTERS = 100_000  # of one call
MOST_LOADED = 2  # models that stay in memory: two agents with voices of two models do not load them in turn
SPOKEN_BEFORE = "Hello."  # speaks once what takes longer the first time


@dataclass(frozen=True)
class Planned:
    """A text that can be spoken: the settings, the plan, its model and the voice as people call it."""

    settings: SpeechSettings
    plan: Plan
    checkpoint: OpenCheckpoint
    model: str
    voice: str | None

    @property
    def seconds(self) -> float:
        """About how long the speech takes."""
        return self.plan.total_seconds / self.settings.speed

    @property
    def text(self) -> str:
        """As it was written, without markup."""
        return " ".join(piece.text for piece in self.plan.pieces or [])


def with_wishes(settings: SpeechSettings, wishes: Mapping[str, Any]) -> SpeechSettings:
    """The settings with those that one call gives; None among them is not given. RequestError names what is wrong."""
    known, given = settings_in(SpeechSettings), {}
    for name, value in wishes.items():
        if value is not None:
            try:
                given[name] = known[name].read(name, value)
            except SettingError as error:
                raise RequestError(error.said(name)) from None
    voice = given.get("voice")
    if voice is not None and is_voice_file(voice):
        raise RequestError(f"voice is {shown(voice, 64)}, which is a file: give a name that the tool voices lists")
    changed = updated(settings, given)
    changed.check()
    return changed


def plan_text(
    settings: SpeechSettings,
    text: str,
    live: bool = True,
    plain: bool = False,
    opened: OpenCheckpoint | None = None,
) -> Planned:
    """RequestError for what cannot be spoken, DownloadError for a model that is not on disk. plain: words alone, in
    which no Markdown or HTML is looked for. opened: a checkpoint that was read before; where it is the model's, its
    small files are not read again."""
    if not text.strip():
        raise RequestError("text is empty: give some words to speak")
    if len(text) > MOST_CHARACTERS:
        raise RequestError(
            f"text has {len(text)} characters, at most {MOST_CHARACTERS} are spoken: send less at a time"
        )
    return _planned(settings, prepare.chapters_of(settings, text, plain), live, opened)


def plan_file(settings: SpeechSettings, file: Path, live: bool = True) -> Planned:
    """The same for a document: text, Markdown, HTML, EPUB and others that `speak` reads."""
    return _planned(settings, read_document(file, prepare.asides_of(settings)).chapters, live)


def _planned(
    settings: SpeechSettings, chapters: list[Chapter], live: bool, opened: OpenCheckpoint | None = None
) -> Planned:
    settings = settings.with_own_lexicon()
    chosen = prepare.choose(settings, partial(_open, opened=opened))
    voice = prepare.voice_of(settings, chosen)
    request, again = prepare.checked_request(settings, chosen, chapters[0].text if chapters else prepare.SAMPLE)
    if again:
        raise RequestError(
            f"the voice {shown(settings.voice)} was made for another model: speak with it once by `mlx-tts speak`, "
            "or make it again with `mlx-tts voice make`"
        )
    check = prepare.part_check(partial(families.check_request, chosen.checkpoint), chosen.info)
    plan = prepare.plan(settings, chosen.info, request, chapters, prepare.narration_options(settings, live=live), check)
    prepare.must_speak_text(plan, chosen.info, chosen.name)
    named = settings.voice or (voice.name if isinstance(voice, Voice) else voice)
    return Planned(settings, plan, chosen.checkpoint, chosen.name, named)


def _open(choice: Choice, opened: OpenCheckpoint | None) -> OpenCheckpoint:
    spec = choice.spec
    if spec.folder is None and not hub.is_on_disk(spec):
        raise DownloadError(f"{spec.name} ({spec.download_size}) is not on disk: run `mlx-tts pull {spec.name}` first")
    folder = hub.fetch_description(spec, offline=True)
    return opened if opened is not None and opened.folder == folder else families.open_checkpoint(folder)


class LoadedModels:
    """Weights by their folders. The models used last stay loaded, and those in use. Any thread may ask; one loads at a
    time."""

    def __init__(self) -> None:
        self._loaded: OrderedDict[Path, TextToSpeech] = OrderedDict()
        self._users: Counter[Path] = Counter()
        self._loading, self._lock = threading.Lock(), threading.Lock()

    @contextmanager
    def using(self, planned: Planned) -> Iterator[TextToSpeech]:
        """The plan's model, warm; it stays loaded until the block ends."""
        folder = planned.checkpoint.folder
        with self._lock:
            self._users[folder] += 1
        try:
            yield self._warm(folder, planned)
        finally:
            with self._lock:
                self._users[folder] -= 1
            self._close_unused()

    def _warm(self, folder: Path, planned: Planned) -> TextToSpeech:
        from mlx_tts import api

        with self._loading:
            with self._lock:
                model = self._loaded.get(folder)
            if model is None:
                model = api.load_checkpoint(planned.checkpoint)
                _speak_once(model, planned)
            with self._lock:
                self._loaded[folder] = model
                self._loaded.move_to_end(folder)
            return model

    def _close_unused(self) -> None:
        with self._lock:
            idle = [folder for folder in self._loaded if not self._users[folder]]
            for folder in idle[: max(0, len(self._loaded) - MOST_LOADED)]:
                self._loaded.pop(folder).close()

    def close(self) -> None:
        with self._loading, self._lock:
            while self._loaded:
                self._loaded.popitem()[1].close()


def _speak_once(model: TextToSpeech, planned: Planned) -> None:
    request = planned.plan.request
    asked = SpeechRequest(SPOKEN_BEFORE, voice=request.voice, instruct=request.instruct, seed=0, max_frames=4)
    with closing(model.submit(model.check(asked))) as stream:
        for _ in stream:
            pass
