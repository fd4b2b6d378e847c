"""`mlx-tts batch`: a list of lines -> a folder of files, each made once, with a table and a page about them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mlx_tts.cli.batch_options import FileOptions, LineOptions, TakesOptions, WorkOptions
from mlx_tts.cli.commands import SectionedCommand, new_app
from mlx_tts.cli.options import (
    ConsoleOptions,
    FetchOptions,
    ModelOption,
    SamplingOptions,
    grouped,
)
from mlx_tts.errors import MlxTtsError, RequestError

if TYPE_CHECKING:
    from mlx_tts.batch.run import How
    from mlx_tts.batch.settings import BatchSettings

app = new_app()

EXAMPLES = """Examples:

  mlx-tts batch lines.csv -o out/

  mlx-tts batch lines.jsonl -o out/ --format flac --rate 16000 --manifest nemo

  mlx-tts batch lines.jsonl -o /shared/out --shard auto"""


SourceArgument = Annotated[str, typer.Argument(metavar="FILE", help="JSONL, CSV or Parquet; - is standard input.")]
FolderOption = Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where the files go.")]


@app.command(cls=SectionedCommand, epilog=EXAMPLES)
@grouped
def batch(
    *,
    source: SourceArgument,
    output: FolderOption,
    model: ModelOption = None,
    files: FileOptions,
    lines: LineOptions,
    sampling: SamplingOptions,
    guard: TakesOptions,
    work: WorkOptions,
    fetch: FetchOptions,
    console: ConsoleOptions,
) -> None:
    """Speak every line of a file into a folder, each exactly once.

    A line has an id and a text, and if you like voice, language, instruct, speed, seed, file and model. The same
    command again makes only what is missing. Bad lines are named and left out; the exit code is then 1.
    """
    from mlx_tts.batch.run import carry_out, prepare
    from mlx_tts.cli.batch_telling import Telling, print_dry_run
    from mlx_tts.files.paths import user_path

    settings, how = _settings(model, files, lines, sampling, guard, work), _how(files, work, fetch)
    run = prepare(source, user_path(str(output)), settings, how)
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


def _settings(
    model: str | None,
    files: FileOptions,
    lines: LineOptions,
    sampling: SamplingOptions,
    guard: TakesOptions,
    work: WorkOptions,
) -> BatchSettings:
    from mlx_tts.audio.recogniser import RECOGNISER
    from mlx_tts.batch.settings import BatchSettings
    from mlx_tts.cli.sound_options import SoundOptions
    from mlx_tts.speech import Sampling

    target = SoundOptions(loudness=files.loudness).target
    settings = BatchSettings(
        model=model,
        voice=lines.voice,
        language=lines.language,
        instruct=lines.instruct,
        seed=int(lines.seed),
        speed=lines.speed,
        format=files.format.lower().removeprefix("."),
        rate=None if files.rate is None else int(files.rate * 1000 if files.rate <= 48 else files.rate),
        loudness="off" if files.loudness == "off" else target,
        normalise=lines.normalise,
        markup=not lines.no_markup,
        sampling=Sampling(**vars(sampling)),
        guard=not guard.no_guard,
        retries=int(guard.retries),
        hash_folders=files.hash_folders,
        verify=(work.verify_model or RECOGNISER) if work.verify else None,
    )
    return replace(settings, lexicon=_lexicon(lines))


def _lexicon(lines: LineOptions) -> Any:
    """The one that is named, else the user's own, as `speak` takes it."""
    from mlx_tts.runtime.folders import config_folder
    from mlx_tts.text.normalise.lexicon import read_lexicon

    own = config_folder() / "lexicon.toml"
    if lines.lexicon is not None:
        return read_lexicon(lines.lexicon)
    return read_lexicon(own) if lines.normalise != "off" and own.is_file() else None


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
