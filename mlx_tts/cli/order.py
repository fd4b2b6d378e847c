"""What `speak` and `clone` were asked for: text, settings, destination -> checked options, then the plan."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from mlx_tts.audio.formats import format_of
from mlx_tts.cli.options import SpeakingOptions
from mlx_tts.cli.output import Destination, is_book
from mlx_tts.cli.script import Script, chapter_range
from mlx_tts.errors import RequestError
from mlx_tts.files.reading import user_path
from mlx_tts.files.writing import check_writable, is_stream
from mlx_tts.job import prepare
from mlx_tts.job.settings import SpeechSettings
from mlx_tts.speech import CheckedRequest

if TYPE_CHECKING:
    from mlx_tts.models.families import OpenCheckpoint
    from mlx_tts.narration.plan import Plan
    from mlx_tts.narration.spoken_book import BookSource
    from mlx_tts.text.cutting.pieces import Chapter


@dataclass(frozen=True)
class Order:
    """What was asked for: where the speech goes, its text, what is asked of the speech, and how it is told."""

    destination: Destination
    script: Script
    settings: SpeechSettings
    options: SpeakingOptions

    @cached_property
    def book_source(self) -> BookSource | None:
        """The EPUB that is to have its sound in it; RequestError where that was asked of another text."""
        if not self.destination.is_book:
            return None
        from mlx_tts.narration.spoken_book import BookSource

        source, file = self.script.source, self.destination.file
        if source is None or not is_book(source) or self.script.asides is None:
            raise RequestError(f"{file} is to be a book with its sound: give an EPUB as the text, or -o a sound file")
        if file is not None and file.exists() and file.samefile(source):
            raise RequestError(f"{file} is the book itself: choose another name for the one with sound")
        if self.options.long_text.chapters or self.destination.play:
            raise RequestError(f"{file} is to be a book with its sound: leave out --chapters and --play")
        return BookSource(source, self.script.asides)

    def check(self) -> None:
        """RequestError for settings and options that cannot be or do not go together. Opens no model."""
        self.settings.check()
        options, long_text, destination = self.options, self.options.long_text, self.destination
        for_file = destination.file is not None and not destination.live and not is_stream(destination.file)
        needs_file = {
            "--chapters": long_text.chapters,
            "--resume": long_text.resume,
            "--keep-pieces": long_text.keep_pieces,
            "--redo": long_text.redo is not None,
            "--verify": options.verify.recogniser is not None,
        }
        for name, wanted in needs_file.items():
            if wanted and not for_file:
                raise RequestError(f"{name} is for files: give -o and leave out --play")
        if long_text.batch is not None and long_text.batch > 1 and destination.live:
            raise RequestError("--rows is for files: what is played or piped on is made in its order")
        if options.live.device is not None and not destination.play:
            raise RequestError("--device is for playing: add --play")
        self._check_subtitles()
        if self.book_source is not None:
            _ = self.book_source.sound  # whether it can have any
        if long_text.chapters and destination.file is not None and format_of(destination.file).chapters:
            raise RequestError(
                "--chapters writes a file for each chapter, and an audiobook has them inside: leave it out"
            )
        if long_text.chapters and self.script.arriving:
            raise RequestError("--chapters needs the whole text: give --file")

    def _check_subtitles(self) -> None:
        asked = self.options.subtitles
        if asked.subtitles is None:
            if asked.subtitle_level != "sentence":
                raise RequestError("--subtitle-level works only with --subtitles: add it")
            return
        from mlx_tts.narration.subtitles import check_subtitles

        subtitles = user_path(asked.subtitles)
        check_subtitles(subtitles, asked.subtitle_level)
        check_writable(subtitles)
        if self.options.long_text.chapters:
            raise RequestError("--subtitles is for one sound file: leave out --chapters")

    def plan(self, checkpoint: OpenCheckpoint, request: CheckedRequest) -> Plan:
        """Cut the text, once; RequestError when there is nothing to say in it."""
        from mlx_tts.models import families
        from mlx_tts.narration.plan import Plan, checked_names

        info, settings = checkpoint.info, self.settings.with_own_lexicon()
        check = prepare.part_check(partial(families.check_request, checkpoint), info)
        asked = self.options.long_text
        options = prepare.narration_options(
            settings,
            live=self.destination.live,
            every_sentence=self.options.subtitles.subtitles is not None or self.destination.is_book,
            chapter_files=asked.chapters,
            rows=1 if self.destination.live or asked.batch is None else asked.batch,
            low_latency=self.options.live.latency == "low",
        )
        if not self.script.arriving:
            chapters = self._chapters()
            if self.script.casting is not None:
                chapters, told = self.script.casting.voiced(chapters, info.voices, request.voice, check)
                self.options.console.console.say(told)
            return prepare.plan(settings, info, request, chapters, options, check, self._noted())
        skipped: list[str] = []
        reading = prepare.reading_of(settings, info, self._noted())
        source = self.script.arriving_pieces(request.language, info, reading, skipped.append, options.every_sentence)
        return Plan(request, checked_names(source, request, check, info), None, options, skipped)

    def _noted(self) -> Callable[[str], None]:
        """Says a line about pronunciations once of each kind."""
        told: set[str] = set()

        def say(line: str) -> None:
            kind = line.partition(":")[0]
            if kind not in told:
                told.add(kind)
                self.options.console.console.say(line)

        return say

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
