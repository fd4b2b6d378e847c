"""Fill a case folder with its weights: `python materialise.py CASE_DIR OUT_DIR` (numpy and safetensors only).

OUT_DIR is a checkpoint folder in the layout of the official repository:

    config.json
    kokoro-v1_0.pth       or another name that ends in .pth or .safetensors (manifest "model_file")
    voices/NAME.pt        or voices/NAME.safetensors, key `voice` (manifest "voice_suffix"): float32 [rows, 1, 256]

A .pth or .pt is a torch zip pickle, written here byte by byte: the model {"bert": OrderedDict, "bert_encoder": ...} with
`module.` before every name (manifest "prefix"), a voice one tensor. A .safetensors holds flat names, `bert.embeddings...`.

Every tensor is drawn from a generator seeded by (case seed, crc32(name)), so the weights need not be stored: the manifest
(names, shapes) and the seed are enough, in any framework. So is the noise of a request: see `noise`.
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


def generator(seed: int, name: str) -> np.random.Generator:
    return np.random.default_rng([seed, zlib.crc32(name.encode())])


def noise(seed: int, request: str, samples: int, harmonics: int = 9) -> np.ndarray:
    """The standard normal noise [samples, harmonics] of one request's sine generator."""
    return generator(seed, "noise/" + request).standard_normal((samples, harmonics)).astype(np.float32)


def tensor(name: str, shape: list[int], manifest: dict) -> np.ndarray:
    """A random tensor of a network that does not fall asleep."""
    rng = generator(manifest["seed"], name)
    leaf = name.rsplit(".", 1)[-1]
    fan_in = int(np.prod(shape[1:])) if len(shape) > 1 else 1
    gains = manifest["gains"]
    if name.startswith("voices/"):
        x = rng.normal(0, 0.3, shape) + rng.normal(0, 0.3, (1, 1, shape[-1]))
    elif leaf == "position_ids":
        return np.arange(shape[-1], dtype=np.int64).reshape(shape)
    elif ".alpha" in name:
        x = rng.uniform(0.5, 1.5, shape)
    elif leaf == "weight_g":  # a convolution's norms, one for each index of its first dimension
        x = rng.uniform(0.8, 1.2, shape)
        if ".generator.ups." in name:  # transposed: few taps meet one output
            x = x * np.sqrt(2 * shape[0] / manifest["ups_in"][int(name.split(".")[3])])
        if name.startswith("decoder.generator.conv_post"):
            x = x * gains["spectrum"]
        if ".convs2." in name:
            x = x * 0.5
    elif name == "decoder.generator.conv_post.bias":
        x = rng.normal(0, 0.1, shape)
        x[: shape[0] // 2] += gains["log_magnitude"]
    elif name == "predictor.duration_proj.linear_layer.bias":
        x = rng.normal(gains["duration_bias"], 1.5, shape)
    elif name == "predictor.duration_proj.linear_layer.weight":
        x = rng.normal(0, gains["duration"], shape) / np.sqrt(fan_in) + rng.normal(
            0, gains["duration"], (1, shape[1])
        ) / np.sqrt(fan_in)
    elif name == "predictor.F0_proj.weight":
        x = rng.normal(0, gains["pitch"], shape) / np.sqrt(fan_in)
    elif name == "predictor.F0_proj.bias":
        x = np.full(shape, gains["pitch_bias"])
    elif name == "decoder.F0_conv.weight_g" or name == "decoder.F0_conv.weight_v":
        x = rng.normal(0, 1, shape)
    elif name == "decoder.generator.m_source.l_linear.weight":
        x = rng.normal(0, 6, shape) / np.sqrt(fan_in)
    elif leaf in ("bias", "beta") or leaf.startswith("bias_"):
        x = rng.normal(0, 0.1, shape)
    elif ("norm" in name.lower() and len(shape) == 1) or leaf == "gamma":
        x = 1 + rng.normal(0, 0.1, shape)
    elif "embedding" in name and "mapping" not in name:
        x = rng.normal(0, 1, shape)
    elif ".weight_ih_l0" in name:
        x = rng.normal(0, 2.5, shape) / np.sqrt(fan_in)
    elif ".weight_hh_l0" in name:
        x = rng.normal(0, 1.2, shape) / np.sqrt(fan_in)
    elif "query" in name or "key" in name:
        x = rng.normal(0, 1.5, shape) / np.sqrt(fan_in)
    else:
        x = rng.normal(0, 1, shape) / np.sqrt(fan_in)
    if name == "decoder.F0_conv.weight_g":
        x = np.full(shape, 0.01)  # pitch in hertz enters here
    return x.astype(np.float32)


def tensors_of(manifest: dict) -> dict[str, np.ndarray]:
    return {name: tensor(name, shape, manifest) for name, shape in manifest["tensors"].items()}


STORAGES = {"float32": "FloatStorage", "int64": "LongStorage"}


def torch_zip(what: dict[str, dict[str, np.ndarray]] | np.ndarray) -> bytes:
    """What torch.save makes of a dictionary of OrderedDicts of tensors, or of one tensor: a stored zip of a protocol 2 pickle and storages."""
    arrays: list[np.ndarray] = []

    def text(s: str) -> bytes:
        return b"X" + struct.pack("<I", len(s.encode())) + s.encode()

    def number(n: int) -> bytes:
        return b"K" + bytes([n]) if 0 <= n < 256 else b"J" + struct.pack("<i", n)

    def numbers(values: tuple[int, ...]) -> bytes:
        return b"(" + b"".join(number(v) for v in values) + b"t"

    empty = b"ccollections\nOrderedDict\n)R"

    def one(array: np.ndarray) -> bytes:
        arrays.append(array)
        strides = tuple(s // array.itemsize for s in array.strides)
        storage = b"(" + text("storage") + b"ctorch\n" + STORAGES[array.dtype.name].encode() + b"\n"
        storage += text(str(len(arrays) - 1)) + text("cpu") + number(array.size) + b"tQ"
        return (
            b"ctorch._utils\n_rebuild_tensor_v2\n("
            + storage
            + number(0)
            + numbers(array.shape)
            + numbers(strides)
            + b"\x89"
            + empty
            + b"tR"
        )

    body = [b"\x80\x02"]
    if isinstance(what, np.ndarray):
        body += [one(what)]
    else:
        body += [b"}("]
        for part, tensors in what.items():
            body += [text(part), empty, b"("]
            for name, array in tensors.items():
                body += [text(name), one(array)]
            body += [b"u"]
        body += [b"u"]
    body += [b"."]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("archive/data.pkl", b"".join(body))
        archive.writestr("archive/byteorder", b"little")
        for index, array in enumerate(arrays):
            archive.writestr(f"archive/data/{index}", np.ascontiguousarray(array).tobytes())
        archive.writestr("archive/version", b"3\n")
    return buffer.getvalue()


def write_checkpoint(
    out: Path,
    tensors: dict[str, np.ndarray],
    voices: dict[str, np.ndarray],
    model_file: str,
    voice_suffix: str,
    prefix: str,
) -> None:
    (out / "voices").mkdir(parents=True, exist_ok=True)
    if model_file.endswith(".safetensors"):
        save_file(tensors, out / model_file, {"format": "pt"})
    else:
        parts: dict[str, dict[str, np.ndarray]] = {}
        for name, array in tensors.items():
            part, rest = name.split(".", 1)
            parts.setdefault(part, {})[prefix + rest] = array
        (out / model_file).write_bytes(torch_zip(parts))
    for name, pack in voices.items():
        path = out / "voices" / (name + voice_suffix)
        if voice_suffix == ".safetensors":
            save_file({"voice": pack}, path)
        else:
            path.write_bytes(torch_zip(pack))


def materialise(case: Path, out: Path) -> None:
    manifest = json.loads((case / "manifest.json").read_text())
    out.mkdir(parents=True, exist_ok=True)
    shutil.copytree(case / "checkpoint", out, dirs_exist_ok=True)
    voices = {name: tensor("voices/" + name, manifest["voice_shape"], manifest) for name in manifest["voices"]}
    write_checkpoint(
        out, tensors_of(manifest), voices, manifest["model_file"], manifest["voice_suffix"], manifest["prefix"]
    )


if __name__ == "__main__":
    materialise(Path(sys.argv[1]), Path(sys.argv[2]))
