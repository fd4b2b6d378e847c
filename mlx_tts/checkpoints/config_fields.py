"""JSON object -> frozen dataclass: required fields must be there, and a fault names the file and the field."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from mlx_tts.errors import ModelError

T = TypeVar("T")


def read_json(path: Path) -> dict[str, Any]:
    """The object in a JSON file; ModelError when it is missing, broken or not an object."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelError(f"{path.parent} has no {path.name}: fetch or copy the whole checkpoint again") from None
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ModelError(f"{path} cannot be read as JSON ({error}): fetch or copy it again") from None
    if not isinstance(data, dict):
        raise ModelError(f"{path} holds no JSON object: fetch or copy it again")
    return data


def read_fields(cls: type[T], data: Any, where: str) -> T:
    """Build `cls` from the entries of `data` that it names; nested dataclasses are read the same way.

    Lists become tuples. `where` says where `data` came from, for the message of a ModelError.
    """
    if not isinstance(data, dict):
        raise ModelError(f"{where} is {data!r}, not an object: the checkpoint's config is damaged")
    hints = get_type_hints(cls)
    values: dict[str, Any] = {}
    for entry in fields(cls):  # type: ignore[arg-type]
        if entry.name not in data:
            if entry.default is MISSING and entry.default_factory is MISSING:
                raise ModelError(
                    f"{where} has no {entry.name!r}: the checkpoint's config is damaged or of another model"
                )
            continue
        values[entry.name] = _convert(hints[entry.name], data[entry.name], f"{where}.{entry.name}")
    return cls(**values)


def _convert(hint: Any, value: Any, where: str) -> Any:
    if is_dataclass(hint):
        return read_fields(hint, value, where)  # type: ignore[arg-type]
    if isinstance(value, list):
        value = tuple(value)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    expected = getattr(hint, "__origin__", hint)
    if isinstance(expected, type) and (
        not isinstance(value, expected) or (expected is int and isinstance(value, bool))
    ):
        raise ModelError(f"{where} is {value!r}, not of type {expected.__name__}: the checkpoint's config is damaged")
    if expected is int and value < 0:
        raise ModelError(f"{where} is {value!r}, a negative number: the checkpoint's config is damaged")
    return value
