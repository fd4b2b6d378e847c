"""The built-in voices' sound gets better: teachers speak, then the shipped codec's decoder goes on alone; packed.

    python stage_decoder.py --run RUN --data-seconds 330 --total-seconds 1540

RUN holds what stage_phones.py wants (kit/make_phones.sh brings it). Encoder and books stand still, so codes, voice files
and the talker stay good, and both `tiny` and `tiny-base` get the new decoder (`new_decoder.py`). The discriminators were not
kept, so they begin anew: the decoder waits until they know something (`codec.py`).

    warm      tiny-base -> out/codec_joint.pt                     (CPU, beside the teachers)
    data      phones.jsonl.xz -> data/: the teachers' speech
    decoder   out/codec_decoder.pt, until the end; a checkpoint every --save-seconds
    pack      out/pack: the codec and its discriminators (pack.py), with all curves

A Unix time in --until replaces the end. RUN/DONE exists when RUN/out/pack is whole, or when nothing will come of the run;
it holds the reason.
"""

import argparse
import time
from pathlib import Path

from run import Stage
from stage_codec import tool
from stage_phones import LostError, Session, end, make_folders

DECODER = {
    "clone": "--clips 24 --clip-frames 44 --learning-rate 3e-4 --hours 60",
    "toy": "--clips 2 --clip-frames 30 --long-frames 40 --hours 0.05 --start-hours 0.001",
}
MOST_ATTEMPTS = 2


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", required=True, type=Path)
    parser.add_argument("--gpus", default="0")
    parser.add_argument("--total-seconds", type=float, default=1540, help="of all but packing")
    parser.add_argument("--until", type=float, help="Unix time at which training must have ended, instead")
    parser.add_argument("--data-seconds", type=float, default=330, help="the teachers end then")
    parser.add_argument("--save-seconds", type=float, default=120)
    parser.add_argument("--teachers", type=int, default=4, help="teacher processes a GPU")
    parser.add_argument("--synthetic", type=int, default=2500, help="synthetic speakers")
    parser.add_argument("--preset-share", type=float, default=0.6, help="share of the texts that the presets read")
    parser.add_argument("--preset-clips", type=float, default=0.6, help="share of the clips that are theirs")
    parser.add_argument("--seed", type=int, default=5, help="of the texts' order and speakers")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--preset", choices=list(DECODER), default="clone")
    parser.add_argument("--codec-options", default="", help="further options for codec.py")
    parser.add_argument("--eager", action="store_true", help="no CUDA graphs, no compiled kernels from the start")
    options = parser.parse_args()
    options.stages, options.encode_seconds = ["warm", "data", "decoder", "pack"], 0.0
    return options


def start_decoder(session):
    """It compiles while the teachers speak."""
    options, taught = session.options, session.out / "TAUGHT"
    program = ["codec.py", "decoder", *session.common, "--preset", options.preset, "--clean"]
    program += ["--preset-clips", options.preset_clips, "--wait-for", taught, "--deadline", session.end]
    program += ["--save-seconds", options.save_seconds, "--seed", options.seed]
    program += [*DECODER[options.preset].split(), *options.codec_options.split()]
    return Stage("codec_decoder", program, session.gpus, options, True)


def train(session, decoder):
    session.wait_for("codec_joint.pt")
    (session.out / "TAUGHT").touch()
    while not decoder.finished() and time.time() < session.end + 60:
        time.sleep(0.3)
    if decoder.attempt > MOST_ATTEMPTS:
        raise LostError("the decoder failed three times: see codec_decoder.log")


def main(options):
    make_folders(options)
    session, reason = Session(options), "done"
    decoder = start_decoder(session)
    try:
        session.teach()
        train(session, decoder)
    except LostError as error:
        reason = f"given up: {error}"
    decoder.stop()
    session.stop()
    tool(options, "pack.py", "--checkpoints", options.out, "--codec-alone", "--out", options.out / "pack")
    end(options, reason)


if __name__ == "__main__":
    main(parse())
