"""A book of 300 pages -> one .m4b: killed and resumed, chapters and tags read back, and memory that does not grow."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

from mlx_tts.narration.piece_store import store_folder
from scripts.make_book import AUTHOR, TITLE, make_book
from tests.helpers.fakes import make_folder
from tests.helpers.paths import ROOT

SHARE = 0.05  # of the usual length: 12 minutes of silence for the 300 pages, in as many pieces as ever
GROWTH_MIB = 60  # most that 300 pages may take more than 30: texts and the plan, no sound


@pytest.fixture(scope="module")
def desk(tmp_path_factory) -> Path:
    desk = tmp_path_factory.mktemp("desk")
    make_folder(desk / "model")
    return desk


def begin(desk: Path, book: str, *more: str) -> subprocess.Popen:
    engine = ROOT / "tests" / "helpers" / "silent_engine.py"
    line = ["speak", "--file", f"{book}.epub", "-o", f"{book}.m4b", "--model", "model", "--voice", "ryan", *more]
    return subprocess.Popen(
        [sys.executable, str(engine), str(SHARE), *line],
        cwd=desk,
        env={**os.environ, "PYTHONPATH": str(ROOT), "MLX_TTS_HOME": str(desk / "home")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def made(desk: Path, book: str, *more: str) -> tuple[int, str]:
    """Peak memory in MiB, and what was told."""
    process = begin(desk, book, *more)
    out, error = process.communicate(timeout=900)
    assert process.returncode == 0, error
    return int(out.split()[2]), error


def what_the_file_says(file: Path) -> tuple[list[tuple[str, float, float]], dict[str, str], float]:
    """Chapters (title, start, end), tags and length, by ffprobe, or by PyAV where there is none."""
    if shutil.which("ffprobe"):
        asked = ["ffprobe", "-v", "error", "-show_chapters", "-show_format", "-of", "json", str(file)]
        told = json.loads(subprocess.run(asked, capture_output=True, check=True).stdout)
        chapters = [(c["tags"]["title"], float(c["start_time"]), float(c["end_time"])) for c in told["chapters"]]
        return chapters, told["format"]["tags"], float(told["format"]["duration"])
    import av

    with av.open(str(file)) as book:
        chapters = [
            (c["metadata"]["title"], float(c["start"] * c["time_base"]), float(c["end"] * c["time_base"]))
            for c in book.chapters()
        ]
        return chapters, dict(book.metadata), float(book.duration) / 1e6


@pytest.mark.long
@pytest.mark.slow
def test_300_pages_killed_and_resumed(desk):
    titles = make_book(desk / "book.epub", 300)
    make_book(desk / "short.epub", 30)
    little, _ = made(desk, "short")
    process = begin(desk, "book")
    store, until = store_folder(desk / "book.m4b"), time.monotonic() + 300
    while len(list(store.glob("0*.flac"))) < 200:
        assert process.poll() is None and time.monotonic() < until
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert not (desk / "book.m4b").exists()
    kept = len(list(store.glob("0*.flac")))
    much, told = made(desk, "book", "--resume")
    assert f"{kept} of " in told
    assert much - little < GROWTH_MIB, f"{little} MiB for 30 pages, {much} MiB for 300"
    chapters, tags, seconds = what_the_file_says(desk / "book.m4b")
    assert [title for title, _, _ in chapters] == titles and len(titles) == 30
    assert (tags["title"], tags["artist"], tags["genre"]) == (TITLE, AUTHOR, "Audiobook")
    assert chapters[0][1] == 0 and chapters[-1][2] == pytest.approx(seconds, abs=0.2)
    assert all(before[2] == pytest.approx(after[1], abs=0.01) for before, after in pairwise(chapters))
    assert min(end - start for _, start, end in chapters) > 0.5 * seconds / len(chapters)
    assert sorted(path.name for path in desk.iterdir() if path.name.startswith((".book", "book"))) == [
        "book.epub",
        "book.m4b",
    ]
