# ruff: noqa: E402 (a BLAS is loaded before mlx)
"""A model and numbers of rows in, seconds of sound a second out: the whole engine, and where its time goes.

python benchmarks/engine_batch.py tiny --rows 1 8                     or a folder with a checkpoint
python benchmarks/engine_batch.py FOLDER --rows 8 32 --frames 240     on a GPU: talker, predictor, codec and host

Every row speaks the same number of frames, not live, as a batch does. Each number of rows runs twice; the first
time compiles. The parts are the host's own seconds: sending a step, waiting for one, decoding.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from pathlib import Path

from mlx_tts.runtime import blas

blas.preload()

import mlx.core as mx

import mlx_tts
from mlx_tts import SpeechRequest
from mlx_tts.api import load_folder
from mlx_tts.generation.engine import Engine
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
    options = parser.parse_args()
    tts = load_folder(Path(options.model)) if "/" in options.model else mlx_tts.load(options.model)
    spent: dict[str, float] = defaultdict(float)
    engine, synthesizer = tts._engine, tts._synthesizer
    timed(spent, "decode", type(synthesizer), "decode")
    timed(spent, "send a step", type(engine._batch), "step")
    timed(spent, "prompts", Engine, "_read_prompts")
    timed(spent, "wait for a step", CodeStep, "read")
    voice = tts.voices[0] if tts.voices else None
    print(f"{mx.default_device()}, {tts!r}")
    print("| rows | sound | wall | x real time | the host's seconds |\n|---|---|---|---|---|")
    for rows in options.rows:
        for again in (False, True):
            count = rows * (options.utterances if again else 1)
            asked = (
                (number, SpeechRequest(TEXT, voice=voice, seed=1, max_frames=options.frames, retries=0))
                for number in range(count)
            )
            spent.clear()
            begin = time.perf_counter()
            samples = sum(len(chunk.samples) for _, chunk in tts.stream_many(asked, rows=rows))
            wall, sound = time.perf_counter() - begin, samples / tts.sample_rate
            parts = ", ".join(f"{name} {seconds:.2f}" for name, seconds in sorted(spent.items(), key=lambda kv: -kv[1]))
            what = f"{rows}" if again else f"{rows}, first use"
            print(f"| {what} | {sound:.1f} s | {wall:.2f} s | {sound / wall:.1f} | {parts} |", flush=True)


if __name__ == "__main__":
    main()
