"""Audiobooks with chapters, title, author and cover; pieces that are kept, and one of them spoken anew."""

import struct
import zipfile
import zlib
from pathlib import Path

import av
import numpy as np
import pytest
import soundfile

from mlx_tts.cli import run
from tests.cli.test_speak import CUSTOM, models, place  # noqa: F401 (fixtures)

CONTAINER = '<container><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>'


def picture() -> bytes:
    def part(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + b"\xff\0\0" * 8 for _ in range(8))
    header = part(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b"")


def book(path: Path, chapters: int) -> Path:
    names = [f"c{number}" for number in range(chapters)]
    items = "".join(f'<item id="{n}" href="{n}.xhtml" media-type="application/xhtml+xml"/>' for n in names)
    refs = "".join(f'<itemref idref="{n}"/>' for n in names)
    package = (
        '<package xmlns:dc="x"><metadata><dc:title>The Harbour</dc:title>'
        "<dc:creator>Ann Example</dc:creator></metadata>"
        f'<manifest>{items}<item id="p" href="p.png" media-type="image/png" properties="cover-image"/></manifest>'
        f"<spine>{refs}</spine></package>"
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("META-INF/container.xml", CONTAINER)
        archive.writestr("a.opf", package)
        archive.writestr("p.png", picture())
        for number, name in enumerate(names, 1):
            page = f"<html><body><h1>Part {number} é</h1><p>Words of this part.</p></body></html>"
            archive.writestr(f"{name}.xhtml", page)
    return path


def test_an_audiobook_has_chapters_title_author_and_cover(models, place):  # noqa: F811
    book(place / "book.epub", 3)
    assert run(["speak", "--file", "book.epub", *CUSTOM, "-o", "book.m4b"]) == 0
    assert sorted(path.name for path in place.iterdir()) == ["book.epub", "book.m4b", "home"]
    with av.open("book.m4b") as made:
        assert (made.metadata["title"], made.metadata["artist"]) == ("The Harbour", "Ann Example")
        chapters = made.chapters()
        assert [chapter["metadata"]["title"] for chapter in chapters] == ["Part 1 é", "Part 2 é", "Part 3 é"]
        starts = [float(chapter["start"] * chapter["time_base"]) for chapter in chapters]
        ends = [float(chapter["end"] * chapter["time_base"]) for chapter in chapters]
        assert starts[1:] == pytest.approx(ends[:-1], abs=0.01)
        seconds = float(made.duration) / 1e6
        assert ends[-1] == pytest.approx(seconds, abs=0.1)
        assert starts[1] == pytest.approx(seconds / 3, rel=0.3)
        sound = np.concatenate([frame.to_ndarray()[0] for frame in made.decode(audio=0)])
        assert 0.25 < np.abs(sound).max() < 0.4
    with av.open("book.m4b") as made:
        assert next(packet.size for packet in made.demux(video=0) if packet.size) == len(picture())


def test_one_kept_piece_is_spoken_anew_with_other_draws(models, place, capfd):  # noqa: F811
    line = ["speak", "One. Two. Three.", *CUSTOM, "--sentence-pause", "0", "--seed", "7", "-o", "out.wav"]
    assert run([*line, "--redo", "2"]) == 2
    assert "with --keep-pieces first" in capfd.readouterr().err
    assert run([*line, "--keep-pieces"]) == 0
    assert len(list((place / "out.wav.pieces").glob("*.flac"))) == 3
    before = soundfile.info("out.wav").frames
    models.settings["frames"] = 10
    seeds = []
    for _ in range(2):
        assert run([*line, "--redo", "2"]) == 0
        (request,) = models.synthesizers[-1].requests
        assert request.text == "Two."
        seeds.append(request.seed)
    assert len({7, *seeds}) == 3
    assert before - soundfile.info("out.wav").frames == 15 * 1920
    assert run([*line, "--redo", "4"]) == 2
    assert "this text has 3 pieces" in capfd.readouterr().err
