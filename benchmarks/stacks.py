# ruff: noqa: E402 (a BLAS is loaded before mlx)
"""Whole stacks as one launch on CUDA: are they right, do they repeat, how long do they take, and one launch a phase?

python benchmarks/stacks.py --rows 1 8 32               0.6B in bfloat16, random weights
python benchmarks/stacks.py --phases                    where the time of a launch goes, for the stacks of two models

For each number of rows: the talker's step by both forms from one state, how far apart they are, whether the same step
taken again and again has the same bits, milliseconds of that step sent many times in a row (the GPU's own time), and
milliseconds of a frame in the decode loop.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from mlx_tts.runtime import blas

blas.preload()

import mlx.core as mx
import numpy as np
from mlx.utils import tree_map
from random_model import random_talker, talker_config

from mlx_tts.kernels import layer_steps, persistent_stack
from mlx_tts.kernels.core import self_check, source
from mlx_tts.kernels.core.forms import FUSED, PERSISTENT, StepKernels
from mlx_tts.kernels.layer_steps import turns
from mlx_tts.kernels.persistent_sizes import StackKernel
from mlx_tts.models.qwen3_tts.autotune import milliseconds
from mlx_tts.models.qwen3_tts.gpu_step import CompiledDecode
from mlx_tts.models.qwen3_tts.talker import Talker
from mlx_tts.nn.attention import LayerOptions
from mlx_tts.nn.cache import KVCache
from mlx_tts.nn.transformer import Transformer
from mlx_tts.runtime.device import cuda_limits

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
    return np.array(steps.decode_step(*state(talker, rows))[1].astype(mx.float32))


def in_a_row(steps: CompiledDecode, talker: Talker, rows: int) -> float:
    """Milliseconds of a talker's step, each behind the one before."""
    x, caches = state(talker, rows)
    for count in (3, IN_A_ROW):
        begin = time.perf_counter()
        for _ in range(count):
            x = steps.decode_step(x, caches)[1][:, None]
            mx.async_eval(x)
        mx.eval(x)
    return (time.perf_counter() - begin) * 1e3 / IN_A_ROW


PHASES = ("qkv", "attention", "o", "gate, up", "down")
MARK = "if (tid == 0) marks[block * (layers * 10) + mark++] = (uint32_t)clock64();\n"


def with_marks(kernel: source.KernelText, inputs: Any, outputs: Any, groups: Any, *rest: Any) -> list[mx.array]:
    """`launch`, and the clock of each multiprocessor before and after each grid barrier as one more output."""
    barrier = source.text_of("persistent", "grid_barrier")
    body = kernel.body.replace(barrier, MARK + barrier + MARK)
    body = body.replace("int block = group_x;", "int block = group_x;\nint mark = 0;")
    layers = int(inputs[2][0].item())
    kernel = dataclasses.replace(kernel, outputs=(*kernel.outputs, "marks"), body=body)
    made = source.launch(kernel, inputs, [*outputs, ((groups[0], layers * 10), mx.uint32)], groups, *rest)
    marks.append(made[-1])
    return made


marks: list[mx.array] = []


def phases(name: str, run: Callable[[], mx.array]) -> None:
    """Microseconds, at 1.98 GHz: of each phase the slowest group's, and how long the last one to come waits."""
    persistent_stack.launch = source.launch
    mx.eval(run())
    begin = time.perf_counter()
    for _ in range(IN_A_ROW):
        mx.async_eval(made := run())
    mx.eval(made)
    print(f"{name}: {(time.perf_counter() - begin) * 1e6 / IN_A_ROW:.0f} us a launch, {IN_A_ROW} in a row")
    persistent_stack.launch = with_marks  # type: ignore[assignment]
    for _ in range(3):
        mx.eval(run())
    clock = np.array(marks[-1]).astype(np.int64)
    count = 2 * (5 * (clock.shape[1] // 10) - 1)  # the last phase of the last layer has no grid barrier
    arrived, left = clock[:, :count:2], clock[:, 1:count:2]
    worked, waited = (arrived[:, 1:] - left[:, :-1]) % 2**32 / 1980, (left - arrived) % 2**32 / 1980
    print(f"{name}: {((left[:, -1] - arrived[:, 0]) % 2**32 / 1980).mean():.0f} us from the first barrier to the last")
    for at, phase in enumerate(PHASES):
        own, wait = worked[:, (at - 1) % 5 :: 5], waited[:, at::5]
        work = [np.median(value) for value in (own.max(0), own.mean(0), own.min(0))]
        print(
            f"  {phase}: work {work[0]:.2f} (mean {work[1]:.2f}, least {work[2]:.2f}), "
            f"wait of the last {np.median(wait.min(0)):.2f}, mean {np.median(wait.mean(0)):.2f}",
            flush=True,
        )


def all_phases(many: list[int]) -> None:
    talker = random_talker(talker_config("0.6B"), 16)
    for rows in many:
        for name, model, columns in (("talker", talker.model, 256), ("predictor", talker.code_predictor.model, 16)):
            attn = model.layers[0].self_attn
            shape = (2, rows, attn.kv_heads, columns, attn.head_dim)
            caches = [mx.random.normal(shape).astype(mx.bfloat16) for _ in model.layers]
            x = mx.random.normal((rows, 1024)).astype(mx.bfloat16)
            chosen = persistent_stack.of_stack(model, rows, 1, mx.bfloat16, columns)
            assert chosen is not None
            offset, starts = mx.array([3 * columns // 4], mx.int32), layer_steps.starts_of(None, rows)
            mx.eval(caches, x, starts)
            run = lambda: persistent_stack.decode(chosen, model, x, caches, offset, starts, persistent_stack.counters())  # noqa: B023, E731
            phases(f"{name}, {rows} rows", run)
    estimator = random_stack(12, 1024, 4096)
    turned = turns(np.arange(11)[None], 1e4, 128)[0]
    for name, rows, new in (("estimator of VoxCPM2", 22, 11), ("its local encoder", 5, 5)):
        x = mx.random.normal((rows, 1024)).astype(mx.bfloat16)
        chosen = persistent_stack.of_stack(estimator, rows, new, mx.bfloat16, None)
        assert chosen is not None
        mx.eval(x, turned)
        phases(name, lambda: persistent_stack.read_at_once(chosen, estimator, x, turned, persistent_stack.counters()))  # noqa: B023
    model = random_stack(28, 2048, 6144)
    x = mx.random.normal((1, 2048)).astype(mx.bfloat16)
    caches = [mx.random.normal((2, 1, 2, 512, 128)).astype(mx.bfloat16) for _ in model.layers]
    chosen = persistent_stack.of_stack(model, 1, 1, mx.bfloat16, 512)
    assert chosen is not None
    offset, starts = mx.array([300], mx.int32), layer_steps.starts_of(None, 1)
    mx.eval(caches, x, starts)
    phases(
        "language model of VoxCPM2",
        lambda: persistent_stack.decode(chosen, model, x, caches, offset, starts, persistent_stack.counters()),
    )


def random_stack(layers: int, width: int, inner: int) -> Transformer:
    """In the sizes that VoxCPM2's stacks share."""
    sizes = {"hidden_size": width, "intermediate_size": inner, "num_hidden_layers": layers, "num_attention_heads": 16}
    sizes |= {"num_key_value_heads": 2, "head_dim": 128, "rms_norm_eps": 1e-5, "rope_theta": 1e4}
    model = Transformer(SimpleNamespace(**sizes), LayerOptions(head_norms=False))
    model.update(tree_map(lambda value: value.astype(mx.bfloat16), model.parameters()))
    model.fuse_projections()
    mx.eval(model.parameters())
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=("0.6B", "1.7B", "tiny"), default="0.6B")
    parser.add_argument("--rows", type=int, nargs="+", default=[1, 8, 32])
    parser.add_argument("--phases", action="store_true")
    parser.add_argument("--frames", type=int, default=40)
    options = parser.parse_args()
    if options.phases:
        return all_phases(options.rows)
    talker = random_talker(talker_config(options.size), 16)
    print(cuda_limits(), flush=True)
    for rows in options.rows:
        fused, whole = (CompiledDecode(talker, StepKernels(form)) for form in (FUSED, PERSISTENT))
        right, made = step(fused, talker, rows), [step(whole, talker, rows) for _ in range(REPEATS)]
        found = {
            "rows": rows,
            "off": round(float(np.abs(made[0] - right).max() / np.abs(right).max()), 5),
            "repeats": sum(np.array_equal(made[0], again) for again in made),
            "of": REPEATS,
            "talker_ms": round(in_a_row(whole, talker, rows), 3),
            "talker_ms_fused": round(in_a_row(fused, talker, rows), 3),
        }
        for form in (PERSISTENT, FUSED):
            found[f"frame_ms_{form.name}"] = round(milliseconds(talker, StepKernels(form), rows, options.frames), 3)
        print(json.dumps(found), flush=True)
    for (chosen, rows), good in self_check._results.items():
        if not good or isinstance(chosen, StackKernel):
            print("used" if good else "LEFT OUT", self_check.kernel_name(chosen, rows), flush=True)


if __name__ == "__main__":
    main()
