"""Arguments -> exit code: the `mlx-tts` command, and the one place where an error becomes a line and a number."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
import threading
import traceback
from collections.abc import Sequence
from typing import Any, NoReturn

from mlx_tts.cli.process import (
    ignore_signals,
    interrupt_on_signals,
    open_standard_streams,
    share_malloc,
    shown_line,
    tell,
)
from mlx_tts.errors import MlxTtsError

MOST_OWNERS = 2  # commands that an error names
INTERRUPTED = 130  # what shells expect after Ctrl-C


def main() -> NoReturn:
    """The console script."""
    try:
        open_standard_streams()
        interrupt_on_signals()
        if sys.platform == "darwin":
            from mlx_tts.runtime.metal_buffers import lengthen_command_buffers

            lengthen_command_buffers()
        if "serve" in sys.argv[1:]:
            share_malloc()
        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = INTERRUPTED
    ignore_signals()
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.flush()
    if any(not thread.daemon for thread in threading.enumerate() if thread is not threading.main_thread()):
        # The threads of an interrupted download would keep the process alive until they have run their course.
        os._exit(code)
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run the command; never raises. --debug prints a traceback and changes nothing else."""
    import typer

    from mlx_tts.cli.arguments import prepared
    from mlx_tts.cli.commands import COMMANDS, build
    from mlx_tts.cli.console import begin_command

    begin_command()
    debug = "--debug" in arguments
    try:
        arguments, debug = prepared(arguments, COMMANDS)
        code = build()(args=arguments, prog_name="mlx-tts", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except typer.TyperException as error:
        return _fail(_misused(error, arguments), error.exit_code)
    except MlxTtsError as error:
        if debug:
            traceback.print_exc()
        return _fail(_told(error), error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        return _closed_pipe()
    except SystemExit as leaving:
        # typer turns a closed pipe and its own completion into this.
        return leaving.code if isinstance(leaving.code, int) else 1
    except Exception as error:  # noqa: BLE001 (a bug: it ends as a line and a number too)
        if debug:
            traceback.print_exc()
        return _fail(_explained(error), 1)


def _misused(error: Any, arguments: Sequence[str]) -> str:
    """The line of an error of typer, with the help to look into."""
    from mlx_tts.cli.arguments import OF_CLONE, OPTIONS_ELSEWHERE
    from mlx_tts.cli.commands import COMMANDS
    from mlx_tts.shortened import did_you_mean

    if (option := getattr(error, "option_name", None)) is not None:
        meant = OPTIONS_ELSEWHERE.get(option.replace("_", "-"), option)
        if meant in OF_CLONE and arguments[:1] == ["speak"]:
            return f"speak has no {option}: use `mlx-tts clone` to speak in the voice of a recording"
        if meant != option and any(meant in parameter.opts for parameter in error.ctx.command.params):
            return f"No such option: {option}: use {meant} (see {error.ctx.command_path} --help)"
        if (possible := getattr(error, "possibilities", None)) is not None:
            if owners := _commands_with(option, error.ctx):
                where = owners[0].strip("`")
                return f"No such option: {option}: it belongs to {' and '.join(owners)} (see {where} --help)"
            # The dashes, which all options have, would make short ones alike.
            hint = did_you_mean(option.lstrip("-"), {name.lstrip("-"): name for name in possible}).strip()
            return f"No such option: {option}{f': {hint}' if hint else ''} (see {error.ctx.command_path} --help)"
    named = f"mlx-tts {arguments[0]}" if arguments[:1] and arguments[0] in COMMANDS else "mlx-tts"
    where = getattr(getattr(error, "ctx", None), "command_path", named)
    told, meant = error.format_message().rstrip("."), getattr(getattr(error, "param", None), "help", None)
    if meant and told.startswith("Missing "):
        told += f", {meant[0].lower()}{meant[1:].rstrip('.')}"
    no_command = told.startswith(("No such command", "Got unexpected extra"))
    if no_command and arguments[:1] in (["voice"], ["voices"]) and (hint := _hint_for_voice(" ".join(arguments[1:2]))):
        return told + hint
    if told.startswith("Got unexpected extra") and any("--sample" in one.opts for one in error.ctx.command.params):
        told += ": give the recording with --sample"
    return f"{told} (see {where} --help)"


def _hint_for_voice(name: str) -> str:
    """`mlx-tts voice Ryan` or `voices Ryan`: how to speak in that voice; nothing where there is none of that name."""
    from mlx_tts.library.catalog import with_preset
    from mlx_tts.library.voice_shelf import user_shelf

    if not with_preset(name) and user_shelf().find(name) is None:
        return ""
    return f': to speak in that voice: mlx-tts "Hello." --voice {shlex.quote(name)}'


def _commands_with(option: str, context: Any) -> list[str]:
    """The commands that have this option, in backticks; none where they are many: it says nothing of what is meant."""
    found = []
    waiting = [(context.find_root().command, "mlx-tts")]
    while waiting:
        command, path = waiting.pop(0)
        for name in command.list_commands(context) if hasattr(command, "list_commands") else ():
            waiting.append((command.get_command(context, name), f"{path} {name}"))
        if any(option in one.opts and not getattr(one, "hidden", False) for one in command.params):
            found.append(f"`{path}`")
    return found if len(found) <= MOST_OWNERS else []


def _told(error: MlxTtsError) -> str:
    """The line of an error, in which a setting has the name of its option."""
    from mlx_tts.setting import SettingError

    if not isinstance(error, SettingError):
        return str(error)
    from mlx_tts.cli.options import flag_of

    return error.said(flag_of(error.name))


def _explained(error: Exception) -> str:
    """What to tell of an error that nothing of ours raised."""
    if isinstance(error, OSError):
        _closed_pipe()  # what standard output still holds could not be written either
        where = f" ({error.filename})" if error.filename else ""
        return f"could not read or write{where}: {error.strerror or error}"
    if isinstance(error, MemoryError):
        return "there is not enough memory: close other programs, or take a smaller model"
    return f"unexpected {type(error).__name__}: {error} (run it again with --debug and report it)"


def _fail(message: str, code: int) -> int:
    tell(f"mlx-tts: {shown_line(message)}")
    return code


def _closed_pipe() -> int:
    # The reader went away, which is its right; Python would complain once more when it flushes at its end.
    with contextlib.suppress(OSError, ValueError):
        number = sys.stdout.fileno()
        descriptor = os.open(os.devnull, os.O_WRONLY)
        if descriptor != number:
            os.dup2(descriptor, number)
            os.close(descriptor)
    return 1
