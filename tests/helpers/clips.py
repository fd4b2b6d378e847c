"""Recordings for tests that need some speech and no model: what voices of the built-in model said once.

python -m tests.helpers.clips    speaks them again, into tests/fixtures/clips
"""

from __future__ import annotations

from functools import cache

import numpy as np
import soundfile

from tests.helpers.paths import ROOT

FOLDER = ROOT / "tests" / "fixtures" / "clips"
RATE = 24_000
HARBOUR = "The harbour was quiet that morning. A man in a blue coat counted the crates, and wrote each number down."
RAIN = "Did you hear the rain last night? By morning the whole garden was shining."
SPOKEN = {  # file: voice, text, seed
    "harbour_miles": ("miles", HARBOUR, 3),
    "harbour_ivy": ("ivy", HARBOUR, 3),
    "rain_ivy": ("ivy", RAIN, 1),
    "rain_miles": ("miles", RAIN, 1),
}


@cache
def clip(name: str) -> np.ndarray:
    """Mono float32 samples of 24,000 Hz, not to be written to. name: of SPOKEN."""
    samples, rate = soundfile.read(FOLDER / f"{name}.ogg", dtype="float32")
    assert rate == RATE
    samples.flags.writeable = False
    return samples


def main() -> None:
    import mlx_tts

    with mlx_tts.load("tiny") as tts:
        for name, (voice, text, seed) in SPOKEN.items():
            speech = tts.speak(text, voice=voice, language="english", seed=seed)
            soundfile.write(FOLDER / f"{name}.ogg", speech.samples, RATE, format="OGG", subtype="VORBIS")


if __name__ == "__main__":
    main()
