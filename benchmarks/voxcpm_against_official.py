"""VoxCPM here against the official code, on the same GPU or on the CPU: one utterance with the codec, in turns.

python benchmarks/voxcpm_against_official.py FOLDER [--peer PYTHON] [--shape voxcpm2] [--patches 25] [--turns 3]
    [--limit SECONDS] [--out FOLDER]
python benchmarks/voxcpm_against_official.py FOLDER --device cpu --apart --patches 4 --turns 2 --threads 2

FOLDER gets a random checkpoint of the released shape and is used again. PYTHON is that of an environment with torch,
transformers and voxcpm 2.0.3; without it, this one. Text in, samples out, 10 steps, guidance 2; the stop head never
says stop, so that the limit of both programs ends the speech. On a GPU the official code runs as released, compiled
(`optimize=True`), and also without, and ours plain, with its kernels, with whole
stacks in one launch, and those without CUDA graphs; what compiling and first uses take is left out of all times.
--apart: one program after the other, where memory holds one.
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
from answering import Program, said, turns_in_time

OFFICIAL, OURS = (Path(__file__).with_name(f"voxcpm_{name}.py") for name in ("program", "here"))
SHAPES = ("voxcpm2", "0.5b", "tiny")
CHECKED, NOISE = 3, 5  # patches that are compared, from noise that both have
FASTER, FIRST_MS, BEYOND_MB = 3.0, 150.0, 600.0  # what is wanted on a GPU
FORMS = {  # of ours on a GPU, and the environment that asks for each
    "ours": {},
    "ours, kernels": {"MLX_TTS_KERNELS": "fused"},
    "ours, stacks": {"MLX_TTS_KERNELS": "on"},
    "ours, stacks, no CUDA graphs": {"MLX_TTS_KERNELS": "on", "MLX_USE_CUDA_GRAPHS": "0"},
}
TURNS_SECONDS = 25.0  # that are kept for the turns: a program that is not ready by then is left out


class Side:
    """A way to speak of one program, and what it answered. streamed: whether it gives its sound while it speaks."""

    def __init__(self, name: str, program: Program, streamed: bool):
        self.name, self.program, self.streamed = name, program, streamed
        self.answers: list[dict[str, Any]] = []
        self.sound = np.zeros(0)

    def check(self, until: float) -> None:
        """Speak from the noise that all sides have."""
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "sound.npy"
            self.program.ask(until, streamed=self.streamed, patches=CHECKED, noise=NOISE, save=str(path))
            self.sound = np.load(path)

    def speak(self, until: float, patches: int) -> None:
        self.answers.append(self.program.ask(until, streamed=self.streamed, patches=patches))

    def figures(self, patches: int, ours: Side) -> dict[str, Any]:
        """Seconds and bytes; `times_`: how many times ours."""
        weights, first = self.program.ready["weights"], len(self.sound) // CHECKED
        out: dict[str, Any] = {"name": self.name, **self.program.ready}
        for name, kind, parts in (("patch", "seconds", patches), ("work", "worked", patches), ("first", "first", 1)):
            out[name] = [answer[kind] / parts for answer in self.answers]
            pairs = zip(ours.answers, self.answers, strict=False)
            out[f"times_{name}"] = [theirs[kind] / mine[kind] for mine, theirs in pairs]
        out["beyond"] = max(answer["peak"] for answer in self.answers) - weights
        out["beyond_with_cache"] = max(answer["held"] for answer in self.answers) - weights
        for name, part in (("off_first", slice(0, first)), ("off_last", slice(-first, None))):
            size, apart = (np.sqrt(np.square(x[part]).mean()) for x in (ours.sound, self.sound - ours.sound))
            out[name] = float(apart / size)
        return out


def commands(options: argparse.Namespace, folder: Path) -> dict[str, list[str]]:
    """The programs by name, ours first."""
    patches, threads = str(options.patches), str(options.threads)
    forms = FORMS if options.device != "cpu" else ("ours",)
    out = {name: [sys.executable, str(OURS), str(folder), patches] for name in forms}
    for form in ("eager",) if options.device == "cpu" else ("compiled", "eager"):
        out[f"official, {form}"] = [
            options.peer,
            str(OFFICIAL),
            "speak",
            str(folder),
            options.device,
            form,
            patches,
            threads,
        ]
    return out


def sides_of(names: dict[str, list[str]], options: argparse.Namespace, until: float) -> list[Side]:
    """The programs' sides, once all are ready; one that fails or takes too long is left out."""
    made = {}
    for name, command in names.items():
        log = options.out / f"voxcpm_{name.replace(',', '').replace(' ', '_')}.log"
        variables = {"PYTHONWARNINGS": "ignore"} | FORMS.get(name, {})
        made[name] = Program(command, options.threads, log, **variables)
    sides = []
    for name, program in made.items():
        try:
            ready = program.wait(until)
        except (TimeoutError, SystemExit) as error:
            print(f"left out: {name}: {error}", flush=True)
            program.kill()
            continue
        print(f"{name}: {ready['ready']} on {ready['device']}, ready in {ready['seconds']:.0f} s", flush=True)
        if ready.get("kernels"):
            print(f"  {ready['kernels']} kernels tried, left out: {', '.join(ready['left_out']) or 'none'}", flush=True)
        if name in FORMS:
            sides.append(Side(name, program, True))
        else:
            name += "" if ready["compiled"] == name.endswith("compiled") else " (it was not compiled)"
            sides += [Side(f"{name}, whole", program, False), Side(f"{name}, streamed", program, True)]
    return sides


def take_turns(sides: list[Side], options: argparse.Namespace, until: float) -> None:
    """What is compared, then turns, as many as there is time for."""
    for side in sides:
        side.check(until)
    for turn in turns_in_time(options.turns, until):
        for side in sides if turn % 2 == 0 else sides[::-1]:
            side.speak(until if turn == 0 else float("inf"), options.patches)
    for program in {id(side.program): side.program for side in sides}.values():
        program.close()


def tell(rows: list[dict[str, Any]], options: argparse.Namespace) -> None:
    on_gpu = options.device != "cpu"
    print(f"\n{options.shape}, {options.patches} patches, 10 steps, guidance 2, one utterance with the codec")
    head = (
        "",
        "ms a patch",
        "of the processor",
        "times ours",
        "first sound ms",
        "times ours",
        "MB beyond weights (with cache)",
        "off",
    )
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for row in rows:
        times = [f"{statistics.median(row[f'times_{kind}']):.2f}" for kind in ("patch", "first")]
        memory = f"{row['beyond'] / 1e6:,.0f} ({row['beyond_with_cache'] / 1e6:,.0f})"
        off = f"{row['off_first']:.1e}, {row['off_last']:.1e}"
        cells = (
            row["name"],
            said(row["patch"]),
            said(row["work"]),
            times[0],
            said(row["first"]),
            times[1],
            memory,
            off,
        )
        print("| " + " | ".join(cells) + " |")
    print(f"off: sound of patches 1 and {CHECKED} from the same noise against ours, as a share of its size")
    if not on_gpu:
        return
    official = [row for row in rows if row["name"] not in FORMS]
    fastest = min((statistics.median(row["patch"]) for row in official), default=0.0)
    for row in rows:
        if row["name"] in FORMS:
            first, beyond = statistics.median(row["first"]) * 1e3, row["beyond"] / 1e6
            faster = fastest / statistics.median(row["patch"])
            goals = [(f"{faster:.2f} times as fast as the official code's fastest way", faster >= FASTER)]
            goals += [(f"{first:.0f} ms to the first sound", first <= FIRST_MS)]
            goals += [(f"{beyond:.0f} MB beyond the weights", beyond <= BEYOND_MB)]
            told = ", ".join(f"{what} ({'met' if met else 'MISSED'})" for what, met in goals)
            print(f"goals, {row['name']}: {told}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--peer", default=sys.executable, help="the Python of an environment with voxcpm")
    parser.add_argument("--shape", choices=SHAPES, default=SHAPES[0])
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--patches", type=int, default=25, help="four seconds")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--limit", type=float, default=float("inf"), help="seconds for all of it")
    parser.add_argument("--apart", action="store_true", help="one program after the other")
    parser.add_argument("--out", type=Path, default=Path(), help="where results and the programs' errors are written")
    options = parser.parse_args()
    until = time.monotonic() + options.limit
    folder = options.folder / f"{options.shape}_{options.device}"
    options.out.mkdir(parents=True, exist_ok=True)
    if not (folder / "config.json").exists():
        began = time.monotonic()
        subprocess.run([options.peer, str(OFFICIAL), "make", str(folder), options.shape, options.device], check=True)
        print(f"the checkpoint was made in {time.monotonic() - began:.0f} s", flush=True)
    names, sides = commands(options, folder), []
    for group in [{name: command} for name, command in names.items()] if options.apart else [names]:
        of_group = sides_of(group, options, until - TURNS_SECONDS)
        take_turns(of_group, options, until)
        sides += of_group
    if not sides or sides[0].name not in FORMS:
        raise SystemExit(f"ours did not get ready: see the logs in {options.out}")
    rows = [side.figures(options.patches, sides[0]) for side in sides]
    (options.out / "voxcpm.json").write_text(json.dumps(rows, indent=1))
    tell(rows, options)


if __name__ == "__main__":
    main()
