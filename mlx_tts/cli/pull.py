"""`mlx-tts pull`: a model's name -> the model on disk."""

from __future__ import annotations

from typing import Annotated

import typer

from mlx_tts.cli.commands import new_app
from mlx_tts.cli.options import ConsoleOptions, complete_model, grouped

app = new_app()


@app.command()
@grouped
def pull(
    *,
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL", help="An alias (see `mlx-tts models`) or owner/name.", autocompletion=complete_model
        ),
    ],
    verify: Annotated[
        bool,
        typer.Option(
            "--verify",
            help="Compare the files on disk with their known SHA-256.",
        ),
    ] = False,
    console_options: ConsoleOptions,
) -> None:
    """Download a model."""
    from mlx_tts.cli.model_access import fetched
    from mlx_tts.library import catalog, hub, pins
    from mlx_tts.runtime import first_start

    console = console_options.console
    spec = catalog.find(model)
    if hub.is_on_disk(spec):
        on_disk = hub.local_folder(spec)
        console.say(f"{spec.name} is on disk: {on_disk}")
        if verify and on_disk is not None:
            console.say(pins.verify(spec, on_disk))
        return
    folder = fetched(spec, False, console)
    console.say(f"{spec.name} is in {folder}")
    if verify:
        console.say(pins.verify(spec, folder))
    first_start.prepare(folder, console.say)
