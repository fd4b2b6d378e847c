"""Short prompts on CUDA: all layers in one launch, where some 500 would read them; for what a first sound waits."""

from __future__ import annotations

import mlx.core as mx

from mlx_tts.nn.cache import KVCache
from mlx_tts.nn.fused import resident, resident_signature
from mlx_tts.nn.fused.kernel_form import kernel_form
from mlx_tts.nn.fused.resident_stack import MOST_ROWS, Signature
from mlx_tts.nn.fused.self_check import CheckNumbers, passes_self_check
from mlx_tts.nn.transformer import Transformer


class PromptStep:
    """The prompts of one stack."""

    def __init__(self, model: Transformer):
        self.model = model
        self._chosen: dict[tuple[int, mx.Dtype], Signature | None] = {}  # to look at all layers takes its time

    def most_positions(self, dtype: mx.Dtype) -> int:
        """Of all prompts of a launch, with their padding; 0 where no kernel reads them."""
        return MOST_ROWS if kernel_form().stacks and self._signature(1, dtype) is not None else 0

    def _signature(self, positions: int, dtype: mx.Dtype) -> Signature | None:
        if (positions, dtype) not in self._chosen:
            self._chosen[positions, dtype] = resident_signature.of_prompts(self.model, positions, dtype)
        return self._chosen[positions, dtype]

    def read_at_once(self, prompts: mx.array, caches: list[KVCache]) -> mx.array | None:
        """[B, L, D] into empty caches of these rows, and what leaves the last layer, not normed; None where no kernel
        does so, or none that passes its check: its first layers. Columns behind the prompts hold anything."""
        B, L, _ = prompts.shape
        model, chosen = self.model, self._signature(B * L, prompts.dtype)

        def check() -> list[tuple[mx.array, mx.array]]:
            assert chosen is not None
            few, own = model.layers[: resident.CHECK_LAYERS], [KVCache() for _ in range(resident.CHECK_LAYERS)]
            x = CheckNumbers().normal(prompts.shape, prompts.dtype)
            exact = x.astype(mx.float32)
            for block, cache in zip(few, own, strict=True):
                exact = block(exact, cache, cache.mask(L))
            made, kv = resident.read_prompts(chosen, model, x, L, resident.counters(), len(few))
            pairs = [(made, exact.astype(x.dtype))]
            for found, right in zip(kv, own, strict=False):
                assert right.kv is not None
                pairs.append((found, right.kv[:, :, :, :L].astype(x.dtype)))
            return pairs

        if not passes_self_check(chosen, check, part="stacks"):
            return None
        assert chosen is not None
        columns = caches[0].columns_for(L)
        read, all_kv = resident.read_prompts(chosen, model, prompts, columns, resident.counters())
        for cache, kv in zip(caches, all_kv, strict=True):
            cache.kv, cache.length = kv, L
        return read
