"""A talker in, the kernels to use for it out: as the environment asks, or as autotune found on this machine.

`python -m mlx_tts.models.qwen3_tts.autotune keep` supervises a child and keeps its result; `... try` is the child that
runs the kernels. Both read their task from standard input. The process that speaks goes on by the plain path meanwhile,
and keeps the form that it began with.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx import nn
from mlx.utils import tree_map_with_path

from mlx_tts.generation.sampling import RowSampling, SamplerSettings, SamplingParams, gumbel_noise
from mlx_tts.kernels.core import autotune, self_check
from mlx_tts.kernels.core.forms import FORMS, PLAIN, StepKernels, asked_form, with_attention_switch
from mlx_tts.models.qwen3_tts.config import CodePredictorConfig, TalkerConfig
from mlx_tts.models.qwen3_tts.gpu_step import CompiledDecode
from mlx_tts.models.qwen3_tts.talker import Talker
from mlx_tts.nn.linear import DTYPES
from mlx_tts.runtime import first_start
from mlx_tts.runtime.compiled_kernels import tell_of_compiled

FRAMES, WARM_UP, COLUMNS = 20, 4, 40  # frames that are timed, frames before them, columns in the caches
LOCK_SECONDS = 600.0  # autotune that has taken so long is dead
MODULE = "mlx_tts.models.qwen3_tts.autotune"


def shapes_of(talker: Talker, rows: int = 1) -> dict[str, Any]:
    """What autotune needs to know of a talker: sizes, formats of its products, dtype."""
    formats = Counter(
        f"{layer.bits},{layer.group_size},{layer.mode}" if isinstance(layer, nn.QuantizedLinear) else "plain"
        for _, layer in talker.named_modules()
        if isinstance(layer, nn.Linear | nn.QuantizedLinear)
    )
    config = replace(talker.config, text_vocab_size=8, codec_language_id={}, spk_id={}, spk_is_dialect={})
    dtype = next(name for name, dtype in DTYPES.items() if dtype == talker.dtype)
    named = [name for name, _ in formats.most_common()] or ["plain"]
    return {"config": asdict(config), "formats": named, "dtype": dtype, "rows": rows}


def choose_kernels(talker: Talker) -> StepKernels:
    """What this talker uses from now on. Without a result: none, and autotune begins in a process of its own."""
    form = asked_form()
    if form is not None:
        return StepKernels(form)
    shapes = shapes_of(talker)
    result = autotune.read(autotune.path_of(shapes))
    if result is None:
        if not first_start.leaves_autotune_to_supervisor():
            begin_autotune(shapes)
        return StepKernels(PLAIN)
    return StepKernels(with_attention_switch(result.form), result.left_out)


def begin_autotune(shapes: dict[str, Any]) -> None:
    """Start the supervisor, which outlives a short command. Never fails: without it all stays plain."""
    path = autotune.path_of(shapes)
    lock = path.with_suffix(".lock")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if lock.exists() and time.time() - lock.stat().st_mtime > LOCK_SECONDS:
            lock.unlink(missing_ok=True)
        os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError:
        return  # another process is at it, or nothing can be kept here
    try:
        quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
        keeper = subprocess.Popen([sys.executable, "-m", MODULE, "keep"], stdin=subprocess.PIPE, text=True, **quiet)
        assert keeper.stdin is not None
        keeper.stdin.write(json.dumps({"shapes": shapes, "path": str(path)}) + "\n")
        keeper.stdin.close()
    except OSError:
        lock.unlink(missing_ok=True)


def examine(talker: Talker) -> dict[str, Any] | None:
    """Autotune now, with its result kept: what `mlx-tts doctor` prints. None without a GPU."""
    if not autotune.forms_to_try():
        return None
    shapes = shapes_of(talker)
    result = autotune.run_autotune([sys.executable, "-m", MODULE, "try"], shapes)
    with suppress(OSError):
        autotune.write(autotune.path_of(shapes), result)
    return {
        "form": choose_kernels(talker).form.name,
        "best_form": result.form.name,
        "milliseconds": dict(result.milliseconds),
        "faults": dict(result.faults),
        "checked": dict(result.kernels),
    }


def wait_for_result(talker: Talker, seconds: float) -> str | None:
    """Wait for autotune that has begun, where there is much to speak. The form that the next load would choose."""
    if asked_form() is not None:
        return None
    path, end = autotune.path_of(shapes_of(talker)), time.monotonic() + seconds
    while autotune.read(path) is None and path.with_suffix(".lock").exists() and time.monotonic() < end:
        time.sleep(0.1)
    result = autotune.read(path)
    return None if result is None else with_attention_switch(result.form).name


def keep(
    task: dict[str, Any], command: Sequence[str] | None = None, step_seconds: float = autotune.STEP_SECONDS
) -> None:
    """Run autotune and keep its result."""
    path = Path(task["path"])
    try:
        child = command or [sys.executable, "-m", MODULE, "try"]
        with first_start.own_folder() as environment:
            os.environ.update(environment)
            result = autotune.run_autotune(child, task["shapes"], step_seconds)
        autotune.write(path, result)
    finally:
        path.with_suffix(".lock").unlink(missing_ok=True)


def try_kernels(task: dict[str, Any]) -> None:
    """The child: check every kernel that a frame uses, then time the forms, saying so before and after each."""
    # what MLX prints, if it prints, must not stand between the lines
    own = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1)

    def say(**message: Any) -> None:
        own.write(json.dumps(message) + "\n")
        own.flush()

    def watch(name: str, fault: str | None) -> None:
        if fault is None:
            say(begin="kernel", name=name)
        else:
            say(kind="kernel", name=name, fault=fault or None)
            if fault and not fault.startswith("off by"):
                start_again()
            say(begin="form", name=form_name)

    def start_again() -> None:
        """After a fault of the GPU nothing that this process computes can be trusted."""
        say(kind="again")
        os._exit(0)

    self_check.watchers.append(watch)
    # MLX may compile for long: with each kernel the time limit begins again
    tell_of_compiled(lambda count: say(kind="compiled", count=count))
    talker, left_out = random_talker(task), frozenset(task["left_out"])
    for form_name in autotune.forms_to_try():
        if form_name in task["skipped_forms"]:
            continue
        say(begin="form", name=form_name)
        try:
            choice = StepKernels(FORMS[form_name], left_out)
            took = milliseconds(talker, choice, task["rows"], task.get("frames", FRAMES))
            say(kind="form", name=form_name, fault=None, milliseconds=took)
        except (RuntimeError, ValueError) as error:
            say(kind="form", name=form_name, fault=str(error)[:300] or type(error).__name__, milliseconds=None)
            start_again()
    say(kind="end")


def random_talker(shapes: dict[str, Any]) -> Talker:
    """A talker of these shapes whose weights keep the size of what passes through."""
    config = dict(shapes["config"])
    config["code_predictor_config"] = CodePredictorConfig(**config["code_predictor_config"])
    talker, dtype, keys = Talker(TalkerConfig(**config)), DTYPES[shapes["dtype"]], iter(range(1 << 20))

    def fill(path: str, value: mx.array) -> mx.array:
        if path.endswith("norm.weight"):
            return mx.ones(value.shape, dtype)
        return mx.random.normal(value.shape, dtype, scale=1 / math.sqrt(value.shape[-1]), key=mx.random.key(next(keys)))

    talker.update(tree_map_with_path(fill, talker.parameters()))
    if shapes["formats"][0] != "plain":
        bits, group_size, mode = shapes["formats"][0].split(",")
        linear = lambda _, layer: isinstance(layer, nn.Linear)  # noqa: E731
        nn.quantize(talker, int(group_size), int(bits), mode=mode, class_predicate=linear)
    talker.fuse_projections()
    mx.eval(talker.parameters())
    return talker


def milliseconds(talker: Talker, choice: StepKernels, rows: int, frames: int) -> float:
    """The median time of a frame with these kernels, with one step of look-ahead as in the decode loop."""
    config, attn, D = talker.config, talker.model.layers[0].self_attn, talker.config.hidden_size
    steps, caches = CompiledDecode(talker, choice), talker.make_cache()
    empty = mx.zeros((rows, attn.kv_heads, COLUMNS, attn.head_dim), talker.dtype)
    for cache in caches:
        cache.append(empty, empty)
    V, later = config.vocab_size, config.code_predictor_config.vocab_size
    settings = SamplerSettings(0.9, 50, 1.0)
    sampling = RowSampling.of([SamplingParams(settings, settings, 1.05)] * rows, V, later)
    x, used, scratch = mx.ones((rows, 1, D), talker.dtype), mx.zeros((rows, V), mx.bool_), steps.scratch(rows)
    forbidden, text = mx.zeros((rows, V)), mx.zeros((rows, D), talker.dtype)
    stamps, before = [], None
    for frame in range(WARM_UP + frames + 1):
        logits, hidden = steps.decode_step(x, caches)
        noise = gumbel_noise([(row, frame) for row in range(rows)], V + (config.num_code_groups - 1) * later)
        codes, x, used = steps.sample_frame(logits, hidden, used, forbidden, text, noise, sampling, scratch)
        mx.async_eval(codes, x, used)
        if before is not None:
            mx.eval(before)
            stamps.append(time.perf_counter())
        before = codes
    gaps = [(after - then) * 1e3 for then, after in pairwise(stamps)]
    return statistics.median(gaps[WARM_UP - 1 :])


def main() -> None:
    task = json.loads(sys.stdin.readline())
    keep(task) if sys.argv[1] == "keep" else try_kernels(task)


if __name__ == "__main__":
    main()
