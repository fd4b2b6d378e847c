"""Damage of every kind: to values of JSON, to bytes, to what a file is."""

from __future__ import annotations

import json
import os
import random
import shutil
from pathlib import Path
from typing import Any

NUMBERS = (0, -1, 1, 2, 3, 7, 255, 256, 1024, 1536, 2047, 2048, 3071, 3072, 65535, 1 << 20, (1 << 31) - 1, 1 << 31, 1 << 32,
           1 << 63, 1 << 64, 10**30, 10**300, -(1 << 31), 0.5, -0.0, 1e-300, 1e308, 1.5)  # fmt: skip
WORDS = ("", " ", "x", "\x1b[2J\x1b[31m", "a" * 10_000, "\u202e", "\ud800", "\0", "../../../etc/passwd", "NaN", "\n", "é", "😀",
         "%s%s%n", "{}", "true", "auto", "english", "serena")  # fmt: skip
RAW = ("NaN", "Infinity", "-Infinity", "9" * 4000, "9" * 5000, "1e999", "[" * 50 + "]" * 50, "[" * 5000 + "]" * 5000,
       '{"a":' * 3000 + "1" + "}" * 3000, "-0", "01", "'x'", "tru", "", "1e-999", '"\\ud800"', "[[[[]]]]")  # fmt: skip
MARK = "@@raw@@"


def nasty(rng: random.Random) -> Any:
    kind = rng.randrange(6)
    if kind == 0:
        return rng.choice(NUMBERS)
    if kind == 1:
        return rng.choice(WORDS)
    if kind == 2:
        return rng.choice((None, True, False, [], {}, [[]], [1, 2, 3], {"a": 1}, [None] * 100, {"": {}}))
    if kind == 3:
        return [nasty(rng) for _ in range(rng.randrange(5))]
    if kind == 4:
        return {str(nasty(rng))[:50]: nasty(rng) for _ in range(rng.randrange(3))}
    return MARK


def edit_json(path: Path, rng: random.Random) -> None:
    """Change, add or take away something, somewhere; in what was damaged before, only bytes."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        edit_bytes(path, rng)
        return
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        where = data
        while isinstance(where, (dict, list)) and where:
            key = rng.choice(list(where)) if isinstance(where, dict) else rng.randrange(len(where))
            if not isinstance(where[key], (dict, list)) or not where[key] or rng.random() < 0.2:
                break
            where = where[key]
        else:
            break
        how = rng.randrange(10)
        if how == 0 and isinstance(where, dict):
            where[rng.choice(WORDS)] = nasty(rng)
        elif how == 1:
            del where[key]
        elif how < 5 and isinstance(where[key], (int, float)) and not isinstance(where[key], bool):
            where[key] = rng.choice((*NUMBERS, where[key] + 1, where[key] - 1, where[key] * 2, -where[key]))
        else:
            where[key] = nasty(rng)
    text = json.dumps(data)
    while f'"{MARK}"' in text:
        text = text.replace(f'"{MARK}"', rng.choice(RAW), 1)
    path.write_text(text, encoding="utf-8", errors="surrogatepass")


def edit_bytes(path: Path, rng: random.Random, first: int | None = None) -> None:
    """Flip, cut, repeat or insert bytes; first: how many at the beginning are changed most often."""
    data = bytearray(path.read_bytes())
    for _ in range(rng.choice((1, 1, 2, 8, 50))):
        most = min(len(data), first) if first and rng.random() < 0.8 else len(data)
        at, how = rng.randrange(most or 1), rng.randrange(6)
        if how == 0:
            data[at : at + 1] = bytes([rng.randrange(256)])
        elif how == 1:
            del data[at:]
        elif how == 2:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 40)))
        elif how == 3:
            del data[at : at + rng.randrange(1, 40)]
        elif how == 4:
            data[at : at + 8] = rng.choice((0, 1, 0xFF, 0x7F)).to_bytes(1, "little") * 8
        else:
            data[at:at] = data[at : at + rng.randrange(1, 400)]
    path.unlink()
    path.write_bytes(data)


def change_kind(path: Path, rng: random.Random) -> None:
    """Put something in the place of a file that is no such file."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
    kind = rng.randrange(9)
    if kind == 0:
        path.mkdir()
    elif kind == 1:
        os.mkfifo(path)
    elif kind == 2:
        path.symlink_to("/dev/zero")
    elif kind == 3:
        path.symlink_to(path.name)
    elif kind == 4:
        path.symlink_to("/nowhere/at/all")
    elif kind == 5:
        path.symlink_to("/dev/full")
    elif kind == 6:
        path.touch()
    elif kind == 7:
        path.symlink_to("/proc/self/mem")
    else:
        with path.open("wb") as file:
            file.truncate(rng.choice((1 << 20, 1 << 30, 1 << 36)))  # a hole, so it takes no room
