"""Rows of results -> results.jsonl, and what else was asked for: a page, a Parquet table, a manifest for training."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from mlx_tts.batch.run_folder import REPORT, RESULTS
from mlx_tts.batch.settings import Outputs
from mlx_tts.batch.tables import SPOKEN, ResultRow
from mlx_tts.errors import AudioError
from mlx_tts.files.writing import OutputFile, write_output, write_whole

MANIFEST_FILES = {"ljspeech": "metadata.csv", "nemo": "manifest.json", "audiofolder": "metadata.jsonl"}
MANIFEST_COLUMNS = {  # what a manifest calls the columns of a result
    "nemo": {
        "audio_filepath": "file",
        "duration": "seconds",
        "text": "text",
        "normalized_text": "spoken",
        "speaker": "voice",
        "lang": "language",
    },
    "audiofolder": {
        "file_name": "file",
        "id": "id",
        "transcription": "text",
        "spoken": "spoken",
        "speaker": "voice",
        "language": "language",
        "duration": "seconds",
    },
}
PARQUET = "results.parquet"
NOT_SHOWN = ("key", "at")  # of use to the next run alone


def write_outputs(folder: Path, outputs: Outputs, rows: Iterable[ResultRow]) -> None:
    """Write the table, and with one pass over it the rest. Each is there as a whole, or as it was."""
    takers: list[Callable[[ResultRow], None]] = []
    kept: list[ResultRow] = []
    report = None
    if outputs.report:
        from mlx_tts.batch.report import Report

        report = Report()
        takers.append(report.add)
    if outputs.parquet:
        takers.append(kept.append)
    try:
        with ExitStack() as opened:
            takers.append(opened.enter_context(_lines(folder / RESULTS)))
            if outputs.manifest is not None:
                takers.append(opened.enter_context(_manifest(folder, outputs.manifest)))
            for row in rows:
                for name in NOT_SHOWN:
                    row.pop(name, None)
                for take in takers:
                    take(row)
        if report is not None:
            write_whole(folder / REPORT, report.page().encode())
    except OSError as error:
        raise AudioError(f"cannot write into {folder}: {error.strerror}") from None
    if outputs.parquet:
        write_parquet(folder / PARQUET, kept)


@contextmanager
def text_file(path: Path):  # type: ignore[no-untyped-def]  # of a function that takes text
    """A function that appends text to a file, which has its name when the block ends well."""
    file = OutputFile(path)
    try:
        yield lambda text: file.write(text.encode("utf-8", "replace"))
    except BaseException:
        file.discard()
        raise
    file.finish()


@contextmanager
def _lines(path: Path):  # type: ignore[no-untyped-def]  # of a function that takes rows
    with text_file(path) as write:
        yield lambda row: write(json.dumps(row, ensure_ascii=False) + "\n")


@contextmanager
def _manifest(folder: Path, kind: str) -> Iterator[Callable[[ResultRow], None]]:
    """A function that takes rows; the manifest has its name when the block ends well.

    ljspeech: metadata.csv with `id|text as written|text as spoken`, and the files once more in wavs/, as links.
    nemo: manifest.json, a JSON object a line. audiofolder: metadata.jsonl next to the files, for `datasets`.
    """
    with text_file(folder / MANIFEST_FILES[kind]) as write:

        def take(row: ResultRow) -> None:
            if row["status"] not in SPOKEN:
                return
            if kind == "ljspeech":
                entry = _ljspeech(row, folder)
            else:
                named = {name: row[column] for name, column in MANIFEST_COLUMNS[kind].items()}
                entry = json.dumps(named, ensure_ascii=False)
            write(entry + "\n")

        yield take


def _ljspeech(row: ResultRow, folder: Path) -> str:
    """Readers of this format know neither quotes nor other folders."""
    file = folder / str(row["file"])
    link = folder / "wavs" / file.name
    _link(file, link)
    texts = (" ".join(str(row[name]).replace("|", " ").split()) for name in ("text", "spoken"))
    return "|".join((file.stem, *texts))


def _link(file: Path, link: Path) -> None:
    """A second name for a file; a copy where the file system has only one for each."""
    with contextlib.suppress(FileNotFoundError):
        if file.samefile(link):
            return
        link.unlink()
    link.parent.mkdir(exist_ok=True)
    try:
        os.link(file, link)
    except OSError:
        shutil.copyfile(file, link)


def write_parquet(path: Path, rows: Sequence[ResultRow]) -> None:
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
    write_output(path, data.getvalue())
