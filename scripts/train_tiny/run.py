"""Run the whole training inside a time box, on one or several GPUs, and pack the result.

    python run.py --data DATA --out OUT --tokenizer TOKENIZER --gpus 0,1,2 --later-gpus 0,1,2,3 --total-seconds 1150

joint codec on all GPUs -> encode -> talker on the first half beside the decoder on the others -> report -> pack.
With --codec the codec is trained already: wait for the teachers -> encode -> talker on all GPUs -> report -> pack.
A stage that fails or falls silent is started again from its checkpoint, without CUDA graphs and compiled kernels, and
the last time on one GPU. The folder OUT/pack then holds parts that joined are one tar file (see pack.py).
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

BEGIN = time.time()
HERE = Path(__file__).resolve().parent
SILENT_SECONDS = 150
PACK_EVERY = 120


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--tokenizer", required=True, type=Path)
    parser.add_argument("--gpus", default="0", help="for the joint codec stage")
    parser.add_argument("--later-gpus", help="for encoding, talker and decoder (default: the same)")
    parser.add_argument(
        "--codec", type=Path, help="folder with the codec_joint.pt of an earlier run: train the talker alone"
    )
    parser.add_argument(
        "--data-seconds", type=float, default=240, help="with --codec: encode what is there after so long"
    )
    parser.add_argument("--total-seconds", type=float, default=1150)
    parser.add_argument("--joint-end", type=float, default=0.53, help="share of the time at which the joint stage ends")
    parser.add_argument(
        "--encode-seconds", type=float, default=50, help="after this the rest of the shards is left out"
    )
    parser.add_argument("--finish-seconds", type=float, default=50, help="kept for report and packing")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--preset", default="full")
    parser.add_argument("--codec-options", default="", help="further options for codec.py")
    parser.add_argument(
        "--decoder-options",
        default="--start-hours 4 --wait-seconds 12 --clip-frames 44",
        help="further options for codec.py decoder",
    )
    parser.add_argument("--talker-options", default="", help="further options for talker.py")
    parser.add_argument("--eager", action="store_true", help="no CUDA graphs, no compiled kernels from the start")
    return parser.parse_args()


class Stage:
    """One program on several GPUs: started, watched, started again on failure."""

    ports = iter(range(29600, 29700))

    def __init__(self, name, program, gpus, options, can_be_eager):
        self.name, self.program, self.gpus = name, [str(part) for part in program], gpus
        self.options, self.can_be_eager = options, can_be_eager
        self.attempt = 0
        self.log = options.out / f"{name}.log"
        self.start()

    def start(self):
        eager = self.can_be_eager and (self.options.eager or self.attempt > 0)
        gpus = self.gpus[:1] if self.attempt > 1 else self.gpus
        port = next(Stage.ports)
        say(self.name, "attempt", self.attempt, "on GPUs", gpus, "eager" if eager else "")
        self.processes = []
        for rank in range(len(gpus)):
            environment = os.environ | {
                "RANK": str(rank),
                "LOCAL_RANK": str(rank),
                "WORLD_SIZE": str(len(gpus)),
                "MASTER_ADDR": "127.0.0.1",
                "MASTER_PORT": str(port),
                "CUDA_VISIBLE_DEVICES": ",".join(gpus),
                "PYTHONUNBUFFERED": "1",
                "OMP_NUM_THREADS": "2",
                "TORCHINDUCTOR_COMPILE_THREADS": "4",
            }
            with open(self.log, "a") as log:
                command = [sys.executable, *self.program, *(["--eager"] if eager else [])]
                self.processes.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=HERE))
        self.log.touch()

    def finished(self):
        """True when all ranks ended well, or the stage is given up; restarts it when one failed or all are silent."""
        codes = [process.poll() for process in self.processes]
        if all(code == 0 for code in codes):
            return True
        silent = time.time() - self.log.stat().st_mtime > SILENT_SECONDS
        if not silent and not any(code not in (None, 0) for code in codes):
            return False
        say(self.name, "failed", "(silent)" if silent else codes)
        self.stop()
        self.attempt += 1
        if self.attempt > 2:
            say(self.name, "given up")
            return True
        self.start()
        return False

    def stop(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
        for process in self.processes:
            process.wait()

    def wait(self, until):
        """Until it has finished; a stage still running at Unix time `until` is killed (its checkpoint stays)."""
        while not self.finished():
            if time.time() > until:
                say(self.name, "killed at its deadline")
                self.stop()
                return
            time.sleep(0.2)


def say(*words):
    print(f"[{time.time() - BEGIN:7.1f}]", *words, flush=True)


def main(options):
    end = BEGIN + options.total_seconds
    joint_end = BEGIN + options.total_seconds * options.joint_end
    train_end = end - options.finish_seconds
    options.out.mkdir(parents=True, exist_ok=True)
    gpus = options.gpus.split(",")
    later = (options.later_gpus or options.gpus).split(",")
    ready = options.out / "CODES_READY"
    common = ["--data", options.data.resolve(), "--out", options.out.resolve(), "--device", options.device]
    preset = ["--preset", options.preset]

    late_options = [*common, *preset, "--deadline", train_end, "--wait-for", ready.resolve()]
    if options.codec:
        shutil.copyfile(options.codec / "codec_joint.pt", options.out / "codec_joint.pt")
        late = start_late(options, late_options, later)
        time.sleep(max(0.0, BEGIN + options.data_seconds - time.time()))
    else:
        late = train_codec(options, [*common, *preset], late_options, gpus, later, joint_end)
    encode = Stage(
        "encode", ["encode.py", *common, "--deadline", time.time() + options.encode_seconds], later, options, False
    )
    encode.wait(time.time() + options.encode_seconds + 30)
    ready.touch()
    late = late or start_late(options, late_options, later)
    pack = [
        "pack.py",
        "--checkpoints",
        options.out.resolve(),
        "--tokenizer",
        options.tokenizer.resolve(),
        "--out",
        options.out.resolve() / "pack",
    ]
    packed = time.time()
    running = list(late)
    while running and time.time() < train_end + 15:
        # A stage that has ended must not be asked again: it would be started anew.
        running = [stage for stage in running if not stage.finished()]
        if time.time() - packed > PACK_EVERY:
            # Should the machine go away early, the last packed state is what is left.
            packed = time.time()
            running.append(Stage("pack", pack, later[:1], options, False))
        time.sleep(0.2)
    for stage in running:
        stage.stop()
    Stage("pack", pack, later[:1], options, False).wait(end + 30)
    report = Stage(
        "report",
        [
            "speak.py",
            "--checkpoints",
            options.out.resolve(),
            "--tokenizer",
            options.tokenizer.resolve(),
            "--data",
            options.data.resolve(),
            "--device",
            options.device,
            "--report",
            options.out.resolve() / "report.json",
        ],
        later[:1],
        options,
        False,
    )
    report.wait(end + 20)
    # Once more, so that the curves in it end with the report.
    Stage("pack", [*pack, "--curves-only"], later[:1], options, False).wait(end + 40)
    (options.out / "DONE").touch()
    say("done")


def train_codec(options, common, late_options, gpus, later, end):
    """The joint stage; returns the later stages, which compile and record their steps while the codec still trains."""
    program = ["codec.py", "joint", *common, "--deadline", end, *options.codec_options.split()]
    joint = Stage("codec_joint", program, gpus, options, True)
    late = []
    while not joint.finished() and time.time() < end + 30:
        if not late and time.time() > end - 80:
            late = start_late(options, late_options, later)
        time.sleep(0.2)
    joint.stop()
    return late


def start_late(options, common, gpus):
    """Talker on the larger half of the GPUs, the decoder on the others; on one GPU both share it."""
    talker_gpus = gpus if options.codec else gpus[: (len(gpus) + 1) // 2]
    talker = ["talker.py", *common, "--tokenizer", options.tokenizer.resolve(), *options.talker_options.split()]
    if options.codec:
        return [Stage("talker", talker, talker_gpus, options, True)]
    decoder_gpus = gpus[len(talker_gpus) :] or gpus
    decoder = ["codec.py", "decoder", *common, *options.decoder_options.split()]
    return [
        Stage("talker", talker, talker_gpus, options, True),
        Stage("codec_decoder", decoder, decoder_gpus, options, True),
    ]


if __name__ == "__main__":
    main(parse())
