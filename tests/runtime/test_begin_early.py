"""What is computed while the rest of a step is put together has the same bits, and on a GPU nothing is begun early."""

from __future__ import annotations

from dataclasses import replace

import mlx.core as mx
import numpy as np
import pytest

from benchmarks.random_model import random_talker, talker_config
from mlx_tts.generation.sampling import CodeSampling, SamplerSettings, gumbel_noise
from mlx_tts.models.qwen3_tts.prefill import Prefill
from mlx_tts.nn.activations import SnakeBeta
from mlx_tts.nn.conv import CausalConv1d
from mlx_tts.nn.streaming import step_through
from mlx_tts.runtime import device
from mlx_tts.runtime.device import CPU, METAL


@pytest.fixture(scope="module")
def talker():
    return random_talker(talker_config("tiny"), 32, mx.float32)


@pytest.fixture
def begun(monkeypatch) -> list[int]:
    """How many arrays each call of `mx.async_eval` was given."""
    calls, begin = [], mx.async_eval

    def logged(*arrays):
        calls.append(len(arrays))
        begin(*arrays)

    monkeypatch.setattr(mx, "async_eval", logged)
    return calls


def early(monkeypatch, is_early: bool) -> None:
    monkeypatch.setattr(device, "policy", lambda: replace(CPU, begins_early=is_early))


def frame(talker) -> list[np.ndarray]:
    """Codes and hidden state of a frame behind a prompt, and the prompt's keys and values."""
    prompt = Prefill(talker)
    reading = prompt.read(prompt.enter(mx.random.normal((9, 256), key=mx.random.key(1))))
    while True:
        try:
            next(reading)
        except StopIteration as done:
            caches = done.value
            break
    logits, hidden = talker.step_rows(mx.random.normal((1, 1, 256), key=mx.random.key(2)), [caches])
    predictor = talker.code_predictor
    how = CodeSampling.of([SamplerSettings(0.9, 20, 0.9)], predictor.vocab_size)
    noise = gumbel_noise([(1, 2)], (predictor.num_code_groups - 1) * predictor.vocab_size)
    codes, total = predictor(hidden, hidden, noise, how)
    return [np.array(value) for value in (logits, hidden, codes, total, *(cache.kv for cache in caches))]


def test_a_frame_begun_early_has_the_bits_of_one_begun_at_its_end(talker, monkeypatch, begun):
    early(monkeypatch, False)
    late = frame(talker)
    assert len(begun) == 1  # the prompt
    begun.clear()
    early(monkeypatch, True)
    for ours, theirs in zip(frame(talker), late, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    layers, predictor = len(talker.model.layers), talker.code_predictor
    codes = predictor.num_code_groups - 1
    between = (layers - 1) + (len(predictor.model.layers) - 1)  # the layers of the prompt, and of the first other code
    behind = layers + (codes - 1) * len(predictor.model.layers) + codes
    assert len(begun) == 1 + between + behind


def test_layers_of_a_codec_are_begun_early(monkeypatch, begun):
    layers = [CausalConv1d(4, 4, 5), SnakeBeta(4), CausalConv1d(4, 1, 7)]
    x = mx.random.normal((1, 20, 4), key=mx.random.key(3))
    states = tuple(layer.make_state(1) if isinstance(layer, CausalConv1d) else () for layer in layers)
    early(monkeypatch, False)
    late = np.array(step_through(layers, x, states)[0])
    assert not begun
    early(monkeypatch, True)
    np.testing.assert_array_equal(np.array(step_through(layers, x, states)[0]), late)
    assert begun == [1, 1, 1]


def test_on_a_gpu_nothing_is_begun_early(monkeypatch, begun):
    monkeypatch.setattr(device, "policy", lambda: METAL)
    device.begin_early(mx.ones((2,)))
    assert not begun


def test_within_what_is_compiled_nothing_is_begun(monkeypatch, begun):
    """There are no numbers yet. Where nothing is traced, the same function begins."""
    early(monkeypatch, True)

    def doubled(x):
        y = x * 2
        device.begin_early(y)
        return y + 1

    def traced(x):
        with pytest.raises(ValueError, match="graph transformation"):
            mx.async_eval(x)
        return doubled(x)

    assert mx.vmap(traced)(mx.ones((3,))).tolist() == [3, 3, 3]
    begun.clear()
    assert doubled(mx.ones((3,))).tolist() == [3, 3, 3]
    assert begun == [1]
