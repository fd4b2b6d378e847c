"""config.json as frozen dataclasses; field names are the file's own. ModelError for what is refused."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from mlx_tts.checkpoints.config_fields import check_ids, read_fields
from mlx_tts.errors import ModelError

SAMPLE_RATE = 24_000
HARMONICS = 9  # of the excitation, the fundamental among them
SPECIAL_IDS = 2  # the 0 before and the 0 behind the phonemes
MOST_NAMES = 10_000  # of symbols


@dataclass(frozen=True)
class AlbertConfig:
    """PL-BERT: one layer, run num_hidden_layers times."""

    hidden_size: int
    num_attention_heads: int
    intermediate_size: int
    max_position_embeddings: int
    num_hidden_layers: int
    embedding_size: int = 128


@dataclass(frozen=True)
class VocoderConfig:
    """`istftnet`: what makes sound of the decoder's features."""

    upsample_rates: tuple
    upsample_kernel_sizes: tuple
    gen_istft_n_fft: int
    gen_istft_hop_size: int
    resblock_kernel_sizes: tuple
    resblock_dilation_sizes: tuple
    upsample_initial_channel: int

    @property
    def hop(self) -> int:
        """Samples of one value of the pitch curve."""
        return prod(self.upsample_rates) * self.gen_istft_hop_size


@dataclass(frozen=True)
class KokoroConfig:
    hidden_dim: int
    style_dim: int
    n_layer: int
    max_dur: int
    n_token: int
    text_encoder_kernel_size: int
    plbert: AlbertConfig
    istftnet: VocoderConfig
    vocab: dict

    @property
    def most_phonemes(self) -> int:
        """That one piece may have."""
        return self.plbert.max_position_embeddings - SPECIAL_IDS

    @property
    def frame_samples(self) -> int:
        """Samples of one frame of durations."""
        return 2 * self.istftnet.hop


def model_config(raw: dict[str, Any], where: Path) -> KokoroConfig:
    """config.json of a checkpoint's folder."""
    own = dict(raw)
    vocoder = own.get("istftnet")
    if isinstance(vocoder, dict):
        dilations = vocoder.get("resblock_dilation_sizes")
        if not isinstance(dilations, list) or not all(isinstance(row, list) and len(row) == 3 for row in dilations):
            raise ModelError(f"{where} has resblock_dilation_sizes that are not threes of numbers: fetch it again")
        flat = [number for row in dilations for number in row]
        own["istftnet"] = {**vocoder, "resblock_dilation_sizes": flat}
    config = read_fields(KokoroConfig, own, str(where))
    _check(config, where)
    return config


def _check(config: KokoroConfig, where: Path) -> None:
    """Refuse what would be computed wrongly."""
    vocab, vocoder, bert = config.vocab, config.istftnet, config.plbert
    if (
        not vocab
        or len(vocab) > MOST_NAMES
        or not all(isinstance(symbol, str) and len(symbol) == 1 for symbol in vocab)
    ):
        raise ModelError(f"{where} has a vocab that is not made of single characters: fetch it again")
    check_ids(vocab, config.n_token, f"{where} vocab")
    faults = {
        "plbert": bert.hidden_size % bert.num_attention_heads or bert.max_position_embeddings <= SPECIAL_IDS,
        "hidden_dim": config.hidden_dim % 2,
        "text_encoder_kernel_size": not config.text_encoder_kernel_size % 2,
        "upsample_kernel_sizes": len(vocoder.upsample_kernel_sizes) != len(vocoder.upsample_rates)
        or any(
            k < u or (k - u) % 2 for k, u in zip(vocoder.upsample_kernel_sizes, vocoder.upsample_rates, strict=False)
        ),
        "resblock_kernel_sizes": not all(size % 2 for size in vocoder.resblock_kernel_sizes),
        "resblock_dilation_sizes": len(vocoder.resblock_dilation_sizes) != 3 * len(vocoder.resblock_kernel_sizes),
        "gen_istft_n_fft": vocoder.gen_istft_n_fft % 2
        or vocoder.gen_istft_n_fft % vocoder.gen_istft_hop_size
        or vocoder.gen_istft_n_fft < 2 * vocoder.gen_istft_hop_size,
        "upsample_initial_channel": vocoder.upsample_initial_channel % (1 << len(vocoder.upsample_rates)),
        "upsample_rates": vocoder.hop > SAMPLE_RATE or vocoder.hop % 2,
    }
    for name, fault in faults.items():
        if fault:
            raise ModelError(f"{where} has impossible sizes in {name}: fetch it again")
