"""Rows of results -> the list of files that trainers of voices and recognisers read."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mlx_tts.batch.outputs import Row, text_file
from mlx_tts.batch.tables import OK


@contextmanager
def manifest(folder: Path, kind: str) -> Iterator[Callable[[Row], None]]:
    """A function that takes rows; the manifest has its name when the block ends well.

    ljspeech: metadata.csv with `id|text as written|text as spoken`, and the files once more in wavs/, as links.
    nemo: manifest.json, a JSON object a line. audiofolder: metadata.jsonl beside the files, for `datasets`.
    """
    name, entry = {
        "ljspeech": ("metadata.csv", _ljspeech),
        "nemo": ("manifest.json", _nemo),
        "audiofolder": ("metadata.jsonl", _audiofolder),
    }[kind]
    with text_file(folder / name) as write:

        def take(row: Row) -> None:
            if row["status"] == OK:
                write(entry(row, folder) + "\n")

        yield take


def _ljspeech(row: Row, folder: Path) -> str:
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


def _nemo(row: Row, _folder: Path) -> str:
    return _json(
        audio_filepath=row["file"],
        duration=row["seconds"],
        text=row["text"],
        normalized_text=row["spoken"],
        speaker=row["voice"],
        lang=row["language"],
    )


def _audiofolder(row: Row, _folder: Path) -> str:
    return _json(
        file_name=row["file"],
        id=row["id"],
        transcription=row["text"],
        spoken=row["spoken"],
        speaker=row["voice"],
        language=row["language"],
        duration=row["seconds"],
    )


def _json(**values: Any) -> str:
    return json.dumps(values, ensure_ascii=False)
