"""JSON object -> frozen dataclass: required fields must be there, and a fault names the file and the field.

Whatever else goes wrong while a checkpoint is read or loaded becomes a ModelError that names its folder or file.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields, is_dataclass
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

from mlx_tts.errors import MlxTtsError, ModelError
from mlx_tts.files import reading
from mlx_tts.files.reading import UnreadableFileError
from mlx_tts.shortened import reason_of, shown

T = TypeVar("T")
LARGEST_SIZE = 1 << 20  # of a width, a table or a count; those of released models are far below
LARGEST_NUMBER = 1e9
LONGEST_LIST = 64
LONGEST_NAME = 100


@contextmanager
def as_model_error(folder: Path) -> Iterator[None]:
    """While a checkpoint is loaded: any other error becomes a ModelError that names its folder.

    Errors of our own name file and key already and go through. `--debug` still shows where another one came from.
    """
    try:
        yield
    except MlxTtsError:
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {reason_of(error)}"
        raise ModelError(f"{folder} cannot be loaded ({reason}): fetch or copy the whole checkpoint again") from error


@contextmanager
def part_of_checkpoint(path: Path) -> Iterator[None]:
    """While a file of a checkpoint is read: ModelError where it is missing or cannot be read."""
    try:
        yield
    except FileNotFoundError:
        raise ModelError(f"{path.parent} has no {path.name}: fetch or copy the whole checkpoint again") from None
    except UnreadableFileError as error:
        raise ModelError(f"{path} {error}: fetch or copy it again") from None


@dataclass(frozen=True)
class Limits:
    """The least and the largest value that a number may have, as in `Annotated[int, Limits(1, 500)]`."""

    least: float
    most: float


SIZES = Limits(1, LARGEST_SIZE)  # of a whole number without limits of its own
NUMBERS = Limits(-LARGEST_NUMBER, LARGEST_NUMBER)


def read_json(path: Path, most_bytes: int = reading.MOST_BYTES) -> dict[str, Any]:
    """The object in a JSON file; ModelError when it is missing, broken or not an object."""
    with part_of_checkpoint(path):
        return reading.read_json_object(path, most_bytes)


def read_fields(cls: type[T], data: Any, where: str) -> T:
    """Build `cls` from the entries of `data` that it names; nested dataclasses are read the same way.

    Lists become tuples. Whole numbers are from 1 to LARGEST_SIZE unless the field's type has limits of its own. `where`
    says where `data` came from, for the message of a ModelError.
    """
    if not isinstance(data, dict):
        raise ModelError(f"{where} is {told(data)}, not an object: the checkpoint's config is damaged")
    hints = get_type_hints(cls, include_extras=True)
    values: dict[str, Any] = {}
    for entry in fields(cls):  # type: ignore[arg-type]
        if entry.name not in data:
            if entry.default is MISSING and entry.default_factory is MISSING:
                raise ModelError(
                    f"{where} has no {shown(entry.name)}: the checkpoint's config is damaged or of another model"
                )
            continue
        values[entry.name] = _convert(hints[entry.name], data[entry.name], f"{where}.{entry.name}")
    return cls(**values)


def _convert(hint: Any, value: Any, where: str) -> Any:
    limits = None
    if get_origin(hint) is Annotated:
        hint, limits = get_args(hint)
    if is_dataclass(hint):
        return read_fields(hint, value, where)  # type: ignore[arg-type]
    if hint is tuple:
        if not isinstance(value, list) or not 0 < len(value) <= LONGEST_LIST:
            raise ModelError(f"{where} is {told(value)}, not a list of up to {LONGEST_LIST} numbers: it is damaged")
        return tuple(_number(int, limits or SIZES, item, f"{where}[{at}]") for at, item in enumerate(value))
    if hint is int or hint is float:
        return _number(hint, limits or (SIZES if hint is int else NUMBERS), value, where)
    if not isinstance(value, hint):
        raise ModelError(f"{where} is {told(value)}, not of type {hint.__name__}: the checkpoint's config is damaged")
    return check_name(value, where) if hint is str else value


def _number(kind: type[Any], limits: Limits, value: Any, where: str) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, float) if kind is float else int):
        raise ModelError(f"{where} is {told(value)}, not of type {kind.__name__}: the checkpoint's config is damaged")
    if not (isinstance(value, int) or isfinite(value)) or not limits.least <= value <= limits.most:
        allowed = f"from {limits.least:g} to {limits.most:g}"
        raise ModelError(f"{where} is {told(value)}; it must be {allowed}: the checkpoint's config is damaged")
    return kind(value)


def check_name(name: Any, where: str) -> str:
    """A name that can be shown on one line of a terminal."""
    if not isinstance(name, str) or not name.isprintable() or len(name) > LONGEST_NAME:
        raise ModelError(f"{where} has the name {told(name)}, which is not a name: the checkpoint's config is damaged")
    return name


def check_ids(ids: dict[Any, Any], most: int, where: str) -> None:
    """Names -> ids below `most`: a larger one would read memory behind the table."""
    for name, value in ids.items():
        check_name(name, where)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < most:
            raise ModelError(
                f"{where}.{name} is {told(value)}; it must be an id from 0 to {most - 1}: the config is damaged"
            )


def told(value: Any) -> str:
    """A value as a message shows it: on one line, and not all of a long one."""
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else f"a list of {len(value)}"
    return shown(value)
