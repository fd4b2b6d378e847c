"""On a GPU: every kernel of the 0.6B's shapes, and of the built-in voice's, checked; exit 1 where one is left out.

python benchmarks/metal_self_checks.py            4, 8 and 16 bits, 1, 2 and 9 rows; layers fewer than the real ones
"""

from __future__ import annotations

import sys
from dataclasses import replace

import mlx.core as mx
from random_model import DTYPES, talker_config

from mlx_tts.kernels.core import self_check
from mlx_tts.kernels.core.forms import FUSED, StepKernels
from mlx_tts.models.qwen3_tts import autotune

FRAMES = 2


def main() -> int:
    print(mx.default_device(), mx.device_info() if hasattr(mx, "device_info") else "", "mlx", mx.__version__)
    told: dict[str, str] = {}
    self_check.watchers.append(lambda name, fault: None if fault is None else told.update({name: fault}))
    for size in ("0.6B", "tiny"):
        config = talker_config(size, text_rows=8)
        predictor = replace(config.code_predictor_config, num_hidden_layers=1)
        config = replace(config, num_hidden_layers=1, code_predictor_config=predictor)
        for bits in (4, 8, 16, 32):
            formats = ["plain"] if bits >= 16 else [f"{bits},64,affine"]
            for rows in (1, 2, 9):
                dtype = "float32" if DTYPES[bits] == mx.float32 else "bfloat16"
                shapes = {"config": as_plain(config), "formats": formats, "dtype": dtype, "rows": rows}
                talker = autotune.random_talker(shapes)
                autotune.milliseconds(talker, StepKernels(FUSED), rows, FRAMES)
    for name, fault in sorted(told.items()):
        print("LEFT OUT" if fault else "right   ", name, fault)
    wrong = sum(map(bool, told.values()))
    print(f"{len(told)} kernels, {wrong} left out")
    return int(wrong > 0 or not told)


def as_plain(config: object) -> dict[str, object]:
    return {**vars(config), "code_predictor_config": vars(config.code_predictor_config)}  # type: ignore[attr-defined]


if __name__ == "__main__":
    sys.exit(main())
