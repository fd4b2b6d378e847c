"""Fill a case folder with its weights: `python materialise.py CASE_DIR OUT_DIR` (numpy and safetensors only).

OUT_DIR is a checkpoint folder in the official layout: config.json, tokenizer files, and

    model.safetensors     or pytorch_model.bin (manifest "model_file"): the network, tensor names as released
    audiovae.pth          or audiovae.safetensors (manifest "vae_file"): the codec, always float32

A .pth or .bin is a torch zip pickle, written here byte by byte; both hold {"state_dict": OrderedDict}, as VoxCPM2's audiovae.pth.

Every tensor is sampled from a generator seeded by (case seed, crc32(tensor name)), so the weights need not be stored:
the manifest (names, shapes, the few integer tensors) and the seed are enough, in any framework.
"""

import json
import shutil
import sys
import zlib
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

sys.path.append(str(Path(__file__).resolve().parents[1]))
from torch_archive import tensors_of, torch_zip


def tensor(name: str, shape: list[int], manifest: dict) -> np.ndarray:
    """A random tensor of a network that does not fall asleep: peaked attention, patches that differ from each other."""
    rng = np.random.default_rng([manifest["seed"], zlib.crc32(name.encode())])
    leaf = name.rsplit(".", 1)[-1]
    fan_in = int(np.prod(shape[1:])) if len(shape) > 1 else 1
    if leaf == "alpha":  # of the snake activation
        x = rng.uniform(0.5, 1.5, shape)
    elif leaf == "weight_g":  # a convolution's norms, one for each index of its first dimension
        x = rng.uniform(0.8, 1.2, shape) * _gain(name, manifest)
    elif "scale_embed" in name:
        x = 1 + rng.normal(0, 0.3, shape)
    elif "bias_embed" in name or "cond_embed" in name:
        x = rng.normal(0, 0.3, shape)
    elif leaf == "bias":
        x = rng.normal(0, 0.05, shape)
    elif "norm" in name and len(shape) == 1:
        x = 1 + rng.normal(0, 0.1, shape)
    elif "embed_tokens" in name:
        x = rng.normal(0, 1, shape) / manifest["embedding_scale"]
    elif "special_token" in name:
        x = rng.normal(0, 1, shape)
    elif "q_proj" in name or "k_proj" in name:
        x = rng.normal(0, 1.3, shape) / np.sqrt(fan_in)
    elif name == "stop_head.weight":
        x = rng.normal(0, 1, shape) / np.sqrt(fan_in)
        x[0] += manifest["stop_bias"] / fan_in
    elif name == "feat_decoder.estimator.out_proj.weight":
        x = rng.normal(0, manifest["velocity"], shape) / np.sqrt(fan_in)
    else:
        x = rng.normal(0, 1, shape) / np.sqrt(fan_in)
    return x.astype(np.float32)


def _gain(name: str, manifest: dict) -> float:
    """The norm that keeps the codec's activations near one."""
    parts = name.split(".")
    if parts[0] == "decoder" and len(parts) == 6 and parts[4] == "1":  # decoder.model.N.block.1.weight_g: transposed
        first = manifest["decoder_blocks_from"]
        return float(np.sqrt(manifest["decoder_rates"][int(parts[2]) - first] / 2))
    if name == "encoder.block.0.weight_g":
        return 6.0
    if name.startswith("encoder.fc_"):
        return manifest["latent_gain"]
    if name == manifest["last_convolution"]:
        return manifest["wave_gain"]
    if "block" in parts[4:] and parts[-2] == "3":  # the last convolution of a residual unit
        return 0.3
    return 1.0


def materialise(case: Path, out: Path) -> None:
    manifest = json.loads((case / "manifest.json").read_text())
    out.mkdir(parents=True, exist_ok=True)
    shutil.copytree(case / "checkpoint", out, dirs_exist_ok=True)
    for part, key in (("model", "model_file"), ("codec", "vae_file")):
        tensors = tensors_of(manifest[part], manifest, tensor)
        path = out / manifest[key]
        if path.suffix == ".safetensors":
            save_file(tensors, path, {"format": "pt"})
        else:
            path.write_bytes(torch_zip(tensors, "archive", nested=True))


if __name__ == "__main__":
    materialise(Path(sys.argv[1]), Path(sys.argv[2]))
