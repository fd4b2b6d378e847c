"""Which kernels a model uses: all of them, all but persistent ones, products and sampling alone, or none.

MLX_TTS_KERNELS=off|half|fused|on (0 and 1 mean off and on) decides; auto, the default, leaves it to autotune on
the machine.
MLX_TTS_ATTENTION_KERNEL=0|1 decides about attention alone, which writes to the cache where MLX does not see it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from mlx_tts.kernels.core.source import gpu_language


@dataclass(frozen=True)
class KernelForm:
    """products: and sampling. stacks: all layers in one persistent kernel, which only CUDA can. Forms are equal in
    greedy codes, not in sampled ones: sums round differently."""

    products: bool
    attention: bool
    stacks: bool = False

    def uses(self, part: str) -> bool:
        """Whether kernels of "products", "attention" or "stacks" may run."""
        return {"products": self.products, "attention": self.attention, "stacks": self.stacks}[part]

    @property
    def name(self) -> str:
        """What result tables and piece stores record."""
        if self.stacks:
            return "resident"
        if self.products:
            return "fused" if self.attention else "half"
        return "attention" if self.attention else "plain"


PLAIN, HALF, FUSED = KernelForm(False, False), KernelForm(True, False), KernelForm(True, True)
PERSISTENT = KernelForm(True, True, True)
FORMS = {form.name: form for form in (PLAIN, HALF, FUSED, PERSISTENT)}  # those that autotune may choose
_ASKED = {"off": PLAIN, "0": PLAIN, "half": HALF, "fused": FUSED, "on": PERSISTENT, "1": PERSISTENT}


@dataclass(frozen=True)
class StepKernels:
    """The kernels that the steps of one loaded model use, as long as it is loaded: what a family knows of them.

    left_out: kernels that autotune found faulty.
    """

    form: KernelForm
    left_out: frozenset[str] = frozenset()

    def in_form(self, name: str) -> StepKernels:
        """The same in the form of an earlier run, as far as this version knows it."""
        return replace(self, form=FORMS.get(name, self.form))

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """While a step is made, these hold."""
        _in_use.append(self)
        try:
            yield
        finally:
            _in_use.pop()


_in_use: list[StepKernels] = []  # of the model whose step is being made: all of MLX runs in one thread


def asked_form() -> KernelForm | None:
    """What the environment asks for; None leaves it to the machine."""
    if gpu_language() is None:
        return PLAIN
    form = _ASKED.get(os.environ.get("MLX_TTS_KERNELS", "auto"))
    if form == PERSISTENT and gpu_language() != "cuda":
        form = FUSED
    return None if form is None else with_attention_switch(form)


def with_attention_switch(form: KernelForm) -> KernelForm:
    """MLX_TTS_ATTENTION_KERNEL has the last word about attention."""
    attention = os.environ.get("MLX_TTS_ATTENTION_KERNEL")
    if attention is None:
        return form
    return replace(form, attention=attention == "1", stacks=form.stacks and attention == "1")


def kernel_form() -> KernelForm:
    """The form of the step that is being made; without a GPU there are no kernels."""
    if _in_use:
        return _in_use[-1].form
    return asked_form() or PLAIN


def left_out() -> frozenset[str]:
    """Kernels that must not even be tried."""
    return _in_use[-1].left_out if _in_use else frozenset()
