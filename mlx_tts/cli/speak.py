"""`mlx-tts speak`: text -> speech in a preset voice, a described voice or a saved one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from mlx_tts.cli.commands import SectionedCommand, new_app
from mlx_tts.cli.options import ModelOption, SpeakingOptions, TextArgument, complete_voice, grouped
from mlx_tts.errors import RequestError

if TYPE_CHECKING:
    from mlx_tts.cli.console import Console
    from mlx_tts.cli.spoken import Order
    from mlx_tts.library.selection import Choice
    from mlx_tts.speech import ModelInfo

app = new_app()

EXAMPLES = """Examples:

  mlx-tts speak "Good morning." --voice ivy --play

  mlx-tts speak --file book.epub -o book.mp3 --chapters

  some-program | mlx-tts speak - --play"""

VoiceOption = Annotated[
    str | None,
    typer.Option(
        "--voice",
        metavar="NAME",
        help="A preset or a voice of yours (see `mlx-tts voices`), or a voice file.",
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
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Print what would be spoken, one piece a line, and speak nothing.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="With --dry-run: all that is known of each piece.")]
ChaptersOption = Annotated[
    bool, typer.Option("--list-chapters", help="List the text's chapters, number and title, and stop.")
]
EngineOption = Annotated[
    str,
    typer.Option(
        "--engine", metavar="mlx|coreml", help="coreml: packages made by `convert --format coreml` (experimental)."
    ),
]
ServerOption = Annotated[
    str | None,
    typer.Option(
        "--server",
        metavar="URL|auto",
        help="Let a running `mlx-tts serve` speak; auto: the one on this machine, if there is one.",
        show_default=False,
    ),
]
ClipboardOption = Annotated[bool, typer.Option("--clipboard", help="Speak what was copied to the clipboard.")]
DevicesOption = Annotated[bool, typer.Option("--list-devices", help="List the sound devices and stop.")]


@app.command(cls=SectionedCommand, epilog=EXAMPLES)
@grouped
def speak(
    *,
    text: TextArgument = None,
    voice: VoiceOption = None,
    instruct: InstructOption = None,
    model: ModelOption = None,
    engine: EngineOption = "mlx",
    server: ServerOption = None,
    clipboard: ClipboardOption = False,
    dry_run: DryRunOption = False,
    json: JsonOption = False,
    list_chapters: ChaptersOption = False,
    list_devices: DevicesOption = False,
    options: SpeakingOptions,
) -> None:
    """Speak a text.

    Without -o and --play it is played, or written to speech.wav where there is no sound device. Without --model the
    model that has the --voice is used, else the default (`mlx-tts models default`), else the 0.6B CustomVoice if it is
    on disk, else the small built-in one.

    A long text is spoken piece by piece in one voice; headings, and the parts of an EPUB (--file), are its chapters.
    What comes through a pipe and is played or piped on is spoken while it arrives.
    """
    from mlx_tts.cli.output import Destination, choose_destination
    from mlx_tts.cli.script import read_script
    from mlx_tts.cli.spoken import Order

    if list_devices:
        _print_devices()
        return
    _check(instruct, json and not dry_run, engine, server, model)
    dry_run = dry_run or list_chapters
    text = _copied(text, options) if clipboard else text
    destination = Destination() if dry_run else choose_destination(options.output, options.live)
    order = Order(destination, read_script(text, options.speech, options.text, destination.live), options)
    if list_chapters:
        for number, title in enumerate(order.script.titles, 1):
            typer.echo(f"{number}\t{title or ''}")
        return
    if not dry_run:
        order.check()
    if not dry_run and _spoken_elsewhere(server, order, voice, instruct, model):
        return
    speak_order(order, voice, instruct, model, dry_run, json, engine)


def speak_order(
    order: Order,
    voice: str | None,
    instruct: str | None,
    model: str | None,
    dry_run: bool = False,
    as_json: bool = False,
    engine: str = "mlx",
) -> None:
    """Choose and load the model, and speak; or print the plan."""
    from mlx_tts.cli.cloning import prepared_again
    from mlx_tts.cli.language_check import must_speak_language, must_speak_text
    from mlx_tts.cli.model_access import build_request, load, open_checkpoint
    from mlx_tts.cli.spoken import print_plan, speak_into
    from mlx_tts.library.catalog import voice_key
    from mlx_tts.library.voice_choice import check_with_voice, choose

    options, console = order.options, order.options.console.console
    chosen = choose(model, voice)
    choice, saved = chosen.choice, chosen.saved
    checkpoint = open_checkpoint(choice, options.fetch, console)
    info = checkpoint.info
    if voice is not None and voice_key(voice) in map(voice_key, info.voices):
        saved = None  # a preset of a model that the catalogue does not know
    asked = build_request(
        order.script.sample,
        (saved and saved.voice) or voice or _first_preset(choice, info, console),
        instruct,
        info,
        options.speech,
        options.sampling,
        options.guard,
    )
    must_speak_language(asked.language, info, choice.spec.name)
    request, prepare = check_with_voice(asked, saved, choice, checkpoint)
    plan = order.plan(checkpoint, request)
    must_speak_text(plan, info, choice.spec.name)
    if dry_run:
        print_plan(plan, as_json)
        return
    if choice.note:
        console.daily_hint(choice.note)
    if request.instruct and not (info.can.instructs or info.can.designs):
        console.say(f"{choice.spec.name} was not trained for --instruct and may not follow it: a 1.7B CustomVoice does")
    console.detail(f"model {choice.spec.name}, language {request.language}")
    loaded = load(choice.spec, checkpoint, options.fetch, console, engine)
    if prepare and saved is not None:
        plan = replace(plan, request=prepared_again(loaded, saved, request, console))
    speak_into(order, plan, loaded, choice.spec.name, console)


def _copied(text: list[str] | None, options: SpeakingOptions) -> list[str]:
    from mlx_tts.cli.clipboard import clipboard_text

    if text or options.speech.file is not None or options.speech.url is not None:
        raise RequestError("--clipboard is a text of its own: leave out the other one")
    return [clipboard_text()]


def _check(instruct: str | None, json_alone: bool, engine: str, server: str | None, model: str | None) -> None:
    from mlx_tts.cli.script import check_argument

    if engine not in ("mlx", "coreml"):
        raise RequestError(f"--engine is {engine}: use mlx or coreml")
    if engine == "coreml" and (server is not None or model is None):
        raise RequestError("--engine coreml needs --model FOLDER, made by `convert --format coreml`, and no --server")

    if json_alone:
        raise RequestError("--json goes with --dry-run")
    if instruct is not None:
        check_argument("--instruct", instruct)


def _spoken_elsewhere(
    server: str | None, order: Order, voice: str | None, instruct: str | None, model: str | None
) -> bool:
    """Whether a server spoke it; with "auto" there may be none."""
    if server is None:
        return False
    from mlx_tts.cli.remote import find_server, refuse_what_stays_here, speak_remotely
    from mlx_tts.cli.script import read_text
    from mlx_tts.library.voice_choice import is_voice_file

    options = order.options
    refuse_what_stays_here(options)
    if voice is not None and is_voice_file(voice):
        raise RequestError(
            "--voice is a file here, which the server does not have: upload it there, or leave --server out"
        )
    address = find_server(server)
    if address is None:
        options.console.console.detail("no server is running: speaking here")
        return False
    chapters = order.script.chapters
    body = {
        "input": read_text(None) if chapters is None else "\n\n".join(chapter.text for chapter in chapters),
        "model": model,
        "voice": voice,
        "instructions": instruct,
        "language": options.speech.language,
        "seed": options.speech.seed,
        "temperature": options.sampling.temperature,
    }
    speak_remotely(address, body, order.destination, options)
    return True


def _first_preset(choice: Choice, info: ModelInfo, console: Console) -> str | None:
    """The voice that the catalogue lists first, where the model has presets."""
    if not (info.can.presets and choice.spec.voices):
        return None
    console.detail(f"voice {choice.spec.voices[0]} (--voice takes another)")
    return choice.spec.voices[0]


def _print_devices() -> None:
    from mlx_tts.audio.playback.speaker import output_devices

    for number, name in output_devices():
        typer.echo(f"{number}\t{name}")
