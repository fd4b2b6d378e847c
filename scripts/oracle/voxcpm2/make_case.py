"""Make one case: a small random VoxCPM checkpoint in the official layout, and what the official code computes with it.

    python make_case.py CASE_DIR --shape text            # a shape of shapes.json, or a JSON file of one; --seed overrides its seed
    python make_case.py CASE_DIR --verify                # run the official code again on the stored case, compare with its goldens

Needs, in an environment of its own (Python 3.11, CPU): torch 2.14.1, torchaudio 2.11.0, transformers 5.23.0, librosa 0.11.0, numpy 2.4.6,
einops, soundfile, pydantic, tqdm, safetensors, huggingface-hub, and `pip install --no-deps voxcpm==2.0.3`. It downloads nothing.

CASE_DIR gets checkpoint/ (config.json and a toy tokenizer), manifest.json (seed, tensor names and shapes: `materialise.py` makes weights
of them), requests.json, tokens.json (texts with their ids), golden.npz. The model is loaded by the official `from_local` from the folder
that `materialise.py` writes, in float32. Before a call, `torch.randn` is replaced by one that hands out stored noise.

golden.npz, for each request R of requests.json; n prompt positions, N patches made, P frames a patch, D latent channels, H width:
  R/tokens        [n]         the row of text ids as the model gets it: 0 where audio stands
  R/audio_mask    [n]         1 where audio stands
  R/reference     [T, P, D]   the voice sample's latents (right padded), R/prompt [T, P, D]: the prompt's (left padded)
  R/embedded      [n, H]      what the semantic LM reads (text rows scaled, audio rows from the local encoder)
  R/semantic0     [H]         its output at the last position, before the quantiser;  R/lm0: what goes on (quantised if it is audio)
  R/residual0     [H]         the residual LM's output at the last position
  R/mu0           [*]         the conditioning of the first patch
  R/trajectory0   [*, D, P]   the first patch: noise, the states after Euler steps 1 to 11 (if there are so many), the finished patch
  R/velocity0     [2, D, P]   the estimator's two outputs at the first Euler step that runs it: conditional, unconditional
  R/encoded0      [H]         local encoder and projection of the first patch made
  R/semantic1     [H]         semantic LM after that patch, before the quantiser;  R/lm1: after;  R/residual1 [H]
  R/noise         [N, D, P]   initial noise;  R/latents [N, P, D] the patches made;  R/stop [N, 2] stop logits of each step
  R/steps         []          N;  R/context [] prompt patches decoded in front;  R/attempts [] tries (retries of bad cases)
  R/wav           [*]         audio, every `stride`-th sample (manifest.json);  R/samples [] its whole length
  R/chunks        [N]         samples of each streamed piece;  R/streamed [*] the pieces joined, the same stride
  codec/latents   [D, T], codec/wav [*]       random latents and their audio (stride);  codec/samples [] whole length
  codec/wav_RATE  [*]         the same decoded with another sample-rate condition (VoxCPM2)
  audio           [*]         int16 sound at the encoder's rate (divide by 32768);  codec/encoded [D, T]: its latents
"""

import argparse
import json
import os
import shutil
import tempfile
import warnings
import zlib
from pathlib import Path

warnings.filterwarnings("ignore")
os.environ["TQDM_DISABLE"] = "1"

import numpy as np
import soundfile
import torch

from voxcpm.core import VoxCPM
from voxcpm.model import voxcpm as first
from voxcpm.model import voxcpm2 as second
from voxcpm.model import VoxCPM2Model, VoxCPMModel

import make_tokenizer
from materialise import materialise

# torchaudio needs ffmpeg to read even a wav file; the first generation's loader uses it
first.torchaudio.load = lambda path: (
    torch.from_numpy(soundfile.read(path, dtype="float32")[0][None]),
    soundfile.info(path).samplerate,
)
HERE = Path(__file__).resolve().parent
TEXTS = [
    "hello world",
    "Hello  world. ",
    " hello",
    "你好世界",
    "你好，世界。hello",
    "今天 你好 天气预报",
    "人工智能今天",
    "🙂 ok",
    "(slow voice)hello",
    "a<|audio_start|>b",
    "{ni3}{hao3} {HH AH0 L OW1}",
    "Grüße, señor",
    "привет",
    "天气预报你好",
    "𠀀好",
    "1234",
    "x▁y",
]
RATES = (16000, 24000, 32000, 44100)


def factors(s: dict) -> dict:
    """Long and short factors that differ, so that a port that picks the wrong one is seen."""
    half = (s["kv_channels"] or s["hidden"] // s["heads"]) // 2
    short = [round(1 + 3 * (i / half) ** 2, 6) for i in range(half)]
    return {
        "type": "longrope",
        "short_factor": short,
        "long_factor": [round(1.5 * f + 0.25, 6) for f in short],
        "original_max_position_embeddings": s["original_positions"],
    }


def config(s: dict) -> dict:
    lm = {
        "bos_token_id": 1,
        "eos_token_id": 2,
        "hidden_size": s["hidden"],
        "intermediate_size": s["ffn"],
        "max_position_embeddings": s["positions"],
        "num_attention_heads": s["heads"],
        "num_hidden_layers": s["layers"],
        "num_key_value_heads": s["kv_heads"],
        "rms_norm_eps": 1e-5,
        "rope_theta": 10000,
        "rope_scaling": factors(s),
        "vocab_size": s["vocabulary"],
        "use_mup": s["use_mup"],
        "scale_emb": s["scale_emb"],
        "dim_model_base": 256,
        "scale_depth": s["scale_depth"],
    }
    if s["kv_channels"]:
        lm["kv_channels"] = s["kv_channels"]
    cfm = {"sigma_min": 1e-06, "solver": "euler", "t_scheduler": "log-norm", "inference_cfg_rate": 2.0}
    out = {
        "architecture": s["architecture"],
        "lm_config": lm,
        "patch_size": s["patch"],
        "feat_dim": s["dim"],
        "scalar_quantization_latent_dim": s["quantiser_dim"],
        "scalar_quantization_scale": s["quantiser_scale"],
        "residual_lm_num_layers": s["residual_layers"],
        "encoder_config": s["local"],
        "dit_config": s["local"] | {"cfm_config": cfm},
        "audio_vae_config": s["vae"],
        "max_length": s["max_length"],
        "device": "cpu",
        "dtype": "float32",
    }
    if s["architecture"] == "voxcpm2":
        out |= {"residual_lm_no_rope": s["residual_no_rope"]}
        out["dit_config"] |= {
            "mean_mode": False,
            "dit_mean_mode": s["mean_mode"],
        }  # the code reads the second, released configs say the first
    else:
        out |= {"dit_mean_mode": s["mean_mode"]}
    return out


def entries(state: dict) -> dict:
    return {
        n: list(t.shape)
        if t.is_floating_point()
        else {"dtype": str(t.dtype).split(".")[1], "shape": list(t.shape), "values": t.tolist()}
        for n, t in state.items()
    }


def lines(manifest: dict) -> str:
    """JSON, one tensor a line."""
    text = json.dumps({k: v for k, v in manifest.items() if not isinstance(v, dict)})[:-1]
    for part in ("codec", "model"):
        text += (
            f',\n"{part}": {{\n'
            + ",\n".join(f"{json.dumps(n)}: {json.dumps(e)}" for n, e in manifest[part].items())
            + "}"
        )
    return text + "}\n"


def build(case: Path, s: dict) -> None:
    """The checkpoint's small files and the manifest: everything but the goldens."""
    shutil.rmtree(case / "checkpoint", ignore_errors=True)
    vocab = make_tokenizer.build(case / "checkpoint")
    s = s | {"vocabulary": len(vocab)}
    cfg = config(s)
    (case / "checkpoint" / "config.json").write_text(json.dumps(cfg, indent=1))
    kind = VoxCPM2Model if s["architecture"] == "voxcpm2" else VoxCPMModel
    if s["architecture"] == "voxcpm2":
        vae, full = second.AudioVAEV2(second.AudioVAEConfigV2(**cfg["audio_vae_config"])), second.VoxCPMConfig(**cfg)
    else:
        vae, full = first.AudioVAE(first.AudioVAEConfig(**cfg["audio_vae_config"])), first.VoxCPMConfig(**cfg)
    model = kind(full, first.LlamaTokenizerFast.from_pretrained(case / "checkpoint"), vae, device="cpu")
    state = {n: t for n, t in model.state_dict().items() if not n.startswith("audio_vae.")}
    codec = vae.state_dict()
    first_block = min(int(n.split(".")[2]) for n in codec if n.startswith("decoder.model.") and ".block." in n)
    last = max(int(n.split(".")[2]) for n in codec if n.startswith("decoder.model."))
    manifest = {
        k: s[k]
        for k in (
            "seed",
            "model_file",
            "vae_file",
            "stop_bias",
            "velocity",
            "latent_gain",
            "wave_gain",
            "stride",
            "audio_seconds",
        )
    }
    manifest |= {
        "embedding_scale": s["scale_emb"] if s["use_mup"] else 1,
        "decoder_rates": s["vae"]["decoder_rates"],
        "decoder_blocks_from": first_block,
        "last_convolution": f"decoder.model.{last}.weight_g",
        "codec": entries(codec),
        "model": entries(state),
    }
    (case / "manifest.json").write_text(lines(manifest))
    (case / "requests.json").write_text(json.dumps(s["requests"], indent=1, ensure_ascii=False))


def reference_audio(seed: int, rate: int, seconds: float) -> np.ndarray:
    """A speech-like test signal: gliding harmonics under a syllable envelope, silence at both ends, as int16."""
    rng = np.random.default_rng([seed, 7])
    t = np.arange(int(rate * seconds)) / rate
    f0 = 120 + 40 * np.sin(2 * np.pi * 0.7 * t) + 20 * rng.random()
    phase = 2 * np.pi * np.cumsum(f0) / rate
    x = sum(np.sin(k * phase + rng.random() * 6) / k for k in range(1, 25))
    envelope = (0.5 + 0.5 * np.sin(2 * np.pi * 3.1 * t)) * (t > 0.1) * (t < 0.9 * seconds)
    return np.round(32768 * (0.12 * envelope * x + 0.0005 * rng.standard_normal(t.size))).astype(np.int16)


class Spy:
    """Notes what passes through one request."""

    def __init__(self, model, seed: int, name: str):
        self.model, self.seed, self.name = model, seed, name
        self.draws, self.noise, self.latents, self.stops, self.encoded = 0, [], [], [], []
        self.semantic, self.quantised, self.residual, self.mus, self.tokens, self.prompts = [], [], [], [], [], []
        self.trajectory, self.velocity, self.edge, self.attempts = [], [], np.inf, 0
        self.saved = []

    def patch(self, thing, attribute: str, make):
        old = getattr(thing, attribute)
        self.saved.append((thing, attribute, old, attribute in vars(thing)))
        setattr(thing, attribute, make(old))

    def __enter__(self):
        m, note = self.model, lambda x: x.detach().float().clone().numpy()

        def randn(_):
            def draw(*shape, **options):
                shape = shape[0] if len(shape) == 1 else shape
                rng = np.random.default_rng([self.seed, zlib.crc32(self.name.encode()), self.draws])
                self.draws += 1
                self.noise.append(rng.standard_normal(shape[1:]).astype(np.float32))
                return torch.from_numpy(self.noise[-1][None]).to(options.get("dtype", torch.float32))

            return draw

        def decode(old):
            def run(**options):
                out = old(**options)
                self.mus.append(note(options["mu"][0]))
                self.latents.append(note(out[0].T))
                return out

            return run

        def solve(old):
            def run(x, **options):
                if len(self.noise) > 1:
                    return old(x=x, **options)
                first = not self.trajectory
                self.trajectory.append(note(x[0]))
                span, steps = options["t_span"], len(options["t_span"]) - 1
                for k in range(1, steps):  # the state after k steps: the same solver on the first k+1 times
                    self.trajectory.append(note(partial(old, x, span, k, steps, options)[0]))
                out = old(x=x, **options)
                self.trajectory.append(note(out[0]))
                assert first
                return out

            return run

        def partial(old, x, span, k, steps, options):
            """State after k of all steps: later velocities are replaced by zero. Keeps the number of zero steps of the whole run."""
            states = []
            estimator = m.feat_decoder.estimator
            calls = {"n": 0}
            zero = max(1, int((steps + 1) * 0.04))

            class Stop(Exception):
                pass

            def spy_forward(x_in, *rest):
                if calls["n"] + zero == k:
                    states.append(x_in[:1].clone())
                    raise Stop
                calls["n"] += 1
                return forward(x_in, *rest)

            forward = estimator.forward
            estimator.forward = spy_forward
            try:
                if k < zero:
                    return x
                old(x=x, **options)
            except Stop:
                pass
            finally:
                estimator.forward = forward
            return states[0]

        def estimate(old):
            def run(*args, **options):
                out = old(*args, **options)
                if not self.velocity:
                    self.velocity.append(note(out))
                return out

            return run

        def keep(rows):
            def make(old):
                def run(*args, **options):
                    out = old(*args, **options)
                    x = out[0] if isinstance(out, tuple) else out
                    rows.append(note(x[0, -1] if x.dim() == 3 else x[0]))
                    return out

                return run

            return make

        def quantise(old):
            def run(hidden):
                inner = m.fsq_layer.scale * torch.tanh(m.fsq_layer.in_proj(hidden))
                edges = (inner - inner.floor() - 0.5).abs().amin(-1)
                if edges.dim() == 2:
                    edges = edges[0][torch.from_numpy(self.mask) == 1]
                self.edge = min([self.edge, *edges.tolist()])
                out = old(hidden)
                self.quantised.append(note(out[0, -1] if out.dim() == 3 else out[0]))
                return out

            return run

        def inference(old):
            def run(text, text_mask, feat, feat_mask, **options):
                self.attempts += 1
                if self.attempts > 1:  # a retry: keep the last attempt
                    for rows in (
                        self.noise,
                        self.latents,
                        self.stops,
                        self.encoded,
                        self.semantic,
                        self.quantised,
                        self.residual,
                        self.mus,
                        self.trajectory,
                        self.velocity,
                    ):
                        rows.clear()
                self.text, self.mask = text[0].numpy(), feat_mask[0].numpy()
                self.max_len = options["max_len"]
                return old(text, text_mask, feat, feat_mask, **options)

            return run

        def semantic_prefill(old):
            def run(inputs_embeds, is_causal=True):
                out = old(inputs_embeds=inputs_embeds, is_causal=is_causal)
                self.embedded = note(inputs_embeds[0])
                self.semantic.append(note(out[0][0, -1]))
                return out

            return run

        def stop(old):
            def run(x):
                out = old(x)
                self.stops.append(note(out[0]))
                return out

            return run

        def local(old):
            def run(x):
                out = old(x)
                self.encoded.append(note(out[0, -1]))
                if x.shape[1] > 1:
                    self.encoded.clear()
                return out

            return run

        self.patch(torch, "randn", randn)
        self.patch(m.feat_decoder, "forward", decode)
        self.patch(m.feat_decoder, "solve_euler", solve)
        self.patch(m.feat_decoder.estimator, "forward", estimate)
        self.patch(m.base_lm, "forward", semantic_prefill)
        self.patch(m.base_lm, "forward_step", keep(self.semantic))
        self.patch(m.residual_lm, "forward", keep(self.residual))
        self.patch(m.residual_lm, "forward_step", keep(self.residual))
        self.patch(m.fsq_layer, "forward", quantise)
        self.patch(m.stop_head, "forward", stop)
        self.patch(m.enc_to_lm_proj, "forward", local)
        self.patch(m, "_inference", inference)
        return self

    def __exit__(self, *_):
        for thing, attribute, old, own in reversed(self.saved):
            if own or isinstance(thing, type(torch)):
                setattr(thing, attribute, old)
            else:
                delattr(thing, attribute)


def generate(
    tts: VoxCPM, r: dict, audio: np.ndarray, rate: int, seed: int, folder: Path, streaming: bool, out: dict, stats: list
) -> None:
    """One request by the official pipeline; everything noted goes into out."""
    model, n = tts.tts_model, r["name"]
    options = {k: r[k] for k in ("min_len", "max_len", "cfg_value", "inference_timesteps", "prompt_text") if k in r}
    options["retry_badcase"] = r.get("retry_badcase", False)
    for kind, argument in (("reference", "reference_wav_path"), ("prompt", "prompt_wav_path")):
        if kind in r:
            path = folder / f"{n}_{kind}.wav"
            soundfile.write(path, audio[r[kind][0] : r[kind][1]], rate, subtype="PCM_16")
            options[argument] = str(path)
    caches = {}
    old_build = model.build_prompt_cache

    def build_cache(**given):
        caches.update(old_build(**given))
        return dict(caches)

    model.build_prompt_cache = build_cache
    with Spy(model, seed, n) as spy, torch.inference_mode():
        if streaming:
            pieces = list(tts.generate_streaming(text=r["text"], **options))
            wav = np.concatenate(pieces)
        else:
            wav = tts.generate(text=r["text"], **options)
    del model.build_prompt_cache
    stride = out["stride"]
    if streaming:
        np.testing.assert_array_equal(np.stack(spy.latents), out[f"{n}/latents"])
        out[f"{n}/chunks"] = np.array([len(p) for p in pieces])
        out[f"{n}/streamed"] = wav[::stride]
        return
    steps = len(spy.latents)
    out[f"{n}/tokens"], out[f"{n}/audio_mask"] = spy.text, spy.mask
    for key, name in (("ref_audio_feat", "reference"), ("audio_feat", "prompt")):
        if key in caches:
            out[f"{n}/{name}"] = caches[key].numpy()
    out[f"{n}/embedded"] = spy.embedded
    out[f"{n}/semantic0"], out[f"{n}/residual0"], out[f"{n}/mu0"] = spy.semantic[0], spy.residual[0], spy.mus[0]
    out[f"{n}/lm0"] = spy.quantised[0] if spy.mask[-1] else spy.semantic[0]
    out[f"{n}/trajectory0"], out[f"{n}/velocity0"] = (
        np.stack(spy.trajectory[:-1][:12] + spy.trajectory[-1:]),
        spy.velocity[0],
    )
    out[f"{n}/encoded0"], out[f"{n}/semantic1"] = spy.encoded[0], spy.semantic[1]
    out[f"{n}/lm1"], out[f"{n}/residual1"] = spy.quantised[1], spy.residual[1]
    out[f"{n}/noise"], out[f"{n}/latents"], out[f"{n}/stop"] = (
        np.stack(spy.noise),
        np.stack(spy.latents),
        np.stack(spy.stops),
    )
    context = min((4 if isinstance(model, VoxCPM2Model) else 3) - 1, int(spy.mask.sum())) if spy.mask[-1] else 0
    out[f"{n}/steps"], out[f"{n}/context"], out[f"{n}/attempts"] = (
        np.int32(steps),
        np.int32(context),
        np.int32(spy.attempts),
    )
    out[f"{n}/wav"], out[f"{n}/samples"] = wav[::stride], np.int32(len(wav))
    gaps = np.abs(np.diff(out[f"{n}/stop"][r.get("min_len", 2) + 1 :], axis=1))  # where they decide
    latents = out[f"{n}/latents"].reshape(steps, -1)
    likeness = np.corrcoef(latents) - np.eye(steps)
    stats.append(
        dict(
            name=n,
            positions=len(spy.text),
            steps=steps,
            stop_margin=float(gaps.min(initial=9)),
            edge=spy.edge,
            latent_std=float(latents.std()),
            latent_max=float(np.abs(latents).max()),
            likeness=float(np.abs(likeness).max()),
            wav_std=float(wav.std()),
            wav_max=float(np.abs(wav).max()),
            noise_share=float(np.corrcoef(latents.ravel(), np.stack(spy.noise).transpose(0, 2, 1).ravel())[0, 1]),
            stop=[round(float(v), 2) for v in (out[f"{n}/stop"][:, 1] - out[f"{n}/stop"][:, 0])],
            attempts=spy.attempts,
        )
    )


def golden(case: Path) -> tuple[dict, list]:
    manifest = json.loads((case / "manifest.json").read_text())
    out: dict = {"stride": manifest["stride"]}
    stats: list = []
    with tempfile.TemporaryDirectory() as tmp:
        folder = Path(tmp)
        materialise(case, folder)
        tts = VoxCPM(str(folder), enable_denoiser=False, optimize=False, device="cpu")
        model = tts.tts_model.eval()
        vae = model.audio_vae
        out["_tokens"] = {t: model.text_tokenizer(t) for t in TEXTS}
        rng = np.random.default_rng([manifest["seed"], 1])
        latents = rng.standard_normal((vae.latent_dim, 20)).astype(np.float32)
        rate = vae.sample_rate
        audio = reference_audio(manifest["seed"], rate, manifest["audio_seconds"])
        with torch.inference_mode():
            wav = vae.decode(torch.from_numpy(latents)[None])[0, 0].numpy()
            out["codec/latents"], out["codec/wav"], out["codec/samples"] = (
                latents,
                wav[:: out["stride"]],
                np.int32(len(wav)),
            )
            if getattr(vae, "sr_bin_boundaries", None) is not None:
                for r in RATES:
                    out[f"codec/wav_{r}"] = vae.decode(
                        torch.from_numpy(latents)[None], torch.tensor([r], dtype=torch.int32)
                    )[0, 0].numpy()[:: 5 * out["stride"]]
            out["audio"] = audio
            out["codec/encoded"] = vae.encode(torch.from_numpy(audio.astype(np.float32) / 32768)[None], rate)[0].numpy()
        for r in json.loads((case / "requests.json").read_text()):
            generate(tts, r, audio, rate, manifest["seed"], folder, False, out, stats)
            if r.get("streaming"):
                generate(tts, r, audio, rate, manifest["seed"], folder, True, out, stats)
    out.pop("stride")
    return out, stats


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("case", type=Path)
    ap.add_argument("--shape", help="a shape of shapes.json, or a JSON file of one")
    ap.add_argument("--seed", type=int)
    ap.add_argument("--verify", action="store_true")
    args = ap.parse_args()
    torch.set_num_threads(2)
    if not args.verify:
        shapes = json.loads((HERE / "shapes.json").read_text())
        s = shapes[args.shape] if args.shape in shapes else json.loads(Path(args.shape).read_text())
        if args.seed is not None:
            s["seed"] = args.seed
        args.case.mkdir(parents=True, exist_ok=True)
        build(args.case, s)
    out, stats = golden(args.case)
    tokens = out.pop("_tokens")
    if args.verify:
        stored = np.load(args.case / "golden.npz")
        assert json.loads((args.case / "tokens.json").read_text()) == tokens, "text ids differ"
        assert set(stored.files) == set(out), set(stored.files) ^ set(out)
        worst = {}
        for k in stored.files:
            a, b = stored[k], np.asarray(out[k])
            assert a.shape == b.shape, (k, a.shape, b.shape)
            leaf = k.split("/")[-1]
            worst[leaf] = max(worst.get(leaf, 0.0), float(np.abs(a.astype(np.float64) - b).max(initial=0)))
        print(json.dumps({k: float(f"{v:.2g}") for k, v in worst.items() if v}) or "{}", "every other key is equal")
        return
    (args.case / "tokens.json").write_text(
        "{\n" + ",\n".join(f"{json.dumps(t, ensure_ascii=False)}: {i}" for t, i in tokens.items()) + "}\n"
    )
    keep = {}
    for k, v in out.items():
        v = np.asarray(v)
        keep[k] = v if v.dtype == np.int16 else v.astype(np.float32 if v.dtype.kind == "f" else np.int32)
    np.savez_compressed(args.case / "golden.npz", **keep)
    for line in stats:
        print({k: round(v, 5) if isinstance(v, float) else v for k, v in line.items()})
    size = sum(f.stat().st_size for f in args.case.rglob("*") if f.is_file())
    print(f"{args.case}: {size / 1e3:.0f} kB, golden {(args.case / 'golden.npz').stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
