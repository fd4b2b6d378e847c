"""`mlx-tts settings`: the user's own defaults for every later command, shown, set and forgotten."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any

import typer

from mlx_tts.cli.commands import new_app
from mlx_tts.errors import RequestError
from mlx_tts.shortened import shown

app = new_app()


@app.command()
def settings(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="voice, speed, format, default_model, voice_aliases or tags.", show_default=False
        ),
    ] = None,
    value: Annotated[str | None, typer.Argument(metavar="VALUE", help="The new default.", show_default=False)] = None,
    unset: Annotated[bool, typer.Option("--unset", help="Forget this setting.")] = False,
) -> None:
    """Show or change your own defaults: voice, speed, format.

    `mlx-tts settings voice ivy` makes ivy the voice of every command that names no voice and no model. The format is
    that of files whose name you did not choose. `mlx-tts settings voice_aliases "alloy=hazel, nova=ivy"` lets clients
    of the server call your voices by other names. `mlx-tts settings tags "gruff = 0.9x -3dB Speak in a gruff voice."`
    makes [gruff] a tag in texts: pace and loudness are for models that follow no instructions.
    """
    from mlx_tts.library.preferences import Preferences, preferences, set_preference, settings_path

    known = [entry.name for entry in fields(Preferences)]
    if name is not None and name not in known:
        raise RequestError(f"no setting is called {shown(name)}: use {', '.join(known)}")
    if name is not None and (unset or value is not None):
        set_preference(name, None if unset or value is None else _checked(name, value))
    found = preferences()
    for one in known if name is None else [name]:
        now = getattr(found, one)
        typer.echo(f"{one:<14} {'not set' if now is None else now}")
    if name is None:
        typer.echo(f"\nkept in {settings_path()}")


def _checked(name: str, value: str) -> Any:
    """The value as a command would take it; SettingError, RequestError for one that cannot be."""
    from mlx_tts.job.settings import SpeechSettings
    from mlx_tts.library import catalog, selection
    from mlx_tts.library.preferences import Preferences
    from mlx_tts.server.settings import ServerSettings
    from mlx_tts.setting import settings_in

    if name == "voice_aliases":
        ServerSettings(voice_aliases=Preferences(voice_aliases=value).aliases).check()
        return value
    if name == "tags":
        from mlx_tts.text.markup.feelings import read_feelings

        read_feelings(value)
        return value
    if name == "default_model":
        return catalog.find(value).lasting_name
    if name == "voice":
        selection.must_be_known(value)
        return value
    return settings_in(SpeechSettings)[name].read(name, value)
