# ruff: noqa: E402 (a BLAS is loaded before mlx)
"""Milliseconds a patch of a VoxCPM in every form of the kernels, as autotune finds them on this machine.

python benchmarks/voxcpm_forms.py                    VoxCPM2 in bfloat16, and with language models of 4 bits
python benchmarks/voxcpm_forms.py --shape tiny       to try it; without a GPU there is nothing to choose

Weights are random. The child of autotune is run here, so all that it checks and times is what a user's machine does.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from mlx_tts.runtime import blas

blas.preload()  # before mlx

from voxcpm_shapes import SHAPES, config

from mlx_tts.kernels.core.autotune import run_autotune
from mlx_tts.models.voxcpm2 import autotune
from mlx_tts.models.voxcpm2.config import model_config
from mlx_tts.models.voxcpm2.network import VoxCPM


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shape", choices=SHAPES, default="voxcpm2")
    options = parser.parse_args()
    shapes = autotune.shapes_of(VoxCPM(model_config(config(SHAPES[options.shape], "bfloat16"), Path("config.json"))))
    shapes["dtype"], four = "bfloat16", "4,64,affine"
    quantised = {
        "formats": ["plain", four],
        "formats_by_part": {r"base_lm\.layers": four, r"residual_lm\.layers": four},
    }
    for name, own in (("bfloat16", {}), ("language models of 4 bits", quantised)):
        begin = time.monotonic()
        result = run_autotune([sys.executable, "-m", autotune.TRIAL.module, "try"], {**shapes, **own})
        print(
            f"{options.shape}, {name}: {result.form.name} of {dict(result.milliseconds)}; faults {dict(result.faults)}"
        )
        print(
            f"  checked {len(result.kernels)}, left out {sorted(result.left_out)}; {time.monotonic() - begin:.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
