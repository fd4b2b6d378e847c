"""What was asked for -> everything that a speech goes into: its sound, its subtitles, and a listener with keys."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mlx_tts.cli.console import Console
from mlx_tts.files.paths import user_path

if TYPE_CHECKING:
    from mlx_tts.audio.sinks.streams import Sink
    from mlx_tts.cli.listening import Listening
    from mlx_tts.cli.order import Order
    from mlx_tts.narration.job import Plan
    from mlx_tts.narration.narrate import Spoken
    from mlx_tts.narration.subtitles import SubtitleFile
    from mlx_tts.samples import Samples


@dataclass(frozen=True)
class Outlets:
    """subtitles, listening: None where they were not asked for, or where nobody sits at a terminal."""

    sink: Sink
    subtitles: SubtitleFile | None
    listening: Listening | None

    @contextlib.contextmanager
    def keys(self) -> Iterator[None]:
        """While this lasts, keys act on what is played."""
        with contextlib.nullcontext() if self.listening is None else self.listening.keys():
            yield

    def write(self, part: Spoken, samples: Samples, seconds: float, language: str) -> None:
        """samples: of this part, as many as are wanted. seconds: of the speech that went before."""
        from mlx_tts.audio.sinks.mastered import MasteredSink

        self.sink.begin_chapter(part.piece.chapter)
        if isinstance(self.sink, MasteredSink):
            self.sink.begin_voice(part.piece.voice)
        if self.listening is not None:
            self.listening.begins(part, seconds, language)
            self.listening.sentences.complete(part.marks)
        self.sink.write(samples)
        if self.subtitles is not None:
            self.subtitles.add(part.marks)

    def finish(self, console: Console) -> Path | None:
        """Which file was written."""
        kept = self.sink.finish()
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
    from mlx_tts.cli.listening import listening_for

    def say(line: str) -> None:
        console.progress("")  # whose line has no end of its own
        console.say(line)

    options, destination = order.options, order.destination
    listening = listening_for(destination.play, order.script.arriving, console, order.settings.speed)
    sink = destination.open(
        sample_rate,
        options.live,
        say,
        order.script.titles if options.long_text.chapters else None,
        plan.total_seconds or None,
        order.settings,
        order.script.book(destination.file),
        listening,
    )
    asked = options.subtitles
    if asked.subtitles is None:
        return Outlets(sink, None, listening)
    from mlx_tts.narration.subtitles import SubtitleFile

    return Outlets(sink, SubtitleFile(user_path(asked.subtitles), asked.subtitle_level), listening)
