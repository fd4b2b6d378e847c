"""Programs that get ready side by side and are timed one after the other, in turns: a host's noise hits all alike.

`take()` in a program: True when it is its turn, False when there are no more; alone, a program has TURNS_ALONE turns.
python benchmarks/turns.py FOLDER --rounds 3 NAME...    the keeper: each named program takes its turn, round by round

A program's name is TURN_NAME, the folder TURNS. The keeper waits for those that are not ready (with `--rounds 0` it
does no more), leaves out who has ended (NAME.dead), and ends whose turn is too long, by its process group (NAME.group).
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import time
from contextlib import suppress
from pathlib import Path

ALONE = 3
POLL_SECONDS = 0.05
_taken, _round = 0, ""


def _file(kind: str) -> Path | None:
    folder = os.environ.get("TURNS")
    return Path(folder) / f"{os.environ['TURN_NAME']}.{kind}" if folder else None


def take() -> bool:
    """Wait for the next turn; the one before is over."""
    global _taken, _round
    _taken += 1
    _round = str(_taken)
    waiting = _file("waiting")
    if waiting is None:
        return _taken <= int(os.environ.get("TURNS_ALONE", ALONE))
    go, end = waiting.with_suffix(".go"), waiting.parent / "end"
    waiting.touch()
    while not go.exists():
        if end.exists():
            return False
        time.sleep(POLL_SECONDS)
    _round = go.read_text()
    go.unlink()
    return True


def tell(**figures: object) -> None:
    """Keep the figures of a turn, a line of JSON, for `turn_table.py`; with the program's name and the round."""
    line = json.dumps({"name": os.environ.get("TURN_NAME", "alone"), "turn": _round, **figures})
    print(line, flush=True)
    if folder := os.environ.get("TURNS"):
        with (Path(folder) / "figures.jsonl").open("a", encoding="utf-8") as file:
            file.write(line + "\n")


class Keeper:
    def __init__(self, folder: Path, names: list[str], ready_seconds: float, turn_seconds: float):
        self.folder, self.names, self.turn_seconds = folder, names, turn_seconds
        self.ready_by = time.monotonic() + ready_seconds

    def ready(self, name: str) -> bool:
        """Wait until the program waits for its turn, or is dead."""
        waiting, dead = self.folder / f"{name}.waiting", self.folder / f"{name}.dead"
        while not waiting.exists():
            if dead.exists() or time.monotonic() > self.ready_by:
                print(f"turns: {name} {'ended' if dead.exists() else 'is not ready'}", flush=True)
                return False
            time.sleep(POLL_SECONDS)
        return True

    def turn(self, name: str, round_: int) -> None:
        waiting, dead = self.folder / f"{name}.waiting", self.folder / f"{name}.dead"
        begin = time.monotonic()
        waiting.unlink()
        go = self.folder / f"{name}.go"
        with_text = go.with_suffix(".almost")
        with_text.write_text(f"{os.getpid()}.{round_ + 1}")
        with_text.rename(go)  # not there before its text is
        while not waiting.exists() and not dead.exists():
            if time.monotonic() - begin > self.turn_seconds:
                print(f"turns: {name} took more than {self.turn_seconds:.0f} s and is ended", flush=True)
                with suppress(ProcessLookupError, FileNotFoundError):
                    os.killpg(int((self.folder / f"{name}.group").read_text()), signal.SIGKILL)
                return
            time.sleep(POLL_SECONDS)
        print(f"turns: round {round_ + 1}, {name}: {time.monotonic() - begin:.1f} s", flush=True)

    def run(self, rounds: int, end_by: float) -> None:
        """Who is late joins in a later round."""
        begin = time.monotonic()
        ready = sum([self.ready(name) for name in self.names])
        print(f"turns: {ready} of {len(self.names)} are ready after {time.monotonic() - begin:.0f} s", flush=True)
        for round_ in range(rounds):
            for at in range(len(self.names)):
                name = self.names[(at + round_) % len(self.names)]
                if (self.folder / f"{name}.waiting").exists() and time.monotonic() < end_by:
                    self.turn(name, round_)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ready-seconds", type=float, default=200, help="for all programs to get ready")
    parser.add_argument("--turn-seconds", type=float, default=30, help="the most that a turn may take")
    parser.add_argument("--seconds", type=float, default=1e9, help="after which no turn begins")
    options = parser.parse_args()
    end_by = time.monotonic() + options.seconds
    keeper = Keeper(options.folder, options.names, options.ready_seconds, options.turn_seconds)
    keeper.run(options.rounds, end_by)


if __name__ == "__main__":
    main()
