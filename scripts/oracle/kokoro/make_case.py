"""Make one case: a small random Kokoro checkpoint in the official layout, and what the official code computes with it.

    python make_case.py CASE_DIR --shape plain           # a shape of shapes.json, or a JSON file of one; --seed overrides its seed
    python make_case.py CASE_DIR --verify                # run the official code again on the stored case, compare with its goldens

Needs, in an environment of its own (CPU): torch 2.13.0, transformers 5.23.0, numpy, safetensors, huggingface-hub, loguru, attrs, and
`pip install --no-deps kokoro==0.9.4` (misaki is not used). It downloads nothing.

The official `KModel` runs unchanged but for two things: (1) the widths 1024, 512 and 64 that its `Decoder` has as literals are replaced
by the shape's, so that a case is small; (2) `torch.randn_like` hands out the noise of `materialise.noise` for the sine generator.

golden.npz, for each request R; n ids (with both 0), T frames, h samples per half-frame, S = 2*T*h samples, F = S/hop + 1 spectral frames:
  R/ids [n], R/row []          ids, row of the voice pack;      R/style [256]
  R/bert [n, H]                PL-BERT;                         R/features [n, hidden + 128]: the predictor's text encoder with the style
  R/text [n, hidden]           text encoder;                    R/lengths [n]: sum of sigmoids / speed, before rounding;  R/durations [n]
  R/F0 [2T], R/N [2T]          curves at two values a frame
  R/encoded [*, 2T]            what the generator reads (channels, time);  R/source [S]: the excitation after tanh, every `stride`-th sample
  R/magnitude, R/phase [bins, first 40 spectral frames]         of the excitation
  R/post [bins*2, 40]          conv_post, spectral frames 20 to 60 (fewer if there are fewer): log magnitude, then what goes into sin
  R/wav [*], R/samples []      sound, every `stride`-th sample; its whole length
"""

import argparse
import inspect
import json
import re
import tempfile
import warnings
from pathlib import Path

warnings.filterwarnings("ignore")

import numpy as np
import torch

# `import kokoro` would import misaki too; the model alone does not need it
import importlib.machinery
import importlib.util
import sys
import types

_package = types.ModuleType("kokoro")
_package.__path__ = list(importlib.util.find_spec("kokoro").submodule_search_locations)
sys.modules["kokoro"] = _package
import kokoro.istftnet as istftnet
import kokoro.model as kmodel

from materialise import materialise, noise

kmodel.logger.disable("kokoro")
HERE = Path(__file__).resolve().parent
REAL_DECODER = inspect.getsource(istftnet.Decoder)
VOCABULARY = json.loads((HERE / "vocab.json").read_text())


def narrow(s: dict) -> None:
    """The official Decoder with the shape's widths for its literals."""
    source = REAL_DECODER
    for literal, value in (("1024", s["wide"]), ("512", s["initial"]), ("64", s["residual"])):
        source = re.sub(rf"\b{literal}\b", f"<{value}>", source)
    source = source.replace(f"Conv1d(<{s['initial']}>, <{s['residual']}>", f"Conv1d({s['hidden']}, {s['residual']}")
    exec(compile(source.replace("<", "").replace(">", ""), "decoder", "exec"), vars(istftnet))
    kmodel.Decoder = istftnet.Decoder


def config(s: dict) -> dict:
    return {
        "istftnet": {
            "upsample_kernel_sizes": s["kernels"],
            "upsample_rates": s["rates"],
            "gen_istft_hop_size": s["hop"],
            "gen_istft_n_fft": s["n_fft"],
            "resblock_dilation_sizes": s["dilations"],
            "resblock_kernel_sizes": s["res_kernels"],
            "upsample_initial_channel": s["initial"],
        },
        "dim_in": 64,
        "dropout": 0.2,
        "hidden_dim": s["hidden"],
        "max_conv_dim": 512,
        "max_dur": s["max_dur"],
        "multispeaker": True,
        "n_layer": s["layers"],
        "n_mels": 80,
        "n_token": s["vocab_rows"],
        "style_dim": 128,
        "text_encoder_kernel_size": s["text_kernel"],
        "plbert": s["plbert"],
        "vocab": VOCABULARY,
    }


def bare(c: dict) -> "kmodel.KModel":
    """The network with its initial weights: an empty file in the checkpoint's place."""
    with tempfile.TemporaryDirectory() as tmp:
        torch.save({}, Path(tmp) / "none.pth")
        return kmodel.KModel(repo_id="none", config=c, model=str(Path(tmp) / "none.pth")).eval()


def build(case: Path, s: dict) -> None:
    (case / "checkpoint").mkdir(parents=True, exist_ok=True)
    c = config(s)
    (case / "checkpoint" / "config.json").write_text(json.dumps(c, indent=1, ensure_ascii=False))
    shapes = {}
    for name, tensor in bare(c).state_dict().items():
        if ".norm.weight" in name or ".norm.bias" in name:
            continue  # InstanceNorm's affine parameters are not in the release: ones and zeros
        shapes[name] = list(tensor.shape)
        if name == "bert.embeddings.word_embeddings.weight":
            shapes["bert.embeddings.position_ids"] = [1, c["plbert"]["max_position_embeddings"]]
    # 510 phonemes drawn once: most of the vocabulary, a space here and there
    rng = np.random.default_rng(s["seed"])
    letters = [k for k in VOCABULARY if k != " "]
    requests = []
    for r in s["requests"]:
        if isinstance(r["phonemes"], int):
            drawn = [letters[i] for i in rng.integers(0, len(letters), r["phonemes"])]
            drawn[5::6] = [" "] * len(drawn[5::6])
            r = r | {"phonemes": "".join(drawn)}
        requests.append(r)
    (case / "requests.json").write_text("[\n" + ",\n".join(json.dumps(r, ensure_ascii=False) for r in requests) + "]\n")
    manifest = {
        k: s[k]
        for k in (
            "seed",
            "model_file",
            "voice_suffix",
            "prefix",
            "voices",
            "stride",
            "gains",
            "wide",
            "residual",
            "initial",
            "hidden",
        )
    }
    manifest["voice_shape"] = [510, 1, 256]
    manifest["ups_in"] = [2 * r for r in s["rates"]]
    text = (
        json.dumps(manifest, ensure_ascii=False)[:-1]
        + ',\n"tensors": {\n'
        + ",\n".join(f'"{k}": {json.dumps(v)}' for k, v in shapes.items())
        + "}}\n"
    )
    (case / "manifest.json").write_text(text)


def load(folder: Path, model_file: str) -> "kmodel.KModel":
    c = json.loads((folder / "config.json").read_text())
    if model_file.endswith(".pth"):
        model = kmodel.KModel(repo_id="none", config=c, model=str(folder / model_file)).eval()
    else:
        from safetensors.torch import load_file

        model = bare(c)
        missing, extra = model.load_state_dict(load_file(folder / model_file), strict=False)
        assert all(".norm." in m for m in missing) and all("position_ids" in e for e in extra), (missing, extra)
    return model


def load_voice(folder: Path, voice: str, suffix: str) -> torch.Tensor:
    packs = []
    for name in voice.split(","):
        path = folder / "voices" / (name + suffix)
        if suffix == ".pt":
            packs.append(torch.load(path, weights_only=True))
        else:
            from safetensors.torch import load_file

            packs.append(load_file(path)["voice"])
    return packs[0] if len(packs) == 1 else torch.stack(packs).mean(0)


def speak(model, pack: torch.Tensor, r: dict, seed: int) -> tuple[dict, dict]:
    """One request by the official code -> everything noted, and figures about its clear decisions."""
    seen: dict = {}
    handles = []

    def keep(key, module, pick=lambda args, out: out):
        handles.append(
            module.register_forward_hook(lambda m, args, out: seen.__setitem__(key, pick(args, out).detach().clone()))
        )

    g = model.decoder.generator
    keep("bert", model.bert)
    keep("features", model.predictor.text_encoder)
    keep("logits", model.predictor.duration_proj)
    keep("text", model.text_encoder)
    keep("encoded", g, lambda args, out: args[0])
    keep("F0", g, lambda args, out: args[2])
    keep("N", model.predictor.N_proj)
    keep("source", g.m_source, lambda args, out: out[0])
    keep("post", g.conv_post)
    transform, randn_like, rand, used = g.stft.transform, torch.randn_like, torch.rand, []

    def spectrum(x):
        seen["magnitude"], seen["phase"] = transform(x)
        return seen["magnitude"], seen["phase"]

    def draw(x, **options):
        if x.shape[-1] == 9 and not used:
            used.append(x.shape)
            return torch.from_numpy(noise(seed, r["name"], x.shape[1]))[None]
        return torch.zeros_like(x)  # the second draw (`noi_source`) is thrown away by the official code

    g.stft.transform, torch.randn_like = spectrum, draw
    try:
        torch.manual_seed(0)
        row = len(r["phonemes"]) - 1
        out = model(r["phonemes"], pack[row], r["speed"], return_output=True)
    finally:
        del g.stft.transform
        torch.randn_like = randn_like
        for h in handles:
            h.remove()
    ids = [0, *(model.vocab[p] for p in r["phonemes"] if p in model.vocab), 0]
    lengths = torch.sigmoid(seen["logits"]).sum(-1)[0] / r["speed"]
    a = {k: v[0].numpy() for k, v in seen.items()}
    note = {
        "ids": np.array(ids),
        "row": np.int32(row),
        "style": pack[row, 0].numpy(),
        "bert": a["bert"],
        "features": a["features"],
        "text": a["text"].T,
        "lengths": lengths.numpy(),
        "durations": np.atleast_1d(out.pred_dur.numpy()),
        "F0": a["F0"],
        "N": a["N"][0],
        "encoded": a["encoded"],
        "source": a["source"][:, 0],
        "magnitude": a["magnitude"],
        "phase": a["phase"],
        "post": a["post"],
        "wav": out.audio.numpy(),
    }
    stats = {
        "name": r["name"],
        "n": len(ids),
        "T": int(note["durations"].sum()),
        "round_margin": float((lengths - lengths.floor() - 0.5).abs().min()),
        "durations": note["durations"][:12].tolist(),
        "clamped": int((lengths < 0.5).sum()),
        "voiced": float((note["F0"] > 10).mean()),
        "F0_margin": float(np.abs(note["F0"] - 10).min()),
        "F0": [float(note["F0"].min()), float(note["F0"].mean()), float(note["F0"].max())],
        "source_std": float(note["source"].std()),
        "wav_std": float(note["wav"].std()),
        "wav_max": float(np.abs(note["wav"]).max()),
        "post_log": float(a["post"][: a["post"].shape[0] // 2].mean()),
        "minus_pi": int((np.abs(a["phase"][[0, -1]] + np.pi) < 1e-4).sum()),
    }
    return note, stats


def golden(case: Path) -> tuple[dict, list]:
    manifest = json.loads((case / "manifest.json").read_text())
    narrow(manifest)
    out, stats, stride = {}, [], manifest["stride"]
    with tempfile.TemporaryDirectory() as tmp:
        folder = Path(tmp)
        materialise(case, folder)
        model = load(folder, manifest["model_file"])
        for r in json.loads((case / "requests.json").read_text()):
            note, figures = speak(model, load_voice(folder, r["voice"], manifest["voice_suffix"]), r, manifest["seed"])
            stats.append(figures)
            note["samples"] = np.int32(len(note["wav"]))
            for key in ("source", "wav"):
                note[key] = note[key][::stride]
            note["magnitude"], note["phase"], note["post"] = (
                note["magnitude"][:, :40],
                note["phase"][:, :40],
                note["post"][:, 20:60],
            )
            if len(note["ids"]) > 100:  # the long one: every eighth row
                for key in ("bert", "features", "text"):
                    note[key] = note[key][::8]
                note["encoded"] = note["encoded"][:, ::16]
            out |= {f"{r['name']}/{k}": v for k, v in note.items()}
    return out, stats


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("case", type=Path)
    ap.add_argument("--shape", help="a shape of shapes.json, or a JSON file of one")
    ap.add_argument("--seed", type=int)
    ap.add_argument("--verify", action="store_true")
    args = ap.parse_args()
    torch.set_num_threads(1)
    if not args.verify:
        shapes = json.loads((HERE / "shapes.json").read_text())
        s = shapes[args.shape] if args.shape in shapes else json.loads(Path(args.shape).read_text())
        if args.seed is not None:
            s["seed"] = args.seed
        narrow(s)
        build(args.case, s)
    out, stats = golden(args.case)
    if args.verify:
        stored = np.load(args.case / "golden.npz")
        assert set(stored.files) == set(out), set(stored.files) ^ set(out)
        worst: dict = {}
        for k in stored.files:
            a, b = stored[k], np.asarray(out[k])
            assert a.shape == b.shape, (k, a.shape, b.shape)
            leaf = k.split("/")[-1]
            worst[leaf] = max(worst.get(leaf, 0.0), float(np.abs(a.astype(np.float64) - b).max(initial=0)))
        print(json.dumps({k: float(f"{v:.2g}") for k, v in worst.items() if v}) or "{}", "every other key is equal")
        return
    keep = {
        k: np.asarray(v).astype(np.float32 if np.asarray(v).dtype.kind == "f" else np.int32) for k, v in out.items()
    }
    np.savez_compressed(args.case / "golden.npz", **keep)
    for line in stats:
        print({k: round(v, 5) if isinstance(v, float) else v for k, v in line.items()})
    size = sum(f.stat().st_size for f in args.case.rglob("*") if f.is_file())
    print(f"{args.case}: {size / 1e3:.0f} kB, golden {(args.case / 'golden.npz').stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
