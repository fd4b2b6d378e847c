"""Reduce the checkpoints to float16 weights and cut them into parts that fit a small transfer.

    python pack.py --checkpoints OUT --tokenizer TOKENIZER --out PACK
    cat PACK/weights.tar.* | tar x -C CHECKPOINTS        then export.py reads CHECKPOINTS; training resumes from it

weights.tar.NN  codec_joint.pt or codec_decoder.pt (averaged decoder), talker.pt (averaged), tokenizer; --together: .tar.gz
judges.tar.NN   the discriminators, wanted only to train on
curves.tar.00   logs, curves, report
"""

import argparse
import io
import tarfile
from pathlib import Path

import torch
from codec_watch import PHASES
from training import load

PART_BYTES = 15 * 2**20
# A joint stage that goes on from a packed codec must not begin without its quantiser again.
RESUMED_PROGRESS = 0.2


def halves(state):
    return {name: value.half() if value.is_floating_point() else value for name, value in state.items()}


def slim_codec(state, frozen=False):
    """Weights only; the averaged decoder takes the place of the raw one. `frozen`: shards are encoded with it already."""
    codec = halves(state["codec"] | state.get("average", {}))
    # The statistics behind the codebooks would be as large again as the books; a resumed run rebuilds them.
    kept = {name: value for name, value in codec.items() if not name.endswith(".sums")}
    kept |= {name.replace(".codebooks", ".sums"): value for name, value in codec.items() if name.endswith(".codebooks")}
    kept |= {name: torch.ones_like(value) for name, value in codec.items() if name.endswith(".counts")}
    return {
        "preset": state["preset"],
        "frozen": frozen,
        "step": 0,
        "progress": RESUMED_PROGRESS,
        "counters": {"phase": PHASES.index("adversarial"), "phase_steps": 0},
        "codec": kept,
        "discriminators": None,
        "optimizers": None,
    }


def slim_talker(state):
    encoder = state.get("speaker_encoder_average")
    return talker_to_go_on_from(
        state["preset"], state["speakers"], halves(state["average"]), None if encoder is None else halves(encoder)
    )


def talker_to_go_on_from(preset, speakers, talker, encoder=None):
    """What talker.py begins its first step from: weights alone."""
    return ({} if encoder is None else {"speaker_encoder": encoder, "speaker_encoder_average": encoder}) | {
        "preset": preset,
        "speakers": speakers,
        "step": 0,
        "progress": 0.0,
        "talker": talker,
        "average": talker,
        "optimizers": [],
        "averages_flat": [],
    }


def add(archive, name, state):
    buffer = io.BytesIO()
    torch.save(state, buffer)
    entry = tarfile.TarInfo(name)
    entry.size = buffer.tell()
    buffer.seek(0)
    archive.addfile(entry, buffer)


def write_parts(out, name, fill, compressed=False):
    buffer = io.BytesIO()
    mode = {"mode": "w:gz", "compresslevel": 4} if compressed else {"mode": "w"}
    with tarfile.open(fileobj=buffer, **mode) as archive:
        fill(archive)
    data = buffer.getvalue()
    for old in out.glob(f"{name}.tar.*"):
        old.unlink()
    for number, start in enumerate(range(0, len(data), PART_BYTES)):
        (out / f"{name}.tar.{number:02}").write_bytes(data[start : start + PART_BYTES])
    print(f"{name}: {len(data) / 2**20:.1f} MiB")


def weights(options, codec):
    def fill(archive):
        if codec is not None:
            # As the joint stage's result: export.py and both codec stages begin from it.
            add(archive, "codec_joint.pt", slim_codec(codec, (options.checkpoints / "FROZEN").exists()))
        if (options.checkpoints / "talker.pt").exists() and not options.codec_alone:
            add(archive, "talker.pt", slim_talker(load(options.checkpoints / "talker.pt")))
        if options.tokenizer:
            archive.add(options.tokenizer, "tokenizer")

    return fill


def curves(options):
    def fill(archive):
        for pattern in ("*.jsonl", "*.log", "*.json"):
            for path in sorted(options.checkpoints.glob(pattern)):
                archive.add(path, path.name)

    return fill


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoints", required=True, type=Path)
    parser.add_argument("--tokenizer", type=Path, help="packed, too")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--curves-only", action="store_true")
    parser.add_argument("--talker-alone", action="store_true", help="without the codec, which an earlier stage gave")
    parser.add_argument("--codec-alone", action="store_true", help="without the talker")
    parser.add_argument(
        "--together", action="store_true", help="codec and talker for one transfer: compressed, no discriminators"
    )
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    write_parts(options.out, "curves", curves(options), options.together)
    if not options.curves_only:
        found = [
            options.checkpoints / name
            for name in ("codec_decoder.pt", "codec_joint.pt")
            if (options.checkpoints / name).exists() and not options.talker_alone
        ]
        codec = load(found[0]) if found else None
        write_parts(options.out, "weights", weights(options, codec), options.together)
        if codec is not None and codec["discriminators"] and not options.together:
            write_parts(
                options.out, "judges", lambda archive: add(archive, "judges.pt", halves(codec["discriminators"]))
            )
