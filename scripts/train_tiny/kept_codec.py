"""Give a pair whose talker alone was trained the shipped codec, to the bit: quantising it once more would only add noise.

    PYTHONPATH=../.. python kept_codec.py --judged OUT

OUT holds `tiny` and `tiny-base` of `mlx-tts convert`. Their codecs become those of mlx_tts/builtin. SystemExit where the
shipped codec has other tensors: then the codec was trained too, and this is not for it.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import mlx_tts.runtime  # noqa: F401 (before MLX)

import mlx.core as mx  # isort: skip

from mlx_tts.checkpoints.tensors import open_tensors

BUILT_IN = Path(__file__).resolve().parents[2] / "mlx_tts" / "builtin"
CODEC = "speech_tokenizer"


def shapes(tensors: dict[str, mx.array]) -> dict[str, tuple[int, ...]]:
    return {name: tuple(value.shape) for name, value in tensors.items()}


def keep(judged: Path) -> None:
    for name in ("tiny", "tiny-base"):
        shipped, path = open_tensors(BUILT_IN / name / CODEC), judged / name / CODEC / "model.safetensors"
        if shapes(mx.load(str(path))) != shapes(shipped.tensors):
            raise SystemExit(f"{path} is another codec than the shipped one: leave it as it is")
        if (BUILT_IN / name / CODEC / path.name).exists():
            shutil.copy(BUILT_IN / name / CODEC / path.name, path)
        else:
            mx.save_safetensors(str(path), dict(shipped.tensors), shipped.metadata)
        shutil.copy(BUILT_IN / name / CODEC / "config.json", path.parent)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judged", type=Path, required=True)
    keep(parser.parse_args().judged)
