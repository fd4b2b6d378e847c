"""Headers of files of weights -> names of tensors, and of the files that they are in. Imports no mlx."""

from __future__ import annotations

from pathlib import Path

from mlx_tts.checkpoints.config_fields import read_json, told
from mlx_tts.errors import ModelError

MOST_BYTES = 16_000_000
BUILT_IN = Path(__file__).resolve().parents[1] / "builtin"


def read_index(path: Path) -> dict[str, str]:
    """Tensor -> file, as seen from the index's folder; ModelError for an index that is damaged or leaves the folder.

    Built-in models alone may name a file of each other, so that the package holds what they share once.
    """
    weight_map = read_json(path, MOST_BYTES).get("weight_map")
    if not isinstance(weight_map, dict) or not weight_map:
        raise ModelError(f"{path} has no weight_map: fetch or copy it again")
    for name in set(map(str, weight_map.values())):
        if not (name.endswith(".safetensors") and name.isprintable() and _is_near(path.parent, name)):
            raise ModelError(f"{path} names a shard outside its folder ({told(name)}): fetch the checkpoint again")
    if not all(isinstance(name, str) for name in weight_map.values()):
        raise ModelError(f"{path} has a weight_map with entries that are not names: fetch or copy it again")
    return weight_map


def missing_weights(folder: Path) -> list[str]:
    """What a folder lacks of model.safetensors, or of the shards that its index lists; empty when all are there."""
    if (folder / "model.safetensors").is_file():
        return []
    index = folder / "model.safetensors.index.json"
    if not index.is_file():
        return ["model.safetensors"]
    try:
        shards = sorted(set(read_index(index).values()))
    except ModelError:
        return [index.name]
    return [name for name in shards if not (folder / name).is_file()]


def _is_near(folder: Path, name: str) -> bool:
    if Path(name).name == name:
        return True
    return all(BUILT_IN in place.resolve().parents for place in (folder, folder / name))


def tensor_names(path: Path) -> list[str]:
    """The tensors of a safetensors file or of an index, from its header alone."""
    if path.suffix == ".json":
        return list(read_index(path))
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(str(path), framework="np") as file:
            return list(file.keys())
    except (SafetensorError, OSError) as error:
        raise ModelError(f"{path} is damaged or incomplete ({error}): fetch or copy it again") from None
