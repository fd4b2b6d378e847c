"""Safetensors files in, named lazy tensors out; and the strict load that names every tensor that does not fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import mlx.core as mx
import numpy as np
from mlx import nn
from mlx.utils import tree_flatten

from mlx_tts.checkpoints.config_fields import part_of_checkpoint
from mlx_tts.checkpoints.shard_index import read_index
from mlx_tts.checkpoints.torch_zip import read_torch_zip
from mlx_tts.errors import ModelError
from mlx_tts.files.reading import open_regular
from mlx_tts.shortened import shortened

MOST_NAMED = 4  # tensors named in one message; the rest are counted


@dataclass(frozen=True)
class TensorFile:
    """The tensors of one checkpoint part, lazy: bytes are read when a value is needed, and stay as long as this does.

    sources: the file that a tensor is in. metadata: as in the file.
    """

    path: Path
    tensors: dict[str, mx.array]
    sources: dict[str, Path]
    metadata: dict[str, str]


def open_tensors(folder: Path, stem: str = "model") -> TensorFile:
    """Open folder/stem.safetensors, or the shards that folder/stem.safetensors.index.json lists."""
    single, index = folder / f"{stem}.safetensors", folder / f"{stem}.safetensors.index.json"
    if single.exists():
        return open_file(single)
    if not index.exists():
        raise ModelError(f"{folder} has no {single.name}: fetch or copy the whole checkpoint again")
    weight_map = read_index(index)
    tensors: dict[str, mx.array] = {}
    metadata: dict[str, str] = {}
    for name in sorted(set(weight_map.values())):
        shard, metadata = _open_file(folder / name)
        unexpected = [tensor for tensor in shard if weight_map.get(tensor) != name]
        if unexpected:
            raise ModelError(f"{folder / name} holds {_some(unexpected)}, which its index does not list there")
        tensors |= shard
    missing = [tensor for tensor in weight_map if tensor not in tensors]
    if missing:
        raise ModelError(f"{index} lists {_some(missing)}, which no shard holds: fetch the checkpoint again")
    return TensorFile(index, tensors, {name: folder / shard for name, shard in weight_map.items()}, metadata)


def open_file(path: Path) -> TensorFile:
    """Open one .safetensors; ModelError where it is damaged."""
    tensors, metadata = _open_file(path)
    return TensorFile(path, tensors, dict.fromkeys(tensors, path), metadata)


def open_archive(path: Path) -> TensorFile:
    """Open a file of torch.save. Nothing in it is run, and its numbers are copied only once."""
    tensors = read_torch_zip(path, bfloat16=lambda bits: mx.array(bits).view(mx.bfloat16))
    lazy = {name: value if isinstance(value, mx.array) else mx.array(value) for name, value in tensors.items()}
    return TensorFile(path, lazy, dict.fromkeys(lazy, path), {})


def _open_file(path: Path) -> tuple[dict[str, mx.array], dict[str, str]]:
    from safetensors import SafetensorError, safe_open

    with part_of_checkpoint(path):
        open_regular(path).close()
    try:
        with safe_open(str(path), framework="np") as file:  # checks header, offsets and file length
            metadata = file.metadata() or {}
        tensors = mx.load(str(path))
    except (SafetensorError, RuntimeError, OSError, ValueError) as error:
        raise ModelError(f"{path} is damaged or incomplete ({error}): fetch or copy it again") from None
    return tensors, metadata  # type: ignore[return-value]


def joined_weight(direction: mx.array, norm: mx.array | None, where: Path, name: str) -> mx.array:
    """A convolution's weight [out, ., .], float32, from its direction and its norms [out, 1, 1]: PyTorch's weight norm.

    name: of the direction in the file `where`, for the ModelError where the norms are missing or do not fit.
    """
    if norm is None or direction.ndim != 3 or norm.shape != (direction.shape[0], 1, 1):
        raise ModelError(f"{where} has no norm for {shortened(name, 80)}: fetch the codec again")
    direction = direction.astype(mx.float32)
    length = mx.sqrt(mx.square(direction).sum(axis=(1, 2), keepdims=True))
    return norm.astype(mx.float32) * direction / length


def parameters_of(module: nn.Module) -> dict[str, mx.array]:
    """Path -> array, for all parameters of a module."""
    return dict(tree_flatten(module.parameters()))  # type: ignore[arg-type]


def load_strictly(
    module: nn.Module,
    parameters: Mapping[str, mx.array],
    where: Path,
    prefix: str = "",
    names: Mapping[str, str] | None = None,
) -> None:
    """Load parameters by path; ModelError names those missing, unexpected or misshapen, by their names in the file.

    A parameter's name in the file is `prefix` and its path, but where `names` (path -> name) says otherwise.
    """

    def name_of(path: str) -> str:
        return (names or {}).get(path, prefix + path)

    expected = {path: value for path, value in parameters_of(module).items() if value is not None}
    faults = []
    if missing := [name_of(path) for path in expected if path not in parameters]:
        faults.append(f"lacks {_some(missing)}")
    if extra := [name_of(path) for path in parameters if path not in expected]:
        faults.append(f"has unexpected tensors: {_some(extra)}")
    for path, value in parameters.items():
        if path in expected and value.shape != expected[path].shape:
            faults.append(f"has {name_of(path)} of shape {value.shape} instead of {expected[path].shape}")
            break
        if path in expected and not _same_kind(value.dtype, expected[path].dtype):
            faults.append(f"has {name_of(path)} in {value.dtype} instead of {expected[path].dtype}")
            break
    if faults:
        raise ModelError(f"{where} {' and '.join(faults)}: it is damaged or of another model")
    module.load_weights(list(parameters.items()), strict=True)


def _same_kind(dtype: mx.Dtype, expected: mx.Dtype) -> bool:
    """Numbers with a fraction have any precision; packed ones have exactly theirs."""
    return dtype == expected or bool(mx.issubdtype(dtype, mx.floating) and mx.issubdtype(expected, mx.floating))


def sums_of(module: nn.Module) -> dict[str, mx.array]:
    """Path -> a number, lazy, that is finite if all of a parameter's are: one pass over memory, and nothing kept."""
    parameters = parameters_of(module)
    return {name: mx.sum(value) for name, value in parameters.items() if mx.issubdtype(value.dtype, mx.floating)}


def check_finite(sums: Mapping[str, mx.array], where: Path, prefix: str) -> None:
    """ModelError for weights that are not numbers: they would be spoken as noise."""
    finite = mx.isfinite(mx.stack([value.astype(mx.float32) for value in sums.values()]))
    if bad := [prefix + name for name, fine in zip(sums, np.array(finite), strict=True) if not fine]:
        raise ModelError(f"{where} has weights that are not numbers (NaN or infinity): {_some(bad)}: fetch it again")


def _some(names: Iterable[str]) -> str:
    listed = list(names)
    rest = len(listed) - MOST_NAMED
    return ", ".join(listed[:MOST_NAMED]) + (f" and {rest} more" if rest > 0 else "")
