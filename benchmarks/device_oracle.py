"""Folders of oracle cases in, an outcome out: greedy codes on this device, in float32, against the official ones.

MLX_ENABLE_TF32=0 python benchmarks/device_oracle.py tests/fixtures/oracle/custom_voice_tiny ...

MLX multiplies float32 matrices in the TF32 format on CUDA unless that variable is 0: 10 bits instead of 23, enough to
turn a close choice. MLX_TTS_KERNELS=1 runs the fused kernels; every utterance runs twice, and must repeat.
"""

from __future__ import annotations

import json
import logging
import sys
import tempfile
import time
from pathlib import Path

import mlx.core as mx
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts" / "oracle")]

from materialise import materialise  # noqa: E402 (found through the line above)

from mlx_tts import Sampling  # noqa: E402
from mlx_tts.api import load_folder  # noqa: E402
from mlx_tts.kernels.core import self_check  # noqa: E402
from mlx_tts.kernels.core.forms import kernel_form  # noqa: E402


def check(case: Path) -> bool:
    """Whether every request's greedy codes are the official ones, twice."""
    from tests.helpers.oracle_cases import request_for

    class Reference:
        golden = np.load(case / "golden.npz")
        requests = json.loads((case / "requests.json").read_text(encoding="utf-8"))

        def request(self, name: str) -> dict:
            return next(request for request in self.requests if request["name"] == name)

    reference, good = Reference(), True
    with tempfile.TemporaryDirectory() as folder:
        materialise(case, Path(folder))
        synthesizer = load_folder(Path(folder), dtype="float32")
        for asked in reference.requests:
            name = asked["name"]
            right = reference.golden[f"{name}/codes"]
            begin = time.perf_counter()
            request = request_for(reference, name, sampling=Sampling(temperature=0), max_frames=len(right))
            made = [synthesizer.generate_codes(request) for _ in range(2)]
            outcome = "EQUAL" if np.array_equal(made[0], right) else "DIFFERENT"
            if outcome == "DIFFERENT" and made[0].shape == right.shape:
                wrong = np.argwhere(made[0] != right)
                outcome += f", first at frame {wrong[0][0]} code {wrong[0][1]}, {len(wrong)} of {right.size}"
            again = "repeats" if np.array_equal(*made) else "DOES NOT REPEAT"
            sampled = request_for(reference, name, seed=3, max_frames=len(right))
            repeated = [synthesizer.generate_codes(sampled) for _ in range(2)]
            again += ", samples repeat" if np.array_equal(*repeated) else ", SAMPLES DO NOT REPEAT"
            seconds = time.perf_counter() - begin
            good = good and outcome == "EQUAL" and "NOT" not in again
            print(f"{case.name}/{name}: {outcome} over {len(right)} frames, {again} ({seconds:.1f} s)", flush=True)
    return good


if __name__ == "__main__":
    logging.basicConfig(format="%(message)s")
    print(mx.default_device(), "mlx", mx.__version__, "form:", kernel_form().name)
    outcomes = [check(Path(given)) for given in sys.argv[1:]]
    print(f"kernels used {sum(self_check._results.values())} of {len(self_check._results)}")
    sys.exit(not all(outcomes))
