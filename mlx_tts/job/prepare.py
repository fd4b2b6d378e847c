"""Settings, a model's small files and a text -> the checked request and the pieces that are spoken. Loads no weights.

The callers differ in where models and voices come from, and in what is done with the sound. What a setting means for
the speech stands here alone.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from mlx_tts.errors import RequestError
from mlx_tts.job.settings import ReadingSettings, SpeechSettings, VoiceSettings, family_options
from mlx_tts.library import catalog
from mlx_tts.library.catalog import ModelSpec, voice_key
from mlx_tts.library.voice_choice import check_with_names, check_with_voice
from mlx_tts.narration.narrate import NarrationOptions
from mlx_tts.narration.plan import Check, Plan, plan_chapters, reading_for
from mlx_tts.narration.timeline import Pauses
from mlx_tts.shortened import listed, shown
from mlx_tts.speech import CheckedRequest, ModelInfo, SpeechRequest, Voice
from mlx_tts.text.cutting.pieces import Chapter
from mlx_tts.text.language_guess import SAMPLE as GUESSED_CHARACTERS
from mlx_tts.text.language_guess import foreign_to
from mlx_tts.text.languages import AUTO, named, region, resolve
from mlx_tts.text.markup.feelings import FEELINGS, Feeling, read_feelings
from mlx_tts.text.reading import Reading
from mlx_tts.text.source.blocks import Asides
from mlx_tts.text.source.documents import text_document

if TYPE_CHECKING:
    from mlx_tts.library.selection import Choice
    from mlx_tts.library.voice_shelf import KeptVoice
    from mlx_tts.library.voice_store import SavedVoice
    from mlx_tts.models.families import OpenCheckpoint

SAMPLE = "..."  # stands for a text that is not there yet
FindVoice = Callable[[str], "KeptVoice | None"]


@dataclass(frozen=True)
class Chosen:
    """A model, opened, and the saved voice where one was named. name: what people call the model."""

    choice: Choice
    checkpoint: OpenCheckpoint
    saved: SavedVoice | None = None

    @property
    def name(self) -> str:
        return self.choice.spec.name

    @property
    def info(self) -> ModelInfo:
        return self.checkpoint.info


def choose(settings: VoiceSettings, open_model: Callable[[Choice], OpenCheckpoint]) -> Chosen:
    """The model and the voice among those of this machine's user. A preset that only the open model knows is taken
    before a saved voice."""
    from mlx_tts.library import voice_choice

    chosen = voice_choice.choose(settings.model, settings.voice)
    checkpoint = open_model(chosen.choice)
    saved = chosen.saved
    if settings.voice is not None and voice_key(settings.voice) in map(voice_key, checkpoint.info.voices):
        saved = None
    return Chosen(chosen.choice, checkpoint, saved)


def voice_of(settings: VoiceSettings, chosen: Chosen) -> str | Voice | None:
    """The voice of the request; without a name the preset that the catalogue lists first."""
    if chosen.saved is not None:
        return chosen.saved.voice
    if settings.voice is not None:
        return settings.voice
    listed = chosen.choice.spec.voices
    return listed[0] if chosen.info.can.presets and listed else None


def checked_request(settings: SpeechSettings, chosen: Chosen, text: str = SAMPLE) -> tuple[CheckedRequest, bool]:
    """The request that every piece is made from, and whether its saved voice must be prepared again from its recording
    once the model is loaded."""
    if chosen.saved is None:
        must_have_voice(settings.voice, chosen.info, chosen.name)
    asked = request_of(settings, chosen.info, voice_of(settings, chosen), text)
    must_speak_language(asked.language, chosen.info, chosen.name)
    return check_with_voice(asked, chosen.saved, chosen.choice, chosen.checkpoint)


def request_of(
    settings: SpeechSettings, info: ModelInfo, voice: str | Voice | None, text: str = SAMPLE
) -> SpeechRequest:
    """The settings as a request; what the model makes of it is checked by its family."""
    if isinstance(voice, str):
        by_key = {voice_key(name): name for name in info.voices}
        voice = by_key.get(voice_key(voice), voice)
    max_frames = None
    if settings.max_seconds is not None:
        max_frames = max(1, math.ceil(settings.max_seconds * info.frame_rate))
    return SpeechRequest(
        text=text,
        voice=voice,
        language=settings.language,
        instruct=settings.instruct,
        sampling=settings.sampling,
        seed=settings.seed,
        max_frames=max_frames,
        guard=settings.guard,
        retries=settings.retries,
        options=family_options(settings.options, {option.name: option.type for option in info.options}),
    )


# The text.


def chapters_of(settings: ReadingSettings, text: str, plain: bool = False) -> list[Chapter]:
    """A text -> its chapters. plain: it is words alone, in which no Markdown or HTML is looked for."""
    if plain or settings.normalise == "off":
        return [Chapter(None, text, plain=plain)]
    return text_document(text, asides=asides_of(settings)).chapters


def asides_of(settings: ReadingSettings) -> Asides:
    return Asides(settings.code, settings.footnotes == "read")


def reading_of(settings: ReadingSettings, info: ModelInfo, noted: Callable[[str], None] | None = None) -> Reading:
    """How the text is read for a model. noted: told of pronunciations and feelings that the model gets otherwise, and
    of markup that is left out."""
    voice = (settings.voice or next(iter(info.voices), None)) if isinstance(settings, VoiceSettings) else None
    language = settings.language if isinstance(settings, VoiceSettings) else AUTO
    return reading_for(
        info,
        normalise=settings.normalise,
        lexicon=settings.lexicon,
        markup=settings.markup,
        feelings=known_feelings(),
        region=region(language or AUTO),
        voice=voice,
        noted=noted,
        left_out=noted,
    )


def known_feelings() -> Mapping[str, Feeling]:
    """The tags that everybody has, and those that the user has set."""
    from mlx_tts.library.preferences import preferences

    own = preferences().tags
    return {**FEELINGS, **read_feelings(own)} if own else FEELINGS


def narration_options(
    settings: SpeechSettings,
    *,
    live: bool = False,
    every_sentence: bool = False,
    chapter_files: bool = False,
    **more: Any,
) -> NarrationOptions:
    """How the pieces follow each other. every_sentence: each is a piece of its own, whatever the pause. chapter_files:
    each chapter is a file, so there is no pause between them."""
    given = settings.sentence_pause
    between_chapters = 0.0 if chapter_files else 2 * settings.paragraph_pause
    return NarrationOptions(
        live=live,
        pauses=Pauses(Pauses().sentence if given is None else given, settings.paragraph_pause, between_chapters),
        every_sentence=every_sentence or given is not None,
        speed=settings.speed,
        most_seconds=settings.max_seconds,
        **more,
    )


def part_check(check: Check, info: ModelInfo, find: FindVoice | None = None) -> Check:
    """What checks a part of the text whose markup names a voice: a preset, or one that `find` knows; by default the
    user's own."""
    if find is None:
        from mlx_tts.library.voice_shelf import user_shelf

        find = user_shelf().get
    return partial(check_with_names, check, info.voices, find)


def plan(
    settings: SpeechSettings,
    info: ModelInfo,
    request: CheckedRequest,
    chapters: list[Chapter],
    options: NarrationOptions,
    check: Check,
    noted: Callable[[str], None] | None = None,
) -> Plan:
    """Read and cut a text that is there as a whole; RequestError when nothing in it can be said, or when its markup
    asks for what the model does not have."""
    return plan_chapters(info, request, chapters, options, reading_of(settings, info, noted), check)


# Voices that the model does not have, and languages that it does not speak.


def must_have_voice(voice: str | None, info: ModelInfo, model: str) -> None:
    """RequestError for a preset of other models, and for a name that is most like a voice that this model does not
    have: it says whose that voice is. Any other name is left to the family."""
    if voice is None or not info.voices or catalog.is_among(voice, info.voices, info.can.mixes):
        return
    from mlx_tts.library.selection import nearest_voices

    if others := catalog.with_preset(voice):
        raise RequestError(
            f"{model} has no voice {shown(voice, 40)}, it belongs to {others[0].name}: leave --model out, "
            f"or use {listed(info.voices)}"
        )
    own = set(map(voice_key, info.voices))
    for name, whose in nearest_voices(voice, 1):
        if voice_key(name) not in own:
            raise RequestError(
                f"{model} has no voice {shown(voice, 40)}: did you mean {name} ({whose})? then leave --model out; "
                f"{model} has {listed(info.voices)}"
            )


def must_speak_language(asked: str, info: ModelInfo, model: str) -> None:
    """RequestError for a language that this model does not have; it names one that has it."""
    try:
        resolve(asked, info.languages)
    except RequestError:
        language = named(asked)
        if language is None or not (others := _speakers_of(language, info)):
            raise
        raise RequestError(f"{model} does not speak {language.capitalize()}: {_instead(others, language)}") from None


def must_speak_text(plan: Plan, info: ModelInfo, model: str) -> None:
    """RequestError for a text that surely is in another language, unless a language says what it is to be read as."""
    if plan.request.language != AUTO:
        return
    read, text = 0, []
    for piece in plan.pieces or []:
        if piece.language is None:
            text.append(piece.text)
            read += len(piece.text)
        if read >= GUESSED_CHARACTERS:
            break
    spoken = [name for name in info.languages if name != AUTO]
    language = foreign_to(" ".join(text), spoken)
    if language is None or not spoken:
        return
    others = _speakers_of(language, info)
    instead = _instead(others, language) if others else "no known model does"
    raise RequestError(
        f"this text reads like {language.capitalize()}, which {model} does not speak: {instead}; "
        f"--language {spoken[0]} reads it all the same"
    )


def _speakers_of(language: str, info: ModelInfo) -> list[ModelSpec]:
    """The models to recommend for a language, which have ready voices if this one has and else are of its kind: the
    smallest, and where a program that it needs is missing here, the smallest that needs none."""
    able = [spec for spec in catalog.models() if language in spec.languages]
    able = [spec for spec in able if (spec.voices if info.can.presets else spec.kind == info.kind)]
    able = [spec for spec in able if spec.recommended] or able[:1]
    able.sort(key=lambda spec: spec.size_bytes or math.inf)
    at = next((at for at, spec in enumerate(able) if not _missing_program(spec, language)), None)
    return [*able[:1], *able[at : at + 1]] if at else able[:1]


def _missing_program(spec: ModelSpec, language: str) -> str | None:
    program = spec.programs.get(language)
    return program if program and shutil.which(program) is None else None


def _instead(specs: list[ModelSpec], language: str) -> str:
    """What to give to have a text of this language spoken, with what has to be fetched for it."""
    told = []
    for spec in specs:
        voice, program = catalog.voice_for(spec, language), _missing_program(spec, language)
        named = f"--model {spec.name}{f' --voice {voice}' if voice else ''}"
        told.append(f"{named} ({spec.download_size}{f', and install {program}' if program else ''})")
    return f"give {' or '.join(told)}"
