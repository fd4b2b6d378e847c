"""Which stacks can be one launch on CUDA, and by which kernel: `resident.py` launches it."""

from __future__ import annotations

from dataclasses import replace

import mlx.core as mx
from mlx import nn

from mlx_tts.nn.fused import attention, rows_product, short_attention
from mlx_tts.nn.fused.gpu_source import gpu_language
from mlx_tts.nn.fused.resident_stack import FEW_COLUMNS, MOST_KV_HEADS, MOST_ROWS, ROWS, WARPS, Signature, Solver
from mlx_tts.nn.transformer import Block, Transformer
from mlx_tts.runtime.device import cuda_limits

LEAST_SHARED_BYTES = 96_000  # that a group must be able to ask for
MOST_COLUMNS = 1 << 16  # of a cache: what its parts count for must fit in shared memory


def of_stack(model: Transformer, rows: int, new: int, dtype: mx.Dtype, capacity: int | None) -> Signature | None:
    """The kernel for so many rows of the stack, or None where there is none. capacity: of the caches; None: no cache,
    all `new` positions of a row see each other."""
    first, common = model.layers[0], _common(model, rows, dtype)
    if common is None:
        return None
    attn, norms = first.self_attn, "q_norm" in first.self_attn
    if capacity is None:
        there = not norms and short_attention.signature(attn, new, dtype) is not None and rows % new == 0
    else:
        shared_by, epsilon = attn.heads // attn.kv_heads, first.input_layernorm.eps
        there = attention.signature(attn.head_dim, shared_by, new, capacity, epsilon, dtype) is not None
        there = there and capacity <= MOST_COLUMNS
    if not there:
        return None
    if capacity is None:  # of few numbers of rows
        return replace(common, new=new, short=True, eights=-(-rows // ROWS))
    return replace(common, new=new, parts=capacity > FEW_COLUMNS)


def of_solver(
    model: Transformer, ends: tuple[nn.Linear, nn.Linear], solver: Solver, rows: int, new: int
) -> Signature | None:
    """The kernel for all steps of a diffusion around the stack, or None where there is none."""
    common, norm = of_stack(model, rows, new, mx.bfloat16, None), model.norm
    if common is None or type(norm) is not nn.RMSNorm or norm.eps != common.epsilon:
        return None
    if any(type(layer) is not nn.Linear or "bias" not in layer for layer in ends):
        return None
    arrays = [norm.weight, *(value for layer in ends for value in (layer.weight, layer.bias))]
    shapes = [layer.weight.shape for layer in ends]
    if shapes != [(common.width, solver.numbers), (solver.numbers, common.width)] or solver.numbers % 8:
        return None
    return replace(common, solver=solver) if all(value.dtype == mx.bfloat16 for value in arrays) else None


def of_prompts(model: Transformer, positions: int, dtype: mx.Dtype) -> Signature | None:
    """The kernel that reads so many positions of prompts, with their padding, or None where there is none."""
    common, attn = _common(model, positions, dtype), model.layers[0].self_attn
    if common is None or attn.head_dim % 64:
        return None
    return replace(common, prompt=True)


def _common(model: Transformer, rows: int, dtype: mx.Dtype) -> Signature | None:
    """What all kinds of stacks must have."""
    first, limits = model.layers[0], cuda_limits()
    attn = first.self_attn
    if gpu_language() != "cuda" or limits is None or dtype != mx.bfloat16 or not 1 <= rows <= MOST_ROWS:
        return None
    if not all(_plain(block, first) for block in model.layers):
        return None
    width, inner = first.mlp.down_proj.weight.shape
    q_width = attn.heads * attn.head_dim
    if any(size % (WARPS * rows_product.COLUMNS_A_STEP) for size in (width, inner, q_width)):
        return None
    if attn.kv_heads > MOST_KV_HEADS or limits.shared_bytes < LEAST_SHARED_BYTES:
        return None
    eights = 1 << (-(-rows // ROWS) - 1).bit_length()  # few kernels for many numbers of rows
    sizes = len(model.layers), width, inner, attn.heads, attn.kv_heads, attn.head_dim, eights, 1
    return Signature(*sizes, False, False, False, "q_norm" in attn, first.input_layernorm.eps, attn.scale, limits)


def _plain(block: Block, first: Block) -> bool:
    """Whether the kernel has all that is in this block, in the sizes of the first."""
    attn, mlp = block.self_attn, block.mlp
    if "qkv_proj" not in attn or "gate_up_proj" not in mlp or block.residual_scale != 1.0 or "cross_attn" in block:
        return False
    layers = _products(block)
    norms = [block.input_layernorm, block.post_attention_layernorm]
    norms += [attn.q_norm, attn.k_norm] if "q_norm" in attn else []
    if any(type(layer) is not nn.Linear or "bias" in layer or layer.weight.dtype != mx.bfloat16 for layer in layers):
        return False
    if any(type(norm) is not nn.RMSNorm or norm.weight.dtype != mx.bfloat16 for norm in norms):
        return False
    same = [layer.weight.shape for layer in layers] == [layer.weight.shape for layer in _products(first)]
    return same and len({norm.eps for norm in [*norms, first.input_layernorm]}) == 1


def _products(block: Block) -> list[nn.Linear]:
    return [block.self_attn.qkv_proj, block.self_attn.o_proj, block.mlp.gate_up_proj, block.mlp.down_proj]
