"""What the page asks the server for, without a browser: files of the page, plans, documents, samples, whole files."""

import base64
import io
import json
import re
import struct

import av
import httpx
import numpy as np
import pytest
import soundfile

from mlx_tts.narration.subtitles import as_json
from mlx_tts.server.page.routes import WEB
from mlx_tts.speech import Mark
from mlx_tts.text.cutting.pace import expected_seconds
from mlx_tts.text.source.documents import read_document
from tests.helpers.books import CHAPTERS, TITLE, cover, epub

pytestmark = pytest.mark.slow  # a server is started

BROWSER = {"Accept": "text/html,application/xhtml+xml"}


def sounding(seconds: float, rate: int = 24_000) -> bytes:
    time = np.arange(round(seconds * rate)) / rate
    return (8000 * np.sin(2 * np.pi * 220 * time)).astype("<i2").tobytes()


def whole_file(server, samples: bytes, **head) -> httpx.Response:
    text = json.dumps({"format": "mp3", "sample_rate": 24_000, **head}).encode()
    body = struct.pack("<I", len(text)) + text + samples
    return httpx.post(f"{server.url}/page/api/file", content=body, timeout=60)


# The page's own files.


def test_browsers_get_the_page_and_programs_the_facts(server):
    page = httpx.get(f"{server.url}/", headers=BROWSER)
    assert page.headers["content-type"].startswith("text/html")
    assert "<textarea" in page.text
    assert httpx.get(f"{server.url}/").json()["service"] == "mlx-tts"


def test_the_policy_allows_this_server_alone(server):
    policy = httpx.get(f"{server.url}/", headers=BROWSER).headers["content-security-policy"]
    assert "script-src 'self';" in policy and "style-src 'self';" in policy and "default-src 'none'" in policy
    assert "unsafe" not in policy and "http" not in policy


def test_every_file_that_the_page_names_is_there_and_all_are_small():
    files = {path.name: path.read_text(encoding="utf-8") for path in WEB.iterdir()}
    named = {
        name for text in files.values() for name in re.findall(r'(?:/page/|from "\./|import\("\./)([\w.-]+)"', text)
    }
    assert named <= set(files) and named >= {"main.js", "page.css", "worklet.js"}
    assert set(files) - named == {"index.html"}
    assert sum(len(text.encode()) for text in files.values()) <= 170_000
    for name, text in files.items():
        assert not re.search(r"https?://(?!www\.w3\.org/)", text), name  # nothing of another host
        assert not re.search(r"\son\w+=|\sstyle=|<script>", text) or name.endswith(".js"), name  # the policy forbids it
        assert len(text.splitlines()) <= 300, name


@pytest.mark.parametrize("name", ["nothing.js", "..%2Fapp.py", "%2e%2e/app.py", "routes.py", "api"])
def test_only_the_pages_files_are_given(server, name):
    assert httpx.get(f"{server.url}/page/{name}").status_code == 404


@pytest.mark.parametrize("name", ["plan", "document", "sample", "file"])
def test_pages_of_other_sites_may_not_use_it(server, name):
    answer = httpx.post(f"{server.url}/page/api/{name}", content=b"x", headers={"Origin": "https://evil.example"})
    assert answer.status_code == 403


# Plans and marks.


def test_a_plan_is_read_with_the_requests_own_lexicon(server):
    lexicon = [{"match": "gif", "say": "jiffy"}, {"match": "Łódź", "say": "Woodge"}]
    body = {"input": "A GIF of Łódź.", "lexicon": lexicon}
    answer = httpx.post(f"{server.url}/page/api/plan", json=body).json()
    assert [piece["spoken"] for piece in answer["pieces"]] == ["A jiffy of Woodge."]
    lexicon[0]["say"] = ""
    refused = httpx.post(f"{server.url}/page/api/plan", json=body)
    assert refused.status_code == 400 and refused.json()["error"]["param"] == "lexicon"


def test_a_plan_has_the_words_and_the_sentences(server):
    body = {"input": "One. Two is 2.\n\nThree.", "voice": "ivy"}
    plan = httpx.post(f"{server.url}/page/api/plan", json=body).json()
    assert [piece["sentences"] for piece in plan["pieces"]] == [["One.", "Two is 2."], ["Three."]]
    assert plan["pieces"][0]["spoken"] == "One. Two is two."
    assert plan["model"] == "tiny"


def test_plain_words_have_no_markup(server):
    body = {"input": "# No heading\n\nA *star*.", "voice": "ivy"}
    marked = httpx.post(f"{server.url}/page/api/plan", json=body).json()
    plain = httpx.post(f"{server.url}/page/api/plan", json={**body, "plain": True}).json()
    assert [piece["text"] for piece in marked["pieces"]] == ["No heading", "A star."]
    assert "*star*" in plain["pieces"][-1]["text"]


def events(server, **body) -> list[dict]:
    answer = server.post(stream_format="sse", response_format="pcm", **body)
    return [json.loads(line.removeprefix("data: ")) for line in answer.text.split("\n\n") if line]


@pytest.mark.long
def test_marks_come_with_the_sound(server):
    import mlx_tts

    text = "Hi. Go.\n\nNo."
    heard = events(server, input=text, voice="ivy", seed=3, marks=True)
    pieces = [event for event in heard if event["type"] == "speech.audio.piece"]
    marks = [mark for event in heard if event["type"] == "speech.audio.marks" for mark in event["marks"]]
    assert [piece["text"] for piece in pieces] == ["Hi. Go.", "No."]
    assert all(mark["estimated"] for piece in pieces for mark in piece["marks"] if mark["level"] == "word")
    assert abs(pieces[1]["start"] - next(mark["start"] for mark in marks if mark["text"] == "No.")) < 0.2
    faster = events(server, input=text, voice="ivy", seed=3, marks=True, speed=2.0)
    quick = [mark for event in faster if event["type"] == "speech.audio.marks" for mark in event["marks"]]
    with mlx_tts.load("tiny") as tts:
        same = [mark for chunk in tts.narrate(text, voice="ivy", seed=3) for mark in chunk.marks]
    rounded = [Mark(m.text, round(m.start, 3), round(m.end, 3), m.level, m.estimated) for m in same]
    assert json.loads(as_json(rounded)) == marks
    assert [mark["end"] for mark in quick] == pytest.approx([mark["end"] / 2 for mark in marks], abs=0.02)


def test_marks_are_for_those_who_ask(server):
    heard = events(server, input="Hello.", voice="ivy")
    assert {event["type"] for event in heard} == {"speech.audio.delta", "speech.audio.done"}


# Documents.


def dropped(server, name: str, data: bytes) -> httpx.Response:
    return httpx.post(f"{server.url}/page/api/document", params={"name": name}, content=data, timeout=60)


def test_a_book(server):
    book = dropped(server, "willows.epub", epub()).json()
    assert [chapter["title"] for chapter in book["chapters"]] == list(CHAPTERS)
    assert all(chapter["plain"] and chapter["seconds"] > 1 for chapter in book["chapters"])
    assert book["title"] == TITLE
    assert base64.b64decode(book["cover"].partition(",")[2]) == cover()


LONG = "# A \ud800\n\nIt was *late*. 😀\n\n# B\n\n" + "Nobody was there. " * 6000


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html"])
@pytest.mark.parametrize("size", [500, len(LONG)])
def test_a_document_is_the_same_as_for_the_command(server, tmp_path, name, size):
    """Long ones are read by another process and come in parts."""
    data = LONG[:size].encode("utf-8", "surrogatepass")
    (tmp_path / name).write_bytes(data)
    wanted = read_document(tmp_path / name)
    found = dropped(server, name, data).json()
    assert [(chapter["title"], chapter["text"], chapter["plain"]) for chapter in found["chapters"]] == [
        (chapter.title, chapter.text, chapter.plain) for chapter in wanted.chapters
    ]
    seconds = [expected_seconds(chapter.text) for chapter in wanted.chapters]
    assert [chapter["seconds"] for chapter in found["chapters"]] == pytest.approx(seconds, abs=0.06)


def test_a_document_over_a_limit_is_one_line_that_names_it(server):
    answer = dropped(server, "a.txt", b"# A\n\nB.\n\n" * 10_001)
    said = answer.json()["error"]["message"]
    assert (answer.status_code, said) == (
        400, "a.txt has more than 10,000 chapters: that is refused (MLX_TTS_BUDGET=2 would allow twice as much)"
    )  # fmt: skip
    titled = dropped(server, "a.txt", b"# " + b"A" * 40_000 + b"\n\nB.\n").json()
    assert [len(chapter["title"]) for chapter in titled["chapters"]] == [500]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.epub", b"no zip"),
        ("../../etc/passwd.epub", b"PK"),
        ("a.py", b"print()"),
        ("a.docx", b""),
        ("x" * 300 + ".epub", b""),
    ],
)
def test_what_cannot_be_read_is_one_clear_line(server, name, data):
    answer = dropped(server, name, data)
    message = answer.json()["error"]["message"]
    assert answer.status_code == 400
    assert "/tmp" not in message and "/etc" not in message and "\n" not in message
    assert message.startswith(("cannot", name.split("/")[-1][-100:][:20]))


# Samples.


def test_a_sample_is_drawn_and_checked(server):
    noisy = np.random.default_rng(1).normal(0, 0.05, 24_000 * 4)
    wav = io.BytesIO()
    soundfile.write(wav, noisy, 24_000, format="WAV")
    report = httpx.post(f"{server.url}/page/api/sample", content=wav.getvalue()).json()
    assert report["seconds"] == 4 and len(report["bars"]) == 240 and max(report["bars"]) == 1
    assert any("noise" in warning for warning in report["warnings"])
    silent = io.BytesIO()
    soundfile.write(silent, np.zeros(48_000), 24_000, format="WAV")
    refused = httpx.post(f"{server.url}/page/api/sample", content=silent.getvalue())
    assert refused.status_code == 400 and "silent" in refused.json()["error"]["message"]
    for bad in (b"", b"no sound", bytes(11 << 20)):
        assert httpx.post(f"{server.url}/page/api/sample", content=bad).status_code in (400, 413)


# Whole files.


@pytest.mark.parametrize(("name", "codec"), [("mp3", "mp3"), ("flac", "flac"), ("opus", "opus"), ("m4b", "aac")])
def test_formats(server, name, codec):
    answer = whole_file(server, sounding(2), format=name)
    with av.open(io.BytesIO(answer.content)) as file:
        assert file.streams.audio[0].codec_context.name.startswith(codec)
        seconds = sum(frame.samples / frame.sample_rate for frame in file.decode(audio=0))
    assert seconds == pytest.approx(2, abs=0.1)


def test_an_audiobook_has_its_chapters_and_its_cover(server):
    picture = f"data:image/png;base64,{base64.b64encode(cover()).decode()}"
    chapters = [{"title": "One", "start": 0}, {"title": None, "start": 30_000}, {"title": "Three", "start": 60_000}]
    answer = whole_file(server, sounding(4), format="m4b", title="T", author="A", cover=picture, chapters=chapters)
    with av.open(io.BytesIO(answer.content)) as book:
        found = book.chapters()
        assert [chapter["metadata"]["title"] for chapter in found] == ["One", "Chapter 2", "Three"]
        starts = [chapter["start"] * float(chapter["time_base"]) for chapter in found]
        assert starts == pytest.approx([0, 1.25, 2.5], abs=0.001)
        assert (book.metadata["title"], book.metadata["artist"]) == ("T", "A")
        assert bytes(next(book.demux(book.streams.video[0]))) == cover()


def test_bodies_that_make_no_file(server):
    url = f"{server.url}/page/api/file"
    head = json.dumps({"format": "exe", "sample_rate": 1}).encode()
    bodies = [b"", b"\xff\xff\xff\xff", struct.pack("<I", 100) + b"{", struct.pack("<I", len(head)) + head]
    bodies += [struct.pack("<I", 2) + b"[]", struct.pack("<I", 2) + b"{}"]
    assert [httpx.post(url, content=body).status_code for body in bodies] == [400] * len(bodies)
    assert whole_file(server, b"").status_code == 400
    assert whole_file(server, sounding(1), chapters=[{"start": 5}, {"start": 5}, {"start": 2}]).status_code == 200
