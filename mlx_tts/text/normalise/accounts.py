"""The number of a bank account (IBAN) -> its letters and digits, said one by one in groups of four."""

from __future__ import annotations

import re
from collections.abc import Callable

IBAN = (
    r"(?<![\w.-])[A-Z]{2}\d{2}(?: [A-Z\d]{4}){2,7}(?: [A-Z\d]{1,3})?(?![\w-])"
    r"|(?<![\w.-])[A-Z]{2}\d{2}[A-Z\d]{11,30}(?![\w-])"
)


def iban(match: re.Match[str], digits: Callable[[str], str]) -> str | None:
    """digits: says digits one by one."""
    written = match[0].replace(" ", "")
    if not 15 <= len(written) <= 34 or sum(c.isdecimal() for c in written) < 11:
        return None
    groups = [written[at : at + 4] for at in range(0, len(written), 4)]
    parts = (re.findall(r"[A-Z]|\d+", group) for group in groups)
    return ", ".join(" ".join(digits(part) if part.isdecimal() else part for part in group) for group in parts)
