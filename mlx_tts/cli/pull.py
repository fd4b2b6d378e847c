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
    console_options: ConsoleOptions,
) -> None:
    """Download a model."""
    from mlx_tts.cli.model_access import fetched
    from mlx_tts.library import catalog, hub
    from mlx_tts.runtime import first_start

    console = console_options.console
    spec = catalog.find(model)
    if hub.is_on_disk(spec):
        console.say(f"{spec.name} is on disk: {hub.local_folder(spec)}")
        return
    folder = fetched(spec, False, console)
    console.say(f"{spec.name} is in {folder}")
    first_start.prepare(folder, console.say)
