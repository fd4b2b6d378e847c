"""Which kernels this process uses: all of them, all but whole stacks, products and draws alone, or none.

MLX_TTS_KERNELS=off|half|fused|on (0 and 1 mean off and on) decides; auto, the default, leaves it to a trial on
the machine.
MLX_TTS_ATTENTION_KERNEL=0|1 decides about attention alone, which writes to the cache where MLX does not see it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from mlx_tts.nn.fused.gpu_source import gpu_language


@dataclass(frozen=True)
class KernelForm:
    """products: and the draws. stacks: all layers in one launch, which only CUDA can. Forms are equal in greedy codes,
    not in sampled ones: sums round differently."""

    products: bool
    attention: bool
    stacks: bool = False

    @property
    def name(self) -> str:
        """What result tables and piece stores record."""
        if self.stacks:
            return "resident"
        if self.products:
            return "fused" if self.attention else "half"
        return "attention" if self.attention else "plain"


PLAIN, HALF, FUSED = KernelForm(False, False), KernelForm(True, False), KernelForm(True, True)
RESIDENT = KernelForm(True, True, True)
_ASKED = {"off": PLAIN, "0": PLAIN, "half": HALF, "fused": FUSED, "on": RESIDENT, "1": RESIDENT}


@dataclass(frozen=True)
class KernelChoice:
    """What one loaded model uses, for as long as it is loaded. left_out: kernels that a trial found faulty."""

    form: KernelForm
    left_out: frozenset[str] = frozenset()


_in_use: list[KernelChoice] = []  # of the model whose step is being made: all of MLX runs in one thread


@contextmanager
def in_use(choice: KernelChoice) -> Iterator[None]:
    """While a model's step is made, its own choice holds."""
    _in_use.append(choice)
    try:
        yield
    finally:
        _in_use.pop()


def asked_form() -> KernelForm | None:
    """What the environment asks for; None leaves it to the machine."""
    if gpu_language() is None:
        return PLAIN
    form = _ASKED.get(os.environ.get("MLX_TTS_KERNELS", "auto"))
    if form == RESIDENT and gpu_language() != "cuda":
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
