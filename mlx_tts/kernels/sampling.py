"""Logits and noise in, sampled ids and their embeddings out: penalty, mask, temperature, top-k and sampling in one.

Sampling is exact without sorting: take the largest of logits + noise; if fewer than k logits are larger than its own,
it is among the k largest and so the answer. If not, neither it nor any smaller one is, so look again among the larger.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import mlx.core as mx

from mlx_tts.kernels.core.source import SIMD_WIDTH, KernelText, launch, text_of

WARPS = 8


@dataclass(frozen=True)
class SamplingKernel:
    """All that makes one compiled kernel that samples a code differ from another."""

    kind: ClassVar[str] = "sampling"
    ids: int
    codes: int  # in a frame
    dim: int
    first: bool  # first code of a frame: penalty, mask, and what the predictor is fed
    last: bool  # last code: the sum leaves in the dtype that the talker reads
    greedy: bool
    noise_width: int
    dtype: mx.Dtype

    @classmethod
    def of(
        cls,
        logits: mx.array,
        codes: int,
        table: mx.array,
        noise: mx.array | None,
        first: bool = False,
        last: bool = False,
    ) -> SamplingKernel | None:
        """The kernel for these logits and this embedding table, or None where there is none."""
        if logits.dtype != table.dtype or table.dtype not in (mx.float32, mx.bfloat16) or codes > WARPS * SIMD_WIDTH:
            return None
        width = 0 if noise is None else noise.shape[1]
        return cls(logits.shape[1], codes, table.shape[1], first, last, noise is None, width, table.dtype)

    def sample_first(
        self,
        logits: mx.array,
        noise: mx.array | None,
        used: mx.array,
        forbidden: mx.array,
        settings: mx.array,
        table: mx.array,
        hidden: mx.array,
        text: mx.array,
    ) -> list[mx.array]:
        """Sample code 0. settings: `RowSampling.packed` [B, 8]. text: [B, D], what is added to the frame.

        Returns codes [B, K], used ids [B, V], pair [B, 2, D] (hidden, embedding), embedding + text [B, D] float32.
        """
        B, D = hidden.shape
        named: dict[str, mx.array | None] = {"logits": logits, "noise": noise, "used": used, "forbidden": forbidden}
        named |= {"settings": settings, "table": table, "hidden": hidden, "total": text, "place": place_of(0, 0)}
        outputs = {
            "codes_out": ((B, self.codes), mx.uint32),
            "used_out": (used.shape, mx.bool_),
            "pair": ((B, 2, D), self.dtype),
            "total_out": ((B, D), mx.float32),
        }
        return self._run(named, outputs)

    def sample_following(
        self,
        logits: mx.array,
        noise: mx.array | None,
        settings: mx.array,
        table: mx.array,
        codes: mx.array,
        total: mx.array,
        where: mx.array,
    ) -> tuple[mx.array, mx.array | None, mx.array]:
        """Sample a later code: codes so far [B, K], its embedding [B, D] (last: None), the sum so far [B, D]."""
        B, D = total.shape
        named: dict[str, mx.array | None] = {"logits": logits, "noise": noise, "settings": settings, "table": table}
        named |= {"codes": codes, "total": total, "place": where}
        shape = (codes.shape, mx.uint32)
        if self.last:
            codes, total = self._run(named, {"codes_out": shape, "total_out": ((B, D), self.dtype)})
            return codes, None, total
        outputs = {"codes_out": shape, "embedding": ((B, D), self.dtype), "total_out": ((B, D), mx.float32)}
        codes, embedding, total = self._run(named, outputs)
        return codes, embedding, total

    def _run(
        self, named: dict[str, mx.array | None], outputs: dict[str, tuple[tuple[int, ...], mx.Dtype]]
    ) -> list[mx.array]:
        there = {name: array for name, array in named.items() if array is not None}
        rows = there["logits"].shape[0]
        sizes = {
            "IDS": self.ids,
            "CODES": self.codes,
            "DIM": self.dim,
            "FIRST": int(self.first),
            "LAST": int(self.last),
            "GREEDY": int(self.greedy),
            "NOISE_WIDTH": self.noise_width,
            "WARPS": WARPS,
            "EACH": -(-self.ids // (WARPS * SIMD_WIDTH)),
        }
        return launch(
            KernelText("sampling", tuple(there), tuple(outputs), text_of("sampling", "body")),
            list(there.values()),
            list(outputs.values()),
            (rows, 1, 1),
            WARPS * SIMD_WIDTH,
            sizes,
            {"value_t": self.dtype},
        )


def place_of(slot: int, noise_at: int) -> mx.array:
    """Which code of the frame is sampled, and where in a row of noise its own begins."""
    return mx.array([slot, noise_at], mx.int32)
