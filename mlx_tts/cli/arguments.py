"""What was typed -> the arguments that the commands read: a text or a file without a command's name is spoken."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path

from mlx_tts.errors import RequestError
from mlx_tts.shortened import shown

CONSOLE_OPTIONS = ("-q", "--quiet", "-v", "--verbose")
ROOT_OPTIONS = ("--help", "--version", "--debug", "--install-completion", "--show-completion", *CONSOLE_OPTIONS)
GROUPS = ("voice",)  # commands whose own commands read -q and -v
NAME = re.compile(r"[a-z]+(?:-[a-z]+)*")  # what the name of a command looks like
VOICE = re.compile(r"[A-Za-z]+(?:_[A-Za-z]+)*")  # and that of a voice
ALIKE = 0.7  # of two names, for difflib: "spek" and "speak" are, "hello" and "help" are not
SAMPLE = "--voice-sample"
OF_CLONE = (SAMPLE, "--sample", "--transcript", "--record", "--save-voice")  # which `speak` does not have
# What other programs call the commands.
ELSEWHERE = {
    **dict.fromkeys(("say", "read", "tts", "synthesize", "generate", "play"), "speak"),
    **dict.fromkeys(("install", "download", "fetch", "get"), "pull"),
    **dict.fromkeys(("server", "start", "run", "web", "gui"), "serve"),
    **dict.fromkeys(("list", "ls"), "models"),
    **dict.fromkeys(("info", "check", "status"), "doctor"),
    "quantize": "convert",
    "benchmark": "bench",
}
# What other programs call the options.
OPTIONS_ELSEWHERE = {
    **dict.fromkeys(("--out", "--output-file", "--output-path", "--out-path", "--save", "--outfile"), "--output"),
    **dict.fromkeys(("--input", "--input-file", "--text-file"), "--file"),
    **dict.fromkeys(("--lang", "--locale"), "--language"),
    **dict.fromkeys(("--rate", "--pace", "--length-scale"), "--speed"),
    **dict.fromkeys(("--speaker", "--voice-id", "--preset"), "--voice"),
    **dict.fromkeys(("--ref-audio", "--reference", "--reference-audio", "--speaker-wav", "--prompt-audio"), SAMPLE),
    **dict.fromkeys(("--ref-text", "--reference-text", "--prompt-text"), "--transcript"),
}


def prepared(arguments: Sequence[str], commands: Collection[str]) -> tuple[list[str], bool]:
    """The arguments as the commands read them, and whether --debug is among them. RequestError for a name that is
    nearly a command's."""
    typed, debug = _without_debug(arguments)
    meant = _with_command(_with_console_options_last(_with_plain_help(typed)), commands)
    if meant[0:1] == ["speak"]:
        _check_short_voice(typed)
    return _with_help_of_all(meant), debug


def _check_short_voice(arguments: list[str]) -> None:
    """RequestError for `-v NAME`, which chooses the voice in Apple's `say` and here would speak the name."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    for option, value in pairwise(arguments[:end]):
        if option == "-v" and VOICE.fullmatch(value):
            from mlx_tts.library.catalog import with_preset

            if with_preset(value):
                raise RequestError(f"-v is --verbose: write --voice {value} to choose the voice")


def _with_command(arguments: list[str], commands: Collection[str]) -> list[str]:
    """With "speak" before a text, a file, an address or an option of `speak`, and where a text is piped in."""
    if all(argument in CONSOLE_OPTIONS for argument in arguments) and _is_piped():
        return ["speak", *arguments]
    first = arguments[0] if arguments else "--help"
    if first in commands or first.split("=")[0] in ROOT_OPTIONS:
        return arguments
    if NAME.fullmatch(first) and not Path(first).is_file():
        meant = ELSEWHERE.get(first) or next(iter(get_close_matches(first, commands, n=1, cutoff=ALIKE)), None)
        if meant is not None:
            raise RequestError(
                f"No such command {shown(first)}: did you mean `mlx-tts {meant}`? "
                f"(to speak the word: mlx-tts speak {first})"
            )
    return ["speak", *arguments]


def _is_piped() -> bool:
    """Whether standard input is a pipe or a file: neither a terminal nor /dev/null, as services have it."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):  # there is none, or it is closed
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)


def _with_plain_help(arguments: list[str]) -> list[str]:
    """`help`, `help speak` and -h are --help, `version` is --version."""
    if arguments[:1] == ["help"]:
        return [*arguments[1:2], "--help"]
    if arguments == ["version"]:
        return ["--version"]
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return [*("--help" if argument == "-h" else argument for argument in arguments[:end]), *arguments[end:]]


def _with_help_of_all(arguments: list[str]) -> list[str]:
    """--help-all is --help for a command that shows all with it."""
    from mlx_tts.cli.commands import COMMON, HELP_ALL

    if HELP_ALL not in arguments or arguments[0] in COMMON:
        return arguments
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return [*("--help" if argument == HELP_ALL else argument for argument in arguments[:end]), *arguments[end:]]


def _with_console_options_last(arguments: list[str]) -> list[str]:
    """-q and -v before the command's name go behind it, where the command reads them."""
    leading = []
    rest = list(arguments)
    while rest and rest[0] in CONSOLE_OPTIONS:
        leading.append(rest.pop(0))
    words = 2 if rest[:1] and rest[0] in GROUPS and rest[1:] and not rest[1].startswith("-") else 1
    return [*rest[:words], *leading, *rest[words:]] if rest and not rest[0].startswith("-") else [*leading, *rest]


def _without_debug(arguments: Sequence[str]) -> tuple[list[str], bool]:
    """--debug may stand anywhere before a `--`, so that it can be added at the end of a line that failed."""
    end = list(arguments).index("--") if "--" in arguments else len(arguments)
    options = [argument for argument in arguments[:end] if argument != "--debug"]
    return [*options, *arguments[end:]], len(options) < end
