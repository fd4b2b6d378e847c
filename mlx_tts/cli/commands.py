"""Command names -> typer commands; each command's module is imported when it is asked for."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from mlx_tts import __version__

# What `mlx-tts --help` says of each, so that it need not import them.
COMMANDS = {
    "speak": "Speak a text, a file or a web page.",
    "clone": "Speak in the voice of a recording.",
    "voice": "Make, list, play, share and remove voices of your own.",
    "voices": "List the voices of all models, and your own.",
    "models": "List the models, their sizes and which are on disk.",
    "pull": "Download a model.",
    "convert": "Convert or quantise a model.",
    "lexicon": "Find the names of a book, and check how a lexicon says them.",
    "cast": "Find who speaks in a book, and write the cast for `speak --cast`.",
    "batch": "Turn each row of a CSV or JSONL file into an audio file.",
    "serve": "Start a server with a web page, for browsers and other programs.",
    "mcp": "Give coding agents and chat programs a voice (MCP).",
    "screen-reader": "Give screen readers a voice (speech-dispatcher, on Linux).",
    "settings": "Show or change your own defaults: voice, speed, format.",
    "bench": "Measure how fast a model speaks on this machine.",
    "doctor": "Check this machine and print a report.",
}


# What --help shows of a command that has --help-all, in this order.
_SPOKEN = ("output", "play", "speed", "model", "language")
COMMON = {
    "speak": ("voice", *_SPOKEN, "instruct", "subtitles", "chapters", "resume", "dry_run", "help_all"),
    "clone": ("voice_sample", "transcript", "record", *_SPOKEN, "save_voice", "help_all"),
    "batch": ("output", "voice", "model", "language", "format", "rate", "seed", "manifest", "dry_run", "help_all"),
    "serve": ("open", "models", "host", "port", "api_key_file", "wyoming_port", "install", "help_all"),
    "mcp": ("voice", "client_voices", "speed", "model", "language", "folder", "device", "print_config", "help_all"),
    "screen-reader": ("voice", "speed", "model", "language", "install", "uninstall", "help_all"),
}
HELP_ALL = "--help-all"
NAMES = re.compile(r"^(?:-[\w-]+(?:, )?)+")
DASHED_TEXT = re.compile(r"-[\d.,\s]|--?[^=\s]*\s")


class SectionedCommand(TyperCommand):
    """A command. If it has --help-all, --help shows its common options and --help-all all of them in sections. A text
    may begin with a dash."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        parameters = {one.name: one for one in self.get_params(ctx)}
        common = () if ctx.meta.get(HELP_ALL) else COMMON.get(self.name or "", ())
        if common:
            arguments = [name for name, one in parameters.items() if one.param_type_name == "argument"]
            parameters = {name: parameters[name] for name in (*arguments, *common, "help")}
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        for parameter in parameters.values():
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            panel = None if common else getattr(parameter, "rich_help_panel", None)
            name = "Arguments" if parameter.param_type_name == "argument" else panel or "Options"
            sections.setdefault(name, []).append((_shown_names(record[0], parameter), record[1]))
        for name in sorted(sections, key=lambda name: (name != "Arguments", name == "General")):
            if sections[name]:
                with formatter.section(name):
                    formatter.write_dl(sections[name])

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, _with_texts_last(args, self.get_params(ctx)))


def _shown_names(written: str, parameter: Any) -> str:
    """The short name, the first long one and the value; other long names are what the option was once called."""
    written = written.split(" <")[0]
    if parameter.param_type_name == "argument":
        return written
    names = [name for name in parameter.opts if not name.startswith("--")]
    names += [name for name in parameter.opts if name.startswith("--")][:1]
    return ", ".join(names) + NAMES.sub("", written)


def _with_texts_last(args: list[str], parameters: list[Any]) -> list[str]:
    """A text such as "-5 °C" looks like an option: then all texts go behind `--`, in their order."""
    names = {name: one for one in parameters if one.param_type_name != "argument" for name in one.opts}
    options: list[str] = []
    texts: list[str] = []
    dashed, takes_next = False, False
    for at, word in enumerate(args):
        if takes_next:
            options.append(word)
            takes_next = False
        elif word == "--":
            texts += args[at + 1 :]
            break
        elif DASHED_TEXT.match(word) and word[:2] not in names:
            texts.append(word)
            dashed = True
        elif word.startswith("-") and word != "-":
            options.append(word)
            takes_next = word in names and not names[word].is_flag
        else:
            texts.append(word)
    return [*options, "--", *texts] if dashed else args


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
            module = import_module(f"mlx_tts.cli.{cmd_name.replace('-', '_')}")
            self.commands[cmd_name] = typer.main.get_command(module.app)
            self.commands[cmd_name].name = cmd_name
        return self.commands[cmd_name]


class PlainTyper(typer.Typer):
    """A typer application whose commands are SectionedCommands, so that every help has the same form."""

    def command(self, name: str | None = None, **settings: Any) -> Any:
        return super().command(name, **{"cls": SectionedCommand, **settings})


def new_app(**settings: Any) -> typer.Typer:
    """A typer application in the house style: plain help, no pretty tracebacks, no completion of its own."""
    return PlainTyper(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False, **settings)


def build() -> Any:
    """The whole command."""
    app = typer.Typer(cls=LazyGroup, rich_markup_mode=None, pretty_exceptions_enable=False, invoke_without_command=True)
    app.callback()(root)
    return typer.main.get_command(app)


def root(
    ctx: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    _debug: Annotated[bool, typer.Option("--debug", help="Show a traceback when something fails.")] = False,
    _quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show nothing but errors.")] = False,
    _verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show more.")] = False,
) -> None:
    """Text to speech on this machine.

    mlx-tts "Hello there." speaks the words. mlx-tts book.epub -o book.m4b reads a book into an audio file.
    """
    if version:
        typer.echo(f"mlx-tts {__version__}")
    elif ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())
