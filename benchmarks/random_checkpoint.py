# ruff: noqa: E402 (a BLAS is loaded before mlx)
"""A folder to write to, a checkpoint of the published sizes with random weights out: what loading is measured with.

python benchmarks/random_checkpoint.py FOLDER                 0.6B at 4 bits, 1.6 GB, as `mlx-tts convert` lays it out
python benchmarks/random_checkpoint.py FOLDER --size tiny --bits 32 --text-rows 2000

The tokenizer has as many entries as the real one, made by joining random tokens; the codec comes with its encoder.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from pathlib import Path

from mlx_tts.runtime import blas

blas.preload()  # before mlx

import mlx.core as mx
from mlx import nn
from mlx.utils import tree_flatten
from random_model import codec_config, talker_config

from mlx_tts.models.qwen3_tts.codec.decoder import CodecDecoder
from mlx_tts.models.qwen3_tts.codec.encoder import CodecEncoder
from mlx_tts.models.qwen3_tts.codec.weights import TRANSPOSED
from mlx_tts.models.qwen3_tts.config import CodecConfig, CodecEncoderConfig
from mlx_tts.models.qwen3_tts.talker import Talker
from mlx_tts.models.qwen3_tts.tokenizer import build_tokenizer

CASE = Path(__file__).parents[1] / "tests" / "fixtures" / "oracle" / "custom_voice_tiny" / "checkpoint"
TEXT_ROWS = 151_936
UNUSED_ROWS = 272  # of the text table, behind the last token
GROUP = 64
ENCODER = {"hidden_size": 512, "num_filters": 64, "intermediate_size": 2048, "num_attention_heads": 8}
ENCODER |= {"num_key_value_heads": 8, "head_dim": 64, "num_hidden_layers": 8, "sliding_window": 250}
ENCODER |= {"vector_quantization_hidden_dimension": 256, "codebook_dim": 256}


def write_checkpoint(
    folder: Path, size: str = "0.6B", bits: int = 4, text_rows: int = TEXT_ROWS, seed: int = 0
) -> None:
    """bits 4 and 8 quantise as `convert` does, 16 and 32 are bfloat16 and float32."""
    (folder / "speech_tokenizer").mkdir(parents=True)
    config, codec = (json.loads((CASE / part / "config.json").read_text()) for part in ("", "speech_tokenizer"))
    talker, decoder = talker_config(size, text_rows), codec_config()
    sizes = {name: value for name, value in vars(talker).items() if isinstance(value, int | float)}
    predictor = vars(talker.code_predictor_config)
    config["talker_config"] |= sizes
    config["talker_config"]["code_predictor_config"] |= predictor
    ids = write_tokenizer(folder, text_rows, seed)
    config |= {name: ids[token] for name, token in IDS.items()}
    config["tts_model_size"] = size
    if bits < 16:
        config["quantization"] = {"group_size": GROUP, "bits": bits, "mode": "affine"}
    codec["decoder_config"] |= vars(decoder)
    codec["encoder_config"] |= ENCODER
    write(folder / "config.json", config)
    write(folder / "speech_tokenizer" / "config.json", codec)
    (folder / "generation_config.json").write_bytes((CASE / "generation_config.json").read_bytes())

    mx.random.seed(seed)
    tensors = talker_tensors(Talker(talker), bits)
    mx.save_safetensors(str(folder / "model.safetensors"), tensors, {"format": "mlx"})
    fields = {name: codec["encoder_config"][name] for name in CodecEncoderConfig.__dataclass_fields__}
    encoder = CodecEncoder(CodecConfig(CodecEncoderConfig(**fields), decoder))
    tensors = {f"encoder.{path}": stored(path, value) for path, value in tree_flatten(encoder.parameters())}
    tensors |= decoder_tensors(CodecDecoder(decoder))
    mx.save_safetensors(str(folder / "speech_tokenizer" / "model.safetensors"), tensors, {"format": "pt"})


def talker_tensors(talker: Talker, bits: int) -> dict[str, mx.array]:
    """What `convert` would store: all products quantised, no embedding table."""
    dtype = mx.float32 if bits == 32 else mx.bfloat16
    for path, value in tree_flatten(talker.parameters()):
        filled = mx.ones(value.shape) if path.endswith("norm.weight") else random_array(value.shape, value.shape[-1])
        talker.load_weights([(path, filled.astype(dtype))], strict=False)
    if bits < 16:
        nn.quantize(talker, GROUP, bits, class_predicate=lambda _, layer: isinstance(layer, nn.Linear))
    return {f"talker.{path}": value for path, value in tree_flatten(talker.parameters())}


def decoder_tensors(decoder: CodecDecoder) -> dict[str, mx.array]:
    """The official names and layouts of the decoding half; only the codebooks are stored otherwise than held."""
    tensors = {}
    for path, value in tree_flatten(decoder.parameters()):
        if path != "quantizer.table":
            tensors[f"decoder.{path}"] = stored(path, value)
    config = decoder.config
    channels, first = config.codebook_dim // 2, config.num_semantic_quantizers
    for group, count in (("first", first), ("rest", config.num_quantizers - first)):
        prefix = f"decoder.quantizer.rvq_{group}."
        tensors[f"{prefix}output_proj.weight"] = random_array((config.codebook_dim, channels, 1), channels)
        for book in range(count):
            name = f"{prefix}vq.layers.{book}._codebook."
            tensors[f"{name}embedding_sum"] = mx.random.normal((config.codebook_size, channels))
            tensors[f"{name}cluster_usage"] = mx.ones((config.codebook_size,))
    return tensors


def stored(path: str, value: mx.array) -> mx.array:
    """Random numbers in the official layout of a parameter: [out, in, k], or [in, out, k] of a transposed one."""
    if value.ndim < 3:
        return random_array(value.shape, value.shape[-1] if value.ndim == 2 else 400)
    a, b, c = value.shape  # on the CPU [k, in, out], transposed [in, k, out]
    return random_array((a, c, b) if TRANSPOSED.fullmatch(path) else (c, b, a), a * b)


def random_array(shape: tuple[int, ...], width: int) -> mx.array:
    """Small enough that no number grows on its way."""
    return mx.random.normal(shape) / math.sqrt(width)


IDS = {
    "im_start_token_id": "<|im_start|>",
    "im_end_token_id": "<|im_end|>",
    "tts_pad_token_id": "<tts_pad>",
    "tts_bos_token_id": "<tts_text_bos>",
    "tts_eos_token_id": "<tts_text_eod>",
}


def write_tokenizer(folder: Path, text_rows: int, seed: int) -> dict[str, int]:
    """vocab.json, merges.txt and their config with `text_rows - UNUSED_ROWS` entries; the ids of the special ones."""
    vocabulary = json.loads((CASE / "vocab.json").read_text(encoding="utf-8"))
    merges = (CASE / "merges.txt").read_text(encoding="utf-8").splitlines()
    special = json.loads((CASE / "tokenizer_config.json").read_text(encoding="utf-8"))
    added = [entry for _, entry in sorted(special["added_tokens_decoder"].items(), key=lambda item: int(item[0]))]
    chance, tokens = random.Random(seed), list(vocabulary)
    while len(vocabulary) < text_rows - UNUSED_ROWS - len(added):
        pair = chance.choice(tokens), chance.choice(tokens)
        if len(joined := "".join(pair)) <= 12 and joined not in vocabulary:
            vocabulary[joined] = len(vocabulary)
            tokens.append(joined)
            merges.append(" ".join(pair))
    special["added_tokens_decoder"] = {str(len(vocabulary) + i): entry for i, entry in enumerate(added)}
    write(folder / "vocab.json", vocabulary)
    (folder / "merges.txt").write_text("\n".join([*merges, ""]), encoding="utf-8")
    write(folder / "tokenizer_config.json", special)
    build_tokenizer(folder).save(str(folder / "tokenizer.json"))
    return {entry["content"]: len(vocabulary) + i for i, entry in enumerate(added)}


def write(path: Path, data: object) -> None:
    path.write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--size", choices=("0.6B", "1.7B", "tiny"), default="0.6B")
    parser.add_argument("--bits", type=int, choices=(4, 8, 16, 32), default=4)
    parser.add_argument("--text-rows", type=int, default=TEXT_ROWS)
    options = parser.parse_args()
    mx.set_default_device(mx.cpu)  # so that layouts are the CPU's, from which `stored` starts
    write_checkpoint(options.folder, options.size, options.bits, options.text_rows)


if __name__ == "__main__":
    main()
