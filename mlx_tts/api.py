"""What `mlx_tts.load` returns: text in, sound out, from any thread; all of it goes through one engine."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.generation.engine import Engine
from mlx_tts.generation.guard import summary
from mlx_tts.generation.requests import (
    chunks_of,
    flag,
    number_in,
    numbered,
    recording,
    transcript_of,
    whole_number,
)
from mlx_tts.generation.seeds import piece_seed
from mlx_tts.generation.side_by_side import ItemChunk, SideBySide
from mlx_tts.generation.step_times import StepTimes
from mlx_tts.generation.stream import Chunks, Delivery, SpeechStream
from mlx_tts.generation.synthesizer import (
    Autotunes,
    ClonesVoices,
    HasCodes,
    HasSpeakerVectors,
    ShowsPrompts,
    Synthesizer,
)
from mlx_tts.models import families
from mlx_tts.models.families import OpenCheckpoint
from mlx_tts.narration.timeline import marked
from mlx_tts.runtime import blas, first_start, mlx_thread
from mlx_tts.runtime.device import launch_directly
from mlx_tts.runtime.memory import default_rows
from mlx_tts.samples import Codes, Samples
from mlx_tts.shortened import shown
from mlx_tts.speech import (
    AudioChunk,
    CheckedRequest,
    ModelInfo,
    NumberedRequests,
    Sampling,
    SpeechRequest,
    Voice,
)

T = TypeVar("T")
MOST_ROWS = 1024
AUTOTUNE_SECONDS = 60.0  # that a long run waits for autotune of the GPU kernels, which makes all of it faster
ENCODED_SECONDS, HEARD_SECONDS, VOICE_SECONDS = (0.02, 300.0), (0.1, 300.0), (0.5, 60.0)


class TextToSpeech:
    """A loaded model. Made by `mlx_tts.load`; close it, or use it with `with`, to free its memory early.

    Every method may be called from any thread. What callers ask for at the same time is generated side by side, and
    none of it changes what another gets: the same request with the same seed is the same speech.
    """

    def __init__(self, checkpoint: OpenCheckpoint, synthesizer: Synthesizer, blas_threads: int | None = None):
        self._checkpoint = checkpoint
        self._synthesizer: Synthesizer | None = synthesizer
        self._engine = Engine(synthesizer, default_rows(synthesizer.row_bytes), blas_threads)

    def __repr__(self) -> str:
        info = self.info
        state = ", closed" if self._synthesizer is None else ""
        return f"<mlx_tts.TextToSpeech {info.family} {info.kind} {info.size} from {info.folder}{state}>"

    def __enter__(self) -> TextToSpeech:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise MlxTtsError("a loaded model can be neither copied nor pickled: call mlx_tts.load in each process")

    def close(self) -> None:
        """End whatever is spoken and free the weights. Using the model afterwards raises an error."""
        self._engine.close()
        self._synthesizer = None

    # What the model is.

    @property
    def info(self) -> ModelInfo:
        """What the checkpoint says of itself; `info.can` says what it can do."""
        return self._checkpoint.info

    @property
    def voices(self) -> tuple[str, ...]:
        """Names of the preset voices; none where the model clones or designs its voices."""
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
        """About how many bytes one more utterance side by side takes."""
        return self._loaded.row_bytes

    @property
    def frames_made(self) -> int:
        """Frames generated since the model was loaded, of all requests: what a display of progress counts."""
        return self._engine.frames_made

    # Speech.

    def speak(
        self,
        text: str | SpeechRequest,
        *,
        voice: str | Voice | None = None,
        language: str = "auto",
        instruct: str | None = None,
        seed: int | None = None,
        sampling: Sampling | None = None,
        **more: Any,
    ) -> AudioChunk:
        """Speak and return the whole speech as one chunk: samples [N] float32, with the guard's report.

        A string is read as `narrate` reads it: of any length, with numbers in words and hard words as phones where the
        model needs them so. A `SpeechRequest` is exact: it is spoken as it is, or raises. `more` are further fields of
        SpeechRequest. Raises RequestError for what the model cannot do.
        """
        named = {"voice": voice, "language": language, "instruct": instruct, "seed": seed, "sampling": sampling, **more}
        request = self._request_of(text, {name: value for name, value in named.items() if value is not None})
        if isinstance(text, str) and self._is_read(request):
            chunks = list(self._narrated(request, live=False))
        else:
            with self.submit(request) as stream:
                chunks = list(marked(stream, request, self.sample_rate))
        reports = [chunk.report for chunk in chunks if chunk.report is not None]
        marks = tuple(mark for chunk in chunks for mark in chunk.marks)
        samples = np.concatenate([chunk.samples for chunk in chunks])
        return AudioChunk(samples, self.sample_rate, summary(reports), marks)

    def stream(self, text: str | SpeechRequest, low_latency: bool = False, **options: Any) -> Chunks:
        """Speak: an iterator of chunks as they are made, the first after three frames. options: those of `speak`.

        Closing the iterator, or letting go of it, ends the generation within a frame. The guard can have speech made
        again until sound has left, and low_latency lets the first frame leave before it has heard more.
        """
        request = self._request_of(text, options)
        if isinstance(text, str) and (self.info.whole_pieces or self._is_read(request)):
            return Chunks(self._narrated(request, low_latency))
        return Chunks(self._streamed(self.check(request), low_latency))

    def narrate(
        self,
        text: str,
        *,
        voice: str | Voice | None = None,
        language: str = "auto",
        seed: int | None = None,
        low_latency: bool = False,
        speed: float = 1.0,
        **more: Any,
    ) -> Chunks:
        """Speak a text of any length: cleaned, cut at sentences, spoken in order with pauses; an iterator of chunks.

        speed: times as fast, 0.25 to 4, at the same pitch. A chunk's marks say when each sentence and word is spoken.
        """
        request = self._request_of(text, {"voice": voice, "language": language, "seed": seed, **more})
        return Chunks(self._narrated(request, low_latency, number_in("speed", speed)))

    def stream_many(
        self, requests: NumberedRequests, rows: int = 1, live: bool = False, low_latency: bool = False
    ) -> Iterator[tuple[int, AudioChunk]]:
        """Speak numbered requests, `rows` side by side: yields (number, chunk), the last of each with its report.

        requests yields (number, SpeechRequest), or None where there is nothing to speak just now. A number changes what
        is sampled for its request, so that pieces of one speech with one seed differ. live: chunks leave as they are
        made; else an utterance leaves when it is whole and good. Raises the first error of any request.
        """
        rows = whole_number("rows", rows, 1, MOST_ROWS)
        self._engine.most_rows = max(self._engine.most_rows, rows)
        delivery = Delivery(flag("live", live), flag("low_latency", low_latency))

        def submit(asked: tuple[int, SpeechRequest], condition: threading.Condition) -> SpeechStream:
            number, request = asked
            return self._engine.submit(self._numbered(request, number), delivery, condition)

        return _numbered_chunks(SideBySide(numbered(requests), submit).run(rows))

    def submit(
        self,
        request: SpeechRequest,
        *,
        live: bool = False,
        low_latency: bool = False,
        silent: bool = False,
        condition: threading.Condition | None = None,
        number: int = 0,
        plays_until: float = 0.0,
        client: str = "",
    ) -> SpeechStream:
        """Queue a request and return its stream at once: an iterator with `cancel` and `close`. number: that of a piece
        of a longer speech, as in `stream_many`. plays_until: what the stream of the piece before says; until then
        nobody waits for this one. client: whose it is; on a CPU the first sound of somebody who has fewer requests in
        work goes before the first sounds of others."""
        ways = flag("live", live), flag("low_latency", low_latency), flag("silent", silent)
        delivery = Delivery(*ways, plays_until, client)
        if condition is not None and not isinstance(condition, threading.Condition):
            raise RequestError(f"condition is {shown(condition)}: give a threading.Condition or None")
        return self._engine.submit(self._numbered(request, number), delivery, condition)

    def serve_rows(self, rows: int | None) -> int:
        """Generate up to `rows` requests side by side from now on; None keeps what suits the memory. The number."""
        if rows is not None:
            self._engine.most_rows = rows
        return self._engine.most_rows

    @property
    def step_times(self) -> StepTimes:
        """How long steps of so many rows take on this machine, as far as it was seen."""
        return self._engine.step_times

    def count_tokens(self, text: str) -> int:
        """How many tokens the model's tokenizer makes of a text."""
        return self._run(self._loaded.count_tokens, text)

    def check(self, request: SpeechRequest) -> CheckedRequest:
        """The request as this model will run it; RequestError says what it cannot do."""
        return families.check_request(self._checkpoint, request)

    # Codes and voices.

    def generate_codes(self, request: SpeechRequest) -> Codes:
        """The codes of the speech, int32 [frames, codebooks], without the sound."""
        self._must_have_codes()
        with self.submit(request, silent=True) as stream:
            for _ in stream:
                pass
        return np.zeros((0, self.info.codebooks), np.int32) if stream.codes is None else stream.codes

    def decode_codes(self, codes: Codes, chunk_frames: int | None = None, left_context: int = 25) -> Samples:
        """Codes [frames, codebooks] -> samples [N] float32. chunk_frames None is exact; a number cuts as the reference
        does, which re-reads `left_context` frames before each chunk (its own values: 300 and 25)."""
        coder = self._must_have_codes()
        return self._run(coder.decode_codes, codes, *chunks_of(chunk_frames, left_context))

    def encode_audio(self, samples: Samples, sample_rate: int) -> Codes:
        """Audio [N], 0.02 to 300 s at any rate -> codes, int32 [frames, codebooks]."""
        coder = self._must_have_codes()
        return self._run(coder.encode_audio, *recording(samples, sample_rate, *ENCODED_SECONDS))

    def speaker_embedding(self, samples: Samples, sample_rate: int) -> NDArray[np.float32]:
        """Audio [N], 0.1 to 300 s at any rate -> the speaker vector [D], on models that clone by one."""
        audio = recording(samples, sample_rate, *HEARD_SECONDS)
        synthesizer = self._loaded
        if not isinstance(synthesizer, HasSpeakerVectors):
            raise self._lacks("has no speaker vectors", "use voice, where info.can.clones")
        return self._run(synthesizer.speaker_embedding, *audio)

    def voice(self, samples: Samples, sample_rate: int, transcript: str | None = None) -> Voice:
        """A voice for `SpeechRequest(voice=...)` from a recording [N] of 0.5 to 60 s, on models that clone.

        With the words of the recording as `transcript` the clone is closer.
        """
        audio, words = recording(samples, sample_rate, *VOICE_SECONDS), transcript_of(transcript)
        synthesizer = self._loaded
        if not isinstance(synthesizer, ClonesVoices):
            raise self._lacks("cannot clone", "choose one of its voices" if self.voices else "use one that can")
        return self._run(synthesizer.voice, *audio, words)

    def clear_references(self) -> None:
        """Forget the recordings of which vectors and codes are kept: the four that were used last. Models that keep
        none have nothing to forget."""
        synthesizer = self._loaded
        if isinstance(synthesizer, HasSpeakerVectors):
            self._run(synthesizer.clear_references)

    def prompt(self, request: SpeechRequest) -> Any:
        """What the model would read for a request: for looking at, and for tests."""
        checked, synthesizer = self.check(request), self._loaded
        if not isinstance(synthesizer, ShowsPrompts):
            raise self._lacks("does not show its prompts", "use speak or stream")
        return self._run(synthesizer.prompt, checked)

    # GPU kernels.

    @property
    def kernel_form(self) -> str:
        """The form in which the model computes: "resident", "fused", "half" or "plain" on a GPU, "plain" elsewhere and
        in families that have one form. Greedy speech is the same in all of them, sampled speech is not. "-unfused"
        stands behind it in the first process of a model on an NVIDIA GPU, which rounds differently."""
        tuned = self._autotunes
        return first_start.with_fusions("plain" if tuned is None else self._run(lambda: tuned.kernel_form))

    def use_kernel_form(self, name: str) -> None:
        """Compute in the form of an earlier run from now on, where this device and the family have it."""
        form = self._run(first_start.use_fusions_of, name)
        if (tuned := self._autotunes) is not None:
            self._run(tuned.use_kernel_form, form)

    def examine_kernels(self) -> dict[str, Any] | None:
        """What a check of the GPU kernels on this machine found, for `mlx-tts doctor`; None without a GPU, and in
        families without a choice of kernels."""
        tuned = self._autotunes
        return None if tuned is None else self._run(tuned.examine_kernels)

    def wait_for_kernels(self, seconds: float) -> bool:
        """Before much is spoken: wait for a check of the GPU kernels that has begun. True where loading the model again
        now would use what it found."""
        tuned = self._autotunes
        return tuned is not None and tuned.wait_for_kernels(seconds)

    # Inside.

    def _numbered(self, request: SpeechRequest, number: int) -> CheckedRequest:
        """The checked request with the seed of its place in a longer speech."""
        checked = self.check(request)
        return replace(checked, seed=piece_seed(checked.seed or 0, number)) if number else checked

    @property
    def _loaded(self) -> Synthesizer:
        if self._synthesizer is None:
            raise MlxTtsError("this model was closed: load it again")
        return self._synthesizer

    @property
    def _autotunes(self) -> Autotunes | None:
        synthesizer = self._loaded
        return synthesizer if isinstance(synthesizer, Autotunes) else None

    def _must_have_codes(self) -> HasCodes:
        synthesizer = self._loaded
        if not isinstance(synthesizer, HasCodes):
            raise self._lacks("has no codes", "use speak or stream")
        return synthesizer

    def _lacks(self, what: str, instead: str) -> RequestError:
        return RequestError(f"a {self.info.family} model {what}: {instead}")

    def _run(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call it on the MLX thread, between two frames."""

        def work() -> T:
            blas.use_threads(self._engine.blas_threads)
            return function(*arguments)

        return mlx_thread.run(work)

    def _request_of(self, text: Any, options: dict[str, Any]) -> SpeechRequest:
        if isinstance(text, SpeechRequest):
            given = sorted(
                name
                for name, value in options.items()
                if not (value is None or (isinstance(value, str) and value == "auto"))
            )
            if given:
                raise RequestError(f"{given[0]} was given together with a SpeechRequest: put it into the request")
            return text
        if not isinstance(text, str):
            raise RequestError(f"text is {shown(text)}, a {type(text).__name__}: give a string or a SpeechRequest")
        try:
            return SpeechRequest(text, **options)
        except TypeError:
            known = [name for name in SpeechRequest.__dataclass_fields__ if name != "text"]
            unknown = ", ".join(name for name in options if name not in known)
            raise RequestError(f"unknown option {unknown}: there are {', '.join(known)}") from None

    def _is_read(self, request: SpeechRequest) -> bool:
        """Whether a text is too long for one piece, or the model is given other words than are written."""
        from mlx_tts.narration.plan import packing_for, reading_for

        checked = self.check(request)
        text, language = checked.text, checked.language
        return not packing_for(self.info, language).fits(text) or reading_for(self.info).spoken(text, language) != text

    def _streamed(self, request: CheckedRequest, low_latency: bool) -> Generator[AudioChunk, None, None]:
        with self.submit(request, live=True, low_latency=low_latency) as stream:
            for chunk in marked(stream, request, self.sample_rate):
                if len(chunk.samples) or (chunk.report and chunk.report.line) or chunk.marks:
                    yield chunk

    def _narrated(
        self, request: SpeechRequest, low_latency: bool = False, speed: float = 1.0, live: bool = True
    ) -> Generator[AudioChunk, None, None]:
        from mlx_tts.narration.narrate import NarrationOptions, narrate
        from mlx_tts.narration.plan import plan_text

        options = NarrationOptions(live=live, low_latency=low_latency, speed=speed)
        plan = plan_text(self.info, self.check(request), options, self.check)
        for part in narrate(self, plan.request, iter(plan.source), plan.options):
            if len(part.samples) or part.report is not None:
                yield AudioChunk(part.samples, self.sample_rate, part.report, part.marks)


def _numbered_chunks(
    spoken: Generator[ItemChunk[tuple[int, SpeechRequest]], None, None],
) -> Iterator[tuple[int, AudioChunk]]:
    with closing(spoken):
        for (number, _), _, chunk in spoken:
            yield number, chunk


def load_checkpoint(
    checkpoint: OpenCheckpoint,
    *,
    dtype: str | None = None,
    log: Callable[[str], None] | None = None,
    engine: str = "mlx",
) -> TextToSpeech:
    """Load a checkpoint that `families.open_checkpoint` opened. engine: "mlx", or "coreml" for a folder of packages."""

    def work() -> TextToSpeech:
        launch_directly()
        synthesizer = families.load(checkpoint, dtype=dtype, log=log, engine=engine)
        return TextToSpeech(checkpoint, synthesizer, blas.threads())

    blas.warn_if_too_late()
    return mlx_thread.run(work)


def load_in_best_form(checkpoint: OpenCheckpoint, log: Callable[[str], None]) -> TextToSpeech:
    """Load a checkpoint for a long run: wait for what is compiled and tried only once on a machine, then use it."""
    first_start.prepare(checkpoint.folder, log)
    model = load_checkpoint(checkpoint)
    if model.wait_for_kernels(AUTOTUNE_SECONDS):
        model.close()
        model = load_checkpoint(checkpoint)
    return model


def load_folder(folder: Path, *, dtype: str | None = None, log: Callable[[str], None] | None = None) -> TextToSpeech:
    """Load the checkpoint in a folder."""
    return load_checkpoint(families.open_checkpoint(folder), dtype=dtype, log=log)
