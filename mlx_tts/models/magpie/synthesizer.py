"""Checked request in, frames and their sound out: ties text, context, frames and codec together; holds weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mlx_tts.audio.files import resample
from mlx_tts.errors import RequestError
from mlx_tts.generation.synthesizer import CodeSynthesizer, PreparedRequest
from mlx_tts.models.magpie.alignment import MOST_HISTORY, EncodedPiece, read_passage, word_marks
from mlx_tts.models.magpie.check import NO_VOICE, continuation_of
from mlx_tts.models.magpie.checkpoint import FAMILY, Checkpoint
from mlx_tts.models.magpie.codec.decoder import CodecDecoder
from mlx_tts.models.magpie.codec.encoder import CodecEncoder
from mlx_tts.models.magpie.codec.weights import load_decoder, load_encoder
from mlx_tts.models.magpie.frames import FrameLoop, MagpieRow, Utterance
from mlx_tts.models.magpie.network import Magpie
from mlx_tts.models.magpie.weights import load_magpie
from mlx_tts.nn.streaming import SteppedTogether, step_together
from mlx_tts.samples import Codes, Samples
from mlx_tts.speech import CheckedRequest, Mark, Voice

ROW_POSITIONS = 512  # of a voice's context and the speech of a long piece
ROW_CHUNK_NUMBERS = 1 << 20  # of the codec's widest layers, a piece of sound at a time


@dataclass(frozen=True)
class MagpiePrompt:
    """What the decoder would be given: text ids with those of pieces before, their encoding [n, D], context [T, D]."""

    text_ids: NDArray[np.int32]
    encoded: NDArray[np.float32]
    context: NDArray[np.float32]


class MagpieTTS(CodeSynthesizer):
    """A loaded Magpie checkpoint. It belongs to the MLX thread and holds no stream."""

    def __init__(self, checkpoint: Checkpoint, model: Magpie, decoder: CodecDecoder):
        self.info = checkpoint.info
        self._checkpoint = checkpoint
        self._loop = FrameLoop(model)
        self._decoder = decoder

    # What the engine calls: generation/synthesizer.py.

    @property
    def row_bytes(self) -> int:
        decoder = self._checkpoint.model.decoder
        a_position = 2 * 2 * decoder.n_layers * decoder.d_model * 4
        return ROW_POSITIONS * a_position + ROW_CHUNK_NUMBERS * 4

    def count_tokens(self, text: str) -> int:
        return len(text)  # about one symbol a character, in every language's alphabet

    def most_frames(self, _request: CheckedRequest) -> int:
        steps = self._checkpoint.model.inference.max_decoder_steps // self._loop.stack
        return max(1, steps) * self._loop.stack

    def decoder_state(self, _prepared: PreparedRequest) -> Any:
        return self._decoder.make_state()

    def decode(self, pieces: Sequence[tuple[NDArray[Any], Any]]) -> SteppedTogether:
        # A code beyond the codebook stands where one of a frame's heads ended and the others went on.
        largest = self._checkpoint.codec.codebook_size - 1
        return step_together(
            lambda codes, state: self._decoder.step(mx.minimum(codes, largest), state), pieces, compact=True
        )

    def continuation(self, row: MagpieRow) -> dict[str, NDArray[Any]]:
        return row.continuation().stored()

    def marks(self, row: MagpieRow, frames: Codes) -> tuple[Mark, ...]:
        """The words of the kept frames, by where the decoder attended."""
        if row.alignment is None:
            return ()
        return word_marks(
            row.utterance.text,
            row.utterance.passage,
            row.alignment.path,
            self._checkpoint.text.spaces(row.utterance.language),
            self._loop.stack / self.info.frame_rate,
            len(frames) / self.info.frame_rate,
        )

    # What callers ask besides speech.

    @property
    def _code_sizes(self) -> tuple[int, int]:
        return self._checkpoint.codec.num_groups, self._checkpoint.codec.codebook_size

    def encode_audio(self, samples: Samples, sample_rate: int) -> Codes:
        """Audio [N] at any rate -> codes [T, codebooks]."""
        audio = resample(samples, sample_rate, self.info.sample_rate)
        return np.array(self._encoder(mx.array(audio)[None])[0], dtype=np.int32)

    def voice(self, samples: Samples, sample_rate: int, transcript: str | None = None) -> Voice:
        """A voice from a recording, cut or repeated to the length that the model was trained with."""
        if not self.info.can.clones:
            raise RequestError(f"this model cannot clone: choose one of its voices, {', '.join(self.info.voices)}")
        audio, model = resample(samples, sample_rate, self.info.sample_rate), self._checkpoint.model
        rate = self.info.sample_rate
        least, most = (round(seconds * rate) for seconds in (model.context_duration_min, model.context_duration_max))
        if len(audio) < least:
            audio = np.tile(audio, -(-least // len(audio)))[:least]
        codes = self.encode_audio(audio[: max(most, least)], rate)[: model.most_context_frames]
        return Voice(np.zeros(0, np.float32), codes, transcript or "", family=FAMILY)

    def prompt(self, request: CheckedRequest) -> MagpiePrompt:
        """What the decoder would be given for a request: for looking at, and for tests."""
        utterance = self._utterance(request)
        encoded, context = (np.array(x[0].astype(mx.float32)) for x in (utterance.passage.encoded, utterance.context))
        return MagpiePrompt(np.array(utterance.passage.ids, np.int32), encoded, context)

    # From the request to what the loop reads.

    @property
    def frame_stack(self) -> int:
        """How many frames a step makes."""
        return self._loop.stack

    def passage(self, request: CheckedRequest) -> EncodedPiece:
        """The ids of a request's text, encoded."""
        model = self._loop.model
        ids = self._checkpoint.text.encode(request.text, request.language)
        longest = self._checkpoint.model.encoder.max_length_causal_mask - MOST_HISTORY
        if len(ids) > longest:
            raise RequestError(f"the text has {len(ids)} symbols, this model reads {longest} at once: cut it in parts")
        passage = read_passage(model, ids, continuation_of(self._checkpoint, request.after), final=not request.more)
        mx.eval(passage.encoded)
        return passage

    def _utterance(self, request: CheckedRequest) -> Utterance:
        assert request.seed is not None
        passage = self.passage(request)
        context = self._context(request.voice)
        return Utterance(passage, context, request.params, request.seed, request.text, request.language)

    def _context(self, voice: str | Voice | None) -> mx.array:
        if isinstance(voice, Voice):
            return self._loop.model.context_of(mx.array(np.asarray(voice.reference_codes)))
        if voice is None:
            raise RequestError(NO_VOICE)
        return self._loop.model.baked_context(self.info.voices.index(voice))

    @cached_property
    def _encoder(self) -> CodecEncoder:
        return load_encoder(self._checkpoint.folder / "codec", self._checkpoint.codec)


def load(checkpoint: Checkpoint, *, dtype: str | None, log: Callable[[str], None]) -> MagpieTTS:
    """Load a checkpoint's weights; ModelError names what does not fit."""
    checkpoint.text.offsets  # noqa: B018 (they are checked against the weights)
    decoder = load_decoder(checkpoint.folder / "codec", checkpoint.codec)
    model = load_magpie(checkpoint, dtype, log)
    return MagpieTTS(checkpoint, model, decoder)
