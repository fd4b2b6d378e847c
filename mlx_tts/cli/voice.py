"""`mlx-tts voice`: a name -> a voice of the user's, listed, shown, played, renamed, removed, given away or taken in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mlx_tts.cli import voice_making
from mlx_tts.cli.commands import SectionedCommand, new_app
from mlx_tts.cli.console import Console
from mlx_tts.cli.options import (
    ConsoleOptions,
    FetchOptions,
    LiveOptions,
    ModelOption,
    OfflineOption,
    OutputOptions,
    SpeakingOptions,
    complete_own_voice,
    complete_voice,
    grouped,
)
from mlx_tts.cli.voices import DetailsOption, JsonOption, list_voices, own_facts, shown
from mlx_tts.errors import RequestError

if TYPE_CHECKING:
    from mlx_tts.speech import Voice

app = new_app(invoke_without_command=True)
app.command("make", cls=SectionedCommand)(grouped(voice_making.make))
app.command("design", cls=SectionedCommand)(grouped(voice_making.design))

OwnArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="A voice of yours.", autocompletion=complete_own_voice, show_default=False)
]
ForgetOption = Annotated[
    bool, typer.Option("--forget-sample", help="Leave the recording out: the file cannot be heard, only spoken with.")
]


@app.callback()
def voice(ctx: typer.Context) -> None:
    """Make, list, hear, share and remove voices by name."""
    if ctx.invoked_subcommand is None:
        list_voices(None, False, False, True)


@app.command("list")
def list_all(
    model: ModelOption = None, details: DetailsOption = False, json: JsonOption = False, offline: OfflineOption = False
) -> None:
    """List the preset voices, of all models or of one, and your own voices (the same as `mlx-tts voices`)."""
    list_voices(model, details, json, offline)


def _form(voice: Voice) -> str:
    """What a voice consists of."""
    if voice.prompt_latents is not None or voice.reference_codes is not None:
        return "in context, with its transcript"
    return "speaker vector" if voice.reference_latents is None else "latents of the recording"


@app.command("show")
def show(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A voice.", autocompletion=complete_voice, show_default=False)
    ],
) -> None:
    """Say what is known of a voice, and which models can use it."""
    from mlx_tts.library import catalog
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
            typer.echo(f"{key:<12} {shown(', '.join(value) if isinstance(value, list) else str(value))}")


@app.command("play", cls=SectionedCommand)
@grouped
def play(
    *,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A voice.", autocompletion=complete_voice, show_default=False)
    ],
    text: Annotated[
        list[str] | None, typer.Argument(metavar="TEXT", help="What it is to say.", show_default=False)
    ] = None,
    model: ModelOption = None,
    output: OutputOptions,
    live: LiveOptions,
    fetch: FetchOptions,
    console: ConsoleOptions,
) -> None:
    """Let a voice be heard: its recording, or, with a text or without a recording, its model."""
    from mlx_tts.cli.voice_playing import play_voice

    play_voice(
        name,
        " ".join(text) if text else None,
        model,
        SpeakingOptions(output=output, live=live, fetch=fetch, console=console),
    )


@app.command("rename")
def rename(
    name: OwnArgument, other: Annotated[str, typer.Argument(metavar="NEW", help="Its new name.", show_default=False)]
) -> None:
    """Give a voice another name."""
    from mlx_tts.library.voice_shelf import user_shelf

    typer.echo(f"{shown(name)} is now {user_shelf().rename(name, other).name}")


@app.command("rm")
def remove(
    name: OwnArgument,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Remove without asking.")] = False,
) -> None:
    """Remove a voice of yours."""
    from mlx_tts.library.voice_shelf import user_shelf

    shelf = user_shelf()
    path = shelf.must_get_file(name)
    if yes or Console().agrees(f"Remove {path}?"):
        shelf.remove(name)
        typer.echo(f"removed {path}")


@app.command("export")
def export(
    name: OwnArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A .safetensors file.", show_default=False)],
    forget_sample: ForgetOption = False,
    no_clobber: Annotated[bool, typer.Option("--no-clobber", help="Refuse to replace a file that exists.")] = False,
) -> None:
    """Write a voice to a file, to keep or to give away."""
    from dataclasses import replace

    from mlx_tts.cli.output import check_file
    from mlx_tts.library.voice_shelf import user_shelf
    from mlx_tts.library.voice_store import SUFFIX, write_voice

    if file.suffix != SUFFIX:
        raise RequestError(f"{file} is no name for a voice file: they end in {SUFFIX}")
    check_file(file, audio=False)
    if no_clobber and file.exists():
        raise RequestError(f"{file} exists: choose another name, or leave out --no-clobber")
    saved = user_shelf().must_get(name).saved
    write_voice(replace(saved, recording=None) if forget_sample else saved, file)
    typer.echo(f"wrote {file}{' (with its recording)' if saved.recording and not forget_sample else ''}")


@app.command("import")
def import_file(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A .safetensors file.", show_default=False)],
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="What to call it; by default as the file.", show_default=False),
    ] = None,
    forget_sample: ForgetOption = False,
) -> None:
    """Take in a voice file, checked, under a name."""
    from dataclasses import replace

    from mlx_tts.library.voice_shelf import user_shelf
    from mlx_tts.library.voice_store import load_voice

    saved = load_voice(file)
    kept = user_shelf().add(name or file.stem, replace(saved, recording=None) if forget_sample else saved)
    typer.echo(f"kept the voice {kept.name}")
