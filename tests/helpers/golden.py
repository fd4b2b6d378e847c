"""The built-in models with plain weights, as the official code spoke with them; and how 8-bit products may differ."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import mlx.core as mx
import numpy as np

from mlx_tts.checkpoints.tensors import open_tensors
from tests.helpers.paths import BUILT_IN

SAME_SHARE = 0.6  # of the built-in pair: 20 of 24 speeches, and 5 of 8 of clones, are the same


def dequantised(name: str, folder: Path) -> Path:
    """A copy of a built-in model in `folder` whose talker (and speaker encoder) has plain float32 weights."""
    out = folder / f"plain-{name}"
    shutil.copytree(BUILT_IN / name, out, ignore=shutil.ignore_patterns("model*.safetensors*"))
    codec = open_tensors(BUILT_IN / name / "speech_tokenizer")
    mx.save_safetensors(str(out / "speech_tokenizer" / "model.safetensors"), codec.tensors, codec.metadata)
    found = open_tensors(BUILT_IN / name)
    plain = {}
    for key, value in found.tensors.items():
        stem, _, part = key.rpartition(".")
        if f"{stem}.scales" in found.tensors and part in ("scales", "biases"):
            continue
        if f"{stem}.scales" in found.tensors and part == "weight":
            scales, biases = (found.tensors[f"{stem}.{other}"].astype(mx.float32) for other in ("scales", "biases"))
            value = mx.dequantize(value, scales, biases, 64, 8)
        plain[key] = value.astype(mx.float32)
    mx.save_safetensors(str(out / "model.safetensors"), plain, found.metadata)
    config = json.loads((out / "config.json").read_text())
    config = {key: value for key, value in config.items() if not key.startswith("quantization")}
    (out / "config.json").write_text(json.dumps(config))
    return out


def mostly_the_same(pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> None:
    """(8-bit codes, those of plain weights): sums of 8-bit products round otherwise, so a choice between two nearly
    equal codes may fall the other way, and what follows differs. First frames and most speeches are the same."""
    for codes, wanted in pairs:
        np.testing.assert_array_equal(codes[0], wanted[0])
    same = sum(np.array_equal(codes, wanted) for codes, wanted in pairs)
    assert same >= SAME_SHARE * len(pairs), f"{same} of {len(pairs)}"
