"""The built-in voices learn phones: teachers, encoding with the shipped codec, and the shipped talker goes on; packed.

    python stage_phones.py --run RUN --data-seconds 1000 --total-seconds 1600
    python stage_phones.py --run RUN --stages warm,data,pack --send-codes --total-seconds 400

RUN holds (some of it may arrive after the start) kokoro/kokoro.pt, voices/*.bin, phones.jsonl.xz, tokenizer/ and the shipped
pair in tiny/ and tiny-base/. Codec and speaker encoder stay as they are, so that codes and voice files stay good.

    warm    tiny-base -> out/codec_joint.pt, out/talker.pt with rows for the phones       (CPU, beside the teachers)
    data    phones.jsonl.xz -> copies.npz (CPU) and data/: the teachers' speech; then its codes
    train   out/talker.pt goes on until the end, its rate to zero; a checkpoint every --save-seconds
    pack    out/pack: what goes on from here or is exported (pack.py), with all curves

Each stage leaves out what is there already: started again, the program goes on. Codes of an earlier run (pack_codes.py) in
RUN/codes are trained on, too. A Unix time in RUN/DEADLINE replaces the end; --until gives it from the start. RUN/DONE exists
when RUN/out/pack is whole, or when nothing will come of the run; it holds the reason.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

from progress import last_line
from run import HERE, Stage, say
from stage_codec import READY, start_teachers, tool
from training import moved

STAGES = ("warm", "data", "train", "pack")
STOP_SECONDS = 8  # a teacher finishes its batch
AUDIO_SECONDS = 300  # without any audio by then nothing will come of it
# (from this step on, figure, limit): above it phones and sound do not agree, and the time is better given back.
LOST = ((400, "guide", 0.5), (400, "first", 3.0))
TALKER = {
    "clone": "--positions 112000 --learning-rate 6e-4 --flat 0.2 --last-rate 0 --preset-share 0.5",
    "toy": "--positions 1500 --learning-rate 1e-3 --flat 0.2 --last-rate 0 --validate-seconds 30",
}


class LostError(Exception):
    """Nothing good can come of this run any more: the message says why."""


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", required=True, type=Path)
    parser.add_argument("--stages", default=",".join(STAGES), help="by comma, in their order")
    parser.add_argument("--gpus", default="0")
    parser.add_argument("--total-seconds", type=float, default=1600, help="of all but packing")
    parser.add_argument("--until", type=float, help="Unix time at which training must have ended, instead")
    parser.add_argument("--data-seconds", type=float, default=1000, help="the teachers end then")
    parser.add_argument("--encode-seconds", type=float, default=90, help="after this the other shards are left out")
    parser.add_argument("--save-seconds", type=float, default=300)
    parser.add_argument("--send-codes", action="store_true", help="pack the codes, too, for another run to train on")
    parser.add_argument("--teachers", type=int, default=4, help="teacher processes a GPU")
    parser.add_argument("--synthetic", type=int, default=5000, help="synthetic speakers")
    parser.add_argument("--preset-share", type=float, default=0.5, help="share of the texts that the presets read")
    parser.add_argument("--seed", type=int, default=3, help="of the texts' order and speakers")
    parser.add_argument("--workers", type=int, default=8, help="processes that encode texts")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--preset", choices=list(TALKER), default="clone")
    parser.add_argument(
        "--positions", type=int, help="positions a step of the talker (default: as the preset has them)"
    )
    parser.add_argument("--talker-options", default="", help="further options for talker.py")
    parser.add_argument("--eager", action="store_true", help="no compiled kernels from the start")
    options = parser.parse_args()
    options.stages = options.stages.split(",")
    if strangers := set(options.stages) - set(STAGES):
        parser.error(f"no such stage: {strangers.pop()}; there are {', '.join(STAGES)}")
    return options


class Session:
    def __init__(self, options):
        self.options, self.run, self.out = options, options.run, options.out
        self.begin = time.time()
        self.gpus = options.gpus.split(",")
        self.end = options.until or self.begin + options.total_seconds
        self.data_end = min(self.begin + options.data_seconds, self.end - options.encode_seconds)
        self.codes_ready = self.out / "CODES_READY"
        self.common = ["--data", self.run / "data", "--out", self.out, "--device", options.device]
        self.beside, self.teachers, self.talker = {}, [], None
        if options.device == "cuda":
            with open(self.out / "gpu.log", "a") as log:
                command = [
                    "nvidia-smi",
                    "--query-gpu=timestamp,memory.used,utilization.gpu",
                    "--format=csv,noheader",
                    "-l",
                    "5",
                ]
                self.meter = subprocess.Popen(command, stdout=log, stderr=log)

    def start_beside(self, name, needed, made, command):
        """Start a program of the processor once, as soon as its files are there and unless its result is."""
        if name in self.beside or (self.out / made).exists() or not all((self.run / path).exists() for path in needed):
            return
        with open(self.out / f"{name}.log", "a") as log:
            command = [sys.executable, *map(str, command)]
            self.beside[name] = subprocess.Popen(command, stdout=log, stderr=log, cwd=HERE)
        say(name, "started")

    def feed(self):
        """Start what has its files."""
        run, options = self.run, self.options
        if "warm" in options.stages:
            warm = ["from_shipped.py", "--base", run / "tiny-base", "--tokenizer", run / "tokenizer", "--out", self.out]
            warm += ["--preset", options.preset]
            self.start_beside("warm", ["tiny/READY", "tokenizer"], "codec_joint.pt", warm)
        if "train" in options.stages:
            phones = [path for name in ("phones.jsonl.xz", "phones_before.jsonl.xz") if (path := run / name).exists()]
            copies = ["copies.py", "--phones", *phones, "--tokenizer", run / "tokenizer"]
            copies += ["--out", self.out / "copies.npz", "--workers", options.workers]
            self.start_beside("copies", ["phones.jsonl.xz", "tokenizer"], "copies.npz", copies)
        for name, process in self.beside.items():
            if process.poll() not in (None, 0):
                raise LostError(f"{name} failed: see {name}.log")

    def wait_for(self, *names):
        while not all((self.out / name).exists() for name in names):
            self.feed()
            if time.time() > moved(self.run / "DEADLINE", self.end):
                raise LostError(f"no {' or '.join(names)} in time")
            time.sleep(0.3)

    def teach(self):
        """Teachers until `data_end`, or until they have read everything."""
        options = self.options
        while time.time() < self.data_end:
            self.feed()
            if not self.teachers and all((self.run / name).exists() for name in READY):
                options.burst_seconds = options.teacher_seconds = self.data_end - STOP_SECONDS - time.time()
                self.teachers = start_teachers(options, self.gpus, options.preset_share)
            if self.teachers and all(process.poll() is not None for process in self.teachers):
                break
            if self.silent() and time.time() > self.begin + AUDIO_SECONDS:
                raise LostError(f"no audio after {AUDIO_SECONDS} s: see teacher_0.log")
            time.sleep(0.3)
        self.stop_teachers()
        if self.silent():
            raise LostError("the teachers ended without audio: see teacher_0.log")
        say("teachers ended")

    def silent(self):
        return not any(path.stat().st_size for path in (self.run / "data").glob("*.jsonl"))

    def encode(self):
        self.wait_for("codec_joint.pt")
        parts = self.run / "codes"
        if "train" in self.options.stages and any(parts.glob("codes.*.npz")):
            tool(self.options, "pack_codes.py", "unpack", "--parts", parts, "--data", self.run / "data")
        until = time.time() + self.options.encode_seconds
        Stage("encode", ["encode.py", *self.common, "--deadline", until], self.gpus, self.options, False).wait(
            until + 30
        )
        if not any((self.run / "data").glob("*.codes.npy")):
            raise LostError("nothing was encoded: see encode.log")
        if "train" in self.options.stages:
            self.wait_for("copies.npz", "talker.pt")
        self.codes_ready.touch()
        say("codes are ready")

    def start_talker(self):
        """It compiles while the teachers speak."""
        options = self.options
        program = ["talker.py", *self.common, "--preset", options.preset, "--tokenizer", self.run / "tokenizer"]
        program += [
            "--copies",
            self.out / "copies.npz",
            "--keep-encoder",
            "--no-context",
            "--wait-for",
            self.codes_ready,
        ]
        program += ["--deadline", self.end, "--deadline-file", self.run / "DEADLINE"]
        program += ["--save-seconds", options.save_seconds, "--seed", options.seed]
        program += [*TALKER[options.preset].split(), *options.talker_options.split()]
        program += ["--positions", options.positions] if options.positions else []
        self.talker = Stage("talker", program, self.gpus, options, True)

    def train(self):
        while not self.talker.finished() and time.time() < moved(self.run / "DEADLINE", self.end) + 60:
            line = last_line(self.out / "talker.jsonl")
            row = json.loads(line) if line.endswith("}") else {}
            for step, figure, limit in LOST if self.options.preset == "clone" else ():
                if row.get("step", 0) >= step and not row.get(figure, 0) <= limit:
                    raise LostError(f"talker: {figure} {row[figure]} at step {row['step']}, more than {limit}")
            time.sleep(0.3)
        if self.talker.attempt > 2:
            raise LostError("talker failed three times: see talker.log")

    def stop_teachers(self):
        for process in self.teachers:
            process.kill()
            process.wait()

    def stop(self):
        self.stop_teachers()
        for process in self.beside.values():
            process.kill()
        if self.talker:
            self.talker.stop()
        if self.options.device == "cuda":
            self.meter.kill()


def go(session, stages):
    """The stages that are asked for, each beside what it does not wait for."""
    if "train" in stages:
        session.start_talker()
    if "data" in stages and not session.codes_ready.exists():
        session.teach()
        session.encode()
    elif "train" in stages:
        session.wait_for("codec_joint.pt", "copies.npz", "talker.pt")
        session.codes_ready.touch()
    elif "warm" in stages:
        session.wait_for("codec_joint.pt")
    if "train" in stages:
        session.train()


def make_folders(options):
    """RUN with its folders, begun and not done."""
    options.run = options.run.resolve()
    options.out = options.run / "out"
    for name in ("out", "data"):
        (options.run / name).mkdir(parents=True, exist_ok=True)
    (options.run / "DONE").unlink(missing_ok=True)
    (options.run / "BEGIN").write_text(str(time.time()))


def end(options, reason):
    (options.run / "DONE").write_text(reason + "\n")
    say(reason)


def main(options):
    make_folders(options)
    session, reason = Session(options), "done"
    try:
        go(session, options.stages)
    except LostError as error:
        reason = f"given up: {error}"
    session.stop()
    if "pack" in options.stages:
        pack = ["pack.py", "--checkpoints", options.out, "--tokenizer", options.run / "tokenizer", "--talker-alone"]
        tool(options, *pack, "--out", options.out / "pack")
        if options.send_codes:
            tool(options, "pack_codes.py", "pack", "--data", options.run / "data", "--out", options.out / "pack")
    end(options, reason)


if __name__ == "__main__":
    main(parse())
