"""The built-in models with plain weights, as the official code spoke with them; and how 8-bit products may differ."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import mlx.core as mx
import numpy as np

from tests.helpers.paths import BUILT_IN

SAME_SHARE = 0.75


def dequantised(name: str, folder: Path) -> Path:
    """A copy of a built-in model in `folder` whose talker (and speaker encoder) has plain float32 weights."""
    out = folder / f"plain-{name}"
    shutil.copytree(BUILT_IN / name, out, ignore=shutil.ignore_patterns("model*.safetensors*"))
    for file in (BUILT_IN / name / "speech_tokenizer", BUILT_IN / "tiny" / "speech_tokenizer"):
        for source in file.glob("*.safetensors"):
            shutil.copy(source, out / "speech_tokenizer" / source.name)
    tensors: dict[str, mx.array] = {}
    for source in (BUILT_IN / name, BUILT_IN / "tiny"):
        for path in source.glob("*.safetensors"):
            found, metadata = mx.load(str(path), return_metadata=True)
            tensors |= found
    plain = {}
    for key, value in tensors.items():
        stem, _, part = key.rpartition(".")
        if part in ("scales", "biases") and f"{stem}.scales" in tensors:
            continue
        if f"{stem}.scales" in tensors and part == "weight":
            scales, biases = (tensors[f"{stem}.{other}"].astype(mx.float32) for other in ("scales", "biases"))
            value = mx.dequantize(value, scales, biases, 64, 8)
        plain[key] = value.astype(mx.float32)
    mx.save_safetensors(str(out / "model.safetensors"), plain, metadata)
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
