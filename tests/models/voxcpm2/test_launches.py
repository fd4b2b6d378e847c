"""A patch's launches on a GPU, counted without one: fewer are welcome, more are slower speech on every GPU."""

from __future__ import annotations

import json
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest
from mlx.utils import tree_map

from benchmarks.voxcpm_shapes import SHAPES, config
from mlx_tts.kernels import attention, layer_steps, persistent_stack, products, stack_steps
from mlx_tts.kernels.core import forms, source
from mlx_tts.models.voxcpm2 import gpu_step
from mlx_tts.models.voxcpm2.config import GenerationSettings, model_config
from mlx_tts.models.voxcpm2.frames import FrameLoop, Utterance
from mlx_tts.models.voxcpm2.network import VoxCPM
from mlx_tts.models.voxcpm2.prompt import lay_out
from mlx_tts.runtime.device import CudaLimits
from tests.helpers.gpu_form import as_on_gpu, result_of
from tests.helpers.launches import as_on_metal, launches

pytestmark = pytest.mark.slow

# Of VoxCPM2's depth: 28 and 8 layers of language models, 12 and 12 of local ones. Before: a step 171, the rest 1,100.
# With stacks all steps are one launch, and no step has launches of its own.
MOST = {"off": (119, 611), "fused": (71, 383), "on": (0, 55)}  # a step of ten, the rest


@pytest.fixture(params=["off", "fused", "on"], ids=["plain", "kernels", "stacks"])
def kernels(request, monkeypatch):
    monkeypatch.setenv("MLX_TTS_KERNELS", request.param)
    for module in (products, attention, persistent_stack, forms):
        monkeypatch.setattr(module, "gpu_language", lambda: "cuda")
    monkeypatch.setattr(source, "gpu_language", lambda: "metal")  # that text can be counted here
    for module in (products, layer_steps, stack_steps, gpu_step):
        passes = lambda chosen, check, part="products": chosen if forms.kernel_form().uses(part) else None  # noqa: E731
        monkeypatch.setattr(module, "self_checked", passes)
    monkeypatch.setattr(persistent_stack, "of_prompts", lambda *_: None)  # its launches are not counted here
    monkeypatch.setattr(persistent_stack, "cuda_limits", lambda: CudaLimits(132, 232_448))
    source._built.cache_clear()
    yield request.param
    source._built.cache_clear()


@pytest.fixture
def loop(kernels, monkeypatch):
    as_on_gpu(monkeypatch)
    shape = json.loads(json.dumps(SHAPES["tiny"]))
    shape["lm"]["num_hidden_layers"], shape["residual_lm_num_layers"], shape["local"]["num_layers"] = 28, 8, 12
    # The least that a stack in one launch can have.
    shape["lm"] |= {"hidden_size": 256, "intermediate_size": 256}
    shape["local"] |= {"hidden_dim": 256, "ffn_dim": 256}
    model = VoxCPM(model_config(config(shape, "bfloat16"), Path("config.json")))
    model.update(tree_map(lambda value: value.astype(mx.bfloat16), model.parameters()))
    model.prepare()
    mx.eval(model.parameters())
    return FrameLoop(model)


@pytest.mark.smoke("kernels")
def test_no_more_launches_a_patch(loop, kernels, monkeypatch):
    settings = GenerationSettings()
    utterance = Utterance(lay_out(range(5, 20), loop.shape, None, None), settings, 1)
    row = result_of(loop.begin(utterance))
    diffusion, sent = loop.diffusion, []
    (time, size) = diffusion._of_steps(settings.steps)[2][0]
    mx.eval(row.lm, row.residual, row.last)
    as_on_metal(monkeypatch)
    monkeypatch.setitem(products.MOST_ROWS, "metal", products.MOST_ROWS["cuda"])  # counted as on Metal
    length = 2 + 1 + 2 * loop.shape[0]
    given = mx.zeros((1, length, loop.shape[1])), mx.zeros((1, 2, length, diffusion.estimator._width), mx.bfloat16)
    guidance = mx.array([2.0])
    barrier = persistent_stack.counters()
    mx.eval(given, guidance, barrier, [persistent_stack.counters_of(caches) for caches in row.caches])
    whole = diffusion._solver(1, loop.shape[1], 2) is not None
    assert whole == (kernels == "on")
    step = 0 if whole else launches([diffusion._own_step(*given, time, size, guidance, barrier)]).total()
    monkeypatch.setattr(mx, "async_eval", lambda *arrays: sent.extend(arrays))
    monkeypatch.setattr(diffusion, "_own_step", lambda x, base, *_: x + base.sum().astype(mx.float32))
    loop.launch([row])
    rest = launches([*sent, *(cache.kv for caches in row.caches for cache in caches)]).total()
    assert (step, rest) == MOST[kernels], "fewer: write them here; more: slower speech on every GPU"
    assert np.all([value.dtype == mx.bfloat16 for value in (row.lm, row.residual)])
