"""An opened checkpoint in, its weights by name out: float32 arrays in PyTorch's layout, dequantised, one at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mlx_tts.checkpoints.quantising import plain_layer
from mlx_tts.checkpoints.tensors import open_tensors
from mlx_tts.errors import ModelError
from mlx_tts.models.qwen3_tts.checkpoint import Checkpoint
from mlx_tts.models.qwen3_tts.codec.weights import DECODER, TABLE, decoder_weights, plain_tensors
from mlx_tts.models.qwen3_tts.weights import stored_talker
from mlx_tts.nn.activations import snake_amplitude, snake_frequency
from mlx_tts.nn.linear import kept_random_state

BLOCK_ROWS = 8192
Weights = Callable[[str], NDArray[Any]]


@kept_random_state()
def talker_weights(checkpoint: Checkpoint) -> Weights:
    """Names below `talker.` -> arrays. Opened again for each package: what was read is freed with it."""
    talker, _ = stored_talker(checkpoint)
    modules = dict(talker.named_modules())

    def read(name: str) -> NDArray[Any]:
        path, _, part = name.rpartition(".")
        return np.array(plain_layer(modules[path])[part].astype(mx.float32))

    return read


@kept_random_state()
def text_table(checkpoint: Checkpoint, dtype: Any) -> NDArray[Any]:
    """The talker's text embeddings [ids, width], made a block at a time: those of a released model are 0.6 GB."""
    table: Any = stored_talker(checkpoint)[0].model.text_embedding
    rows = table.weight.shape[0]
    blocks = (table(mx.arange(at, min(at + BLOCK_ROWS, rows))) for at in range(0, rows, BLOCK_ROWS))
    made: NDArray[Any] | None = None
    for number, block in enumerate(blocks):
        part = np.array(block.astype(mx.float32)).astype(dtype)
        made = np.empty((rows, part.shape[1]), dtype) if made is None else made
        made[number * BLOCK_ROWS : number * BLOCK_ROWS + len(part)] = part
    assert made is not None
    return made


def codec_weights(checkpoint: Checkpoint) -> Weights:
    """Names below the codec's `decoder.` -> arrays; `quantizer.table` is all codebooks, projected, below each other."""
    file = open_tensors(checkpoint.folder / "speech_tokenizer")
    tensors = plain_tensors(file.tensors, checkpoint.codec.quantization)

    def read(name: str) -> NDArray[Any]:
        if name == TABLE:
            return np.array(decoder_weights(tensors, checkpoint.codec.decoder_config).parameters[TABLE])
        stored = tensors.get(DECODER + name)
        if stored is None:
            raise ModelError(f"{file.path} has no tensor {DECODER}{name}: fetch or copy the whole checkpoint again")
        value = stored.astype(mx.float32)
        if name.endswith(".alpha"):
            value = snake_frequency(value)
        elif name.endswith(".beta"):
            value = snake_amplitude(value)
        return np.array(value)

    return read
