"""Checkpoint in, loaded network out: official names are the paths of our modules; dtypes as the device does well."""

from __future__ import annotations

from collections.abc import Callable

from mlx_tts.checkpoints.quantising import quantise_layers
from mlx_tts.checkpoints.tensors import load_strictly
from mlx_tts.models.voxcpm2.checkpoint import Checkpoint
from mlx_tts.models.voxcpm2.network import VoxCPM
from mlx_tts.models.voxcpm2.sources import open_model
from mlx_tts.nn.linear import fit_network, kept_random_state

COMPUTED = (".rope_emb.", ".rotary_emb.")  # tables that some conversions store


@kept_random_state()
def open_network(checkpoint: Checkpoint) -> VoxCPM:
    """The network as it is stored, lazy."""
    file = open_model(checkpoint.folder)
    parameters = {name: value for name, value in file.tensors.items() if not any(part in name for part in COMPUTED)}
    model = VoxCPM(checkpoint.model)
    quantise_layers(model, "", parameters, checkpoint.raw.get("quantization"))
    load_strictly(model, parameters, file.path)
    return model


def load_network(checkpoint: Checkpoint, dtype: str | None, log: Callable[[str], None]) -> VoxCPM:
    """Build, load strictly, fit for the device."""
    model = open_network(checkpoint)
    fit_network(model, dtype, log, feeds_back=True)
    return model
