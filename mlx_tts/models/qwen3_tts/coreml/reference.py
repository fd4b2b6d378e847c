"""A checkpoint and a form in, MLX's modules out with the very numbers that packages of that form hold.

With them a package must give what MLX gives: what the rounding of the weights does to the speech is another question,
which scripts/coreml_gates.py answers.
"""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import numpy as np
from mlx import nn
from mlx.utils import tree_flatten, tree_unflatten
from numpy.typing import NDArray

from mlx_tts.export.coreml.graph import Form
from mlx_tts.export.coreml.palette import palette
from mlx_tts.models.qwen3_tts.checkpoint import Checkpoint
from mlx_tts.models.qwen3_tts.codec.decoder import CodecDecoder
from mlx_tts.models.qwen3_tts.codec.weights import TABLE
from mlx_tts.models.qwen3_tts.coreml.stored import plain
from mlx_tts.models.qwen3_tts.talker import Talker
from mlx_tts.models.qwen3_tts.weights import load_codec_decoder, stored_talker
from mlx_tts.nn.linear import kept_random_state

TEXT_TABLE = "model.text_embedding"


@kept_random_state()
def reference_talker(checkpoint: Checkpoint, form: Form) -> Talker:
    """In float32, layer by layer as they are stored. The text table stays in its file; its rows are rounded."""
    talker = stored_talker(checkpoint)[0]
    replaced: list[tuple[str, Any]] = []
    for path, module in talker.named_modules():
        if path == TEXT_TABLE or not isinstance(module.get("weight"), mx.array):
            continue
        weight = mx.array(held(np.array(plain(module, "weight")), form, form.bits == 8 and ".layers." in path))
        bias = mx.array(held(np.array(plain(module, "bias")), form)) if "bias" in module else None
        if isinstance(module, nn.QuantizedLinear | nn.QuantizedEmbedding):
            linear = isinstance(module, nn.QuantizedLinear)
            module = nn.Linear(1, 1, bias=bias is not None) if linear else nn.Embedding(1, 1)
            replaced.append((path, module))
        module.weight = weight
        if bias is not None:
            module.bias = bias
    talker.update_modules(tree_unflatten(replaced))
    table: Any = talker.model.text_embedding
    del talker.model.text_embedding
    talker.model.text_embedding = lambda ids: mx.array(held(np.array(table(ids).astype(mx.float32)), form))
    return talker


def reference_decoder(checkpoint: Checkpoint, form: Form) -> CodecDecoder:
    """The codec's decoder; its table is on the host, in float32, and its layers have no palettes."""
    decoder = load_codec_decoder(checkpoint.folder, checkpoint.codec)
    parameters: Any = tree_flatten(decoder.parameters())
    rounded = [(name, value if name == TABLE else mx.array(held(np.array(value), form))) for name, value in parameters]
    decoder.update(tree_unflatten(rounded))
    return decoder


def held(weight: NDArray[Any], form: Form, as_palette: bool = False) -> NDArray[np.float32]:
    """A weight as a package of this form holds it. Norms keep theirs, which have one axis."""
    if as_palette and weight.ndim == 2:
        numbers, entries = palette(weight)
        weight = entries[numbers]
    return weight.astype(form.dtype).astype(np.float32)
