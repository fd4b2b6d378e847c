"""`audio_vae_config` of config.json as a frozen dataclass. ModelError for what would be computed wrongly."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Annotated, Any

from mlx_tts.checkpoints.config_fields import LARGEST_SIZE, Limits, read_fields, shown
from mlx_tts.errors import ModelError

FIRST, SECOND = "voxcpm", "voxcpm2"  # architectures: that of the 0.5B and 1.5 checkpoints, and that of VoxCPM2
Count = Annotated[int, Limits(0, LARGEST_SIZE)]  # of what may be missing
Boundaries = Annotated[tuple, Limits(1, LARGEST_SIZE)]


@dataclass(frozen=True)
class CodecConfig:
    """Rates: samples that a step of the encoder joins, and that one of the decoder makes."""

    sample_rate: int
    encoder_dim: int
    encoder_rates: tuple
    latent_dim: int
    decoder_dim: int
    decoder_rates: tuple
    out_sample_rate: Count = 0
    sr_bin_boundaries: Boundaries = ()
    delayed: bool = False  # the first architecture's encoder sees a sample less in front of an odd stride

    @property
    def encoder_hop(self) -> int:
        return prod(self.encoder_rates)

    @property
    def decoder_hop(self) -> int:
        return prod(self.decoder_rates)

    @property
    def output_rate(self) -> int:
        return self.out_sample_rate or self.sample_rate


def codec_config(entries: Any, architecture: str, where: str) -> CodecConfig:
    """The codec's sizes; ModelError for the kinds that no released checkpoint has."""
    raw = {name: value for name, value in object_of(entries, where).items() if value is not None}
    refused = {"use_noise_block": raw.get("use_noise_block", False), "cond_out_layer": raw.get("cond_out_layer", False)}
    refused |= {"depthwise": not raw.get("depthwise", True)}
    refused |= {"cond_type": raw.get("cond_type", "scale_bias") != "scale_bias"}
    if wrong := [name for name, is_set in refused.items() if is_set]:
        raise ModelError(f"{where} sets {wrong[0]} to {shown(raw[wrong[0]])}, which this program does not read")
    second = architecture == SECOND
    own = {name: value for name, value in raw.items() if name != "delayed"}
    boundaries = own.pop("sr_bin_boundaries", None) if second else None
    if not second:
        own.pop("out_sample_rate", None)
        own.pop("sr_bin_boundaries", None)
    if boundaries:
        own["sr_bin_boundaries"] = boundaries
    config = replace(read_fields(CodecConfig, own, where), delayed=not second)
    halvings = len(config.decoder_rates)
    # Odd numbers of channels are halved as the official code does it, rounded down.
    if not config.decoder_dim >> halvings or halvings > 16 or len(config.encoder_rates) > 16:
        raise ModelError(f"{where} halves {config.decoder_dim} channels {halvings} times: it is damaged")
    widest = config.encoder_dim << len(config.encoder_rates)
    if max(config.encoder_hop, config.decoder_hop, widest) > LARGEST_SIZE:
        raise ModelError(f"{where} has rates or widths that no codec has: it is damaged")
    # Latents are as many a second on both sides.
    if config.sample_rate * config.decoder_hop != config.output_rate * config.encoder_hop:
        raise ModelError(f"{where} encodes and decodes at rates that do not fit each other: it is damaged")
    return config


def object_of(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ModelError(f"{where} is {shown(value)}, not an object: the checkpoint's config is damaged")
    return {name: entry for name, entry in value.items() if entry is not None}
