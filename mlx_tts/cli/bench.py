"""`mlx-tts bench`: how fast a model speaks here, as a row to paste into an issue."""

from __future__ import annotations

from typing import Annotated

import typer

from mlx_tts.cli.commands import new_app
from mlx_tts.cli.options import ConsoleOptions, FetchOptions, ModelOption, grouped

app = new_app()


def _some(value: int) -> int:
    if value < 1:
        raise typer.BadParameter(f"{value} is out of range: give 1 or more")
    return value


@app.command()
@grouped
def bench(
    fetch: FetchOptions,
    console_options: ConsoleOptions,
    model: ModelOption = None,
    frames: Annotated[
        int, typer.Option(metavar="NUMBER", callback=_some, help="Frames of 80 ms that a run speaks at most.")
    ] = 100,
    runs: Annotated[int, typer.Option(metavar="NUMBER", callback=_some, help="Runs after the warm-up.")] = 3,
    full: Annotated[
        bool,
        typer.Option("--full", help="Also the start of a command, a long text and eight texts at once: some minutes."),
    ] = False,
) -> None:
    """Measure how fast a model speaks on this machine.

    Prints a table of one row: real-time factor (below 1 is faster than speech), first sound, peak memory. Please paste
    it into an issue, above all from a Mac that is not listed yet.
    """
    from mlx_tts.cli.model_access import load
    from mlx_tts.library import catalog

    spec = catalog.find(model or "tiny")
    loaded = load(spec, None, fetch, console_options.console)
    from mlx_tts.cli import measurement as body

    typer.echo(f"{body.HEAD}\n{body.row(spec.name, body.measure(loaded, frames, runs))}")
    if full:
        typer.echo("\n".join(["", body.FELT_HEAD, *body.felt(loaded, spec.name)]))
