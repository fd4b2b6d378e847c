"""settings.json -> what the user set once for all commands: the default model, voice, speed, format and tags."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from mlx_tts.errors import MlxTtsError
from mlx_tts.files.reading import UnreadableFileError, read_json
from mlx_tts.files.writing import write_whole
from mlx_tts.runtime.folders import config_folder
from mlx_tts.shortened import shown


@dataclass(frozen=True)
class Preferences:
    """None: not set. default_model: what `models default` sets. format: of a file whose name nobody chose.
    voice_aliases: NAME=VOICE, with commas between them, for the server. tags: NAME = INSTRUCTION, with semicolons
    between them, as `read_feelings` reads them."""

    default_model: str | None = None
    voice: str | None = None
    speed: float | None = None
    format: str | None = None
    voice_aliases: str | None = None
    tags: str | None = None

    @property
    def aliases(self) -> tuple[str, ...]:
        """Each NAME=VOICE."""
        return tuple(entry.strip() for entry in (self.voice_aliases or "").split(",") if entry.strip())


def settings_path() -> Path:
    """The file that holds them."""
    return config_folder() / "settings.json"


def preferences() -> Preferences:
    """What is set; MlxTtsError for a damaged file, and for one that somebody else may have written."""
    path = settings_path()
    try:
        if _is_open_to_others(path.stat()):
            raise MlxTtsError(f"{path} can be changed by other users: run `chmod go-w {path}`, or delete it")
        found = read_json(path)
    except FileNotFoundError:
        return Preferences()
    except OSError as error:
        raise MlxTtsError(f"{path} cannot be read ({error.strerror}): check its permissions") from None
    except UnreadableFileError as error:
        raise MlxTtsError(f"{path} {error}: repair or delete it") from None
    known = {entry.name for entry in fields(Preferences)}
    values = {name: value for name, value in found.items() if name in known} if isinstance(found, dict) else {}
    for name, value in values.items():
        kinds = (int, float) if name == "speed" else str
        if value is not None and (not isinstance(value, kinds) or isinstance(value, bool)):
            what = "a number" if name == "speed" else "a name"
            raise MlxTtsError(f"{path} has {name} {shown(value)}, which is not {what}: repair or delete it")
    return Preferences(**values)


def set_preference(name: str, value: str | float | None) -> None:
    """Set one of them; None forgets it. Nobody else may write the file."""
    path = settings_path()
    values = {key: known for key, known in {**asdict(preferences()), name: value}.items() if known is not None}
    try:
        if not values:
            path.unlink(missing_ok=True)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, (json.dumps(values, indent=2) + "\n").encode())
        path.chmod(0o600)
    except OSError as error:
        raise MlxTtsError(f"{path} cannot be written ({error.strerror}): check the folder's permissions") from None


def _is_open_to_others(status: os.stat_result) -> bool:
    """Whether somebody else owns the file or may write it. A group of the user alone, as many systems make it for each
    user, is nobody else."""
    if status.st_uid not in (0, os.geteuid()) or status.st_mode & stat.S_IWOTH:
        return True
    return bool(status.st_mode & stat.S_IWGRP) and not _is_own_group(status.st_gid)


def _is_own_group(number: int) -> bool:
    import grp
    import pwd

    try:
        user, group = pwd.getpwuid(os.geteuid()), grp.getgrgid(number)
    except KeyError:
        return False
    return group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name}
