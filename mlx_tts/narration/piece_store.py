"""Finished pieces of a long speech <-> a folder next to its file, so that a run that was killed can go on."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlx_tts.audio.files import AudioWriter
from mlx_tts.errors import AudioError, MlxTtsError, RequestError
from mlx_tts.files.reading import QuietFile, UnreadableFileError, open_regular, read_bytes, read_json
from mlx_tts.files.writing import UNFINISHED, fitting_name, write_whole
from mlx_tts.speech import Mark, Samples, SpeechRequest, Voice

FORMAT = "mlx-tts pieces 1"
MANIFEST = "manifest.json"
UNFINISHED_PIECE = ".unfinished.safetensors"
STATE = ".safetensors"  # of the file with what a piece leaves to the next
MOST_STATE_BYTES = 64_000_000


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
        "voice": voice_key(request.voice),
        "model": model,
        "language": request.language,
        "instruct": request.instruct,
        "sampling": repr(request.sampling),
        "limits": [request.max_frames, request.stream_text, request.guarded, request.retries],
        "pauses": repr(pauses),
        "options": {name: repr(value) for name, value in sorted(request.options.items())} if request.options else None,
        "seed": request.seed,
    }


def voice_key(voice: str | Voice | None) -> str | None:
    """A name as it is, or what tells one saved voice from another."""
    if not isinstance(voice, Voice):
        return voice
    digest = hashlib.sha256(np.ascontiguousarray(voice.speaker_embedding).tobytes())
    if voice.reference_codes is not None:
        digest.update(np.ascontiguousarray(voice.reference_codes, np.int32).tobytes())
    for latents in (voice.reference_latents, voice.prompt_latents):
        if latents is not None:
            digest.update(f"{latents.shape}".encode() + np.ascontiguousarray(latents, np.float32).tobytes())
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
            self._write_manifest({"format": FORMAT, **settings, "seed": seed, "kernel_form": kernel_form})
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
            raise MlxTtsError(f"{path} is not a manifest of this version: remove {self.folder} to start again")
        return manifest

    def _write_manifest(self, manifest: dict[str, Any]) -> None:
        data = json.dumps(manifest, indent=1, ensure_ascii=False).encode("utf-8", "surrogateescape")
        write_whole(self.folder / MANIFEST, data, follow=False)

    def __contains__(self, number: int) -> bool:
        """Whether the piece is there and whole; a damaged one is removed, so that it is made again."""
        if number in self._whole:
            return True
        path = self._path(number)
        if path.is_symlink() or not path.is_file():  # no run makes links
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

    def write(
        self, number: int, samples: Samples, marks: tuple[Mark, ...] = (), state: Mapping[str, Any] | None = None
    ) -> None:
        """Keep a piece, when its words are spoken where that is known, and what it leaves to the next where the model
        carries something; it is there as a whole or not at all."""
        if marks:
            data = json.dumps([asdict(mark) for mark in marks]).encode()
            write_whole(self._path(number).with_suffix(".json"), data, follow=False)
        if isinstance(state, Mapping):
            from safetensors.numpy import save

            write_whole(self._path(number).with_suffix(STATE), save(dict(state)), follow=False)
        writer = AudioWriter(self._path(number), self.sample_rate, durable=False, follow=False)
        writer.write(samples)
        writer.finish()
        self._whole.add(number)
        self.unfinished(number).path.unlink(missing_ok=True)

    def read(self, number: int) -> Samples:
        """The piece [N]: 16 bits a sample, scaled so that they are written to a file as they are."""
        import soundfile

        path = self._path(number)
        try:
            with QuietFile(open_regular(path)) as data, soundfile.SoundFile(data) as file:
                samples = file.read(dtype="int16")
                fits = len(samples) == file.frames and (file.samplerate, file.channels) == (self.sample_rate, 1)
        except (soundfile.LibsndfileError, OSError, ValueError, TypeError) as error:
            raise MlxTtsError(f"{path} is damaged ({error}): remove it and use --resume") from None
        if not fits or not len(samples):
            raise MlxTtsError(f"{path} is damaged (it ends too early): remove it and use --resume")
        return samples.astype(np.float32) / 32768.0

    def marks(self, number: int) -> tuple[Mark, ...]:
        """When the words of a piece are spoken; none where that is not known or can no longer be read."""
        try:
            return tuple(Mark(**entry) for entry in read_json(self._path(number).with_suffix(".json")))
        except (FileNotFoundError, UnreadableFileError, TypeError):
            return ()

    def state(self, number: int) -> dict[str, NDArray[Any]] | None:
        """What a piece left to the next; None where that is missing or can no longer be read."""
        return _arrays_in(self._path(number).with_suffix(STATE))

    def unfinished(self, number: int) -> UnfinishedPiece:
        """Where the frames of a piece are kept that is stopped in its midst."""
        return UnfinishedPiece(self._path(number).with_suffix(UNFINISHED_PIECE))

    @property
    def unfinished_pieces(self) -> int:
        """How many pieces were begun and are kept as frames."""
        return sum(1 for _ in self.folder.glob(f"[0-9]*{UNFINISHED_PIECE}"))

    def forget(self, number: int) -> None:
        """Let go of a piece, so that it is made again."""
        for suffix in (".flac", ".json", STATE, UNFINISHED_PIECE):
            self._path(number).with_suffix(suffix).unlink(missing_ok=True)
        self._whole.discard(number)

    def redo(self, number: int) -> None:
        """Have a piece spoken again, with other random numbers than every time before."""
        manifest = self._manifest()
        assert manifest is not None
        times = self._redone(manifest)
        times[str(number)] = times.get(str(number), 0) + 1
        self.forget(number)
        self._write_manifest({**manifest, "redone": times})

    def times_redone(self, number: int) -> int:
        """How often the piece was spoken again."""
        return self._redone(self._manifest() or {}).get(str(number), 0)

    @staticmethod
    def _redone(manifest: dict[str, Any]) -> dict[str, int]:
        times = manifest.get("redone")
        known = isinstance(times, dict) and all(type(count) is int for count in times.values())
        return dict(times) if isinstance(times, dict) and known else {}

    def remove(self) -> None:
        """The speech is complete, or begins again."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:06}.flac"


@dataclass(frozen=True)
class UnfinishedPiece:
    """See speech.Unfinished. What cannot be kept or read is made again, so nothing here raises."""

    path: Path

    def read(self, seed: int) -> NDArray[Any] | None:
        """[T, ...]; None where there are none, where they are damaged, or where they were made with another seed."""
        stored = _arrays_in(self.path) or {}
        try:
            frames, made_with, check = stored["frames"], stored["seed"].tobytes(), int(stored["check"][0])
        except (ValueError, TypeError, KeyError, IndexError):
            return None
        whole = frames.ndim > 1 and len(frames) and check == zlib.crc32(frames.tobytes())
        return frames if whole and made_with == str(seed).encode() else None

    def write(self, seed: int, frames: NDArray[Any]) -> None:
        """All of them; nothing is kept where there is no room."""
        from safetensors.numpy import save

        frames = np.ascontiguousarray(frames)
        stored = {
            "frames": frames,
            "seed": np.frombuffer(str(seed).encode(), np.uint8),
            "check": np.array([zlib.crc32(frames.tobytes())], np.uint32),
        }
        with contextlib.suppress(OSError):
            write_whole(self.path, save(stored), follow=False)


def _arrays_in(path: Path) -> dict[str, NDArray[Any]] | None:
    """The arrays of a safetensors file by name; None where it is missing or damaged."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        return load(read_bytes(path, MOST_STATE_BYTES))
    except (FileNotFoundError, UnreadableFileError, SafetensorError, ValueError, TypeError, KeyError):
        return None
