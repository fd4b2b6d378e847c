"""What is made of the results: the page, the manifests for training, the Parquet table."""

import json
import re
import warnings
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest

from mlx_tts.batch import BatchSettings, run_batch
from mlx_tts.batch.report import MOST_LISTED, Report
from mlx_tts.batch.run import How
from mlx_tts.batch.settings import Outputs
from mlx_tts.batch.tables import empty_row
from mlx_tts.errors import RequestError
from tests.helpers.stand_in_engine import StandInEngine, install

LINES = [
    {"id": "a", "text": "It was 1 pound | or <b>two</b>.", "voice": "ivy"},
    {"id": "b & c#1 100%", "text": "And\nmore."},
    {"id": "d", "text": "Good night."},
    {"id": "bad", "text": "<script>alert(1)</script>", "voice": "<img src=x>"},
]


@pytest.fixture
def engine(monkeypatch, tmp_path):
    monkeypatch.setenv("MLX_TTS_HOME", str(tmp_path / "home"))
    return install(monkeypatch, StandInEngine())


def make(folder, manifest=None, parquet=False, **settings):
    how = How(outputs=Outputs(manifest=manifest, parquet=parquet))
    return run_batch(LINES, folder, BatchSettings(model="tiny", **settings), how)


class Page(HTMLParser):
    """Every tag with its attributes, and the text outside style."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text, self.inside = [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.inside = tag

    def handle_data(self, data):
        if self.inside != "style":
            self.text.append(data)


def row(number, seconds=2.0, lufs=-20.0, text="Some words.", **more):
    return {
        **empty_row(f"line-{number}", number, "ok"),
        "file": f"line-{number}.wav",
        "seconds": seconds,
        "bytes": 1000,
        "text": text,
        "spoken": text,
        "voice": "ivy",
        "machine": "here",
        "lufs": lufs,
        "guard": {"takes": 1, "faults": [], "kept_fault": None},
        **more,
    }


def test_the_page_shows_all_and_loads_nothing_else(engine, tmp_path):
    make(tmp_path / "out")
    source = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    page = Page(source)
    assert not re.search(r"https?:|//[a-z]", source)
    tags = {tag for tag, _ in page.tags}
    assert not tags & {"script", "link", "img", "iframe", "b"}
    assert "default-src 'none'" in source
    players = [attributes["src"] for tag, attributes in page.tags if tag == "audio"]
    assert players and all((tmp_path / "out" / unquote(src)).is_file() for src in players)
    assert all(attributes["preload"] == "none" for tag, attributes in page.tags if tag == "audio")
    shown = "".join(page.text)
    for words in (
        "It was 1 pound | or <b>two</b>.",
        "b & c#1 100%",
        "bad (line 4)",
        "<img src=x>",
        "Speaking rate",
        "Loudness",
    ):
        assert words in shown


def test_the_page_names_what_stands_out():
    report = Report()
    for number in range(1, 401):
        report.add(row(number))
    report.add(row(500, seconds=30.0))
    report.add(row(501, lufs=-45.0))
    report.add(row(502, guard={"takes": 2, "faults": ["fell silent"], "kept_fault": None}))
    report.add(row(503, guard={"takes": 3, "faults": ["looped"], "kept_fault": "ran away"}))
    report.add({**empty_row("x", 504, "failed", "no voice"), "text": "Words."})
    text = "".join(Page(report.page()).text)
    assert "504" not in text.split("Not spoken")[0]
    assert "x (line 504)no voice" in text
    duration = text.split("Duration")[1].split("Speaking rate")[0]
    assert duration.split("Highest")[1].index("line-500 (line 500)30.0 s") < 60
    loudness = text.split("Loudness")[1]
    assert loudness.split("Lowest")[1].index("line-501 (line 501)-45.0 LUFS") < 60
    guard = text.split("Where the guard intervened")[1]
    assert guard.index("kept although the model ran away") < guard.index("take 2: fell silent")
    assert "made again by the guard, or kept with a fault2" in text


@pytest.mark.parametrize(("failures", "is_open"), [(10, True), (11, False)])
def test_many_failures_are_a_click_away(failures, is_open):
    report = Report()
    for number in range(failures):
        report.add({**empty_row(f"x{number}", number, "failed", "no voice"), "text": "Words."})
    assert report.page().count("no voice") == failures
    assert report.page().count("<details open>") == is_open


def test_bars_count_every_value():
    report = Report()
    for number in range(1000):
        report.add(row(number, seconds=1 + number / 1000))
    report.add(row(1001, seconds=1e6))
    counts = [
        int(count.replace(",", "")) for count in re.findall(r"s: ([\d,]+)</title>", report.page().split("Speaking")[0])
    ]
    assert (len(counts), sum(counts)) == (40, 1001)
    assert max(counts) < 60


def test_a_page_of_nothing_and_of_equal_values():
    assert "0" in Report().page()
    report = Report()
    report.add(row(1, lufs=None))
    assert "Loudness" not in report.page()


def test_the_page_does_not_grow_with_the_lines():
    small, large = Report(), Report()
    for number in range(100):
        small.add(row(number, text="x" * 5000))
    for number in range(3000):
        large.add(row(number, seconds=number / 7, text="x" * 5000))
    assert len(large.page()) < 1.5 * len(small.page()) < 500_000
    assert large.page().count("<audio") <= 6 * MOST_LISTED


def test_ljspeech(engine, tmp_path):
    make(tmp_path / "out", "ljspeech")
    lines = (tmp_path / "out" / "metadata.csv").read_text(encoding="utf-8").splitlines()
    assert [line.split("|") for line in lines] == [
        ["a", "It was 1 pound or <b>two</b>.", "It was one pound, or two."],
        ["b & c#1 100%", "And more.", "And more."],
        ["d", "Good night.", "Good night."],
    ]
    for name in ("a", "d"):
        assert (tmp_path / "out" / "wavs" / f"{name}.wav").read_bytes() == (
            tmp_path / "out" / f"{name}.wav"
        ).read_bytes()
    make(tmp_path / "out", "ljspeech")
    assert len(list((tmp_path / "out" / "wavs").iterdir())) == 3


def test_ljspeech_links_follow_files_that_are_made_again(engine, tmp_path):
    make(tmp_path / "out", "ljspeech")
    (tmp_path / "out" / "a.wav").unlink()
    make(tmp_path / "out", "ljspeech")
    assert (tmp_path / "out" / "wavs" / "a.wav").samefile(tmp_path / "out" / "a.wav")


def test_nemo(engine, tmp_path):
    make(tmp_path / "out", "nemo", hash_folders=True)
    entries = [
        json.loads(line) for line in (tmp_path / "out" / "manifest.json").read_text(encoding="utf-8").splitlines()
    ]
    assert [entry["text"] for entry in entries] == [line["text"] for line in LINES[:3]]
    for entry in entries:
        assert (tmp_path / "out" / entry["audio_filepath"]).is_file()
        assert entry["duration"] == pytest.approx(0.4, abs=0.01)
    assert entries[0]["normalized_text"].startswith("It was one pound") and entries[0]["speaker"] == "ivy"


def test_audiofolder(engine, tmp_path):
    make(tmp_path / "out", "audiofolder", format="flac")
    entries = [
        json.loads(line) for line in (tmp_path / "out" / "metadata.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert [(entry["file_name"], entry["transcription"]) for entry in entries] == [
        (f"{line['id']}.flac", line["text"]) for line in LINES[:3]
    ]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"manifest": "csv"}, "--manifest is 'csv': use ljspeech, nemo, audiofolder"),
        ({"manifest": "ljspeech", "format": "mp3"}, "--manifest ljspeech is for WAV files"),
        ({"manifest": "ljspeech", "hash_folders": True}, "wants all files in one folder"),
    ],
)
def test_manifests_that_cannot_be(engine, tmp_path, options, error):
    with pytest.raises(RequestError, match=error):
        make(tmp_path / "out", **options)


def test_the_parquet_table(engine, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="NOT CHECKED: Parquet, because pyarrow is not installed")
    make(tmp_path / "out", parquet=True)
    table = parquet.read_table(tmp_path / "out" / "results.parquet").to_pylist()
    lines = [json.loads(line) for line in (tmp_path / "out" / "results.jsonl").read_text(encoding="utf-8").splitlines()]
    assert table == lines


def test_words_that_a_recogniser_hears(engine, tmp_path, monkeypatch):
    from mlx_tts.audio import recogniser

    heard = []

    class Listener:
        def heard(self, samples, sample_rate, code):
            heard.append((len(samples), sample_rate, code))
            return recogniser.RecognisedSpeech("it was one pound or three", "en")

    monkeypatch.setattr(recogniser, "open_recogniser", lambda model, agrees, purpose: heard.append(model) or Listener())
    monkeypatch.setattr(recogniser, "check_recogniser", lambda purpose, model: None)
    run_batch(LINES[:1], tmp_path / "out", BatchSettings(model="tiny", verify="base", rate=8000, language="english"))
    assert heard == ["base", (3200, 8000, "en")]
    row = json.loads((tmp_path / "out" / "results.jsonl").read_text())
    assert (row["words"], row["wrong_words"]) == ("it was one pound or three", 1)


@pytest.mark.slow
def test_the_page_in_a_browser(engine, tmp_path):
    """No request leaves the folder, and a player plays."""
    import shutil

    browser = shutil.which("chromium") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        browser = None
    if browser is None:
        message = "NOT CHECKED: the page in a browser, because there is no chromium or no playwright"
        warnings.warn(message, stacklevel=1)
        pytest.skip(message)
    make(tmp_path / "out")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = chromium.new_page()
        asked, troubles = [], []
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: troubles.append(message.text))
        page.goto((tmp_path / "out" / "report.html").as_uri())
        page.evaluate("document.querySelector('details').open = true")
        seconds = page.evaluate(
            "new Promise((yes, no) => { const a = document.querySelector('audio'); a.onloadedmetadata = () => "
            "yes(a.duration); a.onerror = () => no(a.error.message); a.preload = 'auto'; a.load() })"
        )
        chromium.close()
    assert seconds == pytest.approx(0.4, abs=0.01)
    assert all(url.startswith("file:") for url in asked) and troubles == []
