"""The tensors of a checkpoint and what is asked for in, their forms and what config.json says of them out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import mlx.core as mx

from mlx_tts.checkpoints.quantising import DEFAULT_GROUP, DTYPES, Formed, formed, plan, stored_bytes
from mlx_tts.checkpoints.recipe import Recipe
from mlx_tts.checkpoints.work import ConversionWork
from mlx_tts.files.writing import check_room
from mlx_tts.models.convert_options import ConvertOptions
from mlx_tts.models.recipes.contract import Measurable
from mlx_tts.models.recipes.measuring import measured_recipe


def planned_forms(
    family: Measurable,
    source: Any,
    options: ConvertOptions,
    destination: Path,
    tensors: Mapping[str, mx.array],
    products: re.Pattern[str],
    other_bytes: int,
    work: ConversionWork,
    path_of: Callable[[str], str] = lambda name: name,
) -> tuple[Formed, dict[str, Any] | None, Recipe | None]:
    """For `write_tensors`: the tensors, of which `products` are quantised as the options or a measured recipe say. With
    them the `quantization` of config.json and the recipe, None where there is none.

    path_of: the name of a tensor -> that of its parameter. other_bytes: of the other files. MlxTtsError where all of it
    does not fit the disk of `destination`."""
    quantisation, dtype = options.quantisation(DEFAULT_GROUP), DTYPES[options.dtype]
    found = formed(tensors.items(), products, quantisation, source.folder)
    plan(found, dtype, work)
    check_room(destination, stored_bytes(found, dtype) + other_bytes)
    if quantisation is None or not options.is_measured:
        return found, quantisation, None
    recipe = measured_recipe(family, source, options, quantisation["group_size"], stored_bytes(found, dtype), work)
    bits = recipe.layer_bits

    def layer(name: str) -> str:
        return path_of(name).removesuffix(".weight")

    found = formed(tensors.items(), products, quantisation, source.folder, lambda name: bits.get(layer(name)))
    check_room(destination, stored_bytes(found, dtype) + other_bytes)
    own = {layer(name): form for name, (_, form) in found.items() if form not in (None, quantisation)}
    return found, {**quantisation, **own}, recipe
