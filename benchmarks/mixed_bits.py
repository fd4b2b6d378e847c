# ruff: noqa: E402 (a BLAS is loaded before mlx)
"""What a measured recipe costs: ms a frame and bytes of uniform 4 bits, of recipes and of 8 bits, in one run.

python benchmarks/mixed_bits.py                        0.6B and 1.7B shapes, random weights, every kernel form
python benchmarks/mixed_bits.py --sizes tiny --frames 8 --rounds 1     to try it on a CPU

A round measures all sets of bits one after the other, so that what changes on the machine changes for all. The figure
is the median over the rounds, its ratio to uniform 4 bits the median of the ratios within a round. Every kernel that a
frame uses is checked against MLX's own operations when it is first used. Exit code 1: one of these checks failed.
"""

from __future__ import annotations

import argparse
import statistics
import time
from dataclasses import asdict
from functools import partial

from mlx_tts.runtime import blas

blas.preload()  # before mlx

import mlx.core as mx
from random_model import bytes_a_frame, talker_config

from mlx_tts.kernels.core import self_check
from mlx_tts.kernels.core.autotune import forms_to_try
from mlx_tts.kernels.core.forms import FORMS, StepKernels
from mlx_tts.models.qwen3_tts.autotune import PARTS, milliseconds, random_talker
from mlx_tts.models.qwen3_tts.talker import Talker

# Bits of the talker's attention, its MLPs, the first code's head, the text projection, the code predictor's layers, its
# heads, and the projection before it: the order of `PARTS`.
SETS = {
    "4 bits": (4, 4, 4, 4, 4, 4, 4),
    "recipe: predictor 6, heads 4, first head 8": (4, 4, 8, 8, 6, 4, 6),
    "recipe of tiny: attention and first head 6, predictor 8": (6, 4, 6, 6, 8, 4, 8),
    "6 bits": (6, 6, 6, 6, 6, 6, 6),
    "8 bits": (8, 8, 8, 8, 8, 8, 8),
}
UNIFORM = "4 bits"
GROUP = 64


def talker_of(size: str, bits: tuple[int, ...]) -> Talker:
    """Random weights of a published shape, each part in its own bits."""
    config = asdict(talker_config(size, text_rows=8))
    forms = {part: f"{own},{GROUP},affine" for part, own in zip(PARTS, bits, strict=True)}
    return random_talker({"config": config, "formats": ["plain"], "formats_by_part": forms, "dtype": "bfloat16"})


def watch(faults: dict[str, str], state: dict[str, str], name: str, fault: str | None) -> None:
    """Of a self-check: None where it begins, then an empty text or what is wrong."""
    if fault is not None:
        faults[f"{name} ({state['set']}, {state['size']})"] = fault


def measure(options: argparse.Namespace, faults: dict[str, str], state: dict[str, str]) -> None:
    forms = options.forms or forms_to_try() or ["plain"]
    for size in options.sizes:
        state["size"] = size
        talkers = {name: talker_of(size, bits) for name, bits in SETS.items()}
        took: dict[tuple[str, str], list[float]] = {(form, name): [] for form in forms for name in SETS}
        for number in range(options.rounds + 1):  # the first one compiles and checks
            for form in forms:
                for name, talker in talkers.items():
                    state["set"] = name
                    found = milliseconds(talker, StepKernels(FORMS[form]), options.rows, options.frames)
                    if number:
                        took[form, name].append(found)
                    else:
                        print(f"{size}, {form}, {name}: first use done at {time.perf_counter():.0f} s", flush=True)
        print(f"\n{size}, {options.rows} rows, {options.rounds} rounds of {options.frames} frames\n", flush=True)
        print("| bits | MB read a frame | " + " | ".join(f"{form}, ms | of 4 bits" for form in forms) + " |")
        print("|---" * (2 + 2 * len(forms)) + "|")
        for name, talker in talkers.items():
            cells = [name, f"{bytes_a_frame(talker) / 1e6:.0f}"]
            for form in forms:
                ratios = [one / base for one, base in zip(took[form, name], took[form, UNIFORM], strict=True)]
                cells += [f"{statistics.median(took[form, name]):.3f}", f"{statistics.median(ratios):.3f}"]
            print(f"| {' | '.join(cells)} |", flush=True)
        del talkers, talker
        mx.clear_cache()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", choices=("0.6B", "1.7B", "tiny"), default=["0.6B", "1.7B"])
    parser.add_argument("--forms", nargs="+", choices=tuple(FORMS), help="kernel forms; all that the device has")
    parser.add_argument("--rows", type=int, default=1)
    parser.add_argument("--frames", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    faults: dict[str, str] = {}
    state: dict[str, str] = {}
    self_check.watchers.append(partial(watch, faults, state))
    measure(options, faults, state)
    failed = {name: fault for name, fault in faults.items() if fault}
    print(f"\n{len(faults)} self-checks, {len(failed)} failed", *failed.items(), sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
