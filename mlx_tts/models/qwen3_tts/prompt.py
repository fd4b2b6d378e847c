"""Ids in, prompt out: a text and a codec track of integers, position by position, and the sum of their embeddings."""

from __future__ import annotations

from dataclasses import dataclass

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mlx_tts.errors import RequestError
from mlx_tts.models.qwen3_tts.config import ModelConfig, TalkerConfig
from mlx_tts.models.qwen3_tts.talker import Talker
from mlx_tts.speech import CheckedRequest, Voice

NONE = -1  # this side is absent at this position
SPEAKER = -2  # the codec side is the raw speaker vector
ROLE_IDS, CLOSING_IDS, REFERENCE_CLOSING_IDS = 3, 5, 2  # ids around a text in the wrapping of the tokenizer

MOST_POSITIONS = 4096  # of a prompt: five minutes of speech; time and memory grow with each
SHORTER = "shorten them, or have a long text cut into pieces (speak and narrate of a string do)"
MOST_CHARACTERS = 16 * MOST_POSITIONS  # so that what is far too long is not even tokenised

Track = NDArray[np.int32]


@dataclass(frozen=True)
class PromptTracks:
    """What the talker is given, as integers.

    text: [L] text ids, or NONE. codec: [L] codec ids, NONE or SPEAKER; at a reference frame its first code.
    trailing: [N] text ids added to the frames generated later, one a frame; then `tts_pad` for ever.
    reference_codes: [T, K] reference frames, which stand from position `reference_at` on; None without.
    """

    text: Track
    codec: Track
    trailing: Track
    reference_codes: Track | None = None
    reference_at: int = 0


@dataclass(frozen=True)
class PreparedPrompt:
    """What the talker would be given: the tracks of `PromptTracks` and their summed embeddings `prefill` [L, D]."""

    text: Track
    codec: Track
    trailing: Track
    prefill: NDArray[np.float32]


@dataclass(frozen=True)
class PromptParts:
    """What a request comes to before it is laid out. text_ids, reference_ids and instruct_ids are wrapped."""

    text_ids: list[int]
    instruct_ids: list[int]
    language_id: int | None
    speaker: int  # a codec id, SPEAKER or NONE
    stream_text: bool
    reference_ids: list[int] | None = None
    reference_codes: Track | None = None


def check_characters(request: CheckedRequest) -> None:
    """RequestError for text that cannot fit, before any of it is tokenised."""
    transcript = request.voice.transcript if isinstance(request.voice, Voice) else None
    for name, text in (("text", request.text), ("instruct", request.instruct), ("transcript", transcript)):
        if text is not None and len(text) > MOST_CHARACTERS:
            raise RequestError(f"{name} has {len(text):,} characters; this model takes {MOST_CHARACTERS:,}: {SHORTER}")


def check_positions(prompt: PromptTracks, config: TalkerConfig) -> None:
    """RequestError for a prompt of more positions than the model takes."""
    positions = len(prompt.text) + len(prompt.trailing)
    most = min(MOST_POSITIONS, config.max_position_embeddings)
    if positions > most:
        raise RequestError(
            f"text, instruction and reference come to {positions:,} positions; this model takes {most:,}: {SHORTER}"
        )


def build_prompt(parts: PromptParts, config: ModelConfig) -> PromptTracks:
    """Lay the tracks side by side, as the reference's `generate` and `generate_icl_prompt` do."""
    talker = config.talker_config
    pad, bos, eos = config.tts_pad_token_id, config.tts_bos_token_id, config.tts_eos_token_id
    role, words = parts.text_ids[:ROLE_IDS], parts.text_ids[ROLE_IDS:-CLOSING_IDS]

    text = [*parts.instruct_ids, *role]
    codec = [NONE] * len(text)
    if parts.language_id is None:
        prefix = [talker.codec_nothink_id, talker.codec_think_bos_id, talker.codec_think_eos_id]
    else:
        prefix = [talker.codec_think_id, talker.codec_think_bos_id, parts.language_id, talker.codec_think_eos_id]
    prefix += ([] if parts.speaker == NONE else [parts.speaker]) + [talker.codec_pad_id]
    text += [pad] * (len(prefix) - 1) + [bos]
    codec += prefix

    trailing: list[int] = []
    reference_at = 0
    if parts.reference_codes is not None and parts.reference_ids is not None:
        said = [*parts.reference_ids[ROLE_IDS:-REFERENCE_CLOSING_IDS], *words, eos]
        heard = [talker.codec_bos_id, *parts.reference_codes[:, 0].tolist()]
        if parts.stream_text:
            reference_at = len(text) + 1
            trailing = said[len(heard) :]
            text += [*said[: len(heard)], *[pad] * (len(heard) - len(said))]
            codec += heard
        else:
            text += [*said, *[pad] * len(heard)]
            codec += [*[talker.codec_pad_id] * len(said), *heard]
            reference_at = len(text) - len(heard) + 1
    elif parts.stream_text:
        text += words[:1]
        codec += [talker.codec_bos_id]
        trailing = [*words[1:], eos]
    else:
        text += [*words, eos, pad]
        codec += [*[talker.codec_pad_id] * (len(words) + 1), talker.codec_bos_id]
    return PromptTracks(
        np.array(text, np.int32),
        np.array(codec, np.int32),
        np.array(trailing, np.int32),
        parts.reference_codes,
        reference_at,
    )


def embed_prompt(prompt: PromptTracks, talker: Talker, speaker_embedding: mx.array | None) -> mx.array:
    """-> [L, D]: both tracks embedded and added; the speaker vector [D] goes where the codec track says so."""
    text, codec = prompt.text, prompt.codec
    x = talker.embed_text(mx.array(np.maximum(text, 0)))
    code = talker.embed_code(mx.array(np.maximum(codec, 0))).astype(x.dtype)
    if prompt.reference_codes is not None:
        frames = talker.embed_frames(mx.array(prompt.reference_codes)).astype(x.dtype)
        code = mx.concatenate([code[: prompt.reference_at], frames, code[prompt.reference_at + frames.shape[0] :]])
    if speaker_embedding is not None:
        here = mx.array(codec == SPEAKER)[:, None]
        code = mx.where(here, speaker_embedding.astype(x.dtype)[None], code)
    return mx.where(mx.array(text == NONE)[:, None], 0, x) + mx.where(mx.array(codec == NONE)[:, None], 0, code)
