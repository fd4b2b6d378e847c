"""`mlx-tts voices`: the preset voices, and the models that have them."""

from __future__ import annotations

import typer

from mlx_tts.cli.commands import new_app
from mlx_tts.cli.options import ModelOption, OfflineOption

app = new_app()


@app.command()
def voices(model: ModelOption = None, offline: OfflineOption = False) -> None:
    """List the preset voices, of all models or of one."""
    from mlx_tts.library import catalog

    if model is None:
        having: dict[str, list[str]] = {}
        for spec in catalog.models():
            for name in spec.voices if spec.recommended or spec.folder else ():
                having.setdefault(name, []).append(spec.name)
        for name, aliases in having.items():
            typer.echo(f"{name:<10} {', '.join(aliases)}")
        typer.echo("\nBase models have no presets: they clone a recording (mlx-tts clone).")
        typer.echo("VoiceDesign models make the voice that --instruct describes.")
        return
    from mlx_tts.library import hub
    from mlx_tts.models.families import open_checkpoint

    info = open_checkpoint(hub.fetch_description(catalog.find(model), offline=offline)).info
    for name in info.voices:
        dialect = info.dialects.get(name)
        typer.echo(f"{name}  ({dialect})" if dialect else name)
    if not info.voices:
        typer.echo(f"{model} is a {info.kind} model and has no preset voices.")
    typer.echo(f"languages: {', '.join(info.languages)}")
