"""`mlx-tts voice`: a name -> a voice of the user's, listed, shown, played, renamed, removed, given away or taken in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mlx_tts.cli import voice_making
from mlx_tts.cli.commands import new_app
from mlx_tts.cli.console import Console
from mlx_tts.cli.options import (
    ConsoleOptions,
    FetchOptions,
    LiveOptions,
    ModelOption,
    OutputOptions,
    SpeakingOptions,
    complete_own_voice,
    complete_voice,
    grouped,
)
from mlx_tts.cli.voices import ListOptions, list_voices, own_facts, plain
from mlx_tts.errors import RequestError
from mlx_tts.library import catalog
from mlx_tts.shortened import shown

if TYPE_CHECKING:
    from mlx_tts.speech import Voice

app = new_app(invoke_without_command=True)
app.command("make")(grouped(voice_making.make))
app.command("design")(grouped(voice_making.design))

OwnArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="A voice of yours.", autocompletion=complete_own_voice, show_default=False)
]
VoiceArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="A voice.", autocompletion=complete_voice, show_default=False)
]
ForgetOption = Annotated[bool, typer.Option("--forget-sample", help="Leave the recording out of the file.")]


@app.callback()
def voice(ctx: typer.Context) -> None:
    """Make, list, play, share and remove voices of your own."""
    if ctx.invoked_subcommand is None:
        list_voices(None, ListOptions(offline=True))


@app.command("list")
@grouped
def list_all(*, model: ModelOption = None, options: ListOptions) -> None:
    """List the voices of all models, and your own.

    `mlx-tts voices` is the same command.
    """
    list_voices(model, options)


def _form(voice: Voice) -> str:
    """What a voice consists of."""
    if voice.prompt_latents is not None or voice.reference_codes is not None:
        return "in context, with its transcript"
    return "speaker vector" if voice.reference_latents is None else "latents of the recording"


@app.command("show")
def show(name: VoiceArgument) -> None:
    """Show details of a voice, and which models can use it."""
    from mlx_tts.library.voice_shelf import user_shelf

    preset = catalog.presets().get(catalog.voice_key(name))
    if preset is not None:
        having = [spec.name for spec in catalog.models() if spec.has_voice(preset.name)]
        facts = {**vars(preset), "models": having}
    else:
        kept = user_shelf().must_get(name)
        voice, recording = kept.saved.voice, kept.saved.recording
        facts = own_facts(kept) | {
            "form": _form(voice),
            "width": len(voice.speaker_embedding),
            "family": voice.family,
            "recording": "not kept" if recording is None else f"{recording.seconds:.1f} s",
        }
    for key, value in facts.items():
        if value not in (None, "", []):
            typer.echo(f"{key:<12} {plain(', '.join(value) if isinstance(value, list) else str(value))}")


@app.command("play")
@grouped
def play(
    *,
    name: VoiceArgument,
    text: Annotated[
        list[str] | None, typer.Argument(metavar="TEXT", help="What it is to say.", show_default=False)
    ] = None,
    model: ModelOption = None,
    output: OutputOptions,
    live: LiveOptions,
    fetch: FetchOptions,
    console: ConsoleOptions,
) -> None:
    """Play a voice: its recording, or a text in that voice."""
    from mlx_tts.cli.order import Order
    from mlx_tts.cli.output import SinkSettings, choose_destination
    from mlx_tts.cli.progress import wrote_line
    from mlx_tts.cli.script import Script
    from mlx_tts.cli.speak import speak_order
    from mlx_tts.job.settings import SpeechSettings
    from mlx_tts.library.voice_choice import find_saved
    from mlx_tts.text.cutting.pieces import Chapter
    from mlx_tts.text.languages import sample_sentences

    options = SpeakingOptions(output=output, live=live, fetch=fetch, console=console)
    preset, saved = catalog.presets().get(catalog.voice_key(name)), find_saved(name)
    if preset is None and saved is None and model is None:
        raise RequestError(f"no voice is called {shown(name, 64)}: `mlx-tts voice list` lists them")
    destination = choose_destination(options.output, options.live)
    if saved is not None and saved.recording is not None and not text and model is None:
        wanted = SinkSettings(saved.recording.sample_rate, options.live, options.console.console.say)
        sink = destination.open(wanted)
        try:
            sink.write(saved.recording.samples)
            kept = sink.finish()
        except BaseException:
            sink.abandon()
            raise
        if kept is not None:
            options.console.console.say(wrote_line(kept, saved.recording.seconds, name, destination.note))
        return
    language = preset.language if preset is not None else saved.language if saved is not None else None
    script = Script([Chapter(None, " ".join(text or []) or sample_sentences(language))])
    order = Order(destination, script, SpeechSettings(model=model, voice=name), options)
    order.check()
    speak_order(order)


@app.command("rename")
def rename(
    name: OwnArgument, other: Annotated[str, typer.Argument(metavar="NEW", help="Its new name.", show_default=False)]
) -> None:
    """Give a voice another name."""
    from mlx_tts.library.voice_shelf import user_shelf

    typer.echo(f"{plain(name)} is now {user_shelf().rename(name, other).name}")


@app.command("rm")
@app.command("remove", hidden=True)
@app.command("delete", hidden=True)
def remove(
    name: OwnArgument,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Remove without asking.")] = False,
) -> None:
    """Remove a voice of yours."""
    from mlx_tts.library.voice_shelf import user_shelf

    shelf = user_shelf()
    path = shelf.must_get_file(name)
    if not yes:
        Console().must_agree(f"Remove {path}?")
    shelf.remove(name)
    typer.echo(f"removed {path}")


@app.command("export")
def export(
    name: OwnArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The .safetensors file to write.", show_default=False)],
    forget_sample: ForgetOption = False,
    no_clobber: Annotated[bool, typer.Option("--no-clobber", help="Refuse to replace a file that exists.")] = False,
) -> None:
    """Write a voice to a file, to keep or to give away."""
    from mlx_tts.files.writing import check_writable
    from mlx_tts.library.voice_shelf import user_shelf
    from mlx_tts.library.voice_store import SUFFIX, write_voice

    if file.suffix != SUFFIX:
        raise RequestError(f"{file} is not a name for a voice file: they end in {SUFFIX}")
    check_writable(file)
    if no_clobber and file.exists():
        raise RequestError(f"{file} exists: choose another name, or leave out --no-clobber")
    saved = user_shelf().must_get(name).saved
    write_voice(replace(saved, recording=None, style_recordings={}) if forget_sample else saved, file)
    typer.echo(f"wrote {file}{' (with its recording)' if saved.recording and not forget_sample else ''}")


@app.command("import")
def import_file(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A .safetensors file.", show_default=False)],
    name: Annotated[
        str | None,
        typer.Option(
            "--name", metavar="NAME", help="What to call it; by default the name of the file.", show_default=False
        ),
    ] = None,
    forget_sample: ForgetOption = False,
) -> None:
    """Add a voice file to your own voices."""
    from mlx_tts.library.voice_shelf import user_shelf
    from mlx_tts.library.voice_store import load_voice

    saved = load_voice(file)
    kept = user_shelf().add(
        name or file.stem, replace(saved, recording=None, style_recordings={}) if forget_sample else saved
    )
    typer.echo(f"kept the voice {kept.name}")
