"""Rows of results -> results.jsonl, and what else was asked for: a page, a Parquet table, a manifest for training."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlx_tts.batch.folder import REPORT, RESULTS
from mlx_tts.errors import AudioError, RequestError
from mlx_tts.files.writing import OutputFile, write_whole

MANIFESTS = ("ljspeech", "nemo", "audiofolder")
PARQUET = "results.parquet"
NOT_SHOWN = ("key", "at")  # of use to the next run alone
BUFFER = 1 << 20
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Outputs:
    """manifest: one of MANIFESTS, or None."""

    report: bool = True
    parquet: bool = False
    manifest: str | None = None

    def check(self, settings: Any) -> None:
        """RequestError for what cannot be written."""
        if self.manifest is not None and self.manifest not in MANIFESTS:
            raise RequestError(f"--manifest is {self.manifest!r}: use {', '.join(MANIFESTS)}")
        if self.manifest == "ljspeech" and settings.format != "wav":
            raise RequestError("--manifest ljspeech is for WAV files: leave out --format")
        if self.manifest == "ljspeech" and settings.hash_folders:
            raise RequestError("--manifest ljspeech wants all files in one folder: leave out --hash-folders")
        if self.parquet:
            from mlx_tts.batch.parquet import must_have_parquet

            must_have_parquet()


def write_outputs(folder: Path, outputs: Outputs, rows: Iterable[dict[str, Any]]) -> None:
    """Write the table, and with one pass over it the rest. Each is there as a whole, or as it was."""
    takers: list[Callable[[Row], None]] = []
    kept: list[Row] = []
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
                from mlx_tts.batch.manifests import manifest

                takers.append(opened.enter_context(manifest(folder, outputs.manifest)))
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
        from mlx_tts.batch.parquet import write_parquet

        write_parquet(folder / PARQUET, kept)


@contextmanager
def text_file(path: Path):  # type: ignore[no-untyped-def]  # of a function that takes text
    """A function that appends text to a file, which has its name when the block ends well."""
    file = OutputFile(path)
    parts: list[str] = []
    size = 0

    def write(text: str) -> None:
        nonlocal size
        parts.append(text)
        size += len(text)
        if size > BUFFER:
            flush()

    def flush() -> None:
        nonlocal size
        file.write("".join(parts).encode("utf-8", "replace"))
        parts.clear()
        size = 0

    try:
        yield write
        flush()
    except BaseException:
        file.discard()
        raise
    file.finish()


@contextmanager
def _lines(path: Path):  # type: ignore[no-untyped-def]  # of a function that takes rows
    with text_file(path) as write:
        yield lambda row: write(json.dumps(row, ensure_ascii=False) + "\n")
