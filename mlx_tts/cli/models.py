"""`mlx-tts models`: what there is and what is on disk; `mlx-tts models default`: the one that `speak` takes."""

from __future__ import annotations

from typing import Annotated

import typer

from mlx_tts.cli.commands import new_app
from mlx_tts.cli.options import complete_model

app = new_app(invoke_without_command=True)

KINDS = {"custom_voice": "preset voices", "base": "clones", "voice_design": "described voices"}


@app.callback()
def models(ctx: typer.Context) -> None:
    """List the models, with their size and whether they are on disk."""
    if ctx.invoked_subcommand is not None:
        return
    from mlx_tts.library import catalog, hub, selection

    default = selection.configured_default()
    rows = [("ALIAS", "WHAT", "SIZE", "BITS", "DOWNLOAD", "LICENCE", "")]
    for spec in catalog.models():
        state = "on disk" if hub.is_on_disk(spec) else "partly on disk" if hub.local_folder(spec) else ""
        if spec.name == default:
            state = f"{state}, default" if state else "default"
        rows.append(
            (
                spec.name,
                KINDS[spec.kind or ""],
                spec.size or "",
                (spec.quantisation or "").removesuffix("bit"),
                "built in" if spec.folder else spec.download_size,
                spec.licence or "",
                state,
            )
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


@app.command("default")
def set_default(
    alias: Annotated[
        str | None,
        typer.Argument(
            metavar="ALIAS", help="The model to use from now on.", autocompletion=complete_model, show_default=False
        ),
    ] = None,
    unset: Annotated[bool, typer.Option("--unset", help="Forget the default.")] = False,
) -> None:
    """Set or show the model that `speak` takes.

    It is used when neither --model nor --voice decides. Without ALIAS the present one is shown.
    """
    from mlx_tts.library import catalog, selection

    if unset:
        selection.set_default(None)
        typer.echo("no default model now")
    elif alias is None:
        typer.echo(selection.configured_default() or "no default model")
    else:
        name = catalog.find(alias).lasting_name
        selection.set_default(name)
        typer.echo(f"default model: {name}")
