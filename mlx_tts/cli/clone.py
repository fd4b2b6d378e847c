"""`mlx-tts clone`: text and a recording -> speech in the recording's voice, or a voice file for later."""

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
    grouped,
)
from mlx_tts.errors import RequestError

MINIMUM_SECONDS = 0.5
MAXIMUM_SECONDS = 60.0
SAMPLE_RATE = 24_000  # the synthesizer takes any; this one it need not resample

app = new_app()

SampleOption = Annotated[
    Path,
    typer.Option(
        "--voice-sample",
        metavar="FILE",
        help="A recording of the voice, 0.5 to 60 s, any format and rate.",
        show_default=False,
    ),
]
TranscriptOption = Annotated[
    str | None,
    typer.Option(
        "--transcript",
        metavar="TEXT",
        help="The words of the recording: closer to the voice than without.",
        show_default=False,
    ),
]
SaveOption = Annotated[
    Path | None,
    typer.Option(
        "--save-voice",
        metavar="FILE",
        help="Keep the voice in a .safetensors file for `speak --voice`.",
        show_default=False,
    ),
]


@app.command()
@grouped
def clone(
    *,
    text: TextArgument = None,
    sample: SampleOption,
    transcript: TranscriptOption = None,
    save_voice: SaveOption = None,
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
    """Speak in the voice of a recording.

    Needs a Base model; without --model the 0.6B one is used. With --save-voice and no text the voice is only kept.
    """
    from mlx_tts.audio.files import read_audio
    from mlx_tts.cli.loading import build_request, describe, load
    from mlx_tts.cli.output import check_file, choose_destination
    from mlx_tts.cli.progress import Telling, check_telling, cut, guarded, speak_into
    from mlx_tts.cli.script import Script, read_script
    from mlx_tts.library import hub, selection, voice_store
    from mlx_tts.models import families

    console = talking.console
    only_save = save_voice is not None and text is None and speech.file is None
    destination = None if only_save else choose_destination(output, live)
    script = Script([])
    telling = Telling(guard, long_text, live)
    if destination is not None:
        script = read_script(text, speech.file, destination.live)
        check_telling(telling, destination, script)
    if transcript is not None and not transcript.strip():
        raise RequestError("--transcript is empty: give the words of the recording, or leave it out")
    if save_voice is not None:
        check_voice_file(save_voice)
        check_file(save_voice, audio=False)
    choice = selection.choose_base(model, selection.configured_default(), hub.is_on_disk)
    refuse_unless_base(choice.spec.kind, choice.spec.name)
    samples = read_audio(sample, SAMPLE_RATE, MINIMUM_SECONDS, MAXIMUM_SECONDS)
    info = describe(choice, fetching, console)
    refuse_unless_base(info.kind, choice.spec.name)
    if destination is not None:
        # The voice is not known before the weights are; all else of the request is checked now.
        request = guarded(build_request(script.sample, None, None, info, speech, drawing), guard)
        request = families.check_request(info, request)
        if not script.arriving:
            cut(script, info, request, [])
    synthesizer = load(choice.spec, fetching, console)
    voice = synthesizer.voice(samples, SAMPLE_RATE, transcript)
    if save_voice is not None:
        voice_store.save_voice(voice, save_voice, choice.spec.lasting_name)
        console.say(f"saved the voice in {save_voice}")
    if destination is not None:
        request = synthesizer.check(replace(request, voice=voice))
        console.detail(f"model {choice.spec.name}, language {request.language}")
        speak_into(destination, synthesizer, request, script, telling, choice.spec.name, console)


def check_voice_file(path: Path) -> None:
    if path.suffix != ".safetensors":
        raise RequestError(f"--save-voice is {path}: voice files end in .safetensors")


def refuse_unless_base(kind: str | None, name: str) -> None:
    if kind not in (None, "base"):
        raise RequestError(f"{name} is a {kind} model and cannot clone: use a Base model, such as 0.6b-base-8bit")
