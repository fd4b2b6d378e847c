"""A prepared voice <-> a small safetensors file: what a clone needs, and the recording it came from if that is kept.

The files come from strangers as well. Everything in them is checked, and nothing in them is executed.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.files.reading import UnreadableFileError, as_path, read_bytes
from mlx_tts.files.writing import write_whole
from mlx_tts.shortened import reason_of, shortened, shown
from mlx_tts.speech import Samples, Voice

FORMAT = "mlx-tts-voice"
VERSION = "1"
SUFFIX = ".safetensors"
MOST_BYTES = 20_000_000  # a minute of codes and a vector have 100 kB, a minute of recording 3 MB
LATENTS = ("reference_latents", "prompt_latents")
LARGEST_ENTRY = 1e4  # of a speaker vector or latents: they have entries of a few units
MOST_CODE = 1 << 20
MOST_CHARACTERS = {"transcript": 10_000, "description": 1_000, "model": 4_096, "name": 200, "family": 64,
                   "language": 64}  # fmt: skip
LEAST_RATE, MOST_RATE = 8_000, 96_000
MOST_RECORDED_SECONDS = 61
STYLES = "styles/"  # of a style, its name, a slash and the part begin with this
STYLE_NAME = re.compile(r"[^\W\d_][\w' -]{0,29}")
MOST_STYLES = 16
FULL_SCALE = 32_767


@dataclass(frozen=True)
class Recording:
    """The prepared recording that a voice was made from: samples [N] in [-1, 1]."""

    samples: Samples
    sample_rate: int

    @property
    def seconds(self) -> float:
        return len(self.samples) / self.sample_rate


@dataclass(frozen=True)
class SavedVoice:
    """A voice and the name of the model it was made with: another size's model cannot use it.

    recording: kept so that the voice can be prepared again for another model. language: of the recording. description:
    the words that a designed voice was made from. style_recordings: of the voice's styles, by name.
    """

    voice: Voice
    model: str | None
    recording: Recording | None = None
    language: str | None = None
    description: str | None = None
    style_recordings: Mapping[str, Recording] = field(default_factory=dict)


def save_voice(voice: Voice, path: str | Path, model: str | None = None) -> None:
    """Write `voice` to `path`; the file has its name only when it is complete."""
    write_voice(SavedVoice(voice, model), path)


def write_voice(saved: SavedVoice, path: str | Path) -> None:
    """Write a voice with all that is known of it; the file has its name only when it is complete."""
    path, voice = as_path(path), saved.voice
    if not isinstance(voice, Voice):
        raise RequestError(f"voice is a {type(voice).__name__}: give a Voice")
    from safetensors.numpy import save

    own, tensors = _described(voice, saved.recording)
    metadata = {"format": FORMAT, "version": VERSION, "name": voice.name} | own
    for name, style in voice.styles.items():
        must_be_style(name)
        own, arrays = _described(style, saved.style_recordings.get(name))
        metadata |= {f"{STYLES}{name}/{part}": value for part, value in own.items()}
        tensors |= {f"{STYLES}{name}/{part}": value for part, value in arrays.items()}
    known = {"model": saved.model, "family": voice.family, "language": saved.language, "description": saved.description}
    metadata |= {name: value for name, value in known.items() if value is not None}
    if wrong := [name for name, value in metadata.items() if not isinstance(value, str)]:
        raise RequestError(f"the voice's {wrong[0]} is not text: give a string")
    if broken := [name for name, value in metadata.items() if any("\ud800" <= c <= "\udfff" for c in value)]:
        raise RequestError(f"the voice's {broken[0]} has half of a surrogate pair, which no file holds: leave it out")
    if len(voice.styles) > MOST_STYLES:
        raise RequestError(f"the voice has {len(voice.styles)} styles: give at most {MOST_STYLES}")
    metadata["sha256"] = _digest(metadata, tensors)
    try:
        write_whole(path, save(tensors, metadata))
    except OSError as error:
        raise MlxTtsError(f"cannot write {path}: {error.strerror}") from None


def must_be_style(name: str) -> None:
    """RequestError for what cannot be the name of a style, since no tag of a text has such a name."""
    if not STYLE_NAME.fullmatch(name) or name != name.casefold():
        raise RequestError(f"{shown(name, 40)} is not a name for a style: use small letters, such as sad or whisper")


def _described(voice: Voice, recording: Recording | None) -> tuple[dict[str, str], dict[str, np.ndarray]]:
    """Metadata and arrays of a voice or of a style of it; RequestError for values that nobody could read again."""
    tensors, metadata = _tensors_of(voice), dict[str, str]()
    fits = _is_vector(tensors["speaker_embedding"], tensors) and _is_codes(tensors.get("reference_codes"))
    if not fits or not all(_is_latents(tensors.get(name)) for name in LATENTS):
        raise RequestError(
            "the voice holds no speaker vector [D], no codes [frames, codebooks] or no latents [N, P, D]: make it again"
        )
    if voice.reference_codes is not None or voice.prompt_latents is not None:
        metadata["transcript"] = voice.transcript or ""
    if recording is not None:
        tensors["recording"] = np.round(np.clip(recording.samples, -1, 1) * FULL_SCALE).astype(np.int16)
        metadata["recording_rate"] = str(recording.sample_rate)
    return metadata, tensors


def _tensors_of(voice: Voice) -> dict[str, np.ndarray]:
    """The arrays of a voice as they are stored."""
    given = {name: getattr(voice, name) for name in ("reference_codes", *LATENTS)}
    try:
        tensors = {"speaker_embedding": np.ascontiguousarray(voice.speaker_embedding, dtype=np.float32)}
        for name, value in given.items():
            if value is not None:
                tensors[name] = np.ascontiguousarray(value, dtype=np.float32 if name in LATENTS else np.int32)
    except (TypeError, ValueError, OverflowError) as error:
        raise RequestError(
            f"the voice holds values that are not numbers ({reason_of(error, 100)}): make it again"
        ) from None
    return tensors


def _digest(metadata: dict[str, str], tensors: dict[str, np.ndarray]) -> str:
    """SHA-256 of all that the file says: it shows damage that leaves the numbers plausible."""
    digest = hashlib.sha256(json.dumps(sorted((k, v) for k, v in metadata.items() if k != "sha256")).encode())
    for name in sorted(tensors):
        digest.update(f"{name} {tensors[name].dtype} {tensors[name].shape}".encode())
        digest.update(tensors[name].tobytes())
    return digest.hexdigest()


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
        raise MlxTtsError(f"{path} is not a voice file or is damaged ({reason_of(error)}): save it again") from None
    if metadata.get("format") != FORMAT:
        raise MlxTtsError(f"{path} is not a voice file: make one with `mlx-tts clone --save-voice`")
    if (version := metadata.get("version")) is None:
        raise MlxTtsError(f"{path} does not say which voice format it has, so it is damaged: save the voice again")
    if version != VERSION:
        raise MlxTtsError(
            f"{path} is of voice format {shortened(version, 20)}; this program reads {VERSION}: update it"
        )
    if (fault := _fault(metadata, tensors)) is not None:
        raise MlxTtsError(f"{path} {fault}: save the voice again")
    voice, recording = _voice_of(metadata, tensors, metadata.get("name", path.stem))
    styles, recordings = dict[str, Voice](), dict[str, Recording]()
    for name, (own, arrays) in _styles_of(metadata, tensors).items():
        styles[name], recorded = _voice_of(own | _family_of(metadata), arrays, voice.name)
        if recorded is not None:
            recordings[name] = recorded
    known = metadata.get("language"), metadata.get("description")
    return SavedVoice(replace(voice, styles=styles), metadata.get("model"), recording, *known, recordings)


def _family_of(metadata: Mapping[str, str]) -> dict[str, str]:
    return {"family": metadata["family"]} if "family" in metadata else {}


def _styles_of(
    metadata: Mapping[str, str], tensors: Mapping[str, np.ndarray]
) -> dict[str, tuple[dict[str, str], dict[str, np.ndarray]]]:
    """Metadata and arrays of each style, by its name."""
    found: dict[str, tuple[dict[str, str], dict[str, np.ndarray]]] = {}
    for which, parts in enumerate((metadata, tensors)):
        for key, value in parts.items():
            if key.startswith(STYLES):
                name, _, part = key[len(STYLES) :].partition("/")
                found.setdefault(name, ({}, {}))[which][part] = value  # type: ignore[assignment]
    return found


def _voice_of(
    metadata: Mapping[str, str], tensors: Mapping[str, np.ndarray], name: str
) -> tuple[Voice, Recording | None]:
    """A voice or a style that was found to be whole."""
    recording = None
    if "recording" in tensors:
        recording = Recording(
            tensors["recording"].astype(np.float32) / np.float32(FULL_SCALE), int(metadata["recording_rate"])
        )
    voice = Voice(
        tensors["speaker_embedding"],
        tensors.get("reference_codes"),
        metadata.get("transcript"),
        name=name,
        family=metadata.get("family"),
        reference_latents=tensors.get("reference_latents"),
        prompt_latents=tensors.get("prompt_latents"),
    )
    return voice, recording


def _fault(metadata: dict[str, str], tensors: dict[str, np.ndarray]) -> str | None:
    """What is wrong with a voice file, as the end of a sentence that begins with its path. None where nothing is."""
    if "sha256" in metadata and metadata["sha256"] != _digest(metadata, tensors):  # version 0.1.0 wrote none
        return "was changed after it was written (its checksum differs)"
    styles = _styles_of(metadata, tensors)
    if len(styles) > MOST_STYLES:
        return f"has {len(styles)} styles, more than {MOST_STYLES}"
    for name, (own, arrays) in styles.items():
        if not STYLE_NAME.fullmatch(name):
            return f"has a style without a usable name ({shown(name, 40)})"
        if (fault := _part_fault(own, arrays)) is not None:
            return f"{fault} (style {name})"
    return _part_fault(metadata, tensors)


def _part_fault(metadata: dict[str, str], tensors: dict[str, np.ndarray]) -> str | None:
    """The same of the voice itself, or of one style."""
    if "speaker_embedding" not in tensors:
        return "holds no speaker vector"
    if not _is_vector(tensors["speaker_embedding"], tensors):
        return "holds no usable speaker vector: it needs finite numbers in one row"
    codes, transcript = tensors.get("reference_codes"), metadata.get("transcript")
    if not _is_codes(codes):
        return f"has unusable codes: they need whole numbers from 0 to {MOST_CODE - 1:,}, [frames, codebooks]"
    if unusable := [name.replace("_", " ") for name in LATENTS if not _is_latents(tensors.get(name))]:
        return f"has unusable {unusable[0]}: they need finite numbers, [N, P, D]"
    worded = "codes" if codes is not None else "prompt latents" if "prompt_latents" in tensors else None
    if worded is None and transcript is not None:
        return "has a transcript, but neither codes nor latents that it belongs to"
    if worded is not None and transcript is None:
        return f"has {worded} without a transcript"
    if long := [name for name, most in MOST_CHARACTERS.items() if len(metadata.get(name, "")) > most]:
        return f"has a {long[0]} of more than {MOST_CHARACTERS[long[0]]:,} characters"
    return _recording_fault(tensors.get("recording"), metadata.get("recording_rate"))


def _recording_fault(samples: np.ndarray | None, rate: str | None) -> str | None:
    if samples is None:
        return None if rate is None else "has the rate of a recording, but no recording"
    if rate is None:
        return "has a recording without its rate"
    hertz = int(rate) if rate.isascii() and rate.isdigit() and len(rate) < 7 else 0
    if not LEAST_RATE <= hertz <= MOST_RATE:
        return f"has a recording at the rate {shown(rate, 20)}: it must be from {LEAST_RATE:,} to {MOST_RATE:,}"
    if samples.ndim != 1 or samples.dtype != np.int16:
        return "has an unusable recording: it needs one channel of 16-bit samples"
    if not 0 < len(samples) <= MOST_RECORDED_SECONDS * hertz:
        return f"has a recording of {len(samples) / hertz:.0f} s: it must have 1 to {MOST_RECORDED_SECONDS - 1} s"
    return None


def _is_vector(value: np.ndarray, tensors: Mapping[str, np.ndarray]) -> bool:
    """What may be a speaker vector: an empty one in families whose voices are codes or latents alone."""
    empty = not len(value) and not {"reference_codes", *LATENTS} & set(tensors) if value.ndim == 1 else True
    if empty or value.dtype.kind != "f":
        return False
    return bool(np.isfinite(value).all() and np.abs(value).max(initial=0) <= LARGEST_ENTRY)


def _is_codes(value: np.ndarray | None) -> bool:
    """What may be codes, or None; whether the model has them is checked when it is known which one it is."""
    if value is None:
        return True
    fits = value.ndim == 2 and value.size > 0 and value.dtype.kind in "iu"
    return bool(fits and value.min() >= 0 and value.max() < MOST_CODE)


def _is_latents(value: np.ndarray | None) -> bool:
    """What may be latents [N, P, D], or None; the model that uses them knows their sizes."""
    if value is None:
        return True
    fits = value.ndim == 3 and value.size > 0 and value.dtype.kind == "f"
    return bool(fits and np.isfinite(value).all() and np.abs(value).max() <= LARGEST_ENTRY)
