"""Magpie of this package as a program: lines of JSON in, a line of JSON for each out. For `magpie_against_nemo.py`.

python magpie_program.py FOLDER WARM   says "ready", then speaks for each line that it is given

WARM is a number of frames that it speaks with each cache before it is ready. It says what it held at most
while it spoke.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

from answering import answer_lines, heard
from nemo_program import CACHES, TEXT

# Of another length, which was never spoken before.
OTHER_TEXT = "A cat is not a dog, and the lazy zebra is not a yellow fox. How are you today, I am fine."


def speak(folder: Path, warm: int) -> None:
    from mlx_tts.runtime import blas

    blas.preload()  # before mlx

    import mlx_tts
    from mlx_tts import Sampling, SpeechRequest

    began = time.perf_counter()
    model = mlx_tts.load(str(folder))

    def say(asked: dict[str, Any], seed: int = 0) -> dict[str, Any]:
        request = SpeechRequest(
            OTHER_TEXT if asked.get("other") else TEXT,
            voice=model.voices[0],
            language="en",
            sampling=None if asked["sampled"] else Sampling(temperature=0),
            seed=seed,
            max_frames=asked["frames"],
            options={"cache": asked["cache"]},
        )
        return heard(lambda: model.submit(request, live=True, low_latency=True), asked.get("save"))

    exact = os.environ.get("MLX_ENABLE_TF32") == "0"
    for cache in CACHES if warm else ():
        for seed in range(1 if exact else 2):
            say({"frames": warm, "cache": cache, "sampled": not exact}, seed)
    parts = model._synthesizer._loop.model, model._synthesizer._decoder
    answer_lines(say, parts, seconds=time.perf_counter() - began)


if __name__ == "__main__":
    speak(Path(sys.argv[1]), int(sys.argv[2]))
