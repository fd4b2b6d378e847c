"""Magpie here beside NeMo's own code on the CPU: both speak in turns, each in a process of its own.

python benchmarks/magpie_beside_nemo.py FOLDER --peer PYTHON [--shape v2607] [--frames 44] [--turns 3] [--threads 2]

FOLDER gets a random checkpoint of the released shape and is used again. PYTHON is that of an environment with torch and
nemo_toolkit 3.0.0. Text in, samples out: text ids, encoder, decoder with guidance, local transformer and codec count,
float32. The first turn is greedy and its sound is compared; the timed ones draw as the checkpoint says. On a machine
that others use, take one thread and look at the processor's time: threads that wait for each other's turn spin.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from nemo_program import SHAPES, TEXT
from programs import Program, forget_peak, peak_bytes, said

NEMO = Path(__file__).with_name("nemo_program.py")
CACHES = ("recomputed", "cached")
HOP = 1024


def speak_here(folder: Path) -> None:
    """Ours, as a program like nemo_program.py; it also says what it held at most while it spoke."""
    from mlx_tts.runtime import blas

    blas.preload()  # before mlx

    import mlx_tts
    from mlx_tts import SpeechRequest
    from mlx_tts.checkpoints.tensors import parameters_of
    from mlx_tts.speech import Sampling

    model = mlx_tts.load(str(folder))
    parts = model._synthesizer._loop.model, model._synthesizer._decoder
    weights = sum(value.nbytes for part in parts for value in parameters_of(part).values())
    print(json.dumps({"ready": f"mlx-tts {mlx_tts.__version__}", "weights": weights}), flush=True)
    for number, line in enumerate(sys.stdin):
        asked = json.loads(line)
        request = SpeechRequest(
            TEXT,
            voice="Aria",
            language="en",
            sampling=None if asked["drawn"] else Sampling(temperature=0),
            seed=number,
            max_frames=asked["frames"],
            options={"cache": asked["cache"]},
        )
        forget_peak()
        began, worked, first, parts = time.perf_counter(), time.process_time(), 0.0, []
        with model.submit(request, live=True, low_latency=True) as stream:
            for chunk in stream:
                first = first or time.perf_counter() - began
                parts.append(chunk.samples)
        seconds, worked = time.perf_counter() - began, time.process_time() - worked
        sound = np.concatenate(parts)
        if asked.get("save"):
            np.save(asked["save"], sound)
        answer = {"seconds": seconds, "worked": worked, "first": first, "samples": len(sound), "peak": peak_bytes()}
        print(json.dumps(answer), flush=True)


def difference(folder: Path) -> float:
    """Between the sounds that both saved."""
    ours, theirs = np.load(folder / "ours.npy"), np.load(folder / "nemo.npy")
    return float(np.abs(ours - theirs).max()) if ours.shape == theirs.shape else float("inf")


def compare(ours: Program, nemo: Program, cache: str, frames: int, turns: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        paths = {name: str(Path(scratch) / f"{name}.npy") for name in ("ours", "nemo")}
        ours.ask(frames=frames, cache=cache, drawn=False, save=paths["ours"])
        nemo.ask(frames=frames, cache=cache, drawn=False, save=paths["nemo"])
        off = difference(Path(scratch))
    answers: dict[str, list[dict[str, Any]]] = {"ours": [], "nemo": []}
    for turn in range(turns):
        order = (("ours", ours), ("nemo", nemo))
        for name, program in order if turn % 2 == 0 else order[::-1]:
            answers[name].append(program.ask(frames=frames, cache=cache, drawn=True))
    wanted = {frames * HOP}
    assert {answer["samples"] for own in answers.values() for answer in own} == wanted, "other numbers of frames"
    print(f"{cache}: greedy sound differs by {off:.1e} at most")
    for name, own in answers.items():
        frame, work = ([answer[kind] / frames for answer in own] for kind in ("seconds", "worked"))
        first = said([answer["first"] for answer in own])
        print(f"  {name}: {said(frame)} ms a frame, processor {said(work)} ms, first sound {first} ms")
    for kind, what in (("seconds", "time"), ("worked", "time of the processor"), ("first", "time to the first sound")):
        ratios = [b[kind] / a[kind] for a, b in zip(answers["ours"], answers["nemo"], strict=True)]
        middle, least, most = statistics.median(ratios), min(ratios), max(ratios)
        print(f"  NeMo takes {middle:.2f} ({least:.2f}-{most:.2f}) times as much {what}")
    beyond = max(answer["peak"] for answer in answers["ours"]) - ours.ready["weights"]
    print(f"  ours held {beyond / 1e6:.0f} MB beyond its weights of {ours.ready['weights'] / 1e6:.0f} MB at most")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--peer", help="the Python of an environment with NeMo")
    parser.add_argument("--shape", choices=tuple(SHAPES), default="v2607")
    parser.add_argument("--frames", type=int, default=44, help="about two seconds")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--caches", nargs="+", choices=CACHES, default=CACHES)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)  # be the program of this side
    options = parser.parse_args()
    if options.here:
        speak_here(options.folder)
        return
    folder = options.folder / options.shape
    if not options.peer:
        parser.error("--peer is missing: give the Python of an environment with torch and nemo_toolkit 3.0.0")
    if not (folder / "folder" / "config.json").exists():
        subprocess.run([options.peer, str(NEMO), "make", str(folder), options.shape], check=True)
    nemo = Program([options.peer, str(NEMO), "speak", str(folder), str(options.threads)], options.threads)
    ours = Program([sys.executable, __file__, str(folder / "folder"), "--here"], options.threads)
    what = f"{options.shape}, {options.frames} frames, {options.threads} threads"
    print(f"{what}: {ours.ready['ready']} beside NeMo 3.0.0 on {nemo.ready['ready']}")
    print(f"  empty modules stood in for {', '.join(nemo.ready['stood_in']) or 'nothing'}")
    for cache in options.caches:
        compare(ours, nemo, cache, options.frames, options.turns)
    ours.close()
    nemo.close()


if __name__ == "__main__":
    main()
