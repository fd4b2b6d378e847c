"""What a whole run is asked for -> checked settings; those that change files are kept in the folder's run.json."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, field
from typing import Any

from mlx_tts.audio.formats import FORMATS, format_named
from mlx_tts.errors import RequestError
from mlx_tts.speech import Sampling
from mlx_tts.text.normalise.lexicon import Lexicon

RATES = (8_000, 16_000, 22_050, 24_000, 44_100, 48_000)
LEAST_LUFS, MOST_LUFS = -40.0, -5.0


@dataclass(frozen=True)
class BatchSettings:
    """How lines are spoken that say nothing else, and how their files are written.

    model: None takes what `speak` would take. rate: of the files; None is the model's own. loudness: LUFS of every
    file, None turns only peaks above -1 dBTP down, "off" leaves them too. verify: a recogniser listens to every file.
    lexicon: read already; None where there is none. normalise, markup: see text.reading.Reading.
    """

    model: str | None = None
    voice: str | None = None
    language: str = "auto"
    instruct: str | None = None
    seed: int = 0
    speed: float = 1.0
    format: str = "wav"
    rate: int | None = None
    loudness: float | str | None = None
    normalise: str = "auto"
    markup: bool = True
    lexicon: Lexicon | None = None
    sampling: Sampling = field(default_factory=Sampling)
    guard: bool = True
    retries: int = 2
    hash_folders: bool = False
    verify: str | None = None

    def check(self) -> None:
        """RequestError for what cannot be."""
        format = format_named(self.format)
        if self.rate is not None and self.rate not in RATES:
            raise RequestError(f"--rate is {self.rate}: use {', '.join(map(str, RATES))}")
        if self.rate is not None and format.rates is not None and self.rate not in format.rates:
            known = ", ".join(str(rate) for rate in RATES if rate in format.rates)
            raise RequestError(f"--rate is {self.rate}, which {format.title} does not have: use {known}")
        if self.loudness not in (None, "off"):
            target = self.loudness
            if not isinstance(target, (int, float)) or not LEAST_LUFS <= target <= MOST_LUFS:
                raise RequestError(f"--loudness is {target!r}: give {LEAST_LUFS:g} to {MOST_LUFS:g} LUFS, or off")
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or self.seed < 0:
            raise RequestError(f"--seed is {self.seed!r}: give a whole number, 0 or more")
        if self.speed != 1.0:
            from mlx_tts.audio.effects.speed import check_speed

            check_speed(self.speed, "--speed")
        if self.verify is not None:
            from mlx_tts.audio.recogniser import CHECKS, check_recogniser

            check_recogniser(CHECKS, self.verify)

    @property
    def ending(self) -> str:
        return FORMATS[self.format].ending

    def describe(self) -> dict[str, Any]:
        """All that the files depend on, as run.json holds it."""
        own = asdict(self)
        del own["verify"]
        own["lexicon"] = None if self.lexicon is None else _digest(self.lexicon)
        own["sampling"] = {name: value for name, value in own["sampling"].items() if value is not None}
        return own


def _digest(lexicon: Lexicon) -> str:
    return hashlib.sha256(repr(lexicon.entries).encode("utf-8", "surrogatepass")).hexdigest()
