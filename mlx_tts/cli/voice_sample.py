"""A file or --record, with --transcript or --transcribe -> a prepared sample and its words; then a voice of it."""

from __future__ import annotations

import select
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mlx_tts.cli.console import Console
from mlx_tts.cli.options import FetchOptions
from mlx_tts.errors import RequestError
from mlx_tts.setting import read_text, switch, text

if TYPE_CHECKING:
    from mlx_tts.api import TextToSpeech
    from mlx_tts.audio.reference import PreparedSample
    from mlx_tts.library.selection import Choice
    from mlx_tts.library.voice_store import Recording, SavedVoice
    from mlx_tts.models.families import OpenCheckpoint
    from mlx_tts.samples import Samples
    from mlx_tts.speech import CheckedRequest, Voice

SAMPLE_HELP = "A recording of the voice, 0.5 to 60 s long, in any format."
MINIMUM_SECONDS = 0.5
MAXIMUM_SECONDS = 60.0
SAMPLE_RATE = 24_000  # the model takes any; this one it need not resample
READING_SLOWLY = 1.6  # times the ordinary pace, where nobody can press Enter


@dataclass(frozen=True)
class SampleOptions:
    """What clone and `voice make` are given besides the file."""

    record: bool = switch(False, "Record from the microphone; a text to read is shown.")
    transcript: str | None = text(None, "The words of the recording; with them the clone is closer.", metavar="TEXT")
    transcribe: bool = switch(False, "Have the words recognised (needs the extra `transcribe`).")
    recogniser: str = text(
        "base", "The recogniser for --transcribe: a size of Whisper (default: base), or a folder.", metavar="MODEL"
    )


@dataclass(frozen=True)
class SampleRequest:
    """Where a sample comes from: a file, or the microphone. language: of its words, or auto. samples: of the file,
    where it was read already; a pipe cannot be read twice."""

    file: Path | None
    options: SampleOptions
    language: str
    samples: Samples | None = None


@dataclass(frozen=True)
class Reference:
    """A prepared sample and its words, if they are known. language: as it was asked for, or as it was recognised."""

    sample: PreparedSample
    transcript: str | None
    language: str | None

    @property
    def recording(self) -> Recording:
        from mlx_tts.library.voice_store import Recording

        return Recording(self.sample.samples, self.sample.sample_rate)


def read_sample(file: Path) -> Samples:
    """The sound of a recording [N] at SAMPLE_RATE; AudioError where it cannot be a voice sample."""
    from mlx_tts.audio.files import read_audio

    return read_audio(file, SAMPLE_RATE, MINIMUM_SECONDS, MAXIMUM_SECONDS)


def read_reference(sample: SampleRequest, fetch: FetchOptions, console: Console) -> Reference:
    """The sample as it will be heard by the model."""
    from mlx_tts.audio.reference import prepare_sample
    from mlx_tts.text.languages import named

    asked, language = sample.options, named(sample.language)
    transcript = asked.transcript
    if sample.file is not None:
        samples = read_sample(sample.file) if sample.samples is None else sample.samples
    else:
        samples, transcript = _record(language, transcript, asked.transcribe, console)
    prepared = prepare_sample(samples, SAMPLE_RATE, whole=transcript is not None)
    reference = Reference(prepared, transcript, language)
    return _transcribed(reference, asked.recogniser, fetch, console) if asked.transcribe else reference


def check_sample(file: Path | None, asked: SampleOptions, option: str) -> None:
    """RequestError for options that do not go together. option: the name of the one that gives the file."""
    if file is None and not asked.record:
        raise RequestError(
            f"Missing option '{option}': give a recording of the voice, such as {option} me.wav, or --record"
        )
    if file is not None and asked.record:
        raise RequestError(f"both {option} and --record were given: give one of them")
    if asked.transcript is not None:
        read_text("--transcript", asked.transcript)
        if not asked.transcript.strip():
            raise RequestError("--transcript is empty: give the words of the recording, or leave it out")
        if asked.transcribe:
            raise RequestError("both --transcript and --transcribe were given: give one of them")
    if asked.transcribe:
        from mlx_tts.audio.recogniser import check_recogniser

        check_recogniser()


def _record(
    language: str | None, transcript: str | None, transcribe: bool, console: Console
) -> tuple[Samples, str | None]:
    """Show a text, record its reading. The words are known then, unless they are to be recognised all the same."""
    from mlx_tts.audio.recorder import record
    from mlx_tts.text.cutting.pace import expected_seconds
    from mlx_tts.text.languages import sample_sentences

    shown = transcript or sample_sentences(language)
    waits = sys.stdin.isatty()
    console.say(f"Read this aloud{', then press Enter' if waits else ''}: {shown}")
    end = time.monotonic() + READING_SLOWLY * expected_seconds(shown)

    def stop() -> bool:
        if waits:
            return bool(select.select([sys.stdin], [], [], 0)[0])
        return time.monotonic() > end

    with console.held():
        samples = record(SAMPLE_RATE, stop, MAXIMUM_SECONDS)
        if waits:
            sys.stdin.readline()
    console.say(f"recorded {len(samples) / SAMPLE_RATE:.1f} s")
    if len(samples) < MINIMUM_SECONDS * SAMPLE_RATE:
        raise RequestError(f"the recording is shorter than {MINIMUM_SECONDS} s: read the whole text, then press Enter")
    return samples, None if transcribe else shown


def _transcribed(reference: Reference, recogniser: str, fetch: FetchOptions, console: Console) -> Reference:
    from mlx_tts.audio.recogniser import transcribe
    from mlx_tts.cli.model_access import agrees_to_fetch
    from mlx_tts.text.languages import find, named

    sample, asked = reference.sample, reference.language
    known = find(asked) if asked else None
    code = known.code if known else None
    heard = transcribe(sample.samples, sample.sample_rate, code, recogniser, agrees_to_fetch(fetch, console))
    console.say(f"recognised: {heard.words}")
    return replace(reference, transcript=heard.words, language=asked or named(heard.language))


def choose_cloner(model: str | None, fetch: FetchOptions, console: Console) -> tuple[Choice, OpenCheckpoint]:
    """The Base model to use, opened; RequestError for one that cannot clone."""
    from mlx_tts.cli.model_access import open_checkpoint

    choice = _choose(model)
    if choice.note:
        console.daily_hint(choice.note)
    checkpoint = open_checkpoint(choice, fetch, console)
    if not checkpoint.info.can.clones:
        raise cannot_clone(choice.spec.name)
    return choice, checkpoint


def open_cloner(
    model: str | None, sample: SampleRequest, fetch: FetchOptions, console: Console
) -> tuple[Choice, OpenCheckpoint, Reference]:
    """The Base model and the sample. A file is read before a model is fetched for it; nobody is recorded in vain."""

    _choose(model)
    reference = None if sample.file is None else read_reference(sample, fetch, console)
    choice, checkpoint = choose_cloner(model, fetch, console)
    reference = reference or read_reference(sample, fetch, console)
    if reference.transcript is not None and not checkpoint.info.can.clones_in_context:
        console.say(f"{choice.spec.name} knows a voice by its sound alone: the transcript is not used")
    return choice, checkpoint, reference


def _choose(model: str | None) -> Choice:
    from mlx_tts.library import hub, selection

    choice = selection.choose_base(model, selection.configured_default(), hub.is_on_disk)
    if (can := choice.spec.can) is not None and not can.clones:
        raise cannot_clone(choice.spec.name)
    return choice


def cannot_clone(name: str) -> RequestError:
    from mlx_tts.library import catalog

    return RequestError(f"{name} cannot clone: use a Base model, such as {catalog.a_cloner()}")


def report(reference: Reference, console: Console) -> None:
    """Say what was done to the sample, and what will be heard of it in the clone."""
    from mlx_tts.text.transcripts import language_fault, transcript_fault

    for step in reference.sample.steps:
        console.say(f"voice sample: {step}")
    warnings = list(reference.sample.warnings)
    if reference.transcript is not None:
        faults = (
            transcript_fault(reference.transcript, reference.sample.seconds),
            language_fault(reference.transcript, reference.language),
        )
        warnings += [fault for fault in faults if fault is not None]
    for warning in warnings:
        console.say(f"warning: {warning}")


def make_voice(model: TextToSpeech, recording: Recording, transcript: str | None) -> Voice:
    """A voice from a prepared recording, with silence behind it where the model reads it in context."""
    from mlx_tts.audio.reference import PreparedSample

    sample = PreparedSample(recording.samples, recording.sample_rate)
    samples = sample.samples if transcript is None else sample.in_context()
    most = round(MAXIMUM_SECONDS * recording.sample_rate)
    return model.voice(samples[:most], recording.sample_rate, transcript)


def prepared_again(model: TextToSpeech, saved: SavedVoice, request: CheckedRequest, console: Console) -> CheckedRequest:
    """The request with its voice made by this model from the recording that was kept."""
    assert saved.recording is not None
    console.say(f"the voice was made with {saved.model or 'another model'}: preparing it for this one")
    voice = make_voice(model, saved.recording, saved.voice.transcript or None)
    styles = {name: make_voice(model, recording, None) for name, recording in saved.style_recordings.items()}
    voice = replace(voice, styles=styles)
    return model.check(replace(request, voice=voice))
