"""Give the shipped pair the decoder of another codec that finds the same codes; everything else stays to the bit.

    PYTHONPATH=../.. python new_decoder.py --converted CONVERTED [--out FOLDER]

CONVERTED is `mlx-tts convert` of export.py's --base-out, with the options of gate.py. The tensors `decoder.*` of its codec
take the place of those in mlx_tts/builtin, or in a copy of it at FOLDER. SystemExit where the books differ (then the codes
do, too, and the talker would have to learn them) or the tensors have other shapes.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import mlx_tts.runtime  # noqa: F401 (before MLX)

import mlx.core as mx  # isort: skip

from safetensors import safe_open
from ship import OWN, SHARED, same

BUILT_IN = Path(__file__).resolve().parents[2] / "mlx_tts" / "builtin"
CODEC, DECODER, BOOK = "speech_tokenizer", "decoder.", ".embedding_sum"


def replaced(path: Path, new: dict[str, mx.array]) -> int:
    """Put the decoder's tensors of `new` into a file; how many differ."""
    old = mx.load(str(path))
    for name, value in old.items():
        if name not in new or new[name].shape != value.shape or new[name].dtype != value.dtype:
            raise SystemExit(f"{path} has another {name}: convert with the options of gate.py")
        if name.startswith(DECODER) and name.endswith(BOOK) and not same(value, new[name]):
            raise SystemExit(f"{name} is another book: these codes are not those that the talker speaks")
    changed = {name: new[name] for name in old if name.startswith(DECODER) and not same(old[name], new[name])}
    with safe_open(str(path), framework="np") as file:
        metadata = file.metadata() or {}
    if changed:
        whole = {name: changed.get(name, value) for name, value in old.items()}
        mx.eval(*whole.values())
        mx.save_safetensors(str(path), whole, metadata)
    return len(changed)


def give(converted: Path, out: Path) -> None:
    new = mx.load(str(converted / CODEC / SHARED))
    for path in (out / "tiny" / CODEC / SHARED, out / "tiny-base" / CODEC / OWN):
        print(f"{path}: {replaced(path, new)} tensors are new")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--converted", type=Path, required=True)
    parser.add_argument("--out", type=Path, help="leave the package as it is, and write the pair here")
    options = parser.parse_args()
    if options.out:
        shutil.copytree(BUILT_IN, options.out)
    give(options.converted, options.out or BUILT_IN)
