"""Checked request in, patches and their sound out: ties text, voices, frames and codec together; holds weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import mlx.core as mx
import numpy as np
from mlx.utils import tree_map
from numpy.typing import NDArray

from mlx_tts.audio.files import resample
from mlx_tts.errors import RequestError
from mlx_tts.generation.synthesizer import ANY_FRAMES, FrameSynthesizer, PreparedRequest
from mlx_tts.kernels.core.trials import Autotuned
from mlx_tts.models.voxcpm2.autotune import TRIAL
from mlx_tts.models.voxcpm2.checkpoint import FAMILY, Checkpoint
from mlx_tts.models.voxcpm2.codec.decoder import CodecDecoder
from mlx_tts.models.voxcpm2.codec.encoder import CodecEncoder
from mlx_tts.models.voxcpm2.codec.weights import load_decoder, load_encoder
from mlx_tts.models.voxcpm2.frames import FrameLoop, PatchRow, Utterance
from mlx_tts.models.voxcpm2.network import VoxCPM, load_network
from mlx_tts.models.voxcpm2.prompt import (
    NEEDS_WORDS,
    Patches,
    Prompt,
    VoxCPMContinuation,
    audio_of,
    continuation_of,
    heard_before,
    joined,
    lay_out,
    spoken_words,
    target_of,
)
from mlx_tts.nn.streaming import SteppedTogether, step_together
from mlx_tts.runtime.device import policy
from mlx_tts.samples import Samples
from mlx_tts.speech import CheckedRequest, Mark, Voice

ROW_POSITIONS = 512  # of a prompt with a recording, and of the speech of a long piece
ROW_CHUNK_NUMBERS = 1 << 21  # of the codec's widest layers, a piece of sound at a time

PATCHES_A_TOKEN, MORE_PATCHES = 6, 10  # the official limit of a text's speech
LEAST_ROOM = 8  # patches that a prompt must leave
VOICE_SECONDS = 5.0  # of speech that hold a voice; recordings of 5 to 30 s are best


class VoxCPMTTS(Autotuned, FrameSynthesizer):
    """A loaded VoxCPM checkpoint. It belongs to the MLX thread and holds no stream."""

    gpu_pieces = 16
    trial = TRIAL

    def __init__(self, checkpoint: Checkpoint, model: VoxCPM, decoder: CodecDecoder):
        self.info = checkpoint.info
        self._checkpoint = checkpoint
        self._loop = FrameLoop(model, kernels=TRIAL.choose(model))
        self._decoder = decoder

    # What the engine calls: generation/synthesizer.py.

    @property
    def row_bytes(self) -> int:
        stacks = (self._checkpoint.model.semantic, self._checkpoint.model.residual)
        numbers = sum(2 * own.num_hidden_layers * own.num_key_value_heads * own.head_dim for own in stacks)
        return (ROW_POSITIONS * numbers + ROW_CHUNK_NUMBERS) * 4

    @property
    def decoded_frames(self) -> int:  # type: ignore[override]
        return max(1, self._decoder.frames_at_once // self._loop.shape[0]) if policy().shares_pieces else ANY_FRAMES

    def count_tokens(self, text: str) -> int:
        return len(self._checkpoint.text.encode(text))

    def most_frames(self, request: CheckedRequest) -> int:
        ids = len(self._checkpoint.text.encode(target_of(request, self._after(request))))
        return max(1, min(PATCHES_A_TOKEN * ids + MORE_PATCHES, self._room(request)))

    def decoder_state(self, prepared: PreparedRequest) -> Any:
        """The state behind the end of what is continued, so that the seam is not heard."""
        state = self._decoder.make_state()
        audio = audio_of(prepared.request, self._after(prepared.request))
        before = heard_before(*audio, self._checkpoint.model.context_patches)
        if before is None:
            return state
        _, state = self._decoder.step_patches(mx.array(before)[None], state)
        state = tree_map(mx.contiguous, state)  # not slices of all that was computed for it
        mx.eval(state)
        return state

    def decode(self, pieces: Sequence[tuple[NDArray[Any], Any]]) -> SteppedTogether:
        return step_together(self._decoder.step_patches, pieces, compact=True)  # 0.7 MB, where slices keep 47

    def continuation(self, row: PatchRow) -> dict[str, NDArray[Any]] | None:
        """What holds the voice for the next piece: the words and patches of the first ones, until they are enough."""
        utterance = row.utterance
        if not utterance.settings.continues or not row.made:
            return None  # the voice is the caller's, or nothing was said
        before, patches, text = utterance.after, np.stack(row.made), utterance.target
        if before is not None:
            if len(before.patches) >= VOICE_SECONDS * self.info.frame_rate:
                return before.stored()
            patches, text = np.concatenate([before.patches, patches]), joined(before.text, text)
        return VoxCPMContinuation(text, patches).stored()

    def marks(self, _row: PatchRow, _frames: NDArray[Any]) -> tuple[Mark, ...]:
        return ()

    # What callers ask besides speech.

    def voice(self, samples: Samples, sample_rate: int, transcript: str | None = None) -> Voice:
        """A voice from a recording: how it sounds, and with its words also what speech goes on from."""
        model = self._checkpoint.model
        if transcript is None and not model.joined:
            raise RequestError(NEEDS_WORDS)
        audio = resample(samples, sample_rate, self._checkpoint.model.codec.sample_rate)
        reference = self._patches(audio, left=False) if model.joined else None
        prompt = None if transcript is None else self._patches(audio, left=True)
        words = None if transcript is None else joined(transcript, "")
        return Voice(
            np.zeros(0, np.float32),
            transcript=words,
            family=FAMILY,
            reference_latents=reference,
            prompt_latents=prompt,
        )

    def prompt(self, request: CheckedRequest) -> Prompt:
        """What the model would read for a request: for looking at, and for tests."""
        return self._prompt(request)

    # From the request to what the loop reads.

    def _after(self, request: CheckedRequest) -> VoxCPMContinuation | None:
        return continuation_of(self._checkpoint, request.after)

    def _prompt(self, request: CheckedRequest) -> Prompt:
        fields, after = self._checkpoint.model.fields, self._after(request)
        ids = self._checkpoint.text.encode(spoken_words(request, after))
        return lay_out(ids, (fields.patch_size, fields.feat_dim), *audio_of(request, after))

    def _room(self, request: CheckedRequest) -> int:
        """Patches that fit behind the prompt."""
        return self._checkpoint.model.fields.max_length - len(self._prompt(request))

    def _utterance(self, request: CheckedRequest) -> Utterance:
        assert request.seed is not None
        prompt = self._prompt(request)
        most = self._checkpoint.model.fields.max_length
        if len(prompt) + LEAST_ROOM > most:
            raise RequestError(
                f"text and voice come to {len(prompt)} positions, this model reads {most}: "
                "cut the text in parts, or use a shorter recording"
            )
        after = self._after(request)
        return Utterance(prompt, request.params, request.seed, target_of(request, after), after)

    def _patches(self, audio: Samples, left: bool) -> Patches:
        """Audio [N] at the encoder's rate -> [T, P, D]. left: on which side zeros fill the last patch."""
        fields = self._checkpoint.model.fields
        missing = -len(audio) % (fields.patch_size * self._checkpoint.model.codec.encoder_hop)
        audio = np.pad(audio, (missing, 0) if left else (0, missing)).astype(np.float32)
        latents = np.array(self._encoder(mx.array(audio)[None])[0], np.float32)
        return latents.reshape(-1, fields.patch_size, fields.feat_dim)

    @cached_property
    def _encoder(self) -> CodecEncoder:
        return load_encoder(self._checkpoint.folder, self._checkpoint.model.codec)


def load(checkpoint: Checkpoint, *, dtype: str | None, log: Callable[[str], None]) -> VoxCPMTTS:
    """Load a checkpoint's weights; ModelError names what does not fit."""
    checkpoint.text.check()
    decoder = load_decoder(checkpoint.folder, checkpoint.model.codec)
    return VoxCPMTTS(checkpoint, load_network(checkpoint, dtype, log), decoder)
