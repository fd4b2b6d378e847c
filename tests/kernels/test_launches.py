"""A frame's launches on a GPU, counted without one: fewer are welcome, more are slower speech on every Mac."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import NamedTuple

import mlx.core as mx
import numpy as np
import pytest

from benchmarks.random_model import random_talker, talker_config
from mlx_tts.generation.sampling import RowSampling, SamplerSettings, SamplingParams, gumbel_noise
from mlx_tts.kernels import layer_steps, persistent_stack, products
from mlx_tts.kernels.core import forms, source
from mlx_tts.models.qwen3_tts import gpu_step
from mlx_tts.models.qwen3_tts.autotune import TRIAL
from mlx_tts.models.qwen3_tts.config import TalkerConfig
from mlx_tts.models.qwen3_tts.gpu_step import CompiledDecode
from mlx_tts.models.qwen3_tts.talker import Talker
from mlx_tts.nn.cache import regrouped
from mlx_tts.runtime.device import CudaLimits
from tests.helpers.gpu_form import as_on_gpu
from tests.helpers.launches import as_on_metal, launches

pytestmark = [pytest.mark.slow, pytest.mark.compiled]

SAMPLED, GREEDY = SamplerSettings(0.9, 50, 1.0), SamplerSettings(0, 0, 1.0)


WIDE = {"hidden_size": 256, "intermediate_size": 256, "num_attention_heads": 4, "num_key_value_heads": 2}
WIDE |= {"head_dim": 64}  # the least that a stack in one launch can have


class Frame(NamedTuple):
    """Launches of one frame of the 0.6B model, 28 and 5 layers."""

    talker: int
    predictor: int
    noise: int


# Before the plain path was tuned: talker 621, predictor 1,804, noise 11.
MOST = {
    "plain": Frame(367, 1093, 3),
    "half": Frame(226, 631, 3),
    "fused": Frame(142, 406, 3),
    "resident": Frame(3, 5, 3),
}


@cache
def model_of(bits: int, wide: bool) -> tuple[Talker, TalkerConfig]:
    """As deep as the 0.6B model, and narrow. Most of what a count costs is to make it, and no count changes it."""
    config = talker_config("tiny")
    predictor = replace(config.code_predictor_config, num_hidden_layers=5)
    if wide:
        config, predictor = replace(config, **WIDE), replace(predictor, **WIDE)
    config = replace(config, num_hidden_layers=28, code_predictor_config=predictor)
    return random_talker(config, bits), config


def frame(
    patch: pytest.MonkeyPatch,
    kernels: str,
    rows: int,
    settings: SamplerSettings = SAMPLED,
    bits: int = 4,
    wide: bool = False,
) -> Frame:
    as_on_gpu(patch)
    for module in (source, forms):
        patch.setattr(module, "gpu_language", lambda: "metal")
    patch.setenv("MLX_TTS_KERNELS", kernels)

    def passes(chosen, check, rows=0, part="products"):
        return chosen if forms.kernel_form().uses(part) else None

    for module in (gpu_step, layer_steps, products):
        patch.setattr(module, "self_checked", passes)
    talker, config = model_of(bits, wide)
    steps, D = CompiledDecode(talker, TRIAL.choose(talker)), config.hidden_size
    caches = talker.make_cache()
    talker.model(mx.zeros((1, 9, D), talker.dtype), caches)
    if rows > 1:
        caches = regrouped(caches, (), [caches] * rows)
        for cache in caches:
            cache.reserve(cache.length + 1)
    x = mx.zeros((rows, 1, D), talker.dtype)
    mx.eval(x, [cache.kv for cache in caches], persistent_stack.counters_of(caches))
    as_on_metal(patch)
    source._built.cache_clear()
    logits, hidden = steps.decode_step(x, caches)
    talker_launches = launches([logits, hidden, *(cache.kv for cache in caches)])
    V, later = config.vocab_size, config.code_predictor_config.vocab_size
    given = [mx.zeros(logits.shape, logits.dtype), mx.zeros(hidden.shape, hidden.dtype)]
    given += [mx.zeros((rows, V), mx.bool_), mx.zeros((rows, V)), mx.zeros((rows, D), talker.dtype)]
    noise, scratch = mx.zeros((rows, V + 15 * later)), steps.scratch(rows)
    mx.eval(given, noise, scratch)
    sampling = RowSampling.of([SamplingParams(settings, settings, 1.05)] * rows, V, later)
    drawn = steps.sample_frame(*given, None if settings.greedy else noise, sampling, scratch)
    predictor_launches = launches([*drawn, *scratch])
    noise_launches = launches([gumbel_noise([(1, 2)] * rows, noise.shape[1])])
    source._built.cache_clear()
    return Frame(talker_launches.total(), predictor_launches.total(), noise_launches.total())


@pytest.mark.smoke("off-plain-1", "half-half-1", "on-fused-2")
@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize(("kernels", "form"), [("off", "plain"), ("half", "half"), ("on", "fused")])
def test_no_more_launches_a_frame(kernels, form, rows, monkeypatch):
    counted = frame(monkeypatch, kernels, rows)
    assert forms.kernel_form().name == form
    most = MOST[form]
    if form == "fused" and rows > 1:
        most = most._replace(talker=most.talker + 2)  # the starts of rows, made long enough for the kernel
    assert all(now <= allowed for now, allowed in zip(counted, most, strict=True)), f"{counted}, at most {most}"
    assert all(now == allowed for now, allowed in zip(counted, most, strict=True)), (
        f"fewer now: write {counted} into MOST"
    )


@pytest.mark.smoke("16")
@pytest.mark.parametrize("bits", [4, 16])
def test_no_more_launches_of_eight_rows_on_cuda(bits, monkeypatch):
    """There the host sends them one by one, and eight rows shall cost it hardly more than one: the code predictor's
    first step takes two positions a row, which is more than products of plain matrices do."""
    for most in (products.MOST_ROWS, products.MOST_QUANTISED_ROWS):
        monkeypatch.setitem(most, "metal", most["cuda"])  # counted as on Metal
    talker, predictor, noise = MOST["fused"]
    assert frame(monkeypatch, "on", 8, bits=bits) == (talker, predictor + (3 * 5 if bits == 16 else 0), noise)


@pytest.mark.smoke("32")
@pytest.mark.parametrize("rows", [8, 9, 16, 32])
def test_no_more_launches_of_many_plain_rows_on_cuda(rows, monkeypatch):
    """There plain matrices have kernels for up to 32 rows; the first step of the predictor takes two a row."""
    monkeypatch.setitem(products.MOST_ROWS, "metal", products.MOST_ROWS["cuda"])  # counted as on Metal
    monkeypatch.setattr(products, "gpu_language", lambda: "cuda")
    talker, predictor, noise = MOST["fused"]
    assert frame(monkeypatch, "on", rows, bits=16) == (talker, predictor + (3 * 5 if rows > 16 else 0), noise)


@pytest.mark.smoke("8")
@pytest.mark.parametrize("rows", [1, 8, 32])
def test_no_more_launches_of_stacks_that_stay_on_cuda(rows, monkeypatch):
    for most in (products.MOST_ROWS, products.MOST_QUANTISED_ROWS):
        monkeypatch.setitem(most, "metal", most["cuda"])  # counted as on Metal
    for module in (products, persistent_stack):
        monkeypatch.setattr(module, "gpu_language", lambda: "cuda")
    monkeypatch.setattr(persistent_stack, "cuda_limits", lambda: CudaLimits(132, 232_448))
    monkeypatch.setattr(forms, "with_attention_switch", lambda _: forms.PERSISTENT)
    assert frame(monkeypatch, "on", rows, bits=16, wide=True) == MOST["resident"]


def test_a_residual_is_added_by_its_product(monkeypatch):
    """Plain matrices and more rows than the kernels take: two launches fewer a layer than quantised ones."""
    layers = Frame(2 * 28, 2 * 75, 0)
    plain, quantised = (frame(monkeypatch, "off", 9, bits=bits) for bits in (16, 4))
    assert tuple(map(sum, zip(plain, layers, strict=True))) == quantised


def test_greedy_frames_draw_with_one_launch_each(monkeypatch):
    greedy = frame(monkeypatch, "off", 1, GREEDY)
    assert MOST["plain"].predictor - greedy.predictor == 16 * 3  # no sort, no gather, no noise and filter


def test_caches_lie_as_the_attention_of_mlx_reads_them(oracle):
    """MLX's decode attention copies keys and values whole unless rows follow each other at a constant stride."""
    talker = oracle("custom_voice_tiny").model._loop.talker
    caches = talker.make_cache()
    talker.model(mx.zeros((1, 3, talker.codec_head.weight.shape[0])), caches)
    for one in (caches[0], regrouped(caches, (), [caches] * 3)[0]):
        one.reserve(one.length + 1)
        for part in (one.kv[0, :], one.kv[1, :]):
            stored = np.asarray(part[:, :, :3])
            assert stored.shape[0] == 1 or stored.strides[0] == stored.strides[1] * stored.shape[1]
            assert stored.strides[-1] == stored.itemsize
