"""Request in, audio chunks out: ties tokenizer, prompt, frames and codec together; holds weights, no stream."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mlx_tts.errors import RequestError
from mlx_tts.generation.sampling import SamplerSettings, SamplingParams
from mlx_tts.models.qwen3_tts.arriving_text import GrowingUtterance, wait_for_text
from mlx_tts.models.qwen3_tts.codec.decoder import CodecDecoder
from mlx_tts.models.qwen3_tts.config import (
    GenerationConfig,
    ModelConfig,
    load_codec_config,
    load_generation_config,
    load_model_config,
)
from mlx_tts.models.qwen3_tts.frames import FrameLoop, Utterance
from mlx_tts.models.qwen3_tts.info import check_request, describe, language_id
from mlx_tts.models.qwen3_tts.prompt import NONE, SPEAKER, Prompt, PromptParts, build_prompt, embed_prompt
from mlx_tts.models.qwen3_tts.reference import ReferenceEncoder
from mlx_tts.models.qwen3_tts.takes import Stage, Takes
from mlx_tts.models.qwen3_tts.tokenizer import TextTokenizer
from mlx_tts.models.qwen3_tts.weights import load_codec_decoder, load_talker
from mlx_tts.speech import AudioChunk, Codes, ModelInfo, NumberedRequests, Samples, Sampling, SpeechRequest, Voice

ROW_FRAMES = 512  # prompt and speech of a long piece
ROW_CHUNK_SAMPLES = 12 * 1920 // 4  # the codec's widest layers, a piece of sound at a time


@dataclass(frozen=True)
class PreparedPrompt:
    """What the talker would be given: the integer tracks of `Prompt` and their summed embeddings `prefill` [L, D]."""

    text: NDArray[np.int32]
    codec: NDArray[np.int32]
    trailing: NDArray[np.int32]
    prefill: NDArray[np.float32]


class Qwen3TTS:
    """A loaded Qwen3-TTS checkpoint. Streams may run side by side; all of them belong to one thread."""

    def __init__(
        self,
        info: ModelInfo,
        config: ModelConfig,
        generation: GenerationConfig,
        tokenizer: TextTokenizer,
        loop: FrameLoop,
        decoder: CodecDecoder,
        reference: ReferenceEncoder,
    ):
        self.info = info
        self._config = config
        self._generation = generation
        self._tokenizer = tokenizer
        self._loop = loop
        self._decoder = decoder
        self._reference = reference
        self._stage = Stage(
            info, loop, decoder, self._utterance, lambda request: resolve_sampling(request.sampling, generation)
        )

    @property
    def voices(self) -> tuple[str, ...]:
        """Names of the preset voices."""
        return self.info.voices

    @property
    def languages(self) -> tuple[str, ...]:
        """Names of the languages, "auto" first."""
        return self.info.languages

    @property
    def sample_rate(self) -> int:
        """Samples a second of everything this model makes."""
        return self.info.sample_rate

    @property
    def row_bytes(self) -> int:
        """About what one more utterance side by side takes: keys and values of a long one, and the codec at work."""
        talker, codec = self._config.talker_config, self._decoder.config
        a_frame = 2 * talker.num_hidden_layers * talker.num_key_value_heads * talker.head_dim * 4
        return ROW_FRAMES * a_frame + ROW_CHUNK_SAMPLES * codec.decoder_dim * 4

    def check(self, request: SpeechRequest) -> SpeechRequest:
        """The request as this model will run it; RequestError says what it cannot do."""
        return check_request(self.info, request)

    def stream(self, request: SpeechRequest, low_latency: bool = False) -> Iterator[AudioChunk]:
        """Speak: yield pieces of audio as they are made, 1,920 samples a frame at 24 kHz.

        Closing the iterator early frees everything it held. The guard can have speech drawn again until sound has left:
        it holds back the first piece, or nothing with low_latency.
        """
        requests: NumberedRequests = iter([(0, request)])
        for _, chunk in self.stream_many(requests, live=True, low_latency=low_latency):
            if len(chunk.samples) or (chunk.report and chunk.report.line):
                yield chunk

    def stream_many(
        self, requests: NumberedRequests, rows: int = 1, live: bool = False, low_latency: bool = False
    ) -> Iterator[tuple[int, AudioChunk]]:
        """Speak numbered requests, `rows` side by side: yield (number, piece), the last of each with its report.

        A number addresses the random draws, so neither `rows` nor what else is spoken changes an utterance. All are
        drawn with the first one's sampling. live: as `stream`; else an utterance comes when it is whole and good.
        """
        for part in Takes(self._stage, rows, live, low_latency).run(requests):
            yield part.number, AudioChunk(part.samples, self.sample_rate, part.report)

    def speak(self, request: SpeechRequest) -> AudioChunk:
        """The whole speech as one chunk; what the guard refuses is drawn again and never given."""
        chunks = [chunk for _, chunk in self.stream_many(iter([(0, request)]))]
        return AudioChunk(np.concatenate([chunk.samples for chunk in chunks]), self.sample_rate, chunks[-1].report)

    def generate_codes(self, request: SpeechRequest) -> Codes:
        """The codes of the speech [T, codebooks], without the sound."""
        *_, last = Takes(self._stage, silent=True).run(iter([(0, request)]))
        assert last.codes is not None
        return last.codes

    def decode_codes(self, codes: Codes, chunk_frames: int | None = None, left_context: int = 25) -> Samples:
        """Codes [T, codebooks] -> samples [T * 1920]. chunk_frames None is exact; a number cuts as the reference does,
        which re-reads `left_context` frames before each chunk (its own values: 300 and 25)."""
        codes = np.asarray(codes)
        decoder = self._decoder.config
        if codes.ndim != 2 or codes.shape[1] != decoder.num_quantizers or len(codes) == 0:
            raise RequestError(f"codes have shape {codes.shape}; expected [frames, {decoder.num_quantizers}]")
        if codes.min() < 0 or codes.max() >= decoder.codebook_size:
            raise RequestError(
                f"codes reach from {codes.min()} to {codes.max()}; allowed are 0 to {decoder.codebook_size - 1}"
            )
        batch = mx.array(codes[None].astype(np.int32))
        if chunk_frames is None:
            samples = self._decoder(batch)
        else:
            if chunk_frames < 1 or left_context < 0:
                raise RequestError("chunk_frames must be at least 1 and left_context at least 0")
            samples = self._decoder.decode_chunked(batch, chunk_frames, left_context)
        return np.array(samples[0], dtype=np.float32)

    def encode_audio(self, samples: Samples, sample_rate: int) -> Codes:
        """Audio [N] at any rate -> codes [T, codebooks]."""
        return self._reference.codes(samples, sample_rate)

    def speaker_embedding(self, samples: Samples, sample_rate: int) -> NDArray[np.float32]:
        """Audio [N] at any rate -> the speaker vector [D]; Base models only."""
        self._must_clone()
        return self._reference.embedding(samples, sample_rate)

    def voice(self, samples: Samples, sample_rate: int, transcript: str | None = None) -> Voice:
        """A voice for requests from a recording: by its speaker vector, or in context when what it says is known."""
        self._must_clone()
        embedding = self._reference.embedding(samples, sample_rate)
        if transcript is None:
            return Voice(embedding)
        if not transcript.strip():
            raise RequestError("the transcript is empty: give the words of the recording, or leave it out")
        return Voice(embedding, self._reference.codes(samples, sample_rate), transcript.strip())

    def prompt(self, request: SpeechRequest) -> PreparedPrompt:
        """What the talker would be given for a request: for looking at, and for tests."""
        prompt, prefill = self._prompt(self.check(request))
        return PreparedPrompt(
            prompt.text, prompt.codec, prompt.trailing, np.array(prefill.astype(mx.float32), dtype=np.float32)
        )

    def _must_clone(self) -> None:
        if self.info.kind != "base":
            raise RequestError(f"a {self.info.kind} model cannot clone: use a Base model (mlx-tts models lists them)")

    def _prompt(self, request: SpeechRequest) -> tuple[Prompt, mx.array]:
        """Checked request -> the integer tracks and the prefill [L, D]."""
        voice = request.voice
        vector = mx.array(voice.speaker_embedding) if isinstance(voice, Voice) else None
        prompt = self._tracks(request)
        return prompt, embed_prompt(prompt, self._loop.talker, vector)

    def _tracks(self, request: SpeechRequest) -> Prompt:
        voice, speaker = request.voice, NONE
        reference_ids = reference_codes = None
        if isinstance(voice, Voice):
            width = self._config.talker_config.hidden_size
            if voice.speaker_embedding.shape != (width,):
                raise RequestError(
                    f"the voice has a speaker vector of {voice.speaker_embedding.shape}, this model needs ({width},): "
                    "make it again with this model"
                )
            speaker = SPEAKER
            if voice.reference_codes is not None and voice.transcript is not None:
                reference_codes = np.asarray(voice.reference_codes, np.int32)
                reference_ids = self._tokenizer.reference(voice.transcript)
        elif voice is not None:
            speaker = self._config.talker_config.spk_id[voice]
        stream_text = self.info.streams_text if request.stream_text is None else request.stream_text
        parts = PromptParts(
            text_ids=self._tokenizer.assistant(request.text),
            instruct_ids=self._tokenizer.instruct(request.instruct) if request.instruct else [],
            language_id=language_id(self._config, self.info, request.language, voice),
            speaker=speaker,
            stream_text=stream_text,
            reference_ids=reference_ids,
            reference_codes=reference_codes,
        )
        return build_prompt(parts, self._config)

    def _utterance(self, request: SpeechRequest, index: int) -> Utterance:
        """Request -> what the decode loop reads; `index` addresses its draws."""
        request, growing = wait_for_text(self.check(request), self.info.streams_text)
        prompt, prefill = self._prompt(request)
        seed = secrets.randbits(63) if request.seed is None else request.seed
        max_frames = request.max_frames or self._generation.max_new_tokens - 1
        embed, pad = self._loop.talker.embed_text, self._config.tts_pad_token_id
        tail = embed(mx.array([*prompt.trailing.tolist(), pad]))
        utterance = Utterance(prefill, tail[:-1], tail[-1], seed, index, max_frames)
        if growing is None:
            return utterance

        def trailing() -> list[int]:
            return self._tracks(replace(request, text=growing.text)).trailing.tolist()

        return GrowingUtterance(**vars(utterance), growing=growing, read_trailing=trailing, embed=embed)


def load(folder: Path, *, dtype: str | None, log: Callable[[str], None]) -> Qwen3TTS:
    """Load a checkpoint folder; ModelError names what does not fit."""
    info, config, codec = describe(folder), load_model_config(folder), load_codec_config(folder)
    decoder = load_codec_decoder(folder, codec)  # computed while the tokenizer's file is parsed
    tokenizer = TextTokenizer(folder, config)
    talker = load_talker(folder, config, dtype, log)
    reference = ReferenceEncoder(folder, config, codec)
    loop = FrameLoop(talker, config.talker_config)
    return Qwen3TTS(info, config, load_generation_config(folder), tokenizer, loop, decoder, reference)


def resolve_sampling(sampling: Sampling | None, defaults: GenerationConfig) -> SamplingParams:
    """What the request leaves open is the checkpoint's own; temperature 0 alone makes both transformers greedy."""
    asked = sampling or Sampling()

    def given(name: str) -> float:
        value = getattr(asked, name)
        return getattr(defaults, name) if value is None else value

    temperature = given("temperature") if defaults.do_sample or asked.temperature is not None else 0.0
    if asked.subtalker_temperature is not None:
        rest_temperature = asked.subtalker_temperature
    elif asked.temperature == 0 or not defaults.subtalker_dosample:
        rest_temperature = 0.0
    else:
        rest_temperature = defaults.subtalker_temperature
    return SamplingParams(
        first=SamplerSettings(temperature, int(given("top_k")), given("top_p")),
        rest=SamplerSettings(rest_temperature, int(given("subtalker_top_k")), given("subtalker_top_p")),
        repetition_penalty=given("repetition_penalty"),
    )
