"""Path of a small file from anywhere -> its bytes, text, JSON or TOML; UnreadableFileError says why it is not read.

A file is read only if it is a regular one of sane size: a named pipe or a device in its place would block for ever or
fill the memory. Text is UTF-8. JSON has neither NaN nor deep nesting, which break what is done with it later.
"""

from __future__ import annotations

import json
import os
import re
import stat
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from mlx_tts.errors import RequestError
from mlx_tts.files import budget
from mlx_tts.shortened import reason_of, shown

MOST_NAMES = 2000  # of a folder, when one is looked for that was nearly typed
NEAR = 0.65  # of two names without their endings, for difflib: "bok" and "book" are near, "notes" and "other" are not
LONGEST_PART = 255  # bytes of a name, on every system in use


def as_path(value: Any, name: str = "path") -> Path:
    if not isinstance(value, (str, Path)) or not str(value) or "\0" in str(value):
        raise RequestError(f"{name} is {shown(value)}, a {type(value).__name__}: give a file's name")
    path = Path(value)
    try:
        is_too_long = any(len(os.fsencode(part)) > LONGEST_PART for part in path.parts)
    except UnicodeEncodeError:
        raise RequestError(f"{name} is {shown(str(value))}, which no file's name can be: choose another") from None
    if is_too_long:
        raise RequestError(f"{name} is {shown(str(value))}: that is too long for a file's name")
    return path


def user_path(text: str) -> Path:
    """A path that may begin with ~; one of a user who is not known stays as it is written."""
    try:
        return Path(text).expanduser()
    except RuntimeError:
        return Path(text)


def near_file(path: Path, endings: tuple[str, ...]) -> Path | None:
    """The file of such a kind whose name is nearly that of a file that is not there, in the same folder."""
    from difflib import get_close_matches  # takes longer to import than most commands need

    try:
        with os.scandir(path.parent) as entries:
            names = [entry.name for entry in islice(entries, MOST_NAMES) if entry.name.lower().endswith(endings)]
    except (OSError, ValueError):
        return None
    stems = [Path(name).stem for name in names]
    near = get_close_matches(path.stem[:LONGEST_PART], stems, n=1, cutoff=NEAR)  # the ending would make all names alike
    alike = [name for name, stem in zip(names, stems, strict=True) if near == [stem]]
    return path.with_name(max(alike, key=lambda name: (Path(name).suffix == path.suffix, name))) if alike else None


MOST_BYTES = budget.SMALL_FILE_BYTES
DOTTED = re.compile(
    r"(?<![\w.-])(?:[\w-]++[ \t]*+\.[ \t]*+){64}"
)  # a key of TOML in more parts than nesting is allowed


class UnreadableFileError(ValueError):
    """Why a file is not read: the end of a sentence that begins with its path. A missing one is FileNotFoundError."""


def open_regular(path: Path) -> BinaryIO:
    """Open for reading; UnreadableFileError for all but a regular file. Never waits for a named pipe's writer."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except NotADirectoryError as error:
        raise FileNotFoundError(*error.args) from None
    except FileNotFoundError:
        raise
    except OSError as error:
        raise UnreadableFileError(f"cannot be opened ({error.strerror})") from None
    except ValueError:  # a NUL in the name
        raise UnreadableFileError("is not a name of a file") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UnreadableFileError("is not a regular file")
    return os.fdopen(descriptor, "rb")


class QuietFile:
    """An open file for libraries that call back into Python and cannot pass on an exception.

    Where it cannot be read, it gives nothing; to a place that does not exist, it does not go. And it has no name, by
    whose ending soundfile would guess a format."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.tell, self.close = file.tell, file.close

    def read(self, size: int = -1) -> bytes:
        try:
            return self._file.read(size)
        except OSError:
            return b""

    def readinto(self, buffer: Any) -> int:
        try:
            return int(self._file.readinto(buffer))  # type: ignore[attr-defined]
        except OSError:
            return 0

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        try:
            return self._file.seek(offset, whence)
        except (OSError, ValueError, OverflowError):
            return self._file.tell()

    def __enter__(self) -> QuietFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_bytes(path: Path, most_bytes: int = MOST_BYTES) -> bytes:
    """All of a regular file that has at most so many bytes, in the usual budget."""
    most = budget.Limit(most_bytes, "bytes", "has more than {}, which is too much for what it is")
    try:
        with open_regular(path) as file:
            data = file.read(most.allowed + 1)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise UnreadableFileError(f"cannot be read ({error.strerror})") from None
    if len(data) > most.allowed:
        raise UnreadableFileError(most.refusal())
    return data


def read_text(path: Path, most_bytes: int = MOST_BYTES) -> str:
    """The text of a UTF-8 file; a byte order mark is left out."""
    try:
        return read_bytes(path, most_bytes).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableFileError(f"is not UTF-8 text (byte {error.start})") from None


def parse_json(text: str) -> Any:
    """The value of a JSON text; UnreadableFileError says what is wrong with it."""
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except UnreadableFileError:
        raise
    except json.JSONDecodeError as error:
        raise UnreadableFileError(f"cannot be read as JSON ({error.msg} in line {error.lineno})") from None
    except RecursionError:
        raise UnreadableFileError("is nested too deeply") from None
    except ValueError:  # Python converts no more than 4,300 digits
        raise UnreadableFileError("holds a number with thousands of digits") from None
    _check_depth(value)
    return value


def read_json(path: Path, most_bytes: int = MOST_BYTES) -> Any:
    """The value of a JSON file."""
    return parse_json(read_text(path, most_bytes))


def read_json_object(path: Path, most_bytes: int = MOST_BYTES) -> dict[str, Any]:
    """The object of a JSON file."""
    value = read_json(path, most_bytes)
    if not isinstance(value, dict):
        raise UnreadableFileError("holds no JSON object")
    return value


def read_toml(path: Path, most_bytes: int = MOST_BYTES) -> dict[str, Any]:
    """The tables of a TOML file."""
    return parse_toml(read_text(path, most_bytes))


def parse_toml(text: str) -> dict[str, Any]:
    """The tables of a TOML text; UnreadableFileError says what is wrong with it."""
    import tomllib

    if DOTTED.search(text):  # each level of a key takes as long as all before it
        raise UnreadableFileError(budget.JSON_DEPTH.refusal())
    try:
        table = tomllib.loads(text)
    except RecursionError:
        raise UnreadableFileError("is nested too deeply") from None
    except ValueError as error:  # a TOMLDecodeError too
        raise UnreadableFileError(f"is not TOML ({reason_of(error)})") from None
    _check_depth(table)
    return table


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(budget.JSON_DEPTH.allowed):
        level = [inner for outer in level for inner in _inside(outer) if type(inner) in (dict, list)]
        if not level:
            return
    raise UnreadableFileError(budget.JSON_DEPTH.refusal())


def _inside(value: Any) -> Any:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _refuse_constant(name: str) -> None:
    raise UnreadableFileError(f"holds {name}, which is not a number in JSON")
