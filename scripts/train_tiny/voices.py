"""Kokoro's voice styles as one float16 file for a transfer, and back to NAME.bin.

python voices.py pack --source VOICES --out voices.npz        python voices.py unpack --source voices.npz --out VOICES
"""

import argparse
from pathlib import Path

import numpy as np

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["pack", "unpack"])
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    if options.command == "pack":
        styles = {
            path.stem: np.fromfile(path, "<f4").astype(np.float16) for path in sorted(options.source.glob("*.bin"))
        }
        np.savez_compressed(options.out, **styles)
    else:
        options.out.mkdir(parents=True, exist_ok=True)
        for name, style in np.load(options.source).items():
            style.astype("<f4").tofile(options.out / f"{name}.bin")
