"""Kind and shape -> the files of a small checkpoint, all but the weights, in the official on-disk layout."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

HERE = Path(__file__).resolve().parent
SHAPES: dict[str, dict[str, Any]] = json.loads((HERE / "shapes.json").read_text(encoding="utf-8"))

CORPUS = [
    "assistant user system the quick brown fox jumps over the lazy dog",
    "Hello world, this is a test of speech. How are you today? I am fine, thank you.",
    "Speak slowly and solemnly. Whisper this softly, please! Numbers: 1 2 3 4 5 6 7 8 9 0.",
    "Grüße aus München, señor. Où est la gare? 你好，世界。こんにちは。안녕하세요. Привет, мир.",
] + ["assistant", "user"] * 50
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<tts_pad>", "<tts_text_bos>", "<tts_text_eod>"]


def write_checkpoint(folder: Path, kind: str, shape: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Write tokenizer and configs into `folder`; return config.json and speech_tokenizer/config.json."""
    sizes = SHAPES[shape] if shape in SHAPES else json.loads(Path(shape).read_text(encoding="utf-8"))
    fixed = json.loads((HERE / "templates.json").read_text(encoding="utf-8"))
    codec_folder = folder / "speech_tokenizer"
    codec_folder.mkdir(parents=True, exist_ok=True)
    config = model_config(kind, "0b6" if shape == "tiny" else "1b7", sizes, fixed, write_tokenizer(folder, fixed))
    codec = codec_config(sizes, fixed)
    write_json(folder / "config.json", config)
    write_json(folder / "generation_config.json", fixed["generation"])
    write_json(folder / "preprocessor_config.json", fixed["preprocessor"])
    write_json(codec_folder / "config.json", codec)
    write_json(codec_folder / "preprocessor_config.json", fixed["codec_preprocessor"])
    return config, codec


def write_json(path: Path, data: Any) -> None:
    path.write_text(json.dumps(data, indent=1, ensure_ascii=False), encoding="utf-8")


def write_tokenizer(folder: Path, fixed: dict[str, Any]) -> dict[str, int]:
    """Train a byte-level BPE in the Qwen2 file format (vocab.json, merges.txt); return the special ids."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=700, initial_alphabet=alphabet, min_frequency=1)
    tokenizer.train_from_iterator(CORPUS, trainer)
    state = json.loads(tokenizer.to_str())["model"]
    vocab = state["vocab"]
    if not {"assistant", "user"} <= set(vocab):
        raise SystemExit("the prompt slicing needs the role names as single tokens; the corpus gave others")
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in state["merges"]]
    (folder / "vocab.json").write_text(json.dumps(vocab, ensure_ascii=False), encoding="utf-8")
    (folder / "merges.txt").write_text("\n".join(["#version: 0.2", *merges, ""]), encoding="utf-8")
    ids = {name: len(vocab) + i for i, name in enumerate(SPECIAL)}
    added = {str(i): {"content": name} | fixed["added_token"] for name, i in ids.items()}
    write_json(folder / "tokenizer_config.json", fixed["tokenizer"] | {"added_tokens_decoder": added})
    return ids


def model_config(
    kind: str, size: str, sizes: dict[str, Any], fixed: dict[str, Any], ids: dict[str, int]
) -> dict[str, Any]:
    code_predictor = {
        "hidden_size": sizes["cp_hidden"],
        "intermediate_size": 2 * sizes["cp_hidden"],
        "num_hidden_layers": sizes["cp_layers"],
        "num_code_groups": sizes["groups"],
        "layer_types": ["full_attention"] * sizes["cp_layers"],
    }
    talker = {
        "hidden_size": sizes["hidden"],
        "intermediate_size": sizes["ffn"],
        "num_hidden_layers": sizes["layers"],
        "num_attention_heads": sizes["heads"],
        "num_key_value_heads": sizes["kv"],
        "head_dim": sizes["head_dim"],
        "num_code_groups": sizes["groups"],
        "text_hidden_size": sizes["text_hidden"],
        "text_vocab_size": max(ids.values()) + 1,
        "rope_scaling": fixed["rope_scaling"] | {"mrope_section": sizes["mrope"]},
        "code_predictor_config": fixed["transformer"] | fixed["code_predictor"] | code_predictor,
    }
    if kind != "custom_voice":
        talker |= {"spk_id": {}, "spk_is_dialect": {}}
    config = fixed["model"] | {
        "im_start_token_id": ids["<|im_start|>"],
        "im_end_token_id": ids["<|im_end|>"],
        "tts_pad_token_id": ids["<tts_pad>"],
        "tts_bos_token_id": ids["<tts_text_bos>"],
        "tts_eos_token_id": ids["<tts_text_eod>"],
        "tts_model_size": size,
        "tts_model_type": kind,
        "talker_config": fixed["transformer"] | fixed["talker"] | talker,
    }
    if kind == "base":
        config["speaker_encoder_config"] = {"enc_dim": sizes["spk_dim"]} | fixed["speaker_encoder"]
    return config


def codec_config(sizes: dict[str, Any], fixed: dict[str, Any]) -> dict[str, Any]:
    encoder = fixed["codec_encoder"] | {"upsample_groups": sizes["enc"]["hidden_size"]} | sizes["enc"]
    return fixed["codec"] | {"encoder_config": encoder, "decoder_config": fixed["codec_decoder"] | sizes["dec"]}
