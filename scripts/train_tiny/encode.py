"""Encode every shard of DATA with the trained codec: NAME.codes.npy, one int16 row of codes a frame.

With --heard also NAME.heard.npy: the codes of those clips that may be a reference, as poor recordings.

python encode.py --data DATA --out OUT      (run.py starts one process a GPU; each takes its share of the shards)
"""

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from codec_model import Codec
from degrade import degrade, level
from pool import may_be_reference, read_items
from shards import FRAME_SAMPLES
from sizes import PRESETS
from training import Ranks, load, note

FRAMES_AT_ONCE = 9000


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", required=True, help="folder that holds codec_joint.pt")
    parser.add_argument("--heard", action="store_true", help="degraded, too")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument(
        "--deadline", type=float, default=float("inf"), help="Unix time after which no more shards are begun"
    )
    return parser.parse_args()


def batches(items):
    """Items of like length together, at most FRAMES_AT_ONCE padded frames."""
    batch = []
    for item in sorted(items, key=lambda item: item["frames"]):
        if batch and (len(batch) + 1) * item["frames"] > FRAMES_AT_ONCE:
            yield batch
            batch = []
        batch.append(item)
    if batch:
        yield batch


@torch.no_grad()
def encode_shard(codec, index, ranks, kind="codes"):
    items, _ = read_items(index)
    pcm = np.memmap(index.with_suffix(".pcm"), "<i2", mode="r")
    frames = max((item["start_frame"] + item["frames"] for item in items), default=0)
    codes = np.zeros((frames, codec.sizes.books), np.int16)
    for batch in batches([item for item in items if kind == "codes" or may_be_reference(item)]):
        audio = np.zeros((len(batch), batch[-1]["frames"] * FRAME_SAMPLES), np.int16)
        for row, item in zip(audio, batch, strict=False):
            start = item["start_frame"] * FRAME_SAMPLES
            row[: item["frames"] * FRAME_SAMPLES] = pcm[start : start + item["frames"] * FRAME_SAMPLES]
        audio = torch.from_numpy(audio).to(ranks.device).float() / 32768
        if kind == "heard":
            audio = degrade(level(audio))
        with ranks.autocast():
            result = codec.encode(audio)
        for row, item in zip(result.transpose(1, 2).to(torch.int16).cpu().numpy(), batch, strict=False):
            codes[item["start_frame"] : item["start_frame"] + item["frames"]] = row[: item["frames"]]
    partial = index.with_suffix(f".{kind}.partial.npy")
    np.save(partial, codes)
    partial.rename(index.with_suffix(f".{kind}.npy"))
    return frames


if __name__ == "__main__":
    options = parse()
    ranks = Ranks(options.device)
    torch.backends.cudnn.benchmark = False  # every length is new
    state = load(Path(options.out) / "codec_joint.pt")
    codec = Codec(PRESETS[state["preset"]].codec)
    codec.load_state_dict(state["codec"])
    codec = codec.to(ranks.device).eval()
    begin, frames = time.time(), 0
    sizes = {
        path: path.with_suffix(".lab").stat().st_size
        for path in Path(options.data).glob("*.jsonl")
        if path.with_suffix(".lab").exists()
    }
    # The largest first; a teacher that was stopped early leaves an empty one.
    shards = sorted((path for path in sizes if path.stat().st_size), key=lambda path: (-sizes[path], path))
    for index in shards[ranks.rank :: ranks.world]:
        if time.time() < options.deadline and not index.with_suffix(".codes.npy").exists():
            if options.heard:  # first, since a shard counts as encoded when it has its codes
                encode_shard(codec, index, ranks, "heard")
            frames += encode_shard(codec, index, ranks)
    total = ranks.sum(torch.tensor([float(frames)], device=ranks.device))
    note(ranks, f"encoded {float(total) / 45000:.1f} hours in {time.time() - begin:.1f} s")
    ranks.close()
