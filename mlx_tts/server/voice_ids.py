"""Names of voices <-> ids of 20 letters and digits, for clients that take no others (ElevenLabs')."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import sha256

from mlx_tts.library.catalog import voice_key

ID = re.compile(r"v[0-9a-f]{19}")


def id_of(name: str) -> str:
    """Always the same for a name, on every machine."""
    return f"v{sha256(voice_key(name).encode()).hexdigest()[:19]}"


def name_of(given: str, names: Iterable[str]) -> str:
    """The name among these that an id stands for; what is no id, or nobody's, stays as it is."""
    if ID.fullmatch(given) is None:
        return given
    return next((name for name in names if id_of(name) == given), given)
