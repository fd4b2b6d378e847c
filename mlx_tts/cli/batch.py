"""`mlx-tts batch`: a list of lines -> a folder of files, each made once, with a table and a page about them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mlx_tts.batch.settings import ALL, BatchSettings, How
from mlx_tts.cli.commands import new_app
from mlx_tts.cli.options import ConsoleOptions, FetchOptions, VerifyOptions, Without, grouped
from mlx_tts.errors import DownloadError, MlxTtsError, RequestError

if TYPE_CHECKING:
    from mlx_tts.library.catalog import ModelSpec

app = new_app()

EXAMPLES = """\b
Examples:
  mlx-tts batch lines.csv -o out/
  mlx-tts batch lines.jsonl -o out/ --format flac --rate 16000 --manifest nemo
  mlx-tts batch lines.jsonl -o /shared/out --shard auto"""


SourceArgument = Annotated[str, typer.Argument(metavar="FILE", help="JSONL, CSV or Parquet; - is standard input.")]
FolderOption = Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="The folder for the audio files.")]


@app.command(epilog=EXAMPLES)
@grouped
def batch(
    *,
    source: SourceArgument,
    output: FolderOption,
    settings: Annotated[BatchSettings, Without("verify")],
    verify: VerifyOptions,
    how: How,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what there is to do, and do nothing.")] = False,
    fetch: FetchOptions,
    console: ConsoleOptions,
) -> None:
    """Turn each row of a CSV or JSONL file into an audio file.

    A row has an id and a text; it may have a voice, language, speed, seed, file, model and other settings of its own.
    The same command again makes only what is missing. Rows with faults are named and left out; the exit code is then 1.
    """
    from mlx_tts.batch.plan import StoppedError
    from mlx_tts.batch.run import carry_out, prepare
    from mlx_tts.cli.batch_telling import Telling, print_dry_run
    from mlx_tts.cli.model_access import must_agree_to_fetch
    from mlx_tts.files.reading import user_path
    from mlx_tts.library import catalog

    settings = replace(settings, verify=verify.recogniser).with_own_lexicon()
    how = replace(how, offline=fetch.offline, fetch_unnamed=fetch.yes)
    if how.ray is not None and how.shard != ALL:
        raise RequestError("--ray and --shard divide the work in two ways: give one of them")

    def must_agree(spec: ModelSpec) -> None:
        """Of the run's model and of each model that a row names."""
        try:
            must_agree_to_fetch(spec, fetch, console.console)
        except DownloadError as error:
            raise StoppedError(str(error)) from None

    if settings.model is not None:
        must_agree(catalog.find(settings.model))
    run = prepare(source, user_path(str(output)), settings, how, must_agree)
    if dry_run:
        print_dry_run(run)
        return
    telling = Telling(run, console.console)
    try:
        with telling.moving():
            outcome = carry_out(run, telling.say, telling.progress)
    except KeyboardInterrupt:
        telling.interrupted()
        raise
    telling.sum_up(outcome)
    if not outcome.is_complete:
        count = outcome.failed + len(outcome.refused)
        what = "line was" if count == 1 else "lines were"
        raise MlxTtsError(f"{count:,} {what} not spoken: {outcome.folder}/results.jsonl says why")
