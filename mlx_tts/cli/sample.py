"""A file or --record, with --transcript or --transcribe -> a prepared sample and its words."""

from __future__ import annotations

import select
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mlx_tts.cli.console import Console
from mlx_tts.cli.options import FetchOptions
from mlx_tts.errors import RequestError

if TYPE_CHECKING:
    from mlx_tts.audio.reference.prepare import PreparedSample
    from mlx_tts.library.voice_store import Recording
    from mlx_tts.samples import Samples

MINIMUM_SECONDS = 0.5
MAXIMUM_SECONDS = 60.0
SAMPLE_RATE = 24_000  # the model takes any; this one it need not resample
READING_SLOWLY = 1.6  # times the ordinary pace, where nobody can press Enter

RecordOption = Annotated[bool, typer.Option("--record", help="Record from the microphone; shows a text to read.")]
TranscriptOption = Annotated[
    str | None,
    typer.Option(
        "--transcript",
        metavar="TEXT",
        help="The words of the recording: closer to the voice than without.",
        show_default=False,
    ),
]
TranscribeOption = Annotated[
    bool, typer.Option("--transcribe", help="Have the words recognised (needs the extra `transcribe`).")
]
RecogniserOption = Annotated[
    str,
    typer.Option("--recogniser", metavar="MODEL", help="For --transcribe: a size of Whisper, or a folder."),
]


@dataclass(frozen=True)
class SampleOptions:
    """What clone and `voice make` are given besides the file."""

    record: RecordOption = False
    transcript: TranscriptOption = None
    transcribe: TranscribeOption = False
    recogniser: RecogniserOption = "base"


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


def read_reference(
    file: Path | None, asked: SampleOptions, language: str, fetch: FetchOptions, console: Console
) -> Reference:
    """The sample as it will be heard by the model."""
    from mlx_tts.audio.files import read_audio
    from mlx_tts.audio.reference.prepare import prepare_sample
    from mlx_tts.text.languages import named

    transcript = asked.transcript
    if file is not None:
        samples = read_audio(file, SAMPLE_RATE, MINIMUM_SECONDS, MAXIMUM_SECONDS)
    else:
        samples, transcript = _record(named(language), transcript, asked.transcribe, console)
    sample = prepare_sample(samples, SAMPLE_RATE, whole=transcript is not None)
    reference = Reference(sample, transcript, named(language))
    return _transcribed(reference, asked.recogniser, fetch, console) if asked.transcribe else reference


def check_sample(file: Path | None, asked: SampleOptions, option: str) -> None:
    """RequestError for options that do not go together. option: the name of the one that gives the file."""
    from mlx_tts.setting import read_text

    if file is None and not asked.record:
        raise RequestError(f"Missing option '{option}': give a recording of the voice, or --record")
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

    text = transcript or sample_sentences(language)
    waits = sys.stdin.isatty()
    console.say(f"Read this aloud{', then press Enter' if waits else ''}: {text}")
    end = time.monotonic() + READING_SLOWLY * expected_seconds(text)

    def stop() -> bool:
        if waits:
            return bool(select.select([sys.stdin], [], [], 0)[0])
        return time.monotonic() > end

    samples = record(SAMPLE_RATE, stop, MAXIMUM_SECONDS)
    if waits:
        sys.stdin.readline()
    console.say(f"recorded {len(samples) / SAMPLE_RATE:.1f} s")
    if len(samples) < MINIMUM_SECONDS * SAMPLE_RATE:
        raise RequestError(f"the recording is shorter than {MINIMUM_SECONDS} s: read the whole text, then press Enter")
    return samples, None if transcribe else text


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
