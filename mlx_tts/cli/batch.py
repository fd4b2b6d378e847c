"""`mlx-tts batch`: a list of lines -> a folder of files, each made once, with a table and a page about them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mlx_tts.batch.settings import BatchSettings
from mlx_tts.cli.commands import SectionedCommand, new_app
from mlx_tts.cli.number_option import number_option
from mlx_tts.cli.options import ConsoleOptions, FetchOptions, VerifyOptions, Without, grouped
from mlx_tts.errors import MlxTtsError, RequestError

if TYPE_CHECKING:
    from mlx_tts.batch.run import How

app = new_app()

EXAMPLES = """Examples:

  mlx-tts batch lines.csv -o out/

  mlx-tts batch lines.jsonl -o out/ --format flac --rate 16000 --manifest nemo

  mlx-tts batch lines.jsonl -o /shared/out --shard auto"""


@dataclass(frozen=True)
class FileOptions:
    """What is written besides the sound."""

    manifest: Annotated[
        str | None,
        typer.Option(
            "--manifest",
            metavar="KIND",
            help="Also write what trainers read: ljspeech, nemo or audiofolder.",
            show_default=False,
        ),
    ] = None
    parquet: Annotated[bool, typer.Option("--parquet", help="Write the results as a Parquet table too.")] = False


@dataclass(frozen=True)
class WorkOptions:
    """How the work is done."""

    rows: Annotated[
        int | None, number_option("--rows", "Lines made side by side; by default from the memory.", 1, 256)
    ] = None
    shard: Annotated[
        str | None,
        typer.Option(
            "--shard", metavar="K/N|auto", help="Make one of N shares; auto: that of a job array.", show_default=False
        ),
    ] = None
    ray: Annotated[
        str | None,
        typer.Option("--ray", metavar="ADDRESS", help="Let a running Ray cluster do the work.", show_default=False),
    ] = None
    strict: Annotated[bool, typer.Option("--strict", help="Begin nothing if any line is bad.")] = False
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what there is to do, and do nothing.")] = False


SourceArgument = Annotated[str, typer.Argument(metavar="FILE", help="JSONL, CSV or Parquet; - is standard input.")]
FolderOption = Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where the files go.")]


@app.command(cls=SectionedCommand, epilog=EXAMPLES)
@grouped
def batch(
    *,
    source: SourceArgument,
    output: FolderOption,
    settings: Annotated[BatchSettings, Without("verify")],
    verify: VerifyOptions,
    files: FileOptions,
    work: WorkOptions,
    fetch: FetchOptions,
    console: ConsoleOptions,
) -> None:
    """Speak every line of a file into a folder, each exactly once.

    A line has an id and a text, and if you like voice, language, instruct, speed, seed, file, model and other settings.
    The same command again makes only what is missing. Bad lines are named and left out; the exit code is then 1.
    """
    from mlx_tts.batch.run import carry_out, prepare
    from mlx_tts.cli.batch_telling import Telling, print_dry_run
    from mlx_tts.files.paths import user_path

    settings = replace(settings, verify=verify.recogniser).with_own_lexicon()
    run = prepare(source, user_path(str(output)), settings, _how(files, work, fetch))
    if work.dry_run:
        print_dry_run(run)
        return
    telling = Telling(run, console.console)
    try:
        outcome = carry_out(run, telling.say, telling.progress)
    except KeyboardInterrupt:
        telling.interrupted()
        raise
    telling.sum_up(outcome)
    if not outcome.is_complete:
        count = outcome.failed + len(outcome.refused)
        what = "line was" if count == 1 else "lines were"
        raise MlxTtsError(f"{count:,} {what} not spoken: {outcome.folder}/results.jsonl says why")


def _how(files: FileOptions, work: WorkOptions, fetch: FetchOptions) -> How:
    from mlx_tts.batch.outputs import Outputs
    from mlx_tts.batch.run import How
    from mlx_tts.batch.shards import read_shard

    if work.ray is not None and work.shard is not None:
        raise RequestError("--ray and --shard divide the work in two ways: give one of them")
    return How(
        rows=None if work.rows is None else int(work.rows),
        shard=read_shard(work.shard),
        strict=work.strict,
        offline=fetch.offline,
        fetch_unnamed=fetch.yes,
        ray=work.ray,
        outputs=Outputs(parquet=files.parquet, manifest=files.manifest),
    )
