"""`mlx-tts convert`: an official checkpoint -> a smaller or quantised one that this tool and mlx-audio load."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from mlx_tts.cli.commands import new_app
from mlx_tts.cli.options import ConsoleOptions, OfflineOption, complete_model, grouped
from mlx_tts.errors import RequestError
from mlx_tts.models.convert_options import CODEC_DTYPES, DTYPES, FORMATS, MODES, NORMS, ConvertOptions

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
    bits: Annotated[
        int | None, typer.Option("--bits", metavar="4|6|8", help="Quantise to so many bits.", show_default=False)
    ] = None,
    group_size: Annotated[
        int | None,
        typer.Option(
            "--group-size", metavar="16|32|64|128", help="Weights that share a scale (affine: 64).", show_default=False
        ),
    ] = None,
    mode: Annotated[str, typer.Option("--mode", metavar="|".join(MODES), help="How weights are quantised.")] = "affine",
    dtype: Annotated[
        str, typer.Option("--dtype", metavar="|".join(DTYPES), help="Of all that is not quantised.")
    ] = "bfloat16",
    codec_dtype: Annotated[
        str,
        typer.Option("--codec-dtype", metavar="|".join(CODEC_DTYPES), help="Of the codec; half the size in float16."),
    ] = "float32",
    text_embedding_bits: Annotated[
        int | None,
        typer.Option("--text-embedding-bits", metavar="4|6|8", help="Quantise the text table too.", show_default=False),
    ] = None,
    table_bits: Annotated[
        int | None,
        typer.Option("--table-bits", metavar="4|6|8", help="Quantise the tables of codes too.", show_default=False),
    ] = None,
    codec_bits: Annotated[
        int | None,
        typer.Option("--codec-bits", metavar="8", help="Quantise the codec, too.", show_default=False),
    ] = None,
    drop_encoder: Annotated[
        bool,
        typer.Option(
            "--drop-encoder", help="Leave out the codec's encoder; a clone is by the speaker vector alone then."
        ),
    ] = False,
    target: Annotated[
        str,
        typer.Option("--format", metavar="|".join(FORMATS), help="coreml: packages for the Neural Engine."),
    ] = "mlx",
    context: Annotated[
        int, typer.Option("--context", metavar="POSITIONS", help="With coreml: of prompt and speech together.")
    ] = 512,
    norm: Annotated[
        str, typer.Option("--norm", metavar="|".join(NORMS), help="With coreml: the form of the norms in float16.")
    ] = "layer",
    offline: OfflineOption = False,
    console_options: ConsoleOptions,
) -> None:
    """Convert an official checkpoint.

    The talker and the code predictor are quantised or cast; the codec keeps its precision, if no option of
    its own says otherwise. The result is a folder that --model takes. With --format coreml it is one for
    `speak --engine coreml`, of 16 bits or, with --bits 8, of 8 bits in the layers of both.
    """
    options = ConvertOptions(
        format=target,
        bits=bits,
        group_size=group_size,
        mode=mode,
        dtype=dtype,
        text_embedding_bits=text_embedding_bits,
        table_bits=table_bits,
        codec_dtype=codec_dtype,
        codec_bits=codec_bits,
        drop_encoder=drop_encoder,
        context=context,
        norm=norm,
    )
    _check_destination(destination)

    from mlx_tts.library import catalog, hub
    from mlx_tts.models import families
    from mlx_tts.runtime import mlx_thread

    console = console_options.console
    spec = catalog.find(source)
    folder = hub.fetch(spec, offline=offline, log=console.say, progress=console.shows_progress)

    with families.unpacked(folder, console.detail) as plain:
        checkpoint = families.open_checkpoint(plain)
        if target == "coreml":
            convert_to = families.coreml_form(checkpoint.info.family).convert
            _print_table(mlx_thread.run(convert_to, checkpoint, destination, options, console.detail))
        else:
            mlx_thread.run(families.convert, checkpoint, destination, options, console.detail)
    console.say(f"wrote {destination}")


def _check_destination(destination: Path) -> None:
    if destination.exists() and (not destination.is_dir() or any(destination.iterdir())):
        raise RequestError(f"{destination} exists and is not empty: choose another folder")
    if destination.resolve() == Path.cwd():
        raise RequestError("the folder to make is the one you stand in: give the name of a new one")
    parent = destination.absolute().parent
    if not parent.is_dir():
        raise RequestError(f"no folder {parent}: make it first")
    if not os.access(parent, os.W_OK):
        raise RequestError(f"the folder {parent} is read-only: choose another")


def _print_table(rows: list[list[str]]) -> None:
    """What the check found of each package: differences from MLX over the largest value, in two arithmetics."""
    for row in rows:
        typer.echo(f"{row[0]:<18}" + "".join(f"{cell:>10}" for cell in row[1:]))
