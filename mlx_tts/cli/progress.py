"""A script and a model -> the script spoken in order into a sink, with progress and what went wrong on the way."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mlx_tts.cli.console import Console
from mlx_tts.cli.options import GuardOptions, LiveOptions, LongTextOptions
from mlx_tts.cli.output import Destination
from mlx_tts.cli.script import Script
from mlx_tts.errors import RequestError
from mlx_tts.speech import GuardReport, ModelInfo, SpeechRequest, Synthesizer
from mlx_tts.text.cutting.pace import expected_seconds
from mlx_tts.text.cutting.pieces import Piece

if TYPE_CHECKING:
    from mlx_tts.narration.narrate import Delivery, Spoken
    from mlx_tts.narration.piece_store import PieceStore

PREVIEW = 40  # characters of a text that are shown where something is said of it


@dataclass(frozen=True)
class Telling:
    """The options of how a text is told."""

    guard: GuardOptions
    long_text: LongTextOptions
    live: LiveOptions


@dataclass
class Counts:
    """What there is to say at the end."""

    samples: int = 0
    generated: float = 0.0  # seconds, without the time that the speakers or a slow pipe take
    first: float = 0.0
    expected_done: float = 0.0  # of the speech, in seconds at an ordinary pace
    skipped: list[str] = field(default_factory=list)


def guarded(request: SpeechRequest, options: GuardOptions) -> SpeechRequest:
    return replace(request, guard=not options.no_guard, retries=options.retries)


def check_telling(telling: Telling, destination: Destination, script: Script) -> None:
    """RequestError for options that do not go together."""
    long_text = telling.long_text
    if telling.live.latency not in ("normal", "low"):
        raise RequestError(f"--latency is {telling.live.latency!r}: use normal or low")
    for name, wanted in (("--chapters", long_text.chapters), ("--resume", long_text.resume)):
        if wanted and (destination.file is None or destination.live):
            raise RequestError(f"{name} is for files: give -o and leave out --play")
    if long_text.batch is not None and long_text.batch > 1 and destination.live:
        raise RequestError("--batch is for files: what is played or piped on is made in its order")
    if telling.live.device is not None and not destination.play:
        raise RequestError("--device is for playing: add --play")
    if long_text.chapters and script.arriving:
        raise RequestError("--chapters needs the whole text: give --file")


def cut(script: Script, info: ModelInfo, request: SpeechRequest, skipped: list[str]) -> list[Piece]:
    """The pieces of a text that is there as a whole; RequestError when nothing in it can be said."""
    pieces = script.pieces(request.language, info.longest_text, skipped.append)
    if not pieces:
        raise RequestError("there is nothing to say in this text, only signs, pictures or markup: give some words")
    return pieces


@dataclass(frozen=True)
class _Plan:
    """What is spoken and how. pieces: all of them, if the text is there as a whole. total: its seconds, about."""

    request: SpeechRequest
    source: Iterable[Piece | None]
    pieces: list[Piece] | None
    delivery: Delivery
    store: PieceStore | None = None

    @property
    def total(self) -> float:
        return sum(expected_seconds(piece.text) for piece in self.pieces or [])


def speak_into(
    destination: Destination,
    synthesizer: Synthesizer,
    request: SpeechRequest,
    script: Script,
    telling: Telling,
    model: str,
    console: Console,
) -> None:
    """Speak it all, writing and playing as it comes; an interruption keeps what was spoken so far."""
    from mlx_tts.narration.narrate import narrate

    counts, rate = Counts(), synthesizer.sample_rate
    plan = _with_store(
        _plan(destination, synthesizer, request, script, telling, counts), destination, telling, model, rate
    )
    store, total, pieces = plan.store, plan.total, len(plan.pieces or [])
    if plan.pieces is None:
        console.detail("speaking as text arrives")
    else:
        console.detail(f"{pieces} pieces, {plan.delivery.rows} at a time")
    if store is not None and len(store):
        console.say(f"{len(store)} of {pieces} pieces are there already")

    def say(line: str) -> None:
        console.progress("")  # whose line has no end of its own
        console.say(line)

    chapters = script.titles if telling.long_text.chapters else None
    sink = destination.open(rate, telling.live, say, chapters, expected_seconds=total or None)
    limit = None if request.max_frames is None else round(request.max_frames * rate / synthesizer.info.frame_rate)
    try:
        for part in _timed(narrate(synthesizer, plan.request, iter(plan.source), plan.delivery, store), counts):
            sink.begin_chapter(part.piece.chapter)
            samples = part.samples if limit is None else part.samples[: limit - counts.samples]
            sink.write(samples)
            counts.samples += len(samples)
            if part.report is not None:
                counts.expected_done += expected_seconds(part.piece.text)
                _tell(part.report, part.piece, say)
            console.progress(progress(counts, part.piece, pieces, total, rate))
            if limit is not None and counts.samples >= limit:
                break
        console.progress("")
        kept = sink.finish()
    except BaseException as error:
        console.progress("")
        kept = sink.abandon()
        how = "interrupted" if isinstance(error, KeyboardInterrupt) else "stopped"
        if kept is not None or how == "interrupted":
            console.say(f"{how} after {counts.samples / rate:.1f} s of speech{_kept_line(kept)}")
        if store is not None and len(store):
            console.say(f"{len(store)} of {pieces} pieces are kept: the same command with --resume goes on")
        raise
    if store is not None:
        store.remove()
    _sum_up(counts, kept, destination, rate, console)


def _plan(
    destination: Destination,
    synthesizer: Synthesizer,
    request: SpeechRequest,
    script: Script,
    telling: Telling,
    counts: Counts,
) -> _Plan:
    from mlx_tts.narration.narrate import Delivery, Pauses
    from mlx_tts.runtime.memory import default_rows

    options = telling.long_text
    between_chapters = 0.0 if options.chapters else 2 * options.paragraph_pause
    pauses = Pauses(options.sentence_pause, options.paragraph_pause, between_chapters)
    low_latency = telling.live.latency == "low"
    if script.arriving:
        source = script.arriving_pieces(request.language, synthesizer.info, counts.skipped.append)
        return _Plan(request, source, None, Delivery(1, destination.live, low_latency, pauses))
    pieces = cut(script, synthesizer.info, request, counts.skipped)
    rows = 1 if destination.live else min(options.batch or default_rows(synthesizer.row_bytes), len(pieces))
    return _Plan(request, pieces, pieces, Delivery(rows, destination.live, low_latency, pauses))


def _with_store(plan: _Plan, destination: Destination, telling: Telling, model: str, rate: int) -> _Plan:
    """Pieces of a long text are kept beside its file until that is complete."""
    from mlx_tts.narration.piece_store import PieceStore, settings_of, store_folder

    resume = telling.long_text.resume
    if destination.file is None or destination.live or not (resume or len(plan.pieces or []) > 1):
        return plan
    request = plan.request
    store = PieceStore(store_folder(destination.file), rate)
    settings = settings_of(request, (piece.text for piece in plan.pieces or []), model, plan.delivery.pauses)
    seed = secrets.randbits(63) if request.seed is None else request.seed
    return replace(plan, request=replace(request, seed=store.begin(settings, seed, resume)), store=store)


def _timed(parts: Iterator[Spoken], counts: Counts) -> Iterator[Spoken]:
    while True:
        start = time.perf_counter()
        part = next(parts, None)
        counts.generated += time.perf_counter() - start
        if part is None:
            return
        counts.first = counts.first or counts.generated
        yield part


def _tell(report: GuardReport, piece: Piece, say: Callable[[str], None]) -> None:
    if report.line is not None:
        text = piece.text if len(piece.text) <= PREVIEW else f"{piece.text[:PREVIEW].rstrip()}..."
        say(f"at “{text}” {report.line}")


def progress(counts: Counts, piece: Piece, pieces: int, total: float, rate: int) -> str:
    """total: seconds that all the speech takes at an ordinary pace."""
    line = f"{counts.samples / rate:.1f} s spoken"
    if pieces < 2:
        return line
    line += f", piece {piece.number + 1} of {pieces}"
    if counts.expected_done:
        left = counts.generated / counts.expected_done * (total - counts.expected_done)
        line += f", {_duration(left)} left"
    return line


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(0, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _sum_up(counts: Counts, kept: Path | None, destination: Destination, rate: int, console: Console) -> None:
    from mlx_tts.runtime.memory import peak_bytes

    seconds = counts.samples / rate
    if counts.skipped:
        console.say(f"skipped {len(counts.skipped)} paragraphs with nothing to say in them (signs, pictures, markup)")
    if kept is not None:
        console.say(f"wrote {kept}{destination.note}")
    if seconds:
        console.say(
            f"{seconds:.2f} s of speech in {counts.generated:.2f} s "
            f"(real-time factor {counts.generated / seconds:.2f}), "
            f"first audio after {counts.first:.2f} s, peak memory {peak_bytes() / 1e9:.2f} GB"
        )
    else:
        console.say("the model ended at once and said nothing: try another --seed")


def _kept_line(kept: Path | None) -> str:
    return f", kept in {kept}" if kept else ""
