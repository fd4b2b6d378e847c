"""The contract between callers and model families: what is asked for, and what comes back. No mlx here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from mlx_tts.samples import Codes as Codes
from mlx_tts.samples import Samples as Samples
from mlx_tts.setting import number, whole

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

OF_PREDICTOR = "The same for the code predictor."


@dataclass(frozen=True)
class Sampling:
    """How codes are sampled. None means the checkpoint's own value; temperature 0 is greedy.

    `temperature=0` makes both transformers greedy unless `subtalker_temperature` says otherwise.
    The `subtalker_` values are those of the code predictor (the names are the checkpoints' own).
    """

    temperature: float | None = number(None, "Randomness; 0 always picks the likeliest.", 0, 5)
    top_k: int | None = whole(None, "Choose among the k most likely codes; 0 allows all.", 0)
    top_p: float | None = number(
        None, "Choose among the most likely codes whose chances add up to p.", 0, 1, above=True
    )
    repetition_penalty: float | None = number(
        None, "Values above 1 make codes that were used already less likely.", 0.1, 10
    )
    subtalker_temperature: float | None = number(None, OF_PREDICTOR, 0, 5, hidden=True)
    subtalker_top_k: int | None = whole(None, OF_PREDICTOR, 0, hidden=True)
    subtalker_top_p: float | None = number(None, OF_PREDICTOR, 0, 1, above=True, hidden=True)


@dataclass(frozen=True)
class Voice:
    """A prepared voice: what a clone needs to know of its reference, and nothing of the recording itself.

    speaker_embedding: [D] float32, empty in families without one. reference_codes: [T, codebooks] and transcript come
    together (in-context clone) or not at all (speaker vector only). family: the one that made it, where it says so.
    Families without codes have latents [N, ...] float32: reference_latents, how the voice sounds, and prompt_latents, a
    recording that speech goes on from, which comes with its transcript. styles: the same person in other moods, by the
    name of the tag in a text that asks for it.
    """

    speaker_embedding: NDArray[np.float32]
    reference_codes: Codes | None = None
    transcript: str | None = None
    name: str = "clone"
    family: str | None = None
    reference_latents: NDArray[np.float32] | None = None
    prompt_latents: NDArray[np.float32] | None = None
    styles: Mapping[str, Voice] = field(default_factory=dict)


class GrowingText(Protocol):
    """A sentence whose words still arrive. text: so far, whole words. wait: for one more word, or for its end.

    An object that also has `advance() -> bool` (take in what is there, without waiting; False: nothing just now) is
    never waited for by a thread of its own.
    """

    text: str
    complete: bool

    def wait(self) -> None: ...


class Unfinished(Protocol):
    """Where the frames of an utterance are kept that is stopped before its end. seed: of the request as it is made,
    with its place in a longer speech; frames [T, ...]: all of its first take so far."""

    def read(self, seed: int) -> NDArray[Any] | None:
        """The frames of an earlier run with this seed; None where there are none."""
        ...

    def write(self, seed: int, frames: NDArray[Any]) -> None:
        """Keep them. Called on the MLX thread; must not raise."""
        ...


@dataclass(frozen=True)
class SpeechRequest:
    """One text to speak.

    voice: a preset's name, a `Voice`, or None where the model needs none. instruct: how to speak, or the voice itself
    where the model designs voices. options: settings of the model's family by name (`mlx-tts models show ALIAS`).
    seed: the same request with the same seed gives the same speech; None takes a fresh one. max_frames: most frames
    generated before giving up. stream_text: whether text is laid over the generated frames (True) or put whole before
    them (False); None is the official default of the model's kind. guard: whether takes are watched and bad ones made
    again, up to `retries` times; None is yes, unless max_frames sets the limit: then exactly what is sampled is given.
    growing: the text goes on there; a model that lays text over its frames begins with what is there already, others
    wait for its end. after: what the piece before left behind, arrays by name, in models that carry state from piece to
    piece; more: another piece of the same speech follows this one. unfinished: where frames go when the request is
    cancelled, and where it goes on from; the speech is the same with and without them, they only save time.
    id: the caller's own name for the request; it changes nothing.
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
    options: Mapping[str, Any] | None = None
    after: Any = None
    more: bool = False
    unfinished: Unfinished | None = None
    id: str | None = None

    @property
    def guarded(self) -> bool:
        return self.max_frames is None if self.guard is None else self.guard


@dataclass(frozen=True)
class CheckedRequest(SpeechRequest):
    """A request that its family has checked: names as the checkpoint spells them, a seed in any case, and `params`,
    the family's settings for generation. Only `Family.check` makes one."""

    params: Any = None

    @property
    def continues(self) -> bool:
        """Whether pieces of this speech go on from each other, in a model that can continue."""
        return getattr(self.params, "continues", True)


@dataclass(frozen=True)
class GuardReport:
    """What the guard saw of one utterance. faults: why each of the refused takes was refused, in their order.
    kept_fault: what is wrong with the take that was kept, for want of a better one; None when it is good. kept_whole:
    that one was not cut."""

    takes: int
    faults: tuple[str, ...] = ()
    kept_fault: str | None = None
    kept_whole: bool = False

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
            only = "kept as it is" if self.kept_whole else "cut there"
            ending = f"kept the best of {self.takes} takes" if self.takes > 1 else only
            return f"the model {self.kept_fault}: {ending}"
        return f"the model {self.faults[-1]}: spoke it again (take {self.takes})" if self.faults else None


@dataclass(frozen=True)
class Mark:
    """What is spoken from `start` to `end`, in seconds of the whole speech. estimated: not measured by the model."""

    text: str
    start: float
    end: float
    level: str = "sentence"
    estimated: bool = False


@dataclass(frozen=True)
class AudioChunk:
    """A piece of speech: samples [N] in [-1, 1], mono. A chunk knows its own rate.

    report: the guard's, of the whole utterance, with its last chunk (which may then be empty). marks: what is spoken
    when, where that is known.
    """

    samples: Samples
    sample_rate: int
    report: GuardReport | None = None
    marks: tuple[Mark, ...] = ()

    @property
    def seconds(self) -> float:
        return len(self.samples) / self.sample_rate

    def _repr_html_(self) -> str:
        """A notebook shows a player."""
        import base64
        import io

        import soundfile

        wav = io.BytesIO()
        soundfile.write(wav, self.samples, self.sample_rate, format="WAV", subtype="PCM_16")
        return f'<audio controls src="data:audio/wav;base64,{base64.b64encode(wav.getvalue()).decode()}"></audio>'

    def save(self, path: str | Path) -> None:
        """Write the samples to a file whose ending says the format, such as .wav or .mp3; see audio/formats.py."""
        from mlx_tts.audio.files import AudioWriter
        from mlx_tts.files.reading import as_path

        writer = AudioWriter(as_path(path), self.sample_rate)
        writer.write(self.samples)
        writer.finish()


# What `stream_many` takes: the number addresses the random numbers; None says that there is nothing to speak just now.
NumberedRequests = Iterator[tuple[int, SpeechRequest] | None]


@dataclass(frozen=True)
class Capabilities:
    """What a model can do. Callers ask for what they need, never for a kind of model.

    presets: voices by name. clones: voices from recordings; clones_in_context: with a transcript too. designs: voices
    from a description. instructs: was trained to follow instructions. streams_text: begins before the text is complete.
    codes: its frames are codes, so `generate_codes` and its kin exist. word_times: it knows when each word is spoken.
    continues: it carries state from piece to piece, so the pieces of a text are spoken one after the other.
    reads_numbers: it was trained on text as people write it, with figures and abbreviations.
    reads_phones: it was trained on phones within text, so that a word is said as it is told to.
    needs_respelling: it reads letters alone and knows English alone, so that names of other languages are respelled.
    mixes: several presets can be one voice, "NAME+NAME".
    """

    presets: bool = False
    clones: bool = False
    clones_in_context: bool = False
    designs: bool = False
    instructs: bool = False
    streams_text: bool = False
    codes: bool = False
    word_times: bool = False
    continues: bool = False
    reads_numbers: bool = False
    reads_phones: bool = False
    needs_respelling: bool = False
    mixes: bool = False


@dataclass(frozen=True)
class FamilyOption:
    """One setting of a family for `SpeechRequest.options` and `--option NAME=VALUE`. default: as text, for people."""

    name: str
    type: type
    default: str
    help: str


@dataclass(frozen=True)
class ModelInfo:
    """What a checkpoint's small files say of it; read before any weights.

    kind: the family's own word for the variant, for people; programs ask `can`. codebooks: numbers in a frame.
    longest_text: characters it was trained to say in one go, where that is less than usual. british_voices: those of
    `voices` that speak British English. whole_pieces: all sound of a piece comes at once, when the piece is made.
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
    longest_text: int | None = None
    british_voices: tuple[str, ...] = ()
    whole_pieces: bool = False
    can: Capabilities = Capabilities()
    options: tuple[FamilyOption, ...] = ()

    @property
    def streams_text(self) -> bool:
        """Whether text is laid over the frames by default, so that it may still arrive."""
        return self.can.streams_text

    @property
    def frame_samples(self) -> int:
        """Samples of sound that one frame makes."""
        return round(self.sample_rate / self.frame_rate)
