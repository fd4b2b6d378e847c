"""A planned speech and a model -> the speech written and played, with progress and what went wrong on the way."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import typer

from mlx_tts.cli.console import Console
from mlx_tts.cli.options import SpeakingOptions
from mlx_tts.cli.output import Destination
from mlx_tts.cli.progress import Counts, guard_line, progress_line, sum_up
from mlx_tts.cli.script import Script
from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.files.writing import is_stream, only_run
from mlx_tts.speech import CheckedRequest, ModelInfo, SpeechRequest
from mlx_tts.text.cutting.pace import expected_seconds

if TYPE_CHECKING:
    from mlx_tts.api import TextToSpeech
    from mlx_tts.audio.sinks.streams import Sink
    from mlx_tts.models.families import OpenCheckpoint
    from mlx_tts.narration.job import Plan
    from mlx_tts.narration.narrate import NarrationOptions, Spoken
    from mlx_tts.text.cutting.pieces import Chapter
    from mlx_tts.text.reading import Reading


@dataclass(frozen=True)
class Order:
    """What was asked for: where the speech goes, its text, and the options of how it is told."""

    destination: Destination
    script: Script
    options: SpeakingOptions

    def check(self) -> None:
        """RequestError for options that do not go together."""
        long_text, live = self.options.long_text, self.options.live
        destination = self.destination
        if live.latency not in ("normal", "low"):
            raise RequestError(f"--latency is {live.latency!r}: use normal or low")
        for name, wanted in (("--chapters", long_text.chapters), ("--resume", long_text.resume)):
            if wanted and (destination.file is None or destination.live or is_stream(destination.file)):
                raise RequestError(f"{name} is for files: give -o and leave out --play")
        if long_text.batch is not None and long_text.batch > 1 and destination.live:
            raise RequestError("--batch is for files: what is played or piped on is made in its order")
        if live.device is not None and not destination.play:
            raise RequestError("--device is for playing: add --play")
        if long_text.chapters and self.script.arriving:
            raise RequestError("--chapters needs the whole text: give --file")

    def plan(self, checkpoint: OpenCheckpoint, request: CheckedRequest) -> Plan:
        """Cut the text, once; RequestError when there is nothing to say in it."""
        from mlx_tts.models import families
        from mlx_tts.narration.job import Plan, plan_chapters

        info = checkpoint.info

        options, reading = self._narration_options(), self._reading(info)
        if self.script.arriving:
            skipped: list[str] = []
            source = self.script.arriving_pieces(request.language, info, reading, skipped.append)
            return Plan(request, source, None, options, skipped)

        def check(asked: SpeechRequest) -> CheckedRequest:
            return families.check_request(checkpoint, asked)

        return plan_chapters(info, request, self._chapters(), options, reading, check)

    def _chapters(self) -> list[Chapter]:
        """Those that --only-chapters names, else all."""
        chapters, wanted = self.script.chapters or [], self.options.text.only_chapters
        if wanted is None:
            return chapters
        first, last = chapter_range(wanted, len(chapters))
        return [
            chapter if first <= number <= last else replace(chapter, text="")
            for number, chapter in enumerate(chapters, 1)
        ]

    def _reading(self, info: ModelInfo) -> Reading:
        from mlx_tts.narration.job import reading_for
        from mlx_tts.runtime.folders import config_folder
        from mlx_tts.text.normalise.lexicon import read_lexicon

        asked = self.options.text
        lexicon = None if asked.lexicon is None else read_lexicon(asked.lexicon)
        if lexicon is None and asked.normalise != "off":
            own = config_folder() / "lexicon.toml"
            lexicon = read_lexicon(own) if own.is_file() else None
        return reading_for(info, normalise=asked.normalise, lexicon=lexicon, markup=not asked.no_markup)

    def _narration_options(self) -> NarrationOptions:
        from mlx_tts.narration.narrate import NarrationOptions, Pauses

        asked = self.options.long_text
        between_chapters = 0.0 if asked.chapters else 2 * asked.paragraph_pause
        given = asked.sentence_pause
        pauses = Pauses(Pauses().sentence if given is None else given, asked.paragraph_pause, between_chapters)
        rows = 1 if self.destination.live or asked.batch is None else asked.batch
        low_latency = self.options.live.latency == "low"
        return NarrationOptions(rows, self.destination.live, low_latency, pauses, every_sentence=given is not None)


def chapter_range(text: str, chapters: int) -> tuple[int, int]:
    """ "2-5", "3", "2-" -> the first and the last chapter, counted from 1."""
    first, dash, last = text.partition("-")
    try:
        begin = int(first)
        end = begin if not dash else int(last) if last else chapters
    except ValueError:
        raise RequestError(f"--only-chapters is {text!r}: give a number or a range such as 2-5") from None
    if not 1 <= begin <= end <= chapters:
        raise RequestError(f"--only-chapters is {text!r}: this text has {chapters} chapters")
    return begin, end


def print_plan(plan: Plan, as_json: bool) -> None:
    """`--dry-run`: the words alone, one piece a line, or all that is known of each piece."""
    from mlx_tts.narration.job import describe_plan

    if as_json:
        typer.echo(json.dumps({"pieces": describe_plan(plan)}, ensure_ascii=False, indent=1))
    else:
        for piece in describe_plan(plan):
            typer.echo("".join(c for c in piece["spoken"] if c.isprintable() or c in "\n\t"))


def speak_into(order: Order, plan: Plan, model: TextToSpeech, name: str, console: Console) -> None:
    """Speak it all, writing and playing as it comes; an interruption keeps what was spoken so far."""
    file = order.destination.file
    with contextlib.nullcontext() if file is None or is_stream(file) else only_run(file):
        _speak_into(order, plan, model, name, console)


def _speak_into(order: Order, plan: Plan, model: TextToSpeech, name: str, console: Console) -> None:
    plan = _prepared(order, plan, model, name)
    _tell_what_begins(plan, console)
    counts, rate = Counts(), model.sample_rate
    sink = _open_sink(order, plan, model, console)
    try:
        _speak(plan, model, sink, counts, console)
        console.progress("")
        if not counts.samples:
            raise MlxTtsError("the model ended at once and said nothing: try another --seed")
        kept = sink.finish()
    except BaseException as error:
        console.progress("")
        kept = sink.abandon()
        how = "interrupted" if isinstance(error, KeyboardInterrupt) else "stopped"
        if kept is not None or how == "interrupted":
            where = f", kept in {kept}" if kept else ""
            console.say(f"{how} after {counts.samples / rate:.1f} s of speech{where}")
        if plan.store is not None and len(plan.store):
            total = len(plan.pieces or [])
            console.say(f"{len(plan.store)} of {total} pieces are kept: the same command with --resume goes on")
        raise
    if plan.store is not None:
        plan.store.remove()
    sum_up(counts, plan.skipped, kept, order.destination.note, rate, console)


def _prepared(order: Order, plan: Plan, model: TextToSpeech, name: str) -> Plan:
    """The plan with the rows that fit this machine, and with a store where the run could be resumed."""
    from mlx_tts.narration.job import with_store
    from mlx_tts.runtime.memory import default_rows

    destination, asked = order.destination, order.options
    pieces = plan.pieces
    if pieces is None or destination.live:
        return plan
    if asked.long_text.batch is None:
        rows = min(len(pieces), default_rows(model.row_bytes))
        plan = replace(plan, options=replace(plan.options, rows=rows))
    resume = asked.long_text.resume
    if destination.file is None or is_stream(destination.file) or not (resume or len(pieces) > 1):
        return plan
    form = model.kernel_form
    plan = with_store(plan, destination.file, name, model.sample_rate, asked.speech.seed, resume, form)
    if plan.store is not None and plan.store.kernel_form not in (None, form):
        model.use_kernel_form(str(plan.store.kernel_form))
    return plan


def _tell_what_begins(plan: Plan, console: Console) -> None:
    if plan.pieces is None:
        console.detail("speaking as text arrives")
        return
    pieces = len(plan.pieces)
    console.detail(f"{pieces} pieces, {plan.options.rows} at a time")
    if plan.store is not None and len(plan.store):
        console.say(f"{len(plan.store)} of {pieces} pieces are there already")


def _open_sink(order: Order, plan: Plan, model: TextToSpeech, console: Console) -> Sink:
    def say(line: str) -> None:
        console.progress("")  # whose line has no end of its own
        console.say(line)

    chapters = order.script.titles if order.options.long_text.chapters else None
    seconds = plan.total_seconds or None
    return order.destination.open(  # type: ignore[no-any-return]
        model.sample_rate, order.options.live, say, chapters, expected_seconds=seconds
    )


def _speak(plan: Plan, model: TextToSpeech, sink: Sink, counts: Counts, console: Console) -> None:
    from mlx_tts.narration.narrate import narrate

    rate, pieces, total = model.sample_rate, len(plan.pieces or []), plan.total_seconds
    limit = None
    if plan.request.max_frames is not None:
        limit = round(plan.request.max_frames * rate / model.info.frame_rate)
    parts = narrate(model, plan.request, iter(plan.source), plan.options, plan.store)
    for part in _timed(parts, counts):
        sink.begin_chapter(part.piece.chapter)
        samples = part.samples if limit is None else part.samples[: limit - counts.samples]
        sink.write(samples)
        counts.samples += len(samples)
        if part.report is not None:
            counts.expected_done += expected_seconds(part.piece.spoken)
            if line := guard_line(part.report, part.piece.text):
                console.progress("")
                console.say(line)
        console.progress(progress_line(counts, part.piece.number, pieces, total, rate))
        if limit is not None and counts.samples >= limit:
            break


def _timed(parts: Iterator[Spoken], counts: Counts) -> Iterator[Spoken]:
    while True:
        start = time.perf_counter()
        part = next(parts, None)
        counts.generated_seconds += time.perf_counter() - start
        if part is None:
            return
        counts.first_seconds = counts.first_seconds or counts.generated_seconds
        yield part
