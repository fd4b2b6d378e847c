"""`mlx-tts convert`: an official checkpoint -> a smaller or quantised one that this tool and mlx-audio load."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from mlx_tts.cli.commands import new_app
from mlx_tts.cli.options import ConsoleOptions, FetchOptions, complete_model, grouped
from mlx_tts.errors import RequestError
from mlx_tts.models.convert_options import ConversionWork, ConvertOptions

if TYPE_CHECKING:
    from mlx_tts.cli.console import Console

app = new_app()


@app.command()
@grouped
def convert(
    *,
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="An official checkpoint: a folder, an alias or owner/name.",
            autocompletion=complete_model,
        ),
    ],
    destination: Annotated[Path, typer.Argument(metavar="DEST", help="The folder to make.")],
    options: ConvertOptions,
    fetch: FetchOptions,
    console_options: ConsoleOptions,
) -> None:
    """Convert or quantise a model.

    The result is a folder that --model takes. The talker and the code predictor are quantised or cast. The codec keeps
    its precision unless an option of its own changes it. --format coreml makes a folder for `speak --engine coreml`.

    With --bits 4 the model speaks sentences of its own and measures which of its layers need 6 or 8 bits, unless
    --recipe uniform says that all have 4. The table is in the README.md of the folder. Tables and codec of a Qwen3-TTS
    model get small then as well, unless --for-mlx-audio is given.
    """
    _check_destination(destination)

    from mlx_tts.cli.model_access import fetched, must_agree_to_fetch
    from mlx_tts.library import catalog
    from mlx_tts.models import families
    from mlx_tts.runtime import mlx_thread

    console = console_options.console
    spec = catalog.find(source)
    must_agree_to_fetch(spec, fetch, console)
    folder = fetched(spec, fetch.offline, console)

    found: str | None = None
    with (
        families.unpacked(folder, console.detail) as plain,
        _telling(f"converting {spec.name}", console) as work,
        _stopped_by_ctrl_c(work),
    ):
        checkpoint = families.open_checkpoint(plain)
        if options.format == "coreml":
            convert_to = families.coreml_form(checkpoint.info.family).convert
            _print_table(mlx_thread.run(convert_to, checkpoint, destination, options, work))
        else:
            found = mlx_thread.run(families.convert, checkpoint, destination, options, work)
    if found is not None:
        console.say(found)
    console.say(f"wrote {destination}")


@contextlib.contextmanager
def _telling(what: str, console: Console) -> Iterator[ConversionWork]:
    """Work whose step and time left are shown while it lasts; the time since it began while nothing else is known."""
    from mlx_tts.cli.progress import time_left_line

    began, steps = time.monotonic(), [what]

    def step(line: str) -> None:
        steps.append(line)
        console.detail(line)

    def line() -> tuple[str, float | None] | None:
        seconds = time.monotonic() - began
        if seconds < 1:
            return None
        left, share = work.left
        # The time comes first: what does not fit a terminal's width is cut off at the end. Tenths move.
        if left is None:
            return f"{seconds:.1f} s: {steps[-1]}", None
        return f"{time_left_line(left)}: {steps[-1]}", share

    work = ConversionWork(step)
    with console.moving(line):
        yield work


@contextlib.contextmanager
def _stopped_by_ctrl_c(work: ConversionWork) -> Iterator[None]:
    """While it lasts Ctrl-C first stops what may be stopped, and ends the command where nothing may."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    before = signal.getsignal(signal.SIGINT)

    def stop(number: int, frame: FrameType | None) -> None:
        if not work.stop() and callable(before):
            before(number, frame)

    if before is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _check_destination(destination: Path) -> None:
    if destination.exists() and (not destination.is_dir() or any(destination.iterdir())):
        raise RequestError(f"{destination} exists and is not empty: choose another folder")
    if destination.resolve() == Path.cwd():
        raise RequestError("DEST is the folder that you are in: give the name of a new one")
    parent = destination.absolute().parent
    if not parent.is_dir():
        raise RequestError(f"no folder {parent}: make it first")
    if not os.access(parent, os.W_OK):
        raise RequestError(f"the folder {parent} is read-only: choose another")


def _print_table(rows: list[list[str]]) -> None:
    """What the check found of each package: differences from MLX over the largest value, in two arithmetics."""
    for row in rows:
        typer.echo(f"{row[0]:<18}" + "".join(f"{cell:>10}" for cell in row[1:]))
