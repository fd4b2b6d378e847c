"""VoxCPM of this package as a program, like voxcpm_program.py: lines of JSON in, a line of JSON for each out.

python voxcpm_here.py FOLDER PATCHES      PATCHES: of the speech that it is warmed up with
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from answering import forget_peak, heard, peak_bytes
from voxcpm_shapes import TEXT


def speak(folder: Path, patches: int) -> None:
    """Say that it is ready, then speak for each line."""
    from mlx_tts.runtime import blas

    blas.preload()  # before mlx

    import mlx.core as mx

    import mlx_tts
    from mlx_tts import SpeechRequest
    from mlx_tts.checkpoints.tensors import parameters_of
    from mlx_tts.kernels.core.self_check import _results
    from mlx_tts.runtime.device import gpu_info, on_gpu

    began = time.perf_counter()
    model = mlx_tts.load(str(folder))
    synthesizer = model._synthesizer
    loop = synthesizer._loop
    weights = sum(value.nbytes for part in (loop.model, synthesizer._decoder) for value in parameters_of(part).values())
    gpu, own_noise = on_gpu(), loop.noise

    def shared_noise(seed: int, take: int, patch: int, shape: tuple[int, int]) -> mx.array:
        return mx.array(np.random.default_rng([seed, patch]).standard_normal(shape[::-1]).T.astype(np.float32))

    def say(patches: int, noise: int | None = None, save: str | None = None) -> dict[str, Any]:
        loop.noise = own_noise if noise is None else shared_noise
        request = SpeechRequest(TEXT, seed=noise or 1, max_frames=patches, guard=False)
        return heard(lambda: model.submit(request, live=True, low_latency=True), save)

    for _ in range(2 if gpu else 1):  # as long as what is timed: pieces of every length have been decoded then
        say(patches if gpu else 2)
    ready = {"ready": f"mlx-tts {mlx_tts.__version__}, MLX {mx.__version__}", "weights": weights}
    ready |= {"device": (gpu_info() or {}).get("device_name", "CPU"), "seconds": time.perf_counter() - began}
    ready |= {"kernels": len(_results), "left_out": [str(key[0]) for key, good in _results.items() if not good]}
    print(json.dumps(ready), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        if gpu:
            mx.clear_cache()
            mx.reset_peak_memory()
        else:
            forget_peak()
        answer = say(asked["patches"], asked.get("noise"), asked.get("save"))
        answer["peak"] = mx.get_peak_memory() if gpu else peak_bytes()
        answer["held"] = mx.get_active_memory() + mx.get_cache_memory() if gpu else answer["peak"]
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    speak(Path(sys.argv[1]), int(sys.argv[2]))
