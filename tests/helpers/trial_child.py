"""The child of autotune on a device that is not there: the kernels' text runs on the CPU, with a fault planted.

python -m tests.helpers.trial_child none|wrong|refused|crash|hang
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from typing import Any

import mlx.core as mx
import pytest

from mlx_tts.kernels import attention
from mlx_tts.kernels.core import autotune as results
from mlx_tts.kernels.core import forms, source
from mlx_tts.models.qwen3_tts import autotune
from tests.helpers import metal_emulator
from tests.helpers.gpu_form import planted


def main() -> None:
    fault = sys.argv[1]
    for module in (source, forms, attention, results):
        module.gpu_language = lambda: "metal"  # type: ignore[attr-defined]

    def metal_kernel(name: str, header: str, **options: Any) -> Any:
        gated = "#define BEHIND 2\n" in header  # the products before SwiGLU
        if gated and fault == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        if gated and fault == "hang":
            time.sleep(600)
        if gated and fault == "refused":
            raise ValueError("Threadgroup size (512) exceeds the pipeline's limit (448)")
        return metal_emulator.metal_kernel(name=name, header=header, **options)

    mx.fast.metal_kernel = metal_kernel
    if fault == "wrong":
        planted(pytest.MonkeyPatch(), "product", "body", "EXP(-gate)", "EXP(gate)")
    autotune.WARM_UP = 1
    autotune.TRIAL.try_kernels({**json.loads(sys.stdin.readline()), "frames": 1})


if __name__ == "__main__":
    main()
