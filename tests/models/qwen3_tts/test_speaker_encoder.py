"""Speaker vector against the official one, from both layouts of its convolutions."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest

from mlx_tts.audio.mel import log_mel
from mlx_tts.models.qwen3_tts.checkpoint import open_checkpoint
from mlx_tts.models.qwen3_tts.codec.weights import speaker_encoder_weights
from mlx_tts.models.qwen3_tts.speaker_encoder import SpeakerEncoder
from tests.conftest import BASE_CASES


def load(case, layout: str = "torch") -> SpeakerEncoder:
    raw = mx.load(str(case.folder / "model.safetensors"))
    if layout == "mlx":
        raw = {name: w.transpose(0, 2, 1) if w.ndim == 3 else w for name, w in raw.items()}
    encoder = SpeakerEncoder(open_checkpoint(case.folder).model.speaker_encoder_config)
    weights = speaker_encoder_weights(raw, layout)
    assert set(weights.sources) == {name for name in raw if name.startswith("speaker_encoder.")}
    encoder.load_weights(list(weights.parameters.items()), strict=True)
    return encoder


@pytest.mark.parametrize("layout", ["torch", "mlx"])
@pytest.mark.parametrize("name", BASE_CASES)
def test_vector_is_the_official_one(oracle, name, layout):
    case = oracle(name)
    vector = np.array(load(case, layout)(mx.array(log_mel(case.golden["audio"]))[None]))[0]
    official = case.golden["xvector"]
    assert np.linalg.norm(vector - official) <= 1e-4 * np.linalg.norm(official)


def test_rows_of_a_batch_do_not_touch(oracle):
    case = oracle("base_tiny")
    encoder, mel = load(case), log_mel(case.golden["audio"])
    both = mx.array(np.stack([mel, mel[::-1]]))
    np.testing.assert_allclose(np.array(encoder(both)[1:]), np.array(encoder(both[1:])), atol=1e-5)
