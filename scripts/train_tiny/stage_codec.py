"""First stage of the cloning model: teachers with synthetic speakers beside the codec, in one time box, then packed.

    python stage_codec.py --run RUN --gpus 0,1 --total-seconds 950

RUN holds (some of it may arrive after the start): kokoro/kokoro.pt, voices/*.bin, phones.jsonl.xz, human/*.ogg. The
codec compiles and records its steps until there is audio. RUN/DONE exists when RUN/out/pack is whole. Started again it
goes on from RUN/out/codec_joint.pt. With --resume it begins from the codec_joint.pt and judges.pt of an earlier stage,
which are in RUN/out when RUN/out/READY is there.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

from run import HERE, Stage, say

READY = ("kokoro/kokoro.pt", "voices/READY", "phones.jsonl.xz")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", required=True, type=Path)
    parser.add_argument("--gpus", default="0,1")
    parser.add_argument(
        "--total-seconds", type=float, default=950, help="of training and teachers; packing comes after"
    )
    parser.add_argument("--teachers", type=int, default=3, help="teacher processes a GPU at first")
    parser.add_argument("--burst-seconds", type=float, default=100, help="after this only one teacher a GPU goes on")
    parser.add_argument("--teacher-seconds", type=float, default=400, help="and this one ends")
    parser.add_argument("--synthetic", type=int, default=2500, help="synthetic speakers")
    parser.add_argument(
        "--seed", type=int, default=0, help="of the texts' order and speakers: another one for another run"
    )
    parser.add_argument(
        "--resume", action="store_true", help="wait for the codec of an earlier stage and go on with it"
    )
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--preset", default="clone")
    parser.add_argument("--codec-options", default="", help="further options for codec.py")
    parser.add_argument("--eager", action="store_true", help="no CUDA graphs, no compiled kernels from the start")
    return parser.parse_args()


def start_teachers(options, gpus, preset_share=0.12):
    """Seeded processes, each with its share of the texts. None is started again: a half-written shard stays readable."""
    processes, parts = [], len(gpus) * options.teachers
    for part in range(parts):
        seconds = options.teacher_seconds if part < len(gpus) else options.burst_seconds
        command = [sys.executable, "teacher.py", "--engine", "kokoro-gpu", "--part", f"{part}/{parts}"]
        command += ["--phones", options.run / "phones.jsonl.xz", "--cache", options.run / "kokoro"]
        command += ["--voices", options.run / "voices", "--out", options.run / "data", "--seed", options.seed]
        command += ["--synthetic", options.synthetic, "--preset-share", preset_share, "--seconds-limit", seconds]
        command += ["--device", "cuda:0" if options.device == "cuda" else "cpu"]
        environment = os.environ | {
            "CUDA_VISIBLE_DEVICES": gpus[part % len(gpus)],
            "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True",
            "OMP_NUM_THREADS": "1",
            "PYTHONUNBUFFERED": "1",
        }
        with open(options.run / "out" / f"teacher_{part}.log", "a") as log:
            process = subprocess.Popen(list(map(str, command)), env=environment, stdout=log, stderr=log, cwd=HERE)
        processes.append(process)
    say(parts, "teachers")
    return processes


def tool(options, *command):
    """A program that must not stop the stage when it fails."""
    with open(options.run / "out" / "tools.log", "a") as log:
        result = subprocess.run([sys.executable, *map(str, command)], stdout=log, stderr=log, cwd=HERE)
    say(Path(command[0]).stem, "ended with", result.returncode)


def main(options):
    options.run = options.run.resolve()
    options.out = options.run / "out"
    for name in ("out", "data"):
        (options.run / name).mkdir(parents=True, exist_ok=True)
    gpus, end = options.gpus.split(","), time.time() + options.total_seconds
    program = ["codec.py", "joint", "--data", options.run / "data", "--out", options.out, "--device", options.device]
    program += ["--preset", options.preset, "--deadline", end, "--wait-seconds", 400, "--save-seconds", 120]
    if options.resume:
        program += ["--wait-for", options.out / "READY", "--phases-from", "quantised"]
    codec = Stage("codec_joint", [*program, *options.codec_options.split()], gpus, options, True)
    teachers, human = [], False
    while not codec.finished() and time.time() < end + 60:
        if not teachers and all((options.run / name).exists() for name in READY):
            teachers = start_teachers(options, gpus)
        if not human and (options.run / "human/READY").exists():
            human = True
            tool(options, "human.py", "shards", "--source", options.run / "human", "--out", options.run / "data")
        time.sleep(0.5)
    codec.stop()
    for process in teachers:
        process.kill()
    tool(options, "pack.py", "--checkpoints", options.out, "--out", options.out / "pack")
    (options.run / "DONE").touch()
    say("done")


if __name__ == "__main__":
    main(parse())
