"""`mlx-tts bench`: how fast a model speaks here, as a row to paste into an issue."""

from __future__ import annotations

from dataclasses import dataclass

import typer

from mlx_tts.cli.commands import new_app
from mlx_tts.cli.options import ConsoleOptions, FetchOptions, ModelOption, grouped
from mlx_tts.setting import switch, whole

app = new_app()


@dataclass(frozen=True)
class BenchOptions:
    frames: int = whole(100, "Frames of 80 ms that a run speaks at most; 100 by default.", 1)
    runs: int = whole(3, "Runs after the warm-up; 3 by default.", 1)
    full: bool = switch(False, "Also the start of a command, a long text and eight texts at once: some minutes.")


@app.command()
@grouped
def bench(
    fetch: FetchOptions,
    console_options: ConsoleOptions,
    options: BenchOptions,
    model: ModelOption = None,
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

    typer.echo(f"{body.HEAD}\n{body.row(spec.name, body.measure(loaded, options.frames, options.runs))}")
    if options.full:
        typer.echo("\n".join(["", body.FELT_HEAD, *body.felt(loaded, spec.name)]))
