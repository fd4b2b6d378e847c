"""The speech of a line's pieces -> one file: pauses, speed, rate, loudness, limit, and what is measured of it."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mlx_tts.audio.effects.limiter import Limiter
from mlx_tts.audio.effects.loudness import LoudnessMeter
from mlx_tts.audio.files import AudioWriter, resample
from mlx_tts.audio.sinks import gain_of
from mlx_tts.batch.settings import BatchSettings
from mlx_tts.job.prepare import narration_options
from mlx_tts.narration.timeline import Timeline
from mlx_tts.speech import AudioChunk, GuardReport, Samples
from mlx_tts.text.cutting.pieces import Piece

Spoken = Sequence[tuple[Piece, Sequence[AudioChunk]]]


@dataclass(frozen=True)
class LineSound:
    """The samples [N] of a file, with its loudness and its highest sample; None where it is silent."""

    samples: Samples
    rate: int
    lufs: float | None
    peak: float | None


def make_sound(spoken: Spoken, model_rate: int, language: str, settings: BatchSettings) -> LineSound:
    """Join the pieces of a line and bring them to the rate and the loudness that are wanted."""
    options = narration_options(settings)
    timeline = Timeline(options.pauses, model_rate, options.speed, language)
    parts = [timeline.place(piece, chunk, chunk is chunks[-1])[0] for piece, chunks in spoken for chunk in chunks]
    samples = np.concatenate([np.zeros(0, np.float32), *parts])
    rate = settings.rate or model_rate
    samples = resample(samples, model_rate, rate)
    if isinstance(settings.loudness, (int, float)):
        lufs = _lufs(samples, rate)
        samples = samples * np.float32(1.0 if lufs is None else gain_of(settings.loudness - lufs))
    if settings.loudness != "off":
        limiter = Limiter(rate)
        samples = np.concatenate([limiter.change(samples), limiter.finish()])
    highest = float(np.abs(samples).max(initial=0.0))
    lufs = _lufs(samples, rate)
    return LineSound(
        samples,
        rate,
        None if lufs is None else round(lufs, 2),
        None if highest <= 0 else round(20 * math.log10(highest), 2),
    )


def _lufs(samples: Samples, rate: int) -> float | None:
    meter = LoudnessMeter(rate)
    meter.add(samples)
    return meter.lufs


def write_sound(path: Path, sound: LineSound) -> tuple[int, str]:
    """Write the file, which has its name only when it is whole. Its bytes, and their SHA-256."""
    writer = AudioWriter(path, sound.rate, durable=False)
    try:
        writer.write(sound.samples)
    except BaseException:
        writer.discard()
        raise
    writer.finish()
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return file.tell(), digest


def guard_of(reports: Sequence[GuardReport]) -> dict[str, Any]:
    """One report of all pieces: takes beyond the first of each, every fault, and what is wrong with what was kept."""
    return {
        "takes": 1 + sum(report.takes - 1 for report in reports),
        "faults": [fault for report in reports for fault in report.faults],
        "kept_fault": next((report.kept_fault for report in reports if report.kept_fault is not None), None),
    }
