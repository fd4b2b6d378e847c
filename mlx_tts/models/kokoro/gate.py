"""Two checkpoints of the same model in, how far the second speaks from the first out: the gate of a conversion."""

from __future__ import annotations

import gc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import mlx.core as mx
import numpy as np

from mlx_tts.models.kokoro.checkpoint import Checkpoint
from mlx_tts.models.kokoro.network import Kokoro, PhonemePiece, PieceSound, seeded_noise
from mlx_tts.models.kokoro.voices import VoicePacks
from mlx_tts.models.kokoro.weights import load_kokoro

SENTENCES = (
    "həlˈO, wˈɜɹld! ðˌɪs ɪz ɐ tˈɛst ʌv ðə vˈYs.",
    "ðə kwˈɪk bɹˈWn fˈɑks ʤˈʌmps ˈOvəɹ ðə lˈAzi dˈɔɡ.",
    "wˌɛn wɪl ðə nˈɛkst tɹˈAn lˈiv?",
)
LENGTHS, PITCH, SPECTRUM = "lengths changed, %", "pitch, Hz", "log spectrum, dB"
LIMITS = {LENGTHS: 2.0, PITCH: 1.0, SPECTRUM: 2.0}
WINDOW, HOP, FLOOR = 1024, 256, 1e-3  # of the spectrum; FLOOR: of the loudest bin, below which nothing is heard


@dataclass(frozen=True)
class Gate:
    """found: by the names of `LIMITS`."""

    found: Mapping[str, float]

    @property
    def passes(self) -> bool:
        return all(self.found[name] <= limit for name, limit in LIMITS.items())

    @property
    def line(self) -> str:
        """For people."""
        told = "; ".join(f"{name}: {self.found[name]:.2f} (limit {limit:g})" for name, limit in LIMITS.items())
        return f"{told}: " + (
            "the gate is passed" if self.passes else "the gate is MISSED, so this folder is not recommended"
        )

    @property
    def table(self) -> str:
        """For the model card, in Markdown."""
        rows = [f"| {name} | {self.found[name]:.2f} | {limit:g} |" for name, limit in LIMITS.items()]
        return "\n".join(["| difference | found | at most |", "|---|---|---|", *rows])


@dataclass(frozen=True)
class SpokenPhrase:
    """lengths: of each symbol at speed 1, in whole frames. pitch: in Hz. samples: of the sound."""

    lengths: np.ndarray
    pitch: np.ndarray
    samples: np.ndarray


def measured(source: Checkpoint, made: Checkpoint) -> Gate:
    """How far `made` is from `source`: pitch and sound with the lengths of the source and the same noise."""
    voices = [source.info.voices[0], source.info.voices[-1], source.info.voices[0]]
    packs = VoicePacks(source.voices, 2 * source.model.style_dim)
    pieces = []
    for number, (symbols, voice) in enumerate(zip(SENTENCES, voices, strict=True)):
        known = [source.model.vocab[symbol] for symbol in symbols if symbol in source.model.vocab]
        ids = np.array([0, *known[: source.model.most_phonemes], 0])
        pieces.append(PhonemePiece(ids, packs.style(voice, len(symbols)), 1.0, seeded_noise((82, number))))
    references = _spoken(source, pieces)
    given = [replace(piece, frames=one.lengths) for piece, one in zip(pieces, references, strict=True)]
    return differences(references, _spoken(made, given))


def differences(references: Sequence[SpokenPhrase], others: Sequence[SpokenPhrase]) -> Gate:
    changed = np.concatenate([one.lengths != own.lengths for one, own in zip(references, others, strict=True)])
    pitch = np.concatenate([np.abs(one.pitch - own.pitch) for one, own in zip(references, others, strict=True)])
    spectrum = [_decibels(one.samples, own.samples) for one, own in zip(references, others, strict=True)]
    return Gate(
        {
            LENGTHS: 100 * float(changed.mean()),
            PITCH: float(pitch.mean()),
            SPECTRUM: float(np.mean(spectrum)),
        }
    )


def _spoken(checkpoint: Checkpoint, pieces: Sequence[PhonemePiece]) -> list[SpokenPhrase]:
    network = load_kokoro(checkpoint, lambda _line: None)
    made = [_speak(network, piece) for piece in pieces]
    del network
    gc.collect()  # before another one is loaded
    return made


def _speak(network: Kokoro, piece: PhonemePiece) -> SpokenPhrase:
    seen: dict[str, mx.array] = {}
    making = network.speak([piece], seen)
    while True:
        try:
            next(making)
        except StopIteration as done:
            sound: PieceSound = done.value[0]
            lengths = np.maximum(np.rint(np.array(seen["lengths"])[0]), 1)
            return SpokenPhrase(lengths.astype(np.int64), np.array(seen["F0"])[0], sound.samples)


def _decibels(one: np.ndarray, other: np.ndarray) -> float:
    """The mean difference of two sounds' log spectra, of equal length."""
    spectra = [_spectrum(samples) for samples in (one, other)]
    floor = FLOOR * max(float(spectra[0].max()), 1e-9)
    logs = [20 * np.log10(np.maximum(spectrum, floor)) for spectrum in spectra]
    return float(np.abs(logs[0] - logs[1]).mean())


def _spectrum(samples: np.ndarray) -> np.ndarray:
    """[T] -> magnitudes [frames, bins]."""
    padded = np.pad(samples, (0, WINDOW))
    frames = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP]
    return np.abs(np.fft.rfft(frames * np.hanning(WINDOW), axis=-1))
