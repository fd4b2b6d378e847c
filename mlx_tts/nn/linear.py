"""Linear layers as a device likes them: products of one input as one, weights in the order they are read, dtypes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import mlx.core as mx
from mlx import nn
from mlx.utils import tree_flatten, tree_map, tree_unflatten

from mlx_tts.runtime.blas import fit_threads
from mlx_tts.runtime.device import policy
from mlx_tts.runtime.memory import total_bytes

LINEAR = (nn.Linear, nn.QuantizedLinear)
MOST_ROWS = 16  # of a batch whose rows are multiplied together on the CPU
WIDEST = 4096  # outputs of one product with the weight first
BLOCK = 16  # float32 numbers in a line of the cache
DTYPES = {"float32": mx.float32, "bfloat16": mx.bfloat16}  # that may be asked for


@contextmanager
def kept_random_state() -> Iterator[None]:
    """MLX's layers fill their weights from the global random state when they are made: put it back afterwards."""
    high, low = mx.random.state[0].tolist()  # type: ignore[index]
    try:
        yield
    finally:
        mx.random.seed(high << 32 | low)  # a seed is the two halves of the key


def fuse_projections(layers: list[nn.Module]) -> nn.Module | None:
    """One layer whose output is the layers' outputs side by side; None where their formats differ.

    Rows of a quantised matrix are quantised one by one, so the joined layer computes the very same numbers.
    """
    first = layers[0]
    if any(type(layer) is not type(first) or "bias" in layer for layer in layers):
        return None
    if isinstance(first, nn.QuantizedLinear):
        formats = {(layer.group_size, layer.bits, layer.mode) for layer in layers}  # type: ignore[attr-defined]
        if len(formats) > 1:
            return None
    names = [name for name in ("weight", "scales", "biases") if first.get(name) is not None]
    if any(layer[name].dtype != first[name].dtype for layer in layers for name in names):
        return None
    one = type(first).__new__(type(first))
    nn.Module.__init__(one)
    if isinstance(first, nn.QuantizedLinear):
        one.group_size, one.bits, one.mode = first.group_size, first.bits, first.mode
    for name in names:
        one[name] = mx.concatenate([layer[name] for layer in layers], axis=0)
    return one


class DensePromptLinear(nn.QuantizedLinear):
    """A quantised layer that expands its weight for prompts, [B, L, in] with L > 1, and for them alone.

    MLX compiles its quantised product of many rows for CUDA in every process, for half a minute. In float32, because
    `q * scale + bias` is not exact in bfloat16.
    """

    def __call__(self, x: mx.array) -> mx.array:
        if x.ndim < 3 or x.shape[-2] == 1:
            return super().__call__(x)
        scales, biases = (self[name].astype(mx.float32) for name in ("scales", "biases"))
        weight = mx.dequantize(self.weight, scales, biases, self.group_size, self.bits, self.mode)
        y = (x.astype(mx.float32) @ weight.T).astype(x.dtype)
        return y + self.bias if "bias" in self else y


def expand_for_prompts(module: nn.Module) -> None:
    """On CUDA, put `DensePromptLinear` in the place of every quantised layer."""
    if not policy().avoids_libraries:
        return
    replaced = []
    for path, layer in module.named_modules():
        if type(layer) is nn.QuantizedLinear and layer.mode == "affine":
            dense = DensePromptLinear.__new__(DensePromptLinear)
            nn.Module.__init__(dense)
            dense.group_size, dense.bits, dense.mode = layer.group_size, layer.bits, layer.mode
            for name, value in layer.parameters().items():
                dense[name] = value
            replaced.append((path, dense))
    module.update_modules(tree_unflatten(replaced))


def expanded_for_stacks(network: Any) -> Any:
    """On CUDA a network like this one, with plain bfloat16 products in the place of quantised ones: stacks in one
    launch (`kernels/persistent_stack.py`) read no others. The rest is shared, and the network stays as it was.

    A row of the 0.6B then takes 2.8 ms a frame where 4 bits took 5.1 (H100), because launches cost more than bytes
    there. The network itself where nothing is to be gained: off CUDA, without quantised products, in another dtype, or
    with more weights than a sixth of the GPU's memory, which depends on the machine alone.
    """
    layers = [layer for _, layer in network.named_modules() if isinstance(layer, nn.QuantizedLinear)]
    bytes_of_all = sum(16 // layer.bits * layer.weight.nbytes for layer in layers)
    if not policy().avoids_libraries or network.dtype != mx.bfloat16 or bytes_of_all > total_bytes() // 6:
        return network
    return _with_plain_products(network) if layers else network


def _with_plain_products(value: Any) -> Any:
    """Modules and what holds them are made again, arrays are shared."""
    if isinstance(value, nn.QuantizedLinear):
        plain = nn.Linear.__new__(nn.Linear)
        nn.Module.__init__(plain)  # its own would fill a weight from MLX's global random state
        scales, biases = value.scales, value.get("biases")
        if biases is not None:  # affine: `q * scale + bias` is rounded once, at its end
            scales, biases = scales.astype(mx.float32), biases.astype(mx.float32)
        weight = mx.dequantize(value.weight, scales, biases, value.group_size, value.bits, value.mode)
        plain.weight = weight.astype(mx.bfloat16)
        mx.eval(plain.weight)
        if "bias" in value:
            plain.bias = value.bias
        return plain
    if isinstance(value, nn.Module):
        again = type(value).__new__(type(value))
        nn.Module.__init__(again)
        again.__dict__.update(value.__dict__)
        for name, part in value.items():
            dict.__setitem__(again, name, _with_plain_products(part))
        return again
    if isinstance(value, dict):
        return {name: _with_plain_products(part) for name, part in value.items()}
    return [_with_plain_products(part) for part in value] if isinstance(value, list) else value


class ProductLinear(nn.Module):
    """A linear layer with its weight stored plain, [in, out]: on the CPU such a product is 2.5 times faster for one
    row. MLX's quantised products are 10 to 100 times slower there, so those weights are expanded. A row of a batch gets
    the bits that it has alone (`rows_with_equal_bits`), so that nobody's speech depends on who else is speaking."""

    def __init__(self, layer: nn.Linear | nn.QuantizedLinear):
        super().__init__()
        self.weight = _expanded(layer) if isinstance(layer, nn.QuantizedLinear) else transposed(layer.weight)
        if "bias" in layer:
            self.bias = layer.bias

    def __call__(self, x: mx.array) -> mx.array:
        y = x @ self.weight if x.shape[0] == 1 else self._row_by_row(x)
        return y + self.bias if "bias" in self else y

    def _row_by_row(self, x: mx.array) -> mx.array:
        """[B, ..., in] -> [B, ..., out] in as few products as give each of the B rows its own bits."""
        most = rows_with_equal_bits(*self.weight.shape)
        rows = x.reshape(-1, x.shape[-1])
        if rows.shape[0] <= most:
            return x @ self.weight
        at_once = max(1, most // (rows.shape[0] // x.shape[0])) * (rows.shape[0] // x.shape[0])
        parts = [rows[at : at + at_once] @ self.weight for at in range(0, rows.shape[0], at_once)]
        return mx.concatenate(parts).reshape(*x.shape[:-1], -1)


class WeightFirstLinear(nn.Module):
    """A linear layer with its weight stored as it is, [out, in], that multiplies it with the rows as columns. For the
    two rows of a guided utterance this is 1.5 to 2 times faster than `ProductLinear` on the CPU; rows have the bits
    that they have alone, as there. Wide layers are multiplied in parts, so that trying out equal bits stays cheap."""

    def __init__(self, layer: nn.Linear | nn.QuantizedLinear):
        super().__init__()
        self.weight = transposed(_expanded(layer)) if isinstance(layer, nn.QuantizedLinear) else layer.weight
        if "bias" in layer:
            self.bias = layer.bias

    def __call__(self, x: mx.array) -> mx.array:
        rows = x.reshape(-1, x.shape[-1])
        outputs = self.weight.shape[0]
        if rows.shape[0] // x.shape[0] > MOST_ROWS:  # a prompt: one product for each of the B
            parts = [row @ self.weight.T for row in x.reshape(x.shape[0], -1, x.shape[-1])]
            y = parts[0] if len(parts) == 1 else mx.concatenate(parts)
        elif outputs <= WIDEST:
            y = self._columns(rows, self.weight)
        else:
            size = -(-outputs // -(-outputs // WIDEST))
            parts = [self._columns(rows, self.weight[at : at + size]) for at in range(0, outputs, size)]
            y = mx.concatenate(parts, axis=-1)
        y = y.reshape(*x.shape[:-1], outputs)
        return y + self.bias if "bias" in self else y

    @staticmethod
    def _columns(rows: mx.array, weight: mx.array) -> mx.array:
        """[rows, in] -> [rows, out] in as few products as give each row its own bits."""
        most = rows_with_equal_bits(weight.shape[1], weight.shape[0], weight_first=True)
        if rows.shape[0] <= most:
            return (weight @ rows.T).T
        return mx.concatenate([(weight @ rows[at : at + most].T).T for at in range(0, rows.shape[0], most)])


@lru_cache(maxsize=256)
def rows_with_equal_bits(columns: int, outputs: int, weight_first: bool = False) -> int:
    """How many rows a product [rows, columns] @ [columns, outputs] may have so that each is, bit for bit, what it is
    alone. A BLAS takes other paths for larger matrices, which add up in another order; which ones is found by trying.
    weight_first: of the product of a weight [outputs, columns] with the rows as columns.
    """
    keys = mx.random.split(mx.random.key(0))
    weight = mx.random.normal((outputs, columns) if weight_first else (columns, outputs), key=keys[0])
    rows = mx.random.normal((MOST_ROWS, columns), key=keys[1])

    def product(some: mx.array) -> mx.array:
        return (weight @ some.T).T if weight_first else some @ weight

    alone = mx.concatenate([product(rows[at : at + 1]) for at in range(MOST_ROWS)])
    for count in range(2, MOST_ROWS + 1):
        if not mx.array_equal(product(rows[:count]), alone[:count]).item():
            return count - 1
    return MOST_ROWS


def transposed(x: mx.array) -> mx.array:
    """[A, B] -> [B, A], in that order in memory too. By way of blocks as wide as a line of the cache: that is 2 to 3
    times faster than one copy, which takes a new line for every number it reads."""
    A, B = x.shape
    if A % BLOCK:
        return mx.contiguous(x.T)
    blocks = mx.contiguous(x.reshape(A // BLOCK, BLOCK, B).transpose(0, 2, 1))
    return mx.contiguous(blocks.transpose(1, 0, 2)).reshape(B, A)


def _expanded(layer: nn.QuantizedLinear) -> mx.array:
    """The numbers that the layer multiplies with, [in, out], float32."""
    weight, scales = layer.weight, layer.scales
    if layer.mode != "affine" or 32 % layer.bits:
        plain = mx.dequantize(weight, scales, layer.get("biases"), layer.group_size, layer.bits, layer.mode)
        return transposed(plain.astype(mx.float32))
    # Transposed while still packed, an eighth of the numbers at 4 bits; each holds neighbours of one row.
    packed, out = weight.T, weight.shape[0]
    shifts = layer.bits * mx.arange(32 // layer.bits, dtype=mx.uint32)[:, None]
    steps = (mx.contiguous(packed)[:, None] >> shifts) & ((1 << layer.bits) - 1)
    steps = steps.astype(mx.float32).reshape(-1, layer.group_size, out)
    scales, biases = (mx.contiguous(value.T.astype(mx.float32))[:, None] for value in (scales, layer["biases"]))
    return (steps * scales + biases).reshape(-1, out)


def to_cpu_layout(module: nn.Module, form: Callable[[Any], nn.Module] = ProductLinear) -> None:
    """On the CPU, put `form` in the place of every linear layer. Evaluates one layer after the other, so that not all
    weights are there twice."""
    if not policy().prefers_products:
        return
    layers = [(path, layer) for path, layer in module.named_modules() if isinstance(layer, LINEAR)]
    while layers:
        path, layer = layers.pop()  # kept in the list, it would keep its weight as well
        replacement = form(layer)
        mx.eval(replacement.parameters())
        module.update_modules(tree_unflatten([(path, replacement)]))


def choose_dtype(stored: mx.Dtype, asked: str | None, feeds_back: bool = False) -> mx.Dtype:
    """The dtype that a network should compute in: what is asked for, else bfloat16 where it is stored so and the device
    is good at it, else float32. float16 overflows and underflows in all families, so it never stays. feeds_back: of a
    network that reads its own sound, which drifts in half precision."""
    if asked is not None:
        return DTYPES[asked]
    good = not policy().float32_only and not (feeds_back and policy().drifts_in_bfloat16)
    return mx.bfloat16 if good and stored == mx.bfloat16 else mx.float32


def fit_network(
    network: Any,
    asked: str | None,
    log: Callable[[str], None],
    feeds_back: bool = False,
    form: Callable[[Any], nn.Module] = ProductLinear,
) -> None:
    """Have a network compute here whose stored weights were loaded, lazy: choose its dtype (see `choose_dtype`), let it
    prepare its layers, lay out products on the CPU in this form, and read the weights. It has `dtype` and `prepare`."""
    cast_network(network, choose_dtype(network.dtype, asked, feeds_back), log)
    network.prepare()
    with kept_random_state():
        to_cpu_layout(network, form)
    weights: Any = tree_flatten(network.parameters())
    for _, value in weights:
        mx.eval(value)
    fit_threads(sum(value.nbytes for _, value in weights))


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
