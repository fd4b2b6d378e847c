"""Lay out both faces of the small model as the package holds them: what they share is stored once.

    python ship.py --tiny JUDGED/tiny --base JUDGED/tiny-base --out ../../mlx_tts/builtin

Both come from `mlx-tts convert` with the same options. OUT/tiny is a copy; OUT/tiny-base has what is its own, and an
index that names the rest in OUT/tiny (`mlx_tts/checkpoints/shard_index.py` allows that to built-in models alone).
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import mlx_tts.runtime  # noqa: F401 (before MLX: it loads a fast BLAS, which gate.py's times need)

import mlx.core as mx  # isort: skip
import numpy as np
from safetensors import safe_open

SHARED, OWN, INDEX = "model.safetensors", "model-own.safetensors", "model.safetensors.index.json"
PARTS = ("", "speech_tokenizer")  # folders with weights


def split(shared: Path, whole: Path, out: Path, between: str) -> tuple[int, int]:
    """Tensors of `whole` that `shared` holds, too, and those of its own, which go to `out`. between: out to shared.

    SystemExit where a tensor that both hold differs, or `shared` holds one that `whole` lacks.
    """
    first, second = mx.load(str(shared / SHARED)), mx.load(str(whole / SHARED))
    strangers = [name for name in first if name not in second or not same(first[name], second[name])]
    if strangers:
        raise SystemExit(f"{whole} does not share {strangers[0]} with {shared}: convert both from one training")
    own = {name: value for name, value in second.items() if name not in first}
    with safe_open(str(whole / SHARED), framework="np") as file:
        mx.save_safetensors(str(out / OWN), own, file.metadata() or {})
    files = dict.fromkeys(first, between + SHARED) | dict.fromkeys(own, OWN)
    (out / INDEX).write_text(json.dumps({"weight_map": dict(sorted(files.items()))}, indent=1) + "\n")
    return len(first), len(own)


def same(first: mx.array, second: mx.array) -> bool:
    """Whether two tensors are equal to the bit."""
    if first.dtype != second.dtype or first.shape != second.shape:
        return False
    bits = {1: mx.uint8, 2: mx.uint16, 4: mx.uint32}[first.dtype.size]  # NaN equals NaN
    return bool(np.array_equal(np.array(first.view(bits)), np.array(second.view(bits))))


def size_of(folder: Path) -> int:
    """Bytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def replace_folder(source: Path, target: Path, *left_out: str) -> None:
    """A copy of `source` without files of these names, where `target` was."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target, ignore=shutil.ignore_patterns(*left_out))


def ship(tiny: Path, base: Path, out: Path) -> None:
    """Write OUT/tiny and OUT/tiny-base anew."""
    replace_folder(tiny, out / "tiny")
    replace_folder(base, out / "tiny-base", SHARED)
    for part in PARTS:
        up = "../" * len(Path(base.name, part).parts)
        shared, own = split(tiny / part, base / part, out / "tiny-base" / part, f"{up}tiny/{part}{'/' if part else ''}")
        print(f"{part or 'model'}: {shared} tensors shared, {own} of tiny-base alone")
    for name in ("tiny", "tiny-base"):
        print(f"{name}: {size_of(out / name) / 1e6:.1f} MB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tiny", required=True, type=Path)
    parser.add_argument("--base", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    options = parser.parse_args()
    ship(options.tiny, options.base, options.out)
