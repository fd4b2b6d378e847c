"""Goldens of the real weights: `python make_real.py CHECKPOINT [--verify]`, CHECKPOINT made by real_weights.py. Environment: as make_case.py.

real_requests.json -> real_golden.npz: for each request R/ids, R/row, R/lengths (before rounding), R/durations, R/F0, R/N (float32), R/samples,
R/wav (float16, every `STRIDE`-th sample) and R/level (root mean square of each 600 samples); noise: materialise.noise(SEED, R, samples).
"""

import argparse
import json
from pathlib import Path

import numpy as np
import torch

import make_case

HERE, SEED, STRIDE = Path(__file__).resolve().parent, 82, 2
KEEP = ("ids", "row", "lengths", "durations", "F0", "N")


def golden(folder: Path) -> dict[str, np.ndarray]:
    vars(make_case.istftnet)["Decoder"] = make_case.kmodel.Decoder  # the official widths
    model, out = make_case.load(folder, "kokoro-v1_0.pth"), {}
    for r in json.loads((HERE / "real_requests.json").read_text()):
        note, figures = make_case.speak(model, make_case.load_voice(folder, r["voice"], ".pt"), r, SEED)
        print({k: round(v, 5) if isinstance(v, float) else v for k, v in figures.items()})
        out |= {f"{r['name']}/{k}": note[k] for k in KEEP}
        out[f"{r['name']}/samples"], out[f"{r['name']}/wav"] = (
            np.int32(len(note["wav"])),
            note["wav"][::STRIDE].astype(np.float16),
        )
        out[f"{r['name']}/level"] = np.sqrt(np.square(note["wav"].reshape(-1, 600)).mean(1))
    return out


if __name__ == "__main__":
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("checkpoint", type=Path)
    ap.add_argument("--verify", action="store_true")
    args = ap.parse_args()
    torch.set_num_threads(2)
    made = golden(args.checkpoint)
    if args.verify:
        stored = np.load(HERE / "real_golden.npz")
        print({k: float(np.abs(stored[k].astype(np.float64) - made[k]).max()) for k in stored.files})
    else:
        np.savez_compressed(HERE / "real_golden.npz", **made)
