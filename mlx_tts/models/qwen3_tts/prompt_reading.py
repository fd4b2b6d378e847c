"""Prompts in, caches that have read them out: block by block, or on a GPU those of several newcomers in one step.

Reading a short prompt is some 600 launches, however few positions it has. Shorter prompts are padded at their ends,
which no earlier position sees.
"""

from __future__ import annotations

import weakref
from collections.abc import Generator
from dataclasses import dataclass

import mlx.core as mx

from mlx_tts.models.qwen3_tts.talker import Talker
from mlx_tts.nn.cache import KVCache
from mlx_tts.runtime.device import on_gpu

PROMPT_BLOCK = 512  # positions read at once: the memory of a long prompt grows with its length, not with its square
SHARED_POSITIONS = 256  # of a prompt that is read with others; with their padding all of them have at most
MOST_POSITIONS = 4096


@dataclass(eq=False)
class Prompt:
    """[L, D], and its caches once they have read it, one a layer."""

    embedded: mx.array
    caches: list[KVCache] | None = None

    @property
    def length(self) -> int:
        return self.embedded.shape[0]


class PromptReader:
    """Of one talker. Holds no prompt: one that nobody waits for any more is gone."""

    def __init__(self, talker: Talker):
        self.talker = talker
        self._waiting: list[weakref.ref[Prompt]] = []

    def enter(self, embedded: mx.array) -> Prompt:
        """A newcomer, from now on waiting for whoever reads first."""
        prompt = Prompt(embedded)
        if on_gpu() and 0 < prompt.length <= SHARED_POSITIONS:
            self._waiting.append(weakref.ref(prompt))
        return prompt

    def read(self, prompt: Prompt) -> Generator[int, None, list[KVCache]]:
        """The caches of a prompt; yields the positions of each block that was read for it."""
        if prompt.caches is None and any(waiting() is prompt for waiting in self._waiting):
            self._read_together(prompt)
            yield prompt.length
        if prompt.caches is None:
            prompt.caches = self.talker.make_cache()
            for at in range(0, prompt.length, PROMPT_BLOCK):
                block = prompt.embedded[None, at : at + PROMPT_BLOCK]
                self.talker.model(block, prompt.caches)
                mx.eval([cache.kv for cache in prompt.caches])
                yield block.shape[1]
        return prompt.caches

    def _read_together(self, first: Prompt) -> None:
        """Read `first`, and of the others that wait as many as fit."""
        others = [prompt for waiting in self._waiting if (prompt := waiting()) is not None and prompt is not first]
        prompts = [first]
        for prompt in others:
            longest = max(prompt.length, *(chosen.length for chosen in prompts))
            if longest * (len(prompts) + 1) <= MOST_POSITIONS and prompt.embedded.dtype == first.embedded.dtype:
                prompts.append(prompt)
        chosen = set(map(id, prompts))
        self._waiting = [weakref.ref(prompt) for prompt in others if id(prompt) not in chosen]
        longest, caches = max(prompt.length for prompt in prompts), self.talker.make_cache()
        padded = [mx.pad(prompt.embedded, [(0, longest - prompt.length), (0, 0)]) for prompt in prompts]
        self.talker.model(mx.stack(padded), caches)
        mx.async_eval([cache.kv for cache in caches])
        for at, prompt in enumerate(prompts):
            prompt.caches = caches if len(prompts) == 1 else [_row(cache, at, prompt.length) for cache in caches]


def _row(cache: KVCache, row: int, length: int) -> KVCache:
    own = KVCache()
    assert cache.kv is not None
    own.kv, own.length = cache.kv[:, row : row + 1, :, :length], length
    return own
