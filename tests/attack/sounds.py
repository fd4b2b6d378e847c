"""Damaged voice files and recordings, of every format and rate."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np

from tests.attack.checkpoints import Checkpoints
from tests.attack.edits import change_kind, edit_bytes, nasty
from tests.attack.harness import Attack, command


class Voices(Attack):
    name, count, quick = "voices", 1_000, 20

    def prepare(self, place: Path) -> None:
        models = Checkpoints()
        models.prepare(place)
        self.model = models.bases[1]

    def attempt(self, rng: random.Random, folder: Path) -> str | None:
        from safetensors.numpy import save_file

        path = folder / "me.safetensors"
        width = rng.choice((64, 64, 64, 63, 0, 1, 256))
        vector = np.array(
            [rng.gauss(0, 1) for _ in range(width)], rng.choice((np.float32,) * 4 + (np.float16, np.int32))
        )
        if rng.random() < 0.2 and width:
            vector[0] = rng.choice((np.nan, np.inf, 1e4, 3e4)) if vector.dtype.kind == "f" else 5
        tensors = {"speaker_embedding": vector if rng.random() < 0.9 else vector[None]}
        metadata = {"format": "mlx-tts-voice", "version": "1", "name": "me"}
        if rng.random() < 0.7:
            shape = rng.choice(((5, 16), (5, 16), (0, 16), (5, 3), (16,), (2000, 16), (5, 16, 1)))
            most = rng.choice((2048, 2048, 2049, 5000, 10**8))
            tensors["reference_codes"] = np.array(
                [rng.randrange(-7 if rng.random() < 0.02 else 0, most) for _ in range(int(np.prod(shape)))],
                rng.choice((np.int32, np.int32, np.int64, np.float32)),
            ).reshape(shape)
        if rng.random() < 0.7:
            metadata["transcript"] = rng.choice(("hum hum", "", " ", "x" * 100_000, "\0", "\x1b[2J"))
        if rng.random() < 0.1:
            metadata[rng.choice(list(metadata))] = str(nasty(rng)).encode("utf-8", "replace").decode()
        self.add_what_is_known(rng, metadata, tensors)
        save_file(tensors, path, metadata)
        how = rng.randrange(4)
        if how == 0:
            edit_bytes(path, rng, first=400)
        elif how == 1 and rng.random() < 0.3:
            change_kind(path, rng)
        code, error = command(
            *("speak", "Hi.", "--voice", str(path), "--model", str(self.model), "--max-seconds", "0.16", "-q"),
            *("-o", str(folder / "out.wav")),
        )
        return self.check(folder, code, error)

    @staticmethod
    def add_what_is_known(rng: random.Random, metadata: dict[str, str], tensors: dict[str, np.ndarray]) -> None:
        """The fields beside vector and codes: the recording and its rate, where the voice is from, the checksum."""
        from mlx_tts.library.voice_store import _digest

        for name in ("family", "language", "description", "model"):
            if rng.random() < 0.3:
                known = (
                    "qwen3_tts",
                    "magpie",
                    "english",
                    "klingon",
                    "tiny",
                    "../tiny",
                    "",
                    "x" * 5000,
                    "\x1b[2J",
                    "\0",
                )
                metadata[name] = rng.choice(known)
        if rng.random() < 0.3:
            length = rng.choice((0, 1, 24_000, 24_000 * 61 + 1))
            sound = (3000 * np.sin(np.arange(length) / 20)).astype(rng.choice((np.int16,) * 4 + (np.float32, np.int64)))
            tensors["recording"] = sound if rng.random() < 0.9 else sound[None]
        if rng.random() < 0.3:
            metadata["recording_rate"] = rng.choice(
                ("24000", "24000", "7999", "0", "-1", "9" * 30, "x", "1e4", "\u0662")
            )
        if rng.random() < 0.7:
            metadata["sha256"] = _digest(metadata, tensors) if rng.random() < 0.8 else rng.choice(("", "0" * 64, "x"))


FORMATS = (("wav", "PCM_16"), ("wav", "PCM_24"), ("wav", "FLOAT"), ("wav", "DOUBLE"), ("wav", "GSM610"), ("wav", "IMA_ADPCM"),
           ("wav", "ULAW"), ("flac", "PCM_16"), ("mp3", "MPEG_LAYER_III"), ("ogg", "VORBIS"), ("ogg", "OPUS"),
           ("aiff", "PCM_16"), ("caf", "ALAC_16"), ("au", "ULAW"), ("w64", "PCM_16"), ("rf64", "PCM_16"), ("voc", "PCM_16"),
           ("raw", "PCM_16"))  # fmt: skip


class Recordings(Attack):
    name, count, quick = "recordings", 2_000, 30

    def prepare(self, place: Path) -> None:
        models = Checkpoints()
        models.prepare(place)
        self.model = models.bases[1]

    def attempt(self, rng: random.Random, folder: Path) -> str | None:
        import soundfile

        ending, subtype = rng.choice(FORMATS)
        rate = rng.choice((8000, 8000, 16_000, 24_000, 44_100, 48_000, 192_000, 1, 100, 7919))
        if subtype == "OPUS":
            rate = rng.choice((8000, 24_000, 48_000))
        seconds = rng.choice((0, 0.01, 0.3, 0.5, 0.6, 0.7, 1.0))
        channels = 1 if subtype == "GSM610" else rng.choice((1, 1, 2, 3))
        length = min(50_000, int(seconds * rate))
        samples = np.array([rng.gauss(0, 0.2) for _ in range(min(length, 500))] or [0.0])
        samples = np.resize(samples, (length, channels))
        if subtype in ("FLOAT", "DOUBLE") and length and rng.random() < 0.4:
            samples[rng.randrange(length)] = rng.choice((np.nan, np.inf, 1e30, 40_000.0))
        path = folder / f"me.{ending}"
        try:
            soundfile.write(path, samples, rate, subtype, format=ending.upper())
        except (soundfile.LibsndfileError, ValueError):
            path.write_bytes(rng.randbytes(1000))
        if rng.random() < 0.7:
            edit_bytes(path, rng, first=100)
        elif rng.random() < 0.1:
            change_kind(path, rng)
        if rng.random() < 0.15:
            path = path.rename(folder / ("me" + rng.choice((".wav", ".raw", ".mp3", "", ".gsm", ".aup", "\udcff.wav"))))
        words = ("--transcript", "hum") if rng.random() < 0.3 else ()
        if path.is_fifo():  # a pipe that nobody writes to is waited for, as by every program
            return None
        code, error = command(
            *("clone", "Hi.", "--voice-sample", str(path), *words, "--model", str(self.model), "--max-seconds", "0.08"),
            *("-q", "-o", str(folder / "out.wav")),
        )
        return self.check(folder, code, error)
