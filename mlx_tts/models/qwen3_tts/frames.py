"""Prepared prompts in, frames of codes out: the only decode loop. Nothing else calls the talker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import mlx.core as mx
import numpy as np

from mlx_tts.models.qwen3_tts.config import CONTROL_IDS, TalkerConfig
from mlx_tts.models.qwen3_tts.talker import Talker
from mlx_tts.nn.device import compiled
from mlx_tts.sampling import Drawing, draw, frame_key, gumbel_noise, penalise
from mlx_tts.speech import Codes

FrameFunction = Callable[..., tuple[mx.array, mx.array, mx.array]]

MIN_FRAMES = 2  # the reference forbids the end of speech for the first two (`min_new_tokens`)


@dataclass(frozen=True)
class Utterance:
    """One text ready for the loop.

    prefill: [L, D] what the talker is given first. trailing: [N, D] text added to the frames that follow, one a frame;
    after the last, `pad` [D] is added for ever. seed and index address the random draws.
    """

    prefill: mx.array
    trailing: mx.array
    pad: mx.array
    seed: int
    index: int
    max_frames: int

    def text_after(self, frame: int) -> mx.array:
        """[D]: what is added to the embedding of a frame before the talker reads it."""
        return self.trailing[frame] if frame < self.trailing.shape[0] else self.pad


def forbidden_ids(config: TalkerConfig) -> tuple[mx.array, mx.array]:
    """Additive masks [V] for the first frames (no end of speech yet) and for all later ones."""
    mask = np.zeros(config.vocab_size, np.float32)
    mask[config.vocab_size - CONTROL_IDS :] = -np.inf
    early = mask.copy()
    early[config.codec_eos_token_id] = -np.inf
    mask[config.codec_eos_token_id] = 0
    return mx.array(early), mx.array(mask)


class FrameLoop:
    """The decode loop of one talker. Holds no utterance: only masks and the compiled frame, once for each way to draw."""

    def __init__(self, talker: Talker, config: TalkerConfig):
        self.talker = talker
        self.config = config
        self.early, self.later = forbidden_ids(config)
        predictor = config.code_predictor_config
        self.noise_width = config.vocab_size + (config.num_code_groups - 1) * predictor.vocab_size
        self._frames: dict[Drawing, FrameFunction] = {}

    def _frame(self, drawing: Drawing) -> FrameFunction:
        if drawing not in self._frames:
            self._frames[drawing] = self._build_frame(drawing)
        return self._frames[drawing]

    def _build_frame(self, drawing: Drawing) -> FrameFunction:
        """A pure function: logits, hidden, used ids, forbidden ids, noise -> codes [B, K], their embedding, used ids."""
        talker, vocabulary = self.talker, self.config.vocab_size
        ids = mx.arange(vocabulary, dtype=mx.uint32)

        def frame(
            logits: mx.array, hidden: mx.array, used: mx.array, forbidden: mx.array, noise: mx.array | None = None
        ) -> tuple[mx.array, mx.array, mx.array]:
            logits = penalise(logits.astype(mx.float32), used, drawing.repetition_penalty) + forbidden
            first = draw(logits, None if noise is None else noise[:, :vocabulary], drawing.first)
            rest_noise = None if noise is None else noise[:, vocabulary:]
            rest, embedding = talker.code_predictor(hidden, talker.embed_code(first), rest_noise, drawing.rest)
            return mx.concatenate([first[:, None], rest], axis=1), embedding, used | (ids == first[:, None])

        return compiled(frame)

    def generate(self, utterance: Utterance, drawing: Drawing) -> Iterator[Codes]:
        """Yield the frames of one utterance, [K] int32 each, until the end of speech or `max_frames`.

        One step of look-ahead: a frame is on its way to the device before the one before it is read, so the device
        never waits for the host; the frame begun behind the last one is thrown away.
        """
        frame = self._frame(drawing)
        caches = self.talker.make_cache()
        x = utterance.prefill[None]
        used = mx.zeros((1, self.config.vocab_size), mx.bool_)
        pending: mx.array | None = None
        for n in range(utterance.max_frames + 1):
            codes: mx.array | None = None
            if n < utterance.max_frames:
                logits, hidden = self.talker(x, caches)
                arguments = [logits, hidden, used, self.early if n < MIN_FRAMES else self.later]
                if not drawing.greedy:
                    key = frame_key(utterance.seed, utterance.index, n)
                    arguments.append(gumbel_noise([key], self.noise_width))
                codes, embedding, used = frame(*arguments)
                x = (embedding + utterance.text_after(n))[:, None]
                mx.async_eval(codes, x, used)
            if pending is not None:
                done = np.array(pending[0], dtype=np.int32)
                if done[0] == self.config.codec_eos_token_id:
                    return
                yield done
            pending = codes
