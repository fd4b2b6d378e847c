"""A checkpoint's small files, read once, as one value: what everything else of the family takes. Reads no weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

from mlx_tts.checkpoints.config_fields import read_json
from mlx_tts.errors import ModelError
from mlx_tts.models.magpie.config import CodecConfig, MagpieConfig, codec_config, model_config
from mlx_tts.models.magpie.text.tokenizer import ARTIFACT, Tokenizers, folder_reader, read_tables
from mlx_tts.speech import Capabilities, FamilyOption, ModelInfo

FAMILY = "magpie"
BAKED = "baked_context_embedding.weight"
SHORT_POSITIONS = 1000  # of the text encoder: with fewer, pieces of ordinary length may not fit
OWN = "the checkpoint's"
OPTIONS = (
    FamilyOption("guidance", float, OWN, "How strongly speech follows the text and the voice; 1 is not at all."),
    FamilyOption("prior", str, OWN, "Whether attention is kept going forward through the text: on or off."),
    FamilyOption("prior_epsilon", float, OWN, "How much attention is left to the rest of the text."),
    FamilyOption("lookahead", int, OWN, "How many symbols of the text attention may go forward in a step."),
    FamilyOption("cache", str, "cached", "cached, or recomputed: read all again under each new prior, as NeMo does."),
    FamilyOption("local_transformer", str, "on", "What samples the codes: it (on) or the decoder's own heads (off)."),
    FamilyOption("passes", int, "3", "Passes of a MaskGit local transformer."),
    FamilyOption("end_rule", str, OWN, "When speech ends: argmax_any and the other five of NeMo."),
    FamilyOption("watch_end", str, OWN, "Whether the end of the text decides when speech may end: on or off."),
)

BAKED_SPEAKERS, VOICE_SAMPLES = "baked speakers", "voice samples"
BOTH_CAN = Capabilities(codes=True, word_times=True, continues=True)
KINDS = {BAKED_SPEAKERS: replace(BOTH_CAN, presets=True), VOICE_SAMPLES: replace(BOTH_CAN, clones=True)}


@dataclass(frozen=True)
class Checkpoint:
    """raw: config.json as it is. shapes: of the weights, by name; empty where they are not on disk."""

    folder: Path
    raw: dict[str, Any]
    model: MagpieConfig
    codec: CodecConfig
    text: Tokenizers
    shapes: dict[str, tuple[int, ...]]
    info: ModelInfo


def open_checkpoint(folder: Path, raw: dict[str, Any]) -> Checkpoint:
    """Read the configs of a folder; ModelError when they are missing, damaged or of another kind of model."""
    where = folder / "codec" / "config.json"
    codec = codec_config(read_json(where), where)
    model = model_config(raw, folder / "config.json", codec)
    shapes = tensor_shapes(folder)
    check_fit(model, codec, shapes, folder)
    rows = shapes["text_embedding.weight"][0] if "text_embedding.weight" in shapes else None
    reader = folder_reader(folder)
    text = Tokenizers(model.text_tokenizers, model.languages, reader, rows, model.nemo_version, read_tables(folder))
    speakers, kind = shapes[BAKED][0] if BAKED in shapes else 0, VOICE_SAMPLES
    quantisation, positions = raw.get("quantization"), model.encoder.max_length_causal_mask
    if speakers or not shapes:
        kind = BAKED_SPEAKERS
    info = ModelInfo(
        folder=folder,
        family=FAMILY,
        kind=kind,
        size=_size(shapes),
        voices=speaker_names(folder, raw, speakers),
        languages=("auto", *text.readable()),
        sample_rate=codec.sample_rate,
        frame_rate=codec.frame_rate,
        codebooks=codec.num_groups,
        longest_text=positions // 4 if positions < SHORT_POSITIONS else None,
        quantisation=f"{quantisation['bits']}-bit" if isinstance(quantisation, dict) else "",
        can=replace(KINDS[kind], presets=bool(speakers)),
        options=OPTIONS,
    )
    return Checkpoint(folder, raw, model, codec, text, shapes, info)


def tensor_shapes(folder: Path) -> dict[str, tuple[int, ...]]:
    """Name -> shape of all tensors of model.safetensors, from its header alone; empty where the file is missing."""
    from safetensors import SafetensorError, safe_open

    path = folder / "model.safetensors"
    if not path.is_file():
        return {}
    try:
        with safe_open(str(path), framework="np") as file:
            return {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise ModelError(f"{path} is damaged or incomplete ({error}): fetch or convert it again") from None


def check_fit(model: MagpieConfig, codec: CodecConfig, shapes: dict[str, tuple[int, ...]], folder: Path) -> None:
    """Refuse a model and a codec that do not belong together, before anything is built."""
    heads = shapes.get("final_proj.bias")
    slots = codec.num_groups * model.frame_stacking_factor
    wanted = slots * (codec.codebook_size + 8)
    if heads is not None and heads != (wanted,):
        raise ModelError(
            f"model and codec in {folder} do not fit: the model samples from {heads[0]} numbers a step, the codec's "
            f"{codec.num_groups} codebooks of {codec.codebook_size} need {wanted}"
        )


def speaker_names(folder: Path, raw: dict[str, Any], count: int) -> tuple[str, ...]:
    """The names of the baked speakers in their order; numbers where the files do not name them."""
    names = {str(number): number for number in range(count)}
    file = raw.get("speaker_map")
    if isinstance(file, str) and file.startswith(ARTIFACT):
        found = read_json(folder / "text" / Path(file.removeprefix(ARTIFACT)).name)
    else:
        found = file if isinstance(file, dict) else {}
    listed = {number: name for name, number in found.items() if isinstance(number, int)}
    return tuple(str(listed.get(number, name)) for name, number in names.items())


def _size(shapes: dict[str, tuple[int, ...]]) -> str:
    """Millions of parameters, without tables that are not multiplied with."""
    total = 0
    for name, shape in shapes.items():
        if not name.endswith(("causal_mask", ".scales", ".biases")) and name != BAKED:
            total += prod(shape)
    return f"{total / 1e6:.0f}M" if total else ""
