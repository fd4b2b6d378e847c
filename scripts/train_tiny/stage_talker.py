"""Second stage of the cloning model: teachers, encoding with the codec of stage 1, then the talker and the speaker encoder.

    python stage_talker.py --run RUN --tokenizer TOKENIZER --gpus 0,1 --data-seconds 480 --total-seconds 1500

RUN holds out/codec_joint.pt and what stage_codec.py wants (kokoro/kokoro.pt, voices/*.bin, phones.jsonl.xz). The talker
compiles while the teachers speak. RUN/DONE exists when RUN/out/pack is whole. Started again it goes on from
RUN/out/talker.pt with the shards that are there; with another --seed it reads other texts by other mixtures.
"""

import argparse
import time
from pathlib import Path

from run import Stage, say
from stage_codec import READY, start_teachers, tool


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", required=True, type=Path)
    parser.add_argument("--tokenizer", required=True, type=Path)
    parser.add_argument("--gpus", default="0,1")
    parser.add_argument("--total-seconds", type=float, default=1400, help="of all but packing")
    parser.add_argument("--data-seconds", type=float, default=480, help="the teachers end then")
    parser.add_argument("--encode-seconds", type=float, default=120, help="after this the other shards are left out")
    parser.add_argument("--teachers", type=int, default=4, help="teacher processes a GPU")
    parser.add_argument("--synthetic", type=int, default=2500, help="synthetic speakers")
    parser.add_argument("--seed", type=int, default=0, help="of the texts' order and speakers")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--preset", default="clone")
    parser.add_argument("--talker-options", default="", help="further options for talker.py")
    parser.add_argument("--eager", action="store_true", help="no compiled kernels from the start")
    return parser.parse_args()


def main(options):
    options.run, options.tokenizer = options.run.resolve(), options.tokenizer.resolve()
    options.out = options.run / "out"
    for name in ("out", "data"):
        (options.run / name).mkdir(parents=True, exist_ok=True)
    gpus, begin = options.gpus.split(","), time.time()
    end, data_end = begin + options.total_seconds, begin + options.data_seconds
    # As start_teachers wants it: all of them until the data is complete.
    options.burst_seconds = options.teacher_seconds = options.data_seconds
    codes_ready = options.out / "CODES_READY"
    codes_ready.unlink(missing_ok=True)
    common = ["--data", options.run / "data", "--out", options.out, "--device", options.device]
    program = ["talker.py", *common, "--tokenizer", options.tokenizer, "--preset", options.preset]
    program += ["--deadline", end, "--wait-for", codes_ready, *options.talker_options.split()]
    talker, teachers = Stage("talker", program, gpus, options, True), []
    while time.time() < data_end and not (teachers and all(process.poll() is not None for process in teachers)):
        if not teachers and all((options.run / name).exists() for name in READY):
            teachers = start_teachers(options, gpus)
        talker.finished()
        time.sleep(0.5)
    for process in teachers:
        process.kill()
        process.wait()
    encode_end = time.time() + options.encode_seconds
    encode = Stage("encode", ["encode.py", *common, "--heard", "--deadline", encode_end], gpus, options, False)
    encode.wait(encode_end + 30)
    codes_ready.touch()
    say("codes are ready")
    talker.wait(end + 60)
    pack = ["pack.py", "--checkpoints", options.out, "--tokenizer", options.tokenizer, "--out", options.out / "pack"]
    tool(options, *pack)
    (options.run / "DONE").touch()
    say("done")


if __name__ == "__main__":
    main(parse())
