"""A family's model in, the kernels that it uses out: as the environment asks, or as autotune found on this machine.

`python -m MODULE keep` supervises a child and keeps its result; `... try` is the child that runs the kernels. Both read
their task from standard input. The process that speaks goes on by the plain path meanwhile, and keeps the form that it
began with. MODULE is the family's own, which calls `Trial.main`.
"""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx import nn
from mlx.utils import tree_flatten, tree_map_with_path

from mlx_tts.kernels.core import autotune, self_check
from mlx_tts.kernels.core.forms import FORMS, PLAIN, StepKernels, asked_form, with_attention_switch
from mlx_tts.nn.linear import DTYPES
from mlx_tts.runtime import first_start
from mlx_tts.runtime.compiled_kernels import tell_of_compiled
from mlx_tts.runtime.memory import total_bytes
from mlx_tts.shortened import reason_of

LOCK_SECONDS = 600.0  # autotune that has taken so long is dead
FRAMES = 20  # that are timed


@dataclass(frozen=True)
class Trial:
    """What a family says so that its kernels can be tried.

    shapes_of: a model -> what a random one of the same sizes and formats needs, as JSON has it. random_model: that one.
    milliseconds: model, kernels, rows, frames -> the median time of a frame.
    """

    module: str
    shapes_of: Callable[[Any], dict[str, Any]]
    random_model: Callable[[Mapping[str, Any]], Any]
    milliseconds: Callable[[Any, StepKernels, int, int], float]

    def choose(self, model: Any) -> StepKernels:
        """What this model uses from now on. Without a result: none, and autotune begins in a process of its own."""
        form = asked_form()
        if form is not None:
            return StepKernels(form)
        shapes = self.shapes_of(model)
        result = autotune.read(autotune.path_of(shapes))
        if result is None:
            if not first_start.leaves_autotune_to_supervisor() and _fits_twice(model):
                self.begin(shapes)
            return StepKernels(PLAIN)
        return StepKernels(with_attention_switch(result.form), result.left_out)

    def begin(self, shapes: Mapping[str, Any]) -> None:
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
            quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            command = [sys.executable, "-m", self.module, "keep"]
            keeper = subprocess.Popen(command, stdin=subprocess.PIPE, text=True, start_new_session=True, **quiet)
            assert keeper.stdin is not None
            keeper.stdin.write(json.dumps({"shapes": shapes, "path": str(path)}) + "\n")
            keeper.stdin.close()
        except OSError:
            lock.unlink(missing_ok=True)

    def examine(self, model: Any) -> dict[str, Any] | None:
        """Autotune now, with its result kept: what `mlx-tts doctor` prints. None without a GPU."""
        if not autotune.forms_to_try():
            return None
        shapes = self.shapes_of(model)
        result = autotune.run_autotune([sys.executable, "-m", self.module, "try"], shapes)
        with suppress(OSError):
            autotune.write(autotune.path_of(shapes), result)
        return {
            "form": self.choose(model).form.name,
            "best_form": result.form.name,
            "milliseconds": dict(result.milliseconds),
            "faults": dict(result.faults),
            "checked": dict(result.kernels),
        }

    def wait(self, model: Any, seconds: float) -> str | None:
        """Wait for autotune that has begun, where there is much to speak. The form that the next load would choose."""
        if asked_form() is not None:
            return None
        path, end = autotune.path_of(self.shapes_of(model)), time.monotonic() + seconds
        while autotune.read(path) is None and path.with_suffix(".lock").exists() and time.monotonic() < end:
            time.sleep(0.1)
        result = autotune.read(path)
        return None if result is None else with_attention_switch(result.form).name

    def keep(
        self, task: Mapping[str, Any], command: Sequence[str] | None = None, step_seconds: float = autotune.STEP_SECONDS
    ) -> None:
        """Run autotune and keep its result."""
        path = Path(task["path"])
        try:
            child = command or [sys.executable, "-m", self.module, "try"]
            with first_start.own_folder() as environment:
                os.environ.update(environment)
                result = autotune.run_autotune(child, task["shapes"], step_seconds)
            autotune.write(path, result)
        finally:
            path.with_suffix(".lock").unlink(missing_ok=True)

    def try_kernels(self, task: Mapping[str, Any]) -> None:
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
        model, left_out = self.random_model(task), frozenset(task["left_out"])
        for form_name in autotune.forms_to_try():
            if form_name in task["skipped_forms"]:
                continue
            say(begin="form", name=form_name)
            try:
                choice = StepKernels(FORMS[form_name], left_out)
                took = self.milliseconds(model, choice, task["rows"], task.get("frames", FRAMES))
                say(kind="form", name=form_name, fault=None, milliseconds=took)
            except (RuntimeError, ValueError) as error:
                say(kind="form", name=form_name, fault=reason_of(error, 300) or type(error).__name__, milliseconds=None)
                start_again()
        say(kind="end")

    def main(self) -> None:
        task = json.loads(sys.stdin.readline())
        self.keep(task) if sys.argv[1] == "keep" else self.try_kernels(task)


class Autotuned:
    """`Autotunes` of generation/synthesizer.py, for a synthesizer whose loop has `kernel_form` and
    `use_kernel_form`."""

    trial: Trial
    _loop: Any

    @property
    def tried_model(self) -> Any:
        """What the trial takes shapes from."""
        return self._loop.model

    @property
    def kernel_form(self) -> str:
        return str(self._loop.kernel_form)

    def use_kernel_form(self, name: str) -> None:
        self._loop.use_kernel_form(name)

    def examine_kernels(self) -> dict[str, Any] | None:
        return self.trial.examine(self.tried_model)

    def wait_for_kernels(self, seconds: float) -> bool:
        form = self.trial.wait(self.tried_model, seconds)
        return form is not None and form != self.kernel_form


def shapes_of(model: nn.Module, config: Mapping[str, Any], parts: Sequence[str], rows: int = 1) -> dict[str, Any]:
    """What autotune needs to know of a model that has a `dtype`: its config, dtype, and the formats of its products.
    parts: which paths the layers have whose products mostly have one format. Each is told where there are several
    formats, after those of its modules that have another one."""
    dtype = next(name for name, own in DTYPES.items() if own == model.dtype)
    named = _formats(model, "") or ["plain"]
    shapes: dict[str, Any] = {"config": dict(config), "formats": named, "dtype": dtype, "rows": rows}
    if len(named) > 1:
        shapes["formats_by_part"] = {
            pattern: form for part in parts for pattern, form in _part_formats(model, part).items()
        }
    return shapes


def _part_formats(model: nn.Module, part: str) -> dict[str, str]:
    """The format of a part, and before it those of its modules whose layers have another one."""
    formats = _formats(model, part)
    if len(formats) < 2:
        return {part: formats[0]} if formats else {}
    parents = sorted({path.rpartition(".")[0] for path, _ in _products(model, part)})
    own = {pattern: _formats(model, pattern)[0] for parent in parents for pattern in [re.escape(parent) + r"\."]}
    return {pattern: form for pattern, form in own.items() if form != formats[0]} | {part: formats[0]}


def _fits_twice(model: nn.Module) -> bool:
    """Whether a second model of this size leaves half of the memory to others; else only `doctor` tries kernels."""
    weights: Any = tree_flatten(model.parameters())
    return 4 * sum(value.nbytes for _, value in weights) <= total_bytes()


def _formats(model: nn.Module, part: str) -> list[str]:
    """Of the products whose paths match, the most common format first."""
    formats = Counter(
        f"{layer.bits},{layer.group_size},{layer.mode}" if isinstance(layer, nn.QuantizedLinear) else "plain"
        for _, layer in _products(model, part)
    )
    return [name for name, _ in formats.most_common()]


def _products(model: nn.Module, part: str) -> Iterator[tuple[str, nn.Module]]:
    """Paths and layers of the products whose paths match."""
    for path, layer in model.named_modules():
        if re.match(part, path) and isinstance(layer, nn.Linear | nn.QuantizedLinear):
            yield path, layer


def fill_at_random(model: nn.Module, shapes: Mapping[str, Any]) -> None:
    """Weights that keep the size of what passes through, in the dtype and formats of `shapes`."""
    dtype, keys = DTYPES[shapes["dtype"]], iter(range(1 << 20))

    def fill(path: str, value: mx.array) -> mx.array:
        if path.endswith("norm.weight"):
            return mx.ones(value.shape, dtype)
        return mx.random.normal(value.shape, dtype, scale=1 / math.sqrt(value.shape[-1]), key=mx.random.key(next(keys)))

    model.update(tree_map_with_path(fill, model.parameters()))
    for part, form in shapes.get("formats_by_part", {"": shapes["formats"][0]}).items():
        if form != "plain":
            bits, group_size, mode = form.split(",")
            chosen = lambda path, layer, part=part: isinstance(layer, nn.Linear) and bool(re.match(part, path))  # noqa: E731
            nn.quantize(model, int(group_size), int(bits), mode=mode, class_predicate=chosen)
    weights: Any = tree_flatten(model.parameters())
    for _, value in weights:  # one after the other: what was not quantised yet is gone before the next is made
        mx.eval(value)
