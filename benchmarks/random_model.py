"""A size and a number of bits in, a talker of that shape with random weights out: no download, no checkpoint."""

from __future__ import annotations

import math

import mlx.core as mx
from mlx import nn
from mlx.utils import tree_map_with_path

from mlx_tts.models.qwen3_tts.codec.decoder import CodecDecoder
from mlx_tts.models.qwen3_tts.config import CodecDecoderConfig, CodePredictorConfig, TalkerConfig
from mlx_tts.models.qwen3_tts.talker import Talker
from mlx_tts.nn.linear import ProductLinear, to_cpu_layout

HIDDEN = {"0.6B": 1024, "1.7B": 2048, "tiny": 256}  # tiny: to try a benchmark, near the built-in voice
DTYPES = {4: mx.bfloat16, 6: mx.bfloat16, 8: mx.bfloat16, 16: mx.bfloat16, 32: mx.float32}  # of what is not quantised
PROMPT = 40  # positions before the first frame
CHUNK = 4  # frames a streamed piece
SMALL_TEXT = 64  # rows of the text table: no benchmark reads it, and the real one has 622 MB


def talker_config(size: str, text_rows: int = SMALL_TEXT) -> TalkerConfig:
    """The published shape of the talker; 1.7B is wider and has a projection before its code predictor."""
    hidden, tiny = HIDDEN[size], size == "tiny"
    shared = {
        "num_attention_heads": 4 if tiny else 16,
        "num_key_value_heads": 2 if tiny else 8,
        "head_dim": 64 if tiny else 128,
        "rms_norm_eps": 1e-6,
        "rope_theta": 1e6,
        "num_code_groups": 16,
    }
    predictor = CodePredictorConfig(
        hidden_size=256 if tiny else 1024,
        intermediate_size=768 if tiny else 3072,
        num_hidden_layers=3 if tiny else 5,
        vocab_size=2048,
        **shared,
    )
    return TalkerConfig(
        hidden_size=hidden,
        intermediate_size=3 * hidden,
        num_hidden_layers=8 if tiny else 28,
        vocab_size=3072,
        text_hidden_size=2048,
        text_vocab_size=text_rows,
        codec_bos_id=2149,
        codec_eos_token_id=2150,
        codec_pad_id=2148,
        codec_think_id=2154,
        codec_nothink_id=2155,
        codec_think_bos_id=2156,
        codec_think_eos_id=2157,
        codec_language_id={},
        spk_id={},
        spk_is_dialect={},
        code_predictor_config=predictor,
        **shared,
    )


def random_talker(config: TalkerConfig, bits: int, dtype: mx.Dtype = mx.bfloat16, seed: int = 0) -> Talker:
    """Weights that keep the size of what passes through; 4, 6 or 8 bits quantise the products, 16 or 32 leave them."""
    mx.random.seed(seed)
    talker = Talker(config)

    def fill(path: str, value: mx.array) -> mx.array:
        if path.endswith("norm.weight"):
            return mx.ones(value.shape, dtype)
        return (mx.random.normal(value.shape) / math.sqrt(value.shape[-1])).astype(dtype)

    talker.update(tree_map_with_path(fill, talker.parameters()))
    if bits < 16:
        nn.quantize(talker, bits=bits, group_size=64, class_predicate=lambda _, layer: isinstance(layer, nn.Linear))
    talker.fuse_projections()
    to_cpu_layout(talker)
    mx.eval(talker.parameters())
    return talker


def bytes_a_frame(talker: Talker) -> int:
    """Weights that a frame reads: the talker's products once, the code predictor's layers 15 times, each head once."""

    def of(module: nn.Module) -> int:
        total = 0
        for _, layer in module.named_modules():
            if isinstance(layer, (nn.Linear, nn.QuantizedLinear, ProductLinear)):
                total += sum(value.nbytes for value in layer.parameters().values())
        return total

    predictor = talker.code_predictor
    steps = len(predictor.lm_head)
    heads = sum(of(head) for head in predictor.lm_head)
    small = steps * (of(predictor) - heads) + heads
    return of(talker.model) + of(talker.codec_head) + small


def codec_config(size: str = "0.6B") -> CodecDecoderConfig:
    """The published shape of the decoding half of the codec, the same for all sizes but tiny."""
    tiny = size == "tiny"
    return CodecDecoderConfig(
        codebook_size=2048,
        codebook_dim=512,
        num_quantizers=16,
        latent_dim=1024,
        decoder_dim=96 if tiny else 1536,
        hidden_size=512,
        intermediate_size=1024,
        num_hidden_layers=2 if tiny else 8,
        num_attention_heads=16,
        num_key_value_heads=16,
        head_dim=64,
        sliding_window=72,
        rms_norm_eps=1e-5,
        rope_theta=10000.0,
        upsample_rates=(8, 5, 4, 3),
        upsampling_ratios=(2, 2),
    )


def random_codec(size: str = "0.6B", seed: int = 0) -> CodecDecoder:
    """The decoder in float32; small weights, so that no number grows."""
    mx.random.seed(seed)
    codec = CodecDecoder(codec_config(size))
    codec.update(tree_map_with_path(lambda _, value: 0.01 * mx.random.normal(value.shape), codec.parameters()))
    to_cpu_layout(codec)
    mx.eval(codec.parameters())
    return codec
