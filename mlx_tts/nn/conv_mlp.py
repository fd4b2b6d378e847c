"""[B, L, D] -> [B, L, D]: a feed-forward part of two convolutions with a GELU between; of linear layers at kernel 1."""

from __future__ import annotations

import mlx.core as mx
from mlx import nn

from mlx_tts.nn.conv import Conv1d
from mlx_tts.runtime.device import compiled, policy

SLOPE = 2 * (2 / 3.141592653589793) ** 0.5
CUBIC = 0.044715


def _gelu(x: mx.array) -> mx.array:
    """GELU by its tanh form: 0.5 (1 + tanh z) is the logistic function of 2 z."""
    return x * mx.sigmoid(x * (SLOPE + (SLOPE * CUBIC) * mx.square(x)))


class UnfoldedConv1d(Conv1d):
    """The same as one product of unfolded rows: cuDNN plans a convolution anew for each length, and a text has a length
    that no text before it had."""

    def _by_convolution(self, x: mx.array) -> mx.array:
        places, outputs = x.shape[1] - self.kernel_size + 1, self.weight.shape[0]
        rows = mx.concatenate([x[:, at : at + places] for at in range(self.kernel_size)], axis=-1)
        return rows @ self.weight.reshape(outputs, -1).T


class ConvMLP(nn.Module):
    """causal: each position sees itself and those before it; else as many on either side. No biases."""

    def __init__(self, width: int, inner: int, kernel_size: int, causal: bool):
        super().__init__()
        self.padding = (kernel_size - 1, 0) if causal else ((kernel_size - 1) // 2, kernel_size // 2)
        self.up: nn.Module
        self.down: nn.Module
        if kernel_size == 1:
            self.up, self.down = nn.Linear(width, inner, bias=False), nn.Linear(inner, width, bias=False)
        else:
            form = UnfoldedConv1d if policy().avoids_libraries else Conv1d
            self.up, self.down = (
                form(width, inner, kernel_size, bias=False),
                form(inner, width, kernel_size, bias=False),
            )
        self._gelu = compiled(_gelu)

    def __call__(self, x: mx.array) -> mx.array:
        return self.down(self._padded(self._gelu(self.up(self._padded(x)))))

    def _padded(self, x: mx.array) -> mx.array:
        return mx.pad(x, [(0, 0), self.padding, (0, 0)]) if any(self.padding) else x
