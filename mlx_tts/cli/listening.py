"""Keys and the speech that is played -> pauses, steps and another speed, and a line with the sentence being spoken."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mlx_tts.cli import keys
from mlx_tts.cli.console import Console
from mlx_tts.narration.sentence_times import SentenceTimes

if TYPE_CHECKING:
    from mlx_tts.audio.playback.player import Player
    from mlx_tts.narration.narrate import Spoken

HINT = "space pauses, left and right go a sentence back and forth, + and - change the speed, q quits"
SPEED_STEP = 0.1
UNKNOWN_COLUMNS = 80
NARROWEST = 20  # columns; in a narrower terminal the line is not cut any more


class Listening:
    """What a listener at a terminal sees and does. base_speed: --speed, which the speech has before it is played."""

    def __init__(self, terminal: int, console: Console, base_speed: float) -> None:
        self.sentences = SentenceTimes()
        self.has_quit = False
        self._terminal, self._console, self._base = terminal, console, base_speed
        self._player: Player | None = None
        self._shown = ""

    def attach(self, player: Player) -> None:
        self._player = player

    @contextlib.contextmanager
    def keys(self) -> Iterator[None]:
        self._console.daily_hint(HINT)
        with keys.Keys(self._terminal, self.pressed, self.show):
            yield

    def begins(self, part: Spoken, seconds: float, language: str) -> None:
        """This part is played next, from `seconds` of the speech on."""
        self.sentences.begin(part.piece, seconds, language, self._base)

    def pressed(self, key: str) -> None:
        player = self._player
        if player is None:
            return
        if key == keys.SPACE:
            player.pause(not player.paused)
        elif key in (keys.LEFT, keys.RIGHT):
            player.go_to(self.sentences.stepped(player.heard_seconds(), -1 if key == keys.LEFT else 1))
        elif key in (keys.PLUS, keys.MINUS):
            self._change_speed(player, SPEED_STEP if key == keys.PLUS else -SPEED_STEP)
        elif key == keys.QUIT and not self.has_quit:
            self.has_quit = True
            player.pause(True)
            os.kill(os.getpid(), signal.SIGINT)  # wakes the thread that waits for the model, as Ctrl-C does
        self.show()

    def _change_speed(self, player: Player, step: float) -> None:
        player.change_speed(round(self._base * player.speed + step, 2) / self._base)

    def show(self) -> None:
        """The line that overwrites itself, if it says something new."""
        if self._player is None or self.has_quit:
            return
        line = self.line(self._player)
        if line != self._shown:
            self._shown = line
            self._console.progress(line)

    def line(self, player: Player) -> str:
        seconds = player.heard_seconds()
        sentence = self.sentences.at(seconds)
        speed = self._base * player.speed
        parts = [f"{int(seconds) // 60}:{int(seconds) % 60:02}"]
        parts += ["paused"] if player.paused else []
        parts += [f"{speed:.2g}x"] if abs(speed - 1) > 0.001 else []
        return cut_to(f"{' '.join(parts)} | {sentence.text if sentence else ''}", columns())


def listening_for(plays: bool, reads_standard_input: bool, console: Console, speed: float) -> Listening | None:
    """None where nothing is played, or where nobody sits at a terminal."""
    if not (plays and console.shows_progress):
        return None
    terminal = keys.keyboard(reads_standard_input)
    return None if terminal is None else Listening(terminal, console, speed)


def columns() -> int:
    """Of the terminal that messages are shown on."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or UNKNOWN_COLUMNS
    except (OSError, ValueError):
        return UNKNOWN_COLUMNS


def cut_to(line: str, width: int) -> str:
    """As much of a line as fits: one that is wrapped could not be overwritten."""
    room = max(NARROWEST, width) - 1
    kept: list[str] = []
    used = 0
    for character in " ".join(line.split()):
        used += 2 if unicodedata.east_asian_width(character) in "WF" else not unicodedata.combining(character)
        if used > room:
            return "".join(kept[:-3]) + "..."
        kept.append(character)
    return "".join(kept)
