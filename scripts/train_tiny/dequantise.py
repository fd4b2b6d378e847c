"""The shipped model as a plain float32 checkpoint, so that the official code can speak with exactly its weights.

    python dequantise.py --model ../../mlx_tts/builtin/tiny --encoder-from EXPORT --out PLAIN

Then `check_official.py --export PLAIN` writes the test data of the shipped model. The encoder, which `tiny` lacks, comes
from the export (the official classes do not load without one). `--model OUT/tiny-base --encoder-from EXPORT_BASE` is the
face that clones, before ship.py splits it.
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
        groups = numbers.view(*scales.shape, group_size).float()
        result[name] = (groups * scales[..., None] + biases[..., None]).flatten(-2)
    return result


def stored(folder):
    """All tensors of a folder: of its one file, or of those that its index names, as built-in models share them."""
    index = folder / "model.safetensors.index.json"
    if not index.exists():
        return load_file(folder / "model.safetensors")
    places = json.loads(index.read_text())["weight_map"]
    files = {name: load_file(folder / name) for name in set(places.values())}
    return {name: files[place][name] for name, place in places.items()}


def plain(folder):
    """The tensors of a converted model (or of an export) and of its codec, as float; and its config."""
    config = json.loads((folder / "config.json").read_text())
    quantised = config.get("quantization", {"bits": 8, "group_size": 64})
    parts = (stored(folder / part) for part in ("", "speech_tokenizer"))
    return *(dequantised(tensors, quantised["bits"], quantised["group_size"]) for tensors in parts), config


def laid_out(value, shape):
    """A tensor of the package in the official layout: its convolutions have channels last, or none of one step."""
    if value.shape != shape and value.ndim == 3:
        value = value.transpose(1, 2)
    return value.reshape(shape).float().contiguous()


def replace(path, tensors):
    """The export's file with these tensors in the place of its own."""
    official = load_file(path)
    if strangers := sorted(set(tensors) - set(official)):
        raise SystemExit(f"{path} has no {strangers[0]}: give the export that the model was made from")
    found = {name: laid_out(tensors.get(name, value), value.shape) for name, value in official.items()}
    save_file(found, path, {"format": "pt"})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, type=Path, help="folder written by `mlx-tts convert`, 4 or 8 bits")
    parser.add_argument("--encoder-from", required=True, type=Path, help="folder written by export.py")
    parser.add_argument("--out", required=True, type=Path)
    options = parser.parse_args()
    shutil.copytree(options.encoder_from, options.out, dirs_exist_ok=True)
    talker, codec, _ = plain(options.model)
    replace(options.out / "model.safetensors", talker)
    replace(options.out / "speech_tokenizer" / "model.safetensors", codec)
