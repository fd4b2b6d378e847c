"""Small stacks and numbers in bfloat16 for tests of kernels, and how far apart two results are."""

from __future__ import annotations

from types import SimpleNamespace

import mlx.core as mx
import numpy as np
from mlx.utils import tree_map

from mlx_tts.nn.attention import LayerOptions
from mlx_tts.nn.transformer import Transformer


def random(*shape: int) -> mx.array:
    """Of a normal distribution, the same for the same shape."""
    return mx.array(np.random.default_rng(shape).normal(size=shape).astype(np.float32)).astype(mx.bfloat16)


def off(made: mx.array, right: mx.array) -> float:
    """The largest difference, as a share of the largest number."""
    assert made.shape == right.shape
    right = right.astype(mx.float32)
    return (mx.abs(made.astype(mx.float32) - right).max() / mx.abs(right).max()).item()  # type: ignore[no-any-return]


def stack(width: int, inner: int, layers: int = 2, head_norms: bool = True, kv_heads: int = 2) -> Transformer:
    """Four heads of 64, products side by side as a GPU has them."""
    sizes = SimpleNamespace(
        hidden_size=width,
        intermediate_size=inner,
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=kv_heads,
        head_dim=64,
        rms_norm_eps=1e-5,
        rope_theta=1e4,
    )
    model = Transformer(sizes, LayerOptions(head_norms=head_norms))
    model.update(tree_map(lambda value: value.astype(mx.bfloat16), model.parameters()))
    model.fuse_projections()
    return model
