"""The shipped model as a plain float32 checkpoint, so that the official code can speak with exactly its weights.

    python dequantise.py --model ../../mlx_tts/builtin/tiny --encoder-from EXPORT --out PLAIN

Then `check_official.py --export PLAIN` writes the test data of the shipped model. The encoder, which is not shipped,
comes from the export (the official classes do not load without one).
"""

import argparse
import json
import shutil
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file


def dequantised(tensors, bits, group_size):
    """MLX's affine packing: `32 / bits` whole numbers a word, the lowest bits first; a scale and a bias a group."""
    result = {name: value.float() for name, value in tensors.items() if value.dtype != torch.uint32}
    shifts = torch.arange(0, 32, bits)
    for name, packed in tensors.items():
        if packed.dtype != torch.uint32:
            continue
        stem = name.removesuffix(".weight")
        numbers = (packed.to(torch.int64)[..., None] >> shifts) & (2**bits - 1)
        scales, biases = result.pop(f"{stem}.scales"), result.pop(f"{stem}.biases")
        groups = numbers.view(len(packed), -1, group_size).float()
        result[name] = (groups * scales[..., None] + biases[..., None]).flatten(1)
    return result


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, type=Path, help="folder written by `mlx-tts convert`, 4 or 8 bits")
    parser.add_argument("--encoder-from", required=True, type=Path, help="folder written by export.py")
    parser.add_argument("--out", required=True, type=Path)
    options = parser.parse_args()
    shutil.copytree(options.encoder_from, options.out, dirs_exist_ok=True)
    config = json.loads((options.model / "config.json").read_text())
    quantisation = config["quantization"]
    talker = load_file(options.model / "model.safetensors")
    plain = dequantised(talker, quantisation["bits"], quantisation["group_size"])
    save_file(
        {name: value.contiguous() for name, value in plain.items()}, options.out / "model.safetensors", {"format": "pt"}
    )
    codec = load_file(options.out / "speech_tokenizer" / "model.safetensors")
    codec |= load_file(options.model / "speech_tokenizer" / "model.safetensors")
    save_file(
        {name: value.float().contiguous() for name, value in codec.items()},
        options.out / "speech_tokenizer" / "model.safetensors",
        {"format": "pt"},
    )
