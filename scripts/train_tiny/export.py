"""Write the official checkpoint layout (float16, `format: pt`) from the training checkpoints.

    python export.py --out EXPORT --base-out EXPORT_BASE --checkpoints OUT --tokenizer TOKENIZER

One set of weights, two faces: EXPORT has the preset voices (CustomVoice), EXPORT_BASE clones (Base, with the speaker
encoder); talker and codec are the same.

Takes the averaged decoder of codec_decoder.pt (or codec_joint.pt if there is none) and the averaged talker of talker.pt.
"""

import argparse
import json
import shutil
from pathlib import Path

import torch
from phone_tokens import phones as phone_set
from safetensors.torch import save_file
from sizes import DECODER_STRIDES, ENCODER_STRIDES, FRAME_SAMPLES, PRESETS, SAMPLE_RATE
from speaker_model import BANDS, DILATIONS, KERNELS, SCALE, official_tensors
from speakers import SPEAKERS
from training import load

PHONES = phone_set.SET
GENERATION = {
    "do_sample": True,
    "temperature": 0.6,
    "top_k": 30,
    "top_p": 1.0,
    "repetition_penalty": 1.0,  # of 512 codes a long text uses most
    "subtalker_dosample": True,
    "subtalker_temperature": 0.6,
    "subtalker_top_k": 30,
    "subtalker_top_p": 1.0,
    "max_new_tokens": 1024,
}
# As users see the voices: who names none hears the first, the most natural as measured.
LISTED = ("miles", "ivy", "rowan", "hazel")
# What one item of the training texts holds; the tool cuts longer texts.
LONGEST_TEXT = 300
TOKENIZER_FILES = ("vocab.json", "merges.txt", "tokenizer_config.json")


def codec_state(checkpoints):
    decoder = checkpoints / "codec_decoder.pt"
    state = load(decoder if decoder.exists() else checkpoints / "codec_joint.pt")
    return with_plain_projection(state["codec"] | state.get("average", {})), PRESETS[state["preset"]]


def with_plain_projection(state):
    """The running deviation of the latent folded into `input_proj`; exact, and the same before and after float16."""
    state = dict(state)
    for name in ("semantic", "acoustic"):
        deviation = state[f"{name}.deviation"].float()
        state[f"{name}.input_proj.weight"] = state[f"{name}.input_proj.weight"].float() / deviation[:, None, None]
        state[f"{name}.mean"] = state[f"{name}.mean"].float() / deviation
        state[f"{name}.deviation"] = torch.ones_like(deviation)
    return state


def codec_tensors(state, sizes):
    """Our names -> official names; the codebooks stand in both halves, expects `with_plain_projection`."""
    result = {}
    for name, value in state.items():
        if name.startswith(("encoder.", "encoder_transformer.", "downsample.")):
            result[f"encoder.{name}"] = value
        elif name.startswith("decoder.") and not name.startswith("decoder.out_"):
            result[name] = value
    dim = sizes.codec.quantiser_dim
    for ours, encoder, decoder, out in (
        ("semantic", "semantic_residual_vector_quantizer", "rvq_first", "out_first"),
        ("acoustic", "acoustic_residual_vector_quantizer", "rvq_rest", "out_rest"),
    ):
        encoder, decoder = f"encoder.quantizer.{encoder}.", f"decoder.quantizer.{decoder}."
        result[encoder + "input_proj.weight"] = state[f"{ours}.input_proj.weight"]
        result[decoder + "output_proj.weight"] = state[f"decoder.{out}.weight"]
        # Of no use in either half, but the official classes expect them.
        result[encoder + "output_proj.weight"] = torch.zeros(sizes.codec.encoder.hidden, dim, 1)
        result[decoder + "input_proj.weight"] = torch.zeros(dim, 2 * dim, 1)
        for book, vectors in enumerate(state[f"{ours}.codebooks"]):
            usage = torch.ones(len(vectors))
            # Our books quantise a centred latent, the official encoder has no bias: its first book holds the mean.
            shifted = vectors.float() + state[f"{ours}.mean"] if book == 0 else vectors
            result[encoder + f"layers.{book}.codebook.embed_sum"] = shifted
            result[encoder + f"layers.{book}.codebook.cluster_usage"] = usage
            result[encoder + f"layers.{book}.codebook.initialized"] = torch.ones(1)
            result[decoder + f"vq.layers.{book}._codebook.embedding_sum"] = vectors
            result[decoder + f"vq.layers.{book}._codebook.cluster_usage"] = usage
    return result


def transformer_config(sizes):
    return {
        "hidden_size": sizes.hidden,
        "intermediate_size": sizes.ffn,
        "num_hidden_layers": sizes.layers,
        "num_attention_heads": sizes.heads,
        "num_key_value_heads": sizes.kv_heads,
        "head_dim": sizes.head_dim,
        "rope_theta": sizes.theta,
        "attention_bias": False,
    }


def codec_config(sizes):
    codec = sizes.codec
    encoder = transformer_config(codec.encoder) | {
        "model_type": "mimi",
        "frame_rate": 12.5,
        "_frame_rate": 12.5,
        "audio_channels": 1,
        "compress": 2,
        "codebook_size": codec.entries,
        "codebook_dim": codec.quantiser_dim,
        "num_quantizers": codec.books,
        "num_semantic_quantizers": 1,
        "vector_quantization_hidden_dimension": codec.quantiser_dim,
        "dilation_growth_rate": 2,
        "hidden_act": "gelu",
        "kernel_size": 7,
        "last_kernel_size": 3,
        "residual_kernel_size": 3,
        "num_residual_layers": 1,
        "layer_scale_initial_scale": 0.01,
        "max_position_embeddings": 8000,
        "norm_eps": 1e-5,
        "sampling_rate": SAMPLE_RATE,
        "upsampling_ratios": list(ENCODER_STRIDES[::-1]),
        "use_causal_conv": True,
        "use_conv_shortcut": False,
        "normalize": False,
        "pad_mode": "constant",
        "norm_type": "weight_norm",
        "use_streaming": False,
        "trim_right_ratio": 1.0,
        "upsample_groups": codec.encoder.hidden,
        "num_filters": codec.encoder_filters,
        "sliding_window": 250,
    }
    decoder = transformer_config(codec.decoder) | {
        "codebook_size": codec.entries,
        "num_quantizers": codec.books,
        "num_semantic_quantizers": 1,
        "semantic_codebook_size": 4096,
        "codebook_dim": 2 * codec.quantiser_dim,
        "vector_quantization_hidden_dimension": 512,
        "latent_dim": codec.decoder_latent,
        "decoder_dim": codec.decoder_channels,
        "sliding_window": codec.decoder_window,
        "upsample_rates": list(DECODER_STRIDES),
        "upsampling_ratios": [2, 2],
        "hidden_act": "silu",
        "rms_norm_eps": 1e-5,
        "layer_scale_initial_scale": 0.01,
        "max_position_embeddings": 8000,
        "attention_dropout": 0.0,
    }
    return {
        "architectures": ["Qwen3TTSTokenizerV2Model"],
        "model_type": "qwen3_tts_tokenizer_12hz",
        "encoder_valid_num_quantizers": codec.books,
        "input_sample_rate": SAMPLE_RATE,
        "output_sample_rate": SAMPLE_RATE,
        "decode_upsample_rate": FRAME_SAMPLES,
        "encode_downsample_rate": FRAME_SAMPLES,
        "encoder_config": encoder,
        "decoder_config": decoder,
    }


def speaker_encoder_config(sizes):
    return {
        "mel_dim": BANDS,
        "enc_dim": sizes.talker.talker.hidden,
        "enc_channels": list(sizes.speaker_encoder.channels),
        "enc_kernel_sizes": list(KERNELS),
        "enc_dilations": list(DILATIONS),
        "enc_attention_channels": sizes.speaker_encoder.attention,
        "enc_res2net_scale": SCALE,
        "enc_se_channels": sizes.speaker_encoder.squeezed,
        "sample_rate": SAMPLE_RATE,
    }


def model_config(sizes, speakers, text_ids):
    """Of the face with preset voices; without any speakers that of the face that clones."""
    common = {
        "hidden_act": "silu",
        "rms_norm_eps": 1e-6,
        "attention_dropout": 0,
        "use_cache": True,
        "use_sliding_window": False,
        "sliding_window": None,
        "num_code_groups": sizes.codec.books,
    }
    predictor = (
        transformer_config(sizes.talker.predictor)
        | common
        | {
            "model_type": "qwen3_tts_talker_code_predictor",
            "vocab_size": sizes.codec.entries,
            "max_position_embeddings": 65536,
            "rope_scaling": None,
            "layer_types": ["full_attention"] * sizes.talker.predictor.layers,
        }
    )
    ids = sizes.speaker_ids(speakers)
    ids = {name: ids[name] for name in sorted(speakers, key=LISTED.index)}
    british = [name for name in ids if SPEAKERS[name].british]
    phones = (
        {"phones": {"set": PHONES, "first": text_ids["phones"], "british": british}} if "phones" in text_ids else {}
    )
    half = sizes.talker.talker.head_dim // 2
    sections = [half - 2 * (half // 3), half // 3, half // 3]
    control = {f"codec_{name}_id": number for name, number in sizes.control_ids().items()}
    control["codec_eos_token_id"] = control.pop("codec_eos_id")
    talker = (
        transformer_config(sizes.talker.talker)
        | common
        | control
        | {
            "model_type": "qwen3_tts_talker",
            "vocab_size": sizes.talker_vocabulary,
            "max_position_embeddings": 32768,
            "text_hidden_size": sizes.talker.text_hidden,
            "text_vocab_size": text_ids["vocabulary"],
            "rope_scaling": {"interleaved": True, "mrope_section": sections, "rope_type": "default", "type": "default"},
            "codec_language_id": sizes.language_ids(),
            "spk_id": ids,
            "spk_is_dialect": dict.fromkeys(ids, False),
            "code_predictor_config": predictor,
        }
    )
    return (
        phones
        | {
            "architectures": ["Qwen3TTSForConditionalGeneration"],
            "model_type": "qwen3_tts",
            "tokenizer_type": "qwen3_tts_tokenizer_12hz",
            "tts_model_size": "0b6",
            "tts_model_type": "custom_voice" if speakers else "base",
            "longest_text": LONGEST_TEXT,
            # the heads that `hidden_and_guide` trains to look at the text; by how much they look ahead was measured
            "alignment": {
                "layer": talker["num_hidden_layers"] // 2,
                "heads": list(range(talker["num_attention_heads"] // talker["num_key_value_heads"])),
                "lead_seconds": 0.14,
            },
            "assistant_token_id": text_ids["assistant"],
            "im_start_token_id": text_ids["im_start"],
            "im_end_token_id": text_ids["im_end"],
            "tts_pad_token_id": text_ids["tts_pad"],
            "tts_bos_token_id": text_ids["tts_bos"],
            "tts_eos_token_id": text_ids["tts_eos"],
            "talker_config": talker,
        }
        | ({} if speakers else {"speaker_encoder_config": speaker_encoder_config(sizes)})
    )


def write_weights(path, tensors):
    largest = max(float(value.abs().max()) for value in tensors.values())
    if not largest < 60000:
        raise SystemExit(f"{path}: largest weight {largest} does not fit float16")
    save_file(
        {name: value.to(torch.float16).contiguous().clone() for name, value in tensors.items()}, path, {"format": "pt"}
    )
    print(f"{path}: {sum(value.numel() for value in tensors.values()):,} numbers, largest {largest:.1f}")


def write_json(path, value):
    path.write_text(json.dumps(value, indent=1) + "\n")


def write_codec(folder, tensors, sizes):
    folder.mkdir(parents=True, exist_ok=True)
    write_weights(folder / "model.safetensors", tensors)
    write_json(folder / "config.json", codec_config(sizes))
    write_json(
        folder / "preprocessor_config.json",
        {
            "chunk_length_s": None,
            "feature_extractor_type": "EncodecFeatureExtractor",
            "feature_size": 1,
            "overlap": None,
            "padding_side": "right",
            "padding_value": 0.0,
            "return_attention_mask": True,
            "sampling_rate": SAMPLE_RATE,
        },
    )


def write_face(folder, tensors, config, tokenizer):
    write_weights(folder / "model.safetensors", tensors)
    write_json(folder / "config.json", config)
    write_json(folder / "generation_config.json", GENERATION)
    write_json(
        folder / "preprocessor_config.json",
        {
            "padding_side": "left",
            "padding_value": 0.0,
            "processor_class": "Qwen3TTSProcessor",
            "return_attention_mask": True,
        },
    )
    for name in TOKENIZER_FILES:
        shutil.copy(tokenizer / name, folder)


def run(options):
    codec, sizes = codec_state(options.checkpoints)
    saved = load(options.checkpoints / "talker.pt")
    text_ids = json.loads((options.tokenizer / "text_ids.json").read_text())
    talker = {f"talker.{name}": value for name, value in saved["average"].items()}
    write_codec(options.out / "speech_tokenizer", codec_tensors(codec, sizes), sizes)
    write_face(options.out, talker, model_config(sizes, saved["speakers"], text_ids), options.tokenizer)
    if options.base_out:
        encoder = official_tensors(saved["speaker_encoder_average"])
        encoder = {f"speaker_encoder.{name}": value for name, value in encoder.items()}
        shutil.copytree(options.out / "speech_tokenizer", options.base_out / "speech_tokenizer", dirs_exist_ok=True)
        write_face(options.base_out, talker | encoder, model_config(sizes, (), text_ids), options.tokenizer)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, type=Path, help="folder to write: preset voices")
    parser.add_argument("--base-out", type=Path, help="folder to write: clones")
    parser.add_argument("--checkpoints", required=True, type=Path, help="folder with codec_*.pt and talker.pt")
    parser.add_argument("--tokenizer", required=True, type=Path, help="folder written by tokenizer.py")
    run(parser.parse_args())
