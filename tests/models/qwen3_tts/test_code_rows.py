"""Codes of rows by NumPy against the plain operations, sampled and greedy, with and without a projection."""

from dataclasses import replace

import mlx.core as mx
import numpy as np
import pytest

from mlx_tts.generation.sampling import CodeSampling, SamplerSettings, gumbel_noise
from mlx_tts.models.qwen3_tts.config import CodePredictorConfig
from mlx_tts.models.qwen3_tts.talker import CodePredictor
from mlx_tts.nn.linear import to_cpu_layout

CONFIG = CodePredictorConfig(
    hidden_size=32,
    intermediate_size=48,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    head_dim=16,
    rms_norm_eps=1e-6,
    rope_theta=1e4,
    num_code_groups=5,
    vocab_size=64,
)
SAMPLED = SamplerSettings(temperature=0.8, top_k=20, top_p=1.0)
SETTINGS = {
    "greedy": [SamplerSettings(0.0, 0, 1.0)] * 3,
    "sampled": [SAMPLED] * 3,
    "of all": [replace(SAMPLED, top_k=0)] * 3,
    "each in its own way": [SAMPLED, SamplerSettings(0.0, 0, 1.0), replace(SAMPLED, top_k=5, top_p=0.7)],
}


def predictor(talker_width: int) -> CodePredictor:
    mx.random.seed(3)
    made = CodePredictor(CONFIG, talker_width)
    made.model.fuse_projections()
    to_cpu_layout(made)
    return made


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("width", [32, 40])
def test_they_are_those_of_the_plain_operations(settings, width):
    hidden, first = (mx.random.normal((3, width), key=mx.random.key(seed)) for seed in (1, 2))
    how = CodeSampling.of(settings, CONFIG.vocab_size)
    noise = None if how.greedy else gumbel_noise([(1, 2), (3, 4), (5, 6)], 4 * CONFIG.vocab_size)
    model = predictor(width)
    wanted, wanted_total = model(hidden, first, noise, how)
    model.prepare_rows()
    assert model._rows is not None
    codes, total = model(hidden, first, noise, how)
    np.testing.assert_array_equal(codes, wanted)
    assert codes.dtype == wanted.dtype
    np.testing.assert_allclose(total, wanted_total, atol=1e-5)
    assert len(np.unique(codes)) > 3
