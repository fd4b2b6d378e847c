"""The options that several commands share, and how the settings of a group become options of a command.

A command takes groups of settings as parameters (see `mlx_tts.setting`), which `grouped` flattens for typer.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from mlx_tts.audio.formats import ENDINGS
from mlx_tts.cli.commands import COMMON, HELP_ALL
from mlx_tts.cli.console import STYLES, Console
from mlx_tts.errors import RequestError
from mlx_tts.job.settings import SpeechSettings
from mlx_tts.library import catalog
from mlx_tts.setting import (
    KEY,
    Setting,
    SettingError,
    changed,
    choice,
    gathered,
    path,
    plain_text,
    setting,
    settings_in,
    switch,
    text,
    whole,
)


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
        metavar="TEXT|FILE|ADDRESS",
        help="Words, a file or a web page; - is standard input.",
        show_default=False,
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        "-m",
        metavar="MODEL",
        help="An alias (see `mlx-tts models`), owner/name or a folder.",
        autocompletion=complete_model,
        show_default=False,
    ),
]


@dataclass(frozen=True)
class ConsoleOptions:
    quiet: bool = switch(False, "Show nothing but errors.", short="-q")
    verbose: bool = switch(False, "Show more: model, device, timing.", short="-v")
    progress: str = choice(
        "auto", STYLES, "How progress is shown: a bar that moves, plain lines for screen readers, or none."
    )

    @property
    def console(self) -> Console:
        return Console(self.quiet, self.verbose, self.progress)


@dataclass(frozen=True)
class FetchOptions:
    offline: bool = switch(False, "Never use the network; HF_HUB_OFFLINE=1 does the same.")
    yes: bool = switch(False, "Answer every question with yes, such as that before a download.", short="-y")


@dataclass(frozen=True)
class OutputOptions:
    output: str | None = text(
        None,
        f"Write a file ({', '.join(ENDINGS)}); .m4b is an audiobook, .epub the book with its sound; - is stdout.",
        short="-o",
        metavar="FILE",
    )
    play: bool = switch(False, "Play the speech, also when -o writes a file.")
    no_clobber: bool = switch(False, "Refuse to replace a file that exists.")


@dataclass(frozen=True)
class TextOptions:
    literal: str | None = setting(
        None,
        "Speak these words, also where they name a file or an address.",
        plain_text,
        flag="--text",
        metavar="WORDS",
    )
    file: Path | None = path("Read the text from a file, as the argument does.", short="-f", hidden=True)
    url: str | None = text(None, "Read a page of the web, without asking first.", metavar="URL", hidden=True)
    only_chapters: str | None = text(None, "Speak only these chapters.", metavar="2-5")

    @property
    def is_given(self) -> bool:
        """Whether an option says where the text is."""
        return any(place is not None for place in (self.literal, self.file, self.url))


@dataclass(frozen=True)
class VerifyOptions:
    verify: bool = switch(False, "Check the words with a speech recogniser, and speak wrong ones again.")
    verify_model: str | None = text(
        None,
        "The recogniser for --verify: a size of Whisper, or a folder with a model of faster-whisper or mlx-whisper.",
        metavar="FOLDER",
    )

    @property
    def recogniser(self) -> str | None:
        """The one that listens; None where nobody does. RequestError for a name without --verify."""
        if self.verify_model is not None and not self.verify:
            raise RequestError("--verify-model works only with --verify: add it")
        if not self.verify:
            return None
        from mlx_tts.audio.recogniser import RECOGNISER

        return self.verify_model or RECOGNISER


@dataclass(frozen=True)
class LongTextOptions:
    batch: int | None = whole(
        None, "Pieces of the text generated in parallel (default: as memory allows).", 1, 256, flag="--rows/--batch"
    )
    resume: bool = switch(False, "Continue a long speech that was stopped.")
    keep_pieces: bool = switch(False, "Keep the pieces next to the file, so that --redo can speak one again.")
    redo: int | None = whole(None, "Speak this piece of a kept speech again, by its number.", 1)
    chapters: bool = switch(False, "Write a file for each chapter, and a playlist.")

    @property
    def keeps(self) -> bool:
        """Whether the pieces stay when the speech is complete."""
        return self.keep_pieces or self.redo is not None


@dataclass(frozen=True)
class SubtitleOptions:
    subtitles: str | None = text(
        None,
        "Also write subtitles, one for each sentence, as .srt, .vtt, .lrc or .json.",
        metavar="FILE",
    )
    subtitle_level: str = choice("sentence", ("sentence", "word"), "Time subtitles by sentence (default) or by word.")


@dataclass(frozen=True)
class LiveOptions:
    latency: str = choice(
        "normal",
        ("normal", "low"),
        "low starts playing at once, before the quality check; normal, the default, waits for it.",
    )
    device: str | None = text(None, "Play on this device: its number or part of its name.", metavar="DEVICE")


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
    "Outputs": "Files",
    "How": "Work",
}
COMPLETIONS = {
    **dict.fromkeys(("model", "models", "base_model"), complete_model),
    "voice": complete_voice,
}


def _show_all(ctx: typer.Context, wanted: bool) -> None:
    if wanted:
        ctx.meta[HELP_ALL] = True
        typer.echo(ctx.get_help())
        raise typer.Exit


HelpAllOption = Annotated[
    bool, typer.Option(HELP_ALL, help="Show all options.", is_eager=True, callback=_show_all, show_default=False)
]


class Without:
    """In the annotation of a group of settings: those that the command does not have."""

    def __init__(self, *names: str):
        self.names = names


def flag_of(name: str, known: Setting | None = None) -> str:
    """The option of a setting, by default of one of speech; an option itself stays as it is."""
    if name.startswith("--"):
        return name
    known = known or settings_in(SpeechSettings).get(name)
    return (known and known.flag.partition("/")[0]) or f"--{name.replace('_', '-')}"


def command_words(*groups: Any) -> list[str]:
    """The options that mean these settings, with paths that are true from everywhere; those that stand as by default
    are left out."""
    words: list[str] = []
    for group in groups:
        for name, known, value in changed(group):
            for one in value if isinstance(value, tuple) else (value,):
                file = getattr(one, "source", one)  # a lexicon is its file
                written = str(file.expanduser().resolve()) if isinstance(file, Path) else str(one)
                words += [flag_of(name, known), *([] if known.is_switch else [written])]
    return words


def _flattened(group: type[Any], without: tuple[str, ...] = ()) -> Iterator[inspect.Parameter]:
    """The settings of a group, and of the groups in it, as keyword parameters that typer reads as options."""
    for entry in fields(group):
        if entry.name in without:
            continue
        if KEY not in entry.metadata:
            if is_dataclass(entry.default):
                yield from _flattened(type(entry.default), without)
            continue
        owner = next(base.__name__ for base in group.__mro__ if entry.name in inspect.get_annotations(base))
        hint, default = _as_option(entry.name, entry.metadata[KEY], isinstance(entry.default, tuple))
        for info in hint.__metadata__:
            info.rich_help_panel = PANELS.get(owner)
        yield inspect.Parameter(entry.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _as_option(name: str, known: Setting, repeats: bool) -> tuple[Any, Any]:
    """The annotation of a setting's option, and its default. Values are text here: the setting reads them itself."""
    names = [flag_of(name, known), *known.flag.split("/")[1:], *([known.short] if known.short else [])]
    if known.is_switch:
        return Annotated[bool, typer.Option(*names, help=known.help, hidden=known.hidden)], False
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
    """The group made of its values, which are taken out of `values`."""
    known = settings_in(group)
    given = {name: values.pop(name) for name in known if name not in without}
    for name, value in given.items():
        if known[name].is_switch:
            given[name] = not known[name].flag.startswith("--no-") if value else None
    given = {name: value for name, value in given.items() if value != []}
    if group is SpeechSettings:
        given = _with_preferences(given)
    try:
        return gathered(group, given, empty_is_default=issubclass(group, SpeechSettings))
    except SettingError as error:
        raise SettingError(flag_of(error.name, known[error.name]), error.value, error.advice) from None


def _with_preferences(given: dict[str, Any]) -> dict[str, Any]:
    """With the user's own voice and speed where the command line gives none."""
    from mlx_tts.library.preferences import preferences

    own = preferences()
    if own.speed is not None and given.get("speed") is None:
        given["speed"] = own.speed
    if own.voice is not None and "voice" in given and given["voice"] is None and given["model"] is None:
        given["voice"] = own.voice
    return given


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

    if command.__name__.replace("_", "-") in COMMON:
        kind = inspect.Parameter.KEYWORD_ONLY
        parameters.append(inspect.Parameter("help_all", kind, default=False, annotation=HelpAllOption))

    @functools.wraps(command)
    def run(**values: Any) -> None:
        values.pop("help_all", None)
        made = {name: _gathered(*group, values) for name, group in groups.items()}
        command(**values, **made)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run
