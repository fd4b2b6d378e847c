"""Encoded shards as small files for a transfer, 0.8 MB an hour, and back; the sound itself is left behind.

python pack_codes.py pack --data DATA --out PACK
python pack_codes.py unpack --parts PACK --data DATA

codes.NN.npz  items as in the shards' .jsonl, their codes in as many bits as they need, and how many phones begin in each frame
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
from pool import read_items
from sizes import LABELS_PER_FRAME

PART_BYTES = 15 * 2**20
AT_ONCE = 4_000_000  # codes


def begun(labels):
    """[frames x 4] labels -> [frames]: how many phones have begun by the middle of each frame, over the whole shard."""
    changes = np.cumsum(np.diff(labels, prepend=labels[:1]) != 0)
    return changes[LABELS_PER_FRAME // 2 :: LABELS_PER_FRAME].astype(np.int32)


def in_bits(codes, bits):
    """Whole numbers below 2^bits -> bytes, the lowest bits first."""
    flat, pieces = np.asarray(codes, np.uint16).ravel(), []
    step = AT_ONCE // 8 * 8
    for start in range(0, len(flat), step):
        piece = flat[start : start + step, None] >> np.arange(bits, dtype=np.uint16) & 1
        pieces.append(np.packbits(piece.astype(np.uint8), bitorder="little"))
    return np.concatenate(pieces) if pieces else np.zeros(0, np.uint8)


def from_bits(packed, bits, count):
    weights, pieces = 1 << np.arange(bits, dtype=np.int16), []
    step = AT_ONCE // 8 * 8  # so many numbers end on a whole byte
    for start in range(0, count, step):
        size = min(step, count - start)
        piece = packed[start * bits // 8 : -(-(start + size) * bits // 8)]
        piece = np.unpackbits(piece, count=size * bits, bitorder="little").reshape(size, bits)
        pieces.append((piece * weights).sum(1).astype(np.int16))
    return np.concatenate(pieces) if pieces else np.zeros(0, np.int16)


def shards(folder):
    """Of each encoded shard its items, without the sound behind the last one, its codes and its phones begun."""
    for index in sorted(Path(folder).glob("*.jsonl")):
        path = index.with_suffix(".codes.npy")
        if not path.exists() or not len(codes := np.load(path)):
            continue
        items = [item for item in read_items(index)[0] if item["start_frame"] + item["frames"] <= len(codes)]
        yield items, codes, begun(np.fromfile(index.with_suffix(".lab"), np.uint8, len(codes) * LABELS_PER_FRAME))


def pack(folder, out):
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("codes.*.npz"):
        old.unlink()
    waiting, size, number, hours = [], 0, 0, 0.0
    for items, codes, phones in shards(folder):
        bits = int(codes.max()).bit_length()
        for item in items:
            if size > PART_BYTES * 8:
                write(out / f"codes.{number:02}.npz", waiting)
                waiting, size, number = [], 0, number + 1
            rows = slice(item["start_frame"], item["start_frame"] + item["frames"])
            waiting.append((item, codes[rows], np.diff(phones[rows], prepend=phones[rows.start])))
            size += item["frames"] * codes.shape[1] * bits + 60 * len(item["text"])  # about: the rest is packed, too
            hours += item["frames"] / 45000
    if waiting:
        write(out / f"codes.{number:02}.npz", waiting)
    print(
        f"{hours:.1f} hours in {sum(path.stat().st_size for path in out.glob('codes.*.npz')) / 2**20:.1f} MiB",
        flush=True,
    )


def write(path, rows):
    codes = np.concatenate([codes for _, codes, _ in rows])
    bits = max(1, int(codes.max()).bit_length())
    items = [[item["text"], item["speaker"], item["frames"]] for item, _, _ in rows]
    np.savez_compressed(
        path,
        items=np.frombuffer(json.dumps(items, ensure_ascii=False).encode(), np.uint8),
        codes=in_bits(codes, bits),
        shape=np.array([*codes.shape, bits]),
        begun=np.concatenate([phones for _, _, phones in rows]).astype(np.uint8),
    )


def unpack(parts, folder):
    folder.mkdir(parents=True, exist_ok=True)
    begin = time.time()
    for path in sorted(parts.glob("codes.*.npz")):
        with np.load(path) as found:
            frames, books, bits = found["shape"].tolist()
            codes = from_bits(found["codes"], bits, frames * books).reshape(frames, books)
            rows, phones = json.loads(bytes(found["items"])), np.cumsum(found["begun"].astype(np.int32))
        name, start = folder / f"before-{path.name.removesuffix('.npz').replace('.', '-')}", 0
        lines = []
        for text, speaker, length in rows:
            item = {"text": text, "speaker": speaker, "start_frame": start, "frames": length}
            lines.append(json.dumps(item, ensure_ascii=False) + "\n")
            start += length
        np.save(f"{name}.begun.npy", phones.astype(np.int32))
        np.save(f"{name}.codes.npy", codes)
        Path(f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
        print(f"{name.name}: {frames / 45000:.1f} hours, {time.time() - begin:.1f} s", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["pack", "unpack"])
    parser.add_argument("--data", type=Path, required=True, help="folder of the shards")
    parser.add_argument("--out", type=Path, help="folder for the parts")
    parser.add_argument("--parts", type=Path, help="folder of the parts")
    options = parser.parse_args()
    if options.command == "pack":
        pack(options.data, options.out)
    else:
        unpack(options.parts, options.data)
