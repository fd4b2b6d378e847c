"""`mlx-tts bench`: how fast a model speaks here, as a row to paste into an issue."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from mlx_tts.cli.commands import new_app
from mlx_tts.cli.options import ConsoleOptions, FetchOptions, ModelOption, grouped
from mlx_tts.errors import RequestError
from mlx_tts.setting import switch, whole

app = new_app()


@dataclass(frozen=True)
class BenchOptions:
    frames: int = whole(100, "Frames of 80 ms that a run speaks at most; 100 by default.", 1)
    runs: int = whole(3, "Runs after the warm-up; 3 by default.", 1)
    report: bool = switch(False, "Print a JSON report for the table of machines instead, or write it to FILE.")
    full: bool = switch(False, "Also measure a command's start, a long text and eight texts at once; takes minutes.")


@app.command()
@grouped
def bench(
    fetch: FetchOptions,
    console_options: ConsoleOptions,
    options: BenchOptions,
    model: ModelOption = None,
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="Where --report writes.")] = None,
) -> None:
    """Measure how fast a model speaks on this machine.

    Prints a table with one row: the real-time factor (below 1 is faster than speech), the time to the first sound and
    the most memory used. Please paste it into an issue, above all from a Mac that is not listed yet. --report makes
    JSON of it, which names the chip, the versions and the model, and nothing of yours.
    """
    from mlx_tts.cli.model_access import load
    from mlx_tts.files.writing import check_writable, write_output
    from mlx_tts.library import catalog

    if file is not None:
        if not options.report:
            raise RequestError(f"bench writes a file with --report only: bench --report {file}")
        check_writable(file)
    spec = catalog.find(model or "tiny")
    loaded = load(spec, None, fetch, console_options.console)
    from mlx_tts.cli import measurement as body

    runs = body.measure(loaded, options.frames, options.runs)
    if options.report:
        from mlx_tts.cli import speed_report

        found = speed_report.report(loaded, spec, runs)
        written = json.dumps(found, indent=1) + "\n"
        if file is None:
            typer.echo(written, nl=False)
        else:
            write_output(file, written.encode())
        console_options.console.say(speed_report.how_to_send(found))
    else:
        typer.echo(f"{body.HEAD}\n{body.row(spec.name, runs)}")
    if options.full:
        typer.echo("\n".join(["", body.FELT_HEAD, *body.felt(loaded, spec.name)]))
