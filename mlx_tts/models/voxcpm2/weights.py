"""Checkpoint in, loaded network out: official names are the paths of our modules; dtypes as the device does well."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import mlx.core as mx

from mlx_tts.checkpoints.quantising import quantise_layers
from mlx_tts.checkpoints.tensors import load_strictly, parameters_of
from mlx_tts.models.voxcpm2.config import ModelConfig
from mlx_tts.models.voxcpm2.network import VoxCPM
from mlx_tts.models.voxcpm2.sources import open_model
from mlx_tts.nn.linear import cast_network, choose_dtype, kept_random_state, to_cpu_layout
from mlx_tts.runtime.blas import fit_threads

COMPUTED = (".rope_emb.", ".rotary_emb.")  # tables that some conversions store


@kept_random_state()
def open_network(folder: Path, raw: Mapping[str, Any], config: ModelConfig) -> VoxCPM:
    """The network as it is stored, lazy."""
    file = open_model(folder)
    parameters = {name: value for name, value in file.tensors.items() if not any(part in name for part in COMPUTED)}
    model = VoxCPM(config)
    quantise_layers(model, "", parameters, raw.get("quantization"))
    load_strictly(model, parameters, file.path)
    return model


def load_network(
    folder: Path, raw: Mapping[str, Any], config: ModelConfig, dtype: str | None, log: Callable[[str], None]
) -> VoxCPM:
    """Build, load strictly, fit for the device."""
    model = open_network(folder, raw, config)
    cast_network(model, choose_dtype(model.dtype, dtype, feeds_back=True), log)
    model.prepare()
    with kept_random_state():
        to_cpu_layout(model)
    parameters = list(parameters_of(model).values())
    for value in parameters:
        mx.eval(value)
    fit_threads(sum(value.nbytes for value in parameters))
    return model
