"""A Parquet file <-> rows, by pyarrow of the extra `parquet`, which is imported when it is needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

from mlx_tts.batch.lines import COLUMNS, Row, must_have_columns
from mlx_tts.errors import AudioError, RequestError

ROWS = 10_000  # read at a time
MISSING = "Parquet needs pyarrow: `pip install 'mlx-tts[parquet]'`, or use JSONL or CSV"


def must_have_parquet() -> None:
    """RequestError where the extra is missing."""
    if find_spec("pyarrow") is None:
        raise RequestError(MISSING)


def parquet_rows(file: BinaryIO, name: str) -> Iterator[Row]:
    """The rows of a Parquet file, numbered from 1; columns that mean nothing here are not read."""
    must_have_parquet()
    import pyarrow
    from pyarrow import parquet

    number = 0
    try:
        table = parquet.ParquetFile(file)
        must_have_columns(name, table.schema_arrow.names)
        wanted = [column for column in table.schema_arrow.names if column in COLUMNS]
        for batch in table.iter_batches(batch_size=ROWS, columns=wanted):
            for row in batch.to_pylist():
                number += 1
                yield number, row
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        where = f" behind row {number}" if number else ""
        raise RequestError(f"{name} cannot be read as Parquet{where} ({' '.join(str(error).split())[:100]})") from None


def write_parquet(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a table of results; it is there as a whole or as it was."""
    import io

    import pyarrow
    from pyarrow import parquet

    from mlx_tts.files.writing import write_whole

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
