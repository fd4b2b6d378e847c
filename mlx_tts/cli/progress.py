"""What is told while and after speech is made: a line that overwrites itself, the guard's findings, the sum."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mlx_tts.cli.console import Console
from mlx_tts.speech import GuardReport

PREVIEW = 40  # characters of a text that are shown where something is said of it


@dataclass
class Counts:
    """What there is to say at the end. generated_seconds: without the time that speakers or a slow pipe take.
    expected_done: of the speech, in seconds at an ordinary pace."""

    samples: int = 0
    generated_seconds: float = 0.0
    first_seconds: float = 0.0
    expected_done: float = 0.0


def guard_line(report: GuardReport, text: str) -> str | None:
    """What the guard has to say of a piece, or None where all went well."""
    if report.line is None:
        return None
    shown = text if len(text) <= PREVIEW else f"{text[:PREVIEW].rstrip()}..."
    return f"at “{shown}” {report.line}"


def progress_line(counts: Counts, number: int, pieces: int, total_seconds: float, rate: int) -> str:
    """total_seconds: that all the speech takes at an ordinary pace. number: of the piece, from 0."""
    line = f"{counts.samples / rate:.1f} s spoken"
    if pieces < 2:
        return line
    line += f", piece {number + 1} of {pieces}"
    if counts.expected_done:
        left = counts.generated_seconds / counts.expected_done * (total_seconds - counts.expected_done)
        line += f", {_duration(left)} left"
    return line


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(0, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def sum_up(counts: Counts, skipped: list[str], kept: Path | None, note: str, rate: int, console: Console) -> None:
    """The last lines. Figures of speed are for terminals and for -v: in a script's log they are noise."""
    from mlx_tts.runtime.memory import peak_bytes

    seconds, generated = counts.samples / rate, counts.generated_seconds
    if skipped:
        console.say(f"skipped {len(skipped)} paragraphs with nothing to say in them (signs, pictures, markup)")
    if kept is not None:
        console.say(f"wrote {kept}{note}")
    if console.is_watched:
        console.say(
            f"{seconds:.2f} s of speech in {generated:.2f} s (real-time factor {generated / seconds:.2f}), "
            f"first audio after {counts.first_seconds:.2f} s, peak memory {peak_bytes() / 1e9:.2f} GB"
        )
