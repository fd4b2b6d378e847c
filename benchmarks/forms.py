"""Sizes and bits in, one table out: the loop with all kernels, with half of them, with none; a bare loop; mlx-audio.

python benchmarks/forms.py                       0.6B, 4 bits, one row: frames, first sound, streamed with the codec
python benchmarks/forms.py --bits 16 --rows 8 32 --no-peer      whole batches: talker, predictor, codec and host
python benchmarks/forms.py --prompts             quantised products of many rows, by MLX and expanded first

All in one process and one run, so that columns can be compared. Every form gets fresh steps over the same weights.
"""

from __future__ import annotations

import argparse
import os
import time

import compare  # it loads a BLAS before mlx  # isort: skip
import bare_loop
import frame_rows
import mlx.core as mx
import numpy as np
from compare import Comparison, Ours, Row, attempt, counted, gaps, median_of
from mlx import nn
from random_model import CHUNK, DTYPES

from mlx_tts.kernels.core import self_check
from mlx_tts.kernels.core.forms import kernel_form
from mlx_tts.models.qwen3_tts.frames import FrameLoop
from mlx_tts.runtime.device import on_gpu

FORMS = {"resident": "on", "fused": "fused", "half": "half", "plain": "off"}


class Forms(Comparison):
    """One set of random weights, measured in every form."""

    def __init__(self, options: argparse.Namespace):
        super().__init__(options)
        self.ours = Ours.random(options.size, options.bits, options.prompt)

    def in_form(self, form: str) -> Ours:
        """The same weights with fresh steps; the first frames compile them."""
        os.environ["MLX_TTS_KERNELS"] = FORMS[form]
        ours = self.ours
        ours = Ours(FrameLoop(ours.loop.talker, ours.loop.config), ours.codec, ours.dtype, ours.prompt)
        self.name = f"{self.options.size}, {self.options.bits} bits, {kernel_form().name if on_gpu() else form}"
        return ours

    def all_forms(self) -> None:
        for form in self.options.forms:
            attempt(form, lambda form=form: self.one_form(form))  # type: ignore[misc]

    def one_form(self, form: str) -> None:
        ours, options = self.in_form(form), self.options
        for rows in options.rows:
            begin = time.perf_counter()
            ours.step(4, rows)
            print(f"{form}, {counted(rows)}: first use {time.perf_counter() - begin:.1f} s", flush=True)
            self.our_loop(ours, rows)
            if not options.no_codec and rows > 1:
                attempt("a batch with the codec", lambda rows=rows: self.batch_with_codec(ours, rows))  # type: ignore[misc]
        if not options.no_codec and options.rows == [1]:
            self.our_stream(ours)

    def batch_with_codec(self, ours: Ours, rows: int) -> None:
        """Wall time from piece to piece of a whole batch; equal pieces are decoded in one step."""
        count = self.options.frames // CHUNK * CHUNK
        for frames in (2 * CHUNK, count):  # the first compiles
            stamps = list(self._pieces(ours, rows, frames))
        times = [time / CHUNK for time in gaps(stamps, 1)]
        what = f"mlx-tts, {self.name}, {counted(rows)}, with the codec and the host, a frame"
        self.show(f"codec {rows}", Row(what, times, rows, ours.moved))

    def _pieces(self, ours: Ours, rows: int, frames: int):  # type: ignore[no-untyped-def]
        prompts = compare.prompts(ours.loop.config.hidden_size, rows, ours.dtype, ours.prompt)
        state, pending = ours.codec.make_state(rows), [[] for _ in range(rows)]  # type: ignore[var-annotated]
        for index, codes in frame_rows.run(ours.loop, prompts, frames):
            pending[index].append(codes)
            if index == rows - 1 and len(pending[index]) == CHUNK:
                samples, state = ours.codec.step(mx.array(np.array(pending)), state)
                mx.eval(samples, state)
                np.array(samples)
                pending = [[] for _ in range(rows)]
                yield time.perf_counter()

    def bare(self, rows: int) -> None:
        talker, options = self.ours.loop.talker, self.options
        bare_loop.frames(talker, 4, rows, options.prompt)
        times = self.without_warm_up(bare_loop.frames(talker, options.frames, rows, options.prompt))
        what = f"a bare loop of MLX's own operations, {options.size}, {options.bits} bits, {counted(rows)}, a frame"
        self.show(f"bare {rows}", Row(what, times, rows, self.ours.moved))


def prompt_products() -> None:
    """Milliseconds of one product [rows, 1024] x [6144, 1024]: first use, then the median."""
    print("\n| rows | bits | quantised product | its first use | expanded in float32, then dense | first use |")
    print("|---|---|---|---|---|---|")
    dense_of = lambda w, s, b, bits: mx.dequantize(w, s.astype(mx.float32), b.astype(mx.float32), 64, bits)  # noqa: E731
    for bits in (4, 8):
        layer = nn.Linear(1024, 6144, bias=False)
        layer.set_dtype(mx.bfloat16)
        q = layer.to_quantized(64, bits)
        mx.eval(q.parameters())
        for rows in (1, 8, 32, 40):
            x = mx.random.normal((rows, 1024)).astype(mx.bfloat16)
            cells = []
            for run in (
                lambda x=x, q=q: mx.eval(q(x)),
                lambda x=x, q=q, bits=bits: mx.eval(
                    (x.astype(mx.float32) @ dense_of(q.weight, q.scales, q.biases, bits).T).astype(x.dtype)
                ),
            ):
                begin = time.perf_counter()
                run()
                first = (time.perf_counter() - begin) * 1e3
                cells += [f"{np.median(median_of(run, 20)):.3f}", f"{first:.0f}"]
            print(f"| {rows} | {bits} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=("0.6B", "1.7B", "tiny"), default="0.6B")
    parser.add_argument("--bits", type=int, choices=tuple(DTYPES), default=4)
    parser.add_argument("--rows", type=int, nargs="+", default=[1])
    parser.add_argument("--forms", nargs="+", choices=tuple(FORMS), default=list(FORMS))
    parser.add_argument("--frames", type=int, default=80)
    parser.add_argument("--peer-frames", type=int, default=40)
    parser.add_argument("--prompt", type=int, default=40, help="positions before the first frame")
    parser.add_argument("--codec-frames", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--no-peer", action="store_true")
    parser.add_argument("--no-bare", action="store_true")
    parser.add_argument("--no-codec", action="store_true")
    parser.add_argument("--prompts", action="store_true", help="measure only quantised products of many rows")
    options = parser.parse_args()
    options.model, options.batch, options.long = None, options.rows, 0
    if options.prompts:
        prompt_products()
        return
    forms = Forms(options)
    forms.all_forms()
    if not options.no_bare:
        for rows in options.rows:
            attempt("the bare loop", lambda rows=rows: forms.bare(rows))  # type: ignore[misc]
    if not options.no_peer:
        forms.name = f"{options.size}, {options.bits} bits"
        attempt("mlx-audio", forms.measure_theirs)
    left_out = [chosen for chosen, good in self_check._results.items() if not good]
    print(f"\npeak memory {mx.get_peak_memory() / 1e9:.2f} GB; {len(self_check._results)} checks, left out {left_out}")


if __name__ == "__main__":
    main()
