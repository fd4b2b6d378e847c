"""Fill a case folder with its weights: `python materialise.py CASE_DIR OUT_DIR` (numpy and safetensors only).

OUT_DIR is a checkpoint folder in the official layout: config.json, tokenizer files, and

    model.safetensors     or pytorch_model.bin (manifest "model_file"): the network, tensor names as released
    audiovae.pth          or audiovae.safetensors (manifest "vae_file"): the codec, always float32

A .pth or .bin is a torch zip pickle, written here byte by byte; both hold {"state_dict": OrderedDict}, as VoxCPM2's audiovae.pth.

Every tensor is drawn from a generator seeded by (case seed, crc32(tensor name)), so the weights need not be stored:
the manifest (names, shapes, the few integer tensors) and the seed are enough, in any framework.
"""

import io
import json
import shutil
import struct
import sys
import zipfile
import zlib
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file


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


def tensors_of(part: dict, manifest: dict) -> dict[str, np.ndarray]:
    """All tensors of the network or of the codec, in the order of the official state dictionary."""
    out = {}
    for name, entry in part.items():
        if isinstance(entry, dict):  # an integer tensor, stored whole
            out[name] = np.array(entry["values"], dtype=entry["dtype"]).reshape(entry["shape"])
        else:
            out[name] = tensor(name, entry, manifest)
    return out


STORAGES = {"float32": "FloatStorage", "int64": "LongStorage", "int32": "IntStorage"}


def torch_zip(tensors: dict[str, np.ndarray]) -> bytes:
    """What torch.save makes of {"state_dict": OrderedDict of tensors}: a stored zip of a protocol 2 pickle and raw storages."""

    def text(s: str) -> bytes:
        return b"X" + struct.pack("<I", len(s.encode())) + s.encode()

    def number(n: int) -> bytes:
        return b"K" + bytes([n]) if 0 <= n < 256 else b"J" + struct.pack("<i", n)

    def numbers(values: tuple[int, ...]) -> bytes:
        return b"(" + b"".join(number(v) for v in values) + b"t"

    empty = b"ccollections\nOrderedDict\n)R"
    body = [b"\x80\x02", b"}", text("state_dict"), empty, b"("]
    for index, (name, array) in enumerate(tensors.items()):
        strides = tuple(s // array.itemsize for s in array.strides)
        storage = b"(" + text("storage") + b"ctorch\n" + STORAGES[array.dtype.name].encode() + b"\n"
        storage += text(str(index)) + text("cpu") + number(array.size) + b"tQ"
        arguments = storage + number(0) + numbers(array.shape) + numbers(strides) + b"\x89" + empty
        body += [text(name), b"ctorch._utils\n_rebuild_tensor_v2\n(", arguments, b"tR"]
    body += [b"u", b"s", b"."]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("archive/data.pkl", b"".join(body))
        archive.writestr("archive/byteorder", b"little")
        for index, array in enumerate(tensors.values()):
            archive.writestr(f"archive/data/{index}", array.tobytes())
        archive.writestr("archive/version", b"3\n")
    return buffer.getvalue()


def materialise(case: Path, out: Path) -> None:
    manifest = json.loads((case / "manifest.json").read_text())
    out.mkdir(parents=True, exist_ok=True)
    shutil.copytree(case / "checkpoint", out, dirs_exist_ok=True)
    for part, key in (("model", "model_file"), ("codec", "vae_file")):
        tensors = tensors_of(manifest[part], manifest)
        path = out / manifest[key]
        if path.suffix == ".safetensors":
            save_file(tensors, path, {"format": "pt"})
        else:
            path.write_bytes(torch_zip(tensors))


if __name__ == "__main__":
    materialise(Path(sys.argv[1]), Path(sys.argv[2]))
