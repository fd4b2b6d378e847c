"""Prompts in, caches that have read them out: block by block, or on a GPU those of several newcomers in one step.

Reading a short prompt is some 500 launches, however few positions it has. Shorter prompts are padded at their ends,
which no earlier position sees. On CUDA few short ones are one launch. Else the step is not compiled: that would save
the host 4 ms and cost it 50 or more at the first prompts of each length and number.
"""

from __future__ import annotations

import weakref
from collections.abc import Generator
from contextlib import nullcontext
from dataclasses import dataclass

import mlx.core as mx
import numpy as np

from mlx_tts.kernels.core.forms import StepKernels
from mlx_tts.kernels.stack_steps import PrefillStep
from mlx_tts.models.qwen3_tts.talker import Talker
from mlx_tts.nn.cache import CacheRow, FirstColumns, RowCaches
from mlx_tts.runtime.device import policy

PROMPT_BLOCK = 512  # positions read at once: the memory of a long prompt grows with its length, not with its square
SHARED_POSITIONS = 256  # of a prompt that is read with others; with their padding all of them have at most
MOST_POSITIONS = 4096
ROUND_ROWS, ROUND_POSITIONS = 4, 8  # of prompts that are read by a library's products
MOST_LAUNCHES = 4  # of a kernel that reads few positions: more take longer than the step that reads all of them


@dataclass(eq=False)
class WaitingPrompt:
    """[L, D], and its caches once they have read it."""

    embedded: mx.array
    caches: RowCaches | None = None

    @property
    def length(self) -> int:
        return self.embedded.shape[0]


class Prefill:
    """Of one talker. Holds no prompt: one that nobody waits for any more is gone."""

    def __init__(self, talker: Talker, kernels: StepKernels | None = None):
        """kernels: None: those that the environment asks for."""
        self.talker, self.kernels, self.device = talker, kernels, policy()
        self._waiting: list[weakref.ref[WaitingPrompt]] = []
        self._step = PrefillStep(talker.model)

    def enter(self, embedded: mx.array) -> WaitingPrompt:
        """A newcomer, from now on waiting for the first that is read."""
        prompt = WaitingPrompt(embedded)
        if self.device.shares_prefill and 0 < prompt.length <= SHARED_POSITIONS:
            self._waiting.append(weakref.ref(prompt))
        return prompt

    def read(self, prompt: WaitingPrompt) -> Generator[int, None, RowCaches]:
        """The caches of a prompt; yields the positions of each block that was read for it."""
        if prompt.caches is None and any(waiting() is prompt for waiting in self._waiting):
            self._read_together(prompt)
            yield prompt.length
        if prompt.caches is None:
            cache = prompt.caches = self.talker.make_row()
            for at in range(0, prompt.length, PROMPT_BLOCK):
                block = prompt.embedded[at : at + PROMPT_BLOCK]
                under_way = self.talker.read_row(block, cache)
                is_last = at + PROMPT_BLOCK >= prompt.length
                # The first step is put together while the last block is computed.
                (mx.async_eval if is_last and self.device.begins_early else mx.eval)(under_way)
                yield len(block)
        return prompt.caches

    def _read_together(self, first: WaitingPrompt) -> None:
        """Read `first`, and of the others that wait as many as fit: all, or what one launch takes where few launches
        take all."""
        others = [prompt for waiting in self._waiting if (prompt := waiting()) is not None and prompt is not first]
        with nullcontext() if self.kernels is None else self.kernels.in_use():
            self._read_some(first, others)

    def _read_some(self, first: WaitingPrompt, others: list[WaitingPrompt]) -> None:
        prompts, most = [first], MOST_POSITIONS
        few = self._step.most_positions(first.embedded.dtype)
        if max(prompt.length for prompt in (first, *others)) * (len(others) + 1) <= MOST_LAUNCHES * few:
            most = few
        for prompt in others:
            longest = max(prompt.length, *(chosen.length for chosen in prompts))
            if longest * (len(prompts) + 1) <= most and prompt.embedded.dtype == first.embedded.dtype:
                prompts.append(prompt)
        chosen = set(map(id, prompts))
        self._waiting = [weakref.ref(prompt) for prompt in others if id(prompt) not in chosen]
        caches = self.talker.make_cache()  # with room for frames
        if len(prompts) > 1:
            caches = [FirstColumns() for _ in caches]
        rows = _side_by_side(prompts)
        if self._step.prefill(rows, caches) is None:
            self.talker.model(_side_by_side(prompts, rounded=True) if self.device.avoids_libraries else rows, caches)
            for cache in caches if len(prompts) == 1 else ():
                cache.length = first.length
        mx.async_eval([cache.kv for cache in caches])
        for at, prompt in enumerate(prompts):
            prompt.caches = caches if len(prompts) == 1 else CacheRow(caches, at, prompt.length)


def _side_by_side(prompts: list[WaitingPrompt], rounded: bool = False) -> mx.array:
    """[B, L, D]: each padded with what it ends with, in few launches. rounded: to lengths and numbers of rows of which
    there are few, because libraries plan 10 ms for the products of a new one; rows behind the prompts repeat the last.
    """
    rows, longest = len(prompts), max(prompt.length for prompt in prompts)
    if rounded:
        rows = -(-rows // ROUND_ROWS) * ROUND_ROWS if rows > 1 else 1
        longest = -(-longest // ROUND_POSITIONS) * ROUND_POSITIONS
    if (rows, longest) == (1, prompts[0].length):
        return prompts[0].embedded[None]
    lengths = np.array([prompt.length for prompt in prompts])[:, None]
    places = np.cumsum(lengths)[:, None] - lengths + np.minimum(np.arange(longest), lengths - 1)
    places = places[np.minimum(np.arange(rows), len(prompts) - 1)]
    return mx.concatenate([prompt.embedded for prompt in prompts])[mx.array(places)]
