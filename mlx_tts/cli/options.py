"""The options that several commands share, each defined once, as fields of a dataclass that `grouped` flattens."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from mlx_tts.audio.formats import ENDINGS, STREAMED
from mlx_tts.cli.console import Console
from mlx_tts.cli.number_option import number_option
from mlx_tts.cli.sound_options import SoundOptions
from mlx_tts.library import catalog


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
    play: Annotated[bool, typer.Option("--play", help="Play it, also beside -o.")] = False
    no_clobber: Annotated[bool, typer.Option("--no-clobber", help="Refuse to replace a file that exists.")] = False
    stdout_format: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="FORMAT", help=f"For -o -: {', '.join(STREAMED)} (bare samples).", show_default=False
        ),
    ] = None


@dataclass(frozen=True)
class SpeechOptions:
    file: Annotated[
        Path | None,
        typer.Option("--file", "-f", metavar="FILE", help="Read the text from a file (UTF-8).", show_default=False),
    ] = None
    url: Annotated[
        str | None,
        typer.Option("--url", metavar="URL", help="Fetch a page of the web and read it.", show_default=False),
    ] = None
    language: Annotated[
        str,
        typer.Option(
            "--language", "-l", metavar="LANGUAGE", help="A name, ISO code or locale tag (English, en, en-US), or auto."
        ),
    ] = "auto"
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            metavar="NAME=VALUE",
            help="A setting of the model's family (see `mlx-tts models show ALIAS`); may be repeated.",
            show_default=False,
        ),
    ] = None
    seed: Annotated[int | None, number_option("--seed", "The same seed gives the same speech.", 0)] = None
    max_seconds: Annotated[
        float | None, number_option("--max-seconds", "Stop after so much speech.", 0, 86_400, above=True)
    ] = None


@dataclass(frozen=True)
class SamplingOptions:
    """Fields of speech.Sampling; what is not given is the checkpoint's own."""

    temperature: Annotated[
        float | None, number_option("--temperature", "How freely codes are sampled; 0 is greedy.", 0, 5)
    ] = None
    top_k: Annotated[int | None, number_option("--top-k", "Sample among the k likeliest; 0 is all.", 0)] = None
    top_p: Annotated[
        float | None, number_option("--top-p", "Sample among the likeliest that sum to p.", 0, 1, above=True)
    ] = None
    repetition_penalty: Annotated[
        float | None, number_option("--repetition-penalty", "Above 1: used codes become less likely.", 0.1, 10)
    ] = None
    subtalker_temperature: Annotated[
        float | None, number_option("--subtalker-temperature", "The same for the code predictor.", 0, 5, hidden=True)
    ] = None
    subtalker_top_k: Annotated[
        int | None, number_option("--subtalker-top-k", "The same for the code predictor.", 0, hidden=True)
    ] = None
    subtalker_top_p: Annotated[
        float | None,
        number_option("--subtalker-top-p", "The same for the code predictor.", 0, 1, above=True, hidden=True),
    ] = None


@dataclass(frozen=True)
class GuardOptions:
    no_guard: Annotated[
        bool,
        typer.Option(
            "--no-guard",
            help="Do not watch for speech that runs away, loops, falls silent, ends early or says other words.",
        ),
    ] = False
    retries: Annotated[
        int, number_option("--retries", "How often speech that went wrong is made again; 2 by default.", 0, 20)
    ] = 2
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


@dataclass(frozen=True)
class ReadingOptions:
    normalise: Annotated[
        str,
        typer.Option(
            "--normalise",
            "--normalize",
            metavar="auto|on|off",
            help="Numbers, dates and capitals in words: auto where the model needs it; off gives the text as it is.",
        ),
    ] = "auto"
    lexicon: Annotated[
        Path | None,
        typer.Option(
            "--lexicon", metavar="FILE", help="How to say words of your own (TOML, see the docs).", show_default=False
        ),
    ] = None
    no_markup: Annotated[bool, typer.Option("--no-markup", help="Read SSML and [pause 2s] as they are written.")] = (
        False
    )
    footnotes: Annotated[
        str,
        typer.Option("--footnotes", metavar="skip|read", help="Those of Markdown; read: behind their paragraph."),
    ] = "skip"
    read_code: Annotated[bool, typer.Option("--read-code", help="Read blocks of code too, and files of code.")] = False
    only_chapters: Annotated[
        str | None,
        typer.Option("--only-chapters", metavar="2-5", help="Speak these chapters alone.", show_default=False),
    ] = None


@dataclass(frozen=True)
class LongTextOptions:
    sentence_pause: Annotated[
        float | None,
        number_option("--sentence-pause", "Seconds of quiet between sentences, each a piece of its own then.", 0, 60),
    ] = None
    paragraph_pause: Annotated[
        float,
        number_option("--paragraph-pause", "The same between paragraphs; 0.7 by default. Chapters: twice that.", 0, 60),
    ] = 0.7
    batch: Annotated[
        int | None,
        number_option(
            "--batch", "Pieces of a long text made side by side for a file; by default from the memory.", 1, 256
        ),
    ] = None
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a file whose making was stopped.")] = False
    keep_pieces: Annotated[
        bool, typer.Option("--keep-pieces", help="Keep the pieces beside the file, so that --redo can speak one anew.")
    ] = False
    redo: Annotated[
        int | None, number_option("--redo", "Speak this piece of a kept speech anew, by its number.", 1)
    ] = None
    chapters: Annotated[
        bool, typer.Option("--chapters", help="A file for each chapter (book-01.mp3, ...) and a playlist.")
    ] = False

    @property
    def keeps(self) -> bool:
        """Whether the pieces stay when the speech is complete."""
        return self.keep_pieces or self.redo is not None


@dataclass(frozen=True)
class LiveOptions:
    latency: Annotated[
        str,
        typer.Option(
            "--latency", metavar="normal|low", help="low: first sound at once, before the guard has heard it."
        ),
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
    """Everything that speak and clone have in common."""

    output: OutputOptions
    speech: SpeechOptions
    sampling: SamplingOptions
    guard: GuardOptions
    text: ReadingOptions
    long_text: LongTextOptions
    sound: SoundOptions
    live: LiveOptions
    fetch: FetchOptions
    console: ConsoleOptions


PANELS = {  # the sections of a help page
    "OutputOptions": "Output",
    "SpeechOptions": "Speech",
    "SamplingOptions": "Sampling",
    "GuardOptions": "Guard",
    "ReadingOptions": "Reading",
    "LongTextOptions": "Long text",
    "SoundOptions": "Sound",
    "LiveOptions": "Playback",
    "FetchOptions": "General",
    "ConsoleOptions": "General",
    "SampleOptions": "Sample",
    "FileOptions": "Files",
    "LineOptions": "Lines",
    "WorkOptions": "Work",
    "TakesOptions": "Guard",
}


def _flattened(group: type[Any]) -> Iterator[inspect.Parameter]:
    """The fields of a dataclass, and of the dataclasses in it, as keyword parameters."""
    hints = get_type_hints(group, include_extras=True)
    for entry in fields(group):
        if is_dataclass(hints[entry.name]):
            yield from _flattened(hints[entry.name])
        else:
            for info in getattr(hints[entry.name], "__metadata__", ()):
                info.rich_help_panel = PANELS.get(group.__name__)
            yield inspect.Parameter(
                entry.name, inspect.Parameter.KEYWORD_ONLY, default=entry.default, annotation=hints[entry.name]
            )


def _gathered(group: type[Any], values: dict[str, Any]) -> Any:
    """The dataclass made of its values, which are taken out of `values`."""
    hints = get_type_hints(group, include_extras=True)
    return group(
        **{
            entry.name: _gathered(hints[entry.name], values)
            if is_dataclass(hints[entry.name])
            else values.pop(entry.name)
            for entry in fields(group)
        }
    )


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Replace each dataclass parameter of a command by that dataclass's fields, which typer sees as options."""
    parameters: list[inspect.Parameter] = []
    groups: dict[str, type[Any]] = {}
    for parameter in inspect.signature(command, eval_str=True).parameters.values():
        if not is_dataclass(parameter.annotation):
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        groups[parameter.name] = parameter.annotation  # type: ignore[assignment]
        parameters += _flattened(parameter.annotation)  # type: ignore[arg-type]

    @functools.wraps(command)
    def run(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = _gathered(group, values)
        command(**values)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run
