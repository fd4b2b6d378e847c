"""`mlx-tts voice make` and `design`: a recording, or a description, and a name -> a voice that is kept under it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mlx_tts.cli.options import ConsoleOptions, FetchOptions, ModelOption
from mlx_tts.cli.voice_sample import (
    SAMPLE_HELP,
    SAMPLE_RATE,
    Reference,
    SampleOptions,
    SampleRequest,
    check_sample,
    choose_cloner,
    make_voice,
    open_cloner,
    read_reference,
    report,
)
from mlx_tts.errors import RequestError
from mlx_tts.setting import path, setting, switch, text, whole

if TYPE_CHECKING:
    from mlx_tts.cli.console import Console
    from mlx_tts.library.selection import Choice
    from mlx_tts.library.voice_shelf import VoiceShelf
    from mlx_tts.models.families import OpenCheckpoint

NewArgument = Annotated[str, typer.Argument(metavar="NAME", help="What the voice is to be called.", show_default=False)]


def _read_styles(value: Any) -> tuple[str, ...]:
    """NAME=FILE, once or several times."""
    given = (value,) if isinstance(value, str) else tuple(value)
    if not all("=" in word for word in given):
        raise ValueError("give NAME=FILE, such as sad=sad.wav")
    return given


@dataclass(frozen=True)
class MakeOptions:
    sample: Path | None = path(SAMPLE_HELP, flag="--sample/--voice-sample")
    style: tuple[str, ...] = setting(
        (),
        "The same voice in another mood, for [sad] and other tags in a text; may be repeated.",
        _read_styles,
        metavar="NAME=FILE",
    )
    forget_sample: bool = switch(False, "Do not keep the recording; other models cannot use the voice then.")


@dataclass(frozen=True)
class DesignOptions:
    seed: int | None = whole(None, "Another seed makes another voice.", 0)
    base_model: str | None = text(None, "The Base model that the voice is for.", flag="--for", metavar="MODEL")
    text: str | None = text(None, "What the sample of the voice says.", metavar="TEXT")


@dataclass(frozen=True)
class LanguageOptions:
    language: str = text("auto", "The language of the recording, or auto.", short="-l", metavar="LANGUAGE")


def make(
    *,
    name: NewArgument,
    options: MakeOptions,
    reference: SampleOptions,
    spoken: LanguageOptions,
    model: ModelOption = None,
    fetch: FetchOptions,
    console: ConsoleOptions,
) -> None:
    """Make a voice from a recording and keep it under a name.

    Without --model a Base model makes it: your default model if that one clones, else one that is on disk (0.6B before
    others), else the small one that is built in. The part of the recording that is used is kept with the voice, so that
    it can be prepared again for other models.
    """
    from mlx_tts.job.prepare import must_speak_language
    from mlx_tts.library.voice_shelf import user_shelf

    say, shelf = console.console, user_shelf()
    shelf.new_path(name)
    check_sample(options.sample, reference, "--sample")
    styles = _heard_styles(options.style, fetch, say)
    choice, checkpoint, heard = open_cloner(
        model, SampleRequest(options.sample, reference, spoken.language), fetch, say
    )
    must_speak_language(spoken.language, checkpoint.info, choice.spec.name)
    report(heard, say)
    _keep(shelf, name, heard, (choice, checkpoint), None, options.forget_sample, fetch, say, styles)


def _heard_styles(given: tuple[str, ...], fetch: FetchOptions, console: Console) -> dict[str, Reference]:
    """The samples of the styles, by name; RequestError, AudioError before anything is made of them."""
    from mlx_tts.library.voice_store import must_be_style

    styles: dict[str, Reference] = {}
    for entry in given:
        style, _, file = entry.partition("=")
        style = style.strip().casefold()
        must_be_style(style)
        if style in styles:
            raise RequestError(f"--style names {style} twice: give one recording of it")
        styles[style] = read_reference(SampleRequest(Path(file), SampleOptions(), "auto"), fetch, console)
    return styles


def design(
    *,
    name: NewArgument,
    description: Annotated[
        list[str], typer.Argument(metavar="DESCRIPTION", help="What the voice is like, in quotes.", show_default=False)
    ],
    options: DesignOptions,
    spoken: LanguageOptions,
    model: ModelOption = None,
    fetch: FetchOptions,
    console: ConsoleOptions,
) -> None:
    """Make a voice from a description and keep it under a name.

    A VoiceDesign model speaks a sample, of which a Base model makes the voice.
    """
    from mlx_tts.audio.reference import prepare_sample
    from mlx_tts.job.settings import SpeechSettings
    from mlx_tts.library.voice_shelf import user_shelf
    from mlx_tts.text.languages import named, sample_sentences

    say, shelf, described = console.console, user_shelf(), " ".join(description)
    language = spoken.language
    shelf.new_path(name)
    SpeechSettings(instruct=described).check()
    cloner = choose_cloner(options.base_model, fetch, say)  # before anything is spoken in vain
    said = options.text or sample_sentences(named(language))
    samples = _spoken_sample(said, described, language, options.seed, model, fetch, say)
    heard = Reference(prepare_sample(samples, SAMPLE_RATE, whole=True), said, named(language))
    report(heard, say)
    _keep(shelf, name, heard, cloner, described, False, fetch, say)


def _spoken_sample(
    text: str,
    description: str,
    language: str,
    seed: int | None,
    model: str | None,
    fetch: FetchOptions,
    console: Console,
):  # type: ignore[no-untyped-def]  # samples, whose type needs numpy
    """A text spoken by a VoiceDesign model, at the rate of samples."""
    import numpy as np

    from mlx_tts.audio.files import resample
    from mlx_tts.cli.model_access import load, open_checkpoint
    from mlx_tts.job.prepare import must_speak_language, request_of
    from mlx_tts.job.settings import SpeechSettings
    from mlx_tts.library import hub, selection
    from mlx_tts.models import families

    choice = selection.choose_designer(model, selection.configured_default(), hub.is_on_disk)
    checkpoint = open_checkpoint(choice, fetch, console)
    if not checkpoint.info.can.designs:
        raise RequestError(
            f"{choice.spec.name} cannot design voices: use a VoiceDesign model, such as 1.7b-design-8bit"
        )
    must_speak_language(language, checkpoint.info, choice.spec.name)
    settings = SpeechSettings(instruct=description, language=language, seed=seed)
    asked = request_of(settings, checkpoint.info, None, text)
    request = families.check_request(checkpoint, asked)
    loaded = load(choice.spec, checkpoint, fetch, console)
    chunks = [chunk.samples for _, chunk in loaded.stream_many(iter([(0, request)]))]
    rate = loaded.sample_rate
    loaded.close()  # two models at once may not fit into the memory
    return resample(np.concatenate(chunks), rate, SAMPLE_RATE)


def _keep(
    shelf: VoiceShelf,
    name: str,
    heard: Reference,
    cloner: tuple[Choice, OpenCheckpoint],
    description: str | None,
    forget_sample: bool,
    fetch: FetchOptions,
    console: Console,
    styles: Mapping[str, Reference] | None = None,
) -> None:
    """Prepare the voice, and the same voice in other moods, with the Base model and write it."""
    from mlx_tts.cli.model_access import load
    from mlx_tts.library.voice_store import SavedVoice

    choice, checkpoint = cloner
    loaded = load(choice.spec, checkpoint, fetch, console)
    voice = make_voice(loaded, heard.recording, heard.transcript)
    moods = {style: make_voice(loaded, sample.recording, None) for style, sample in (styles or {}).items()}
    recordings = {style: sample.recording for style, sample in (styles or {}).items()}
    saved = SavedVoice(
        replace(voice, styles=moods),
        choice.spec.lasting_name,
        None if forget_sample else heard.recording,
        heard.language,
        description,
        {} if forget_sample else recordings,
    )
    kept = shelf.add(name, saved)
    console.say(f'kept the voice {kept.name}: mlx-tts speak "Hello." --voice {shown_name(kept.name)}')


def shown_name(name: str) -> str:
    """A name as a shell takes it."""
    import shlex

    return shlex.quote(name)
