"""Building blocks of the codec and the talker: twins of the official modules (same tensor names, same maths)."""

import math

import torch
import torch.nn.functional as F
from torch import nn


def rotary(length, head_dim, theta, device):
    frequencies = 1.0 / theta ** (torch.arange(0, head_dim, 2, device=device).float() / head_dim)
    angles = torch.arange(length, device=device).float()[:, None] * frequencies[None]
    angles = torch.cat([angles, angles], -1)
    return angles.cos(), angles.sin()


def rotate(x, cos, sin):
    half = x.shape[-1] // 2
    turned = torch.cat([-x[..., half:], x[..., :half]], -1)
    return x * cos.to(x.dtype) + turned * sin.to(x.dtype)


def window_mask(length, window, device):
    position = torch.arange(length, device=device)
    distance = position[:, None] - position[None]
    return (distance >= 0) & (distance < window)


class RMSNorm(nn.Module):
    def __init__(self, width, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x):
        y = x.float()
        y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + self.eps)
        return (self.weight * y).to(x.dtype)


class CausalConv(nn.Module):
    """Convolution that looks only back; the right end is filled up to whole strides, as Mimi does."""

    def __init__(self, inputs, outputs, kernel, stride=1, dilation=1, groups=1, bias=True, pad_mode="constant"):
        super().__init__()
        self.conv = nn.Conv1d(inputs, outputs, kernel, stride=stride, dilation=dilation, groups=groups, bias=bias)
        self.stride = stride
        self.span = (kernel - 1) * dilation + 1
        self.pad_mode = pad_mode

    def forward(self, x):
        left = self.span - self.stride
        right = math.ceil(x.shape[-1] / self.stride) * self.stride - x.shape[-1]
        if left or right:
            x = F.pad(x, (left, right), mode=self.pad_mode)
        return self.conv(x)


class CausalTransposedConv(nn.Module):
    def __init__(self, inputs, outputs, kernel, stride):
        super().__init__()
        self.conv = nn.ConvTranspose1d(inputs, outputs, kernel, stride=stride)
        self.surplus = kernel - stride

    def forward(self, x):
        y = self.conv(x)
        return y[..., : y.shape[-1] - self.surplus]


class GatedMLP(nn.Module):
    def __init__(self, hidden, ffn):
        super().__init__()
        self.gate_proj = nn.Linear(hidden, ffn, bias=False)
        self.up_proj = nn.Linear(hidden, ffn, bias=False)
        self.down_proj = nn.Linear(ffn, hidden, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class MimiMLP(nn.Module):
    def __init__(self, hidden, ffn):
        super().__init__()
        self.fc1 = nn.Linear(hidden, ffn, bias=False)
        self.fc2 = nn.Linear(ffn, hidden, bias=False)

    def forward(self, x):
        return self.fc2(F.gelu(self.fc1(x)))


class Attention(nn.Module):
    """Causal self-attention with rotary positions; `head_norms` adds the talker's RMSNorm on queries and keys."""

    def __init__(self, sizes, head_norms=False):
        super().__init__()
        width = sizes.heads * sizes.head_dim
        kv_width = sizes.kv_heads * sizes.head_dim
        self.sizes = sizes
        self.q_proj = nn.Linear(sizes.hidden, width, bias=False)
        self.k_proj = nn.Linear(sizes.hidden, kv_width, bias=False)
        self.v_proj = nn.Linear(sizes.hidden, kv_width, bias=False)
        self.o_proj = nn.Linear(width, sizes.hidden, bias=False)
        self.q_norm = RMSNorm(sizes.head_dim, 1e-6) if head_norms else nn.Identity()
        self.k_norm = RMSNorm(sizes.head_dim, 1e-6) if head_norms else nn.Identity()

    def queries_and_keys(self, x, cos, sin):  # [B, T, H] -> [B, heads, T, D], [B, kv_heads, T, D], rotated
        B, T, _ = x.shape
        q = self.q_norm(self.q_proj(x).view(B, T, self.sizes.heads, self.sizes.head_dim)).transpose(1, 2)
        k = self.k_norm(self.k_proj(x).view(B, T, self.sizes.kv_heads, self.sizes.head_dim)).transpose(1, 2)
        return rotate(q, cos, sin), rotate(k, cos, sin)

    def forward(self, x, cos, sin, mask=None):
        B, T, _ = x.shape
        sizes = self.sizes
        q, k = self.queries_and_keys(x, cos, sin)
        v = self.v_proj(x).view(B, T, sizes.kv_heads, sizes.head_dim).transpose(1, 2)
        if sizes.heads > sizes.kv_heads:
            k = k.repeat_interleave(sizes.heads // sizes.kv_heads, 1)
            v = v.repeat_interleave(sizes.heads // sizes.kv_heads, 1)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None)
        return self.o_proj(y.transpose(1, 2).reshape(B, T, -1))


def _snake(x, alpha, beta):
    wide = x.float()
    return (wide + torch.sin(wide * alpha.exp()).pow(2) / (beta.exp() + 1e-9)).to(x.dtype)


def _snake_gradients(x, alpha, beta, gradient):
    """Gradients of x, and of alpha and beta as partial sums over the last of two time axes."""
    wide, steep, flat = x.float(), alpha.exp(), beta.exp()
    gradient = gradient.float()
    sine, twice = torch.sin(wide * steep), torch.sin(2 * wide * steep)
    inverse = 1 / (flat + 1e-9)
    of_x = gradient * (1 + inverse * steep * twice)
    of_alpha = (gradient * inverse * steep * wide * twice).sum(-1)
    of_beta = (gradient * sine * sine * (-flat * inverse * inverse)).sum(-1)
    return of_x.to(x.dtype), of_alpha, of_beta


class _Snake(torch.autograd.Function):
    """One kernel forward, one backward: the decoder is bound by memory traffic.

    A plain torch.compile sums the gradients of alpha and beta with one block a channel, 24 blocks on the widest layer;
    that alone took a third of a whole training step. Here time is split in columns first, and the rest is summed after.
    """

    COLUMN = 512
    kernel, gradients = staticmethod(_snake), staticmethod(_snake_gradients)

    @staticmethod
    def split(x):
        B, C, T = x.shape
        return x.reshape(B, C, -1, math.gcd(T, _Snake.COLUMN))

    @staticmethod
    def forward(ctx, x, alpha, beta):
        ctx.save_for_backward(x, alpha, beta)
        return _Snake.kernel(x, alpha[:, None], beta[:, None])

    @staticmethod
    def backward(ctx, gradient):
        x, alpha, beta = ctx.saved_tensors
        of_x, of_alpha, of_beta = _Snake.gradients(
            _Snake.split(x), alpha[:, None, None], beta[:, None, None], _Snake.split(gradient)
        )
        return of_x.view(x.shape), of_alpha.sum((0, 2)), of_beta.sum((0, 2))


def compile_snake():
    """Fuse the elementwise kernels of every activation."""
    torch._dynamo.config.recompile_limit = 64  # some shapes share sizes, which dynamo takes for a rule
    _Snake.kernel = staticmethod(torch.compile(_snake, dynamic=True))
    _Snake.gradients = staticmethod(torch.compile(_snake_gradients, dynamic=True))


class SnakeBeta(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.alpha = nn.Parameter(torch.zeros(width))
        self.beta = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        return _Snake.apply(x, self.alpha, self.beta)
