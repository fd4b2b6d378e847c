"""Arguments -> exit code: the `mlx-tts` command, and the one place where an error becomes a line and a number."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import traceback
from collections.abc import Sequence
from typing import NoReturn

from mlx_tts.errors import MlxTtsError

INTERRUPTED = 130  # what shells expect after Ctrl-C


def main() -> NoReturn:
    """The console script."""
    if sys.platform == "darwin":
        from mlx_tts.runtime.metal_buffers import lengthen_command_buffers

        lengthen_command_buffers()
    code = run(sys.argv[1:])
    with contextlib.suppress(OSError):
        sys.stderr.flush()
    if any(not thread.daemon for thread in threading.enumerate() if thread is not threading.main_thread()):
        # The threads of an interrupted download would keep the process alive until they have run their course.
        os._exit(code)
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run the command; never raises. --debug prints a traceback and changes nothing else."""
    import typer

    from mlx_tts.cli.commands import build

    arguments, debug = _without_debug(_with_console_options_last(arguments))
    try:
        code = build()(args=arguments, prog_name="mlx-tts", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except typer.TyperException as error:
        where = getattr(getattr(error, "ctx", None), "command_path", "mlx-tts")
        return _fail(f"{error.format_message().rstrip('.')} (see {where} --help)", error.exit_code)
    except MlxTtsError as error:
        if debug:
            traceback.print_exc()
        return _fail(str(error), error.exit_code)
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
        return _fail(f"unexpected {type(error).__name__}: {error} (run it again with --debug and report it)", 1)


CONSOLE_OPTIONS = ("-q", "--quiet", "-v", "--verbose")


def _with_console_options_last(arguments: Sequence[str]) -> list[str]:
    """-q and -v before the command's name go behind it, where the command reads them."""
    leading = []
    rest = list(arguments)
    while rest and rest[0] in CONSOLE_OPTIONS:
        leading.append(rest.pop(0))
    return [rest[0], *leading, *rest[1:]] if rest and not rest[0].startswith("-") else [*leading, *rest]


def _without_debug(arguments: Sequence[str]) -> tuple[list[str], bool]:
    """--debug may stand anywhere before a `--`, so that it can be added at the end of a line that failed."""
    end = list(arguments).index("--") if "--" in arguments else len(arguments)
    options = [argument for argument in arguments[:end] if argument != "--debug"]
    return [*options, *arguments[end:]], len(options) < end


def _fail(message: str, code: int) -> int:
    print(f"mlx-tts: {' '.join(message.split())}", file=sys.stderr)
    return code


def _closed_pipe() -> int:
    # The reader went away, which is its right; Python would complain once more when it flushes at its end.
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1
