"""Frames that are repeated leave what drawing them left, bit for bit: on the CPU, and in the compiled step of a GPU."""

from dataclasses import asdict
from types import SimpleNamespace

import mlx.core as mx
import numpy as np
import pytest

from mlx_tts import SpeechRequest, api
from mlx_tts.generation.sampling import RowSampling, SamplerSettings, SamplingParams, gumbel_noise
from mlx_tts.kernels.core.forms import PLAIN, StepKernels
from mlx_tts.models.qwen3_tts.autotune import random_talker
from mlx_tts.models.qwen3_tts.frames import FrameLoop, repeated, repeated_on_gpu
from mlx_tts.models.qwen3_tts.gpu_step import CompiledDecode
from mlx_tts.runtime import mlx_thread
from tests.helpers.paths import ROOT

ROWS = 3
HOW = SamplingParams(SamplerSettings(0.9, 50, 1.0), SamplerSettings(0.9, 50, 1.0), 1.05)
KEYS = [(1, 2), (3, 4), (5, 6)]


@pytest.fixture(scope="module")
def tiny():
    with api.load_folder(ROOT / "mlx_tts" / "builtin" / "tiny") as model:
        yield model


def state(loop, dtype=mx.float32):
    """Logits, hidden, used and forbidden ids of some rows, and their text."""
    config, talker = loop.config, loop.talker
    keys = mx.random.split(mx.random.key(5), 4)
    logits = 2 * mx.random.normal((ROWS, config.vocab_size), key=keys[0])
    hidden = mx.random.normal((ROWS, config.hidden_size), dtype, key=keys[1])
    used = mx.random.uniform(shape=(ROWS, config.vocab_size), key=keys[2]) < 0.1
    text = mx.random.normal((ROWS, config.hidden_size), dtype, key=keys[3])
    assert talker.dtype == dtype
    return (logits, hidden, used, mx.stack([loop.later] * ROWS)), text


def same(one, other):
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(np.array(a.astype(mx.float32)), np.array(b.astype(mx.float32)))


def test_the_plain_step(tiny):
    def work():
        loop = tiny._synthesizer._loop
        given, _ = state(loop)
        sampling = RowSampling.of([HOW] * ROWS, loop.config.vocab_size, loop.rest_vocabulary)
        drawn = loop.sample_frame(sampling, *given, gumbel_noise(KEYS, loop.noise_width))
        codes = np.array(drawn[0])
        same(repeated(loop.talker, codes, given[2]), drawn)
        rows = [SimpleNamespace(utterance=SimpleNamespace(params=HOW))] * ROWS
        for kept in ((0,), (1,), (2,), (0, 2), (0, 1, 2), ()):
            made = [codes[row] if row in kept else None for row in range(ROWS)]
            same(loop.sample_or_repeat(rows, made, sampling, given, KEYS), drawn)

    mlx_thread.run(work)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [mx.float32, mx.bfloat16])
def test_the_step_of_a_gpu(tiny, dtype):
    """Its sums go another way: from the text on, in float32. What rounds is seen in bfloat16."""

    def work():
        loop = tiny._synthesizer._loop
        if dtype != mx.float32:
            shapes = {"config": asdict(loop.config), "dtype": "bfloat16", "formats": ["plain"]}
            loop = FrameLoop(random_talker(shapes), loop.config)
        given, text = state(loop, dtype)
        steps = CompiledDecode(loop.talker, StepKernels(PLAIN))
        sampling = RowSampling.of([HOW] * ROWS, loop.config.vocab_size, loop.rest_vocabulary)
        noise = gumbel_noise(KEYS, loop.noise_width)
        drawn = steps.sample_frame(*given, text, noise, sampling, steps.scratch(ROWS))
        same(repeated_on_gpu(loop.talker, np.array(drawn[0]), given[2], text), drawn)

    mlx_thread.run(work)


@pytest.mark.slow
def test_a_batch_on_a_gpu_repeats_and_goes_on(tiny, monkeypatch):
    """Greedy codes of the compiled step, drawn and repeated in part."""
    loop = tiny._synthesizer._loop
    monkeypatch.setattr(loop.talker, "_rows", None)  # as a GPU has none
    monkeypatch.setattr(loop, "compiled", CompiledDecode(loop.talker, StepKernels(PLAIN)))
    kept = SimpleNamespace(read=lambda seed: None, write=lambda seed, frames: None)
    request = SpeechRequest("Nobody came.", voice="hazel", language="english", seed=3)
    whole = tiny.generate_codes(request)
    for count in (7, len(whole)):
        kept.read = lambda seed, count=count: whole[:count]
        unfinished = SpeechRequest(request.text, "hazel", "english", seed=3, unfinished=kept)
        np.testing.assert_array_equal(tiny.generate_codes(unfinished), whole)
    kept.read = lambda seed: np.roll(whole[:7], 3)
    other = SpeechRequest(request.text, "hazel", "english", seed=3, unfinished=kept, max_frames=8)
    assert not np.array_equal(tiny.generate_codes(other)[:7], whole[:7]), "the kept codes were not used"
