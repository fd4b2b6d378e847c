"""Autotune of the kernels of a VoxCPM: what `kernels/core/trials.py` must know of it."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from itertools import pairwise
from typing import Any

import mlx.core as mx

from mlx_tts.kernels.core import trials
from mlx_tts.kernels.core.forms import StepKernels
from mlx_tts.models.voxcpm2.config import (
    CodecConfig,
    GenerationSettings,
    ModelConfig,
    ModelFields,
    RopeScaling,
    StackConfig,
)
from mlx_tts.models.voxcpm2.frames import FrameLoop, Utterance
from mlx_tts.models.voxcpm2.network import VoxCPM
from mlx_tts.models.voxcpm2.prompt import lay_out
from mlx_tts.runtime.device import launch_directly

WARM_UP, POSITIONS = 3, 40  # patches before those that are timed, positions of the prompt
STACKS = "semantic", "residual", "local_encoder", "local_decoder"
PARTS = (
    r"base_lm\.",
    r"residual_lm\.",
    r"feat_encoder\.",
    r"feat_decoder\.",
    r"fusion_",
    r"lm_to|res_to|enc_to",
    r"stop_",
)


def shapes_of(model: VoxCPM, rows: int = 1) -> dict[str, Any]:
    """What autotune needs to know of a model."""
    return trials.shapes_of(model, asdict(replace(model.config, vocab_size=8)), PARTS, rows)


def random_model(shapes: Mapping[str, Any]) -> VoxCPM:
    """A model of these shapes with random weights."""
    launch_directly()
    model = VoxCPM(_config(shapes["config"]))
    trials.fill_at_random(model, shapes)
    model.prepare()
    mx.eval(model.parameters())
    return model


def _config(entries: Mapping[str, Any]) -> ModelConfig:
    """What `asdict` and JSON made of it, back."""
    parts: dict[str, Any] = {**entries, "fields": ModelFields(**entries["fields"])}
    for name in STACKS:
        scaling = entries[name]["rope_scaling"]
        parts[name] = StackConfig(
            **{**entries[name], "rope_scaling": RopeScaling(tuple(scaling["factors"]), scaling["gain"])}
        )
    codec: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in entries["codec"].items()
    }
    return ModelConfig(**{**parts, "codec": CodecConfig(**codec)})


def milliseconds(model: VoxCPM, choice: StepKernels, rows: int, patches: int) -> float:
    """The median time of a patch with these kernels, with one patch of look-ahead as in the decode loop. The prompt is
    read as well, so that its kernels are checked here."""
    loop = FrameLoop(model, kernels=choice)
    prompt = lay_out([0] * POSITIONS, loop.shape, None, None)
    begun = []
    for row in range(rows):
        reading = loop.begin(Utterance(prompt, GenerationSettings(), seed=row))
        try:
            while True:
                next(reading)
        except StopIteration as end:
            begun.append(end.value)
    stamps: list[float] = []
    before: list[mx.array] = []
    for _ in range(WARM_UP + patches + 1):
        made = loop.launch(begun)
        if before:
            mx.eval(before)
            stamps.append(time.perf_counter())
        before = made
    gaps = [(after - then) * 1e3 for then, after in pairwise(stamps)]
    return statistics.median(gaps[WARM_UP - 1 :])


TRIAL = trials.Trial("mlx_tts.models.voxcpm2.autotune", shapes_of, random_model, milliseconds)

if __name__ == "__main__":
    TRIAL.main()
