"""Pieces of phonemes in, their sound out: all of a piece at once, several pieces side by side."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from mlx_tts.models.kokoro.config import HARMONICS, KokoroConfig
from mlx_tts.models.kokoro.decoder import FeatureDecoder, Spectrum, Vocoder
from mlx_tts.models.kokoro.layers import Extent
from mlx_tts.models.kokoro.prosody import Albert, Durations, Predictor, TextEncoder, repeated
from mlx_tts.runtime.device import policy
from mlx_tts.runtime.memory import give_back_freed

MakeNoise = Callable[[int], mx.array]  # samples -> standard normal [samples, 9]


@dataclass(frozen=True)
class PhonemePiece:
    """What is spoken in one go. ids: of the vocabulary, 0 before and behind them. style [2 S]: the sound's, then the
    prosody's. noise: the excitation's, for so many samples. frames: how long each id lasts, where that is given."""

    ids: np.ndarray
    style: np.ndarray
    speed: float
    noise: MakeNoise
    frames: np.ndarray | None = None


@dataclass(frozen=True)
class PieceSound:
    """Samples [N], and how many frames each id lasts."""

    samples: np.ndarray
    frames: np.ndarray


def seeded_noise(key: tuple[int, int]) -> MakeNoise:
    """Noise that depends on the key alone."""
    state = mx.array(key, mx.uint32)
    return lambda samples: mx.random.normal((samples, HARMONICS), key=state)


def _done(extent: Extent) -> int:
    """The positions of a stage that is done."""
    _let_go()
    return sum(extent.lengths)


def _let_go() -> None:
    """On the CPU, of the buffers that were freed, up to 64 MB: those of the next stage have other sizes."""
    if not policy().shares_pieces:
        give_back_freed()


class Kokoro(nn.Module):
    """wide, narrow: widths of the decoder's blocks, which only the weights tell."""

    def __init__(self, config: KokoroConfig, wide: int, narrow: int):
        super().__init__()
        self.config = config
        self.bert = Albert(config.plbert, config.n_token)
        self.bert_encoder = nn.Linear(config.plbert.hidden_size, config.hidden_dim)
        self.predictor = Predictor(config)
        self.text_encoder = TextEncoder(config)
        self.decoder = FeatureDecoder(config, wide, narrow)
        self.generator = Vocoder(config.istftnet, config.style_dim)
        self.spectrum = Spectrum(config.istftnet)

    def speak(
        self, pieces: Sequence[PhonemePiece], seen: dict[str, mx.array] | None = None
    ) -> Generator[int, None, list[PieceSound]]:
        """The sound of pieces that are made side by side; yields the positions of each stage that is done, so that
        somebody else may have a turn. seen: is given what was computed on the way, for tests."""
        seen = {} if seen is None else seen
        width = self.config.style_dim
        styles = mx.array(np.stack([piece.style for piece in pieces]).astype(np.float32))
        sound_style, prosody_style = styles[:, :width], styles[:, width : 2 * width]
        extent = Extent.of([len(piece.ids) for piece in pieces])
        ids = np.zeros((len(pieces), max(extent.lengths)), np.int32)
        for row, piece in zip(ids, pieces, strict=True):
            row[: len(piece.ids)] = piece.ids
        seen["bert"] = self.bert(mx.array(ids), extent)
        seen["features"] = self.predictor.features(self.bert_encoder(seen["bert"]), prosody_style, extent)
        lengths = np.array(self.predictor.lengths(seen["features"], extent))
        seen["lengths"] = mx.array(lengths)
        durations = Durations.of(lengths, extent.lengths, tuple(piece.speed for piece in pieces))
        given = zip(pieces, durations.frames, strict=True)
        durations = Durations(tuple(own if piece.frames is None else piece.frames for piece, own in given))
        yield _done(extent)
        frames, places = Extent.of(durations.totals), durations.places()
        seen["text"] = self.text_encoder(mx.array(ids), extent)
        pitch, energy = self.predictor.curves(repeated(seen["features"], places, frames), prosody_style, frames)
        seen["F0"], seen["N"] = pitch, energy
        mx.eval(pitch, energy)
        yield _done(frames)
        text = repeated(seen["text"], places, frames)
        seen["encoded"], values = self.decoder(text, pitch, energy, sound_style, frames)
        mx.eval(seen["encoded"])
        yield _done(values)
        excited = [
            self.generator.source(own[:length], piece.noise(length * self.config.istftnet.hop))
            for own, length, piece in zip(pitch, values.lengths, pieces, strict=True)
        ]
        seen["source"] = excited[0]
        samples = yield from self._sound(excited, seen, sound_style, values)
        ends = [total * self.config.frame_samples for total in durations.totals]
        made = np.array(samples)
        return [
            PieceSound(own[:end].copy(), count) for own, end, count in zip(made, ends, durations.frames, strict=True)
        ]

    def _sound(
        self, excited: list[mx.array], seen: dict[str, mx.array], style: mx.array, values: Extent
    ) -> Generator[int, None, mx.array]:
        steps = self.config.istftnet.hop // self.config.istftnet.gen_istft_hop_size
        spectrum = values.times(steps, 1).cut(self.spectrum.of_sound(excited))
        seen["spectrum"] = spectrum
        mx.eval(spectrum)
        _let_go()
        post, frames = self.generator(seen["encoded"], style, spectrum, values)
        seen["post"] = post
        magnitude, phase = mx.split(post, 2, axis=-1)
        samples = self.spectrum.to_sound(mx.exp(magnitude), mx.sin(phase), frames)
        mx.eval(samples)
        yield _done(frames)
        return samples
