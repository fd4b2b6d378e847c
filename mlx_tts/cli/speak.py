"""`mlx-tts speak`: text -> speech in a preset voice, a described voice or a saved one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from mlx_tts.cli.commands import new_app
from mlx_tts.cli.options import (
    ConsoleOptions,
    FetchOptions,
    GuardOptions,
    LiveOptions,
    LongTextOptions,
    ModelOption,
    OutputOptions,
    SamplingOptions,
    SpeechOptions,
    TextArgument,
    complete_voice,
    grouped,
)

app = new_app()

VoiceOption = Annotated[
    str | None,
    typer.Option(
        "--voice",
        metavar="NAME",
        help="A preset's name (see `mlx-tts voices`) or a voice file from `clone --save-voice`.",
        autocompletion=complete_voice,
        show_default=False,
    ),
]
InstructOption = Annotated[
    str | None,
    typer.Option(
        "--instruct",
        "-i",
        metavar="TEXT",
        help="How to speak; for VoiceDesign models, the voice itself.",
        show_default=False,
    ),
]


@app.command()
@grouped
def speak(
    *,
    text: TextArgument = None,
    voice: VoiceOption = None,
    instruct: InstructOption = None,
    model: ModelOption = None,
    output: OutputOptions,
    speech: SpeechOptions,
    drawing: SamplingOptions,
    guard: GuardOptions,
    long_text: LongTextOptions,
    live: LiveOptions,
    fetching: FetchOptions,
    talking: ConsoleOptions,
) -> None:
    """Speak a text.

    Without -o and --play it is played, or written to speech.wav where there is no sound device. Without --model the
    model that has the --voice is used, else the default (`mlx-tts models default`), else the 0.6B CustomVoice if it is
    on disk, else the small built-in one.

    A long text is spoken piece by piece in one voice; headings, and the parts of an EPUB (--file), are its chapters.
    What comes through a pipe and is played or piped on is spoken while it arrives.
    """
    from mlx_tts.cli.loading import build_request, describe, load
    from mlx_tts.cli.output import choose_destination
    from mlx_tts.cli.progress import Telling, check_telling, cut, guarded, speak_into
    from mlx_tts.cli.script import read_script
    from mlx_tts.library import hub, selection
    from mlx_tts.models import families

    console = talking.console
    destination = choose_destination(output, live)
    script = read_script(text, speech.file, destination.live)
    telling = Telling(guard, long_text, live)
    check_telling(telling, destination, script)
    saved = None
    if voice is not None and is_voice_file(voice):
        from mlx_tts.library.voice_store import load_voice

        saved = load_voice(Path(voice).expanduser())
        choice = selection.choose_base(model or saved.model, selection.configured_default(), hub.is_on_disk)
        choice = replace(choice, named=model is not None)
    else:
        choice = selection.choose_model(model, voice, selection.configured_default(), hub.is_on_disk)
    info = describe(choice, fetching, console)
    if voice is None and info.kind == "custom_voice" and choice.spec.voices:
        voice = choice.spec.voices[0]
        console.detail(f"voice {voice} (--voice takes another)")
    request = build_request(script.sample, saved.voice if saved else voice, instruct, info, speech, drawing)
    request = families.check_request(info, guarded(request, guard))
    if not script.arriving:
        cut(script, info, request, [])
    if choice.note:
        console.say(choice.note)
    if request.instruct and info.kind == "custom_voice" and info.size == "0b6":
        console.say("the 0.6B CustomVoice was not trained for --instruct and may not follow it: a 1.7B model does")
    console.detail(f"model {choice.spec.name}, language {request.language}")
    speak_into(destination, load(choice.spec, fetching, console), request, script, telling, choice.spec.name, console)


def is_voice_file(voice: str) -> bool:
    """Whether --voice means a saved voice: presets' names have no extension and no folder."""
    return voice.endswith(".safetensors") or "/" in voice
