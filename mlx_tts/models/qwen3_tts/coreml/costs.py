"""A checkpoint -> what each step of its conversion to packages usually takes, by which the time left is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mlx_tts.checkpoints.tensors import open_tensors
from mlx_tts.checkpoints.work import ConversionWork
from mlx_tts.models.qwen3_tts.checkpoint import Checkpoint
from mlx_tts.models.qwen3_tts.codec.weights import DECODER
from mlx_tts.models.qwen3_tts.config import TransformerConfig
from mlx_tts.models.qwen3_tts.coreml.model_graphs import StackPart

PACKAGES, REFERENCE, CHECKS = "packages", "reference", "checks"
# Usual seconds of one core. A package takes some for itself, for each layer of its graph and for each weight.
PACKAGE_SECONDS, LAYER_SECONDS, WEIGHT_SECONDS = 0.12, 0.05, 16e-9
REFERENCE_SECONDS = {16: 13e-9, 8: 20e-9}  # a weight that MLX reads and rounds as packages of so many bits have it
EVALUATOR_SECONDS = 0.2  # of a graph with layers
CHECK_SECONDS = {16: 17e-9, 8: 23e-9}  # and a weight in it
OPENING_SHARE = {16: 0.6, 8: 0.0}  # of a check's time, to read the package; palettes are read when they are needed
NOT_OF_REFERENCE = ("TextProjector", "SpeechDecoder")  # whose weights are not in the talker that MLX holds
SOUND_LAYERS = 12  # of a stack, which take as long as the graph of the codec's decoder


@dataclass(frozen=True)
class Costs:
    """bits: of the weights. weights: of each package, by its name. layers: of those that have any."""

    bits: int
    weights: Mapping[str, int]
    layers: Mapping[str, int]

    def plan(self, work: ConversionWork) -> None:
        """All that is to be done."""
        work.plan(PACKAGES, sum(map(self.of_package, self.weights)))
        talker = sum(self.weights[name] for name in self.weights if name not in NOT_OF_REFERENCE)
        work.plan(REFERENCE, self.of_reference(talker))
        work.plan(CHECKS, sum(map(self.of_check, self.weights)))

    def of_package(self, name: str) -> float:
        return PACKAGE_SECONDS + LAYER_SECONDS * self.layers.get(name, 0) + WEIGHT_SECONDS * self.weights[name]

    def of_reference(self, weights: int) -> float:
        return REFERENCE_SECONDS[self.bits] * weights

    def of_check(self, name: str) -> float:
        """To read the package again and to run it."""
        return EVALUATOR_SECONDS + CHECK_SECONDS[self.bits] * self.weights[name] if name in self.layers else 0.0

    @property
    def opening_share(self) -> float:
        return OPENING_SHARE[self.bits]


def costs_of(source: Checkpoint, parts: Sequence[StackPart], bits: int) -> Costs:
    """parts: the packages of the talker's layers. bits: of their weights."""
    talker = source.model.talker_config
    predictor, width = talker.code_predictor_config, talker.hidden_size
    others = talker.num_code_groups - 1
    codec = open_tensors(source.folder / "speech_tokenizer").tensors
    weights = {
        "TextProjector": talker.text_vocab_size * width,
        "CodeEmbedder": talker.vocab_size * width,
        "MultiCodeEmbedder": others * predictor.vocab_size * width,
        **{part.name: part.sizes.layers * _layer_weights(talker) for part in parts},
        "MultiCodeDecoder": predictor.num_hidden_layers * _layer_weights(predictor)
        + others * predictor.vocab_size * predictor.hidden_size,
        "SpeechDecoder": sum(value.size for name, value in codec.items() if name.startswith(DECODER)),
    }
    weights[parts[-1].name] += talker.vocab_size * width
    layers = {part.name: part.sizes.layers for part in parts}
    return Costs(
        bits, weights, {**layers, "MultiCodeDecoder": predictor.num_hidden_layers, "SpeechDecoder": SOUND_LAYERS}
    )


def _layer_weights(config: TransformerConfig) -> int:
    heads = 2 * config.num_attention_heads + 2 * config.num_key_value_heads
    return config.hidden_size * (config.head_dim * heads + 3 * config.intermediate_size)
