"""A folder of packages and what runs them in, a Synthesizer out: `speak --engine coreml`. One row at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlx_tts.errors import ModelError, RequestError
from mlx_tts.export.coreml import placement, runtime
from mlx_tts.export.coreml.evaluator import OpenModel
from mlx_tts.generation.requests import codes_of
from mlx_tts.generation.synthesizer import Decoded, PreparedRequest
from mlx_tts.models.qwen3_tts.checkpoint import Checkpoint
from mlx_tts.models.qwen3_tts.coreml.manifest import CODEC_TABLE, read_manifest
from mlx_tts.models.qwen3_tts.coreml.model_graphs import state_shapes
from mlx_tts.models.qwen3_tts.coreml.steps import CoreMLLoop, SoundState, SpeechDecoder
from mlx_tts.models.qwen3_tts.synthesizer import Qwen3TTS
from mlx_tts.models.qwen3_tts.tokenizer import TextTokenizer
from mlx_tts.samples import Codes, Samples
from mlx_tts.speech import CheckedRequest, Voice

EVERYTHING = 1 << 62  # bytes of a row: more rows would only wait for each other


class CoreMLQwen3TTS(Qwen3TTS):
    """The same prompt, sampling, seeds and streams as Qwen3TTS; steps and sound are computed by Core ML."""

    _loop: Any
    _decoder: Any

    @property
    def row_bytes(self) -> int:
        return EVERYTHING

    @property
    def decoded_at_once(self) -> int:
        return 1

    def prepare(self, request: CheckedRequest) -> PreparedRequest:
        if request.growing is None:
            positions, context = len(self.tracks(request).text), self._loop.decoder.columns
            if positions >= context:
                raise RequestError(
                    f"the prompt takes {positions} positions and these packages hold {context} of prompt and speech: "
                    f"shorten the text, or convert the model with a larger --context"
                )
        return super().prepare(request)

    def _attention(self, _row: Any, _frames: Codes) -> None:
        """Not known: the packages give no attention away. Word times are then estimated."""

    def decoder_state(self, prepared: PreparedRequest) -> SoundState:
        state, voice = self._decoder.make_state(), prepared.request.voice
        if isinstance(voice, Voice) and voice.reference_codes is not None:
            _, state = self._decoder.step(voice.reference_codes, state)
        return state  # type: ignore[no-any-return]

    def decode(self, pieces: Sequence[tuple[NDArray[Any], Any]]) -> Decoded:
        return Decoded([self._decoder.step(codes, state) for codes, state in pieces])

    def decode_codes(self, codes: Codes, chunk_frames: int | None = None, _left_context: int = 25) -> Samples:
        if chunk_frames is not None:
            raise RequestError(f"chunk_frames is {chunk_frames}: with Core ML codes are decoded exactly, leave it out")
        config = self._decoder.config
        checked = codes_of(codes, config.num_quantizers, config.codebook_size)
        return self._decoder.step(checked, self._decoder.make_state())[0]  # type: ignore[no-any-return]

    def examine_kernels(self) -> None:
        """Core ML has its own: see `examine`."""

    def wait_for_kernels(self, seconds: float) -> bool:  # noqa: ARG002 (there is no autotune)
        return False


class _NoEncoder:
    """Stands where ReferenceEncoder does: the packages hold no encoders."""

    def codes(self, *_recording: Any) -> Codes:
        raise ModelError(MADE_ELSEWHERE)

    embedding = codes

    def clear(self) -> None: ...


MADE_ELSEWHERE = (
    "Core ML packages hold no encoder: make the voice with the checkpoint they come from "
    "(`mlx-tts voice make`) and name it with --voice"
)


def load(checkpoint: Checkpoint, *, log: Callable[[str], None]) -> CoreMLQwen3TTS:
    """Have Core ML load the packages of a folder on this machine."""
    open_model, manifest = runtime.opener(), read_manifest(checkpoint.folder)
    names = [*manifest.code_decoder, "MultiCodeDecoder.mlpackage", "SpeechDecoder.mlpackage"]
    log("loading Core ML packages; the first time, the chip's compiler may take minutes")
    runtime.first_load([checkpoint.folder / name for name in names])
    return open_packages(checkpoint, open_model, log)


def examine(checkpoint: Checkpoint) -> dict[str, Any]:
    """What Core ML on this machine makes of each package."""
    manifest = read_manifest(checkpoint.folder)
    made = {"source": manifest.source, "bits": manifest.bits, "norm": manifest.norm, "context": manifest.context}
    return {**made, **placement.examine([checkpoint.folder / name for name in manifest.packages])}


def open_packages(checkpoint: Checkpoint, open_model: OpenModel, log: Callable[[str], None]) -> CoreMLQwen3TTS:
    """Open the packages of a folder; ModelError for one that is damaged or of another version."""
    folder, codec = checkpoint.folder, checkpoint.codec.decoder_config
    manifest = read_manifest(folder)
    log(f"Core ML packages of {manifest.source}: {manifest.bits} bits, {manifest.context} positions")
    loop = CoreMLLoop.open(folder, manifest, checkpoint.model.talker_config, open_model)
    table = np.load(folder / CODEC_TABLE, mmap_mode="r", allow_pickle=False)
    decoder = SpeechDecoder(open_model(folder / "SpeechDecoder.mlpackage"), codec, table, state_shapes(codec))
    tokenizer = TextTokenizer(folder, checkpoint.model)
    speaking: Any = CoreMLQwen3TTS
    return speaking(checkpoint, tokenizer, loop, decoder, _NoEncoder())  # type: ignore[no-any-return]
