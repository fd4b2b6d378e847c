"""Command names -> typer commands; each command's module is imported when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from mlx_tts import __version__

# What `mlx-tts --help` says of each, so that it need not import them.
COMMANDS = {
    "speak": "Speak a text.",
    "clone": "Speak in the voice of a recording.",
    "voice": "Make, list, hear, share and remove voices by name.",
    "voices": "List the preset voices, of all models or of one, and your own voices.",
    "models": "List the models, with their size and whether they are on disk.",
    "pull": "Fetch a model, or what is missing of it.",
    "convert": "Convert an official checkpoint.",
    "batch": "Speak every line of a file into a folder, each exactly once.",
    "serve": "Serve speech to other programs: OpenAI's HTTP interface, a WebSocket, and Wyoming.",
    "bench": "Measure how fast a model speaks on this machine.",
    "doctor": "Say what this machine can do: versions, GPU, kernels, memory and one row of `bench`.",
}


class SectionedCommand(TyperCommand):
    """Its help shows the options in sections, by the panel that each option names."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            panel = getattr(parameter, "rich_help_panel", None)
            name = "Arguments" if parameter.param_type_name == "argument" else panel or "Options"
            sections.setdefault(name, []).append((record[0].split(" <")[0], record[1]))
        for name in sorted(sections, key=lambda name: (name != "Arguments", name == "General")):
            if sections[name]:
                with formatter.section(name):
                    formatter.write_dl(sections[name])


class LazyGroup(TyperGroup):
    """Loads mlx_tts.cli.NAME when NAME is used."""

    def list_commands(self, _ctx: Any) -> list[str]:
        return list(COMMANDS)

    def format_commands(self, _ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            for name in COMMANDS:  # typer proposes the near ones among those that are loaded
                self.get_command(ctx, name)
            return None
        if cmd_name not in self.commands:
            module = import_module(f"mlx_tts.cli.{cmd_name}")
            self.commands[cmd_name] = typer.main.get_command(module.app)
            self.commands[cmd_name].name = cmd_name
        return self.commands[cmd_name]


def new_app(**settings: Any) -> typer.Typer:
    """A typer application in the house style: plain help, no pretty tracebacks, no completion of its own."""
    return typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False, **settings)


def build() -> Any:
    """The whole command."""
    app = typer.Typer(cls=LazyGroup, rich_markup_mode=None, pretty_exceptions_enable=False, invoke_without_command=True)
    app.callback()(root)
    return typer.main.get_command(app)


def root(
    ctx: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
    _debug: Annotated[
        bool, typer.Option("--debug", help="Show a traceback when something fails; may stand anywhere.")
    ] = False,
    _quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors; may stand anywhere.")] = False,
    _verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Say more; may stand anywhere.")] = False,
) -> None:
    """Text to speech on this machine.

    mlx-tts speak "Hello there." plays it, or writes speech.wav where nothing can be played.
    """
    if version:
        typer.echo(f"mlx-tts {__version__}")
    elif ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())
