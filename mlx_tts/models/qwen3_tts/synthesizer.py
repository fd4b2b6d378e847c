"""Checked request in, frames and their sound out: ties tokenizer, prompt, frames and codec together; holds weights."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from typing import Any

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mlx_tts.errors import ModelError, RequestError
from mlx_tts.generation.requests import codes_of
from mlx_tts.generation.signs import TakeSigns, TextAttention
from mlx_tts.generation.synthesizer import CodeSynthesizer, PendingSound, PreparedRequest, has_arrived
from mlx_tts.kernels.core.trials import Autotuned
from mlx_tts.models.qwen3_tts import autotune
from mlx_tts.models.qwen3_tts import prompt as prompts
from mlx_tts.models.qwen3_tts.alignment import text_attention, word_marks
from mlx_tts.models.qwen3_tts.checkpoint import Checkpoint
from mlx_tts.models.qwen3_tts.codec.decoder import CodecDecoder
from mlx_tts.models.qwen3_tts.codec.rows import CodecRows, codec_rows
from mlx_tts.models.qwen3_tts.frames import FrameLoop, surprises_of
from mlx_tts.models.qwen3_tts.reference import ReferenceEncoder
from mlx_tts.models.qwen3_tts.rows import GrowingUtterance, TalkerRow, TextPlaces, Utterance
from mlx_tts.models.qwen3_tts.talker import Talker
from mlx_tts.models.qwen3_tts.tokenizer import TextTokenizer
from mlx_tts.models.qwen3_tts.weights import check_codec, load_codec_decoder, load_talker
from mlx_tts.nn.streaming import step_together
from mlx_tts.samples import Codes, Samples
from mlx_tts.speech import CheckedRequest, Mark, Voice
from mlx_tts.text.phonemes.phones import written

ROW_FRAMES = 512  # prompt and speech of a long piece
ROW_CHUNK_SAMPLES = 12 * 1920 // 4  # the codec's widest layers, a piece of sound at a time
PRIME_FRAMES = 25  # reference frames fed to the codec at once: a long reference then needs little memory


class Qwen3TTS(Autotuned, CodeSynthesizer):
    """A loaded Qwen3-TTS checkpoint. It belongs to the MLX thread and holds no stream."""

    trial = autotune.TRIAL

    def __init__(
        self,
        checkpoint: Checkpoint,
        tokenizer: TextTokenizer,
        loop: FrameLoop,
        decoder: CodecDecoder,
        reference: ReferenceEncoder,
        rows: CodecRows | None = None,
    ):
        """rows: the decoder's form for streams on the CPU, where it has one."""
        self.info = checkpoint.info
        self._checkpoint = checkpoint
        self._config = checkpoint.model
        self._tokenizer = tokenizer
        self._loop = loop
        self._decoder = decoder
        self._reference = reference
        self._codec_rows = rows
        self._silence = (rows or decoder).make_state()  # what every stream of sound begins with
        mx.eval(self._silence)  # which another thread may decode

    @property
    def talker(self) -> Talker:
        """The network behind the decode loop: autotune reads its shapes."""
        return self._loop.talker

    # What the engine calls: generation/synthesizer.py.

    @property
    def row_bytes(self) -> int:
        talker, codec = self._config.talker_config, self._decoder.config
        a_frame = 2 * talker.num_hidden_layers * talker.num_key_value_heads * talker.head_dim * 4
        return ROW_FRAMES * a_frame + ROW_CHUNK_SAMPLES * codec.decoder_dim * 4

    def most_frames(self, _request: CheckedRequest) -> int:
        return self._checkpoint.generation.max_new_tokens - 1

    def repeat(self, prepared: PreparedRequest, frames: NDArray[Any]) -> Generator[int, None, TalkerRow]:
        row = yield from self.begin(prepared, 0)
        with contextlib.suppress(RequestError):  # another model's
            row.made = codes_of(frames, *self._code_sizes)
        return row

    def decoder_state(self, prepared: PreparedRequest) -> Any:
        """An in-context clone's reference frames have gone through the codec."""
        state, voice = self._silence, prepared.request.voice
        if isinstance(voice, Voice) and voice.reference_codes is not None:
            codes = voice.reference_codes
            for at in range(0, len(codes), PRIME_FRAMES):
                [(_, state)] = self.decode([(codes[at : at + PRIME_FRAMES], state)]).read()
        return state

    def decode(self, pieces: Sequence[tuple[NDArray[Any], Any]]) -> PendingSound:
        rows = self._codec_rows
        return step_together(self._decoder.step, pieces) if rows is None else rows.decode(pieces)

    def continuation(self, _row: TalkerRow) -> None: ...

    def signs(self, row: TalkerRow, frames: Codes) -> TakeSigns:
        return TakeSigns(surprises_of(row.surprises), self._attention(row, frames))

    def marks(self, row: TalkerRow, frames: Codes) -> tuple[Mark, ...]:
        heads = self._config.alignment
        return word_marks(self._attention(row, frames), len(frames), heads, 1 / self.info.frame_rate)

    def look(self, row: TalkerRow, frames: Codes) -> None:
        row.looking = text_attention(self._loop.talker, self._config.alignment, row.utterance, frames)

    def _attention(self, row: TalkerRow, frames: Codes) -> TextAttention | None:
        """Kept in the row: the guard asks first, then the word times of the same frames or of fewer."""
        if row.attention is None or len(row.attention.seen) < len(frames):
            if row.looking is None or len(row.looking.seen) != len(frames):
                self.look(row, frames)
            row.attention, row.looking = None if row.looking is None else row.looking.read(), None
        return row.attention

    # What callers ask besides speech.

    def count_tokens(self, text: str) -> int:
        return self._tokenizer.count(text)

    @property
    def _code_sizes(self) -> tuple[int, int]:
        return self._decoder.config.num_quantizers, self._decoder.config.codebook_size

    def encode_audio(self, samples: Samples, sample_rate: int) -> Codes:
        """Audio [N] at any rate -> codes [T, codebooks]."""
        return self._reference.codes(samples, sample_rate)

    def speaker_embedding(self, samples: Samples, sample_rate: int) -> NDArray[np.float32]:
        """Audio [N] at any rate -> the speaker vector [D]; models that clone only."""
        self._must_clone()
        return self._reference.embedding(samples, sample_rate)

    def voice(self, samples: Samples, sample_rate: int, transcript: str | None = None) -> Voice:
        """A voice for requests from a recording: by its speaker vector, or in context when what it says is known.

        A checkpoint without the codec's encoder (`info.can.clones_in_context`) takes the vector in any case.
        """
        self._must_clone()
        embedding = self._reference.embedding(samples, sample_rate)
        if transcript is None or not self.info.can.clones_in_context:
            return Voice(embedding, family=self.info.family)
        codes = self._reference.codes(samples, sample_rate)
        return Voice(embedding, codes, transcript.strip(), family=self.info.family)

    def clear_references(self) -> None:
        """Forget the recordings whose vectors and codes are kept."""
        self._reference.clear()

    def prompt(self, request: CheckedRequest) -> prompts.PreparedPrompt:
        """What the talker would be given for a request: for looking at, and for tests."""
        prompt, prefill = self._prompt(request)
        tracks = prompt.text, prompt.codec, prompt.trailing
        return prompts.PreparedPrompt(*tracks, np.array(prefill.astype(mx.float32), dtype=np.float32))

    def _must_clone(self) -> None:
        if not self.info.can.clones:
            raise RequestError(f"a {self.info.kind} model cannot clone: use a Base model (mlx-tts models lists them)")

    @property
    def pad_id(self) -> int:
        """The text that stands where no more text is."""
        return self._config.tts_pad_token_id

    @property
    def tried_model(self) -> Talker:
        return self.talker

    # From the request to what the loop reads.

    def _may_begin(self, request: CheckedRequest) -> bool:
        """A text is waited for to its end unless the layout takes it word by word; in-context clones lay it over the
        reference, so they wait as well."""
        growing, voice = request.growing, request.voice
        assert growing is not None
        streamed = self.info.streams_text if request.stream_text is None else request.stream_text
        in_context = isinstance(voice, Voice) and voice.reference_codes is not None
        return has_arrived(growing) or (streamed and not in_context)

    def _growing_utterance(self, request: CheckedRequest) -> Utterance:
        growing = request.growing
        assert growing is not None
        request = replace(request, text=growing.text)
        utterance = self._utterance(request)
        if growing.complete and growing.text == request.text:
            return utterance

        def trailing() -> list[int]:
            return self.tracks(replace(request, text=growing.text)).trailing.tolist()

        return GrowingUtterance(
            **{**vars(utterance), "places": None},
            growing=growing,
            read_trailing=trailing,
            embed=self._loop.talker.embed_text,
        )

    def _utterance(self, request: CheckedRequest) -> Utterance:
        prompt, prefill = self._prompt(request)
        assert request.seed is not None
        tail = self._loop.talker.embed_text(mx.array([*prompt.trailing.tolist(), self.pad_id]))
        finite = mx.isfinite(mx.sum(prefill).astype(mx.float32) + mx.sum(tail).astype(mx.float32))
        mx.async_eval(finite)

        def fault() -> ModelError | None:
            """The text table's rows are read as they are needed, so damaged ones show here. Asked with the first frame:
            before, it would wait for all that others have sent to the device."""
            reason = f"{self.info.folder} has text embeddings that are not numbers: fetch it again"
            return None if finite.item() else ModelError(reason)

        places = self._places(request, prompt)
        return Utterance(prefill, tail[:-1], tail[-1], request.params, request.seed, places, fault)

    def _places(self, request: CheckedRequest, prompt: prompts.PromptTracks) -> TextPlaces | None:
        """Where the words stand; None where no head is known to look at them, or a reference's text stands before."""
        if not self._config.alignment.heads or prompt.reference_codes is not None:
            return None
        words, begins, ids = self._tokenizer.word_begins(request.text)
        streamed = self.info.streams_text if request.stream_text is None else request.stream_text
        first = len(prompt.text) - (1 if streamed else ids + 2)
        letters = self._tokenizer.count(written(request.text)) or 1
        crowding, signs = max(1.0, ids / letters), self._tokenizer.signs(request.text)
        return TextPlaces(first, ids, words, begins, crowding, signs)

    def _prompt(self, request: CheckedRequest) -> tuple[prompts.PromptTracks, mx.array]:
        """The integer tracks and the prefill [L, D]."""
        voice = request.voice
        vector = mx.array(voice.speaker_embedding) if isinstance(voice, Voice) else None
        prompt = self.tracks(request)
        return prompt, prompts.embed_prompt(prompt, self._loop.talker, vector)

    def tracks(self, request: CheckedRequest) -> prompts.PromptTracks:
        """What the talker is given for a request, as integers."""
        prompts.check_characters(request)
        prompt = self._laid_out(request)
        prompts.check_positions(prompt, self._config.talker_config)
        return prompt

    def _laid_out(self, request: CheckedRequest) -> prompts.PromptTracks:
        voice, speaker = request.voice, prompts.NONE
        reference_ids = reference_codes = None
        if isinstance(voice, Voice):
            speaker = prompts.SPEAKER
            if voice.reference_codes is not None and voice.transcript is not None:
                reference_codes = voice.reference_codes
                reference_ids = self._tokenizer.reference(voice.transcript)
        elif voice is not None:
            speaker = self._config.talker_config.spk_id[voice]
        parts = prompts.PromptParts(
            text_ids=self._tokenizer.assistant(request.text),
            instruct_ids=self._tokenizer.instruct(request.instruct) if request.instruct else [],
            language_id=self._language_id(request.language, voice),
            speaker=speaker,
            stream_text=self.info.streams_text if request.stream_text is None else request.stream_text,
            reference_ids=reference_ids,
            reference_codes=reference_codes,
        )
        return prompts.build_prompt(parts, self._config)

    def _language_id(self, language: str, voice: str | Voice | None) -> int | None:
        """The language's codec id, None for auto; a dialect speaker's dialect stands in for Chinese and auto only."""
        ids, dialects = self._config.talker_config.codec_language_id, self.info.dialects
        if isinstance(voice, str) and voice in dialects and language in ("chinese", "auto"):
            return ids[dialects[voice]]
        return None if language == "auto" else ids[language]


def load(checkpoint: Checkpoint, *, dtype: str | None, log: Callable[[str], None]) -> Qwen3TTS:
    """Load a checkpoint's weights; ModelError names what does not fit."""
    decoder = load_codec_decoder(checkpoint.folder, checkpoint.codec)  # computed while the tokenizer's file is parsed
    tokenizer = TextTokenizer(checkpoint.folder, checkpoint.model)
    talker = load_talker(checkpoint, dtype, log)
    check_codec(decoder, checkpoint.folder)
    mx.eval(decoder.state)  # another thread may decode, and reads nothing that this one has not computed
    reference = ReferenceEncoder(checkpoint, log=log)
    loop = FrameLoop(talker, checkpoint.model.talker_config)
    return Qwen3TTS(checkpoint, tokenizer, loop, decoder, reference, codec_rows(decoder))
