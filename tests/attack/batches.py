"""Hostile tables of lines, read by the dry run; and damaged folders of batches, on which a run goes on."""

from __future__ import annotations

import json
import random
import shutil
from importlib.util import find_spec
from pathlib import Path

from tests.attack.edits import edit_bytes
from tests.attack.harness import HANG_SECONDS, Attack, command
from tests.attack.texts import text_of

NAMES = ("a", "A", "line-1", "../x", "a/b", "a\\b", ".", "..", ".x", "", " ", "a\0b", "\u202e", "CON", "é", "e\u0301", "x" * 300,
         "a:b", "-o", "\ud800", "😀", "a\nb", "results", "run.json", "~", "$HOME", "%s", "1", 1, 1.5, None, True, [], {})  # fmt: skip
VALUES = (None, "", "ivy", "nobody", "../ivy.safetensors", "/dev/zero", "en", "xx", 0, -1, 1e400, 2**70, "9" * 5000, "1.5",
          "nan", True, [], {"a": 1}, "tiny", "nonsense/model", "\x1b[2J", "Very calm.")  # fmt: skip
COLUMNS = ("id", "text", "voice", "language", "instruct", "speed", "seed", "file", "model", "id ", "more")
OPTIONS = ((), (), ("--strict",), ("--shard", "1/3"), ("--hash-folders",), ("--format", "mp3"), ("--no-markup",))


def row_of(rng: random.Random) -> dict[str, object]:
    row: dict[str, object] = {"id": rng.choice(NAMES), "text": text_of(rng, rng.choice((20, 200, 30_000)))}
    for column in rng.sample(COLUMNS, rng.randrange(4)):
        row[column] = rng.choice(NAMES if column in ("id", "file") else VALUES)
    return row


def table_of(rng: random.Random, folder: Path) -> Path:
    """A file of lines, most of them wrong in some way."""
    rows = [row_of(rng) for _ in range(rng.choice((1, 3, 20)))]
    kind = rng.choice(("jsonl", "jsonl", "csv", "tsv", "parquet", ""))
    path = folder / f"lines.{kind}" if kind else folder / "lines"
    if kind == "parquet" and find_spec("pyarrow"):
        import pyarrow
        from pyarrow import parquet

        columns = {name: [_text(row.get(name)) for row in rows] for name in COLUMNS[: rng.randrange(1, 8)]}
        parquet.write_table(pyarrow.table(columns), path)
    elif kind in ("csv", "tsv"):
        sign = "," if kind == "csv" else "\t"
        head = sign.join(rng.sample(COLUMNS, rng.randrange(1, 6)))
        cells = [
            [f'"{_text(value)}"' if rng.random() < 0.8 else _text(value) for value in row.values()] for row in rows
        ]
        lines = [head if rng.random() < 0.5 else sign.join(("id", "text")), *map(sign.join, cells)]
        path.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))
    else:
        path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    if rng.random() < 0.5:
        edit_bytes(path, rng)
    return path


def _text(value: object) -> str:
    return str(value).encode("utf-8", "replace").decode()


class Batches(Attack):
    name, count, quick = "batches", 2_000, 40

    def attempt(self, rng: random.Random, folder: Path) -> str | None:
        path = table_of(rng, folder)
        code, error = command(
            "batch", str(path), "-o", str(folder / "out"), *("--model", "tiny", "--dry-run"), *rng.choice(OPTIONS)
        )
        fault = self.check(folder, code, error)
        return fault or ("a dry run made a folder" if (folder / "out").exists() else None)


class BatchFolders(Attack):
    """run.json, tables and files of an earlier run; a run goes on or refuses, and never says that all is well if it is not."""

    name, count, quick = "batch-folders", 300, 6
    slow = 3 * HANG_SECONDS
    LINES = '{"id": "a", "text": "Hi."}\n{"id": "b", "text": "No."}\n'

    def prepare(self, place: Path) -> None:
        self.made = place / "made"
        (place / "lines.jsonl").write_text(self.LINES)
        code, error = command("batch", str(place / "lines.jsonl"), "-o", str(self.made), "--model", "tiny", "-q")
        assert code == 0, error

    def attempt(self, rng: random.Random, folder: Path) -> str | None:
        out = folder / "out"
        shutil.copytree(self.made, out)
        whole = {path.name: path.read_bytes() for path in self.made.glob("*.wav")}
        files = sorted(path for path in out.rglob("*") if path.is_file())
        for path in rng.sample(files, rng.choice((1, 1, 2))):
            how = rng.randrange(4)
            if how == 0:
                path.unlink()
            elif how == 1:
                path.write_bytes(b"")
            else:
                edit_bytes(path, rng)
        damaged = {path.name for path in out.glob("*.wav") if path.read_bytes() != whole[path.name]}
        (folder / "lines.jsonl").write_text(self.LINES)
        code, error = command("batch", str(folder / "lines.jsonl"), "-o", str(out), "--model", "tiny", "-q")
        fault = self.check(folder, code, error)
        if fault is None and code == 0:
            now = {path.name: path.read_bytes() for path in out.glob("*.wav")}
            # A file of the right length is taken for whole: what changed on the disk afterwards is not looked for.
            same = {name for name in whole if now.get(name) == whole[name] or name in damaged}
            fault = None if same == set(whole) else f"not made again: {sorted(set(whole) - same)}"
        return fault
