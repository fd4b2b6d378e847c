"""Checkpoint in, loaded network out: the official names -> the paths of our modules, weight norm folded."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from math import prod
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np

from mlx_tts.checkpoints.quantising import plain_tensors
from mlx_tts.checkpoints.tensors import load_strictly, open_file
from mlx_tts.checkpoints.torch_zip import read_torch_zip
from mlx_tts.errors import ModelError
from mlx_tts.models.kokoro.checkpoint import Checkpoint
from mlx_tts.models.kokoro.network import Kokoro
from mlx_tts.nn.conv import conv_weight
from mlx_tts.nn.linear import kept_random_state, transposed
from mlx_tts.runtime.blas import fit_threads
from mlx_tts.runtime.device import policy
from mlx_tts.runtime.memory import no_freed_buffers
from mlx_tts.shortened import shortened

Arrays = dict[str, np.ndarray]
Stored = dict[str, Any]  # numpy arrays that are mapped from a file, or lazy arrays of MLX

DROPPED = re.compile(r"bert\.(pooler\..*|embeddings\.position_ids)")
SHAPE = "shape"  # of a quantised layer, beside its bits in config.json
WRAPPED = "module."  # what the release has before the names in each part
RENAMES = (
    (r"^bert\.embeddings\.word_embeddings\.", "bert.word."),
    (r"^bert\.embeddings\.position_embeddings\.", "bert.position."),
    (r"^bert\.embeddings\.token_type_embeddings\.", "bert.kind."),
    (r"^bert\.embeddings\.LayerNorm\.", "bert.norm."),
    (r"^bert\.encoder\.embedding_hidden_mapping_in\.", "bert.widen."),
    (r"^bert\.encoder\.albert_layer_groups\.0\.albert_layers\.0\.", "bert.layer."),
    (r"^bert\.layer\.attention\.LayerNorm\.", "bert.layer.attention_norm."),
    (r"^bert\.layer\.attention\.", "bert.layer."),
    (r"^bert\.layer\.full_layer_layer_norm\.", "bert.layer.output_norm."),
    (r"^predictor\.text_encoder\.lstms\.(\d*[02468])\.", lambda m: f"predictor.lstms.{int(m[1]) // 2}."),
    (r"^predictor\.text_encoder\.lstms\.(\d*[13579])\.", lambda m: f"predictor.norms.{int(m[1]) // 2}."),
    (r"^predictor\.duration_proj\.linear_layer\.", "predictor.duration."),
    (r"^predictor\.F0\.", "predictor.pitch."),
    (r"^predictor\.N\.", "predictor.energy."),
    (r"^predictor\.F0_proj\.", "predictor.pitch_out."),
    (r"^predictor\.N_proj\.", "predictor.energy_out."),
    (r"^text_encoder\.cnn\.(\d+)\.0\.", r"text_encoder.cnn.\1.conv."),
    (r"^text_encoder\.cnn\.(\d+)\.1\.gamma$", r"text_encoder.cnn.\1.norm.weight"),
    (r"^text_encoder\.cnn\.(\d+)\.1\.beta$", r"text_encoder.cnn.\1.norm.bias"),
    (r"^decoder\.generator\.m_source\.l_linear\.", "generator.source.linear."),
    (r"^decoder\.generator\.(.*)\.alpha(\d)\.(\d+)$", r"generator.\1.snake\2.\3.alpha"),
    (r"^decoder\.generator\.", "generator."),
    (r"^decoder\.F0_conv\.", "decoder.pitch_conv."),
    (r"^decoder\.N_conv\.", "decoder.energy_conv."),
    (r"^decoder\.asr_res\.0\.", "decoder.text."),
)
POINTWISE = re.compile(r"(predictor\.(pitch|energy)_out|decoder\.text)\.weight")  # convolutions that are products
SHARED = re.compile(r"bert\.layer\.(query|key|value|dense|ffn|ffn_output)\.weight")  # see `SharedLinear`
LSTM = re.compile(r"(.*)\.(weight|bias)_(ih|hh)_l0(_reverse)?")
LSTM_MATRIX = re.compile(r".*\.weight_[ih]h_l0(_reverse)?")
LSTM_PARTS = [f"{kind}_{at}_l0{way}" for kind in ("bias", "weight") for at in ("hh", "ih") for way in ("", "_reverse")]


def path_of(name: str) -> str:
    """A tensor's official name -> the path of the parameter."""
    for pattern, replacement in RENAMES:
        name = re.sub(pattern, replacement, name)  # type: ignore[arg-type]
    return name


def load_kokoro(checkpoint: Checkpoint, _log: Callable[[str], None]) -> Kokoro:
    """Build and load strictly, in float32: 8 bits less and durations change."""
    where = checkpoint.weights
    with no_freed_buffers():
        parameters, names = arranged(folded(stored_tensors(where, checkpoint.quantization), where), where)
    wide, narrow = (_rows(parameters, path, where) for path in ("decoder.encode.conv1.bias", "decoder.text.bias"))
    with kept_random_state():
        network = Kokoro(checkpoint.model, wide, narrow)
    load_strictly(network, parameters, where, names=names)
    mx.eval(network.parameters())
    fit_threads(0)  # a product takes one thread: what is long is shared out in larger parts
    return network


def stored_tensors(path: Path, quantization: Mapping[str, Any] | None = None) -> Stored:
    """The tensors of a file by their official names, without what nobody uses. None of them is read yet. quantization:
    what config.json says of it; ModelError where it does not fit."""
    if path.suffix == ".safetensors":
        stored = _expanded(open_file(path).tensors, quantization, path)
    else:
        stored = read_torch_zip(path, parts=True)
    named = {}
    for name, value in stored.items():
        part, _, rest = name.partition(".")
        own = f"{part}.{rest.removeprefix(WRAPPED)}"
        if not DROPPED.fullmatch(own):
            named[own] = value
    return named


def _expanded(tensors: Stored, quantization: Mapping[str, Any] | None, where: Path) -> Stored:
    """Quantised tensors plain, lazy and in their own shapes: see `conversion`."""
    layers = [name.removesuffix(".scales") for name in tensors if name.endswith(".scales")]
    if not layers:
        return tensors
    plain = plain_tensors(tensors, quantization)
    for layer in layers:
        form, value = (quantization or {}).get(layer), plain.pop(f"{layer}.weight", None)
        shape = form.get(SHAPE) if isinstance(form, dict) else None
        if value is None or value.ndim != 2 or shape is None or not _holds(value.shape, shape):
            raise ModelError(f"{where} has a {shortened(layer, 80)} that does not fit config.json: convert it again")
        columns = value[:, : prod(shape[1:])].reshape(shape)
        plain[layer if LSTM_MATRIX.fullmatch(layer) else f"{layer}.weight"] = columns
    return plain


def _holds(stored: tuple[int, ...], shape: Any) -> bool:
    """Whether an array [rows, columns] has the numbers of a layer of this shape, whatever config.json has there."""
    if not isinstance(shape, list) or len(shape) not in (2, 3) or not all(type(n) is int and n > 0 for n in shape):
        return False
    return stored[0] == shape[0] and stored[1] >= prod(shape[1:])


def folded(named: Stored, where: Path) -> Iterator[tuple[str, np.ndarray | mx.array]]:
    """Weight norm and the affine parameters of instance norms taken into the weights that they act on. Empties `named`,
    the largest tensors first: what one of them takes on its way is then free again before much else is there."""
    for name in sorted(named, key=lambda name: -named[name].size):
        stem, _, leaf = name.rpartition(".")
        if leaf == "weight_g" or (".norm." in name and f"{_adain(stem)}.fc.weight" in named):
            continue
        if leaf in ("weight", "bias") and stem.endswith(".fc") and f"{stem[:-3]}.norm.weight" in named:
            yield name, _with_affine(stem[:-3], leaf, named)  # the other leaf asks for both
            continue
        value = named.pop(name)
        if leaf == "weight_v":
            yield f"{stem}.weight", _direction(numbers(value), named.pop(f"{stem}.weight_g", None), where, name)
        else:
            yield name, value


def numbers(value: np.ndarray | mx.array) -> np.ndarray:
    """As float32. What is float32 already is not copied."""
    if isinstance(value, mx.array):
        value = np.asarray(value.astype(mx.float32))
    return np.asarray(value, np.float32)


def _adain(stem: str) -> str:
    return stem.removesuffix(".norm")


def _direction(value: np.ndarray, norm: Any, where: Path, name: str) -> np.ndarray:
    """PyTorch's weight norm, one for each index of the first dimension; a row of zeros stays one."""
    if norm is None or value.ndim != 3 or norm.shape != (value.shape[0], 1, 1):
        raise ModelError(f"{where} has no norm for {shortened(name, 80)}: it is damaged or of another model")
    length = np.sqrt(np.square(value).sum(axis=(1, 2), keepdims=True))
    weight = np.divide(value, length, out=np.zeros_like(value), where=length > 0)
    weight *= numbers(norm)
    return weight


def _with_affine(stem: str, leaf: str, named: Mapping[str, Any]) -> np.ndarray:
    """(1 + gamma) (w n + b) + beta as (1 + gamma') n + beta': what makes gamma' and beta' of the style."""
    own = numbers(named[f"{stem}.fc.{leaf}"])
    w, b = (numbers(named[f"{stem}.norm.{part}"]) for part in ("weight", "bias"))
    gamma, beta = np.split(own, 2)
    if leaf == "weight":
        return np.concatenate([gamma * w[:, None], beta + gamma * b[:, None]])
    return np.concatenate([(1 + gamma) * w - 1, beta + (1 + gamma) * b])


def arranged(
    named: Iterable[tuple[str, np.ndarray | mx.array]], where: Path
) -> tuple[dict[str, mx.array], dict[str, str]]:
    """Parameters by path, as the layers read them, and the official name of each."""
    parameters: dict[str, mx.array] = {}
    names: dict[str, str] = {}
    recurrent: dict[str, Stored] = {}
    for name, value in named:
        path = path_of(name)
        if (match := LSTM.fullmatch(path)) is None:
            for own, parameter in _layer(path, numbers(value)):
                parameters[own], names[own] = parameter, name
            continue
        stem = match[1]
        parts = recurrent.setdefault(stem, {})
        parts[path[len(stem) + 1 :]] = value
        if len(parts) == len(LSTM_PARTS):
            for leaf, array in _lstm(stem, recurrent.pop(stem), where).items():
                parameters[f"{stem}.{leaf}"], names[f"{stem}.{leaf}"] = mx.array(array), f"{stem}.{leaf}"
    for stem in recurrent:
        raise ModelError(f"{where} lacks parts of {shortened(stem, 80)}: it is damaged or of another model")
    return parameters, names


def _layer(path: str, value: np.ndarray) -> list[tuple[str, mx.array]]:
    array = mx.array(np.ascontiguousarray(value))
    if path.endswith(".alpha"):
        flat = array.reshape(-1)
        return [(path, flat), (path.removesuffix("alpha") + "beta", 1 / flat)]
    if POINTWISE.fullmatch(path) and array.ndim == 3 and array.shape[2] == 1:
        array = array[..., 0]
    elif re.fullmatch(r"generator\.ups\.\d+\.weight", path) and array.ndim == 3:
        array = mx.contiguous(array.transpose(0, 2, 1))
    elif path.endswith(".pool.weight") and array.ndim == 3:
        array = mx.contiguous(array[:, 0].T)
    elif array.ndim == 3:
        array = conv_weight(array)
    elif SHARED.fullmatch(path) and array.ndim == 2 and policy().prefers_products:
        array = transposed(array)
    mx.eval(array)
    return [(path, array)]


def _lstm(stem: str, parts: Stored, where: Path) -> Arrays:
    """All `LSTM_PARTS` in, both directions in one out, with the numbers of gate g doubled: see `BiLSTM`."""
    fits = all(value.ndim == (2 if name.startswith("weight") else 1) for name, value in parts.items())
    hidden = parts["weight_hh_l0"].shape[1] if fits else 0
    if not fits or any(value.shape[0] != 4 * hidden for value in parts.values()):
        raise ModelError(
            f"{where} has parts of {shortened(stem, 80)} that do not fit: it is damaged or of another model"
        )

    def both(kind: str) -> list[np.ndarray]:
        made = []
        for way in ("", "_reverse"):
            own = np.array(numbers(parts.pop(f"{kind}_l0{way}")))
            own[2 * hidden : 3 * hidden] *= 2
            made.append(own)
        return made

    return {
        "inputs": np.ascontiguousarray(np.concatenate(both("weight_ih")).T),
        "bias": np.concatenate(both("bias_ih")) + np.concatenate(both("bias_hh")),
        "recurrent": np.ascontiguousarray(np.stack([own.T for own in both("weight_hh")])),
    }


def _rows(parameters: Mapping[str, mx.array], path: str, where: Path) -> int:
    if path not in parameters:
        raise ModelError(f"{where} has no {path}: it is damaged or of another model")
    return parameters[path].shape[0]
