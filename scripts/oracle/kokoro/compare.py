"""A case of Kokoro -> what differs between this package and its golden data.

Durations must be equal. The excitation adds up phases of 1e5 radians, in float32 in the official code and exactly here,
so from there on the numbers are compared where the official excitation was stored whole (`whole.npz`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
from differences import difference

import mlx_tts
from kokoro.materialise import materialise, noise
from mlx_tts import SpeechRequest
from mlx_tts.models.kokoro.layers import Extent
from mlx_tts.models.kokoro.synthesizer import KokoroRow, Utterance
from mlx_tts.models.kokoro.text.phonemes import Phonemes
from mlx_tts.runtime import mlx_thread

TOLERANCE, PITCH_TOLERANCE, SOUND_TOLERANCE = 2e-4, 1e-2, 1e-4
REAL_SEED, REAL_SNR = 82, 35.0
KEPT = 40  # frames of the excitation's spectrum in the golden data


def compare(case: Path, scratch: Path) -> Iterator[tuple[str, list[str]]]:
    materialise(case, scratch / "folder")
    golden = np.load(case / "golden.npz")
    manifest = json.loads((case / "manifest.json").read_text(encoding="utf-8"))
    whole = np.load(case / "whole.npz") if (case / "whole.npz").is_file() else None
    with mlx_tts.load(str(scratch / "folder")) as tts:
        for asked in json.loads((case / "requests.json").read_text(encoding="utf-8")):
            found = mlx_thread.run(compare_request, tts, golden, asked, manifest["seed"])
            if whole is not None and f"{asked['name']}/post" in whole:
                found += mlx_thread.run(compare_sound, tts, golden, whole, asked)
            yield asked["name"], found


def request_of(asked: dict[str, Any]) -> SpeechRequest:
    options = {"phonemes": "on", "speed": asked["speed"]}
    return SpeechRequest(asked["phonemes"], voice=asked["voice"], options=options, seed=0)


def speak(tts: Any, asked: dict[str, Any], seed: int) -> tuple[Any, Any, dict[str, Any]]:
    """The piece of a request, its sound with the noise of the golden data, and what was computed on the way."""
    model = tts._synthesizer
    # As it is: a text has no white space at its ends, one of the golden requests has.
    row = KokoroRow(Utterance(tts.check(request_of(asked)), (Phonemes(asked["phonemes"]),)), 0)
    piece = replace(model._loop._piece(row), noise=lambda samples: mx.array(noise(seed, asked["name"], samples)))
    seen: dict[str, mx.array] = {}
    making = model._loop.network.speak([piece], seen)
    while True:
        try:
            next(making)
        except StopIteration as made:
            return piece, made.value[0], {name: np.array(value) for name, value in seen.items()}


def compare_request(tts: Any, golden: Any, asked: dict[str, Any], seed: int) -> list[str]:
    """Of a case with random weights: all up to the features that the generator reads, and the excitation's begin."""
    own = {name.partition("/")[2]: golden[name] for name in golden if name.startswith(f"{asked['name']}/")}
    piece, sound, seen = speak(tts, asked, seed)
    found = difference("ids", piece.ids, own["ids"]) + difference("style", piece.style, own["style"], 1e-6)
    if found:
        return found
    found += difference("durations", sound.frames, own["durations"])
    found += difference("samples", len(sound.samples), own["samples"])
    if found:
        return found
    found += difference("lengths", seen["lengths"][0] / asked["speed"], own["lengths"], TOLERANCE)
    for name in ("bert", "features", "text"):
        found += difference(name, _thinned(seen[name][0], own[name].shape), own[name], TOLERANCE)
    found += difference("F0", seen["F0"][0], own["F0"], PITCH_TOLERANCE)
    found += difference("N", seen["N"][0], own["N"], TOLERANCE)
    found += difference("encoded", _thinned(seen["encoded"][0].T, own["encoded"].shape), own["encoded"], TOLERANCE)
    magnitude, _ = np.split(seen["spectrum"][0].T, 2)
    return found + difference("magnitude", magnitude[:, : min(8, KEPT)], own["magnitude"][:, :8], 5e-3)


def compare_sound(tts: Any, golden: Any, whole: Any, asked: dict[str, Any]) -> list[str]:
    """Of a request whose excitation is stored whole: its spectrum, the generator and the sound of it."""
    network, name = tts._synthesizer._loop.network, asked["name"]
    stored = {key: whole[f"{name}/{key}"] for key in ("source", "magnitude", "phase", "post", "wav")}
    spectrum = np.array(network.spectrum.of_sound([mx.array(stored["source"])]))[0].T
    magnitude, phase = np.split(spectrum, 2)
    found = difference("magnitude", magnitude, stored["magnitude"], SOUND_TOLERANCE)
    clear = stored["magnitude"] > 1e-3
    clear[:, 0] = False  # the reflected signal is symmetric there: 0 or pi by rounding
    found += difference("phase", phase[clear], stored["phase"][clear], 1e-3)
    exact = mx.array(np.concatenate([stored["magnitude"], stored["phase"]]).T[None])
    _, _, seen = speak(tts, asked, 0)
    style = mx.array(golden[f"{name}/style"][None, : network.config.style_dim])
    encoded = mx.array(seen["encoded"])
    post, frames = network.generator(encoded, style, exact, Extent.of([encoded.shape[1]]))
    found += difference("post", np.array(post)[0].T, stored["post"], SOUND_TOLERANCE)
    levels, angles = mx.split(post, 2, axis=-1)
    wav = np.array(network.spectrum.to_sound(mx.exp(levels), mx.sin(angles), frames))[0]
    return found + difference("sound", wav, stored["wav"], SOUND_TOLERANCE)


def compare_real(tts: Any, golden: Any, asked: dict[str, Any]) -> list[str]:
    """Of the released weights: lengths, curves, and sound that differs by rounding alone."""
    own = {name.partition("/")[2]: golden[name] for name in golden if name.startswith(f"{asked['name']}/")}
    piece, sound, seen = speak(tts, asked, REAL_SEED)
    found = difference("ids", piece.ids, own["ids"]) + difference("durations", sound.frames, own["durations"])
    found = found or difference("samples", len(sound.samples), own["samples"])
    if found:
        return found
    found += difference("F0", seen["F0"][0], own["F0"], PITCH_TOLERANCE)
    found += difference("N", seen["N"][0], own["N"], 1e-3)
    stride = len(sound.samples) // len(own["wav"])
    wav = own["wav"].astype(np.float64)
    snr = 10 * np.log10(np.square(wav).sum() / np.square(sound.samples[::stride] - wav).sum())
    return found if snr >= REAL_SNR else [*found, f"sound is at {snr:.1f} dB of the official one, not {REAL_SNR:g}"]


def _thinned(value: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Every so-many-th row and column, as a long request is stored."""
    steps = [-(-have // want) for have, want in zip(value.shape, shape, strict=True)]
    return value[tuple(slice(None, None, step) for step in steps)]
