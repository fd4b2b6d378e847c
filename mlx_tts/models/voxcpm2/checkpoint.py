"""A checkpoint's small files, read once, as one value: what everything else of the family takes. Reads no weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from typing import Any

from mlx_tts.models.voxcpm2.config import FIRST, GUIDANCE, LEAST_PATCHES, STEPS, ModelConfig, StackConfig, model_config
from mlx_tts.models.voxcpm2.tokenizer import TextTokenizer
from mlx_tts.speech import Capabilities, FamilyOption, ModelInfo

FAMILY = "voxcpm2"
LANGUAGES = (
    "arabic", "burmese", "chinese", "danish", "dutch", "english", "finnish", "french", "german", "greek", "hebrew",
    "hindi", "indonesian", "italian", "japanese", "khmer", "korean", "lao", "malay", "norwegian", "polish",
    "portuguese", "russian", "spanish", "swahili", "swedish", "tagalog", "thai", "turkish", "vietnamese",
)  # fmt: skip
FIRST_LANGUAGES = ("chinese", "english")
AUTO, REFERENCE, CONTINUATION, BOTH = "auto", "reference", "continuation", "both"
CLONING = (AUTO, REFERENCE, CONTINUATION, BOTH)
OPTIONS = (
    FamilyOption(
        "steps", int, str(STEPS), "Steps of the diffusion: fewer are faster, more are finer; 4 to 30 are usual."
    ),
    FamilyOption("guidance", float, f"{GUIDANCE:g}", "How strongly speech follows the text; 1 is not at all."),
    FamilyOption("least_seconds", float, "four patches", "Speech does not end before this; 0.64 s in most models."),
    FamilyOption("clone", str, AUTO, "What of a voice is used: reference, continuation, both, or auto, all it has."),
)
FIRST_OPTIONS = OPTIONS[:-1]  # this architecture only continues recordings

DESIGNED, CONTINUED = "designed and cloned voices", "continued voices"
FIRST_CAN = Capabilities(clones=True, clones_in_context=True, continues=True, reads_numbers=True)
KINDS = {DESIGNED: replace(FIRST_CAN, designs=True, instructs=True), CONTINUED: FIRST_CAN}


@dataclass(frozen=True)
class Checkpoint:
    """raw: config.json as it is."""

    folder: Path
    raw: dict[str, Any]
    model: ModelConfig
    text: TextTokenizer
    info: ModelInfo


def open_checkpoint(folder: Path, raw: dict[str, Any]) -> Checkpoint:
    """Read the config of a folder; ModelError when it is damaged or of another kind of model."""
    model = model_config(raw, folder / "config.json")
    return Checkpoint(folder, raw, model, TextTokenizer(folder, model.vocab_size), _info(folder, raw, model))


def _info(folder: Path, raw: dict[str, Any], model: ModelConfig) -> ModelInfo:
    second = model.architecture != FIRST
    kind = DESIGNED if second else CONTINUED
    quantisation = raw.get("quantization")
    bits = quantisation.get("bits") if isinstance(quantisation, dict) else None
    return ModelInfo(
        folder=folder,
        family=FAMILY,
        kind=kind,
        size=_size(model),
        voices=(),
        languages=("auto", *(LANGUAGES if second else FIRST_LANGUAGES)),
        sample_rate=model.codec.output_rate,
        frame_rate=model.frame_rate,
        codebooks=0,
        quantisation=f"{bits}-bit" if isinstance(bits, int) else "",
        can=KINDS[kind],
        options=OPTIONS if second else FIRST_OPTIONS,
    )


def _size(model: ModelConfig) -> str:
    """Parameters of the network, about: its transformers and the table of ids."""
    total = model.vocab_size * model.semantic.hidden_size
    for stack in (model.semantic, model.residual, model.local_encoder, model.local_decoder):
        total += stack.num_hidden_layers * _layer_size(stack)
    return f"{total / 1e9:.1f}B" if total >= 1e9 else f"{total / 1e6:.0f}M"


def _layer_size(stack: StackConfig) -> int:
    heads = 2 * stack.num_attention_heads + 2 * stack.num_key_value_heads
    return stack.hidden_size * (heads * stack.head_dim + 3 * stack.intermediate_size)


def least_patches(model: ModelConfig, seconds: float | None) -> int:
    """Patches before speech may end: at least two, the official default where nothing was asked for."""
    if seconds is None:
        return LEAST_PATCHES
    return max(2, ceil(round(seconds * model.frame_rate, 6)))
