"""What a whole run is asked for -> checked settings; those that change files are kept in the folder's run.json."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from mlx_tts.audio.formats import FORMATS
from mlx_tts.job.settings import SpeechSettings
from mlx_tts.setting import changed, switch, with_default
from mlx_tts.text.normalise.lexicon import Lexicon

# What run.json has always held; other settings stand there where they differ from their defaults.
ALWAYS_KEPT = (
    *("model", "voice", "language", "instruct", "seed", "speed", "format", "rate", "loudness", "normalise", "markup"),
    *("lexicon", "guard", "retries", "hash_folders"),
)


@dataclass(frozen=True)
class BatchSettings(SpeechSettings):
    """How lines are spoken that say nothing else, and how their files are written: see job.settings for each.

    model: None takes what `speak` would take. rate: of the files; None is the model's own. verify: a recogniser listens
    to every file.
    """

    seed: int = with_default(SpeechSettings, "seed", 0)
    format: str = with_default(SpeechSettings, "format", "wav")
    hash_folders: bool = switch(False, "Put the files into 256 folders (out/ab/ID.wav).", per_line=False)

    @property
    def ending(self) -> str:
        return FORMATS[self.format].ending

    def describe(self) -> dict[str, Any]:
        """All that the files depend on, as run.json holds it."""
        own = {name: getattr(self, name) for name in ALWAYS_KEPT}
        sampling = {}
        for name, _, value in changed(self):
            if hasattr(self.sampling, name):
                sampling[name] = value
            elif name != "verify":
                own[name] = value
        own["lexicon"] = None if self.lexicon is None else _digest(self.lexicon)
        return {**own, "sampling": sampling}


def _digest(lexicon: Lexicon) -> str:
    return hashlib.sha256(repr(lexicon.entries).encode("utf-8", "surrogatepass")).hexdigest()
