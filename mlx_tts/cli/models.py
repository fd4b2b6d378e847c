"""`mlx-tts models`: what there is, where it is, and the one that `speak` takes without being told."""

from __future__ import annotations

import json as json_text
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mlx_tts.cli.commands import new_app
from mlx_tts.cli.console import Console
from mlx_tts.cli.options import complete_model
from mlx_tts.errors import MlxTtsError, RequestError

if TYPE_CHECKING:
    from mlx_tts.library.catalog import ModelSpec

app = new_app(invoke_without_command=True)

KINDS = {  # what a kind of model is for, in words that need no knowledge of its family
    "custom_voice": "preset voices",
    "baked speakers": "preset voices",
    "base": "clones",
    "continued voices": "clones",
    "voice_design": "described voices",
    "designed and cloned voices": "clones, described",
}
# Which columns the table has: the first of these that fits the terminal. Memory, which follows from the download,
# goes first.
KEPT = ((0, 1, 2, 3, 4, 5), (0, 1, 2, 4, 5), (0, 1, 2, 5), (0, 2, 5))
GAP = "  "

AliasArgument = Annotated[
    str, typer.Argument(metavar="ALIAS", help="The model's alias.", autocompletion=complete_model, show_default=False)
]


JsonOption = Annotated[bool, typer.Option("--json", help="Print all details as JSON, for programs.")]


@app.callback()
def models(ctx: typer.Context, json: JsonOption = False) -> None:
    """List the models, their sizes and which are on disk."""
    if ctx.invoked_subcommand is None:
        list_models(json)


@app.command("list", hidden=True)
def list_models(json: JsonOption = False) -> None:
    """List the models, their sizes and which are on disk."""
    from mlx_tts.library import catalog, selection

    default = selection.configured_default()
    if json:
        typer.echo(json_text.dumps([_facts(spec, default) for spec in catalog.models()], indent=1))
        return
    rows = [("ALIAS", "WHAT", "DOWNLOAD", "MEMORY", "LANGUAGES", "")]
    # What is in the box comes first; the rest keeps the order of models.toml.
    rows.extend(_row(spec, default) for spec in sorted(catalog.models(), key=lambda spec: spec.folder is None))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    room = shutil.get_terminal_size((100, 24)).columns
    fitting = (some for some in KEPT if len(GAP.join("x" * widths[column] for column in some)) <= room)
    kept = next(fitting, KEPT[-1])
    for row in rows:
        typer.echo(GAP.join(row[column].ljust(widths[column]) for column in kept).rstrip())
    typer.echo("\nStart here: tiny speaks at once; `mlx-tts pull 0.6b-custom-8bit` is the best one for most machines.")
    typer.echo("`mlx-tts models show ALIAS` says more of one.")


def _row(spec: ModelSpec, default: str | None) -> tuple[str, str, str, str, str, str]:
    marks = [_state(spec), "default" if spec.name == default else "", *_words(spec)]
    return (
        spec.name,
        KINDS.get(spec.kind or "", spec.kind or ""),
        "built in" if spec.folder else spec.download_size,
        _memory(spec),
        str(len(spec.languages)) if len(spec.languages) > 1 else "".join(spec.languages),
        ", ".join(filter(None, marks)),
    )


def _words(spec: ModelSpec) -> list[str]:
    return [word for word in ("recommended", "experimental") if getattr(spec, word)]


def _memory(spec: ModelSpec) -> str:
    """About what the loaded model takes while it speaks: its weights, and what the work needs."""
    from mlx_tts.library.catalog import format_bytes

    return "" if spec.size_bytes is None else format_bytes(spec.size_bytes + spec.work_bytes)


def _state(spec: ModelSpec) -> str:
    from mlx_tts.library import hub

    return "on disk" if hub.is_on_disk(spec) else "partly on disk" if hub.local_folder(spec) else ""


def _facts(spec: ModelSpec, default: str | None) -> dict[str, Any]:
    return {
        "alias": spec.name,
        "repository": spec.repository,
        "revision": None if spec.folder else spec.revision,
        "family": spec.family,
        "kind": spec.kind,
        "size": spec.size,
        "quantisation": spec.quantisation,
        "download_bytes": spec.size_bytes,
        "languages": list(spec.languages),
        "voices": list(spec.voices),
        "clones": spec.can is not None and spec.can.clones,
        "designs": spec.can is not None and spec.can.designs,
        "licence": spec.licence,
        "recommended": spec.recommended,
        "experimental": spec.experimental,
        "default": spec.name == default,
        "on_disk": _state(spec) == "on disk",
    }


@app.command("show")
def show(model: AliasArgument) -> None:
    """Show details of a model, and the options of its family."""
    from mlx_tts.library import catalog, hub, selection
    from mlx_tts.models import families

    spec = catalog.find(model)
    for name, value in _facts(spec, selection.configured_default()).items():
        if value not in (None, "", [], False):
            typer.echo(_line(name, value, spec))
    folder = hub.local_folder(spec)
    if folder is None or hub.missing_files(folder, spec.family):
        return
    info = families.open_checkpoint(folder).info
    typer.echo(f"{'folder':<15} {folder}")
    for option in info.options:
        typer.echo(
            f"{'--option':<15} {option.name}={option.type.__name__}: {option.help} ({option.default} by default)"
        )


def _line(name: str, value: Any, spec: ModelSpec) -> str:
    """A fact as a person reads it: yes for True, a size in MB or GB, a list with commas."""
    if name == "download_bytes":
        name, value = "download", "built in" if spec.folder else spec.download_size
    said = ", ".join(value) if isinstance(value, list) else "yes" if value is True else value
    return f"{name.replace('_', ' '):<15} {said}"


@app.command("path")
def path(model: AliasArgument) -> None:
    """Print the folder of a model that is on disk."""
    typer.echo(_folder_of(model))


@app.command("rm")
@app.command("remove", hidden=True)
def remove(
    model: AliasArgument,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Remove without asking.")] = False,
) -> None:
    """Remove a fetched model from this machine."""
    from mlx_tts.library import catalog, hub

    spec = catalog.find(model)
    if spec.folder is not None:
        raise RequestError(f"{spec.name} was not fetched by mlx-tts: remove its folder yourself")
    storage = hub.storage_folder(spec)
    if not storage.is_dir():
        raise RequestError(f"{spec.name} is not on disk: there is nothing to remove")
    if not yes:
        Console().must_agree(f"Remove {storage}?")
    try:
        shutil.rmtree(storage)
    except OSError as error:
        raise MlxTtsError(f"{storage} cannot be removed: {error.strerror}") from None
    typer.echo(f"removed {storage}")


def _folder_of(model: str) -> Path:
    from mlx_tts.library import catalog, hub

    spec = catalog.find(model)
    folder = hub.local_folder(spec)
    if folder is None or hub.missing_files(folder, spec.family):
        raise RequestError(f"{spec.name} is not on disk: `mlx-tts pull {spec.name}` fetches it")
    return folder


@app.command("default")
def set_default(
    alias: Annotated[
        str | None,
        typer.Argument(
            metavar="ALIAS", help="The model to use from now on.", autocompletion=complete_model, show_default=False
        ),
    ] = None,
    unset: Annotated[bool, typer.Option("--unset", help="Forget the default.")] = False,
) -> None:
    """Set or show the model that `speak` takes.

    It is used when neither --model nor --voice decides. Without ALIAS the present one is shown.
    """
    from mlx_tts.library import catalog, hub, selection

    if unset:
        selection.set_default(None)
        typer.echo("no default model now")
    elif alias is None:
        typer.echo(selection.configured_default() or "no default model")
    else:
        spec = catalog.find(alias)
        selection.set_default(spec.lasting_name)
        typer.echo(f"default model: {spec.lasting_name}")
        if spec.folder is None and not hub.is_on_disk(spec):
            Console().say(f"{spec.name} is not on disk: `mlx-tts pull {spec.name}` downloads it ({spec.download_size})")
