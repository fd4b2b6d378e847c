"""The options that several commands share, each defined once, as fields of a dataclass that `grouped` flattens.

What may be asked of a speech is not here: those options are made from the fields of `job.settings`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

import typer

from mlx_tts.audio.formats import ENDINGS
from mlx_tts.cli.console import Console
from mlx_tts.cli.number_option import number_option
from mlx_tts.errors import RequestError
from mlx_tts.job.settings import SpeechSettings
from mlx_tts.library import catalog
from mlx_tts.setting import Setting, gathered, settings_in


def complete_model(incomplete: str) -> list[str]:
    return [spec.name for spec in catalog.models() if spec.name.startswith(incomplete.casefold())]


def complete_voice(incomplete: str) -> list[str]:
    names = {voice: None for spec in catalog.models() for voice in spec.voices}
    return [name for name in [*names, *_own_voices()] if name.casefold().startswith(incomplete.casefold())]


def _own_voices() -> list[str]:
    """The names of the user's voices, from the names of their files: completion reads none of them."""
    from mlx_tts.runtime.folders import data_folder

    return sorted(path.stem for path in (data_folder() / "voices").glob("*.safetensors"))


def complete_own_voice(incomplete: str) -> list[str]:
    return [name for name in _own_voices() if name.casefold().startswith(incomplete.casefold())]


TextArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="TEXT",
        help="What to say, in quotes or not; - reads standard input, as a pipe does.",
        show_default=False,
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        "-m",
        metavar="MODEL",
        help="An alias, owner/name or a folder.",
        autocompletion=complete_model,
        show_default=False,
    ),
]


@dataclass(frozen=True)
class ConsoleOptions:
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")] = False
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Say more: model, device, timing.")] = False

    @property
    def console(self) -> Console:
        return Console(self.quiet, self.verbose)


OfflineOption = Annotated[bool, typer.Option("--offline", help="Never use the network (as HF_HUB_OFFLINE=1).")]


@dataclass(frozen=True)
class FetchOptions:
    offline: OfflineOption = False
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Fetch a model without asking.")] = False


@dataclass(frozen=True)
class OutputOptions:
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help=f"Write a file ({', '.join(ENDINGS)}); .m4b is an audiobook, - is stdout.",
            show_default=False,
        ),
    ] = None
    play: Annotated[bool, typer.Option("--play", help="Play it, also when -o writes a file.")] = False
    no_clobber: Annotated[bool, typer.Option("--no-clobber", help="Refuse to replace a file that exists.")] = False


@dataclass(frozen=True)
class TextOptions:
    file: Annotated[
        Path | None,
        typer.Option("--file", "-f", metavar="FILE", help="Read the text from a file (UTF-8).", show_default=False),
    ] = None
    url: Annotated[
        str | None,
        typer.Option("--url", metavar="URL", help="Fetch a page of the web and read it.", show_default=False),
    ] = None
    only_chapters: Annotated[
        str | None,
        typer.Option("--only-chapters", metavar="2-5", help="Speak these chapters alone.", show_default=False),
    ] = None


@dataclass(frozen=True)
class VerifyOptions:
    verify: Annotated[
        bool,
        typer.Option("--verify", help="Have a recogniser listen; pieces whose words differ are spoken again."),
    ] = False
    verify_model: Annotated[
        str | None,
        typer.Option(
            "--verify-model",
            metavar="FOLDER",
            help="For --verify: a folder with a model of faster-whisper or mlx-whisper, or a size of Whisper.",
            show_default=False,
        ),
    ] = None

    @property
    def recogniser(self) -> str | None:
        """The one that listens; None where nobody does. RequestError for a name without --verify."""
        if self.verify_model is not None and not self.verify:
            raise RequestError("--verify-model goes with --verify")
        if not self.verify:
            return None
        from mlx_tts.audio.recogniser import RECOGNISER

        return self.verify_model or RECOGNISER


@dataclass(frozen=True)
class LongTextOptions:
    batch: Annotated[
        int | None,
        number_option("--batch", "Chunks generated in parallel (default: as memory allows).", 1, 256),
    ] = None
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a file whose making was stopped.")] = False
    keep_pieces: Annotated[
        bool,
        typer.Option("--keep-pieces", help="Keep the pieces next to the file, so that --redo can speak one again."),
    ] = False
    redo: Annotated[
        int | None, number_option("--redo", "Speak this piece of a kept speech again, by its number.", 1)
    ] = None
    chapters: Annotated[
        bool, typer.Option("--chapters", help="A file for each chapter (book-01.mp3, ...) and a playlist.")
    ] = False

    @property
    def keeps(self) -> bool:
        """Whether the pieces stay when the speech is complete."""
        return self.keep_pieces or self.redo is not None


@dataclass(frozen=True)
class SubtitleOptions:
    subtitles: Annotated[
        str | None,
        typer.Option(
            "--subtitles",
            metavar="FILE",
            help="Write when each sentence, then a piece of its own, is spoken: .srt, .vtt, .lrc or .json.",
            show_default=False,
        ),
    ] = None
    subtitle_level: Annotated[
        str,
        typer.Option("--subtitle-level", metavar="sentence|word", help="Time subtitles by sentence or by word."),
    ] = "sentence"


@dataclass(frozen=True)
class LiveOptions:
    latency: Annotated[
        str,
        typer.Option("--latency", metavar="normal|low", help="low: start playing at once, before the quality check."),
    ] = "normal"
    device: Annotated[
        str | None,
        typer.Option(
            "--device",
            metavar="DEVICE",
            help="Play on this device: its number or a part of its name.",
            show_default=False,
        ),
    ] = None


@dataclass(frozen=True)
class SpeakingOptions:
    """Everything that speak and clone have in common besides what is asked of the speech itself."""

    output: OutputOptions = OutputOptions()
    text: TextOptions = TextOptions()
    verify: VerifyOptions = VerifyOptions()
    long_text: LongTextOptions = LongTextOptions()
    subtitles: SubtitleOptions = SubtitleOptions()
    live: LiveOptions = LiveOptions()
    fetch: FetchOptions = FetchOptions()
    console: ConsoleOptions = ConsoleOptions()


PANELS = {  # the sections of a help page
    "OutputOptions": "Output",
    "TextOptions": "Text",
    "VoiceSettings": "Speech",
    "BatchSettings": "Files",
    "Sampling": "Sampling",
    "GuardSettings": "Guard",
    "VerifyOptions": "Guard",
    "ReadingSettings": "Reading",
    "LongTextOptions": "Long text",
    "SoundSettings": "Sound",
    "SubtitleOptions": "Sound",
    "LiveOptions": "Playback",
    "FetchOptions": "General",
    "ConsoleOptions": "General",
    "SampleOptions": "Sample",
    "FileOptions": "Files",
    "WorkOptions": "Work",
}
COMPLETIONS = {"model": complete_model, "voice": complete_voice}


class Without:
    """In the annotation of a group of settings: those that the command does not have."""

    def __init__(self, *names: str):
        self.names = names


def flag_of(name: str) -> str:
    """The option of a setting."""
    known = settings_in(SpeechSettings).get(name)
    return (known and known.flag.partition("/")[0]) or f"--{name.replace('_', '-')}"


def _flattened(group: type[Any], without: tuple[str, ...] = ()) -> Iterator[inspect.Parameter]:
    """The fields of a dataclass, and of the dataclasses in it, as keyword parameters that typer reads as options."""
    hints = get_type_hints(group, include_extras=True)
    known = settings_in(group)
    for entry in fields(group):
        hint = hints[entry.name]
        if entry.name in without:
            continue
        if is_dataclass(hint):
            yield from _flattened(hint, without)  # type: ignore[arg-type]
            continue
        owner = next(base.__name__ for base in group.__mro__ if entry.name in inspect.get_annotations(base))
        if entry.name in known:
            hint, default = _as_option(entry.name, known[entry.name], isinstance(entry.default, tuple))
        else:
            default = entry.default
        for info in getattr(hint, "__metadata__", ()):
            info.rich_help_panel = PANELS.get(owner)
        yield inspect.Parameter(entry.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _as_option(name: str, known: Setting, repeats: bool) -> tuple[Any, Any]:
    """The annotation of a setting's option, and its default. Values are text here: the setting reads them itself."""
    names = [*flag_of(name).split("/"), *known.flag.split("/")[1:], *([known.short] if known.short else [])]
    if known.is_switch:
        return Annotated[bool, typer.Option(*names, help=known.help)], False
    info = typer.Option(
        *names,
        metavar=known.metavar or None,
        help=f"{known.help} ({known.limits})" if known.limits else known.help,
        autocompletion=COMPLETIONS.get(name),
        show_default=False,
        hidden=known.hidden,
    )
    return Annotated[list[str] | None if repeats else str | None, info], None


def _gathered(group: type[Any], without: tuple[str, ...], values: dict[str, Any]) -> Any:
    """The dataclass made of its values, which are taken out of `values`."""
    known = settings_in(group)
    if known:
        given = {name: values.pop(name) for name in known if name not in without}
        for name, setting in known.items():
            if setting.is_switch and name in given:
                turned_off = flag_of(name).startswith("--no-")
                given[name] = not turned_off if given[name] else None
        return gathered(group, {name: value for name, value in given.items() if value != []})
    hints = get_type_hints(group, include_extras=True)
    return group(
        **{
            entry.name: _gathered(hints[entry.name], without, values)
            if is_dataclass(hints[entry.name])
            else values.pop(entry.name)
            for entry in fields(group)
        }
    )


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Replace each dataclass parameter of a command by that dataclass's fields, which typer sees as options."""
    parameters: list[inspect.Parameter] = []
    groups: dict[str, tuple[type[Any], tuple[str, ...]]] = {}
    for parameter in inspect.signature(command, eval_str=True).parameters.values():
        annotation: Any = parameter.annotation
        hint, *extras = get_args(annotation) or (annotation,)
        if not is_dataclass(hint):
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        without = next((extra.names for extra in extras if isinstance(extra, Without)), ())
        group: Any = hint
        groups[parameter.name] = group, without
        parameters += _flattened(group, without)

    @functools.wraps(command)
    def run(**values: Any) -> None:
        made = {name: _gathered(*group, values) for name, group in groups.items()}
        command(**values, **made)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run
