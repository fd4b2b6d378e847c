"""-o, --play and --format -> where the speech goes, checked before any model is opened."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mlx_tts.audio.formats import FORMATS, format_of
from mlx_tts.cli.options import LiveOptions, OutputOptions
from mlx_tts.cli.process import stdout_was_closed
from mlx_tts.errors import RequestError
from mlx_tts.files.reading import user_path
from mlx_tts.files.writing import check_writable, is_stream, resolved
from mlx_tts.job.settings import SoundSettings

if TYPE_CHECKING:
    from mlx_tts.audio.encoder import BookInfo
    from mlx_tts.audio.sinks import Sink
    from mlx_tts.cli.keys import Listening
    from mlx_tts.narration.spoken_book import BookSource

STANDARD_OUTPUT = "-"
BOOK = ".epub"
UNCHANGED = SoundSettings()
DEFAULT_FILE = Path("speech.wav")


@dataclass(frozen=True)
class SinkSettings:
    """What a sink has to know. say: tells the user a line. chapters: their titles, if each is to be a file of its own.
    book: what an audiobook says of itself. source: the book that is to have its sound in it. listening: who listens
    with a keyboard at hand."""

    sample_rate: int
    live: LiveOptions
    say: Callable[[str], None]
    sound: SoundSettings = UNCHANGED
    chapters: Sequence[str | None] | None = None
    expected_seconds: float | None = None
    book: BookInfo | None = None
    source: BookSource | None = None
    listening: Listening | None = None


@dataclass(frozen=True)
class Destination:
    """file, stdout (the name of a format) and play; at least one is set. note: said when the file is written."""

    file: Path | None = None
    stdout: str | None = None
    play: bool = False
    note: str = ""

    @property
    def is_book(self) -> bool:
        """Whether it is an EPUB that has its sound in it."""
        return self.file is not None and is_book(self.file)

    @property
    def live(self) -> bool:
        """Whether somebody listens already while it is being made."""
        return self.play or self.stdout is not None

    def open(self, wanted: SinkSettings):  # type: ignore[no-untyped-def]  # a Sink, whose module needs numpy
        """The sink that all of it goes to."""
        sinks = self._sinks(wanted)
        from mlx_tts.audio.sinks import TeeSink

        # The speakers come last: a file is complete before the last word has been heard.
        sink = sinks[0] if len(sinks) == 1 else TeeSink(sinks)
        if wanted.sound.loudness == "off":
            return sink
        from mlx_tts.audio.sinks import MasteredSink, TwoPassSink

        target = wanted.sound.target_lufs
        if target is None or self.live or self.file is None or is_stream(self.file):
            return MasteredSink(sink, wanted.sample_rate, target)
        return TwoPassSink(sink, wanted.sample_rate, target, resolved(self.file).parent)

    def _sinks(self, wanted: SinkSettings) -> list[Sink]:
        from mlx_tts.audio.files import AudioWriter
        from mlx_tts.audio.sinks import ChapterSink, PipeSink, StreamSink

        sinks: list[Sink] = []
        sample_rate, listening = wanted.sample_rate, wanted.listening
        if self.file is not None and wanted.source is not None:
            from mlx_tts.narration.spoken_book import BookSink

            sinks.append(BookSink(self.file, wanted.source, sample_rate))
        elif self.file is not None and wanted.chapters is not None:
            sinks.append(ChapterSink(self.file, wanted.chapters, sample_rate))
        elif self.file is not None and is_stream(self.file):
            sinks.append(PipeSink(self.file, sample_rate))
        elif self.file is not None:
            sinks.append(AudioWriter(self.file, sample_rate, book=wanted.book))
        if self.stdout is not None:
            sinks.append(StreamSink(sys.stdout.buffer, sample_rate, FORMATS[self.stdout]))
        if self.play:
            from mlx_tts.audio.playback.ring import PreRoll
            from mlx_tts.audio.playback.speaker import SpeakerSink

            pre_roll = PreRoll(eager=wanted.live.latency == "low", expected_seconds=wanted.expected_seconds)
            if listening is None:
                sinks.append(SpeakerSink(sample_rate, wanted.live.device, wanted.say, pre_roll))
            else:
                from mlx_tts.audio.playback.player import AHEAD_SECONDS, Player

                speakers = SpeakerSink(sample_rate, wanted.live.device, wanted.say, pre_roll, AHEAD_SECONDS)
                sinks.append(player := Player(speakers, sample_rate, pre_roll))
                listening.attach(player)
        return sinks


def choose_destination(options: OutputOptions, live: LiveOptions, format: str | None = None) -> Destination:
    """Check the options; with none of them, play where that is possible and write speech.wav where it is not, or
    speech-2.wav where that exists: a name that nobody chose replaces no file."""
    if format is not None and options.output != STANDARD_OUTPUT:
        raise RequestError("--format is for -o -: a file's extension says its format")
    chosen = _chosen(options, live, format)
    if chosen.play:
        from mlx_tts.audio.playback.speaker import check_output_device

        check_output_device(live.device)
    if (file := chosen.file) is not None:
        check_writable(file)  # first, since the complaint about a folder should be that it is a folder
        kind = None if is_book(file) else format_of(file)
        if is_stream(resolved(file)) and kind is None:
            raise RequestError(f"{file} is a pipe or a device, and a book has to be a file: choose another name")
        if is_stream(resolved(file)) and kind is not None and not kind.streams:
            raise RequestError(f"{file} is a pipe or a device, and {kind.title} has to be a file: name it .m4a")
        if options.no_clobber and file.exists():
            raise RequestError(f"{file} exists: choose another name, or leave out --no-clobber")
    return chosen


def _chosen(options: OutputOptions, live: LiveOptions, format: str | None) -> Destination:
    if options.output == STANDARD_OUTPUT:
        if stdout_was_closed():
            raise RequestError("standard output is closed: give -o a file, or open it as in > speech.wav")
        if sys.stdout.isatty():
            raise RequestError(
                "audio is not for a terminal: pipe it to a program, as in `mlx-tts speak ... -o - | ffplay -`"
            )
        return Destination(stdout=format or "wav", play=options.play)
    if options.output is not None:
        return Destination(file=user_path(options.output), play=options.play)
    from mlx_tts.audio.playback.speaker import has_output_device

    if options.play or has_output_device(live.device):
        return Destination(play=True)
    from mlx_tts.library.preferences import preferences

    if not os.access(Path(), os.W_OK):
        raise RequestError(
            "there is no sound device, and this folder is read-only: give a file in another one, as in -o ~/hello.wav"
        )
    file = free_name(DEFAULT_FILE.with_suffix(f".{preferences().format or 'wav'}"))
    return Destination(file=file, note=" (no sound device found, so it was not played)")


def is_book(file: Path) -> bool:
    """Whether its ending says that it is an EPUB."""
    return file.suffix.lower() == BOOK


def free_name(file: Path) -> Path:
    """`file`, or where that exists the first of NAME-2, NAME-3, ... that does not."""
    number, free = 1, file
    while os.path.lexists(free):
        number += 1
        free = file.with_stem(f"{file.stem}-{number}")
    return free
