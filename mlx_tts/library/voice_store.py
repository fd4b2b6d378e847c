"""A prepared voice <-> a small safetensors file that holds what a clone needs, and nothing of the recording."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.files.paths import as_path
from mlx_tts.files.reading import UnreadableFileError, read_bytes
from mlx_tts.files.writing import write_whole
from mlx_tts.speech import Voice

FORMAT = "mlx-tts-voice"
VERSION = "1"
SUFFIX = ".safetensors"
MOST_BYTES = 20_000_000  # a minute of codes and a vector have 100 kB
LARGEST_ENTRY = 1e4  # of a speaker vector: they have entries of a few units
MOST_CODE = 1 << 20


@dataclass(frozen=True)
class SavedVoice:
    """A voice and the name of the model it was made with: another size's model cannot use it."""

    voice: Voice
    model: str | None


def save_voice(voice: Voice, path: str | Path, model: str | None = None) -> None:
    """Write `voice` to `path`; the file has its name only when it is complete."""
    path = as_path(path)
    from safetensors.numpy import save

    if not isinstance(voice, Voice):
        raise RequestError(f"voice is a {type(voice).__name__}: give a Voice")

    try:
        tensors = {"speaker_embedding": np.ascontiguousarray(voice.speaker_embedding, dtype=np.float32)}
        if voice.reference_codes is not None:
            tensors["reference_codes"] = np.ascontiguousarray(voice.reference_codes, dtype=np.int32)
    except (TypeError, ValueError, OverflowError) as error:
        raise RequestError(f"the voice holds what are no numbers ({str(error)[:100]}): make it again") from None
    metadata = {"format": FORMAT, "version": VERSION, "name": voice.name}
    if voice.reference_codes is not None:
        metadata["transcript"] = voice.transcript or ""
    if model is not None:
        metadata["model"] = model
    if voice.family is not None:
        metadata["family"] = voice.family
    if wrong := [name for name, value in metadata.items() if not isinstance(value, str)]:
        raise RequestError(f"the voice's {wrong[0]} is no text: give a string")
    codes = tensors.get("reference_codes")
    if not _is_vector(tensors["speaker_embedding"], codes) or not _is_codes(codes):
        raise RequestError("the voice holds no speaker vector [D] or no codes [frames, codebooks]: make it again")
    try:
        write_whole(path, save(tensors, metadata))
    except OSError as error:
        raise MlxTtsError(f"cannot write {path}: {error.strerror}") from None


def _damage() -> tuple[type[Exception], ...]:
    from safetensors import SafetensorError

    return SafetensorError, ValueError, TypeError, KeyError, OverflowError, RecursionError, AttributeError


def _read(data: bytes) -> tuple[dict[str, str], dict[str, np.ndarray]]:
    """Metadata and tensors of a safetensors file."""
    from safetensors.numpy import load

    tensors = load(data)  # checks header, offsets and length
    (header_bytes,) = struct.unpack_from("<Q", data)
    metadata = json.loads(data[8 : 8 + header_bytes]).get("__metadata__") or {}
    return metadata, tensors


def load_voice(path: str | Path) -> SavedVoice:
    """Read what save_voice wrote; an error says what is wrong with the file."""
    path = as_path(path)
    try:
        metadata, tensors = _read(read_bytes(path, MOST_BYTES))
    except FileNotFoundError:
        raise RequestError(
            f"no voice file {path}: make one with `mlx-tts clone --voice-sample ... --save-voice {path.name}`"
        ) from None
    except UnreadableFileError as error:
        raise MlxTtsError(f"{path} {error}: save the voice again") from None
    except _damage() as error:
        raise MlxTtsError(f"{path} is no voice file or damaged ({str(error)[:200]}): save the voice again") from None
    if metadata.get("format") != FORMAT:
        raise MlxTtsError(f"{path} is no voice file: make one with `mlx-tts clone --save-voice`")
    if metadata.get("version") != VERSION:
        raise MlxTtsError(
            f"{path} is of voice format {str(metadata.get('version'))[:20]}; this program reads {VERSION}: update it"
        )
    embedding, codes = tensors.get("speaker_embedding"), tensors.get("reference_codes")
    transcript = metadata.get("transcript")
    if embedding is None or not _is_vector(embedding, codes):
        raise MlxTtsError(f"{path} holds no speaker vector: save the voice again")
    if (codes is None) != (transcript is None) or not _is_codes(codes):
        raise MlxTtsError(f"{path} has codes without a transcript or the reverse: save the voice again")
    name = metadata.get("name", path.stem)
    voice = Voice(embedding, codes, transcript, name=name, family=metadata.get("family"))
    return SavedVoice(voice, metadata.get("model"))


def _is_vector(value: np.ndarray, codes: np.ndarray | None) -> bool:
    """What may be a speaker vector: an empty one beside codes, for families whose voices are codes alone."""
    if value.ndim != 1 or value.dtype.kind != "f" or (not len(value) and codes is None):
        return False
    return bool(np.isfinite(value).all() and np.abs(value).max(initial=0) <= LARGEST_ENTRY)


def _is_codes(value: np.ndarray | None) -> bool:
    """What may be codes, or None; whether the model has them is checked when it is known which one it is."""
    if value is None:
        return True
    fits = value.ndim == 2 and value.size > 0 and value.dtype.kind in "iu"
    return bool(fits and value.min() >= 0 and value.max() < MOST_CODE)
