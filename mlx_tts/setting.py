"""One thing that may be set: its default, its limits and its help. A value from any caller in, the checked value out.

Settings are fields of frozen dataclasses: `speed: float = number(1.0, "Times as fast.", 0.25, 4)`. The command line
makes its options from them, batches their columns, the server the fields of its JSON. None has a limit of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from numbers import Real
from pathlib import Path
from typing import Any, TypeVar

from mlx_tts.errors import RequestError
from mlx_tts.shortened import SHOWN, shortened, shown

KEY = "setting"  # of a field's metadata
YES, NO = ("true", "yes", "on", "1"), ("false", "no", "off", "0")
MOST_CHARACTERS = 10_000  # of a name or an instruction: a server compares names with others, which takes time
LARGE = 1 << 53  # what is above it is shown as a power of two
Group = TypeVar("Group")


class SettingError(RequestError):
    """A value that a setting does not take. Callers know the setting under names of their own: `said` uses one."""

    def __init__(self, name: str, value: Any, advice: str):
        self.name, self.value, self.advice = name, value, advice
        super().__init__(self.said(name))

    def __reduce__(self) -> Any:
        return SettingError, (self.name, self.value, self.advice)

    def said(self, name: str) -> str:
        """The whole line, with the name that the caller gave the value under."""
        return f"{name} is {as_given(self.value)}: {self.advice}"


@dataclass(frozen=True)
class Setting:
    """What the metadata of a field says.

    read_plain: a value as callers give it -> the value; ValueError says what to give instead. limits: the same for
    people, shown after the help. local: names a file or a program of this machine, so neither the network nor a table
    may give it. per_line: each line of a batch may have its own. flag: the option of the command line where it is not
    "--" and the field's name; short: its letter. metavar, hidden: of that option.
    """

    help: str
    read_plain: Callable[[Any], Any]
    is_switch: bool = False
    limits: str = ""
    local: bool = False
    per_line: bool = True
    flag: str = ""
    short: str = ""
    metavar: str = ""
    hidden: bool = False

    def read(self, name: str, value: Any) -> Any:
        """The checked value; SettingError says what is wrong with it."""
        try:
            return self.read_plain(value)
        except ValueError as error:
            raise SettingError(name, value, str(error)) from None


def as_given(value: Any) -> str:
    """A value as an error line shows it: a number without quotes, also where it came as a string."""
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, bytes):
        value = value[: SHOWN + 1]  # megabytes take long to write out
    return shortened(value, SHOWN) if isinstance(value, str) and _is_number(value) else shown(value)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return word.isprintable()


# Fields. Each takes the default and the help; what else a Setting may say is given by name.


def number(
    default: float | None, help: str, least: float, most: float = math.inf, above: bool = False, **more: Any
) -> Any:
    """A number from `least` (or above it) to `most`."""
    return _number(default, help, float, least, most, above, more)


def whole(default: int | None, help: str, least: int, most: float = math.inf, **more: Any) -> Any:
    """A whole number from `least` to `most`."""
    return _number(default, help, int, least, most, False, more)


def choice(default: str, allowed: tuple[str, ...], help: str, **more: Any) -> Any:
    """One of a few words."""
    named = (" or " if len(allowed) == 2 else ", ").join(allowed)

    def read(value: Any) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise ValueError(f"use {named}")
        return value

    return setting(default, help, read, metavar="|".join(allowed), **more)


def text(default: str | None, help: str, **more: Any) -> Any:
    """A string of at most MOST_CHARACTERS, which may not hold half of a character."""

    return setting(default, help, _short_text, **more)


def path(help: str, **more: Any) -> Any:
    """A file of this machine; None where it is not given."""
    return setting(None, help, Path, metavar="FILE", **more)


def read_text(name: str, value: Any) -> str:
    """A string as a setting takes it; SettingError for anything else."""
    return Setting("", plain_text).read(name, value)  # type: ignore[no-any-return]


def plain_text(value: Any) -> str:
    """A string of any length, which may not hold half of a character; ValueError for anything else."""
    if not isinstance(value, str):
        raise ValueError("give a string")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("that is not UTF-8 text: convert it first") from None
    return value


def _short_text(value: Any) -> str:
    plain = plain_text(value)
    if len(plain) > MOST_CHARACTERS:
        raise ValueError(f"give at most {MOST_CHARACTERS:,} characters")
    return plain


def switch(default: bool, help: str, **more: Any) -> Any:
    """On or off. Where the default is on, the option of the command line is a flag that turns it off."""

    def read(value: Any) -> bool:
        if isinstance(value, bool):
            return value
        word = value.strip().casefold() if isinstance(value, str) else value
        if word in YES or word in NO:
            return word in YES
        raise ValueError("give true or false")

    return setting(default, help, read, is_switch=True, **more)


def setting(default: Any, help: str, read: Callable[[Any], Any], **more: Any) -> Any:
    """A field of any kind, by its own reader."""
    return field(default=default, metadata={KEY: Setting(help, read, **more)})


def with_default(group: type[Any], name: str, default: Any) -> Any:
    """The setting of another group with a default of its own."""
    return field(default=default, metadata={KEY: settings_in(group)[name]})


def _number(
    default: float | None, help: str, kind: type, least: float, most: float, above: bool, more: dict[str, Any]
) -> Any:
    if most == math.inf:
        limits = f"{least:g} or more"
    elif most >= LARGE:
        limits = f"{least:g} to 2^{math.log2(most):.0f} - 1"
    else:
        limits = f"above {least:g}, up to {most:g}" if above else f"{least:g} to {most:g}"

    def read(value: Any) -> float:
        given = read_number(value, kind)
        if not (least < given <= most or (given == least and not above)) or abs(given) == math.inf:
            raise ValueError(f"give {limits}")
        return given

    return setting(default, help, read, limits=limits, metavar="NUMBER", **more)


def read_number(value: Any, kind: type = float) -> Any:
    """A number of a kind, also from its text; ValueError for what is not one."""
    wanted = f"give a {'whole ' if kind is int else ''}number"
    try:
        if isinstance(value, bool) or not isinstance(value, (Real, str)):
            raise ValueError
        plain = kind(value)
        if not isinstance(value, str) and plain != value:  # 1.5 is not a whole number, and NaN is not a number
            raise ValueError
    except (ValueError, OverflowError):
        raise ValueError(wanted) from None
    if plain != plain:
        raise ValueError(wanted)
    return plain


# Groups of settings.


def settings_in(group: type[Any]) -> Mapping[str, Setting]:
    """The settings of a dataclass by name, with those of the dataclasses that its defaults are."""
    found: dict[str, Setting] = {}
    for entry in fields(group):
        if KEY in entry.metadata:
            found[entry.name] = entry.metadata[KEY]
        elif is_dataclass(entry.default) and not isinstance(entry.default, type):
            found.update(settings_in(type(entry.default)))
    return found


def gathered(group: type[Group], values: Mapping[str, Any], *, empty_is_default: bool = True, **others: Any) -> Group:
    """A group of the values by name, each read; None leaves the default, and the empty string unless it is a value of
    its own. others: fields that are not settings. SettingError names the first that is wrong."""
    own: dict[str, Any] = dict(others)
    for entry in fields(group):  # type: ignore[arg-type]
        if KEY in entry.metadata:
            value = values.get(entry.name)
            if value is not None and not (empty_is_default and isinstance(value, str) and value == ""):
                own[entry.name] = entry.metadata[KEY].read(entry.name, value)
        elif entry.name not in own and is_dataclass(entry.default) and not isinstance(entry.default, type):
            own[entry.name] = gathered(type(entry.default), values, empty_is_default=empty_is_default)
    return group(**own)


def updated(group: Group, values: Mapping[str, Any]) -> Group:
    """The same with other values by name, which were read already, those of nested groups as well."""
    own: dict[str, Any] = {}
    for entry in fields(group):  # type: ignore[arg-type]
        if entry.name in values:
            own[entry.name] = values[entry.name]
        elif KEY not in entry.metadata and is_dataclass(nested := getattr(group, entry.name)):
            own[entry.name] = updated(nested, values)
    return replace(group, **own)  # type: ignore[type-var]


def changed(group: Any) -> Iterator[tuple[str, Setting, Any]]:
    """Name, setting and value of all that differ from their defaults, those of nested groups as well."""
    for entry in fields(group):
        value = getattr(group, entry.name)
        if KEY not in entry.metadata:
            if is_dataclass(value) and not isinstance(value, type):
                yield from changed(value)
        elif value != entry.default:
            yield entry.name, entry.metadata[KEY], value
