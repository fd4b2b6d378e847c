"""Fill a case folder with its weights: `python materialise.py CASE_DIR OUT_DIR` (numpy and safetensors only).

OUT_DIR/magpie.nemo, codec.nemo   the official archives: an uncompressed tar of model_config.yaml, model_weights.ckpt
                                  (a torch zip pickle, written here byte by byte) and the tokenizers' files
OUT_DIR/folder/                   the same as plain files: config.json (the YAML as JSON, with a model_type), text/,
                                  model.safetensors, codec/; tensor names and layouts as in the archives

Every tensor is sampled from a generator seeded by (case seed, crc32(tensor name)), so the weights need not be stored:
the manifest (names, shapes, the few integer tensors) and the seed are enough, in any framework.
"""

import io
import json
import shutil
import sys
import tarfile
import zlib
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

sys.path.append(str(Path(__file__).resolve().parents[1]))
from torch_archive import tensors_of, torch_zip


def tensor(name: str, shape: list[int], manifest: dict) -> np.ndarray:
    """A random tensor of a network that does not fall asleep: peaked attention, codes that change all the time."""
    rng = np.random.default_rng([manifest["seed"], zlib.crc32(name.encode())])
    leaf = name.rsplit(".", 1)[-1]
    fan_in = int(np.prod(shape[1:])) if len(shape) > 1 else 1
    if leaf == "causal_mask":
        x = np.tril(np.ones(shape))
    elif leaf == "alpha":  # of the snake activation
        x = rng.uniform(0.5, 1.5, shape)
    elif leaf == "original0":  # a convolution's norms, one for each of its rows
        x = rng.uniform(0.8, 1.2, shape) * _gain(name, manifest)
    elif leaf == "bias":
        x = rng.normal(0, 0.05, shape)
        if name.startswith(("final_proj", "local_transformer_out_projections")):
            vocabulary = manifest["codebook_size"] + 8
            x.reshape(-1, vocabulary)[:, manifest["codebook_size"] + 1] += manifest["eos_bias"]
    elif "norm" in name and len(shape) == 1:
        x = 1 + rng.normal(0, 0.1, shape)
        if name == "decoder.norm_out.weight":  # the heads and the local transformer listen to the decoder
            x *= 3
    elif name.startswith("audio_embeddings"):
        x = rng.normal(0, 2, shape)
        x[manifest["codebook_size"] + 4] *= 0.2  # MASK: what is known outweighs what is not
    elif "embedding" in name:
        x = rng.normal(0, 1, shape)
    elif "cross_attention.q_net" in name or "cross_attention.kv_net" in name:
        x = rng.normal(0, 1.5, shape) / np.sqrt(fan_in)
    elif "qkv_net" in name:
        x = rng.normal(0, 1.3, shape) / np.sqrt(fan_in)
    else:
        x = rng.normal(0, 1, shape) / np.sqrt(fan_in)
    return x.astype(np.float32)


def _gain(name: str, manifest: dict) -> float:
    """The norm that keeps the codec's activations near one."""
    if "up_sample_conv_layers" in name:
        return float(
            np.sqrt(manifest["up_sample_rates"][int(name.split("up_sample_conv_layers.")[1].split(".")[0])] / 2)
        )
    if name.startswith("audio_decoder.post_conv"):
        return 0.12
    if name.startswith("audio_encoder.pre_conv"):
        return 6.0
    if name.startswith("audio_encoder.post_conv"):
        return 2.5
    if "skip_conv" in name:
        return 0.5
    return 1.3 if name.startswith("audio_encoder") else 1.0


def write_nemo(path: Path, tensors: dict[str, np.ndarray], files: list[tuple[str, bytes]]) -> None:
    """A .nemo archive. files: (member, content) in order; a member may come twice, the last one counts."""
    with tarfile.open(path, "w:") as tar:
        folder = tarfile.TarInfo(".")
        folder.type, folder.mode = tarfile.DIRTYPE, 0o755
        tar.addfile(folder)
        for name, data in [*files, ("model_weights.ckpt", torch_zip(tensors, "model_weights", nested=False))]:
            member = tarfile.TarInfo(f"./{name}")
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))


def materialise(case: Path, out: Path) -> None:
    manifest = json.loads((case / "manifest.json").read_text())
    source, folder = case / "checkpoint", out / "folder"
    (folder / "codec").mkdir(parents=True, exist_ok=True)
    model, codec = tensors_of(manifest["model"], manifest, tensor), tensors_of(manifest["codec"], manifest, tensor)
    names = sorted(f.name for f in (source / "magpie").iterdir() if f.is_file())
    files = [(f.name, f.read_bytes()) for f in sorted((source / "superseded").glob("*"))]
    files += [(name, (source / "magpie" / name).read_bytes()) for name in names]
    write_nemo(out / "magpie.nemo", model, files)
    write_nemo(
        out / "codec.nemo", codec, [("model_config.yaml", (source / "codec" / "model_config.yaml").read_bytes())]
    )
    shutil.copyfile(source / "config.json", folder / "config.json")
    shutil.copyfile(source / "codec_config.json", folder / "codec" / "config.json")
    (folder / "text").mkdir(exist_ok=True)
    for name in names:
        if name != "model_config.yaml":
            shutil.copyfile(source / "magpie" / name, folder / "text" / name)
    save_file(model, folder / "model.safetensors", {"format": "pt"})
    save_file(codec, folder / "codec" / "model.safetensors", {"format": "pt"})


if __name__ == "__main__":
    target = Path(sys.argv[2])
    target.mkdir(parents=True, exist_ok=True)
    materialise(Path(sys.argv[1]), target)
