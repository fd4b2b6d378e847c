"""The official VoxCPM as a program: lines of JSON in, a line of JSON for each out. For `voxcpm_against_official.py`.

python voxcpm_program.py make FOLDER SHAPE DEVICE               a random checkpoint of a released shape
python voxcpm_program.py speak FOLDER DEVICE FORM PATCHES THREADS   FORM: eager, compiled; a line of JSON, speech

Runs in an environment of its own with torch, transformers and voxcpm 2.0.3; nothing of mlx_tts is imported.
"""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

os.environ["TQDM_DISABLE"] = "1"

import numpy as np
from answering import forget_peak, peak_bytes
from stand_ins import stand_in
from voxcpm_shapes import SHAPES, TEXT, config

ORACLE = Path(__file__).parents[1] / "scripts" / "oracle" / "voxcpm2"
# Packages that voxcpm imports and that speaking without a recording does not use.
UNUSED = ("librosa", "torchaudio", "soundfile", "modelscope", "funasr", "wetext", "inflect")


def official():  # type: ignore[no-untyped-def]
    """The official package's two modules, and the packages that something empty stands in for."""
    stood_in = stand_in(UNUSED, ORACLE)
    from voxcpm.model import voxcpm as first
    from voxcpm.model import voxcpm2 as second

    return first, second, stood_in


def make(folder: Path, shape: str, device: str) -> None:
    """Names and shapes are those of the official modules, numbers are random: bfloat16, and float32 for the codec."""
    import torch
    from safetensors.torch import save_file

    first, second, _ = official()
    import make_tokenizer
    import materialise

    dtype = "float32" if device == "cpu" else "bfloat16"
    entries = config(SHAPES[shape], dtype)
    folder.mkdir(parents=True, exist_ok=True)
    make_tokenizer.build(folder)
    is_second = SHAPES[shape]["architecture"] == "voxcpm2"
    with torch.device("meta"), no_cache(first.VoxCPMModel, second.VoxCPM2Model):
        if is_second:
            codec: Any = second.AudioVAEV2(second.AudioVAEConfigV2(**entries["audio_vae_config"]))
            model: Any = second.VoxCPM2Model(second.VoxCPMConfig(**entries), Words(), codec, device="cpu")
        else:
            codec = first.AudioVAE(first.AudioVAEConfig(**entries["audio_vae_config"]))
            model = first.VoxCPMModel(first.VoxCPMConfig(**entries), Words(), codec, device="cpu")
    generator = torch.Generator(device).manual_seed(1)
    tensors = {}
    for name, value in model.state_dict().items():
        if name.startswith("audio_vae."):
            continue
        if "norm" in name and value.ndim == 1:
            values = torch.ones(value.shape, device=device)
        else:
            values = torch.randn(value.shape, generator=generator, device=device)
            values *= 0.02 if name.endswith("bias") else value.shape[-1] ** -0.5
        if name == "stop_head.weight":
            values[1] = values[0]  # on equal logits speech goes on, so the limit ends it in both programs
        tensors[name] = values.to(torch.bfloat16).cpu()
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    blocks = [name for name in codec.state_dict() if name.startswith("decoder.model.")]
    places = [int(name.split(".")[2]) for name in blocks]
    manifest = {
        "seed": 1,
        "latent_gain": 0.7,
        "wave_gain": 0.02,
        "decoder_rates": entries["audio_vae_config"]["decoder_rates"],
    }
    manifest |= {"last_convolution": f"decoder.model.{max(places)}.weight_g"}
    manifest |= {"decoder_blocks_from": min(int(name.split(".")[2]) for name in blocks if ".block." in name)}
    sound = {}
    for name, value in codec.state_dict().items():
        if value.is_floating_point():
            sound[name] = torch.from_numpy(materialise.tensor(name, list(value.shape), manifest))
        else:
            sound[name] = torch.tensor(entries["audio_vae_config"]["sr_bin_boundaries"], dtype=value.dtype)
    torch.save({"state_dict": sound}, folder / "audiovae.pth")
    (folder / "config.json").write_text(json.dumps(entries, indent=1))  # last: now the folder is whole


class Words:
    """In the place of the tokenizer while only the shapes are wanted."""

    vocab: dict[str, int] = {}  # noqa: RUF012 (never written to)


@contextmanager
def no_cache(*kinds: Any):  # type: ignore[no-untyped-def]
    """Modules without their caches, which would be filled with zeros."""
    from voxcpm.modules.minicpm4 import MiniCPMModel

    own, MiniCPMModel.setup_cache = MiniCPMModel.setup_cache, lambda *_, **__: None
    try:
        yield kinds
    finally:
        MiniCPMModel.setup_cache = own


@contextmanager
def same_noise(seed: int | None):  # type: ignore[no-untyped-def]
    """Noise that the other program has too: patch n's from the generator of (seed, n)."""
    import torch

    if seed is None:
        yield
        return
    own, count = torch.randn, iter(range(1 << 30))

    def seeded(shape: Any, **options: Any) -> Any:
        rng = np.random.default_rng([seed, next(count)])
        return torch.from_numpy(rng.standard_normal(tuple(shape)[1:]).astype(np.float32))[None].to(**options)

    torch.randn = seeded
    try:
        yield
    finally:
        torch.randn = own


def load(folder: Path, device: str, compiled: bool):  # type: ignore[no-untyped-def]
    """As released; but modules are not filled with numbers before the file's replace them, which takes long."""
    import torch
    from voxcpm.core import VoxCPM

    kept = {name: getattr(torch.nn.init, name) for name in ("kaiming_uniform_", "uniform_", "normal_")}
    for name in kept:
        setattr(torch.nn.init, name, lambda value, *_, **__: value)
    try:
        return VoxCPM(str(folder), None, enable_denoiser=False, optimize=compiled, device=device)
    finally:
        for name, own in kept.items():
            setattr(torch.nn.init, name, own)


def speak(folder: Path, device: str, form: str, patches: int, threads: int) -> None:
    import torch

    _, _, stood_in = official()
    torch.set_num_threads(threads)
    cuda = device.startswith("cuda")
    with redirect_stdout(sys.stderr):
        began = time.perf_counter()
        tts = load(folder, device, form == "compiled")
        for streamed in (False, True):
            say(tts, streamed, patches if cuda else 2)
    weights = sum(value.nbytes for value in tts.tts_model.parameters())
    named = torch.cuda.get_device_name() if cuda else "CPU"
    is_compiled = hasattr(tts.tts_model, "_feat_encoder_raw")
    ready = {"ready": f"torch {torch.__version__}", "device": named, "stood_in": sorted(stood_in)}
    ready |= {"compiled": is_compiled, "weights": weights, "seconds": time.perf_counter() - began}
    print(json.dumps(ready), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        torch.cuda.reset_peak_memory_stats() if cuda else forget_peak()
        with redirect_stdout(sys.stderr), same_noise(asked.get("noise")):
            answer = say(tts, asked["streamed"], asked["patches"], asked.get("save"))
        answer["peak"] = torch.cuda.max_memory_allocated() if cuda else peak_bytes()
        answer["held"] = torch.cuda.max_memory_reserved() if cuda else peak_bytes()
        print(json.dumps(answer), flush=True)


def say(tts: Any, streamed: bool, patches: int, save: str | None = None) -> dict[str, Any]:
    """So many patches of TEXT: 10 steps, guidance 2."""
    settings = {"min_len": patches, "max_len": patches, "cfg_value": 2.0, "inference_timesteps": 10}
    began, worked, first, parts = time.perf_counter(), time.process_time(), 0.0, []
    for chunk in tts.generate_streaming(TEXT, **settings) if streamed else [tts.generate(TEXT, **settings)]:
        first = first or time.perf_counter() - began
        parts.append(chunk)
    seconds, worked = time.perf_counter() - began, time.process_time() - worked
    sound = np.concatenate(parts)
    if save:
        np.save(save, sound)
    return {"seconds": seconds, "worked": worked, "first": first, "samples": len(sound)}


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]), sys.argv[3], sys.argv[4])
    else:
        speak(Path(sys.argv[2]), sys.argv[3], sys.argv[4], int(sys.argv[5]), int(sys.argv[6]))
