"""A planned speech and a model -> the speech written, played and listened to, with progress and what went wrong."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from mlx_tts.cli.console import Console
from mlx_tts.cli.model_access import agrees_to_fetch
from mlx_tts.cli.order import Order
from mlx_tts.cli.output import SinkSettings
from mlx_tts.cli.progress import (
    Counts,
    guard_line,
    kept_pieces,
    preview,
    progress_line,
    sum_up,
    tell_what_begins,
    time_left,
    timed,
    voices_line,
    wrote_line,
)
from mlx_tts.errors import MlxTtsError
from mlx_tts.files.reading import user_path
from mlx_tts.files.writing import is_stream, only_run, remove_partial_files
from mlx_tts.samples import Samples
from mlx_tts.text.cutting.pace import expected_seconds

if TYPE_CHECKING:
    from mlx_tts.api import TextToSpeech
    from mlx_tts.audio.sinks import Sink
    from mlx_tts.cli.keys import Listening
    from mlx_tts.narration.narrate import SpeakingModel, Spoken
    from mlx_tts.narration.piece_store import PieceStore
    from mlx_tts.narration.plan import Plan
    from mlx_tts.narration.spoken_book import BookSource
    from mlx_tts.narration.subtitles import SubtitleFile
    from mlx_tts.narration.time_left import Making
    from mlx_tts.narration.verified import Finding
    from mlx_tts.text.cutting.pieces import Piece

MOST_PLACES = 3  # that are named of a take


def print_plan(plan: Plan, as_json: bool) -> None:
    """`--dry-run`: the words alone, one piece a line, or all that is known of each piece."""
    from mlx_tts.narration.plan import describe_plan

    if as_json:
        typer.echo(json.dumps({"pieces": describe_plan(plan)}, ensure_ascii=False, indent=1))
    else:
        for piece in describe_plan(plan):
            typer.echo("".join(c for c in piece["spoken"] if c.isprintable() or c in "\n\t"))


def speak_into(
    order: Order, plan: Plan, model: TextToSpeech, name: str, console: Console, voice: str | None = None
) -> None:
    """Speak it all, writing and playing as it comes; an interruption keeps what was spoken so far. voice: what people
    call it; None where it has no name."""
    file = order.destination.file
    with contextlib.nullcontext() if file is None or is_stream(file) else only_run(file):
        _speak_into(order, plan, model, name, console, voice)


def _speak_into(order: Order, plan: Plan, model: TextToSpeech, name: str, console: Console, voice: str | None) -> None:
    plan = _prepared(order, plan, model, name)
    tell_what_begins(plan, console)
    counts, rate = Counts(), model.sample_rate
    speaker = verified(model, order, console)
    outlets = open_outlets(order, plan, rate, console)
    try:
        with outlets.keys():
            _speak(plan, model, speaker, outlets, counts, console, voice)
            if not counts.samples:
                raise MlxTtsError("the model ended at once and said nothing: try another --seed")
            # Where it is played, the end is waited for here, and the line is that of what is heard.
            is_heard = order.destination.play
            with contextlib.nullcontext() if is_heard else console.working("writing the file"):
                kept = outlets.finish(console)
    except BaseException as error:
        console.progress("")
        kept = outlets.abandon()
        if outlets.was_quit and kept is None and order.destination.file is None:
            return
        how = "interrupted" if isinstance(error, KeyboardInterrupt) else "stopped"
        if kept is not None or how == "interrupted":
            where = f", kept in {kept}" if kept else ""
            console.say(f"{how} after {counts.samples / rate:.1f} s of speech{where}")
        if plan.store is not None and (there := kept_pieces(plan.store, len(plan.pieces or []))):
            console.say(f"{there} kept: the same command with --resume goes on")
        raise
    if plan.store is not None:
        _tidy_up(order, plan.store)
    seconds, voices = counts.samples / rate, voices_line(counts.voices)
    wrote = None if kept is None else wrote_line(kept, seconds, voices, order.destination.note)
    sum_up(counts, plan.skipped, wrote, rate, console)


def _tidy_up(order: Order, store: PieceStore) -> None:
    """All is complete: nothing is left of a run that was stopped, nor the pieces unless they were asked for."""
    asked, file = order.options, order.destination.file
    if asked.long_text.resume and file is not None:
        remove_partial_files(file, numbered=asked.long_text.chapters)
        if asked.subtitles.subtitles is not None:
            remove_partial_files(user_path(asked.subtitles.subtitles))
    if not asked.long_text.keeps:
        store.remove()


def _prepared(order: Order, plan: Plan, model: TextToSpeech, name: str) -> Plan:
    """The plan with the rows that fit this machine, and with a store where the run could be resumed."""
    from mlx_tts.narration.plan import check_redo, with_store
    from mlx_tts.runtime.memory import default_rows

    destination, asked = order.destination, order.options
    pieces = plan.pieces
    if pieces is None or destination.live:
        return plan
    if asked.long_text.batch is None:
        rows = min(len(pieces), default_rows(model.row_bytes))
        plan = replace(plan, options=replace(plan.options, rows=rows))
    redo = asked.long_text.redo
    resume = asked.long_text.resume or redo is not None
    wanted = resume or asked.long_text.keeps or len(pieces) > 1
    if destination.file is None or is_stream(destination.file) or not wanted:
        return plan
    if redo is not None:
        check_redo(destination.file, redo, len(pieces))
    form = model.kernel_form
    verify = asked.verify.verify
    plan = with_store(plan, destination.file, name, model.sample_rate, order.settings.seed, resume, form, verify)
    if plan.store is not None and redo is not None:
        plan.store.redo(redo - 1)
    if plan.store is not None and plan.store.kernel_form not in (None, form):
        model.use_kernel_form(str(plan.store.kernel_form))
    return plan


def _speak(
    plan: Plan,
    model: TextToSpeech,
    speaker: SpeakingModel,
    outlets: Outlets,
    counts: Counts,
    console: Console,
    voice: str | None,
) -> None:
    from mlx_tts.narration.narrate import narrate

    rate, frames_before, began = model.sample_rate, model.frames_made, time.monotonic()
    counts.left, counts.pieces = time_left(plan, model.info.frame_rate), len(plan.pieces or [])

    def line() -> tuple[str, float | None]:
        made = (model.frames_made - frames_before) / model.info.frame_rate
        return progress_line(counts, made, time.monotonic() - began)

    def begun(piece: Piece, stream: Making) -> None:
        if counts.left is not None:
            counts.left.begins(piece.number, expected_seconds(piece.spoken), stream)

    spoken = narrate(speaker, plan.request, iter(plan.source), plan.options, plan.store, begun)
    # A line of its own thread moves also while many pieces are made of which none is over. An interruption here as well
    # leaves what is in work in the store.
    with contextlib.closing(spoken), contextlib.nullcontext() if outlets.listening else console.moving(line):
        for part in timed(spoken, counts):
            outlets.write(part, counts.samples / rate, plan.request.language, rate)
            counts.samples += len(part.samples)
            if len(part.samples) and (name := part.piece.voice or voice) not in counts.voices:
                counts.voices.append(name)
            if part.report is not None:
                kept_number = part.piece.number if plan.store is not None and outlets.keeps_pieces else None
                if fault := guard_line(part.report, part.piece.text, kept_number):
                    console.say(fault)


@dataclass(frozen=True)
class Outlets:
    """subtitles, listening: None where they were not asked for, or where nobody sits at a terminal. keeps_pieces: so
    that one of them can be spoken again. source: the book that is to have its sound in it."""

    sink: Sink
    subtitles: SubtitleFile | None
    listening: Listening | None
    keeps_pieces: bool = False
    source: BookSource | None = None

    @contextlib.contextmanager
    def keys(self) -> Iterator[None]:
        """While this lasts, keys act on what is played."""
        with contextlib.nullcontext() if self.listening is None else self.listening.keys():
            yield

    def write(self, part: Spoken, seconds: float, language: str, rate: int) -> None:
        """rate: of its samples, a second. seconds: of the speech that went before."""
        from mlx_tts.audio.sinks import MasteredSink

        self.sink.begin_chapter(part.piece.chapter)
        if isinstance(self.sink, MasteredSink):
            self.sink.begin_voice(part.piece.voice)
        if self.listening is not None:
            self.listening.begins(part, seconds, language)
            self.listening.sentences.complete(part.marks)
        self.sink.write(part.samples)
        if self.subtitles is not None:
            self.subtitles.add(part.marks)
        if self.source is not None:
            self.source.times.add(part.piece.chapter, seconds, part.marks, len(part.samples) / rate)

    def finish(self, console: Console) -> Path | None:
        """Which file was written."""
        kept = self.sink.finish()
        if self.source is not None and (line := self.source.times.missing_line()):
            console.say(line)
        if self.subtitles is not None:
            console.say(f"wrote {self.subtitles.finish()}")
        return kept

    def abandon(self) -> Path | None:
        """Which file holds what was written so far."""
        kept = self.sink.abandon()
        if self.subtitles is not None:
            self.subtitles.abandon()
        return kept

    @property
    def was_quit(self) -> bool:
        """Whether the listener has heard enough."""
        return self.listening is not None and self.listening.has_quit


def open_outlets(order: Order, plan: Plan, sample_rate: int, console: Console) -> Outlets:
    from mlx_tts.cli.keys import listening_for

    options, destination = order.options, order.destination
    listening = listening_for(destination.play, order.script.arriving, console, order.settings.speed)
    wanted = SinkSettings(
        sample_rate,
        options.live,
        console.say,
        order.settings,
        chapters=order.script.titles if options.long_text.chapters else None,
        expected_seconds=plan.total_seconds or None,
        book=order.script.book(destination.file),
        source=order.book_source,
        listening=listening,
    )
    sink = destination.open(wanted)
    asked = options.subtitles
    if asked.subtitles is None:
        return Outlets(sink, None, listening, options.long_text.keeps, order.book_source)
    from mlx_tts.narration.subtitles import SubtitleFile

    file = SubtitleFile(user_path(asked.subtitles), asked.subtitle_level)
    return Outlets(sink, file, listening, options.long_text.keeps, order.book_source)


def verified(model: SpeakingModel, order: Order, console: Console) -> SpeakingModel:
    """The model as it is without --verify. Nothing is fetched but where the user agrees."""
    from mlx_tts.audio.recogniser import CHECKS, open_recogniser
    from mlx_tts.narration.verified import Verified
    from mlx_tts.text.transcripts import language_code

    wanted, retries = order.options.verify.recogniser, order.settings.retries
    if wanted is None:
        return model
    recogniser = open_recogniser(wanted, agrees_to_fetch(order.options.fetch, console), CHECKS)

    def listen(samples: Samples, sample_rate: int, text: str, language: str) -> str:
        return recogniser.heard(samples, sample_rate, language_code(language, text)).words

    def tell(finding: Finding) -> None:
        console.say(line_of(finding, retries))

    return Verified(model, listen, retries, tell)


def line_of(finding: Finding, retries: int) -> str:
    """What is said of a take whose words differ."""
    shown = [_place(*place) for place in finding.places[:MOST_PLACES]]
    more = len(finding.places) - len(shown)
    ending = f"speaking it again (take {finding.take + 1})" if finding.again else "kept the best of the takes"
    if not retries:
        ending = "--retries 0 keeps it"
    return f"at “{preview(finding.text)}” was heard: {', '.join(shown)}{f' and {more} more' if more else ''}; {ending}"


def _place(said: str, heard: str) -> str:
    if not said:
        return f"“{heard}” that is not in the text"
    return f"“{heard}” for “{said}”" if heard else f"nothing for “{said}”"
