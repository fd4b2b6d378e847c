"""Which kernels are asked for."""

from __future__ import annotations

import pytest

from mlx_tts.kernels.core import forms
from mlx_tts.kernels.core.forms import FUSED, HALF, PERSISTENT, PLAIN

pytestmark = [pytest.mark.slow, pytest.mark.compiled]


@pytest.mark.parametrize(
    ("language", "kernels", "attention_switch", "form"),
    [
        ("metal", "off", None, PLAIN),
        ("metal", "0", None, PLAIN),
        ("metal", "half", None, HALF),
        ("metal", "on", None, FUSED),
        ("metal", "1", None, FUSED),
        ("metal", "on", "0", HALF),
        ("metal", "half", "1", FUSED),
        ("metal", "fused", None, FUSED),
        ("cuda", "fused", None, FUSED),
        ("cuda", "on", None, PERSISTENT),
        ("cuda", "on", "0", HALF),
        (None, "on", "1", PLAIN),
    ],
)
def test_the_form_that_is_asked_for(language, kernels, attention_switch, form, monkeypatch):
    monkeypatch.setattr(forms, "gpu_language", lambda: language)
    monkeypatch.setenv("MLX_TTS_KERNELS", kernels)
    monkeypatch.delenv("MLX_TTS_ATTENTION_KERNEL", raising=False)
    if attention_switch is not None:
        monkeypatch.setenv("MLX_TTS_ATTENTION_KERNEL", attention_switch)
    assert forms.kernel_form() == form
