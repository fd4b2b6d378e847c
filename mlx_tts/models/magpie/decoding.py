"""One utterance in the decoder: the caches of its rows, and one position a step, of several utterances at a time.

With the cache "cached", positions keep the prior that was newest when they were read. With "recomputed", all positions
are read again whenever the prior changes, from the first layer with a prior on: NeMo's default. The second row of a
guided utterance attends to nothing, so it is cached in either case.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mlx_tts.models.magpie.config import RECOMPUTED, GenerationSettings
from mlx_tts.models.magpie.network import CACHE_GROWTH, Magpie
from mlx_tts.nn.attention import TINY, Memory
from mlx_tts.nn.cache import KVCache

Prior = NDArray[np.float32] | None
Decode = Callable[[mx.array, Sequence[list[KVCache]], Sequence[Sequence[Memory]]], mx.array]


class Decoding:
    """caches: one a layer, of the conditional row and, where guided, of the second one. They are one set of caches in
    mode "cached", and two in mode "recomputed", where the first row's are made again."""

    def __init__(self, model: Magpie, memory: list[Memory], settings: GenerationSettings, decode: Decode | None = None):
        """decode: another form of the decoder's `decode_rows`."""
        self.model, self.memory, self.settings = model, memory, settings
        self.decode = decode or model.decoder.decode_rows
        self.recomputes = settings.cache == RECOMPUTED and settings.prior
        self.caches: list[KVCache] = []
        self.second: list[KVCache] = []
        self.guided = settings.guidance is not None
        self.fixed = min(settings.prior_layers, default=0) if settings.prior else len(memory)
        self.inputs: mx.array | None = None  # [1, positions, D]: what the first layer with a prior reads
        self.read_under: Prior = None  # the prior of what the caches hold

    def begin(self, context: mx.array, second: Sequence[mx.array] | None, prior: Prior) -> None:
        """Read the context [1, T, D]. second: keys and values of the second row there, one array a layer."""
        T = context.shape[1]
        self.caches = self.model.make_caches()
        self._set_prior(prior)
        self._read(self.model.decoder.placed(context, 0))
        if second is not None:
            stored = [_cache_of(kv, T) for kv in second]
            if self.recomputes:
                self.second = stored
            else:
                self.caches = [_joined(own, other) for own, other in zip(self.caches, stored, strict=True)]
        mx.eval([cache.kv for cache in self.caches])

    @staticmethod
    def step(decodings: Sequence[Decoding], x: mx.array, priors: Sequence[Prior]) -> mx.array:
        """[R, 1, D] of R utterances -> hidden states [B, D]: of each utterance, then of its second row if guided."""
        together = [at for at, own in enumerate(decodings) if not own.recomputes]
        parts: dict[int, mx.array] = {}
        if together:
            counts = [2 if decodings[at].guided else 1 for at in together]
            if len(decodings) == 1:
                rows = mx.broadcast_to(x, (counts[0], *x.shape[1:]))
            else:
                rows = x[mx.array(np.repeat(together, counts))]
            for at in together:
                decodings[at]._set_prior(priors[at])
            caches, memories = [decodings[at].caches for at in together], [decodings[at].memory for at in together]
            hidden = decodings[0].decode(rows, caches, memories)[:, 0]
            if len(together) == len(decodings):
                return hidden
            first = 0
            for at, count in zip(together, counts, strict=True):
                parts[at] = hidden[first : first + count]
                first += count
        for at, own in enumerate(decodings):
            if own.recomputes:
                parts[at] = own._step_alone(x[at : at + 1], priors[at])
        return mx.concatenate([parts[at] for at in range(len(decodings))])

    def attention(self) -> mx.array:
        """[ids]: what the last position attended to, over heads and the layers that show the alignment."""
        layers = [self.memory[layer].attended for layer in self.settings.alignment_layers]
        seen = [layer for layer in layers if layer is not None]
        return mx.concatenate([x if x.shape[0] == 1 else x.mean(0, keepdims=True) for x in seen]).mean(0)

    def _step_alone(self, x: mx.array, prior: Prior) -> mx.array:
        """[1, 1, D] -> [1 or 2, D]: under the newest prior as a whole."""
        decoder = self.model.decoder
        placed = decoder.placed(x, self.caches[0].length)
        if _same(prior, self.read_under):
            hidden = self._read(placed)
        else:
            self._set_prior(prior)
            hidden = self._read_again(placed)
        rows = [decoder.norm(hidden[:, -1])]
        if self.guided:
            rows.append(self.decode(x, [self.second], ())[:, 0])
        return mx.concatenate(rows)

    def _read(self, x: mx.array) -> mx.array:
        """Placed positions [1, L, D] -> [1, L, D], not normed; appended to the caches."""
        mask = self.caches[0].mask(x.shape[1])
        for at, layer in enumerate(self.model.decoder.layers):
            if at == self.fixed and self.recomputes:
                self.inputs = x if self.inputs is None else mx.concatenate([self.inputs, x], axis=1)
            x = layer(x, self.caches[at], mask, self.memory[at])
        return x

    def _read_again(self, x: mx.array) -> mx.array:
        """The same, with all positions so far read again from the first layer with a prior on."""
        layers = self.model.decoder.layers
        mask = self.caches[0].mask(x.shape[1])
        for at in range(self.fixed):
            x = layers[at](x, self.caches[at], mask, self.memory[at])
        assert self.inputs is not None
        self.inputs = x = mx.concatenate([self.inputs, x], axis=1)
        for at in range(self.fixed, len(layers)):
            self.caches[at] = KVCache(capacity=x.shape[1])
            x = layers[at](x, self.caches[at], "causal", self.memory[at])
        return x

    def _set_prior(self, prior: Prior) -> None:
        self.read_under = prior
        array = None if prior is None else mx.array(prior + np.float32(TINY))
        for layer in self.settings.prior_layers:
            self.memory[layer].prior = array


def _same(one: Prior, other: Prior) -> bool:
    if one is None or other is None:
        return one is other
    return bool(np.array_equal(one, other))


def _cache_of(kv: mx.array, length: int) -> KVCache:
    cache = KVCache(growth=CACHE_GROWTH)
    cache.kv, cache.length = kv, length
    return cache


def _joined(one: KVCache, other: KVCache) -> KVCache:
    """The caches of two rows of equal length as one cache of both."""
    assert one.kv is not None
    assert other.kv is not None
    return _cache_of(mx.concatenate([one.kv[:, :, :, : one.length], other.kv], axis=1), one.length)
