"""Make one case: a small random MagpieTTS checkpoint in the official layout, and what NVIDIA NeMo computes with it.

    python make_case.py CASE_DIR --shape baked_s1            # a shape of shapes.json; --seed overrides its seed
    python make_case.py CASE_DIR --verify                    # run NeMo again on the stored case and compare with its goldens

Needs, in an environment of its own (Python 3.11, CPU): torch==2.13.0 and "nemo_toolkit[tts]==3.0.0" (3.3 GB); they brought
lightning 2.4.0, transformers 5.23.0, omegaconf 2.3.0, numpy 2.4.6, lhotse 1.33.0. Nothing is downloaded when it runs.

CASE_DIR gets checkpoint/ (configs and toy dictionaries), manifest.json (seed, tensor names and shapes: `materialise.py` makes
weights of them), requests.json, tokenizers.json (vocabularies, offsets, text -> ids) and golden.npz. NeMo's models are restored
from the archives that `materialise.py` writes, so the archives are known to be in the official layout.

Greedy: temperature 0 for the autoregressive local transformer; elsewhere (MaskGit, the parallel heads) every draw is replaced
by the most probable code, with the configured temperature and top-k kept, since MaskGit ranks slots by probability.
All dictionaries are used always (phoneme_probability 1.0 in place of the configured 0.8).

golden.npz, for each request R of requests.json; C codebooks, S frames a step, V codes with specials, n text ids:
  R/text_ids     [n]          with the final EOS; for a long text [chunks, longest], -1 behind the end
  R/encoded      [n, D]       the text encoder's output (last chunk of a long text: with the history spliced in)
  R/context      [T, D]       what stands before the audio in the decoder (context-audio cases; else: the baked rows)
  R/hidden0      [rows, D]    the decoder's output at the last position of the first step; row 1 is the unconditional one
  R/logits0      [rows, *]    final_proj of it, every 29th value (`stride` in manifest.json)
  R/local0       [C*S, *]     the local transformer's logits of the first step after guidance, nothing masked, the same stride along V
                              (autoregressive: one row a draw; MaskGit: the last of its passes)
  R/attended     [steps]      the text position that the alignment settled on (absolute in a long text)
  R/prior        [steps, n]   the prior made after each step, for the next one; R/scores [steps, n]: what it was made from;
                              -1 behind the end of the shorter chunks of a long text
  R/codes        [frames, C]  kept frames; the frame with EOS and what follows is cut
  R/steps, R/ended            decoder steps run, 1 when an EOS (or a forced chunk end) stopped it; per chunk
  R/left_offset, R/frames     [chunks], long text only; R/behind [chunks]: 1 where a chunk began with the last attended
                              position left of its window, where NeMo's slice bounds turn negative (see README.md)
  R/codes_cached [frames, C]  the same with NeMo's decoder cache on: differs, see README.md
  R/wav          [samples]    decoded audio of the first 16 frames of the codes
  codec/codes, codec/wav      random frames and their audio (every 3rd sample)
  audio, codec/encoded, codec/latent   int16 sound (divide by 32768), its codes [frames, C], the encoder's output [frames, dim]
"""

import argparse
import copy
import json
import os
import shutil
import tempfile
import warnings
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")
warnings.filterwarnings("ignore")

import numpy as np
import torch
from omegaconf import OmegaConf

import nemo.collections.tts.data.text_to_speech_dataset_lhotse as tokenizer_setup
import nemo.collections.tts.models.magpietts as magpie
import nemo.collections.tts.modules.magpietts_modules as modules
from nemo.collections.tts.models.audio_codec import AudioCodecModel
from nemo.collections.tts.parts.utils.tts_dataset_utils import chunk_text_for_inference, get_tokenizer_for_language
from nemo.utils import logging
from transformers import ByT5Tokenizer

from materialise import materialise, tensor, tensors_of, write_nemo

logging.setLevel(logging.ERROR)
HERE = Path(__file__).resolve().parent
TOKENIZERS = "nemo.collections.common.tokenizers.text_to_speech.tts_tokenizers"


class AutoTokenizer:
    """google/byt5-small has no files that matter: bytes, 3 specials, 125 sentinels."""

    @staticmethod
    def from_pretrained(name, **_):
        assert name == "google/byt5-small"
        return ByT5Tokenizer()


tokenizer_setup.AutoTokenizer = AutoTokenizer


def text_tokenizers(names: dict[str, str], folder: str) -> dict:
    """The `text_tokenizers` block. names: tokenizer -> kind; folder: prefix of the dictionaries' names."""

    def ipa(locale, dictionary, heteronyms=None, pad=True, case="upper", prefix="", **extra):
        g2p = {
            "_target_": "nemo.collections.tts.g2p.models.i18n_ipa.IpaG2p",
            "locale": locale,
            "phoneme_dict": folder + dictionary,
            "phoneme_probability": 0.8,
            "ignore_ambiguous_words": False,
            "use_chars": True,
            "use_stresses": True,
            "grapheme_case": case,
            "grapheme_prefix": prefix,
        }
        if heteronyms:
            g2p["heteronyms"] = folder + heteronyms
        return {
            "_target_": f"{TOKENIZERS}.IPATokenizer",
            "locale": locale,
            "punct": True,
            "apostrophe": True,
            "pad_with_space": pad,
            "g2p": g2p,
            **extra,
        }

    kinds = {
        "en": lambda: ipa("en-US", "toy_en.txt", "toy_en_heteronyms.txt", pad=False),
        "es": lambda: ipa("es-ES", "toy_es.txt"),
        "de": lambda: ipa("de-DE", "toy_de.txt", "toy_de_heteronyms.txt", case="mixed", prefix="#"),
        "pt": lambda: ipa("pt-BR", "toy_pt.txt", prefix="#", locale_specific_punct=False),
        "hi": lambda: ipa("hi-IN", "toy_hi.txt"),
        "hi_chars": lambda: {
            "_target_": f"{TOKENIZERS}.HindiCharsTokenizer",
            "punct": True,
            "apostrophe": True,
            "pad_with_space": True,
            "charset_version": 1,
            "punct_version": 1,
        },
        "ar_chars": lambda: {
            "_target_": f"{TOKENIZERS}.ArabicCharsTokenizer",
            "punct": True,
            "apostrophe": True,
            "pad_with_space": True,
            "charset_version": 1,
        },
        "bytes": lambda: {"_target_": "AutoTokenizer", "pretrained_model": "google/byt5-small"},
    }
    return {name: kinds[kind]() for name, kind in names.items()}


def codec_config(s: dict) -> dict:
    rates, dim = s["up_sample_rates"], s["codebooks"] * len(s["levels"])
    base = "nemo.collections.tts.modules.audio_codec_modules."
    return {
        "sample_rate": 22050,
        "samples_per_frame": int(np.prod(rates)),
        "commit_loss_scale": 0.0,
        "use_scl_loss": False,
        "loss_resolutions": [[32, 8, 32]],
        "mel_loss_dims": [5],
        "audio_encoder": {
            "_target_": base + "HiFiGANEncoder",
            "down_sample_rates": rates[::-1],
            "encoded_dim": dim,
            "base_channels": s["encoder_channels"],
            "activation": "lrelu",
            "pad_mode": "replicate",
        },
        "vector_quantizer": {
            "_target_": base + "GroupFiniteScalarQuantizer",
            "num_groups": s["codebooks"],
            "num_levels_per_group": s["levels"],
        },
        "audio_decoder": {
            "_target_": base + "CausalHiFiGANDecoder",
            "up_sample_rates": rates,
            "input_dim": dim,
            "base_channels": s["decoder_channels"],
            "activation": "half_snake",
            "output_activation": "clamp",
            "pad_mode": "zeros",
            "n_groups_equal_to_out_channels": True,
        },
        "generator_loss": {"_target_": "nemo.collections.tts.losses.audio_codec_loss.GeneratorSquaredLoss"},
        "discriminator_loss": {"_target_": "nemo.collections.tts.losses.audio_codec_loss.DiscriminatorSquaredLoss"},
        "target": "nemo.collections.tts.models.audio_codec.AudioCodecModel",
        "nemo_version": "2.3.0",
    }


def model_config(s: dict, dictionaries: str, codec: str) -> dict:
    def stack(layers, kernel, causal, cross=False):
        block = {
            "n_layers": layers,
            "d_model": s["dim"],
            "d_ffn": s["ffn"],
            "sa_n_heads": s["heads"],
            "kernel_size": kernel,
            "p_dropout": 0.1,
            "p_dropout_out": 0.0,
            "has_xattn": cross,
            "is_causal": causal,
            "apply_norm_out": True,
            "max_length_causal_mask": s["positions"],
            "use_learnable_pos_emb": True,
        }
        if cross:
            block |= {
                "xa_d_head": s["cross_head_dim"],
                "xa_d_memory": s["dim"],
                "xa_n_heads": s["cross_heads"],
                "apply_norm_to_cond": True,
                "make_prior_window_strict": False,
            }
        return block

    cfg = {
        "model_type": s["model_type"],
        "use_text_conditioning_encoder": False,
        "text_conditioning_tokenizer_name": "text_ce_tokenizer",
        "legacy_text_conditioning": False,
        "context_duration_min": 5.0 * s["stack"],
        "context_duration_max": 5.0 * s["stack"],
        "codecmodel_path": codec,
        "embedding_dim": s["dim"],
        "use_bpe_char_tokenizer": False,
        "prior_scaling_factor": None,
        "prior_end_step": 0,
        "prior_scaledown_start_step": 0,
        "indefinite_prior_prob": 0.0,
        "alignment_loss_scale": 0.0,
        "cfg_unconditional_prob": 0.1,
        "frame_stacking_factor": s["stack"],
        "local_transformer_type": s["local_type"],
        "local_transformer_n_layers": s["local_layers"],
        "local_transformer_n_heads": s["local_heads"],
        "local_transformer_hidden_dim": s["local_dim"],
        "text_tokenizers": text_tokenizers(s["tokenizers"], dictionaries),
        "encoder": stack(s["encoder_layers"], 3, True),
        "decoder": stack(s["decoder_layers"], 1, True, cross=True),
        "inference_parameters": s["inference"],
        "optim": {"_target_": "torch.optim.AdamW", "lr": 1e-4},
        "target": "nemo.collections.tts.models.magpietts.MagpieTTSModel",
        "nemo_version": "2.8.0rc0",
    }
    if s["model_type"] == "decoder_ce":
        cfg["context_encoder"] = stack(1, 3, False)
    if s.get("language_map"):
        cfg["language_to_tokenizer_mapping"] = s["language_map"]
    return cfg


def build(case: Path, s: dict, scratch: Path) -> None:
    """The checkpoint's small files and the manifest: everything but the goldens."""
    shutil.rmtree(case / "checkpoint", ignore_errors=True)
    magpie_dir, codec_dir = case / "checkpoint" / "magpie", case / "checkpoint" / "codec"
    for folder in (magpie_dir, codec_dir, case / "checkpoint" / "superseded"):
        folder.mkdir(parents=True)
    manifest = {k: s[k] for k in ("seed", "eos_bias", "up_sample_rates", "stride")} | {
        "codebook_size": int(np.prod(s["levels"]))
    }
    cfg = codec_config(s)
    codec = AudioCodecModel(OmegaConf.create(cfg))
    manifest["codec"] = entries(codec.state_dict())
    (codec_dir / "model_config.yaml").write_text(OmegaConf.to_yaml(OmegaConf.create(cfg)))
    (case / "checkpoint" / "codec_config.json").write_text(json.dumps(cfg, indent=1))
    write_nemo(
        scratch / "codec.nemo",
        tensors_of(manifest["codec"], manifest, tensor),
        [("model_config.yaml", (codec_dir / "model_config.yaml").read_bytes())],
    )
    cfg = model_config(s, str(HERE / "dictionaries") + "/", str(scratch / "codec.nemo"))
    model = magpie.MagpieTTSModel(OmegaConf.create(copy.deepcopy(cfg)))
    if s.get("speakers"):
        flat = s["context_frames"] * s["dim"]
        model.baked_context_embedding = torch.nn.Embedding(len(s["speakers"]), flat)
        model._baked_embedding_T, model._baked_embedding_D = torch.tensor(s["context_frames"]), torch.tensor(s["dim"])
        model.baked_context_embedding_len = torch.full((len(s["speakers"]),), s["context_frames"], dtype=torch.long)
    manifest["model"] = entries(model.state_dict())
    # as saved: artifacts carry a hash before their name and are named nemo:... in the config
    stored = model_config(s, "nemo:0123456789abcdef_", "nvidia/nemo-nano-codec-22khz-1.89kbps-21.5fps")
    used = sorted(
        {
            v.removeprefix("nemo:")
            for t in stored["text_tokenizers"].values()
            for v in t.get("g2p", {}).values()
            if isinstance(v, str) and v.startswith("nemo:")
        }
    )
    for name in used:
        shutil.copyfile(HERE / "dictionaries" / name.split("_", 1)[1], magpie_dir / name)
    if s.get("superseded"):  # a member that comes twice in the archive
        shutil.copyfile(
            HERE / "dictionaries" / "superseded_toy_en.txt",
            case / "checkpoint" / "superseded" / "0123456789abcdef_toy_en.txt",
        )
    if s.get("speakers"):
        stored["speaker_map"] = "nemo:fedcba9876543210_speakers.json"
        (magpie_dir / "fedcba9876543210_speakers.json").write_text(
            json.dumps({n: i for i, n in enumerate(s["speakers"])})
        )
    (magpie_dir / "model_config.yaml").write_text(OmegaConf.to_yaml(OmegaConf.create(stored)))
    (case / "checkpoint" / "config.json").write_text(
        json.dumps(
            {
                "model_type": "magpie_tts",
                **{("decoder_model_type" if k == "model_type" else k): v for k, v in stored.items()},
            },
            indent=1,
            ensure_ascii=False,
        )
    )
    (case / "manifest.json").write_text(lines(manifest))
    (case / "requests.json").write_text(json.dumps(s["requests"], indent=1, ensure_ascii=False))


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


def entries(state: dict) -> dict:
    return {
        n: list(t.shape)
        if t.is_floating_point()
        else {"dtype": str(t.dtype).split(".")[1], "shape": list(t.shape), "values": t.tolist()}
        for n, t in state.items()
    }


def restore(folder: Path) -> magpie.MagpieTTSModel:
    """The official way in: both archives, the codec's path set to the local one."""
    path = str(folder / "magpie.nemo")
    cfg = magpie.MagpieTTSModel.restore_from(path, return_config=True, map_location="cpu")
    cfg.codecmodel_path = str(folder / "codec.nemo")
    model = magpie.MagpieTTSModel.restore_from(path, override_config_path=cfg, map_location="cpu").eval()
    for tokenizer in model.tokenizer.tokenizers.values():
        if hasattr(getattr(tokenizer, "g2p", None), "phoneme_probability"):
            tokenizer.g2p.phoneme_probability = 1.0
    return model


class Spy:
    """Notes what passes through a request: first step, priors, attended positions, how close the greedy choices were."""

    def __init__(self, model):
        self.model, self.steps, self.local, self.prior, self.scores, self.attended = model, [], [], [], [], []
        self.gaps = dict.fromkeys(("codes", "eos", "attention", "slots"), np.inf)
        self.forward, self.attend = model.forward, model.get_most_attended_text_timestep
        self.priors = model.construct_inference_prior, model.construct_multi_chunk_prior
        self.context, self.clear, self.multinomial = (
            model.prepare_context_tensors,
            modules.clear_forbidden_logits,
            torch.multinomial,
        )
        self.topk = torch.topk

    def close(self, what: str, first: torch.Tensor, second: torch.Tensor) -> None:
        gap = (first - second).abs()
        gap = gap[torch.isfinite(gap)]
        self.gaps[what] = min(self.gaps[what], float(gap.min()) if gap.numel() else np.inf)

    def __enter__(self):
        m = self.model

        def forward(**kw):
            out = self.forward(**kw)
            if not self.steps:
                self.hidden0, self.logits0 = out[2][:, -1].clone(), out[0][:, -1].clone()
            self.steps.append(1)
            return out

        def attend(**kw):
            self.scores.append(kw["alignment_attention_scores"][0].clone())
            last, offset, n = kw["last_attended_timesteps"][-1][0], kw["left_offset"][0], int(kw["text_lens"][0])
            start = last + (kw["attended_timestep_counter"][0].get(last, 0) >= 8) - offset
            window = (
                self.scores[-1][start : min(start + kw["lookahead_window_size"], n - 3)].sort(descending=True).values
            )
            if len(window) > 1:
                self.close("attention", window[0].log(), window[1].log())
            out = self.attend(**kw)
            self.attended.append(out[0][0])
            return out

        def prior(original):
            def inner(**kw):
                out = original(**kw)
                self.prior.append(out[0][0, 0].clone())
                return out

            return inner

        def context(batch):
            self.tensors = self.context(batch)
            return self.tensors

        def clear(logits, codebook_size, forbid_audio_eos=False):
            if len(self.steps) == 1:
                self.local.append(logits[0].clone())
            out = self.clear(logits, codebook_size, forbid_audio_eos=forbid_audio_eos)
            top = self.topk(out[0], 2, dim=-1).values
            self.close("codes", top[..., 0], top[..., 1])
            return out

        def clear_parallel(logits, codebook_size, forbid_audio_eos=False):
            out = self.clear(logits, codebook_size, forbid_audio_eos=forbid_audio_eos)
            eos, others = out[0][..., codebook_size + 1], out[0][..., :codebook_size].max(-1).values
            self.close("eos", eos, others)
            return out

        def topk(values, k, dim=-1):
            if dim == 1 and values.ndim == 2 and 0 < int(k) < values.shape[1]:  # MaskGit chooses the slots it keeps
                ranked = values[0].sort(descending=True).values
                self.close("slots", ranked[int(k) - 1], ranked[int(k)])
            return self.topk(values, k, dim=dim)

        m.forward, m.get_most_attended_text_timestep, m.prepare_context_tensors = forward, attend, context
        m.construct_inference_prior, m.construct_multi_chunk_prior = map(prior, self.priors)
        modules.clear_forbidden_logits, magpie.clear_forbidden_logits, torch.topk = clear, clear_parallel, topk
        torch.multinomial = lambda p, n, **_: p.argmax(-1, keepdim=True)
        return self

    def __exit__(self, *_):
        m = self.model
        for name in (
            "forward",
            "get_most_attended_text_timestep",
            "prepare_context_tensors",
            "construct_inference_prior",
            "construct_multi_chunk_prior",
        ):
            delattr(m, name)
        modules.clear_forbidden_logits, torch.multinomial, torch.topk = self.clear, self.multinomial, self.topk
        magpie.clear_forbidden_logits = self.clear


def chunks_of(model, r: dict) -> list[torch.Tensor]:
    language = r.get("language", "en")
    mapping = model.cfg.get("language_to_tokenizer_mapping") or {}
    name = mapping.get(language) or get_tokenizer_for_language(language, list(model.tokenizer.tokenizers))
    name = name if isinstance(name, str) else name[0]
    return chunk_text_for_inference(r["text"], language, name, model.tokenizer, model.eos_id)[0]


@torch.no_grad()
def generate(model, r: dict, audio: torch.Tensor, cached: bool = False):
    """One request as NeMo's do_tts runs it (chunks, state carried over), with the request's options."""
    defaults = copy.deepcopy(model.inference_parameters)
    p = model.inference_parameters
    if model.local_transformer_type == modules.LocalTransformerType.AR and r.get("local", True):
        p.temperature = 0.0
    for key, value in r.get("parameters", {}).items():
        setattr(p, key, value)
    chunks = chunks_of(model, r)
    state, codes, facts = (
        model.create_chunk_state(1),
        [],
        {"steps": [], "ended": [], "left_offset": [], "behind": [], "frames": []},
    )
    model.decoder.reset_cache(use_cache=cached)
    with Spy(model) as spy:
        for i, ids in enumerate(chunks):
            batch = {
                "text": ids[None].long(),
                "text_lens": torch.tensor([len(ids)]),
                "speaker_indices": r.get("speaker"),
            }
            if not model.has_baked_context_embedding:
                part = audio[: r["context_samples"]]
                batch |= {
                    "context_audio": part[None],
                    "context_audio_lens": torch.tensor([len(part)]),
                    "context_sample_rate": 22050,
                }
            before, attended = len(spy.steps), len(spy.attended)
            out = model.generate_speech(
                batch,
                state,
                [i == len(chunks) - 1],
                i == 0,
                use_cfg=r.get("cfg", True),
                use_local_transformer_for_inference=r.get("local", True),
                maskgit_n_steps=r.get("maskgit_steps", 3),
            )
            n = int(out.predicted_codes_lens[0])
            codes.append(out.predicted_codes[0, :, :n].T)
            facts["steps"].append(len(spy.steps) - before)
            facts["ended"].append(
                int(
                    n < facts["steps"][-1] * model.frame_stacking_factor
                    or len(spy.steps) - before < p.max_decoder_steps // model.frame_stacking_factor
                )
            )
            facts["left_offset"].append(state.left_offset[0])
            facts["frames"].append(n)
            start = spy.attended[attended - 1] if attended else 1
            facts["behind"].append(int(start < state.left_offset[0]))
    model.decoder.reset_cache(use_cache=False)
    model.inference_parameters = defaults
    return chunks, torch.cat(codes), facts, spy


def sound(seed: int, samples: int) -> np.ndarray:
    """int16: gliding harmonics under a syllable envelope, with noise."""
    rng = np.random.default_rng([seed, 7])
    t = np.arange(samples) / 22050
    phase = 2 * np.pi * np.cumsum(180 + 120 * np.sin(2 * np.pi * 5.7 * t)) / 22050
    x = sum(np.sin(k * phase + rng.random() * 6) / k for k in range(1, 20))
    voiced = np.sin(2 * np.pi * 9.1 * t) > -0.3
    x = 0.25 * np.where(voiced, x * (0.6 + 0.4 * np.sin(2 * np.pi * 14 * t)), rng.standard_normal(samples) * 0.5)
    return (np.clip(x, -1, 1) * 32767).astype(np.int16)


@torch.no_grad()
def golden(case: Path, scratch: Path) -> tuple[dict[str, np.ndarray], str]:
    """The arrays of golden.npz and the text of tokenizers.json."""
    requests = json.loads((case / "requests.json").read_text())
    manifest = json.loads((case / "manifest.json").read_text())
    seed, stride = manifest["seed"], manifest["stride"]
    materialise(case, scratch)
    model = restore(scratch)
    codec, out = model._codec_model, {}
    C, K = model.num_audio_codebooks, model.codebook_size
    rng = np.random.default_rng([seed, 1])

    pcm = sound(seed, max([r.get("context_samples", 0) for r in requests] + [7000]))
    audio = torch.from_numpy(pcm.astype(np.float32) / 32768)
    out["audio"] = pcm
    latent, n = codec.encode_audio(audio=audio[None], audio_len=torch.tensor([len(audio)]))
    encoded, _ = codec.encode(audio=audio[None], audio_len=torch.tensor([len(audio)]))
    out["codec/latent"], out["codec/encoded"] = latent[0].T.numpy(), encoded[0].T.numpy()
    report_codes("codec/encoded", out["codec/encoded"], rounding_margin(codec, latent))
    codes = torch.from_numpy(rng.integers(0, K, (1, C, 24)))
    codes[0, 0, 3] = 0
    wav, _ = codec.decode(tokens=codes, tokens_len=torch.tensor([24]))
    out["codec/codes"], out["codec/wav"] = codes[0].T.numpy(), wav[0, ::3].numpy()
    print(
        f"  codec: {wav.shape[1]} samples, rms {float(wav.pow(2).mean().sqrt()):.3f}, at the limit {float((wav.abs() >= 1).float().mean()):.4f}"
    )

    for r in requests:
        name, keep = r["name"], r.get("keep", [])
        chunks, codes, facts, spy = generate(model, r, audio)
        longest = max(len(c) for c in chunks)
        ids = np.full((len(chunks), longest), -1, np.int32)
        for i, c in enumerate(chunks):
            ids[i, : len(c)] = c.numpy()
        out[f"{name}/text_ids"] = ids if len(chunks) > 1 else ids[0]
        out[f"{name}/encoded"] = spy.tensors.cond[0].numpy()
        if "context" in keep:
            out[f"{name}/context"] = spy.tensors.additional_decoder_input[0].numpy()
        out[f"{name}/hidden0"], out[f"{name}/logits0"] = spy.hidden0.numpy(), spy.logits0[:, ::stride].numpy()
        if r.get("local", True):
            V, slots = model.num_all_tokens_per_codebook, C * model.frame_stacking_factor
            local = (
                torch.cat(spy.local[:slots])
                if model.local_transformer_type == modules.LocalTransformerType.AR
                else spy.local[r.get("maskgit_steps", 3) - 1]
            )
            out[f"{name}/local0"] = local.reshape(slots, V)[:, ::stride].numpy()
        if spy.attended:
            out[f"{name}/attended"] = np.array(spy.attended)
        if "prior" in keep:
            out[f"{name}/prior"], out[f"{name}/scores"] = rows(spy.prior), rows(spy.scores)
        out[f"{name}/codes"] = codes.numpy()
        out[f"{name}/steps"], out[f"{name}/ended"] = np.array(facts["steps"]), np.array(facts["ended"])
        if len(chunks) > 1:
            for key in ("left_offset", "frames", "behind"):
                out[f"{name}/{key}"] = np.array(facts[key])
        if "cached" in keep:
            out[f"{name}/codes_cached"] = generate(model, r, audio, cached=True)[1].numpy()
        if "wav" in keep:
            out[f"{name}/wav"] = codec.decode(tokens=codes[:16].T[None], tokens_len=torch.tensor([16]))[0][0].numpy()
        counts = np.bincount(out[f"{name}/attended"]) if spy.attended else np.array([0])
        gaps = ", ".join(f"{k} {v:.1e}" for k, v in spy.gaps.items() if v < np.inf)
        print(
            f"  {name}: ids {[len(c) for c in chunks]}, steps {facts['steps']}, frames {len(codes)}, ended {facts['ended']}, smallest gaps: {gaps}; "
            f"attended {spy.attended[:3]}..{spy.attended[-2:]} most often {counts.max()} times, offsets {facts['left_offset']}, began behind them {facts['behind']}"
        )
        report_codes(name, out[f"{name}/codes"], stack=model.frame_stacking_factor)
    tokens = {"offsets": model.tokenizer.tokenizer_offsets, "eos": model.eos_id, "tokens": {}, "vectors": []}
    for name, tokenizer in model.tokenizer.tokenizers.items():
        tokens["tokens"][name] = "byt5" if isinstance(tokenizer, ByT5Tokenizer) else list(tokenizer.tokens)
        for text in TEXTS["bytes" if isinstance(tokenizer, ByT5Tokenizer) else name.split("_")[0]]:
            tokens["vectors"].append({"tokenizer": name, "text": text, "ids": model.tokenizer.encode(text, name)})
    out = {
        k: v.astype(np.float32) if v.dtype.kind == "f" else v.astype(np.int16 if v.dtype == np.int16 else np.int32)
        for k, v in out.items()
    }
    return out, json.dumps(tokens, ensure_ascii=False)


def rows(vectors: list[torch.Tensor]) -> np.ndarray:
    """One row a step, -1 behind the end of shorter ones."""
    return torch.nn.utils.rnn.pad_sequence(vectors, batch_first=True, padding_value=-1.0).numpy()


TEXTS = {
    "english": [
        "Hello world, this is a test.",
        "The cat's kittens and the tests; the fox's. DON'T!",
        "It’s well-known, well-made: a “voice”  twice…",
        "I read, you Read; live wind.",
        "Café naïve #5 and 1,000 dogs?",
        "Say |həˈloʊ| or |ˈh ə| now.",
        "zebra-fox over-zebra 'tis the dogs'",
        "a",
        " Leading and trailing. ",
    ],
    "spanish": ["¡Hola, mundo! ¿Qué tal?", "Buenos días, señor  Núñez’s."],
    "german": ["Guten Morgen, schöne Straße!", "MORGEN der „Moderne“ – modern.", "Straße-Morgen"],
    "portuguese": ["Bom dia, mundo!", "Coração «partido» do Brasil."],
    "hindi": ["नमस्ते दुनिया।", "नमस्ते, Hello  world!"],
    "arabic": ["مرحبا بالعالم، Hello?", "صباح  الخير"],
    "bytes": ["Où est la gare ?", "Xin chào  €"],
}


def rounding_margin(codec, latent: torch.Tensor) -> float:
    """How near the quantiser came to rounding the other way, in steps."""
    worst = 1.0
    for fsq, part in zip(codec.vector_quantizer.fsqs, latent.chunk(codec.num_codebooks, dim=1)):
        x = fsq.compress(inputs=part, input_len=None)
        worst = min(worst, float((0.5 - (x - x.round()).abs()).min()))
    return worst


def report_codes(name: str, codes: np.ndarray, margin: float | None = None, stack: int = 1) -> None:
    changed = float((codes[stack:] != codes[:-stack]).mean()) if len(codes) > stack else 1.0
    rounding = "" if margin is None else f", nearest to a rounding edge {margin:.1e}"
    print(
        f"    {name}: {codes.shape[0]} frames, {changed:.0%} of codes change from step to step, {min((len(set(c)) for c in codes.T), default=0)} or more values a codebook{rounding}"
    )


def compare(stored, fresh: dict) -> bool:
    good = True
    for key in sorted(set(stored) | set(fresh)):
        a, b = stored.get(key), fresh.get(key)
        if a is None or b is None or a.shape != b.shape:
            print(f"  {key}: {None if a is None else a.shape} against {None if b is None else b.shape}")
            good = False
        elif a.dtype.kind == "f":
            if (d := float(np.abs(a - b).max())) > 1e-5:
                print(f"  {key}: {d}")
                good = False
        elif not np.array_equal(a, b):
            print(f"  {key}: differs")
            good = False
    return good


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("case", type=Path)
    ap.add_argument("--shape", help="a name of shapes.json, or a JSON file of the same fields")
    ap.add_argument("--seed", type=int)
    ap.add_argument("--verify", action="store_true")
    args = ap.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as tmp:
        if args.verify:
            arrays, tokenizers = golden(args.case, Path(tmp))
            with np.load(args.case / "golden.npz") as stored:
                good = compare(dict(stored), arrays)
            good &= tokenizers == (args.case / "tokenizers.json").read_text()
            print(f"{args.case}: {'reproduced' if good else 'NOT reproduced'}")
            raise SystemExit(not good)
        shapes = json.loads((HERE / "shapes.json").read_text())
        s = shapes[args.shape] if args.shape in shapes else json.loads(Path(args.shape).read_text())
        s = s | ({"seed": args.seed} if args.seed is not None else {})
        args.case.mkdir(parents=True, exist_ok=True)
        build(args.case, s, Path(tmp))
        arrays, tokenizers = golden(args.case, Path(tmp))
        np.savez_compressed(args.case / "golden.npz", **arrays)
        (args.case / "tokenizers.json").write_text(tokenizers)
    print(f"{args.case}: {sum(f.stat().st_size for f in args.case.rglob('*') if f.is_file()) / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
