"""Which kernels this process uses: all of them, products and draws alone, or none.

MLX_TTS_KERNELS=off|half|on (0 and 1 mean off and on) decides; auto, the default, leaves it to the machine.
MLX_TTS_ATTENTION_KERNEL=0|1 decides about attention alone, which writes to the cache where MLX does not see it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

from mlx_tts.nn.fused.gpu_source import gpu_language


@dataclass(frozen=True)
class KernelForm:
    """products: and the draws. Forms are equal in greedy codes, not in sampled ones: sums round differently."""

    products: bool
    attention: bool

    @property
    def name(self) -> str:
        """What result tables and piece stores record."""
        if self.products:
            return "fused" if self.attention else "half"
        return "attention" if self.attention else "plain"


PLAIN, HALF, FUSED = KernelForm(False, False), KernelForm(True, False), KernelForm(True, True)
_ASKED = {"off": PLAIN, "0": PLAIN, "half": HALF, "on": FUSED, "1": FUSED}


def kernel_form() -> KernelForm:
    """The form of this process; without a GPU there are no kernels."""
    language = gpu_language()
    if language is None:
        return PLAIN
    form = _ASKED.get(os.environ.get("MLX_TTS_KERNELS", "auto")) or _by_machine(language)
    attention = os.environ.get("MLX_TTS_ATTENTION_KERNEL")
    return form if attention is None else replace(form, attention=attention == "1")


def _by_machine(language: str) -> KernelForm:
    """On CUDA all kernels were run against the reference; on Metal they wait until somebody has measured them there."""
    return FUSED if language == "cuda" else PLAIN
