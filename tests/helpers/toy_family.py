"""A family of about 150 lines: sine tones at 48 kHz. Its frames are float latents (frequency, phase), it has no codes,
and the phase goes on from one piece of a speech to the next. It shows what a family has to bring, and nothing more."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from mlx_tts.errors import RequestError
from mlx_tts.generation.requests import checked_fields, number_in
from mlx_tts.generation.synthesizer import ANY_FRAMES, Decoded
from mlx_tts.speech import Capabilities, CheckedRequest, FamilyOption, ModelInfo, SpeechRequest
from mlx_tts.text.cutting.pace import expected_seconds
from mlx_tts.text.languages import resolve

RATE, FRAME = 48_000, 1920
HERTZ = {"low": 110.0, "high": 440.0}


@dataclass(frozen=True)
class ToyCheckpoint:
    folder: Path
    info: ModelInfo


class ToyRow:
    ready = True

    def __init__(self, request: CheckedRequest):
        self.frames = max(4, math.ceil(expected_seconds(request.text) * RATE / FRAME))
        self.hertz = HERTZ[request.voice] * request.params
        self.phase = float(request.after["phase"]) if request.after else 0.0
        self.random = np.random.default_rng(request.seed)
        self.made = 0


class ToyStep:
    def __init__(self, rows):
        self.frames = [self.frame(row) for row in rows]

    @staticmethod
    def frame(row):
        if row.made == row.frames:
            return None
        row.made += 1
        latents = np.array([row.hertz * (1 + 0.01 * row.random.random()), row.phase], np.float64)
        row.phase = (row.phase + latents[0] * FRAME / RATE) % 1.0
        return latents

    def read(self):
        return self.frames


class ToyBatch:
    def step(self, rows):
        return ToyStep(rows)


class ToySynthesizer:
    row_bytes = 1000
    decoded_at_once, decoded_frames = 4, ANY_FRAMES

    def __init__(self, info: ModelInfo):
        self.info = info

    def count_tokens(self, text):
        return len(text.split())

    def prepare(self, request):
        return request

    def most_frames(self, _request):
        return 10_000

    def begin(self, prepared, _take):
        yield 1
        return ToyRow(prepared)

    def open_batch(self):
        return ToyBatch()

    def decoder_state(self, _prepared):
        return ()

    def decode(self, pieces):
        turns = np.arange(FRAME) / RATE
        return Decoded(
            [
                (np.concatenate([np.sin(2 * np.pi * (p + f * turns)) * 0.3 for f, p in own]).astype(np.float32), state)
                for own, state in pieces
            ]
        )

    def continuation(self, row):
        return {"phase": np.array(row.phase)}

    def marks(self, row, frames):
        return ()


CAN = Capabilities(presets=True, continues=True)


@dataclass(frozen=True)
class ToyFamily:
    name: str = "toy"
    small_files: tuple[str, ...] = ("config.json",)
    described_by: tuple[str, ...] = ("config.json",)
    weights: tuple[str, ...] = ()

    def recognises(self, config):
        return config.get("model_type") == "toy_tones"

    def missing_files(self, folder):
        return [name for name in self.described_by if not (folder / name).is_file()]

    def open(self, folder, config):
        options = (FamilyOption("octave", int, "0", "How many octaves higher."),)
        languages = ("auto", "english")
        info = ModelInfo(
            folder,
            self.name,
            "tones",
            "toy",
            tuple(HERTZ),
            languages,
            RATE,
            RATE / FRAME,
            2,
            "",
            can=CAN,
            options=options,
        )
        return ToyCheckpoint(folder, info)

    def can(self, kind):
        return CAN if kind == "tones" else None

    def check(self, checkpoint, request: SpeechRequest):
        own = checked_fields(request)
        own["voice"] = own["voice"] or "low"
        if own["voice"] not in HERTZ:
            raise RequestError(f"unknown voice {own['voice']!r}: this model has {', '.join(HERTZ)}")
        own["language"] = resolve(own["language"], checkpoint.info.languages)
        octave = number_in("octave", (own["options"] or {}).get("octave", 0), whole=True)
        return CheckedRequest(**own, params=2.0**octave)

    def load(self, checkpoint, *, dtype, log):
        return ToySynthesizer(checkpoint.info)


FAMILY = ToyFamily()
assert {entry.name for entry in fields(FAMILY)} == {"name", "small_files", "described_by", "weights"}
