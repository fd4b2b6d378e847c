"""A loaded network and the dtype that its family wants -> the network in the dtype in which this device computes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mlx.core as mx
from mlx import nn
from mlx.utils import tree_map

from mlx_tts.runtime.device import on_gpu


def cast_network(network: Any, wanted: mx.Dtype, log: Callable[[str], None]) -> None:
    """network: has `dtype`, that of its stored weights. On the CPU everything becomes float32, because MLX's bfloat16
    products are 10 to 100 times slower there; quantised ones are as slow."""
    if not on_gpu():
        quantised = sum(isinstance(layer, nn.QuantizedLinear) for _, layer in network.named_modules())
        if quantised or network.dtype != mx.float32:
            kind = str(network.dtype).split(".")[-1]
            log(f"CPU: {quantised} quantised layers and {kind} weights are expanded to float32")
        wanted = mx.float32

    def cast(value: Any) -> Any:
        return value.astype(wanted) if mx.issubdtype(value.dtype, mx.floating) else value

    network.update(tree_map(cast, network.parameters()))
