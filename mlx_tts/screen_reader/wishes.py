"""What a screen reader sets (rate, pitch, volume, voice, language) -> how fast, how high, how loud and who."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mlx_tts.library import catalog
from mlx_tts.text import languages

MOST_SPEED, LEAST_SPEED = 4.0, 0.25
FASTEST = 3.0  # times as fast, at rate 100
PITCH_SPAN = 2 ** (1 / 3)  # four semitones, at pitch 100
UNASKED = "male1"  # the kind of voice that speech-dispatcher sends where nobody chose one


@dataclass(frozen=True)
class Wishes:
    """rate, pitch, volume: from -100 to 100, as speech-dispatcher has them. kind: such as female1. name: of a voice."""

    rate: int = 0
    pitch: int = 0
    volume: int = 100
    kind: str = UNASKED
    name: str | None = None
    language: str | None = None
    punctuation: str = "none"
    spells: bool = False
    says_capitals: bool = False

    def changed(self, given: Mapping[str, str]) -> Wishes:
        """With the lines of SET; those that are unknown or no numbers change nothing."""
        new = replace(
            self,
            rate=_number(given.get("rate"), self.rate),
            pitch=_number(given.get("pitch"), self.pitch),
            volume=_number(given.get("volume"), self.volume),
        )
        if "voice" in given:
            new = replace(new, kind=given["voice"].casefold())
        if "synthesis_voice" in given:
            new = replace(new, name=_unless_null(given["synthesis_voice"]))
        if "language" in given:
            new = replace(new, language=_unless_null(given["language"]))
        if "punctuation_mode" in given:
            new = replace(new, punctuation=given["punctuation_mode"])
        if "spelling_mode" in given:
            new = replace(new, spells=given["spelling_mode"] == "on")
        if "cap_let_recogn" in given:
            new = replace(new, says_capitals=given["cap_let_recogn"] in ("spell", "icon"))
        return new

    @property
    def height(self) -> float:
        """How many times as high the voice is."""
        return PITCH_SPAN ** (self.pitch / 100)

    @property
    def gain(self) -> float:
        """Between 0 and 1: speech-dispatcher's loudest is the voice as it is."""
        return (self.volume + 100) / 200

    def speed(self, usual: float) -> float:
        """How many times as fast the sound is made. usual: at rate 0. A high voice is made slowly and played fast."""
        wished = usual * FASTEST ** (self.rate / 100) / self.height
        return round(min(MOST_SPEED, max(LEAST_SPEED, wished)), 3)

    def voice(self, usual: str | None, voices: Sequence[str]) -> str | None:
        """The name of one of these voices; usual: where nothing else is wished."""
        by_key = {catalog.voice_key(name): name for name in voices}
        if self.name is not None and (named := by_key.get(catalog.voice_key(self.name))):
            return named
        if self.kind == UNASKED:
            return usual
        sex = "woman" if self.kind.startswith(("female", "child_female")) else "man"
        fitting = [name for name in voices if sex_of(name) == sex]
        number = self.kind[-1]
        return fitting[(int(number) if number.isdecimal() else 1) % len(fitting) - 1] if fitting else usual

    def spoken_language(self, usual: str, spoken: Sequence[str]) -> str:
        """The name of one of these languages. What the model does not speak is read as its first language: a screen
        reader that falls silent is worse than an accent."""
        named = languages.named(self.language) if self.language else None
        if named in spoken:
            return str(named)
        if usual != languages.AUTO:
            return usual
        known = [name for name in spoken if name != languages.AUTO]
        return languages.DEFAULT if languages.DEFAULT in known or not known else known[0]


def sex_of(voice: str) -> str | None:
    """woman or man; None for a voice of which nothing is known."""
    known = catalog.presets().get(catalog.voice_key(voice))
    return known.sex if known else None


def _unless_null(value: str) -> str | None:
    return None if value in ("", "NULL") else value


def _number(value: str | None, before: int) -> int:
    try:
        return before if value is None else max(-100, min(100, int(value)))
    except ValueError:
        return before
