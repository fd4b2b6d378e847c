"""VoxCPM of this package as a program, like voxcpm_program.py: lines of JSON in, a line of JSON for each out.

python voxcpm_here.py FOLDER PATCHES      PATCHES: of the speech that it is warmed up with
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from answering import answer_lines, heard
from voxcpm_shapes import TEXT


def speak(folder: Path, patches: int) -> None:
    """Say that it is ready, then speak for each line."""
    from mlx_tts.runtime import blas

    blas.preload()  # before mlx

    import mlx.core as mx

    import mlx_tts
    from mlx_tts import SpeechRequest
    from mlx_tts.kernels.core.self_check import _results
    from mlx_tts.runtime.device import on_gpu

    began = time.perf_counter()
    model = mlx_tts.load(str(folder))
    synthesizer = model._synthesizer
    loop = synthesizer._loop
    gpu, own_noise = on_gpu(), loop.noise

    def shared_noise(seed: int, take: int, patch: int, shape: tuple[int, int]) -> mx.array:
        return mx.array(np.random.default_rng([seed, patch]).standard_normal(shape[::-1]).T.astype(np.float32))

    def say(asked: dict[str, Any], _number: int = 0) -> dict[str, Any]:
        noise = asked.get("noise")
        loop.noise = own_noise if noise is None else shared_noise
        request = SpeechRequest(TEXT, seed=noise or 1, max_frames=asked["patches"], guard=False)
        return heard(lambda: model.submit(request, live=True, low_latency=True), asked.get("save"))

    for _ in range(2 if gpu else 1):  # as long as what is timed: pieces of every length have been decoded then
        say({"patches": patches if gpu else 2})
    left_out = [str(key[0]) for key, good in _results.items() if not good]
    parts, seconds = (loop.model, synthesizer._decoder), time.perf_counter() - began
    answer_lines(say, parts, seconds=seconds, kernels=len(_results), left_out=left_out)


if __name__ == "__main__":
    speak(Path(sys.argv[1]), int(sys.argv[2]))
