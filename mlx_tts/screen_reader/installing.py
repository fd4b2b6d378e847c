"""`screen-reader --install`: a module's file where speech-dispatcher looks for those of the user."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

from mlx_tts.errors import MlxTtsError
from mlx_tts.files.writing import write_output

NAME = "mlx-tts"
MODULE = "sd_mlx-tts"  # it is called by what follows sd_


def module_file() -> Path:
    """`$XDG_DATA_HOME/../libexec`, as speech-dispatcher 0.11 has it."""
    return _data_folder().parent / "libexec" / "speech-dispatcher-modules" / MODULE


def _data_folder() -> Path:
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")


def script(options: list[str]) -> str:
    """What the file holds. The command stands there by its whole path: the session of a desktop has a short PATH."""
    found = shutil.which(NAME)
    program = [str(Path(found).absolute())] if found else [sys.executable, "-m", "mlx_tts"]
    # speech-dispatcher may add the name of a configuration, which is not handed on
    return f"#!/bin/sh\nexec {shlex.join([*program, 'screen-reader', *options])}\n"


def install(options: list[str]) -> list[str]:
    """Write the file; lines that say what was done and what comes next."""
    file = module_file()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        # speech-dispatcher finds the file by way of this folder, which a fresh home lacks
        _data_folder().mkdir(parents=True, exist_ok=True)
        write_output(file, script(options).encode())
        file.chmod(0o755)
    except OSError as error:
        raise MlxTtsError(f"cannot write {file}: {error.strerror}") from None
    return [
        f"wrote {file}",
        "end speech-dispatcher, and it starts with the new voice: killall speech-dispatcher",
        f'try it: spd-say -o {NAME} "Hello." To use it everywhere: DefaultModule {NAME} in speechd.conf',
    ]


def uninstall() -> list[str]:
    """Remove the file."""
    file = module_file()
    if not file.exists():
        return [f"nothing is installed: there is no {file}"]
    try:
        file.unlink()
    except OSError as error:
        raise MlxTtsError(f"cannot remove {file}: {error.strerror}") from None
    return [f"removed {file}"]
