"""The released shapes of VoxCPM, as config.json has them; and a small one, to try the programs."""

from __future__ import annotations

from typing import Any

TEXT = "The quick brown fox jumps over the lazy dog, and the yellow zebra is not a cat today."
LOCAL = {"hidden_dim": 1024, "ffn_dim": 4096, "num_heads": 16}
CODEC2 = {
    "encoder_dim": 128,
    "encoder_rates": [2, 5, 8, 8],
    "latent_dim": 64,
    "decoder_dim": 2048,
    "decoder_rates": [8, 6, 5, 2, 2, 2],
    "sr_bin_boundaries": [20000, 30000, 40000],
    "sample_rate": 16000,
    "out_sample_rate": 48000,
}
CODEC1 = {
    "encoder_dim": 128,
    "encoder_rates": [2, 5, 8, 8],
    "latent_dim": 64,
    "decoder_dim": 1536,
    "decoder_rates": [8, 8, 5, 2],
    "sample_rate": 16000,
}
SHAPES: dict[str, dict[str, Any]] = {
    "voxcpm2": {
        "architecture": "voxcpm2",
        "lm": {"hidden_size": 2048, "intermediate_size": 6144, "num_hidden_layers": 28, "kv_channels": 128},
        "residual_lm_num_layers": 8,
        "local": {**LOCAL, "num_layers": 12, "kv_channels": 128},
        "patch_size": 4,
        "quantiser": 512,
        "max_length": 8192,
        "codec": CODEC2,
    },
    "0.5b": {
        "architecture": "voxcpm",
        "lm": {"hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24},
        "residual_lm_num_layers": 6,
        "local": {**LOCAL, "num_layers": 4},
        "patch_size": 2,
        "quantiser": 256,
        "max_length": 4096,
        "codec": CODEC1,
    },
    "tiny": {  # to try the programs
        "architecture": "voxcpm2",
        "lm": {"hidden_size": 256, "intermediate_size": 384, "num_hidden_layers": 3, "kv_channels": 64},
        "heads": 4,
        "residual_lm_num_layers": 2,
        "local": {"hidden_dim": 128, "ffn_dim": 256, "num_heads": 4, "num_layers": 2, "kv_channels": 64},
        "patch_size": 4,
        "quantiser": 64,
        "max_length": 512,
        "codec": {**CODEC2, "encoder_dim": 8, "decoder_dim": 256},
    },
}
VOCABULARY, DIM = 73448, 64


def config(shape: dict[str, Any], dtype: str) -> dict[str, Any]:
    """config.json as the released ones have it."""
    second, heads = shape["architecture"] == "voxcpm2", shape.get("heads", 16)
    head = shape["lm"].get("kv_channels") or shape["lm"]["hidden_size"] // heads
    factors = [1.0 + 0.1 * at for at in range(head // 2)]
    rope = {"type": "longrope", "long_factor": factors, "short_factor": factors}
    rope |= {"original_max_position_embeddings": 32768}
    lm = {"bos_token_id": 1, "eos_token_id": 2, "max_position_embeddings": 32768, "rms_norm_eps": 1e-5}
    lm |= {"num_attention_heads": heads, "num_key_value_heads": 2, "rope_theta": 10000, "rope_scaling": rope}
    lm |= {"vocab_size": VOCABULARY, "use_mup": False, "scale_emb": 12, "dim_model_base": 256, "scale_depth": 1.4}
    flow = {"sigma_min": 1e-06, "solver": "euler", "t_scheduler": "log-norm", "inference_cfg_rate": 2.0}
    return {
        "architecture": shape["architecture"],
        "lm_config": lm | shape["lm"],
        "patch_size": shape["patch_size"],
        "feat_dim": DIM,
        "scalar_quantization_latent_dim": shape["quantiser"],
        "scalar_quantization_scale": 9,
        "residual_lm_num_layers": shape["residual_lm_num_layers"],
        **({"residual_lm_no_rope": True} if second else {}),
        "encoder_config": shape["local"],
        "dit_config": shape["local"] | {"cfm_config": flow},
        "audio_vae_config": shape["codec"],
        "max_length": shape["max_length"],
        "device": "cuda",
        "dtype": dtype,
    }
