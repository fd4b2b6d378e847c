"""The options of what is done to speech behind the model: speed, loudness, subtitles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from mlx_tts.cli.number_option import number_option
from mlx_tts.errors import RequestError

LEAST_LUFS, MOST_LUFS = -40.0, -5.0


@dataclass(frozen=True)
class SoundOptions:
    speed: Annotated[
        float, number_option("--speed", "Times as fast, at the same pitch; 1 is as the model speaks.", 0.25, 4)
    ] = 1.0
    loudness: Annotated[
        str | None,
        typer.Option(
            "--loudness",
            metavar="LUFS|off",
            help="Loudness (-16: podcasts). By default only peaks above -1 dBTP are turned down; off leaves them.",
            show_default=False,
        ),
    ] = None

    subtitles: Annotated[
        str | None,
        typer.Option(
            "--subtitles",
            metavar="FILE",
            help="Write when each sentence, then a piece of its own, is spoken: .srt, .vtt, .lrc or .json.",
            show_default=False,
        ),
    ] = None
    subtitle_level: Annotated[
        str,
        typer.Option("--subtitle-level", metavar="sentence|word", help="What --subtitles has the times of."),
    ] = "sentence"

    @property
    def target(self) -> float | None:
        """LUFS, or None to leave the loudness; RequestError for anything else."""
        if self.loudness in (None, "off"):
            return None
        try:
            target = float(self.loudness or "")
        except ValueError:
            target = float("nan")
        if not LEAST_LUFS <= target <= MOST_LUFS:
            raise RequestError(f"--loudness is {self.loudness!r}: give {LEAST_LUFS:g} to {MOST_LUFS:g} LUFS, or off")
        return target
