"""A JSONL, CSV or Parquet file, standard input, or rows from Python -> rows with their line numbers, read as needed."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from mlx_tts.batch.lines import COLUMNS, NumberedRow, must_have_columns
from mlx_tts.errors import AudioError, RequestError
from mlx_tts.extras import missing
from mlx_tts.files.reading import UnreadableFileError, open_regular, user_path
from mlx_tts.files.writing import is_stream, write_whole

MOST_LINE_BYTES = 1_000_000
DELIMITERS = ",;\t|"
Source = str | Path | Iterable[Mapping[str, Any]]
PARQUET_ROWS = 10_000  # read at a time


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
            yield number, f"is not JSON ({str(error)[:60]})"
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


def must_have_parquet() -> None:
    """RequestError where the extra is missing."""
    if find_spec("pyarrow") is None:
        raise RequestError(f"{missing('Parquet needs pyarrow', 'parquet')}, or use JSONL or CSV")


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
        raise RequestError(f"{name} cannot be read as Parquet{where} ({' '.join(str(error).split())[:100]})") from None


def write_parquet(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a table of results; it is there as a whole or as it was."""
    import pyarrow
    from pyarrow import parquet

    columns: dict[str, list[Any]] = {}
    for row in rows:
        for column in row:
            columns.setdefault(column, [])
    for column, values in columns.items():
        values += [row.get(column) for row in rows]
    data = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), data)
    try:
        write_whole(path, data.getvalue())
    except OSError as error:
        raise AudioError(f"cannot write {path}: {error.strerror}") from None
