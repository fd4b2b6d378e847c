"""`mlx-tts cast --labels-from`: a server on this machine that answers well, badly, too much, or not at all."""

import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from mlx_tts.cli import run
from mlx_tts.text.cast.cast_file import read_cast, text_hash
from mlx_tts.text.cast.label_server import LabelServer, find_label_server
from mlx_tts.text.cast.labels import PASSAGE, read_labels
from mlx_tts.text.source.documents import read_document
from tests.cli.test_speak import place  # noqa: F401 (fixture)
from tests.helpers.http_server import CalmServer

TOLD = "Somebody knocked at the door, a long while after, when the rain had stopped and both of them were asleep."
BOOK = f"It rained. “Good morning,” said Mrs. Fox.\n\n“I know,” said Mr. Fox.\n\n{TOLD}\n\n“Who is there?”\n"
OPEN = "“Who is there?”"


class LanguageModel(BaseHTTPRequestHandler):
    """Answers as Ollama does, with what the test wants said; notes what it was asked."""

    protocol_version = "HTTP/1.1"
    asked: list
    models: list
    said: list  # contents in turn, the last one again and again; bytes are the whole answer
    status = 200
    wait = 0.0
    cut = False

    def do_GET(self):
        self._reply({"data": [{"id": name} for name in self.models]})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append((self.path, body))
        time.sleep(self.wait)
        content = self.said[min(len(self.asked), len(self.said)) - 1]
        self._reply(
            content if isinstance(content, bytes | dict) else {"choices": [{"message": {"content": content}}]},
            content.get("status", 200) if isinstance(content, dict) else 200,
        )

    def _reply(self, body, status=200):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data) + (10 if self.cut else 0)))
        self.end_headers()
        self.wfile.write(data)
        self.close_connection = True

    def log_message(self, *_):
        pass


@pytest.fixture
def model():
    handler = type("Handler", (LanguageModel,), {"asked": [], "models": ["small"], "said": ['{"1": "Mr. Fox"}']})
    server = CalmServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    handler.url = f"http://127.0.0.1:{server.server_port}"
    Path("book.txt").write_text(BOOK, encoding="utf-8")
    yield handler
    server.shutdown()
    server.server_close()


def lines_of(file="cast.toml"):
    return [(line.speaker, BOOK[line.start : line.end]) for line in read_cast(Path(file)).lines]


RULES = [("Mrs. Fox", "“Good morning,”"), ("Mr. Fox", "“I know,”"), (None, OPEN)]


@pytest.mark.parametrize("ending", ["", "/", "/v1", "/v1/", "/v1/chat/completions"])
def test_the_model_is_asked_about_what_the_rules_leave_open(model, ending, capfd):
    assert run(["cast", "book.txt", "--labels-from", model.url + ending, "-o", "cast.toml"]) == 0
    ((path, body),) = model.asked
    assert path == "/v1/chat/completions"
    assert body["model"] == "small" and body["temperature"] == 0 and body["stream"] is False
    passage = body["messages"][1]["content"]
    assert "- Mrs. Fox (woman)\n- Mr. Fox (man)\n" in passage
    assert passage.endswith(
        BOOK.replace(OPEN, f"[1: ?] {OPEN}").replace("“Good", "[Mrs. Fox] “Good").replace("“I k", "[Mr. Fox] “I k")
    )
    cast = read_cast(Path("cast.toml"))
    assert lines_of() == [*RULES[:2], ("Mr. Fox", OPEN)]
    assert (cast.lines[2].confidence, cast.lines[2].evidence) == (0.5, "model small")
    assert cast.lines[0].confidence == 0.95
    assert [one.name for one in cast.characters] == ["Mr. Fox", "Mrs. Fox"]
    assert re.findall("\nlines = (.*)", Path("cast.toml").read_text(encoding="utf-8")) == ["[", "2", "1"]
    assert cast.sha256 == text_hash(read_document(Path("book.txt")).chapters)
    assert capfd.readouterr().err.splitlines() == [
        "3 quotations: 3 have a speaker, 0 stay with the narrator; wrote cast.toml",
        "small labelled 1 of the quotations, in 1 passage",
    ]


def test_a_book_without_open_quotations_is_sent_to_nobody(model, capfd):
    Path("book.txt").write_text("“One,” said Ann.\n", encoding="utf-8")
    assert run(["cast", "book.txt", "--labels-from", model.url]) == 0
    assert model.asked == [] and "small labelled 0 of the quotations, in 0 passages" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("said", "ignored"),
    [
        ("I do not know.", 1),
        ("", 1),
        ("[1, 2]", 1),
        ('{"1": "Mr. Box"}', 1),  # nobody of the list
        ('{"1": "Fox"}', 1),  # not the name as it is listed
        ('{"0": "Mr. Fox", "2": "Mr. Fox", "-1": "Mr. Fox", "x": "Mr. Fox", "١": "Mr. Fox"}', 5),
        ('{"1": ["Mr. Fox"]}', 1),
        ('{"1": 1, "text": "“Go away!”", "start": 0}', 3),
        ('{"1": "Mr. Fox", "1": "Mrs. Fox"}', 2),
        ('{"1": "Mr. Fox"', 1),
        ('{"1": "unknown"}', 0),
        (b"no JSON", 1),
        (b'{"choices": []}', 1),
        (b'{"choices": [{"message": {"content": null}}]}', 1),
        (b"[" * 50_000, 1),
        ("{" * 50_000, 1),
    ],
)
def test_what_is_no_label_is_ignored_and_counted(model, said, ignored, capfd):
    model.said = [said]
    assert run(["cast", "book.txt", "--labels-from", model.url, "-o", "cast.toml"]) == 0
    assert lines_of() == RULES
    told = f"; {ignored} parts of its answers were no labels and were left out" if ignored else ""
    assert capfd.readouterr().err.splitlines()[-1] == f"small labelled 0 of the quotations, in 1 passage{told}"


def test_a_model_that_thinks_aloud_is_understood():
    said = '<think>{"1": "Ann"}? No: she is spoken to.</think>\n```json\n{"1": "BOB ", "2": "Ann", "3": "unknown"}\n```'
    assert read_labels(said, range(1, 4), ["Ann", "Bob"]) == ({1: "Bob", 2: "Ann", 3: None}, 0)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"said": [{"status": 404, "error": {"message": "no model \x1b[31m" + "x" * 300}}]},
            "answers 404: no model [31mx",
        ),
        ({"said": [{"status": 500, "error": "it broke"}]}, "answers 500: it broke"),
        ({"said": [{"status": 302}]}, "answers 302"),
        ({"cut": True, "models": []}, "no answer from 127.0.0.1"),
        ({"said": [b"x" * 3000]}, "answers more than 1,000 bytes"),
        ({"wait": 3}, "took longer than 1 s for a passage"),
    ],
)
def test_a_first_passage_without_an_answer_ends_it(model, change, said, capfd, monkeypatch):
    for name, value in change.items():
        setattr(model, name, value)
    monkeypatch.setenv("MLX_TTS_BUDGET", "0.001" if "bytes" in said or "longer" in said else "1")
    line = ["cast", "book.txt", "--labels-from", model.url, "--labels-model", "small", "-o", "cast.toml"]
    assert run(line) == 1
    error = capfd.readouterr().err
    assert said in error and error.count("\n") == 1 and "\x1b" not in error and len(error) < 500
    assert "nothing was written; without --labels-from the rules alone are used" in error
    assert not Path("cast.toml").exists()


def test_nobody_there(model, capfd):
    assert run(["cast", "book.txt", "--labels-from", "http://127.0.0.1:9", "-o", "cast.toml"]) == 1
    error = capfd.readouterr().err
    assert "no answer from 127.0.0.1:9 (Connection refused)" in error and error.count("\n") == 1


def long_book(passages: int) -> str:
    return BOOK + f"\n{'It rained. ' * (PASSAGE // 10)}\n\n{OPEN}\n" * (passages - 1)


def test_what_was_answered_before_it_broke_off_is_kept(model, capfd):
    Path("book.txt").write_text(long_book(4), encoding="utf-8")
    model.said = ['{"1": "Mr. Fox"}', '{"1": "Mrs. Fox"}', {"status": 500}]
    assert run(["cast", "book.txt", "--labels-from", model.url, "-o", "cast.toml"]) == 1
    assert [line.speaker for line in read_cast(Path("cast.toml")).lines[2:]] == ["Mr. Fox", "Mrs. Fox", None, None]
    assert re.fullmatch(
        r"mlx-tts: 127.0.0.1:\d+ answers 500: small was asked about 2 of 4 passages, the rest is by rules",
        capfd.readouterr().err.splitlines()[-1],
    )
    assert len(model.asked) == 3


def test_a_model_that_only_says_nonsense_is_not_asked_for_long(model, capfd):
    Path("book.txt").write_text(long_book(9), encoding="utf-8")
    model.said = ["Once upon a time"]
    assert run(["cast", "book.txt", "--labels-from", model.url, "-o", "cast.toml"]) == 1
    assert len(model.asked) == 3 and "3 answers in a row have no label" in capfd.readouterr().err
    assert all(line.speaker is None for line in read_cast(Path("cast.toml")).lines[2:])


def test_which_model_is_asked(model, capfd):
    model.models = ["large", "small"]
    assert run(["cast", "book.txt", "--labels-from", model.url]) == 2
    assert "has large, small: choose one with --labels-model" in capfd.readouterr().err
    assert model.asked == []
    assert run(["cast", "book.txt", "--labels-from", model.url, "--labels-model", "large"]) == 0
    assert model.asked[0][1]["model"] == "large"
    assert run(["cast", "book.txt", "--labels-model", "large"]) == 2
    assert "--labels-model works only with --labels-from" in capfd.readouterr().err


@pytest.mark.parametrize(
    "url",
    ["nonsense", "ftp://host", "http://", "http://a:99999999", "http://a b", "http://me:pw@host", "http://h/?a=b"],
)
def test_what_is_no_address(model, url, capfd):
    assert run(["cast", "book.txt", "--labels-from", url]) == 2
    assert "--labels-from is" in capfd.readouterr().err


def test_passages_leave_the_own_network_only_if_the_user_agrees(model, capfd):
    assert run(["cast", "book.txt", "--labels-from", "http://1.1.1.1:9"]) == 2
    error = capfd.readouterr().err
    assert "Send passages of book.txt to 1.1.1.1:9, which is outside of your network?" in error and "--yes" in error
    near = ["http://127.0.0.1", "http://[::1]:8", "http://192.168.1.4", "http://10.0.0.1", "http://localhost:8/v1"]
    assert not any(find_label_server(url).is_far for url in near)
    assert LabelServer(False, "name.of.mine", 80, "8.8.8.8", "").is_far


def test_no_proxy_gets_the_passages(model, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert run(["cast", "book.txt", "--labels-from", model.url, "-o", "cast.toml"]) == 0
    assert lines_of()[2] == ("Mr. Fox", OPEN)
