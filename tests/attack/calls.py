"""Values of the wrong type and size, handed to every public function of Python."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path
from typing import Any

import numpy as np

from tests.attack.checkpoints import Checkpoints
from tests.attack.edits import NUMBERS, WORDS
from tests.attack.harness import Attack

FIELDS = ("voice", "language", "instruct", "sampling", "seed", "max_frames", "stream_text", "guard", "retries", "growing",
          "options", "id", "nonsense")  # fmt: skip
SETTINGS = ("temperature", "top_k", "top_p", "repetition_penalty", "subtalker_temperature", "subtalker_top_k")


class Calls(Attack):
    name, count, quick = "calls", 2_000, 60

    def prepare(self, place: Path) -> None:
        import mlx_tts

        models = Checkpoints()
        models.prepare(place)
        self.models = [mlx_tts.load(folder) for folder in models.bases]

    def value(self, rng: random.Random) -> Any:
        from mlx_tts import Sampling, SpeechRequest, Voice

        how = rng.randrange(9)
        if how == 0:
            return rng.choice(NUMBERS)
        if how == 1:
            return rng.choice(WORDS)
        if how == 2:
            return rng.choice(
                (None, True, [], {}, (), b"x", object(), int, print, iter([]), {1}, 1j, Path("x"), range(3))
            )
        if how == 3:
            dtype = rng.choice(
                (np.float32, np.int32, np.int64, np.uint64, np.float64, np.bool_, np.complex64, object, "U3")
            )
            return np.ones(rng.choice(((), (0,), (3,), (5, 16), (64,), (24_000,), (2, 3, 4))), dtype)
        if how == 4:
            return np.full(
                rng.choice(((5, 16), (64,), (24_000,))), rng.choice((np.nan, np.inf, 1e30, -1.0, 0.5)), np.float32
            )
        if how == 5:
            return Voice(self.value(rng), self.value(rng), self.value(rng))  # type: ignore[arg-type]
        if how == 6:
            return Sampling(**{rng.choice(SETTINGS): self.value(rng)})
        if how == 7:
            return SpeechRequest(self.value(rng), **{rng.choice(FIELDS[:-1]): self.value(rng)})
        return rng.choice(("Hi.", "english", 3, 24_000, 0.5))

    def attempt(self, rng: random.Random, folder: Path) -> str | None:
        import mlx_tts
        from mlx_tts import AudioChunk, MlxTtsError, SpeechRequest

        tts, v = rng.choice(self.models), lambda: self.value(rng)
        field = {rng.choice(FIELDS): v()}
        request = SpeechRequest("Hi.", max_frames=2)
        sound = np.sin(np.arange(24_000) / 9).astype(np.float32)
        calls = {
            "speak": lambda: tts.speak(v(), **{"max_frames": 2, **field}),
            "speak field": lambda: tts.speak("Hi.", **{"max_frames": 2, **field}),
            "stream": lambda: list(tts.stream("Hi.", v(), **{"max_frames": 2, **field})),
            "narrate": lambda: list(tts.narrate(v(), **{"max_frames": 2, **field})),
            "many": lambda: list(tts.stream_many(v(), v())),
            "many pairs": lambda: list(tts.stream_many(iter([(v(), request)]), 2)),
            "many requests": lambda: list(tts.stream_many(iter([(1, v())]), 2)),
            "submit": lambda: tts.submit(v(), live=v()).close(),
            "generate_codes": lambda: tts.generate_codes(v()),
            "decode_codes": lambda: tts.decode_codes(v(), v(), v()),
            "decode codes": lambda: tts.decode_codes(np.zeros((3, 16), int), v(), v()),
            "encode_audio": lambda: tts.encode_audio(v(), v()),
            "encode audio": lambda: tts.encode_audio(sound, v()),
            "speaker_embedding": lambda: tts.speaker_embedding(v(), 24_000),
            "voice": lambda: tts.voice(v(), v(), v()),
            "voice words": lambda: tts.voice(sound, 24_000, v()),
            "prompt": lambda: tts.prompt(v()),
            "check": lambda: tts.check(v()),
            "save": lambda: AudioChunk(sound[:100], 24_000).save(v()),
            "load_voice": lambda: mlx_tts.load_voice(v()),
            "save_voice": lambda: mlx_tts.save_voice(v(), folder / "x.safetensors"),
        }
        name = rng.choice(list(calls))
        try:
            with contextlib.chdir(folder):
                calls[name]()
        except MlxTtsError as error:
            line = str(error)
            return None if len(line) < 600 and "Traceback" not in line else f"{name}: {line[:200]}"
        except Exception as error:
            return f"{name}: {type(error).__name__}: {str(error)[:200]}"
        return None
