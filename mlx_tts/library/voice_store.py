"""A prepared voice <-> a small safetensors file that holds what a clone needs, and nothing of the recording."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.speech import Voice

FORMAT = "mlx-tts-voice"
VERSION = "1"
SUFFIX = ".safetensors"


@dataclass(frozen=True)
class SavedVoice:
    """A voice and the name of the model it was made with: another size's model cannot use it."""

    voice: Voice
    model: str | None


def save_voice(voice: Voice, path: str | Path, model: str | None = None) -> None:
    """Write `voice` to `path`; the file has its name only when it is complete."""
    path = Path(path)
    from safetensors.numpy import save

    tensors = {"speaker_embedding": np.ascontiguousarray(voice.speaker_embedding, dtype=np.float32)}
    metadata = {"format": FORMAT, "version": VERSION, "name": voice.name}
    if voice.reference_codes is not None:
        tensors["reference_codes"] = np.ascontiguousarray(voice.reference_codes, dtype=np.int32)
        metadata["transcript"] = voice.transcript or ""
    if model is not None:
        metadata["model"] = model
    if voice.family is not None:
        metadata["family"] = voice.family
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        unfinished.write_bytes(save(tensors, metadata))
        unfinished.replace(path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise MlxTtsError(f"cannot write {path}: {error.strerror}") from None


def load_voice(path: str | Path) -> SavedVoice:
    """Read what save_voice wrote; an error says what is wrong with the file."""
    path = Path(path)
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        raise RequestError(
            f"no voice file {path}: make one with `mlx-tts clone --voice-sample ... --save-voice {path.name}`"
        )
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (no mapping, it has keys only)
    except (SafetensorError, OSError) as error:
        raise MlxTtsError(f"{path} is no voice file or damaged ({error}): save the voice again") from None
    if metadata.get("format") != FORMAT:
        raise MlxTtsError(f"{path} is no voice file: make one with `mlx-tts clone --save-voice`")
    if metadata.get("version") != VERSION:
        raise MlxTtsError(
            f"{path} is of voice format {metadata.get('version')}, this program reads {VERSION}: update mlx-tts"
        )
    embedding, codes = tensors.get("speaker_embedding"), tensors.get("reference_codes")
    transcript = metadata.get("transcript")
    if embedding is None or embedding.ndim != 1 or not np.isfinite(embedding).all():
        raise MlxTtsError(f"{path} holds no speaker vector: save the voice again")
    if (codes is None) != (transcript is None) or (codes is not None and codes.ndim != 2):
        raise MlxTtsError(f"{path} holds codes without a transcript or the reverse: save the voice again")
    voice = Voice(embedding, codes, transcript, name=metadata.get("name", path.stem), family=metadata.get("family"))
    return SavedVoice(voice, metadata.get("model"))
