"""The cloning model from nothing in one time box: teachers, codec, encoding, talker beside the codec's decoder; packed.

    python stage_clone.py --run RUN --joint-seconds 740 --total-seconds 1560

RUN holds (some of it may arrive after the start) what stage_codec.py wants, and tokenizer/. The GPUs are those of the
machine: five of eight train encoder, books and decoder while teachers speak on the others. Then encoder and books stand
still: all GPUs encode, all but one train the talker, and that one goes on with the decoder.
--resume codec goes on with the codec_joint.pt and judges.pt of a lost run, --resume talker with a codec whose encoder is
done, and with its talker.pt if there is one: both wait for RUN/out/READY. --warm begins from a shipped voice in RUN/tiny
with its RUN/tiny/codes.npz (see warm.py): its books stay, and its talker goes on. RUN/DONE exists when RUN/out/pack is whole, or
when the stage has given up; it holds the reason. A Unix time in RUN/DEADLINE replaces the talker's end.
"""

import argparse
import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from progress import last_line
from run import HERE, Stage, say
from stage_codec import READY, start_teachers, tool
from training import moved

CLIPS, LEAST_CLIPS = 40, 8  # a step: over all GPUs, and on each (a quarter as many of every fourth step's long ones)
POLISH_FROM = 0.72
LISTENER = "listener.pt"
STOP_SECONDS = 8  # a teacher finishes its batch
AUDIO_SECONDS = 300  # without any audio by then nothing will come of it
# (from this step, or second, on, figure, limit): above it all is lost, and the time is better given back.
LOST_CODEC = ((3000, "mel", 2.2), (8000, "mel", 1.9), (3000, "phone", 3.1))
LOST_TALKER = ((240, "guide", 1.0),)
# Further options of the programs, by preset.
PROGRAMS = {
    "clone": {
        "codec": "--hours 72",
        "warm": "",
        "decoder": "--clips 16 --clip-frames 44 --hours 72 --start-hours 4 --wait-seconds 12",
        "talker": "--positions 56000 --learning-rate 2e-3",
    },
    "toy": {
        "codec": "--hours 0.5 --start-hours 0.01 --clips 2 --clip-frames 20 --long-frames 40 --crop-frames 8 --save-seconds 15",
        "warm": "--clips 2 --clip-frames 8",
        "decoder": "--hours 0.5 --start-hours 0.01 --clips 2 --clip-frames 20 --long-frames 40 --crop-frames 8 --save-seconds 15",
        "talker": "--positions 1500 --save-seconds 15 --validate-seconds 30",
    },
}


class LostError(Exception):
    """Nothing good can come of this run any more: the message says why."""


@dataclass(frozen=True)
class Share:
    codec: list[str]
    teachers: list[str]
    talker: list[str]
    decoder: list[str]

    @staticmethod
    def of(gpus, decoder=True):
        """Who works where. With fewer than four GPUs all share all, but for talker and decoder where there are two.
        Without a decoder to go on with, the talker gets all."""
        talker, decoder = (gpus[:-1] or gpus, gpus[-1:]) if decoder else (gpus, [])
        if len(gpus) >= 4:
            count = -(-5 * len(gpus) // 8)
            return Share(gpus[:count], gpus[count:], talker, decoder)
        return Share(gpus, gpus, talker, decoder)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", required=True, type=Path)
    parser.add_argument("--gpus", help="by comma (default: all of the machine)")
    parser.add_argument("--total-seconds", type=float, default=1560, help="of all but packing")
    parser.add_argument("--joint-seconds", type=float, default=740, help="encoder and books stand still then")
    parser.add_argument(
        "--data-seconds", type=float, default=480, help="with --resume talker or --warm: of teachers alone"
    )
    parser.add_argument("--encode-seconds", type=float, default=75, help="after this the other shards are left out")
    parser.add_argument("--compile-seconds", type=float, default=80, help="the talker starts so long before its data")
    parser.add_argument("--teachers", type=int, default=5, help="teacher processes a GPU")
    parser.add_argument("--synthetic", type=int, default=5000, help="synthetic speakers")
    parser.add_argument("--preset-share", type=float, default=0.2, help="share of the texts that the presets read")
    parser.add_argument("--seed", type=int, default=0, help="of the texts' order and speakers")
    parser.add_argument("--resume", choices=["codec", "talker"])
    parser.add_argument("--warm", action="store_true", help="begin from the shipped voice")
    parser.add_argument("--warm-seconds", type=float, default=100, help="for its encoder alone")
    parser.add_argument(
        "--vector-only", action="store_true", help="no in-context prompts, no encoder that must stand poor recordings"
    )
    parser.add_argument("--no-decoder", action="store_true", help="the decoder is done: all GPUs train the talker")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--preset", choices=list(PROGRAMS), default="clone")
    for program in PROGRAMS["clone"]:
        parser.add_argument(f"--{program}-options", help=f"for {program} (default: as the preset has them)")
    parser.add_argument("--eager", action="store_true", help="no CUDA graphs, no compiled kernels from the start")
    options = parser.parse_args()
    for program, default in PROGRAMS[options.preset].items():
        name = f"{program}_options"
        setattr(options, name, (default if getattr(options, name) is None else getattr(options, name)).split())
    return options


def found_gpus(options):
    if options.gpus or options.device == "cpu":
        return (options.gpus or "0").split(",")
    listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=True).stdout
    return [str(number) for number in range(len(listed.splitlines()))]


class Session:
    def __init__(self, options):
        self.options, self.begin = options, time.time()
        self.run, self.out = options.run, options.out
        self.gpus = found_gpus(options)
        self.share = Share.of(self.gpus, not options.no_decoder)
        self.teachers, self.people, self.late = [], None, []
        self.encoder = None
        self.joint_end = self.begin + (options.data_seconds if options.resume == "talker" else options.joint_seconds)
        self.end = self.begin + options.total_seconds
        self.common = ["--data", self.run / "data", "--out", self.out, "--device", options.device]
        self.codes_ready = self.out / "CODES_READY"
        self.codes_ready.unlink(missing_ok=True)
        say("GPUs", self.share, "the encoder is done after", round(self.joint_end - self.begin), "s")

    def start_codec(self):
        clips = max(LEAST_CLIPS, round(CLIPS / len(self.share.codec)))
        program = ["codec.py", "joint", *self.common, "--preset", self.options.preset, "--deadline", self.joint_end]
        # No polish where the decoder goes on alone beside the talker.
        polish = 1 if self.share.decoder else POLISH_FROM
        program += ["--clips", clips, "--polish-from", polish, "--wait-seconds", 400, "--save-seconds", 90]
        if self.options.resume or self.options.warm:
            first = "adversarial" if self.options.warm else "quantised"
            program += ["--wait-for", self.out / "READY", "--phases-from", first]
        program += ["--warm"] * self.options.warm + ["--clean"] * self.options.vector_only
        return Stage("codec_joint", [*program, *self.options.codec_options], self.share.codec, self.options, True)

    def start_late(self):
        """Talker and decoder compile while the codec still trains; the data comes with CODES_READY."""
        common = [*self.common, "--preset", self.options.preset, "--wait-for", self.codes_ready]
        talker = ["talker.py", *common, "--tokenizer", self.run / "tokenizer", "--deadline", self.end]
        talker += ["--deadline-file", self.run / "DEADLINE", *self.options.talker_options]
        talker += ["--no-context"] * self.options.vector_only
        if (self.run / LISTENER).exists():
            talker += ["--listener", self.run / LISTENER]
        decoder = ["codec.py", "decoder", *common, "--deadline", self.end, "--save-seconds", 90]
        decoder += (
            ["--warm"] * self.options.warm + ["--clean"] * self.options.vector_only + self.options.decoder_options
        )
        stages = [Stage("talker", talker, self.share.talker, self.options, True)]
        if self.share.decoder:
            stages.append(Stage("codec_decoder", decoder, self.share.decoder, self.options, True))
        return stages

    def feed(self):
        """Start what has its files: the teachers, and the shards of people."""
        options = self.options
        if not self.teachers and all((self.run / name).exists() for name in READY):
            # With a shipped voice the codec waits for its encoder, and trains four times as fast without teachers beside it.
            end = self.begin + options.data_seconds if options.warm else self.joint_end
            options.burst_seconds = options.teacher_seconds = end - STOP_SECONDS - time.time()
            gpus = self.gpus if options.resume == "talker" else self.share.teachers
            self.teachers = start_teachers(options, gpus, options.preset_share)
        if not self.people and (self.run / "human/READY").exists():
            command = ["human.py", "shards", "--source", self.run / "human", "--out", self.run / "data"]
            with open(self.out / "tools.log", "a") as log:
                command = [sys.executable, *map(str, command)]
                self.people = subprocess.Popen(command, stdout=log, stderr=log, cwd=HERE)

        if self.options.warm and not self.encoder and (self.run / "tiny/READY").exists():
            tiny = self.run / "tiny"
            clean = ["--clean"] * options.vector_only
            program = ["warm.py", "--model", tiny, "--codes", tiny / "codes.npz", "--out", self.out]
            program += ["--preset", options.preset, "--device", options.device, "--seconds", options.warm_seconds]
            self.encoder = Stage("warm", [*program, *options.warm_options, *clean], self.gpus[-1:], options, False)
        if self.encoder and self.encoder.finished() and self.encoder.attempt > 2:
            raise LostError("warm failed three times: see warm.log")

    def check_audio(self):
        silent = not any(path.stat().st_size for path in (self.run / "data").glob("*.jsonl"))
        if silent and time.time() > self.begin + AUDIO_SECONDS:
            raise LostError(f"no audio after {AUDIO_SECONDS} s: see teacher_0.log")

    def check(self, curve, clock, limits):
        """LostError when the last line of a curve is above a limit; `clock` is what its limits count."""
        line = last_line(self.out / curve)
        row = json.loads(line) if line.endswith("}") else {}
        for begin, figure, limit in limits:
            if row.get(clock, 0) >= begin and not row.get(figure, 0) <= limit:
                raise LostError(f"{curve}: {figure} {row[figure]} at {clock} {row[clock]}, more than {limit}")

    def ended(self, stage):
        """Whether a stage has ended; LostError when it failed each time it was started, unless others can do without."""
        ended = stage.finished()
        if ended and stage.attempt > 2 and stage.name != "codec_decoder":
            raise LostError(f"{stage.name} failed three times: see {stage.name}.log")
        return ended

    def train_codec(self):
        """Until the encoder is done; with --resume talker only the teachers speak so long."""
        codec = None if self.options.resume == "talker" else self.start_codec()
        late_at = self.begin if codec is None else self.joint_end - self.options.compile_seconds
        while time.time() < self.joint_end + (30 if codec else 0):
            if codec is not None and self.ended(codec):
                break
            self.feed()
            self.check_audio()
            if self.options.preset == "clone":  # a toy learns less
                self.check("codec_joint.jsonl", "step", LOST_CODEC)
            if not self.late and time.time() > late_at:
                self.late = self.start_late()
            time.sleep(0.3)
        if codec is not None:
            codec.stop()
        for process in self.teachers:
            process.kill()
            process.wait()
        needed = ["codec_joint.pt"] if self.options.resume != "talker" else ["READY"]
        while not all((self.out / name).exists() for name in needed):
            if time.time() > self.joint_end + 60:
                raise LostError(f"no {needed[0]} in {self.out}")
            time.sleep(0.3)
        (self.out / "FROZEN").touch()
        say("encoder and books stand still")

    def encode(self):
        until = time.time() + self.options.encode_seconds
        program = ["encode.py", *self.common, "--deadline", until] + ["--heard"] * (not self.options.vector_only)
        Stage("encode", program, self.gpus, self.options, False).wait(until + 30)
        self.codes_ready.touch()
        say("codes are ready")

    def train_talker(self):
        self.late = self.late or self.start_late()
        running, talker = list(self.late), self.late[0]
        while running and time.time() < moved(self.run / "DEADLINE", self.end) + 45:
            # A stage that has ended must not be asked again: it would be started anew.
            running = [stage for stage in running if not self.ended(stage)]
            if self.options.preset == "clone":
                self.check("talker.jsonl", "seconds", LOST_TALKER)
            if talker not in running and time.time() > moved(self.run / "DEADLINE", self.end):
                break
            time.sleep(0.3)

    def stop(self):
        for process in self.teachers:
            process.kill()
        for stage in self.late:
            stage.stop()


def main(options):
    options.run = options.run.resolve()
    (options.run / "BEGIN").write_text(str(time.time()))
    options.out = options.run / "out"
    for name in ("out", "data"):
        (options.run / name).mkdir(parents=True, exist_ok=True)
    session, reason = Session(options), "done"
    try:
        session.train_codec()
        session.encode()
        session.train_talker()
    except LostError as error:
        reason = f"given up: {error}"
    session.stop()
    pack = ["pack.py", "--checkpoints", options.out, "--tokenizer", options.run / "tokenizer"]
    tool(options, *pack, "--out", options.out / "pack")
    (options.run / "DONE").write_text(reason + "\n")
    say(reason)


if __name__ == "__main__":
    main(parse())
