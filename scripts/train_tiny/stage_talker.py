"""Second stage of the cloning model: teachers, encoding with the codec of stage 1, then the talker and the speaker encoder.

    python stage_talker.py --run RUN --gpus 0,1,2,3 --data-seconds 400 --total-seconds 1600

RUN holds (some of it may arrive after the start) out/codec_joint.pt, tokenizer/ and what stage_codec.py wants
(kokoro/kokoro.pt, voices/*.bin, phones.jsonl.xz). The talker compiles while the teachers speak. A Unix time in
RUN/DEADLINE replaces the end that --total-seconds gives. RUN/DONE exists when RUN/out/pack is whole. Started again it goes
on from RUN/out/talker.pt with the shards that are there; with another --seed it reads other texts by other mixtures.
With --resume it waits for the talker.pt of an earlier stage, which may arrive until the teachers have ended.
"""

import argparse
import time
from pathlib import Path

from run import Stage, say
from stage_codec import READY, start_teachers, tool
from training import moved

STOP_SECONDS = 8  # a teacher finishes its batch


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", required=True, type=Path)
    parser.add_argument("--gpus", default="0,1")
    parser.add_argument("--total-seconds", type=float, default=1400, help="of all but packing")
    parser.add_argument("--data-seconds", type=float, default=400, help="the teachers end then")
    parser.add_argument("--encode-seconds", type=float, default=90, help="after this the other shards are left out")
    parser.add_argument("--teachers", type=int, default=5, help="teacher processes a GPU")
    parser.add_argument("--synthetic", type=int, default=4000, help="synthetic speakers")
    parser.add_argument("--preset-share", type=float, default=0.22, help="share of the texts that the presets read")
    parser.add_argument("--seed", type=int, default=0, help="of the texts' order and speakers")
    parser.add_argument("--resume", action="store_true", help="go on with the talker of an earlier stage")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--preset", default="clone")
    parser.add_argument("--talker-options", default="", help="further options for talker.py")
    parser.add_argument("--eager", action="store_true", help="no compiled kernels from the start")
    return parser.parse_args()


def make_data(options, gpus, data_end, talker):
    """Teachers until `data_end`, or until they have read everything; the codec may still be on its way."""
    teachers = []
    while time.time() < data_end and not (teachers and all(process.poll() is not None for process in teachers)):
        if not teachers and all((options.run / name).exists() for name in READY):
            # As start_teachers wants it: all of them until the data is complete.
            options.burst_seconds = options.teacher_seconds = data_end - STOP_SECONDS - time.time()
            teachers = start_teachers(options, gpus, options.preset_share)
        talker.finished()
        time.sleep(0.5)
    for process in teachers:
        process.kill()
        process.wait()
    say("teachers ended")
    wanted = ("codec_joint.pt", "talker.pt") if options.resume else ("codec_joint.pt",)
    while not all((options.out / name).exists() for name in wanted):
        time.sleep(0.5)


def main(options):
    options.run = options.run.resolve()
    options.out = options.run / "out"
    for name in ("out", "data"):
        (options.run / name).mkdir(parents=True, exist_ok=True)
    gpus, begin, deadline_file = options.gpus.split(","), time.time(), options.run / "DEADLINE"
    end = begin + options.total_seconds
    codes_ready = options.out / "CODES_READY"
    codes_ready.unlink(missing_ok=True)
    common = ["--data", options.run / "data", "--out", options.out, "--device", options.device]
    program = ["talker.py", *common, "--tokenizer", options.run / "tokenizer", "--preset", options.preset]
    program += ["--deadline", end, "--deadline-file", deadline_file]
    program += ["--wait-for", codes_ready, *options.talker_options.split()]
    talker = Stage("talker", program, gpus, options, True)
    make_data(options, gpus, begin + options.data_seconds, talker)
    encode_end = time.time() + options.encode_seconds
    encode = Stage("encode", ["encode.py", *common, "--heard", "--deadline", encode_end], gpus, options, False)
    encode.wait(encode_end + 30)
    codes_ready.touch()
    say("codes are ready")
    while not talker.finished() and time.time() < moved(deadline_file, end) + 60:
        time.sleep(0.2)
    talker.stop()
    pack = ["pack.py", "--checkpoints", options.out, "--tokenizer", options.run / "tokenizer", "--talker-alone"]
    tool(options, *pack, "--out", options.out / "pack")
    (options.run / "DONE").touch()
    say("done")


if __name__ == "__main__":
    main(parse())
