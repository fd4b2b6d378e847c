"""Vectors of synthetic speakers, by the shipped speaker encoder: whom own_takes.py lets the talker clone.

    python speaker_vectors.py --data DATA --checkpoints OUT --out vectors.npz

DATA are shards of synthetic speakers (teacher.py --synthetic, some hundred short clips are enough), OUT what from_shipped.py wrote.
One speaker in eight is kept aside.
"""

import argparse
from pathlib import Path

import numpy as np
import torch
from pool import read_items
from shards import FRAME_SAMPLES
from sizes import PRESETS
from speaker_model import LogMel, SpeakerEncoder
from training import load

STRANGE_EACH = 8
LEAST_FRAMES = 25


@torch.no_grad()
def main(options):
    sizes = PRESETS["clone"]
    encoder = SpeakerEncoder(sizes.speaker_encoder, sizes.talker.talker.hidden)
    state = load(options.checkpoints / "talker.pt")["speaker_encoder"]
    encoder.load_state_dict({name: value.float() for name, value in state.items()})
    log_mel, found = LogMel(), {}
    for index in sorted(options.data.glob("*.jsonl")):
        samples = np.fromfile(index.with_suffix(".pcm"), "<i2")
        for item in read_items(index)[0]:
            begin, count = item["start_frame"] * FRAME_SAMPLES, item["frames"] * FRAME_SAMPLES
            if item["frames"] < LEAST_FRAMES or item["speaker"] in found:
                continue
            audio = torch.from_numpy(samples[begin : begin + count].astype(np.float32) / 32768)
            found[item["speaker"]] = encoder(log_mel(audio[None]))[0].numpy()
    names = sorted(found)
    strange = names[::STRANGE_EACH]
    known = [name for name in names if name not in strange]
    np.savez(
        options.out,
        **{
            kind: np.stack([found[name] for name in some]).astype(np.float32)
            for kind, some in (("known", known), ("strange", strange))
        },
    )
    print(f"{len(known)} speakers to learn from, {len(strange)} kept aside: {options.out}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--checkpoints", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    main(parser.parse_args())
