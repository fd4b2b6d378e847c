"""On a GPU: autotune of kernels with faults planted, each of which must be left out while the others stay.

python benchmarks/planted_kernels.py              wrong numbers, a text that does not compile, a crash of the process, a
                                                  kernel that never ends, one that writes far outside; or those named
python benchmarks/planted_kernels.py real 0.6B 4  autotune of a real size, nothing planted

The parent must live, and speak by the plain path. A kernel that never ends is ended with its process.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from dataclasses import replace
from typing import Any

import mlx.core as mx
from random_model import DTYPES, random_talker, talker_config

from mlx_tts.kernels.core import source
from mlx_tts.kernels.core.autotune import run_autotune
from mlx_tts.models.qwen3_tts import autotune

STEP_SECONDS = 12.0
GATED = "out[b * width + n] = (value_t)(gate / (1.0f + EXP(-gate)) * sums[(2 * i + 1) * BATCH + b]);"
FAULTS = {
    "wrong": GATED.replace("EXP(-gate)", "EXP(gate)"),
    "refused": GATED.replace("gate /", "no_such_name /"),
    "crash": GATED,
    "endless": "while (((const volatile DEVICE uint32_t*)w)[0] != 1u || sums[0] != 1.5f) { sums[0] += 1.0f; }",
    "far outside": "((DEVICE value_t*)out)[(int64_t)1 << 40] = (value_t)gate;",
}


def child(fault: str) -> None:
    parts = source._parts_of("product")  # kept, and read again by every launch
    assert GATED in parts["body"]
    parts["body"] = parts["body"].replace(GATED, FAULTS[fault])
    if fault == "crash":
        build = mx.fast.cuda_kernel if not mx.metal.is_available() else mx.fast.metal_kernel

        def crash(header: str, **options: Any) -> Any:
            if "#define BEHIND 2\n" in header:
                os.kill(os.getpid(), signal.SIGSEGV)
            return build(header=header, **options)

        mx.fast.cuda_kernel = mx.fast.metal_kernel = crash
    autotune.TRIAL.try_kernels(json.loads(sys.stdin.readline()))


def tell(what: str, task: dict[str, Any], command: list[str], planted: bool) -> None:
    begin = time.perf_counter()
    result = run_autotune(command, task, STEP_SECONDS if planted else 60.0)
    left = {name: fault for name, fault in result.kernels.items() if fault}
    right = all("behind=2" in name for name in left) and bool(left) == planted and not result.faults
    print(
        f"{what}: {'AS IT SHOULD' if right else 'NOT AS IT SHOULD'} ({time.perf_counter() - begin:.1f} s)", flush=True
    )
    print(f"  {len(result.kernels)} kernels checked, {len(left)} left out; {result.milliseconds}, {result.faults}")
    for name, fault in list(left.items())[:2]:
        print(f"  {name}: {fault[:160]}")


def main() -> None:
    if sys.argv[1:2] == ["child"]:
        child(sys.argv[2])
        return
    if sys.argv[1:2] == ["real"]:
        size, bits = sys.argv[2], int(sys.argv[3])
        task = autotune.shapes_of(random_talker(talker_config(size), bits, DTYPES[bits]))
        tell(f"{size}, {bits} bits", task, [sys.executable, "-m", autotune.TRIAL.module, "try"], planted=False)
        return
    config = talker_config("tiny")
    predictor = replace(config.code_predictor_config, num_hidden_layers=1)
    config = replace(config, num_hidden_layers=2, code_predictor_config=predictor)
    task = autotune.shapes_of(random_talker(config, 4)) | {"frames": 3}
    for fault in sys.argv[1:] or FAULTS:
        tell(fault, task, [sys.executable, __file__, "child", fault], planted=True)
    x = mx.random.normal((256, 256))
    mx.eval(x @ x)
    print("this process still computes")


if __name__ == "__main__":
    main()
