"""The range of a number -> an option of the command line that says the range in its help and in its refusal."""

from __future__ import annotations

from typing import Any

import typer


def number_option(
    name: str, text: str, low: float, high: float = float("inf"), above: bool = False, hidden: bool = False
) -> Any:
    """An option for a number from low (or above it) to high; says the range in its help and in its refusal."""
    if high == float("inf"):
        limits = f"{low:g} or more"
    else:
        limits = f"above {low:g}, up to {high:g}" if above else f"{low:g} to {high:g}"

    def check(value: float | None) -> float | None:
        if value is not None and not (low < value <= high or (value == low and not above)):  # refuses NaN as well
            raise typer.BadParameter(f"{value:g} is out of range: give {limits}")
        return value

    return typer.Option(
        name, metavar="NUMBER", callback=check, help=f"{text} ({limits})", show_default=False, hidden=hidden
    )
