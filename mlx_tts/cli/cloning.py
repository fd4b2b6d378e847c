"""A sample and a Base model -> a voice, and what is said of it. What `clone` and `voice make` share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mlx_tts.cli.console import Console
from mlx_tts.cli.options import FetchOptions
from mlx_tts.cli.sample import MAXIMUM_SECONDS, Reference, SampleOptions, read_reference
from mlx_tts.errors import RequestError

if TYPE_CHECKING:
    from mlx_tts.api import TextToSpeech
    from mlx_tts.library.selection import Choice
    from mlx_tts.library.voice_store import Recording, SavedVoice
    from mlx_tts.models.families import OpenCheckpoint
    from mlx_tts.speech import CheckedRequest, Voice


@dataclass(frozen=True)
class SampleRequest:
    """Where a sample comes from: a file, or the microphone. language: of its words, or auto."""

    file: Path | None
    options: SampleOptions
    language: str


def choose_cloner(model: str | None, fetch: FetchOptions, console: Console) -> tuple[Choice, OpenCheckpoint]:
    """The Base model to use, opened; RequestError for one that cannot clone."""
    from mlx_tts.cli.model_access import open_checkpoint

    choice = _choose(model)
    if choice.note:
        console.daily_hint(choice.note)
    checkpoint = open_checkpoint(choice, fetch, console)
    if not checkpoint.info.can.clones:
        raise cannot_clone(checkpoint.info.kind, choice.spec.name)
    return choice, checkpoint


def open_cloner(
    model: str | None, sample: SampleRequest, fetch: FetchOptions, console: Console
) -> tuple[Choice, OpenCheckpoint, Reference]:
    """The Base model and the sample. A file is read before a model is fetched for it; nobody is recorded in vain."""

    def read() -> Reference:
        return read_reference(sample.file, sample.options, sample.language, fetch, console)

    _choose(model)
    reference = None if sample.file is None else read()
    choice, checkpoint = choose_cloner(model, fetch, console)
    reference = reference or read()
    if reference.transcript is not None and not checkpoint.info.can.clones_in_context:
        console.say(f"{choice.spec.name} knows a voice by its sound alone: the transcript is not used")
    return choice, checkpoint, reference


def _choose(model: str | None) -> Choice:
    from mlx_tts.library import hub, selection

    choice = selection.choose_base(model, selection.configured_default(), hub.is_on_disk)
    if (can := choice.spec.can) is not None and not can.clones:
        raise cannot_clone(choice.spec.kind, choice.spec.name)
    return choice


def cannot_clone(kind: str | None, name: str) -> RequestError:
    from mlx_tts.library import catalog

    return RequestError(f"{name} is a {kind} model and cannot clone: use a Base model, such as {catalog.a_cloner()}")


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
    return model.check(replace(request, voice=voice))
