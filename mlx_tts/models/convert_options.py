"""What a conversion is asked for: checked here once for every caller, so that families meet only what can be meant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlx_tts.checkpoints import work
from mlx_tts.errors import RequestError
from mlx_tts.setting import choice, read_number, setting, switch

if TYPE_CHECKING:
    from mlx_tts.checkpoints.recipe import Recipe

ConversionWork = work.ConversionWork  # for commands, which must not reach below the families

BITS = (4, 6, 8)
AUTO = "auto"
RECIPES = (AUTO, "uniform")
MEASURED_BITS = 4  # those for which there is a measured recipe
GROUP_SIZES = (16, 32, 64, 128)
MODES = ("affine", "mxfp4", "mxfp8", "nvfp4")
DTYPES = ("bfloat16", "float32", "float16")  # float16 for small models: the talker never computes in it
CODEC_DTYPES = ("float32", "float16")  # bfloat16 loses audible precision
CODEC_BITS = (8,)  # with fewer the sound suffers
FORMATS, COREML_BITS, NORMS = ("mlx", "coreml"), (8, 16), ("layer", "scaled")
CONTEXTS = (64, 4096)  # positions of prompt and speech together
FOR_COREML = ("context", "norm")  # and bits, which both formats have


def _read_whole(value: Any) -> int:
    return int(read_number(value, int))


def _whole(help: str, allowed: tuple[int, ...]) -> Any:
    """A whole number, None by default; which ones may be meant depends on the other options."""
    return setting(None, help, _read_whole, metavar="|".join(map(str, allowed)))


def _read_budget(value: Any) -> int:
    if (budget := _read_whole(value)) < 1:
        raise ValueError("use a whole number from 1")
    return budget


def _read_table_bits(value: Any) -> int | str:
    return AUTO if value == AUTO else _read_whole(value)


def _read_codec_dtype(value: Any) -> str:
    if value not in CODEC_DTYPES:
        raise ValueError(f"use {' or '.join(CODEC_DTYPES)}")
    return str(value)


def _read_recipe(value: Any) -> str:
    if value not in RECIPES:
        raise ValueError("use auto or uniform")
    return str(value)


@dataclass(frozen=True)
class ConvertOptions:
    """format: "mlx", or "coreml" for packages. bits: of the weights; None keeps them plain in `dtype` (Core ML: 16).

    With mlx. group_size: weights that share a scale, None for the mode's own; mode: how they are quantised. dtype: of
    all that is not quantised. codec_dtype: of the codec; None is float32, or what a family's recipe says.
    text_embedding_bits, table_bits, codec_bits: quantise the table of the text ("auto": by measuring), those of the
    codes, and the codec as well. drop_encoder: leave out the half of the codec that only cloning in context needs.
    recipe: "uniform" gives all layers `bits`; "auto" finds by measuring which layers need more, in a file of at most
    budget_mb if it is given; None is "auto" with 4 affine bits. for_mlx_audio: a recipe quantises nothing that
    mlx-audio cannot read. tune: move scales and biases of a code predictor by gradient towards its plain logits.

    With Core ML. context: positions of prompt and speech that the cache holds. norm: the form of the norms in float16.

    Raises RequestError, which names the option as the command spells it, for values that cannot be or do not go
    together.
    """

    bits: int | None = _whole("Quantise to this many bits.", BITS)
    group_size: int | None = _whole("How many weights share a scale; 64 by default with affine.", GROUP_SIZES)
    mode: str = choice("affine", MODES, "How weights are quantised; affine by default.")
    dtype: str = choice("bfloat16", DTYPES, "Type of all that is not quantised; bfloat16 by default.")
    codec_dtype: str | None = setting(
        None,
        "Type of the codec; float32 by default, float16 with a recipe.",
        _read_codec_dtype,
        metavar="|".join(CODEC_DTYPES),
    )
    text_embedding_bits: int | str | None = setting(
        None,
        "Quantise the text table too; auto: by measuring.",
        _read_table_bits,
        metavar="|".join(map(str, (*BITS, AUTO))),
    )
    table_bits: int | None = _whole("Quantise the tables of codes too.", BITS)
    codec_bits: int | None = _whole("Quantise the codec too.", CODEC_BITS)
    drop_encoder: bool = switch(False, "Leave out the codec's encoder; clones then use the speaker vector alone.")
    recipe: str | None = setting(
        None,
        "With --bits 4, auto measures which layers need more bits; uniform does not.",
        _read_recipe,
        metavar="|".join(RECIPES),
    )
    budget_mb: int | None = setting(
        None, "Measure, and keep model.safetensors within this many MB.", _read_budget, metavar="MB"
    )
    for_mlx_audio: bool = switch(False, "With a recipe: leave tables and codec plain, as mlx-audio reads them.")
    tune: bool = switch(False, "With --bits: tune scales of the code predictor by gradient; minutes on a GPU.")
    format: str = choice("mlx", FORMATS, "coreml makes packages for the Neural Engine; mlx by default.")
    context: int = setting(
        512, "With coreml: room for prompt and speech together; 512 by default.", _read_whole, metavar="POSITIONS"
    )
    norm: str = choice("layer", NORMS, "With coreml: the form of the norms in float16; layer by default.")

    def __post_init__(self) -> None:
        _check("--format", self.format, FORMATS)
        coreml = self.format == "coreml"
        if coreml and any(name not in ("format", "bits", *FOR_COREML) for name in self._given):
            raise RequestError(
                "with --format coreml there are --bits, --context and --norm alone: leave the others out"
            )
        _check("--mode", self.mode, MODES)
        _check("--dtype", self.dtype, DTYPES)
        _check("--codec-dtype", self.codec_dtype, (None, *CODEC_DTYPES))
        if not coreml and any(name in FOR_COREML for name in self._given):
            raise RequestError("--context and --norm go with --format coreml")
        _check("--norm", self.norm, NORMS)
        _check("--bits", self.bits, (None, *(COREML_BITS if coreml else BITS)))
        _check("--group-size", self.group_size, (None, *GROUP_SIZES))
        _check("--text-embedding-bits", self.text_embedding_bits, (None, *BITS, AUTO))
        _check("--table-bits", self.table_bits, (None, *BITS))
        _check("--codec-bits", self.codec_bits, (None, *CODEC_BITS))
        least, most = CONTEXTS
        if not least <= self.context <= most or self.context % 32:
            raise RequestError(f"--context is {self.context}: use a multiple of 32 from {least} to {most}")
        _check("--recipe", self.recipe, (None, *RECIPES))
        asked = self.recipe == "auto" or self.budget_mb is not None
        if asked and (self.bits != MEASURED_BITS or self.mode != "affine" or self.recipe == "uniform"):
            raise RequestError("--recipe auto and --budget-mb go with --bits 4 and --mode affine: leave them out")
        if self.measures_text and not self.is_measured:
            raise RequestError("--text-embedding-bits auto goes with --bits 4 and --recipe auto: give a number")
        if self.tune and (self.bits is None or self.mode != "affine"):
            raise RequestError("--tune goes with --bits and --mode affine: give --bits, or leave it out")
        if self.for_mlx_audio and (unread := self.unread_by_mlx_audio):
            raise RequestError(f"mlx-audio cannot read {', '.join(unread)}: leave that or --for-mlx-audio out")
        if self.bits is None and (self.mode != "affine" or self.group_size is not None):
            raise RequestError("--mode and --group-size are for quantising: give --bits as well")

    def quantisation(self, default_group: Mapping[str, int]) -> dict[str, Any] | None:
        """What config.json says of quantised weights, with the usual size of groups by mode; None for plain ones."""
        if self.bits is None:
            return None
        return {"group_size": self.group_size or default_group[self.mode], "bits": self.bits, "mode": self.mode}

    @property
    def is_measured(self) -> bool:
        """Whether bits are found by measuring, in a family that can."""
        return self.recipe != "uniform" and self.bits == MEASURED_BITS and self.mode == "affine"

    @property
    def measures_text(self) -> bool:
        """Whether the bits of the table of text are found by measuring, too."""
        return self.text_embedding_bits == AUTO

    @property
    def codec_type(self) -> str:
        """The type of the codec, also where none was asked for."""
        return self.codec_dtype or "float32"

    @property
    def unread_by_mlx_audio(self) -> list[str]:
        """The options that were given, as the command spells them, whose results mlx-audio cannot read."""
        asked = ("text_embedding_bits", "table_bits", "codec_bits")
        return [f"--{name.replace('_', '-')}" for name in asked if getattr(self, name) is not None]

    @property
    def _given(self) -> list[str]:
        """The fields that are not as they are by default."""
        return [entry.name for entry in fields(self) if getattr(self, entry.name) != entry.default]

    def must_leave_out(self, family: str, *names: str) -> None:
        """RequestError where one of these fields was given, which the family does not take."""
        for name in names:
            if name in self._given:
                raise RequestError(f"a {family} model does not take --{name.replace('_', '-')}: leave it out")


def model_card(
    source: Path, tag: str, text: str, licence: str = "license: apache-2.0", recipe: Recipe | None = None
) -> str:
    """README.md of a converted checkpoint. tag: of the family; licence: lines of the card's header; text: what was
    done, and what the original's licence is. recipe: of a measured one, whose table follows."""
    text += "" if recipe is None else f"\n\n{recipe.card}"
    return f"""---
library_name: mlx
{licence}
pipeline_tag: text-to-speech
tags: [mlx, text-to-speech, {tag}]
---
# {source.resolve().name}, converted with mlx-tts

{text}

    mlx-tts speak "Hello." --model FOLDER
"""


def _check(name: str, value: object, allowed: tuple[object, ...]) -> None:
    if value not in allowed:
        raise RequestError(f"{name} is {value}: use {', '.join(str(one) for one in allowed if one is not None)}")
