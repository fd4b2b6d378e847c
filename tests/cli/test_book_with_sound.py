"""`-o book.epub`: the book with its sound and the times of its sentences, read with the package's own voice."""

from __future__ import annotations

import gc
import html
import io
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from mlx_tts.audio.files import decode
from mlx_tts.cli import run
from mlx_tts.narration.piece_store import store_folder
from mlx_tts.narration.spoken_book import BookSink, BookSource
from mlx_tts.text.source.blocks import Asides
from mlx_tts.text.source.epub_overlay import clock
from mlx_tts.text.source.overlay import Page, letters_of, places_of, spans_of, with_spans
from tests.helpers.epub3 import HEAD, write_epub3
from tests.helpers.paths import ROOT

SPEAK = ("--seed", "5", "--no-guard")
OURS = re.compile(r'<span id="mlx-tts-\d+">|</span>|<link rel="stylesheet"[^>]*/>')
EPUBCHECK = Path("/usr/share/java/epubcheck.jar")  # of Debian's package `epubcheck`


def seconds(text: str) -> float:
    hours, minutes, rest = text.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(rest)


def pars(book: zipfile.ZipFile, smil: str) -> list[tuple[str, str, float, float]]:
    """Id of the span, sound, begin and end of each."""
    found = []
    for par in ElementTree.fromstring(book.read(smil)).iterfind(".//{*}par"):
        text, audio = par.find("{*}text"), par.find("{*}audio")
        assert text is not None and audio is not None
        begin, end = (seconds(audio.attrib[name]) for name in ("clipBegin", "clipEnd"))
        found.append((text.attrib["src"].partition("#")[2], audio.attrib["src"], begin, end))
    return found


def words_at(page: str, name: str) -> str:
    """The text of an element, without what is small above the line."""
    element = next(one for one in ElementTree.fromstring(page).iter() if one.get("id") == name)
    return " ".join("".join(element.itertext()).split())


@pytest.fixture(scope="module")
def spoken(short_tiny, tmp_path_factory):
    folder = tmp_path_factory.mktemp("book")
    source = write_epub3(folder / "willows.epub")
    assert run(["speak", str(source), "-o", str(folder / "spoken.epub"), "--model", short_tiny, *SPEAK]) == 0
    return source, folder / "spoken.epub"


@pytest.mark.slow
def test_each_sentence_has_its_words_and_its_time(spoken):
    with zipfile.ZipFile(spoken[1]) as book:
        assert book.infolist()[0].filename == "mimetype"
        assert book.infolist()[0].compress_type == zipfile.ZIP_STORED
        one, two = (pars(book, f"OPS/mlx-tts/page-00{number}.smil") for number in (1, 2))
        pages = {name: book.read(f"OPS/Text/{name}.xhtml").decode() for name in ("one", "two")}
        sounds = {name: book.open(f"OPS/mlx-tts/{name}").read() for name in {par[1] for par in one + two}}
    assert [words_at(pages["one"], par[0]) for par in one] == [
        "The River Bank", "The Mole had been working very hard.", "“Bother! O blow!” he said, and ran1 up.",
        "All of this.", "Half", "of that.",
    ]  # fmt: skip
    assert [words_at(pages["two"], par[0]) for par in two] == [
        "The Open Road", "No. “Ratty,” said the Mole, “if you please, I want to ask.”", "漢かん is a word.",
        "The Wild Wood", "The Badger lived alone", "He did not mind it",
    ]  # fmt: skip
    assert {par[1] for par in two} == {"chapter-002.mp3", "chapter-003.mp3"}  # a file with two chapters
    for sound in sounds:
        own = [par for par in one + two if par[1] == sound]
        assert own[0][2] == 0
        assert all(before[3] == after[2] for before, after in pairwise(own))
        assert all(begin < end for _, _, begin, end in own)
        heard = decode(io.BytesIO(sounds[sound]), 24_000, 100)
        assert own[-1][3] == pytest.approx(len(heard) / 24_000, abs=0.1)
        for _, _, begin, end in own:  # somebody speaks in each
            assert np.abs(heard[round(24_000 * begin) : round(24_000 * end)]).max() > 0.05


@pytest.mark.slow
def test_what_was_in_the_book_is_as_it_was(spoken):
    with zipfile.ZipFile(spoken[0]) as before, zipfile.ZipFile(spoken[1]) as after:
        for name in before.namelist():
            if name.endswith("book.opf"):
                continue
            assert OURS.sub("", after.read(name).decode()) == before.read(name).decode(), name
        package = after.read("OPS/book.opf").decode()
    durations = re.findall(r'<opf:meta property="media:duration"([^>]*)>([^<]*)<', package)
    *parts, (whole_of, whole) = durations
    assert whole_of == "" and len(parts) == 2
    assert sum(seconds(time) for _, time in parts) == pytest.approx(seconds(whole), abs=1e-6)
    assert package.count("media-overlay=") == 2


@pytest.mark.slow
@pytest.mark.skipif(not EPUBCHECK.is_file() or not shutil.which("java"), reason="SKIPPED: epubcheck is not installed")
def test_epubcheck_has_nothing_to_say(spoken):
    for book in spoken:
        result = subprocess.run(
            ["java", "-jar", str(EPUBCHECK), str(book)], capture_output=True, text=True, timeout=120, check=False
        )
        assert result.returncode == 0, result.stdout + result.stderr
        assert "No errors or warnings detected" in result.stdout + result.stderr


@pytest.mark.long
def test_the_same_command_makes_the_same_book(spoken, short_tiny, tmp_path):
    again = tmp_path / "again.epub"
    assert run(["speak", str(spoken[0]), "-o", str(again), "--model", short_tiny, *SPEAK]) == 0
    assert again.read_bytes() == spoken[1].read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["again.epub"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda folder: write_epub3(folder / "b.epub", version="2.0"), "is an EPUB 2.0, which has no place for sound"),
        (lambda folder: folder.joinpath("b.epub").write_bytes(b"PK") and folder / "b.epub", "does not open as a zip"),
        (lambda folder: folder.joinpath("b.md").write_text("# One\n\nTwo.") and folder / "b.md", "give an EPUB as the"),
    ],
)
def test_what_cannot_have_sound_is_one_line_before_anything_is_spoken(tmp_path, make, says, capsys):
    assert run(["speak", str(make(tmp_path)), "-o", str(tmp_path / "spoken.epub")]) == 2
    said = capsys.readouterr().err
    assert says in said and len(said.strip().splitlines()) == 1
    assert not (tmp_path / "spoken.epub").exists()


@pytest.mark.slow
def test_a_book_with_sound_and_the_book_itself_are_refused(spoken, tmp_path, capsys):
    assert run(["speak", str(spoken[1]), "-o", str(tmp_path / "twice.epub")]) == 2
    assert "has sound in it already" in capsys.readouterr().err
    before = spoken[0].read_bytes()
    assert run(["speak", str(spoken[0]), "-o", str(spoken[0])]) == 2
    assert "is the book itself" in capsys.readouterr().err
    assert spoken[0].read_bytes() == before


@pytest.mark.long
def test_killed_and_resumed_is_the_same_book(tmp_path, capfd):
    """With one row: a row beside it may change the last bit of a sample, and then the MP3 in the book."""
    one = "One", '<h1 id="top">One</h1><p>Go on. It is so. No.</p>'
    two = "Two", '<h2>Two</h2><p>Yes.</p><h2 id="wood">Three</h2><p>So it is.</p>'
    source, cut, whole = (tmp_path / f"{name}.epub" for name in ("short", "cut", "whole"))
    write_epub3(source, one=one, two=two)
    asked = ["speak", str(source), "--seed", "5", "--rows", "1", "-o"]
    command = [sys.executable, "-m", "mlx_tts", *asked, str(cut)]
    process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, stderr=subprocess.DEVNULL)
    store, until = store_folder(cut), time.monotonic() + 120
    while len(list(store.glob("0*.flac"))) < 3 and time.monotonic() < until:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = len(list(store.glob("0*.flac")))
    assert 3 <= kept < 8 and not cut.exists()
    assert run([*asked, str(cut), "--resume"]) == 0
    assert f"{kept} of 8 pieces" in capfd.readouterr().err
    assert run([*asked, str(whole)]) == 0
    assert cut.read_bytes() == whole.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cut.epub", "short.epub", "whole.epub"]


def test_a_book_that_is_stopped_leaves_nothing_behind(tmp_path, monkeypatch):
    unraised: list[object] = []
    monkeypatch.setattr("sys.unraisablehook", unraised.append)
    source = write_epub3(tmp_path / "willows.epub")
    sink = BookSink(tmp_path / "spoken.epub", BookSource(source, Asides()), 24_000)
    sink.begin_chapter(0)
    sink.write(np.zeros(24_000, np.float32))
    assert sink.abandon() is None
    del sink
    gc.collect()
    assert unraised == []
    assert [path.name for path in tmp_path.iterdir()] == ["willows.epub"]


def marked_up(body: str, *sentences: str) -> list[list[str]]:
    """For each sentence the markup of its spans; the page without spans must be what it was."""
    markup = f"{HEAD.format(title='T')}{body}</body></html>"
    page = Page.of("a.xhtml", markup)
    places = places_of([page], [" ".join(sentences)], [(0, text) for text in sentences])
    spans = iter(spans_of(page, [place for place in places if place is not None]))
    found = [next(spans) if place is not None else [] for place in places]
    flat = [(*span, f"mlx-tts-{number}") for number, span in enumerate((span for own in found for span in own), 1)]
    changed = with_spans(page, flat)
    ElementTree.fromstring(changed.replace("&nbsp;", " "))
    assert OURS.sub("", changed) == markup
    return [[markup[start:end] for start, end in own] for own in found]


@pytest.mark.parametrize(
    ("body", "sentences", "expected"),
    [
        ("<p>One. Two!</p>", ["One.", "Two!"], [["One."], ["Two!"]]),
        ("<p><b>One</b>. <i>Two</i> three.</p>", ["One.", "Two three."], [["<b>One</b>."], ["<i>Two</i> three."]]),
        ("<p><i>One. Two</i> three.</p>", ["One.", "Two three."], [["One."], ["Two", "three."]]),
        ("<p>Caf&#233; &amp; tea.</p>", ["Café & tea."], [["Caf&#233; &amp; tea."]]),
        ("<p>Cafe\u0301. ﬁn</p>", ["Café.", "fin"], [["Cafe\u0301."], ["ﬁn"]]),
        ("<p>One.</p><p>Two.</p>", ["One. Two."], [["One.", "Two."]]),
        ("<p>Here is one.</p>", ["Not here.", "Here is one."], [[], ["Here is one."]]),
        ("<!-- One. --><p>One.</p>", ["One."], [["One."]]),
        ("<p>No. Another no. No.</p>", ["No.", "Another no.", "No."], [["No."], ["Another no."], ["No."]]),
        ("<p>x<sup>2</sup> is two.</p>", ["x² is two."], [["x<sup>2</sup> is two."]]),
        ("<p>The king<sup>1</sup> died.</p>", ["The king died."], [["The king<sup>1</sup> died."]]),
        ('<p>One <span title="a &gt; b">two</span>.</p>', ["One two."], [['One <span title="a &gt; b">two</span>.']]),
    ],
)
def test_spans_stand_around_sentences(body, sentences, expected):
    if "<span" in body:  # the author's own spans stay
        page = Page.of("a", body)
        (place,) = places_of([page], sentences, [(0, sentences[0])])
        assert place is not None
        assert [[body[start:end] for start, end in spans_of(page, [place])[0]]] == expected
    else:
        assert marked_up(body, *sentences) == expected


def test_letters_and_clock():
    assert letters_of("Ça, x² – ﬁn 10!") == "cax2fin10"
    assert letters_of(html.unescape("&eacute;")) == "e"
    assert clock(3_723_004) == "1:02:03.004"
