"""`mlx-tts voices`, also `voice list`: the preset voices with the models that have them, and the user's own."""

from __future__ import annotations

import json as json_text
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import typer

from mlx_tts.cli.commands import new_app
from mlx_tts.cli.console import Console
from mlx_tts.cli.options import FetchOptions, ModelOption, grouped
from mlx_tts.setting import switch, with_default

app = new_app()


@dataclass(frozen=True)
class ListOptions:
    details: bool = switch(False, "Also show sex, accent, language and character.")
    json: bool = switch(False, "Print all details as JSON, for programs.")
    offline: bool = with_default(FetchOptions, "offline", False)


@app.command()
@grouped
def voices(*, model: ModelOption = None, options: ListOptions) -> None:
    """List the voices of all models, and your own."""
    list_voices(model, options)


def list_voices(model: str | None, options: ListOptions) -> None:
    """Print the list."""
    from mlx_tts.library.voice_shelf import user_shelf

    if model is not None:
        _list_presets_of(model, options.offline)
        return
    having, shelf = _presets(), user_shelf()
    own = shelf.voices()
    if options.json:
        rows = [_preset_facts(name, aliases) for name, aliases in having.items()]
        typer.echo(json_text.dumps([*rows, *map(own_facts, own)], ensure_ascii=False, indent=1))
        return
    for models, names in groupby(having, having.__getitem__):
        alike = list(names)
        width = max(10, *map(len, alike))
        for name in alike:
            if options.details:
                _print_details(name)
            else:
                typer.echo(f"{name:<{width}} {', '.join(models)}")
    if own:
        typer.echo("\nYour own:")
        width = max(10, *(len(kept.name) for kept in own))
    for kept in own:
        typer.echo(f"{kept.name:<{width}} {plain(kept.saved.model or 'made with an unknown model')}")
    for line in shelf.damaged():
        Console().say(line)
    typer.echo("\nBase models have no presets: they clone a recording (mlx-tts clone, mlx-tts voice make).")
    typer.echo("VoiceDesign models make the voice that --instruct describes.")


def _presets() -> dict[str, list[str]]:
    """The name of each preset -> the models to use it with."""
    from mlx_tts.library import catalog

    return {name: [spec.name for spec in catalog.with_preset(name)] for name in catalog.preset_names()}


def _print_details(name: str) -> None:
    from mlx_tts.library import catalog

    preset = catalog.presets().get(catalog.voice_key(name))
    if preset is None:
        typer.echo(name)
        return
    language = preset.language.capitalize()
    typer.echo(f"{name:<10} {preset.sex:<6} {language:<9} {preset.accent:<9} {preset.character}")


def _preset_facts(name: str, aliases: list[str]) -> dict[str, Any]:
    from mlx_tts.library import catalog

    preset = catalog.presets().get(catalog.voice_key(name))
    facts = {} if preset is None else {key: value for key, value in vars(preset).items() if key != "name"}
    return {"name": name, "kind": "preset", "models": aliases, **facts}


def own_facts(kept: Any) -> dict[str, Any]:
    """What is known of a voice of the user's (a KeptVoice)."""
    from mlx_tts.library.voice_choice import fitting_models

    saved = kept.saved
    return {
        "name": kept.name,
        "kind": "uploaded" if kept.uploaded else "own",
        "made_with": saved.model,
        "models": fitting_models(saved),
        "language": saved.language,
        "description": saved.description,
        "transcript": saved.voice.transcript,
        "styles": sorted(saved.voice.styles),
        "file": str(kept.path),
    }


def plain(text: str) -> str:
    """Text from a file of a stranger, without the characters that would steer a terminal."""
    return "".join(character if character.isprintable() else " " for character in text)


def _list_presets_of(model: str, offline: bool) -> None:
    from mlx_tts.library import catalog, hub
    from mlx_tts.models.families import open_checkpoint

    info = open_checkpoint(hub.fetch_description(catalog.find(model), offline=offline)).info
    for name in info.voices:
        dialect = info.dialects.get(name)
        typer.echo(f"{name}  ({dialect})" if dialect else name)
    if not info.voices:
        typer.echo(f"{model} is a {info.kind} model and has no preset voices.")
    typer.echo(f"languages: {', '.join(info.languages)}")
