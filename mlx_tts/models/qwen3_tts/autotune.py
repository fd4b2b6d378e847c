"""Autotune of the kernels of a talker: what `kernels/core/trials.py` must know of it."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from itertools import pairwise
from typing import Any

import mlx.core as mx

from mlx_tts.generation.sampling import RowSampling, SamplerSettings, SamplingParams, gumbel_noise
from mlx_tts.kernels.core import trials
from mlx_tts.kernels.core.forms import StepKernels
from mlx_tts.models.qwen3_tts.config import CodePredictorConfig, TalkerConfig
from mlx_tts.models.qwen3_tts.gpu_step import CompiledDecode
from mlx_tts.models.qwen3_tts.talker import Talker
from mlx_tts.nn.linear import expanded_for_stacks

WARM_UP, COLUMNS = 4, 40  # frames before those that are timed, columns in the caches
PARTS = (  # which paths the layers have whose products have one format
    r"model\..*\.self_attn\.",
    r"model\..*\.mlp\.",
    r"codec_head",
    r"text_projection\.",
    r"code_predictor\.model\.",
    r"code_predictor\.lm_head\.",
    r"code_predictor\.small_to_mtp_projection",
)


def shapes_of(talker: Talker, rows: int = 1) -> dict[str, Any]:
    """What autotune needs to know of a talker."""
    config = replace(talker.config, text_vocab_size=8, codec_language_id={}, spk_id={}, spk_is_dialect={})
    return trials.shapes_of(talker, asdict(config), PARTS, rows)


def random_talker(shapes: Mapping[str, Any]) -> Talker:
    """A talker of these shapes with random weights."""
    config = dict(shapes["config"])
    config["code_predictor_config"] = CodePredictorConfig(**config["code_predictor_config"])
    talker = Talker(TalkerConfig(**config))
    trials.fill_at_random(talker, shapes)
    talker.fuse_projections()
    mx.eval(talker.parameters())
    return talker


def milliseconds(talker: Talker, choice: StepKernels, rows: int, frames: int) -> float:
    """The median time of a frame with these kernels, with one step of look-ahead as in the decode loop."""
    config, attn, D = talker.config, talker.model.layers[0].self_attn, talker.config.hidden_size
    talker = expanded_for_stacks(talker) if choice.form.stacks else talker
    steps, caches = CompiledDecode(talker, choice), talker.make_cache()
    empty = mx.zeros((rows, attn.kv_heads, COLUMNS, attn.head_dim), talker.dtype)
    for cache in caches:
        cache.append(empty, empty)
    V, later = config.vocab_size, config.code_predictor_config.vocab_size
    settings = SamplerSettings(0.9, 50, 1.0)
    sampling = RowSampling.of([SamplingParams(settings, settings, 1.05)] * rows, V, later)
    x, used, scratch = mx.ones((rows, 1, D), talker.dtype), mx.zeros((rows, V), mx.bool_), steps.scratch(rows)
    forbidden, text = mx.zeros((rows, V)), mx.zeros((rows, D), talker.dtype)
    stamps, before = [], None
    for frame in range(WARM_UP + frames + 1):
        logits, hidden = steps.decode_step(x, caches)
        noise = gumbel_noise([(row, frame) for row in range(rows)], V + (config.num_code_groups - 1) * later)
        codes, x, used = steps.sample_frame(logits, hidden, used, forbidden, text, noise, sampling, scratch)
        mx.async_eval(codes, x, used)
        if before is not None:
            mx.eval(before)
            stamps.append(time.perf_counter())
        before = codes
    gaps = [(after - then) * 1e3 for then, after in pairwise(stamps)]
    return statistics.median(gaps[WARM_UP - 1 :])


TRIAL = trials.Trial("mlx_tts.models.qwen3_tts.autotune", shapes_of, random_talker, milliseconds)

if __name__ == "__main__":
    TRIAL.main()
