"""Checkpoint in, loaded modules out: NeMo's names -> the paths of our modules, dtypes as the device does well."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mlx_tts.checkpoints.quantising import quantise_layers
from mlx_tts.checkpoints.tensors import load_strictly, open_tensors
from mlx_tts.models.magpie.config import CodecConfig, MagpieConfig
from mlx_tts.models.magpie.network import Magpie
from mlx_tts.nn.conv import conv_weight
from mlx_tts.nn.linear import WeightFirstLinear, fit_network, kept_random_state

BAKED = "baked_context_embedding"
# What is in the files and is computed or read elsewhere.
DROPPED = re.compile(rf".*\.causal_mask|_baked_embedding_[TD]|{BAKED}_len")
RENAMES = (
    (r"\.self_attention\.qkv_net\.", ".self_attn.qkv_proj."),
    (r"\.self_attention\.o_net\.", ".self_attn.o_proj."),
    (r"\.cross_attention\.(q|kv|o)_net\.", r".cross_attn.\1_proj."),
    (r"\.norm_self\.", ".input_layernorm."),
    (r"\.norm_xattn_query\.", ".cross_layernorm."),
    (r"\.norm_xattn_memory\.", ".cross_attn.memory_norm."),
    (r"\.norm_pos_ff\.", ".post_attention_layernorm."),
    (r"\.pos_ff\.proj\.conv\.", ".mlp.up."),
    (r"\.pos_ff\.o_net\.conv\.", ".mlp.down."),
    (r"\.norm_out\.", ".norm."),
    (r"^local_transformer_in_projection\.", "local.in_projection."),
    (r"^local_transformer_out_projections\.", "local.heads."),
    (r"^local_transformer\.", "local.model."),
    (rf"^{BAKED}\.weight$", "baked"),
)


def path_of(name: str) -> str:
    """A tensor's name in the file -> the path of the parameter."""
    for pattern, replacement in RENAMES:
        name = re.sub(pattern, replacement, name)
    return name


def build(config: MagpieConfig, codec: CodecConfig, shapes: Mapping[str, Any]) -> Magpie:
    """The modules for tensors of these shapes, by name."""
    text_rows = shapes["text_embedding.weight"][0] if "text_embedding.weight" in shapes else 0
    return Magpie(config, codec.codebook_size, codec.num_groups, text_rows, shapes.get(f"{BAKED}.weight", ()))


@kept_random_state()
def open_magpie(
    folder: Path, raw: Mapping[str, Any], config: MagpieConfig, codec: CodecConfig
) -> tuple[Magpie, dict[str, str]]:
    """The model as it is stored, lazy; and path -> name in the file."""
    file = open_tensors(folder)
    kept = {name: value for name, value in file.tensors.items() if not DROPPED.fullmatch(name)}
    if f"{BAKED}.weight" in kept:
        kept = {name: value for name, value in kept.items() if not name.startswith("context_encoder.")}
    if config.local is None:
        kept = {name: value for name, value in kept.items() if not name.startswith("local_transformer")}
    names = {path_of(name): name for name in kept}
    parameters = {path: kept[name] for path, name in names.items()}
    model = build(config, codec, {name: value.shape for name, value in kept.items()})
    quantise_layers(model, "", parameters, raw.get("quantization"))
    for path, value in parameters.items():
        if ".mlp." in path and value.ndim == 3:
            layer = value.shape[-1] == 1
            parameters[path] = value[..., 0] if layer else conv_weight(value)
    load_strictly(model, parameters, file.path, names=names)
    return model, names


def load_magpie(
    folder: Path,
    raw: Mapping[str, Any],
    config: MagpieConfig,
    codec: CodecConfig,
    dtype: str | None,
    log: Callable[[str], None],
) -> Magpie:
    """Build, load strictly, fit for the device."""
    model, _ = open_magpie(folder, raw, config, codec)
    fit_network(model, dtype, log, form=WeightFirstLinear)
    return model
