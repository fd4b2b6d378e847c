"""A recording in, what a clone needs of it out: speaker vector and codes, kept for the recordings used last."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from functools import cached_property

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mlx_tts.audio.files import resample
from mlx_tts.audio.mel import log_mel
from mlx_tts.checkpoints.config_fields import as_model_error
from mlx_tts.models.qwen3_tts.checkpoint import Checkpoint
from mlx_tts.models.qwen3_tts.codec.encoder import CodecEncoder
from mlx_tts.models.qwen3_tts.speaker_encoder import SpeakerEncoder
from mlx_tts.models.qwen3_tts.weights import load_codec_encoder, load_speaker_encoder
from mlx_tts.samples import Codes, Samples

KEPT_RECORDINGS = 4


class ReferenceEncoder:
    """Both encoders of a checkpoint, loaded when first needed, and an LRU of their results by content of the audio."""

    def __init__(
        self,
        checkpoint: Checkpoint,
        kept: int = KEPT_RECORDINGS,
        log: Callable[[str], None] = lambda _line: None,
    ):
        """log: told of each result whether it was there already."""
        self._checkpoint = checkpoint
        self._kept, self._log = kept, log
        self._results: OrderedDict[str, dict[str, np.ndarray]] = OrderedDict()

    @cached_property
    def _codec_encoder(self) -> CodecEncoder:
        with as_model_error(self._checkpoint.folder):
            return load_codec_encoder(self._checkpoint.folder, self._checkpoint.codec)

    @cached_property
    def _speaker_encoder(self) -> SpeakerEncoder:
        with as_model_error(self._checkpoint.folder):
            return load_speaker_encoder(self._checkpoint)

    def clear(self) -> None:
        """Forget all results."""
        self._results.clear()

    def codes(self, samples: Samples, sample_rate: int) -> Codes:
        """Audio [N] -> codes [T, codebooks], T = ceil(seconds * 12.5)."""

        def encode() -> Codes:
            audio = resample(samples, sample_rate, self._checkpoint.codec.input_sample_rate)
            return np.array(self._codec_encoder(mx.array(audio)[None])[0], dtype=np.int32)

        return self._remembered("codes", samples, sample_rate, encode)

    def embedding(self, samples: Samples, sample_rate: int) -> NDArray[np.float32]:
        """Audio [N] -> the speaker vector [D]."""

        def encode() -> NDArray[np.float32]:
            audio = resample(samples, sample_rate, self._checkpoint.model.speaker_encoder_config.sample_rate)
            return np.array(self._speaker_encoder(mx.array(log_mel(audio))[None])[0], dtype=np.float32)

        return self._remembered("embedding", samples, sample_rate, encode)

    def _remembered(self, what: str, samples: Samples, sample_rate: int, make: Callable[[], np.ndarray]) -> np.ndarray:
        samples = np.ascontiguousarray(samples, np.float32)
        key = hashlib.sha256(samples.tobytes() + str(sample_rate).encode()).hexdigest()
        known = self._results.get(key, {})
        self._log(
            f"voice sample {key[:8]}, {what}: {'hit, kept from before' if what in known else 'miss, encoding it'}"
        )
        if what not in known:
            known[what] = make()
        self._results[key] = known
        self._results.move_to_end(key)
        while len(self._results) > self._kept:
            self._results.popitem(last=False)
        return known[what].copy()
