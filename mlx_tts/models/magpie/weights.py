"""Checkpoint in, loaded modules out: NeMo's names -> the paths of our modules, dtypes as the device does well."""

from __future__ import annotations

import re
from collections.abc import Callable

from mlx_tts.checkpoints.quantising import quantise_layers
from mlx_tts.checkpoints.tensors import load_strictly, open_tensors
from mlx_tts.models.magpie.checkpoint import Checkpoint
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


def open_magpie(checkpoint: Checkpoint) -> Magpie:
    """The network as it is stored, lazy."""
    config, file = checkpoint.model, open_tensors(checkpoint.folder)
    left_out = ["context_encoder."] if f"{BAKED}.weight" in file.tensors else []
    left_out += ["local_transformer"] if config.local is None else []
    names = {path_of(name): name for name in file.tensors if not DROPPED.fullmatch(name)}
    names = {path: name for path, name in names.items() if not name.startswith(tuple(left_out))}
    parameters = {path: file.tensors[name] for path, name in names.items()}
    with kept_random_state():
        shapes = {name: file.tensors[name].shape for name in names.values()}
        text_rows, baked = shapes.get("text_embedding.weight", (0,))[0], shapes.get(f"{BAKED}.weight", ())
        model = Magpie(config, checkpoint.codec.codebook_size, checkpoint.codec.num_groups, text_rows, baked)
        quantise_layers(model, "", parameters, checkpoint.raw.get("quantization"))
    for path, value in parameters.items():
        if ".mlp." in path and value.ndim == 3:
            parameters[path] = value[..., 0] if value.shape[-1] == 1 else conv_weight(value)
    load_strictly(model, parameters, file.path, names=names)
    return model


def load_magpie(checkpoint: Checkpoint, dtype: str | None, log: Callable[[str], None]) -> Magpie:
    """Build, load strictly, fit for the device."""
    model = open_magpie(checkpoint)
    fit_network(model, dtype, log, form=WeightFirstLinear)
    return model
