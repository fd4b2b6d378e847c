"""A folder of packages and their checkpoint in, the table of a check out: each package against MLX, by the evaluator.

In `wide` arithmetic a package gives what MLX gives with the same weights; in `declared` it must stay far from the end
of float16. Every package is read from the disk again, so that what was written is what is checked. MLX computes with
the very numbers that the packages hold: what the rounding of the weights does to the speech is another question, which
scripts/coreml_gates.py answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
from mlx.utils import tree_flatten, tree_unflatten
from numpy.typing import NDArray

from mlx_tts.checkpoints.quantising import plain_layer
from mlx_tts.checkpoints.work import ConversionWork
from mlx_tts.errors import MlxTtsError
from mlx_tts.export.coreml.evaluator import EvaluatedModel, Mode
from mlx_tts.export.coreml.graph import Form, palette
from mlx_tts.models.qwen3_tts.checkpoint import Checkpoint
from mlx_tts.models.qwen3_tts.codec.decoder import CodecDecoder
from mlx_tts.models.qwen3_tts.codec.weights import TABLE
from mlx_tts.models.qwen3_tts.coreml.costs import CHECKS, REFERENCE, Costs
from mlx_tts.models.qwen3_tts.coreml.manifest import CODEC_TABLE, Manifest, read_manifest
from mlx_tts.models.qwen3_tts.coreml.model_graphs import FRAME_COLUMNS, state_shapes
from mlx_tts.models.qwen3_tts.coreml.steps import Decoder, SpeechDecoder
from mlx_tts.models.qwen3_tts.talker import Talker
from mlx_tts.models.qwen3_tts.weights import load_codec_decoder, stored_talker
from mlx_tts.nn.cache import KVCache
from mlx_tts.nn.linear import kept_random_state

TEXT_TABLE = "model.text_embedding"
POSITIONS, FRAMES, IDS = 4, 3, 3
ENDING = ".mlpackage"
HEAD = ["package", "wide", "declared", "largest", "MB"]
MOST_PEAK = 30_000.0  # half of what float16 holds
MOST_ERROR = 1e-3  # in `wide`, over the largest value
Array = NDArray[Any]


@kept_random_state()
def reference_talker(checkpoint: Checkpoint, form: Form, costs: Costs, work: ConversionWork) -> Talker:
    """In float32, layer by layer as they are stored. The text table stays in its file; its rows are rounded."""
    talker = stored_talker(checkpoint)[0]
    replaced: list[tuple[str, Any]] = []
    for path, module in talker.named_modules():
        if path == TEXT_TABLE or not isinstance(module.get("weight"), mx.array):
            continue
        layer = plain_layer(module)
        with work.doing(REFERENCE, costs.of_reference(layer.weight.size)):
            weight = np.array(layer.weight.astype(mx.float32))
            layer.weight = mx.array(held(weight, form, form.bits == 8 and ".layers." in path))
        if "bias" in layer:
            layer.bias = mx.array(held(np.array(layer.bias.astype(mx.float32)), form))
        if layer is not module:
            replaced.append((path, layer))
    work.drop(REFERENCE)
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


@dataclass(frozen=True)
class Comparison:
    """packages: what is run, in order. wanted: what MLX makes. run: the same by the packages."""

    packages: Sequence[str]
    wanted: Array
    run: Callable[[Sequence[EvaluatedModel]], Array]


def check_packages(source: Checkpoint, folder: Path, costs: Costs, work: ConversionWork) -> list[list[str]]:
    """The table, its head first; MlxTtsError for a package that does not compute what it should."""
    manifest = read_manifest(folder)
    rows = [HEAD]
    work("reading the model again for the check")
    for comparison in _comparisons(source, folder, manifest, costs, work):
        names = [name.removesuffix(ENDING) for name in comparison.packages]
        work(f"checking {', '.join(names)}")
        rows += _compared(comparison, folder, manifest, costs, work)
    return rows


def _compared(
    comparison: Comparison, folder: Path, manifest: Manifest, costs: Costs, work: ConversionWork
) -> list[list[str]]:
    usual = [costs.of_check(name.removesuffix(ENDING)) for name in comparison.packages]
    models = []
    for name, seconds in zip(comparison.packages, usual, strict=True):
        with work.doing(CHECKS, costs.opening_share * seconds):
            models.append(EvaluatedModel(folder / name))
    errors = {}
    modes: tuple[Mode, ...] = ("wide", "declared")
    for mode in modes:
        for model in models:
            model.mode = mode
            model.evaluator.peaks.clear()
        with work.doing(CHECKS, (1 - costs.opening_share) * sum(usual) / len(modes)):
            found = comparison.run(models)
        errors[mode] = float(np.abs(found - comparison.wanted).max() / np.abs(comparison.wanted).max())
    rows = []
    for name, model in zip(comparison.packages, models, strict=True):
        peak, megabytes = model.evaluator.peak, sum(manifest.packages[name]) / 1e6
        if not errors["wide"] <= MOST_ERROR:
            raise MlxTtsError(
                f"{name} differs from MLX by {errors['wide']:.1e} of the largest value, more than {MOST_ERROR:g}: "
                f"please report this with the name of the model"
            )
        if manifest.half and not peak <= MOST_PEAK:
            raise MlxTtsError(f"{name} reaches {peak:.0f} and float16 ends at 65,504: speak this model with MLX")
        told = [f"{errors[mode]:.0e}" for mode in modes]
        rows.append([name.removesuffix(ENDING), *told, f"{peak:.0f}", f"{megabytes:.1f}"])
    return rows


def _comparisons(
    source: Checkpoint, folder: Path, manifest: Manifest, costs: Costs, work: ConversionWork
) -> Iterator[Comparison]:
    random = np.random.default_rng(0)
    form = Form(manifest.half, manifest.norm, manifest.bits)
    talker = reference_talker(source, form, costs, work)
    config = source.model.talker_config
    texts = random.integers(0, config.text_vocab_size, IDS)
    first = random.integers(0, config.vocab_size, POSITIONS)
    rest = random.integers(0, config.code_predictor_config.vocab_size, (POSITIONS, config.num_code_groups - 1))
    embedded = _array(talker.embed_text(mx.array(texts)))
    yield Comparison(["TextProjector.mlpackage"], embedded, lambda m: _rows(m[0], texts))
    yield Comparison(
        ["CodeEmbedder.mlpackage"], _array(talker.embed_code(mx.array(first))), lambda m: _rows(m[0], first)
    )
    tables = talker.code_predictor.model.codec_embedding
    rows = _array(mx.concatenate([table(mx.array(rest[:IDS, at])) for at, table in enumerate(tables)]))
    numbers = np.concatenate([rest[:IDS, at] + at * manifest.heads["vocabulary"] for at in range(len(tables))])
    yield Comparison(["MultiCodeEmbedder.mlpackage"], rows, lambda m: _rows(m[0], numbers))

    x = _array(talker.embed_frames(mx.array(np.concatenate([first[:, None], rest], axis=1))))
    hidden = talker.model(mx.array(x)[None], talker.make_cache())
    wanted = _array(mx.concatenate([hidden, talker.codec_head(hidden)], axis=-1)[0])
    yield Comparison(
        manifest.code_decoder, wanted, lambda m: _talk(Decoder(m, config, manifest.context), x, ["logits"])
    )

    own, read = config.code_predictor_config, np.stack([np.array(hidden[0, -1]), *x[1:]])
    hidden = talker.code_predictor.model(
        talker.code_predictor.project(mx.array(read)[None]), [KVCache() for _ in range(own.num_hidden_layers)]
    )
    heads = [head(hidden) for head in talker.code_predictor.lm_head]
    wanted = _array(mx.concatenate([hidden, *heads], axis=-1)[0])
    outputs = [f"logits_{at}" for at in range(-(-len(heads) // manifest.heads["in_each"]))]
    predictor = ["MultiCodeDecoder.mlpackage"]
    yield Comparison(predictor, wanted, lambda m: _talk(Decoder(m, own, FRAME_COLUMNS), read, outputs))
    del talker, hidden, heads, tables
    mx.clear_cache()

    codec = source.codec.decoder_config
    codes = random.integers(0, codec.codebook_size, (FRAMES, codec.num_quantizers))
    samples = _array(reference_decoder(source, form)(mx.array(codes[None]))[0])
    table, shapes = np.load(folder / CODEC_TABLE), state_shapes(codec)

    def sound(models: Sequence[EvaluatedModel]) -> Array:
        decoder = SpeechDecoder(models[0], codec, table, shapes)
        return decoder.step(codes, decoder.make_state())[0]

    yield Comparison(["SpeechDecoder.mlpackage"], samples, sound)


def _rows(model: EvaluatedModel, ids: Array) -> Array:
    return np.stack([model.predict({"id": np.array([number], np.int32)})["embedding"].reshape(-1) for number in ids])


def _talk(decoder: Decoder, x: Array, outputs: Sequence[str]) -> Array:
    """[T, D] -> hidden states and logits of every position, side by side."""
    caches = decoder.open_caches()
    found = [decoder.read(row, at, caches) for at, row in enumerate(x)]
    return np.stack([np.concatenate([one[name].reshape(-1) for name in ("hidden", *outputs)]) for one in found])


def _array(value: mx.array) -> Array:
    return np.array(value.astype(mx.float32))
