"""Everything that may be asked of a speech, each setting once: voice, reading, sound and guard.

The command line makes its options from these fields, a batch its columns, the server the fields of its JSON, and a test
gives all of them the same values. A new setting is a field here; what it does stands in `prepare`, or where it acts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from mlx_tts.audio.formats import FORMATS, STREAMED
from mlx_tts.errors import RequestError
from mlx_tts.setting import SettingError, changed, choice, number, read_number, setting, switch, text, whole
from mlx_tts.shortened import shown
from mlx_tts.speech import Sampling
from mlx_tts.text.normalise.lexicon import Lexicon, read_lexicon

RATES = (8_000, 16_000, 22_050, 24_000, 44_100, 48_000)
LARGEST_KILOHERTZ = 48
LEAST_LUFS, MOST_LUFS = -40.0, -5.0
MOST_SEED = (1 << 64) - 1
OFF = "off"
NO_SAMPLING = Sampling()
Checked = TypeVar("Checked", bound="SpeechSettings")


def _read_loudness(value: Any) -> float | str:
    if value == OFF:
        return OFF
    try:
        target = read_number(value)
    except ValueError:
        target = float("nan")
    if not LEAST_LUFS <= target <= MOST_LUFS:
        raise ValueError(f"give {LEAST_LUFS:g} to {MOST_LUFS:g} LUFS, or off")
    return float(target)


def _read_rate(value: Any) -> int:
    rate = read_number(value)
    rate = rate * 1000 if rate <= LARGEST_KILOHERTZ else rate
    if rate not in RATES:
        raise ValueError(f"use {', '.join(map(str, RATES))}")
    return int(rate)


def _read_format(value: Any) -> str:
    name = value.lower().removeprefix(".") if isinstance(value, str) else ""
    if name not in STREAMED:
        raise ValueError(f"use {', '.join(STREAMED)}")
    return name


def _read_lexicon(value: Any) -> Lexicon:
    return value if isinstance(value, Lexicon) else read_lexicon(Path(value))


def _read_options(value: Any) -> tuple[str, ...]:
    """NAME=VALUE, once or several times, or a mapping of names to values."""
    if isinstance(value, Mapping):
        return tuple(f"{name}={given}" for name, given in value.items())
    given = (value,) if isinstance(value, str) else value
    if not isinstance(given, (list, tuple)) or not all(isinstance(word, str) and "=" in word for word in given):
        raise ValueError("give NAME=VALUE")
    return tuple(given)


@dataclass(frozen=True)
class VoiceSettings:
    """Who speaks, and how. options: NAME=VALUE of the model's family. seed None: another one each time."""

    model: str | None = text(None, "An alias (see `mlx-tts models`), or a folder.", short="-m", metavar="MODEL")
    voice: str | None = text(None, "A voice (see `mlx-tts voices`), or a voice file.", metavar="NAME")
    language: str = text("auto", "Such as English, en or en-US; auto by default.", short="-l", metavar="LANGUAGE")
    instruct: str | None = text(
        None, "Speaking style, or a description of the voice for VoiceDesign models.", short="-i", metavar="TEXT"
    )
    options: tuple[str, ...] = setting(
        (),
        "A setting of the model's family (see `mlx-tts models show ALIAS`); may be repeated.",
        _read_options,
        per_line=False,
        flag="--option",
        metavar="NAME=VALUE",
    )
    seed: int | None = whole(None, "The same seed gives the same speech.", 0, MOST_SEED)
    max_seconds: float | None = number(
        None, "Stop after this many seconds of speech, pauses included.", 0, 86_400, above=True
    )
    sampling: Sampling = NO_SAMPLING


@dataclass(frozen=True)
class ReadingSettings:
    """How the text is read. lexicon: read already; None: the user's own, where there is one."""

    normalise: str = choice(
        "auto",
        ("auto", "on", "off"),
        "Write numbers, dates and capitals as words; auto does so where the model needs it, off leaves the text as "
        "it is.",
        flag="--normalise/--normalize",
    )
    lexicon: Lexicon | None = setting(
        None,
        "How to say words of your own (TOML, see the docs).",
        _read_lexicon,
        local=True,
        per_line=False,
        metavar="FILE",
    )
    markup: bool = switch(
        True, "Treat SSML and tags such as [pause 2s] as plain text.", per_line=False, flag="--no-markup"
    )
    footnotes: str = choice(
        "skip", ("skip", "read"), "Skip the footnotes of Markdown, or read each after its paragraph.", per_line=False
    )
    code: bool = switch(False, "Read blocks of code too, and files of code.", per_line=False, flag="--read-code")
    sentence_pause: float | None = number(None, "Pause between sentences, in seconds.", 0, 60)
    paragraph_pause: float = number(
        0.7, "Pause between paragraphs, in seconds; 0.7 by default. Between chapters it is twice that.", 0, 60
    )


@dataclass(frozen=True)
class SoundSettings:
    """What is done to the sound that the model made. loudness: LUFS; None turns down only peaks above -1 dBTP, "off"
    leaves them too. format, rate: None leaves them to the caller, and to the model."""

    speed: float = number(1.0, "Speak this many times as fast, at the same pitch.", 0.25, 4)
    loudness: float | str | None = setting(
        None,
        "Make it this loud, in LUFS, such as -16 for podcasts. By default only peaks above -1 dBTP are turned down; "
        "off leaves them.",
        _read_loudness,
        metavar="LUFS|off",
    )
    format: str | None = setting(None, f"One of {', '.join(STREAMED)}.", _read_format, per_line=False, metavar="FORMAT")
    rate: int | None = setting(
        None,
        "Samples a second: 8000, 16000, 24000 and others; 24 is 24000.",
        _read_rate,
        per_line=False,
        metavar="NUMBER",
    )

    @property
    def target_lufs(self) -> float | None:
        """None where the loudness is left as it is."""
        return None if isinstance(self.loudness, str) else self.loudness


@dataclass(frozen=True)
class GuardSettings:
    """What is done about speech that goes wrong. verify: the recogniser that listens, by its folder or its size."""

    guard: bool = switch(
        True,
        "Do not watch for speech that runs away, loops, falls silent, ends early or says other words.",
        per_line=False,
        flag="--no-guard",
    )
    retries: int = whole(2, "How often speech that went wrong is made again; 2 by default.", 0, 20, per_line=False)
    verify: str | None = text(None, "A recogniser that listens.", local=True, per_line=False, metavar="FOLDER")


@dataclass(frozen=True)
class SpeechSettings(GuardSettings, SoundSettings, ReadingSettings, VoiceSettings):
    """All of it. Frozen; `check` is called by `prepare`, for settings that were made in Python."""

    def check(self) -> None:
        """SettingError for a value that cannot be, and for values that do not go together."""
        for name, known, value in changed(self):
            known.read(name, value)
        if not isinstance(self.sampling, Sampling):
            raise SettingError("sampling", self.sampling, "give a Sampling")
        rates = None if self.format is None else FORMATS[self.format].rates
        if self.rate is not None and rates is not None and self.rate not in rates:
            ours = ", ".join(str(rate) for rate in RATES if rate in rates)
            raise SettingError("rate", self.rate, f"{FORMATS[str(self.format)].title} does not have it: use {ours}")
        if self.verify is not None:
            from mlx_tts.audio.recogniser import CHECKS, check_recogniser

            check_recogniser(CHECKS, self.verify)

    def with_own_lexicon(self: Checked) -> Checked:
        """The same with the user's own lexicon, where there is one and no other was named."""
        if self.lexicon is not None or self.normalise == OFF:
            return self
        own = user_lexicon()
        return self if own is None else replace(self, lexicon=own)


def user_lexicon() -> Lexicon | None:
    """What the user's lexicon.toml holds; RequestError where it is damaged."""
    from mlx_tts.runtime.folders import config_folder

    own = config_folder() / "lexicon.toml"
    return read_lexicon(own) if own.is_file() else None


def family_options(assignments: tuple[str, ...], known: Mapping[str, type]) -> dict[str, Any] | None:
    """NAME=VALUE -> values of the types that the model's family declares; RequestError names those there are."""
    values: dict[str, Any] = {}
    for assignment in assignments:
        name, _, written = assignment.partition("=")
        if name not in known:
            raise SettingError("options", assignment, f"give NAME=VALUE with {', '.join(known) or 'none'}")
        try:
            values[name] = known[name](written)
        except ValueError:
            raise RequestError(f"--option {name} is {shown(written)}: give a {known[name].__name__}") from None
    return values or None
