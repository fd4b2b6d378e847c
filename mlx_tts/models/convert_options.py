"""What a conversion is asked for: checked here once, whoever asks, so that families meet only what can be meant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from mlx_tts.errors import RequestError

BITS = (4, 6, 8)
GROUP_SIZES = (16, 32, 64, 128)
MODES = ("affine", "mxfp4", "mxfp8", "nvfp4")
DTYPES = ("bfloat16", "float32", "float16")  # float16 for small models: the talker never computes in it
CODEC_DTYPES = ("float32", "float16")  # bfloat16 loses audible precision
CODEC_BITS = (8,)  # with fewer the sound suffers
FORMATS, COREML_BITS, NORMS = ("mlx", "coreml"), (8, 16), ("layer", "scaled")
CONTEXTS = (64, 4096)  # positions of prompt and speech together
FOR_COREML = ("context", "norm")  # and bits, which both formats have


@dataclass(frozen=True)
class ConvertOptions:
    """format: "mlx", or "coreml" for packages. bits: of the weights; None keeps them plain in `dtype` (Core ML: 16).

    With mlx. group_size: weights that share a scale, None for the mode's own; mode: how they are quantised. dtype: of
    all that is not quantised. codec_dtype: of the codec. text_embedding_bits, table_bits, codec_bits: quantise the
    table of the text, those of the codes, and the codec as well. drop_encoder: leave out the half of the codec that
    only cloning in context needs.

    With Core ML. context: positions of prompt and speech that the cache holds. norm: the form of the norms in float16.

    Raises RequestError, which names the option as the command spells it, for values that cannot be or do not go
    together.
    """

    format: str = "mlx"
    bits: int | None = None
    group_size: int | None = None
    mode: str = "affine"
    dtype: str = "bfloat16"
    text_embedding_bits: int | None = None
    table_bits: int | None = None
    codec_dtype: str = "float32"
    codec_bits: int | None = None
    drop_encoder: bool = False
    context: int = 512
    norm: str = "layer"

    def __post_init__(self) -> None:
        _check("--format", self.format, FORMATS)
        coreml = self.format == "coreml"
        if coreml and any(name not in ("format", "bits", *FOR_COREML) for name in self._given):
            raise RequestError(
                "with --format coreml there are --bits, --context and --norm alone: leave the others out"
            )
        _check("--mode", self.mode, MODES)
        _check("--dtype", self.dtype, DTYPES)
        _check("--codec-dtype", self.codec_dtype, CODEC_DTYPES)
        if not coreml and any(name in FOR_COREML for name in self._given):
            raise RequestError("--context and --norm go with --format coreml")
        _check("--norm", self.norm, NORMS)
        _check("--bits", self.bits, (None, *(COREML_BITS if coreml else BITS)))
        _check("--group-size", self.group_size, (None, *GROUP_SIZES))
        _check("--text-embedding-bits", self.text_embedding_bits, (None, *BITS))
        _check("--table-bits", self.table_bits, (None, *BITS))
        _check("--codec-bits", self.codec_bits, (None, *CODEC_BITS))
        least, most = CONTEXTS
        if not least <= self.context <= most or self.context % 32:
            raise RequestError(f"--context is {self.context}: use a multiple of 32 from {least} to {most}")
        if self.bits is None and (self.mode != "affine" or self.group_size is not None):
            raise RequestError("--mode and --group-size are for quantising: give --bits as well")

    def quantisation(self, default_group: Mapping[str, int]) -> dict[str, Any] | None:
        """What config.json says of quantised weights, with the usual size of groups by mode; None for plain ones."""
        if self.bits is None:
            return None
        return {"group_size": self.group_size or default_group[self.mode], "bits": self.bits, "mode": self.mode}

    @property
    def _given(self) -> list[str]:
        """The fields that are not as they are by default."""
        return [entry.name for entry in fields(self) if getattr(self, entry.name) != entry.default]

    def must_leave_out(self, family: str, *names: str) -> None:
        """RequestError where one of these fields was given, which the family does not take."""
        for name in names:
            if name in self._given:
                raise RequestError(f"a {family} model does not take --{name.replace('_', '-')}: leave it out")


def _check(name: str, value: object, allowed: tuple[object, ...]) -> None:
    if value not in allowed:
        raise RequestError(f"{name} is {value}: use {', '.join(str(one) for one in allowed if one is not None)}")
