"""A request's text, voice and the piece before -> the rows that the language models read before the first patch."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlx_tts.errors import RequestError
from mlx_tts.generation.requests import AGAIN, check_transcript, printable, saved_voice
from mlx_tts.models.voxcpm2.checkpoint import BOTH, CONTINUATION, FAMILY, REFERENCE, Checkpoint
from mlx_tts.models.voxcpm2.config import AUDIO_START, REFERENCE_END, REFERENCE_START
from mlx_tts.models.voxcpm2.tokenizer import cleaned
from mlx_tts.shortened import shown
from mlx_tts.speech import CheckedRequest, Voice

Patches = NDArray[np.float32]  # [N, P, D]
LARGEST_LATENT = 1e4
NO_SPACE_BEHIND = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]"
)  # no spaces

NEEDS_WORDS = "this model clones by going on from a recording: give its words (--transcript)"


@dataclass(frozen=True)
class Prompt:
    """ids: [n], 0 where audio stands. is_audio: [n]. patches: [N, P, D], those of all audio rows in order."""

    ids: NDArray[np.int32]
    is_audio: NDArray[np.bool_]
    patches: Patches

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def last(self) -> Patches:
        """[P, D]: the patch at the last row; zeros where that is text."""
        return self.patches[-1] if self.is_audio[-1] else np.zeros(self.patches.shape[1:], np.float32)


def lay_out(
    text_ids: Sequence[int], shape: tuple[int, int], reference: Patches | None, continued: Patches | None
) -> Prompt:
    """reference: how the voice sounds, before the text. continued: what speech goes on from, behind it; its words are
    at the beginning of the text. shape: (P, D) of a patch."""
    ids: list[int] = []
    parts: list[Patches] = []
    if reference is not None:
        ids += [REFERENCE_START, *[0] * len(reference), REFERENCE_END]
        parts.append(reference)
    ids += [*text_ids, AUDIO_START]
    first_audio = 1 if reference is not None else 0
    is_audio = np.zeros(len(ids) + (0 if continued is None else len(continued)), np.bool_)
    if reference is not None:
        is_audio[first_audio : first_audio + len(reference)] = True
    if continued is not None:
        is_audio[len(ids) :] = True
        ids += [0] * len(continued)
        parts.append(continued)
    patches = np.concatenate(parts) if parts else np.zeros((0, *shape), np.float32)
    return Prompt(np.array(ids, np.int32), is_audio, patches.astype(np.float32, copy=False))


def heard_before(reference: Patches | None, continued: Patches | None, count: int) -> Patches | None:
    """The patches that the decoder hears before the first one that is made: the last of all audio, where the prompt
    ends in audio. One shorter than `count` is filled up from the reference, as the official code does."""
    if continued is None:
        return None
    whole = continued if reference is None else np.concatenate([reference, continued])
    return whole[-count:]


@dataclass(frozen=True)
class VoxCPMContinuation:
    """What the first pieces of a speech leave to the others: their words and their patches [N, P, D]."""

    text: str
    patches: Patches

    def stored(self) -> dict[str, NDArray[Any]]:
        """As plain arrays, which a narration keeps next to its pieces."""
        return {"text": np.frombuffer(self.text.encode(), np.uint8), "patches": self.patches}


def continuation_of(checkpoint: Checkpoint, after: Any) -> VoxCPMContinuation | None:
    """From what `stored` made; RequestError for anything else."""
    if after is None:
        return None
    try:
        words, patches = np.asarray(after["text"]), _latents(checkpoint, after["patches"])
        text = words.tobytes().decode() if words.dtype == np.uint8 and words.ndim == 1 else ""
    except (KeyError, TypeError, ValueError, IndexError, RequestError):
        text, patches = "", None
    if patches is None or not printable(text):
        raise RequestError(f"after is {shown(after)}: give what the stream of the piece before left")
    return VoxCPMContinuation(text, patches)


def joined(first: str, second: str) -> str:
    """Words and those that follow them. Scripts that put spaces between sentences get one."""
    spaced = not first or first[-1].isspace() or NO_SPACE_BEHIND.match(first[-1])
    return f"{first}{second}" if spaced else f"{first} {second}"


def audio_of(request: CheckedRequest, after: VoxCPMContinuation | None) -> tuple[Patches | None, Patches | None]:
    """The latents of the reference, and of what is continued."""
    if isinstance(request.voice, Voice):
        return request.voice.reference_latents, request.voice.prompt_latents
    return None, None if after is None else after.patches


def target_of(request: CheckedRequest, after: VoxCPMContinuation | None) -> str:
    """The text to be spoken, behind a description in brackets. A voice that goes on is not described again."""
    text = cleaned(request.text)
    described = request.instruct and audio_of(request, after)[1] is None
    return f"({cleaned(request.instruct or '')}){text}" if described else text


def spoken_words(request: CheckedRequest, after: VoxCPMContinuation | None) -> str:
    """The target behind the words of what is continued."""
    target = target_of(request, after)
    if isinstance(request.voice, Voice):
        return (request.voice.transcript or "") + target
    return target if after is None else joined(after.text, target)


def check_voice(checkpoint: Checkpoint, voice: Any, cloning: str) -> Voice | None:
    """The voice with what `cloning` leaves of it; RequestError for one that this model cannot use."""
    if voice is None:
        return None
    if isinstance(voice, str):
        raise RequestError(
            f"this model has no preset voice {shown(voice)}: describe one with --instruct, or clone one (mlx-tts clone)"
        )
    voice = saved_voice(voice, FAMILY)
    reference, prompt = (_latents(checkpoint, value) for value in (voice.reference_latents, voice.prompt_latents))
    if reference is None and prompt is None:
        raise RequestError(f"the voice holds no latents: {AGAIN}")
    if prompt is not None:
        check_transcript(voice)
    reference, prompt = _wanted(reference, prompt, cloning, checkpoint.model.joined)
    transcript = voice.transcript if prompt is not None else None
    return replace(voice, reference_latents=reference, prompt_latents=prompt, transcript=transcript)


def _wanted(
    reference: Patches | None, prompt: Patches | None, cloning: str, takes_references: bool
) -> tuple[Patches | None, Patches | None]:
    """Of both, what `cloning` says; RequestError where that is not there."""
    if not takes_references:
        reference, cloning = None, CONTINUATION
        if prompt is None:
            raise RequestError(NEEDS_WORDS)
    if cloning in (REFERENCE, BOTH) and reference is None:
        raise RequestError(f"the voice has no reference, which clone={cloning} needs: {AGAIN}")
    if cloning in (CONTINUATION, BOTH) and prompt is None:
        raise RequestError(
            f"the voice was made without a transcript: use clone={REFERENCE}, or make it again with the words"
        )
    return reference if cloning != CONTINUATION else None, prompt if cloning != REFERENCE else None


def _latents(checkpoint: Checkpoint, value: Any) -> Patches | None:
    """[N, P, D] of finite numbers, or None."""
    if value is None:
        return None
    fields = checkpoint.model.fields
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, OverflowError):
        array = np.zeros(0)
    wanted = fields.patch_size, fields.feat_dim
    if array.ndim != 3 or array.shape[1:] != wanted or not len(array) or array.dtype.kind != "f":
        raise RequestError(
            f"the voice has latents of {array.shape}, this model needs [N, {wanted[0]}, {wanted[1]}]: {AGAIN}"
        )
    if not np.isfinite(array).all() or np.abs(array).max() > LARGEST_LATENT:
        raise RequestError(f"the voice has latents that are not those of a sound: {AGAIN}")
    if len(array) >= fields.max_length:
        raise RequestError(
            f"the voice has {len(array)} patches, this model reads {fields.max_length}: use a shorter recording"
        )
    return array.astype(np.float32)
