"""Magpie here against NeMo's own code, on the CPU or the same GPU: both speak in turns, each in its own process.

python benchmarks/magpie_against_nemo.py FOLDER --peer PYTHON [--shapes v2607] [--frames 44] [--turns 3] [--threads 2]
python benchmarks/magpie_against_nemo.py FOLDER --device cuda --shapes v2607 v2602 --turns 7 --limit 150 --out FOLDER

FOLDER gets a random checkpoint of each released shape and is used again. PYTHON is that of an environment with torch
and nemo_toolkit 3.0.0; without it, this one. Text in, samples out: text ids, encoder, decoder with guidance, local
transformer and codec count, float32. Greedy sound is compared first, without TF32; what is timed samples as the
checkpoint says, on a GPU with TF32 in both programs. On a machine that others use, take one thread and look at the
processor's time: threads that wait for each other's turn spin.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from answering import Program, turns_in_time
from nemo_program import CACHES, SHAPES

OURS, NEMO = (Path(__file__).with_name(name) for name in ("magpie_program.py", "nemo_program.py"))
HOP = 1024
EQUAL = 1e-3  # what the sound of equal codes differs by at most, with sums in another order
FASTER, FIRST_MS, BEYOND_MB = 3.0, 60.0, 300.0  # what is wanted on a GPU
FIGURES = (("ms_a_frame", "seconds", True), ("work_a_frame", "worked", True), ("first_ms", "first", False))
TURNS_SECONDS = 25.0  # that are kept for the turns: a program that is not ready by then is left out


def make(folder: Path, options: argparse.Namespace) -> None:
    """The checkpoints that are not there, side by side."""
    began, making = time.monotonic(), []
    for shape in options.shapes:
        if not (folder / shape / "folder" / "codec" / "model.safetensors").exists():
            making.append(subprocess.Popen([options.peer, str(NEMO), "make", str(folder / shape), shape]))
    if sum(process.wait() for process in making):
        raise SystemExit("a checkpoint was not made: the output above says why")
    print(f"checkpoints: {time.monotonic() - began:.0f} s", flush=True)


def start(folder: Path, shape: str, options: argparse.Namespace) -> dict[str, Program]:
    """The programs of a shape: ours, ours without TF32, NeMo. On the CPU, which has no TF32, the first two are one."""
    own, threads, on_gpu = folder / shape, options.threads, options.device == "cuda"
    warm = str(options.frames if on_gpu else 0)
    ours = [sys.executable, str(OURS), str(own / "folder"), warm]
    nemo = [options.peer, str(NEMO), "speak", str(own), options.device, str(threads), warm]

    def log(name: str) -> Path | None:
        return options.out / f"magpie_{shape}_{name}.log" if on_gpu else None

    programs = {"ours": Program(ours, threads, log("ours")), "nemo": Program(nemo, threads, log("nemo"))}
    exact = Program(ours, threads, log("exact"), MLX_ENABLE_TF32="0") if on_gpu else programs["ours"]
    return {**programs, "exact": exact}


def ready(started: dict[str, Program], shape: str, until: float) -> dict[str, Program]:
    """Those that are ready in time; ours must be."""
    kept = {}
    for name, program in started.items():
        try:
            said = program.wait(until)
        except (TimeoutError, SystemExit) as error:
            if name == "ours":
                raise
            print(f"{shape}: LEFT OUT: {name}: {error}", flush=True)
            program.kill()
            continue
        empty = f", empty modules for {', '.join(said['stood_in'])}" if said.get("stood_in") else ""
        print(
            f"{shape}: {name}: {said['ready']} on {said['device']}, ready in {said['seconds']:.0f} s{empty}", flush=True
        )
        kept[name] = program
    return kept


def difference(ours: Path, theirs: Path) -> dict[str, Any]:
    """Of the sounds that both saved: the most of all, and the first frame that is not the same."""
    one, other = np.load(ours), np.load(theirs)
    size = min(len(one), len(other)) // HOP * HOP
    off = np.abs(one[:size] - other[:size]).reshape(-1, HOP).max(axis=1)
    equal = int(np.argmax(off > EQUAL)) if (off > EQUAL).any() else len(off)
    return {"frames": len(off), "equal_frames": equal, "off": float(off[:equal].max(initial=0))}


def compare(
    programs: dict[str, Program], shape: str, cache: str, options: argparse.Namespace, until: float
) -> dict[str, Any]:
    """Greedy sound, then turns as long as there is time; ours alone where NeMo is left out."""
    frames, question = options.frames, {"frames": options.frames, "cache": cache}
    row: dict[str, Any] = {"shape": shape, "cache": cache}
    paths = {name: options.out / f"magpie_{name}.npy" for name in ("exact", "nemo") if name in programs}
    if len(paths) == 2:
        for name, path in paths.items():
            programs[name].ask(until, **question, sampled=False, save=str(path))
        row["greedy"] = difference(*paths.values())
        for path in paths.values():
            path.unlink()
    answers: dict[str, list[dict[str, Any]]] = {name: [] for name in ("ours", "nemo") if name in programs}
    for turn in turns_in_time(options.turns, until, f"{shape}, {cache}: "):
        for name in list(answers)[:: 1 if turn % 2 == 0 else -1]:
            answers[name].append(programs[name].ask(**question, sampled=True))
    assert {answer["samples"] for own in answers.values() for answer in own} == {frames * HOP}, (
        "other numbers of frames"
    )
    row["first_of_another_text"] = programs["ours"].ask(**question, sampled=True, other=True)["first"] * 1e3
    for name, own in answers.items():
        row[name] = {kind: [answer[key] * 1e3 / (frames if per else 1) for answer in own] for kind, key, per in FIGURES}
        weights = programs[name].ready["weights"]
        row[name] |= {"weights_mb": weights / 1e6, "beyond_mb": (max(answer["peak"] for answer in own) - weights) / 1e6}
    held = max(answer["held"] for answer in answers["ours"]) - programs["ours"].ready["weights"]
    row["ours"]["beyond_with_cache_mb"] = held / 1e6
    for kind, _, _ in FIGURES if "nemo" in row else ():
        row[f"times_{kind}"] = [b / a for a, b in zip(row["ours"][kind], row["nemo"][kind], strict=True)]
    return row


def said(values: list[float]) -> str:
    """Median (least to most)."""
    digits = 1 if statistics.median(values) < 100 else 0
    return f"{statistics.median(values):,.{digits}f} ({min(values):,.{digits}f}-{max(values):,.{digits}f})"


def tell(rows: list[dict[str, Any]], device: str) -> None:
    head = ("shape, cache", "", "ms a frame", "processor ms a frame", "first sound ms", "MB beyond weights")
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for row in rows:
        what = f"{row['shape']}, {row['cache']}"
        for name in ("ours", "nemo"):
            if name in row:
                figures = " | ".join(said(row[name][kind]) for kind, _, _ in FIGURES)
                memory = f"{row[name]['beyond_mb']:,.0f} of {row[name]['weights_mb']:,.0f}"
                print(f"| {what} | {name} | {figures} | {memory} |")
        if "nemo" in row:
            times = " | ".join(f"{statistics.median(row[f'times_{kind}']):.2f}" for kind, _, _ in FIGURES)
            print(f"| | NeMo takes so many times | {times} | |")
    for row in rows:
        what, ours = f"{row['shape']}, {row['cache']}", row["ours"]
        equal = "greedy sound NOT COMPARED: a program is missing"
        if "greedy" in row:
            equal = "greedy sound equal in {equal_frames} of {frames} frames, within {off:.1e}".format(**row["greedy"])
        other, held = row["first_of_another_text"], ours["beyond_with_cache_mb"]
        print(
            f"{what}: {equal}; first sound of a text of another length {other:.0f} ms; with MLX's cache {held:.0f} MB"
        )
        if device == "cuda":
            times, first = statistics.median(row.get("times_ms_a_frame", [0])), statistics.median(ours["first_ms"])
            goals = (FASTER, times, "times as fast"), (-FIRST_MS, -first, "ms to the first sound")
            for goal, got, of in (*goals, (-BEYOND_MB, -ours["beyond_mb"], "MB beyond the weights")):
                print(f"{what}: goal {abs(goal):g} {of}: {abs(got):.1f}, {'met' if got >= goal else 'MISSED'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--peer", default=sys.executable, help="the Python of an environment with NeMo")
    parser.add_argument("--shapes", nargs="+", choices=tuple(SHAPES), default=["v2607"])
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--frames", type=int, default=44, help="about two seconds")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--caches", nargs="+", choices=CACHES, default=CACHES)
    parser.add_argument("--limit", type=float, default=float("inf"), help="seconds for all of it")
    parser.add_argument("--out", type=Path, default=Path(), help="where the figures are written")
    options = parser.parse_args()
    until = time.monotonic() + options.limit
    options.out.mkdir(parents=True, exist_ok=True)
    make(options.folder, options)
    rows: list[dict[str, Any]] = []
    at_once = options.shapes if options.device == "cuda" else ()
    started = {shape: start(options.folder, shape, options) for shape in at_once}
    # All of them before the first is timed: nobody gets ready while it is timed.
    sides = {shape: ready(own, shape, until - TURNS_SECONDS) for shape, own in started.items()}
    for shape in options.shapes:
        programs = sides.get(shape) or ready(start(options.folder, shape, options), shape, until)
        try:
            for cache in options.caches:
                rows.append(compare(programs, shape, cache, options, until))
                (options.out / "magpie.json").write_text(json.dumps(rows, indent=1))
        except TimeoutError as error:
            print(f"{shape}: NOT MEASURED, or not all of it: {error}", flush=True)
        for program in {id(program): program for program in programs.values()}.values():
            program.kill()
    tell(rows, options.device)


if __name__ == "__main__":
    main()
