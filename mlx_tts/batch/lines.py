"""A JSONL, CSV or Parquet file, standard input, or rows from Python -> lines that can be spoken, and those that cannot
with their numbers and reasons. Rows are read as they are needed."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from pathlib import Path, PurePath
from typing import Any, BinaryIO, NamedTuple

from mlx_tts.audio.formats import ENDINGS
from mlx_tts.batch.settings import BatchSettings, must_have_parquet
from mlx_tts.errors import RequestError
from mlx_tts.files.reading import UnreadableFileError, open_regular, user_path
from mlx_tts.files.writing import is_stream
from mlx_tts.setting import SettingError, as_given, settings_in
from mlx_tts.shortened import reason_of, shown
from mlx_tts.text.cast.cast_file import Cast, read_cast

SETTINGS = {name: known for name, known in settings_in(BatchSettings).items() if known.per_line}
NEEDED = ("id", "text")
COLUMNS = (*NEEDED, "file", *SETTINGS)
FIRST_COLUMNS = ("voice", "language", "instruct", "speed", "seed", "model")  # what a line's key has always been made of
KNOWN = frozenset(COLUMNS)
NOTHING_ASKED: Mapping[str, Any] = {}
MOST_CHARACTERS = 20_000  # of one text: about twenty minutes; longer ones are books
MOST_SHOWN = 40  # characters of a header that is wrong
LONGEST_NAME = 200  # bytes of an id: room for endings and for the names of unfinished files
NOT_IN_NAMES = set('/\\:*?"<>|')  # a path, or what some file system or table cannot hold
NumberedRow = tuple[int, "Mapping[str, Any] | str"]  # the line's number, and its fields or why it cannot be read
MOST_LINE_BYTES = 1_000_000
DELIMITERS = ",;\t|"
Source = str | Path | Iterable[Mapping[str, Any]]
PARQUET_ROWS = 10_000  # read at a time


class LineError(ValueError):
    """Why a line cannot be spoken: the end of a sentence that begins with its number."""


class Line(NamedTuple):
    """One utterance. number: of its line or row, from 1. file: the name of its file, without folder and ending.
    asked: its own settings by name; for all others the run's hold."""

    number: int
    id: str
    text: str
    file: str
    asked: Mapping[str, Any] = NOTHING_ASKED

    @property
    def key(self) -> str:
        """Says whether the line is still the one that a file was made from."""
        parts = (self.text, self.file, *(self.asked.get(name) for name in FIRST_COLUMNS))
        asked = {name: value.digest if isinstance(value, Cast) else value for name, value in self.asked.items()}
        if more := sorted((name, value) for name, value in asked.items() if name not in FIRST_COLUMNS):
            parts = (*parts, more)
        return hashlib.blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()


@dataclass(frozen=True, slots=True)
class BadLine:
    number: int
    id: str | None
    error: str


@dataclass
class Lines:
    """good and bad lines in the order of the file. ignored: columns that mean nothing here."""

    good: list[Line] = field(default_factory=list)
    bad: list[BadLine] = field(default_factory=list)
    ignored: set[str] = field(default_factory=set)


def read_lines(rows: Iterable[NumberedRow], ending: str, folder: Path | None = None) -> Lines:
    """Check every row. ending: of the files that are written, such as ".wav". folder: of the source, beside which casts
    lie; None is the current one. Of an id twice the first one counts."""
    lines, read_once = Lines(), cache(read_cast)  # thousands of rows may name one
    ids: dict[str, int] = {}
    files: dict[str, int] = {}
    for number, row in rows:
        if isinstance(row, str):
            lines.bad.append(BadLine(number, None, row))
            continue
        if not KNOWN.issuperset(row):
            lines.ignored |= {str(name) for name in row} - KNOWN
        try:
            line = _line(number, _with_cast(row, folder or Path(), read_once), ending)
            _must_be_new(line, ids, files)
        except LineError as error:
            lines.bad.append(BadLine(number, _shown_id(row), str(error)))
            continue
        lines.good.append(line)
    return lines


def _line(number: int, row: Mapping[str, Any], ending: str) -> Line:
    name = row.get("id")
    if type(name) is int:
        name = str(name)
    if name is None or name == "":
        raise LineError("has no id: give each line a name of its own")
    name = checked_name("id", name)
    text = row.get("text")
    if text is None or text == "":
        raise LineError("has no text")
    if not isinstance(text, str):
        raise LineError(f"has a text that is not a string: {shown(text)}")
    if len(text) > MOST_CHARACTERS:
        raise LineError(
            f"has a text of {len(text):,} characters, and {MOST_CHARACTERS:,} are the most: "
            "cut it, or use `mlx-tts speak --file` for a book"
        )
    if not any(character.isalnum() for character in text):
        raise LineError(f"has nothing to say in its text: {shown(text)}")
    file = row.get("file")
    return Line(
        number,
        name,
        text,
        name if file is None or file == "" else _file_name(file, ending),
        _asked(row),
    )


def checked_name(what: str, value: Any) -> str:
    """An id or a file's name in its normal form; LineError for what could leave the folder or is not a file's name."""
    if not isinstance(value, str):
        raise LineError(f"has {what} {shown(value)}: give a string")
    name = value if value.isascii() else unicodedata.normalize("NFC", value)
    if not NOT_IN_NAMES.isdisjoint(name) or name.startswith("."):
        signs = " ".join(sorted(NOT_IN_NAMES))
        raise LineError(
            f"has {what} {shown(name)}: a name may not hold a path, begin with a dot or have any of {signs}"
        )
    if not name.isprintable() or name != name.strip():
        raise LineError(f"has {what} {shown(name)}: a name may not have control characters or outer white space")
    if len(name.encode()) > LONGEST_NAME:
        raise LineError(f"has {what} {shown(name)} of {len(name.encode())} bytes: {LONGEST_NAME} are the most")
    return name


def name_key(name: str) -> str:
    """The spelling that ids are compared by: some file systems know no capitals, some no composed letters."""
    return name.lower() if name.isascii() else unicodedata.normalize("NFC", name.casefold())


def _must_be_new(line: Line, ids: dict[str, int], files: dict[str, int]) -> None:
    key = name_key(line.id)
    first = ids.setdefault(key, line.number)
    if first != line.number:
        raise LineError(f"has the id {shown(line.id)} of line {first}, which is the one that is spoken")
    key = key if line.file == line.id else name_key(line.file)
    first = files.setdefault(key, line.number)
    if first != line.number:
        del ids[name_key(line.id)]
        raise LineError(f"would write the same file as line {first}: {shown(line.file)}")


def _file_name(value: Any, ending: str) -> str:
    name = checked_name("file", value)
    suffix = Path(name).suffix.lower()
    if suffix not in ENDINGS:
        return name
    if suffix != ending:
        raise LineError(f"has file {shown(name)}, and this run writes {ending}: leave the ending out, or give --format")
    return checked_name("file", name[: -len(suffix)])


def _asked(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The line's own settings."""
    asked = {}
    for name, value in row.items():
        if name in SETTINGS and value is not None and value != "":
            try:
                asked[name] = SETTINGS[name].read(name, value)
            except SettingError as error:
                raise LineError(f"has {name} {as_given(value)}: {error.advice}") from None
    return asked or NOTHING_ASKED


def _with_cast(row: Mapping[str, Any], folder: Path, read: Callable[[Path], Cast]) -> Mapping[str, Any]:
    """The row with the cast in place of its file's name."""
    name = row.get("cast")
    if name is None or name == "" or isinstance(name, Cast):
        return row
    if not isinstance(name, str):
        raise LineError(f"has cast {shown(name)}: give the name of a file that `mlx-tts cast` wrote")
    path = PurePath(name)
    if path.is_absolute() or ".." in path.parts:  # a table may come from elsewhere
        raise LineError(f"has cast {shown(name)}: give a file beside the table, or in a folder beside it")
    try:
        return {**row, "cast": read(folder / path)}
    except RequestError as error:
        raise LineError(f"cannot be spoken: {error}") from None


def _shown_id(row: Mapping[str, Any]) -> str | None:
    name = row.get("id")
    return str(name)[:LONGEST_NAME] if isinstance(name, (str, int)) and name != "" else None


# Rows of a source.


def read_rows(source: Source) -> Iterator[NumberedRow]:
    """Every row of a source, with its number. "-" is standard input. RequestError where the source itself is wrong."""
    if not isinstance(source, (str, Path)):
        yield from _given(source)
        return
    with ExitStack() as opened:
        if str(source) == "-":
            if sys.stdin.isatty():
                raise RequestError("no lines: give a file, or send them through a pipe")
            file: Any = sys.stdin.buffer
        else:
            file = opened.enter_context(_open(user_path(str(source))))
        name = "standard input" if str(source) == "-" else str(source)
        rows = _rows(file, name, Path(str(source)).suffix.lower())
        first = next(rows, None)
        if first is None:
            raise RequestError(f"{name} has no lines: give at least one with an id and a text")
        yield from chain([first], rows)


def _given(rows: Iterable[Mapping[str, Any]]) -> Iterator[NumberedRow]:
    for number, row in enumerate(rows, 1):
        yield (
            number,
            row if isinstance(row, Mapping) else f"is a {type(row).__name__}: give mappings of names to values",
        )


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb") if is_stream(path) else open_regular(path)
    except FileNotFoundError:
        raise RequestError(f"no file {path}: give a JSONL, CSV or Parquet file, or - for standard input") from None
    except UnreadableFileError as error:
        raise RequestError(f"{path} {error}") from None
    except OSError as error:
        raise RequestError(f"{path} cannot be read ({error.strerror})") from None


def _rows(file: BinaryIO, name: str, ending: str) -> Iterator[NumberedRow]:
    """By the ending of the name, and where that says nothing by how the file begins."""
    head = file.peek(16)[:16] if isinstance(file, io.BufferedReader) else b""
    if ending == ".parquet" or head.startswith(b"PAR1"):
        return parquet_rows(file, name)
    is_json = ending in (".jsonl", ".ndjson", ".json")
    if is_json or (ending not in (".csv", ".tsv") and head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[")):
        return json_rows(file)
    return csv_rows(file, name)


def json_rows(file: BinaryIO) -> Iterator[NumberedRow]:
    """One JSON object a line; empty lines do not count."""
    decoder = json.JSONDecoder(parse_constant=_no_number)
    for number, line in _lines(file):
        if line is None:
            yield number, f"is longer than {MOST_LINE_BYTES:,} bytes"
            continue
        if not line.strip():
            continue
        try:
            value = decoder.decode(line.decode("utf-8-sig" if number == 1 else "utf-8"))
        except UnicodeDecodeError as error:
            yield number, f"is not UTF-8 text (byte {error.start}): convert it first"
        except json.JSONDecodeError as error:
            yield number, f"is not JSON ({error.msg} at character {error.pos + 1})"
        except RecursionError:
            yield number, "is nested too deeply"
        except ValueError as error:  # NaN, or a number of thousands of digits
            yield number, f"is not JSON ({reason_of(error, 60)})"
        else:
            yield number, value if isinstance(value, dict) else 'is not a JSON object: give {"id": ..., "text": ...}'


def _lines(file: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """(number, bytes); None for a line that is too long to be one."""
    number = 0
    while line := file.readline(MOST_LINE_BYTES + 1):
        number += 1
        if len(line) <= MOST_LINE_BYTES or line.endswith(b"\n"):
            yield number, line
            continue
        while line and not line.endswith(b"\n"):
            line = file.readline(MOST_LINE_BYTES)
        yield number, None


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is not a number in JSON")


def csv_rows(file: BinaryIO, name: str) -> Iterator[NumberedRow]:
    """A table with a header; cells may have line breaks in quotes. A row's number is that of its first line."""
    text = (
        "\0" if line is None else line.decode("utf-8-sig" if number == 1 else "utf-8", "surrogateescape")
        for number, line in _lines(file)
    )
    head = next(text, "")
    if not head.strip():
        return
    delimiter = max(DELIMITERS, key=head.count)
    reader = csv.reader(chain([head], text), delimiter=delimiter, strict=False)
    try:
        header = [cell.strip().casefold() for cell in next(reader)]
    except csv.Error as error:
        raise RequestError(f"{name} does not begin with the header of a CSV file ({error})") from None
    must_have_columns(name, header)
    while True:
        number = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield number, f"is not a line of a CSV file ({error})"
            continue
        if not any(cells):
            continue
        if len(cells) > len(header):
            yield number, f"has {len(cells)} cells, and the header has {len(header)}: put texts with commas in quotes"
        elif not all(map(_is_utf8, cells)):
            yield number, "is not UTF-8 text: convert the file first"
        else:
            yield number, dict(zip(header, cells, strict=False))


def _is_utf8(cell: str) -> bool:
    if cell.isascii():
        return True
    try:
        cell.encode()
    except UnicodeEncodeError:
        return False
    return True


def parquet_rows(file: BinaryIO, name: str) -> Iterator[NumberedRow]:
    """The rows of a Parquet file, numbered from 1; columns that mean nothing here are not read."""
    must_have_parquet()
    import pyarrow
    from pyarrow import parquet

    number = 0
    try:
        table = parquet.ParquetFile(file)
        must_have_columns(name, table.schema_arrow.names)
        wanted = [column for column in table.schema_arrow.names if column in COLUMNS]
        for batch in table.iter_batches(batch_size=PARQUET_ROWS, columns=wanted):
            for row in batch.to_pylist():
                number += 1
                yield number, row
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        where = f" behind row {number}" if number else ""
        raise RequestError(f"{name} cannot be read as Parquet{where} ({reason_of(error, 100)})") from None


def must_have_columns(name: str, columns: Iterable[str]) -> None:
    """RequestError for a table without the columns that every line needs."""
    known = list(columns)
    missing = [column for column in NEEDED if column not in known]
    if missing:
        begins = shown(", ".join(known), MOST_SHOWN)
        raise RequestError(
            f"{name} has no column {' and no '.join(missing)} (it begins with {begins}): the header names id, text "
            f"and, if you like, {', '.join(COLUMNS[2:6])} and others; for one text take `mlx-tts speak`"
        )
    if twice := [column for column in COLUMNS if known.count(column) > 1]:
        raise RequestError(f"{name} has the column {twice[0]} twice: rename one of them")
