"""The codec's decoder at sizes that the oracle's cases do not have."""

import mlx.core as mx
import numpy as np
from safetensors.numpy import save_file

from mlx_tts.models.voxcpm2.codec.weights import load_decoder
from mlx_tts.models.voxcpm2.config import SECOND, codec_config

ENTRIES = {
    "sample_rate": 16_000, "out_sample_rate": 16_000, "encoder_dim": 4, "encoder_rates": [2, 2, 2, 2, 3],
    "latent_dim": 8, "decoder_dim": 176, "decoder_rates": [3, 2, 2, 2, 2], "depthwise": True,
}  # fmt: skip


def official_tensors(random: np.random.Generator) -> dict[str, np.ndarray]:
    """Names and shapes as in the official code, whose block `level` has `176 // 2**level` channels and halves them."""
    tensors = {}

    def conv(name, *shape, channels):
        direction = random.normal(size=shape).astype(np.float32)
        tensors[f"decoder.model.{name}.weight_v"] = direction
        tensors[f"decoder.model.{name}.weight_g"] = np.full((shape[0], 1, 1), 1, np.float32)
        tensors[f"decoder.model.{name}.bias"] = np.zeros(channels, np.float32)

    def snake(name, channels):
        tensors[f"decoder.model.{name}.alpha"] = np.ones((1, channels, 1), np.float32)

    conv("0", 8, 1, 7, channels=8)
    conv("1", 176, 8, 1, channels=176)
    for level, rate in enumerate(ENTRIES["decoder_rates"]):
        wide, narrow = 176 // 2**level, 176 // 2 ** (level + 1)
        snake(f"{level + 2}.block.0", wide)
        conv(f"{level + 2}.block.1", wide, narrow, 2 * rate, channels=narrow)
        for unit in (2, 3, 4):
            for part in (0, 2):
                snake(f"{level + 2}.block.{unit}.block.{part}", narrow)
            conv(f"{level + 2}.block.{unit}.block.1", narrow, 1, 7, channels=narrow)
            conv(f"{level + 2}.block.{unit}.block.3", narrow, narrow, 1, channels=narrow)
    snake("7", 5)
    conv("8", 1, 5, 7, channels=1)
    return tensors


def test_odd_channels_are_halved_and_rounded_down(tmp_path):
    """176, 88, 44, 22, 11, 5: such a checkpoint loads, and a stream of it equals the whole."""
    config = codec_config(ENTRIES, SECOND, "config.json audio_vae_config")
    random = np.random.default_rng(0)
    save_file(official_tensors(random), tmp_path / "audiovae.safetensors")
    decoder = load_decoder(tmp_path, config)
    latents = mx.array(random.normal(size=(1, 6, 8)).astype(np.float32))
    whole = np.array(decoder(latents))
    assert whole.shape == (1, 6 * config.decoder_hop)
    assert np.abs(whole).max() > 0.01
    state, parts = decoder.make_state(1), []
    for frame in range(6):
        part, state = decoder.step(latents[:, frame : frame + 1], state)
        parts.append(np.array(part))
    # OpenBLAS sums other numbers of rows in another order: 6e-6 of 0.97 with its AVX2 products, below 1e-6 with AVX-512
    np.testing.assert_allclose(np.concatenate(parts, axis=1), whole, atol=1e-5)
