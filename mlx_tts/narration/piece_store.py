"""Finished pieces of a long speech <-> a folder beside its file, so that a run that was killed can go on."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from mlx_tts.audio.files import AudioWriter
from mlx_tts.errors import AudioError, MlxTtsError, RequestError
from mlx_tts.files.reading import UnreadableFileError, open_regular, read_json
from mlx_tts.files.writing import UNFINISHED, fitting_name, write_whole
from mlx_tts.speech import Samples, SpeechRequest, Voice

FORMAT = "mlx-tts pieces 1"
MANIFEST = "manifest.json"


def store_folder(file: Path) -> Path:
    """Where the pieces of `file` are kept while it is being made."""
    return file.with_name(fitting_name(file.name, ".pieces"))


def settings_of(request: SpeechRequest, texts: Iterable[str], model: str, pauses: object) -> dict[str, Any]:
    """All that the sound depends on. The seed stands in it as it was asked for, None or not."""
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return {
        "text": digest.hexdigest(),
        "voice": _voice_key(request.voice),
        "model": model,
        "language": request.language,
        "instruct": request.instruct,
        "sampling": repr(request.sampling),
        "limits": [request.max_frames, request.stream_text, request.guarded, request.retries],
        "pauses": repr(pauses),
        "seed": request.seed,
    }


def _voice_key(voice: str | Voice | None) -> str | None:
    if not isinstance(voice, Voice):
        return voice
    digest = hashlib.sha256(np.ascontiguousarray(voice.speaker_embedding).tobytes())
    if voice.reference_codes is not None:
        digest.update(np.ascontiguousarray(voice.reference_codes, np.int32).tobytes())
    digest.update((voice.transcript or "").encode())
    return f"clone {digest.hexdigest()}"


class PieceStore:
    """The pieces of one speech, one FLAC file each, and the manifest that says what they are of."""

    def __init__(self, folder: Path, sample_rate: int):
        self.folder, self.sample_rate = folder, sample_rate
        self.kernel_form: str | None = None
        self._whole: set[int] = set()  # pieces that this run wrote, or has read to their end

    def begin(self, settings: dict[str, Any], seed: int, resume: bool, kernel_form: str = "plain") -> int:
        """Open the folder, a new one or with `resume` that of an earlier run; the seed to speak with.

        An earlier run's seed is taken over where none was asked for, and its form of the kernels is `kernel_form` from
        now on. RequestError if it had other settings.
        """
        self.kernel_form = kernel_form
        earlier = self._manifest()
        if resume and earlier is not None:
            asked = {name: value for name, value in settings.items() if name != "seed" or value is not None}
            other = [name for name, value in asked.items() if earlier.get(name) != value]
            if other:
                raise RequestError(
                    f"{self.folder} has pieces of other settings ({', '.join(other)}): "
                    "give the ones of that run, or leave out --resume to start again"
                )
            if type(earlier.get("seed")) is not int:
                raise MlxTtsError(f"{self.folder / MANIFEST} has no seed: remove {self.folder} to start again")
            self.kernel_form = str(earlier.get("kernel_form", kernel_form))
            return int(earlier["seed"])
        if self.folder.exists():
            if earlier is None and not self._is_hardly_begun():
                raise RequestError(f"{self.folder} is in the way and not ours: move it or choose another -o")
            self.remove()
        try:
            self.folder.mkdir()
            manifest = {"format": FORMAT, **settings, "seed": seed, "kernel_form": kernel_form}
            data = json.dumps(manifest, indent=1, ensure_ascii=False).encode("utf-8", "surrogateescape")
            write_whole(self.folder / MANIFEST, data)
        except OSError as error:
            raise AudioError(f"cannot write into {self.folder}: {error.strerror}") from None
        return seed

    def _is_hardly_begun(self) -> bool:
        """Whether there is nothing in the folder but what a run leaves that was killed while it made it."""
        try:
            return all(entry.name == f".{MANIFEST}{UNFINISHED}" for entry in self.folder.iterdir())
        except OSError:
            return False

    def _manifest(self) -> dict[str, Any] | None:
        path = self.folder / MANIFEST
        try:
            manifest = read_json(path)
        except FileNotFoundError:
            return None
        except UnreadableFileError as error:
            raise MlxTtsError(f"{path} {error}: remove {self.folder} to start again") from None
        if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
            raise MlxTtsError(f"{path} is no manifest of this version: remove {self.folder} to start again")
        return manifest

    def __contains__(self, number: int) -> bool:
        """Whether the piece is there and whole; a damaged one is removed, so that it is made again."""
        if number in self._whole:
            return True
        path = self._path(number)
        if not path.is_file():
            return False
        try:
            self.read(number)
        except MlxTtsError:
            path.unlink(missing_ok=True)
            return False
        self._whole.add(number)
        return True

    def __len__(self) -> int:
        """How many pieces are there."""
        return sum(1 for _ in self.folder.glob("[0-9]*.flac"))

    def write(self, number: int, samples: Samples) -> None:
        """Keep a piece; it is there as a whole or not at all."""
        writer = AudioWriter(self._path(number), self.sample_rate, durable=False)
        writer.write(samples)
        writer.finish()
        self._whole.add(number)

    def read(self, number: int) -> Samples:
        """The piece [N]: 16 bits a sample, scaled so that they are written to a file as they are."""
        import soundfile

        path = self._path(number)
        try:
            with open_regular(path) as data, soundfile.SoundFile(data) as file:
                samples = file.read(dtype="int16")
                fits = len(samples) == file.frames and (file.samplerate, file.channels) == (self.sample_rate, 1)
        except (soundfile.LibsndfileError, OSError, ValueError, TypeError) as error:
            raise MlxTtsError(f"{path} is damaged ({error}): remove it and use --resume") from None
        if not fits or not len(samples):
            raise MlxTtsError(f"{path} is damaged (it ends too early): remove it and use --resume")
        return samples.astype(np.float32) / 32768.0

    def remove(self) -> None:
        """The speech is complete, or is begun anew."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:06}.flac"
