"""The contract between callers and model families: what is asked for, and what comes back. No mlx here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.float32]
Codes = NDArray[np.int32]


@dataclass(frozen=True)
class Sampling:
    """How codes are drawn. None means the checkpoint's own value; temperature 0 is greedy.

    `temperature=0` makes both transformers greedy unless `subtalker_temperature` says otherwise.
    The `subtalker_` values are those of the code predictor (the names are the checkpoints' own).
    """

    temperature: float | None = None
    top_k: int | None = None
    top_p: float | None = None
    repetition_penalty: float | None = None
    subtalker_temperature: float | None = None
    subtalker_top_k: int | None = None
    subtalker_top_p: float | None = None


@dataclass(frozen=True)
class Voice:
    """A prepared voice: what a clone needs to know of its reference, and nothing of the recording itself.

    speaker_embedding: [D] float32. reference_codes: [T, codebooks] and transcript come together (in-context clone)
    or not at all (speaker vector only).
    """

    speaker_embedding: NDArray[np.float32]
    reference_codes: Codes | None = None
    transcript: str | None = None
    name: str = "clone"


class GrowingText(Protocol):
    """A sentence whose words still arrive. text: so far, whole words. wait: for one more word, or for its end."""

    text: str
    complete: bool

    def wait(self) -> None: ...


@dataclass(frozen=True)
class SpeechRequest:
    """One text to speak. voice: a preset's name, a `Voice`, or None where the model needs none.

    max_frames: most frames generated before giving up. stream_text: whether text is laid over the generated frames
    (True) or put whole before them (False); None is the official default of the model's kind. guard: whether takes are
    watched and bad ones drawn again, up to `retries` times; None is yes, unless max_frames sets the limit: then exactly
    what is drawn is given. growing: the text goes on there; a model that lays text over its frames begins with what is
    there already, others wait for its end.
    """

    text: str
    voice: str | Voice | None = None
    language: str = "auto"
    instruct: str | None = None
    sampling: Sampling | None = None
    seed: int | None = None
    max_frames: int | None = None
    stream_text: bool | None = None
    guard: bool | None = None
    retries: int = 2
    growing: GrowingText | None = None

    @property
    def guarded(self) -> bool:
        return self.max_frames is None if self.guard is None else self.guard


@dataclass(frozen=True)
class GuardReport:
    """What the guard saw of one utterance. faults: why each of the refused takes was refused, in their order.
    kept_fault: what is wrong with the take that was kept, for want of a better one; None when it is good."""

    takes: int
    faults: tuple[str, ...] = ()
    kept_fault: str | None = None

    @property
    def troubles(self) -> tuple[str, ...]:
        """The name of `faults` in version 0.1.0."""
        return self.faults

    @property
    def kept_trouble(self) -> str | None:
        """The name of `kept_fault` in version 0.1.0."""
        return self.kept_fault

    @property
    def line(self) -> str | None:
        """What to tell people, or None where all went well."""
        if self.kept_fault is not None:
            ending = f"kept the best of {self.takes} takes" if self.takes > 1 else "cut there"
            return f"the model {self.kept_fault}: {ending}"
        return f"the model {self.faults[-1]}: spoke it again (take {self.takes})" if self.faults else None


@dataclass(frozen=True)
class AudioChunk:
    """A piece of speech: samples [N] in [-1, 1], mono. A chunk knows its own rate.

    report: the guard's, of the whole utterance, with its last chunk (which may then be empty).
    """

    samples: Samples
    sample_rate: int
    report: GuardReport | None = None


# What `stream_many` takes: the number addresses the random draws; None says that there is nothing to speak just now.
NumberedRequests = Iterator[tuple[int, SpeechRequest] | None]


@dataclass(frozen=True)
class ModelInfo:
    """What a checkpoint's small files say of it; read before any weights.

    kind: "custom_voice" (preset voices), "voice_design" (voice from an instruction) or "base" (clones).
    """

    folder: Path
    family: str
    kind: str
    size: str
    voices: tuple[str, ...]
    languages: tuple[str, ...]
    sample_rate: int
    frame_rate: float
    codebooks: int
    quantisation: str
    dialects: dict[str, str] = field(default_factory=dict)
    streams_text: bool = False  # whether text is laid over the frames by default, so that it may still arrive
    longest_text: int | None = None  # characters it was trained to say in one go, where that is less than usual


class Synthesizer(Protocol):
    """A loaded model. Streams are independent of each other; closing one early frees what it held."""

    info: ModelInfo

    @property
    def voices(self) -> tuple[str, ...]: ...
    @property
    def languages(self) -> tuple[str, ...]: ...
    @property
    def sample_rate(self) -> int: ...
    @property
    def row_bytes(self) -> int: ...
    def check(self, request: SpeechRequest) -> SpeechRequest: ...
    def stream(self, request: SpeechRequest, low_latency: bool = False) -> Iterator[AudioChunk]: ...
    def stream_many(
        self, requests: NumberedRequests, rows: int = 1, live: bool = False, low_latency: bool = False
    ) -> Iterator[tuple[int, AudioChunk]]: ...
    def speak(self, request: SpeechRequest) -> AudioChunk: ...
    def generate_codes(self, request: SpeechRequest) -> Codes: ...
    def decode_codes(self, codes: Codes, chunk_frames: int | None = None, left_context: int = 25) -> Samples: ...
    def encode_audio(self, samples: Samples, sample_rate: int) -> Codes: ...
    def speaker_embedding(self, samples: Samples, sample_rate: int) -> NDArray[np.float32]: ...
    def voice(self, samples: Samples, sample_rate: int, transcript: str | None = None) -> Voice: ...
