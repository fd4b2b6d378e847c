"""Marks of a speech as they come -> a file of subtitles: .srt, .vtt, .lrc or .json, by its ending."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from mlx_tts.errors import RequestError
from mlx_tts.files.writing import partial_file, write_output
from mlx_tts.shortened import shown
from mlx_tts.speech import Mark

LEVELS = ("sentence", "word")


class SubtitleFile:
    """Takes marks in their order; `finish` writes the file, `abandon` what there is, under a name that says so."""

    def __init__(self, path: Path, level: str = "sentence"):
        self._path, self._level = path, level
        self._write = FORMATS[check_subtitles(path, level)]
        self._marks: list[Mark] = []

    def add(self, marks: Sequence[Mark]) -> None:
        self._marks += [mark for mark in marks if mark.level == self._level]

    def finish(self) -> Path:
        return self._written_to(self._path)

    def abandon(self) -> Path | None:
        if not self._marks:
            return None
        return self._written_to(partial_file(self._path))

    def _written_to(self, path: Path) -> Path:
        write_output(path, self._write(self._marks).encode("utf-8", "replace"))
        return path


def check_subtitles(path: Path, level: str) -> str:
    """The ending in lower case; RequestError names the ones that there are."""
    if level not in LEVELS:
        raise RequestError(f"--subtitle-level is {shown(level)}: use {' or '.join(LEVELS)}")
    ending = path.suffix.lower()
    if ending not in FORMATS:
        raise RequestError(f"--subtitles is {path}: its name must end in {', '.join(FORMATS)}")
    return ending


def as_srt(marks: Sequence[Mark]) -> str:
    cues = [
        f"{number}\n{_clock(mark.start, ',')} --> {_clock(mark.end, ',')}\n{_line(mark.text)}\n"
        for number, mark in enumerate(marks, 1)
    ]
    return "\n".join(cues)


def as_vtt(marks: Sequence[Mark]) -> str:
    cues = [f"{_clock(mark.start, '.')} --> {_clock(mark.end, '.')}\n{_escaped(mark.text)}\n" for mark in marks]
    return "\n".join(["WEBVTT\n", *cues])


def as_lrc(marks: Sequence[Mark]) -> str:
    """The lines of a song's text: only beginnings, in hundredths of a second."""
    lines = []
    for mark in marks:
        hundredths = round(mark.start * 100)
        minutes, rest = divmod(hundredths, 6000)
        lines.append(f"[{minutes:02}:{rest // 100:02}.{rest % 100:02}]{_line(mark.text)}\n")
    return "".join(lines)


def as_json(marks: Sequence[Mark]) -> str:
    """[{"text", "start", "end", "level", "estimated"}], in seconds."""
    return json.dumps([asdict(mark) for mark in marks], ensure_ascii=False, indent=1) + "\n"


FORMATS: dict[str, Callable[[Sequence[Mark]], str]] = {".srt": as_srt, ".vtt": as_vtt, ".lrc": as_lrc, ".json": as_json}


def _clock(seconds: float, point: str) -> str:
    milliseconds = round(seconds * 1000)
    minutes, rest = divmod(milliseconds, 60_000)
    return f"{minutes // 60:02}:{minutes % 60:02}:{rest // 1000:02}{point}{rest % 1000:03}"


def _line(text: str) -> str:
    return " ".join(text.split())


def _escaped(text: str) -> str:
    """WebVTT reads tags and entities; an arrow would end the cue's text."""
    return _line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
