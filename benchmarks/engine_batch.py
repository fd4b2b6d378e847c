# ruff: noqa: E402 (a BLAS is loaded before mlx)
"""A model and numbers of rows in, seconds of sound a second out: the whole engine, and where its time goes.

python benchmarks/engine_batch.py tiny --rows 1 8                     or a folder with a checkpoint
python benchmarks/engine_batch.py FOLDER --rows 8 32 --frames 240     on a GPU: talker, predictor, codec and host
python benchmarks/engine_batch.py FOLDER --rows 8 --most-rows 4       products of more than 4 rows by MLX

Every row speaks the same number of frames, not live, as a batch does. Each number of rows runs once to compile, and
then in turns (`turns.py`). The parts are the host's own seconds: sending a step, waiting for one, decoding.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from pathlib import Path

from mlx_tts.runtime import blas

blas.preload()

import mlx.core as mx
import turns

import mlx_tts
from mlx_tts import SpeechRequest
from mlx_tts.api import load_folder
from mlx_tts.generation.engine import Engine
from mlx_tts.kernels import products
from mlx_tts.models.qwen3_tts.frames import CodeStep

TEXT = "The old lighthouse stood at the end of the pier, and every evening its keeper climbed the stairs to the lamp."


def timed(spent: dict[str, float], name: str, owner: type, method: str) -> None:
    """Add the seconds of every call of a method to `spent`."""
    original = getattr(owner, method)

    def run(*arguments, **options):  # type: ignore[no-untyped-def]
        begin = time.perf_counter()
        try:
            return original(*arguments, **options)
        finally:
            spent[name] += time.perf_counter() - begin

    setattr(owner, method, run)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--rows", type=int, nargs="+", default=[1, 8])
    parser.add_argument("--frames", type=int, default=120)
    parser.add_argument("--utterances", type=int, default=1, help="a row")
    parser.add_argument("--most-rows", type=int, help="beyond which products are MLX's")
    options = parser.parse_args()
    if options.most_rows:
        products.MOST_ROWS.update(cuda=options.most_rows)
        products.MOST_QUANTISED_ROWS.update(cuda=options.most_rows)
        products.MOST_TILES = 0
    tts = load_folder(Path(options.model)) if "/" in options.model else mlx_tts.load(options.model)
    spent: dict[str, float] = defaultdict(float)
    engine, synthesizer = tts._engine, tts._synthesizer
    timed(spent, "decode", type(synthesizer), "decode")
    timed(spent, "send a step", type(engine._batch), "step")
    timed(spent, "prompts", Engine, "_read_prompts")
    timed(spent, "wait for a step", CodeStep, "read")
    voice = tts.voices[0] if tts.voices else None
    print(f"{mx.default_device()}, {tts!r}")

    def run(rows: int, utterances: int) -> float:
        """Times real time; the parts in `spent`."""
        request = SpeechRequest(TEXT, voice=voice, seed=1, max_frames=options.frames, retries=0)
        asked = ((number, request) for number in range(rows * utterances))
        spent.clear()
        begin = time.perf_counter()
        samples = sum(len(chunk.samples) for _, chunk in tts.stream_many(asked, rows=rows))
        spent["all"] = time.perf_counter() - begin
        return samples / tts.sample_rate / spent["all"]

    for rows in options.rows:
        print(f"{rows} rows, first use: {run(rows, 1):.2f} times real time, {spent['all']:.1f} s", flush=True)
    while turns.take():
        for rows in options.rows:
            speed = run(rows, options.utterances)
            parts = {name: round(seconds, 3) for name, seconds in sorted(spent.items(), key=lambda part: -part[1])}
            turns.tell(rows=rows, times_real_time=speed, ms=1e3 * spent["all"] / options.frames, seconds=parts)


if __name__ == "__main__":
    main()
