"""A loaded network and the dtype that its family wants -> the network in the dtype in which this device computes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mlx.core as mx
from mlx import nn
from mlx.utils import tree_map

from mlx_tts.runtime.device import policy

DTYPES = {"float32": mx.float32, "bfloat16": mx.bfloat16}  # that may be asked for


def choose_dtype(stored: mx.Dtype, asked: str | None, feeds_back: bool = False) -> mx.Dtype:
    """The dtype that a network should compute in: what is asked for, else bfloat16 where it is stored so and the device
    is good at it, else float32. float16 overflows and underflows in all families, so it never stays. feeds_back: of a
    network that reads its own sound, which drifts in half precision."""
    if asked is not None:
        return DTYPES[asked]
    good = not policy().float32_only and not (feeds_back and policy().drifts_in_bfloat16)
    return mx.bfloat16 if good and stored == mx.bfloat16 else mx.float32


def cast_network(network: Any, wanted: mx.Dtype, log: Callable[[str], None]) -> None:
    """network: has `dtype`, that of its stored weights. On the CPU everything becomes float32, because MLX's bfloat16
    products are 10 to 100 times slower there; quantised ones are as slow."""
    if policy().float32_only:
        quantised = sum(isinstance(layer, nn.QuantizedLinear) for _, layer in network.named_modules())
        if quantised or network.dtype != mx.float32:
            kind = str(network.dtype).split(".")[-1]
            log(f"CPU: {quantised} quantised layers and {kind} weights are expanded to float32")
        wanted = mx.float32

    def cast(value: Any) -> Any:
        return value.astype(wanted) if mx.issubdtype(value.dtype, mx.floating) else value

    network.update(tree_map(cast, network.parameters()))
