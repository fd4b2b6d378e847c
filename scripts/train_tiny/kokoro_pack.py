"""Kokoro's weights as small files for a transfer; most came from at most 256 levels and stay exact, the rest is float16.

python kokoro_pack.py pack --cache KOKORO --out PARTS --parts 2
python kokoro_pack.py unpack --parts-in PARTS --cache KOKORO
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np
import torch
from kokoro_weights import load_weights

SMALL = 4096  # numbers; below this a tensor is stored as it is


def packed(tensor: torch.Tensor) -> dict[str, np.ndarray]:
    levels = torch.unique(tensor)
    if tensor.numel() < SMALL or len(levels) > 256:
        return {"float": tensor.numpy() if tensor.numel() < SMALL else tensor.numpy().astype(np.float16)}
    index = torch.searchsorted(levels, tensor.flatten()).to(torch.uint8).view(tensor.shape)
    return {"index": index.numpy(), "levels": levels.numpy()}


def pack(cache: Path, out: Path, parts: int) -> None:
    out.mkdir(parents=True, exist_ok=True)
    weights = load_weights(cache)
    largest_first = sorted(weights, key=lambda name: -weights[name].numel())
    for part in range(parts):
        arrays = {
            f"{name}|{kind}": array
            for name in largest_first[part::parts]
            for kind, array in packed(weights[name]).items()
        }
        path = out / f"kokoro.{part}.npz"
        np.savez_compressed(path, **arrays)
        print(f"{path}: {path.stat().st_size / 2**20:.1f} MiB")


def unpack(parts: Path, cache: Path) -> None:
    weights = {}
    for path in sorted(parts.glob("kokoro.*.npz")):
        arrays = dict(np.load(path))
        for key, array in arrays.items():
            name, kind = key.split("|")
            if kind == "float":
                weights[name] = torch.from_numpy(array.astype(np.float32))
            elif kind == "index":
                levels = torch.from_numpy(arrays[f"{name}|levels"])
                weights[name] = levels[torch.from_numpy(array).long()]
    cache.mkdir(parents=True, exist_ok=True)
    partial = cache / f"kokoro.{os.getpid()}"
    torch.save(weights, partial)
    partial.replace(cache / "kokoro.pt")
    print(f"{len(weights)} tensors, {sum(tensor.numel() for tensor in weights.values()) / 1e6:.1f} M parameters")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["pack", "unpack"])
    parser.add_argument("--cache", type=Path, required=True, help="folder of kokoro.pt")
    parser.add_argument("--out", type=Path, help="folder for the parts")
    parser.add_argument("--parts", type=int, default=2)
    parser.add_argument("--parts-in", type=Path, help="folder of the parts")
    options = parser.parse_args()
    if options.command == "pack":
        pack(options.cache, options.out, options.parts)
    else:
        unpack(options.parts_in, options.cache)
