# ruff: noqa: E402 (a BLAS is loaded before mlx)
"""Whole stacks as one launch on CUDA: are they right, do they repeat, how long do they take, beside one launch a phase?

python benchmarks/stacks.py --rows 1 8 32               0.6B in bfloat16, random weights
python benchmarks/stacks.py --rows 1 --warps 8 16       other numbers of warps a group

For each number of rows: the talker's step by both forms from one state, how far apart they are, whether the same step
taken again and again has the same bits, milliseconds of that step sent many times in a row (the GPU's own time), and
milliseconds of a frame in the decode loop.
"""

from __future__ import annotations

import argparse
import json
import time

from mlx_tts.runtime import blas

blas.preload()

import mlx.core as mx
import numpy as np
from random_model import random_talker, talker_config

from mlx_tts.models.qwen3_tts.compiled_decode import CompiledDecode
from mlx_tts.models.qwen3_tts.kernel_trial import milliseconds
from mlx_tts.models.qwen3_tts.talker import Talker
from mlx_tts.nn.cache import KVCache
from mlx_tts.nn.fused import resident, self_check
from mlx_tts.nn.fused.kernel_form import FUSED, RESIDENT, KernelChoice
from mlx_tts.runtime.device import multiprocessors

COLUMNS, REPEATS, IN_A_ROW = 200, 40, 50


def state(talker: Talker, rows: int) -> tuple[mx.array, list[KVCache]]:
    caches, attn = talker.make_cache(), talker.model.layers[0].self_attn
    shape = (rows, attn.kv_heads, COLUMNS, attn.head_dim)
    for at, cache in enumerate(caches):
        kv = [mx.random.normal(shape, key=mx.random.key(2 * at + n)).astype(talker.dtype) for n in range(2)]
        cache.append(*kv)
    x = mx.random.normal((rows, 1, talker.config.hidden_size), key=mx.random.key(99)).astype(talker.dtype)
    mx.eval(x, [cache.kv for cache in caches])
    return x, caches


def step(steps: CompiledDecode, talker: Talker, rows: int) -> np.ndarray:
    return np.array(steps.read(*state(talker, rows))[1].astype(mx.float32))


def in_a_row(steps: CompiledDecode, talker: Talker, rows: int) -> float:
    """Milliseconds of a talker's step, each behind the one before."""
    x, caches = state(talker, rows)
    for count in (3, IN_A_ROW):
        begin = time.perf_counter()
        for _ in range(count):
            x = steps.read(x, caches)[1][:, None]
            mx.async_eval(x)
        mx.eval(x)
    return (time.perf_counter() - begin) * 1e3 / IN_A_ROW


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=("0.6B", "1.7B", "tiny"), default="0.6B")
    parser.add_argument("--rows", type=int, nargs="+", default=[1, 8, 32])
    parser.add_argument("--warps", type=int, nargs="+", default=[resident.WARPS])
    parser.add_argument("--frames", type=int, default=40)
    options = parser.parse_args()
    talker = random_talker(talker_config(options.size), 16)
    print(f"{multiprocessors()} multiprocessors", flush=True)
    for rows in options.rows:
        fused, right = CompiledDecode(talker, KernelChoice(FUSED)), None
        for warps in options.warps:
            resident.WARPS = warps
            whole = CompiledDecode(talker, KernelChoice(RESIDENT))
            right = step(fused, talker, rows) if right is None else right
            made = [step(whole, talker, rows) for _ in range(REPEATS)]
            found = {
                "rows": rows,
                "warps": warps,
                "off": round(float(np.abs(made[0] - right).max() / np.abs(right).max()), 5),
                "repeats": sum(np.array_equal(made[0], again) for again in made),
                "of": REPEATS,
                "talker_ms": round(in_a_row(whole, talker, rows), 3),
                "talker_ms_fused": round(in_a_row(fused, talker, rows), 3),
            }
            for form in (RESIDENT, FUSED):
                found[f"frame_ms_{form.name}"] = round(
                    milliseconds(talker, KernelChoice(form), rows, options.frames), 3
                )
            print(json.dumps(found), flush=True)
    for (chosen, rows), good in self_check._verdicts.items():
        if not good or isinstance(chosen, resident.Signature):
            print("used" if good else "LEFT OUT", self_check.kernel_name(chosen, rows), flush=True)


if __name__ == "__main__":
    main()
