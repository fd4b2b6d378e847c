"""Models and voices as clients of OpenAI and Kokoro name them -> ours: the default model, a preset of the same sex.

Many clients let no other names out. A name of neither family is the caller's mistake, and is answered as one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from zlib import crc32

from mlx_tts.library import catalog

MODELS = ("tts-1", "tts-1-hd", "gpt-4o-mini-tts", "kokoro")
MODEL = re.compile(r"(?:tts-1(?:-hd)?(?:-\d{4})?|gpt-4o-mini-tts(?:-\d{4}-\d{2}-\d{2})?|kokoro(?:-v\d[\d._]*)?)", re.I)
WOMEN = ("alloy", "coral", "marin", "nova", "sage", "shimmer")
MEN = ("ash", "ballad", "cedar", "echo", "fable", "onyx", "verse")
VOICES = tuple(sorted(WOMEN + MEN))  # of OpenAI
# Kokoro's: a letter for the language, f or m, and a name.
KOKORO = re.compile(r"(?P<language>[abefhijpz])(?P<sex>[fm])_[a-z]{1,30}", re.I)
PART = re.compile(r"(?P<name>\w+)(?:\((?P<weight>\d{1,3}(?:\.\d{1,3})?)\))?")  # of a mix
MOST_MIX = 500  # characters
LANGUAGES = {
    "a": "english",
    "b": "english",
    "e": "spanish",
    "f": "french",
    "h": "hindi",
    "i": "italian",
    "j": "japanese",
    "p": "portuguese",
    "z": "chinese",
}


def is_model(name: str) -> bool:
    """Whether a client of OpenAI or Kokoro means its own model by this name."""
    return MODEL.fullmatch(name) is not None


def is_voice(name: str) -> bool:
    return name.casefold() in VOICES or KOKORO.fullmatch(name) is not None or heaviest(name) is not None


def heaviest(mix: str) -> str | None:
    """The name with the largest weight in a mix of borrowed voices, as Kokoro-FastAPI's clients write it, such as
    "af_bella(2)+af_sky", the first of several; None for what is no mix."""
    parts = [PART.fullmatch(part.strip()) for part in re.split("[+-]", mix[:MOST_MIX])]
    if len(parts) == 1 and "(" not in mix:
        return None
    weights: dict[str, float] = {}
    for part in parts:
        if part is None or not (part["name"].casefold() in VOICES or KOKORO.fullmatch(part["name"])):
            return None
        weights[part["name"]] = float(part["weight"] or 1)
    return max(weights, key=lambda name: weights[name])


def preset_for(name: str, presets: Sequence[str]) -> str | None:
    """The preset that stands for a borrowed voice: always the same one, of the same sex where there is one; None where
    the model has no presets."""
    if not presets:
        return None
    own = (heaviest(name) or name).casefold()
    kokoro = KOKORO.fullmatch(own)
    woman = own in WOMEN if kokoro is None else kokoro["sex"] == "f"
    known = catalog.presets()
    fitting = [
        preset
        for preset in presets
        if (about := known.get(catalog.voice_key(preset))) and about.sex == ("woman" if woman else "man")
    ]
    fitting = fitting or list(presets)
    at = (WOMEN if woman else MEN).index(own) if kokoro is None else crc32(own.encode())
    return fitting[at % len(fitting)]


def language_of(name: str, languages: Sequence[str]) -> str | None:
    """The language that Kokoro's name of a voice says, where the model speaks it."""
    found = KOKORO.fullmatch((heaviest(name) or name).casefold())
    language = LANGUAGES[found["language"]] if found else None
    return language if language in languages else None
