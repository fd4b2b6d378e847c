"""Numbers of rows and lengths of pieces in; out: what a codec's step costs where its shape is new, or MLX's error.

python benchmarks/codec_shapes.py --rows 1 2 4 8 --most-frames 12 [--as-mlx]     --as-mlx: MLX's own sizes of its caches
"""

from __future__ import annotations

import argparse
import statistics
import time

import turns

from mlx_tts.runtime import blas, compiled_kernels

blas.preload()

import mlx.core as mx  # noqa: E402 (a BLAS is loaded before mlx)
from random_model import random_codec  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="0.6B")
    parser.add_argument("--rows", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--most-frames", type=int, default=12)
    parser.add_argument("--as-mlx", action="store_true")
    options = parser.parse_args()
    if not options.as_mlx:
        compiled_kernels.let_caches_fill()
    codec, first, later = random_codec(options.size), [], []
    shapes = [(rows, frames) for rows in options.rows for frames in range(1, options.most_frames + 1)]
    try:
        for times in (first, later):
            for rows, frames in shapes:
                codes, state = mx.ones((rows, frames, codec.config.num_quantizers), mx.int32), codec.make_state(rows)
                mx.eval(codes, state)
                begin = time.perf_counter()
                mx.eval(codec.step(codes, state))
                times.append(1e3 * (time.perf_counter() - begin))
    except RuntimeError as error:
        print(f"FAILED after {len(first) + len(later)} steps: {str(error)[:200]}", flush=True)
    for what, times in (("new", first), ("again", later)):
        if times:
            middle, most = statistics.median(times), max(times)
            turns.tell(what=what, shapes=len(times), ms=round(middle, 1), most=round(most, 1), sum=round(sum(times)))


if __name__ == "__main__":
    main()
