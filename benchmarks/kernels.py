# ruff: noqa: B023 (functions here run before the loop goes on)
"""Every fused kernel against its plain form, then what each launch costs: run on a machine with a GPU.

Whole frames are compare.py's.

python benchmarks/kernels.py check      all shapes, bits, dtypes and batch sizes
python benchmarks/kernels.py quick      the 0.6B shapes alone
python benchmarks/kernels.py launches   one kind of launch at a time, a chain of them as in a layer
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import replace

import frame_rows
import mlx.core as mx
import numpy as np
from mlx import nn
from random_model import random_talker, talker_config

from mlx_tts.generation.sampling import SamplerSettings, SamplingParams
from mlx_tts.kernels import layer_steps, products
from mlx_tts.kernels.attention import AttentionKernel
from mlx_tts.kernels.core import self_check
from mlx_tts.kernels.products import ProductKernel
from mlx_tts.models.qwen3_tts.frames import FrameLoop
from mlx_tts.models.qwen3_tts.rows import Utterance
from mlx_tts.nn.transformer import Attention

SAMPLED = SamplingParams(SamplerSettings(0.9, 50, 1.0), SamplerSettings(0.9, 50, 1.0), 1.05)
GREEDY = SamplingParams(SamplerSettings(0, 0, 1.0), SamplerSettings(0, 0, 1.0), 1.05)
SHAPES = {"0.6B": (1024, 3072), "1.7B": (2048, 6144), "tiny": (64, 128)}


def layer(columns: int, rows: int, bits: int, dtype: mx.Dtype) -> nn.Module:
    plain = nn.Linear(columns, rows, bias=False)
    plain.weight = (mx.random.normal((rows, columns)) / columns**0.5).astype(dtype)
    return plain if bits >= 16 else plain.to_quantized(64, bits)


def norm_of(width: int, dtype: mx.Dtype) -> nn.RMSNorm:
    norm = nn.RMSNorm(width, 1e-6)
    norm.weight = (1 + 0.1 * mx.random.normal((width,))).astype(dtype)
    return norm


def check() -> None:
    """A compilation takes half a second, so batch sizes and shapes are not all crossed."""
    for dtype, batches in ((mx.bfloat16, (1, 2, 4)), (mx.float32, (1, 3))):
        for bits in (4, 8, dtype.size * 8):
            for batch in batches:
                for size, (hidden, wide) in SHAPES.items():
                    shapes = [(hidden, 4096, 0), (2048, hidden, 1), (hidden, 2 * wide, 2), (wide, hidden, 1)]
                    for columns, rows, kind in shapes if size == "0.6B" else shapes[:: 3 if batch == 1 else 4]:
                        matrix, norm = layer(columns, rows, bits, dtype), norm_of(columns, dtype)
                        x = mx.random.normal((batch, columns)).astype(dtype)
                        residual = mx.random.normal((batch, rows)).astype(dtype) if kind == 1 else None
                        compare_product(matrix, x, None if kind == 1 else norm, residual, kind)
    print("products compared")
    for size in ("0.6B", "1.7B"):
        config = replace(talker_config(size), num_hidden_layers=2)
        for dtype, bits in ((mx.bfloat16, 4), (mx.bfloat16, 16), (mx.float32, 8), (mx.float32, 32)):
            talker = random_talker(config, bits, dtype)
            for batch, params in ((1, SAMPLED), (2, GREEDY), (4, SAMPLED)):
                compare_loops(FrameLoop(talker, config), batch, params, f"{size} {dtype} {bits} bits, {batch} rows")
    bad = [chosen for chosen, good in self_check._results.items() if not good]
    print(f"kernels used {sum(self_check._results.values())}, left out {len(bad)}")
    for chosen in bad:
        print("LEFT OUT", chosen)


def quick() -> None:
    """The 0.6B shapes alone: products in one launch, then two-layer loops with kernels and without."""
    for bits, batch in ((4, 1), (16, 1), (8, 1), (4, 2), (16, 4)):
        for columns, rows, kind in ((1024, 4096, 0), (2048, 1024, 1), (1024, 6144, 2), (3072, 1024, 1)):
            x, norm = mx.random.normal((batch, columns)).astype(mx.bfloat16), norm_of(columns, mx.bfloat16)
            residual = mx.random.normal((batch, rows)).astype(mx.bfloat16) if kind == 1 else None
            matrix = layer(columns, rows, bits, mx.bfloat16)
            compare_product(matrix, x, None if kind == 1 else norm, residual, kind)
    print("products compared", flush=True)
    config = replace(talker_config("0.6B"), num_hidden_layers=2)
    for dtype, bits, batch, params in (
        (mx.float32, 32, 1, SAMPLED),
        (mx.float32, 32, 8, SAMPLED),
        (mx.bfloat16, 4, 1, SAMPLED),
        (mx.bfloat16, 16, 2, GREEDY),
    ):
        talker = random_talker(config, bits, dtype)
        compare_loops(FrameLoop(talker, config), batch, params, f"{dtype} {bits} bits, {batch} rows")
    left_out = [chosen for chosen, good in self_check._results.items() if not good]
    print(f"kernels used {sum(self_check._results.values())}, left out {len(left_out)}", *left_out, sep="\n")


def compare_product(
    matrix: nn.Module, x: mx.array, norm: nn.RMSNorm | None, residual: mx.array | None, kind: int
) -> None:
    chosen = ProductKernel.of(matrix, x.shape[0], x.dtype, norm, kind)
    if chosen is None:
        print("no kernel for", x.shape, matrix)
        return
    made = chosen.run(matrix, x, norm, residual).astype(mx.float32)
    exact = [None if part is None else products.in_float32(part) for part in (matrix, norm)]
    wide = None if residual is None else residual.astype(mx.float32)
    right = products.plain(exact[0], x.astype(mx.float32), exact[1], wide, kind)
    off = (mx.abs(made - right).max() / mx.abs(right).max()).item()
    if not off <= self_check.TOLERANCE[x.dtype]:
        print("WRONG", off, chosen)


def utterances(
    config: object, batch: int, params: SamplingParams, dtype: mx.Dtype, prompt: int = 40
) -> list[Utterance]:
    D = config.hidden_size  # type: ignore[attr-defined]
    asked = []
    for index in range(batch):
        prefill = (mx.random.normal((prompt + 3 * index, D)) * 0.5).astype(dtype)
        asked.append(Utterance(prefill, mx.zeros((0, D), dtype), mx.zeros((D,), dtype), params, index))
    return asked


def codes_of(loop: FrameLoop, batch: int, params: SamplingParams, frames: int = 12) -> dict[int, list[list[int]]]:
    mx.random.seed(3)
    found: dict[int, list[list[int]]] = {}
    asked = utterances(loop.config, batch, params, loop.talker.dtype)
    for index, codes in frame_rows.run(loop, asked, frames):
        found.setdefault(index, []).append(codes.tolist())
    return found


def compare_loops(loop: FrameLoop, batch: int, params: SamplingParams, what: str) -> None:
    """The whole loop with kernels and without: the same codes in float32; in bfloat16 the first frames are close."""
    fused = codes_of(loop, batch, params)
    os.environ["MLX_TTS_KERNELS"] = "0"
    plain = codes_of(FrameLoop(loop.talker, loop.config), batch, params)
    os.environ["MLX_TTS_KERNELS"] = "1"
    equal = [np.array_equal(fused[i][:12], plain[i][:12]) for i in plain]
    first = [fused[i][0] == plain[i][0] for i in plain]
    print(
        f"{what}: all frames equal {equal}, first frame equal {first}, again {codes_of(loop, batch, params) == fused}"
    )


def median_ms(run: Callable[[], None], repeats: int = 20) -> tuple[float, float]:
    for _ in range(3):
        run()
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        run()
        times.append((time.perf_counter() - begin) * 1e3)
    return statistics.median(times), min(times)


def launches() -> None:  # noqa: C901 (a list of measurements)
    """A chain of 112 launches of one kind over 28 sets of weights: microseconds a launch."""
    count, sets, dtype = 112, 28, mx.bfloat16
    x = mx.random.normal((1, 6144)).astype(dtype)

    def report(what: str, step: Callable[[mx.array, int], mx.array]) -> None:
        def chain(x: mx.array) -> mx.array:
            for i in range(count):
                x = step(x, i % sets)
            return x

        try:
            function = mx.compile(chain)
            middle, least = median_ms(lambda: mx.eval(function(x)))
            print(f"{what:60s} {middle * 1e3 / count:7.2f} us, least {least * 1e3 / count:7.2f}", flush=True)
        except (RuntimeError, ValueError) as error:
            print(what, "FAILED", str(error)[:300], flush=True)

    report("add", lambda x, i: x + 1)
    report("join two halves (in front of each attention below)", lambda x, i: mx.concatenate([x[:, :2048]] * 2, axis=1))
    for bits in (4, 8, 16):
        for columns, rows, kind in ((1024, 4096, 0), (2048, 1024, 1), (1024, 6144, 2), (3072, 1024, 1)):
            weights = [layer(columns, rows, bits, dtype) for _ in range(sets)]
            norm = None if kind == 1 else norm_of(columns, dtype)
            mx.eval([w.parameters() for w in weights])
            width = rows // 2 if kind == 2 else rows
            still = mx.random.normal((1, columns)).astype(dtype)

            def plainly(x: mx.array, i: int) -> mx.array:
                return products.plain(weights[i], *chained(x), kind)

            def chained(
                x: mx.array,
                kind: int = kind,
                norm: nn.RMSNorm | None = norm,
                columns: int = columns,
                rows: int = rows,
                still: mx.array = still,
            ) -> tuple[mx.array, nn.RMSNorm | None, mx.array | None]:
                """Input, norm and residual of the next launch: one of them is the launch before it."""
                return (still, None, x[:, :rows]) if kind == 1 else (x[:, :columns], norm, None)

            report(f"{bits} bits {columns} -> {width} plain", plainly)
            chosen = ProductKernel.of(weights[0], 1, dtype, norm, kind)
            assert chosen is not None
            for wide in (1, 2, 4):
                for warps in (2, 4, 8):

                    def fused(x: mx.array, i: int, wide: int = wide) -> mx.array:
                        return replace(chosen, wide=wide).run(weights[i], *chained(x))

                    products.WARPS = warps
                    report(f"{bits} bits {columns} -> {width} fused, {wide} a warp, {warps} warps", fused)
            products.WARPS = 4
    config = talker_config("0.6B")
    attn = Attention(config)
    attn.set_dtype(dtype)
    starts = layer_steps.starts_of(None, 1)
    for capacity, length in ((16, 12), (256, 60), (256, 250), (512, 300), (1024, 1000), (2048, 2000)):
        caches = [mx.contiguous(mx.random.normal((2, 1, 8, capacity, 128)).astype(dtype)) for _ in range(sets)]
        mx.eval(caches)
        offset = mx.array([length], mx.int32)
        if (chosen_attention := AttentionKernel.of(128, 2, 1, capacity, 1e-6, dtype)) is None:
            continue

        def attend(x: mx.array, i: int) -> mx.array:
            qkv = mx.concatenate([x[:, :2048], x[:, :2048]], axis=1)
            return chosen_attention.run(qkv, layer_steps._gains(attn), caches[i], offset, starts, attn._periods)

        report(f"attention over {length} of {capacity}", attend)


if __name__ == "__main__":
    os.environ["MLX_TTS_KERNELS"] = "1"
    print(mx.default_device(), mx.device_info() if hasattr(mx, "device_info") else "")
    {"check": check, "quick": quick, "launches": launches}[sys.argv[1]]()
