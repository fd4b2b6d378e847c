"""`speak --server`: the same sound as from the server, errors with their exit codes, and options that stay here."""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler

import numpy as np
import pytest
import soundfile

from mlx_tts.cli import remote, run
from mlx_tts.server.settings import proof_of_key
from mlx_tts.server.speech_body import read_order
from tests.helpers.epub3 import write_epub3
from tests.helpers.fakes import FakeSoundDevice
from tests.helpers.http_server import CalmServer


class Service(BaseHTTPRequestHandler):
    """Answers as a server of ours does, with sound that is easy to know again; notes what it was asked."""

    protocol_version = "HTTP/1.1"
    asked: list
    key: str | None = None
    answer: tuple

    def do_GET(self):
        nonce = self.path.partition("nonce=")[2]
        port = self.server.server_port
        proof = proof_of_key(self.key, nonce, "127.0.0.1", port) if self.key else None
        self._reply(200, json.dumps({"service": "mlx-tts", "process": 17, "proof": proof}).encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.asked.append((self.headers["Authorization"], json.loads(body)))
        self._reply(*self.answer)

    def _reply(self, status, body, cut=False):
        self.send_response(status)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for start in range(0, len(body), 1001):  # a sample may be cut in two
            part = body[start : start + 1001]
            self.wfile.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
        if not cut:
            self.wfile.write(b"0\r\n\r\n")
        self.close_connection = True

    def log_message(self, *_):
        pass


RAMP = np.arange(-6000, 6000, dtype="<i2")


@pytest.fixture
def service(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "sounddevice", FakeSoundDevice(devices=0))
    monkeypatch.delenv("MLX_TTS_API_KEY", raising=False)
    handler = type("Handler", (Service,), {"asked": [], "answer": (200, RAMP.tobytes())})
    server = CalmServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    handler.url = f"http://127.0.0.1:{server.server_port}"
    yield handler
    server.shutdown()
    server.server_close()


def test_the_sound_of_the_server_is_what_is_written(service, monkeypatch):
    monkeypatch.setenv("MLX_TTS_API_KEY", "secret")
    line = ["speak", "Hello", "there.", "--server", service.url, "--voice", "ivy", "--seed", "3", "-o", "out.wav"]
    assert run(line) == 0
    samples, rate = soundfile.read("out.wav", dtype="int16")
    assert rate == 24_000 and np.array_equal(samples, RAMP)
    ((key, body),) = service.asked
    assert key == "Bearer secret"
    assert body == {"input": "Hello there.", "voice": "ivy", "seed": 3, "response_format": "pcm"}


@pytest.mark.parametrize(("status", "code"), [(400, 2), (404, 2), (401, 1), (429, 1), (503, 1)])
def test_the_error_of_the_server_is_the_line(service, capsys, status, code):
    service.answer = (status, b'{"error": {"message": "it cannot be"}}')
    assert run(["speak", "Hello.", "--server", service.url, "-o", "out.wav"]) == code
    assert capsys.readouterr().err.splitlines() == [f"mlx-tts: the server at {service.url} says: it cannot be"]


def test_a_connection_that_breaks_keeps_what_came(service, capsys, tmp_path):
    service.answer = (200, RAMP.tobytes(), True)
    assert run(["speak", "Hello.", "--server", service.url, "-o", "out.wav"]) == 1
    assert "broke" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["out.partial.wav"]


def test_nobody_there(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(["speak", "Hello.", "--server", "http://127.0.0.1:9", "-o", "out.wav"]) == 1
    assert "start one with `mlx-tts serve`" in capsys.readouterr().err


LEXICON = """
[[entry]]
match = "Xi"
say = "she"
[[entry]]
match = "GIF"
ipa = "dʒɪf"
case = true
language = "english"
[[entry]]
match = "Nobody"
say = "no body"
"""


def test_the_entries_of_a_lexicon_that_the_text_has_travel(service, tmp_path):
    (tmp_path / "words.toml").write_text(LEXICON, encoding="utf-8")
    line = ["speak", "Xi made a GIF.", "--server", service.url, "--lexicon", str(tmp_path / "words.toml")]
    assert run([*line, "-o", "out.wav"]) == 0
    ((_, body),) = service.asked
    wanted = [{"match": "Xi", "say": "she"}, {"match": "GIF", "ipa": "dʒɪf", "language": "english", "case": True}]
    assert body == {"input": "Xi made a GIF.", "lexicon": wanted, "response_format": "pcm"}
    assert len(read_order(json.dumps(body).encode(), 1000).lexicon.entries) == 2  # a server reads them


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ('match = "a+"\nsay = "long a"\nregex = true', "is a pattern"),
        ('match = "Adam"\norigin = "polish"', "neither say nor ipa"),
    ],
)
def test_an_entry_that_a_server_does_not_take_is_named(service, capsys, tmp_path, entry, message):
    (tmp_path / "words.toml").write_text(f"[[entry]]\n{entry}\n", encoding="utf-8")
    line = ["speak", "Adam said aaa.", "--server", service.url, "--lexicon", str(tmp_path / "words.toml")]
    assert run([*line, "-o", "out.wav"]) == 2
    assert message in capsys.readouterr().err
    assert not service.asked and not (tmp_path / "out.wav").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--server", "nonsense"], "give an address"),
        (["--server", "auto", "--batch", "3"], "--batch does not go with --server"),
        (["--server", "auto", "--chapters"], "--chapters does not go with --server"),
        (["--server", "auto", "--voice", "me.safetensors"], "--voice is a file here"),
    ],
)
def test_what_cannot_travel_is_refused(capsys, tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "words.toml").write_text('[[entry]]\nmatch = "Xi"\nsay = "she"\n')
    assert run(["speak", "Hello.", *options, "-o", "out.wav"]) == 2
    assert message in capsys.readouterr().err


@pytest.fixture
def tale(service, tmp_path, capsys):
    """A book and its cast."""
    (tmp_path / "tale.txt").write_bytes("* It rained.\r\n\r\n“Go on,” said Ann.\r\n".encode())
    assert run(["cast", "tale.txt", "-o", "tale.toml"]) == 0
    capsys.readouterr()
    return ["--cast", "tale.toml", "--server", service.url, "-o", "out.wav"]


def test_a_text_travels_with_its_cast_as_both_are_written(service, tale, tmp_path):
    """Clients of Windows have lines of their own; what is spoken is what stands in the file."""
    cast = (tmp_path / "tale.toml").read_text(encoding="utf-8")
    text = "* It rained.\r\n\r\n“Go on,” said Ann.\r\n"
    assert run(["speak", "tale.txt", *tale]) == 0
    assert run(["speak", "--text", text, *tale, "--voice", "hazel", "--seed", "3"]) == 0
    plain, voiced = (body for _, body in service.asked)
    assert plain == {"input": text, "cast": cast, "response_format": "pcm"}
    assert voiced == {"input": text, "cast": cast, "response_format": "pcm", "voice": "hazel", "seed": 3}


@pytest.mark.slow
def test_a_book_whose_text_cannot_travel_is_refused_and_nothing_is_sent(service, tale, capsys, tmp_path):
    write_epub3(tmp_path / "book.epub")
    assert run(["cast", "book.epub", "-o", "epub.toml"]) == 0
    (tmp_path / "tale.md").write_bytes((tmp_path / "tale.txt").read_bytes())
    capsys.readouterr()
    book = [*tale[2:], "--cast", "epub.toml"]
    assert run(["speak", "book.epub", *book]) == 2
    said = capsys.readouterr().err
    assert "is for plain text, Markdown and HTML, not for book.epub: leave --server out" in said
    assert run(["speak", "tale.md", *tale]) == 2  # its cast is of other words
    assert "made for another text" in capsys.readouterr().err
    cast = (tmp_path / "tale.toml").read_text(encoding="utf-8")
    (tmp_path / "tale.toml").write_text(cast.replace("tale.txt", "tale.md"), encoding="utf-8")
    assert run(["speak", "tale.txt", *tale]) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1 and "the server would read this text otherwise" in said[0]
    assert not service.asked and not (tmp_path / "out.wav").exists()


@pytest.mark.slow
def test_auto_asks_the_usual_port_and_else_speaks_here(service, monkeypatch, tmp_path):
    port = int(service.url.rpartition(":")[2])
    monkeypatch.setattr(remote, "DEFAULT_PORT", port)
    assert run(["speak", "Hello.", "--server", "auto", "-o", "there.wav", "-q"]) == 0
    assert len(service.asked) == 1
    monkeypatch.setattr(remote, "DEFAULT_PORT", 9)
    line = ["speak", "Hello.", "--server", "auto", "-m", "tiny", "--resume", "-o", "here.wav", "-q"]
    assert run(line) == 2  # the server would not learn of --resume, wherever it is
    assert run(["speak", "Hello.", "--server", "auto", "-m", "tiny", "-o", "here.wav", "-q"]) == 0
    assert (tmp_path / "here.wav").is_file() and len(service.asked) == 1


@pytest.mark.slow
@pytest.mark.parametrize(("known", "asked"), [(None, 0), ("another", 0), ("secret", 1)])
def test_auto_gives_the_key_to_nobody_who_does_not_know_it(service, monkeypatch, capsys, known, asked):
    monkeypatch.setattr(remote, "DEFAULT_PORT", int(service.url.rpartition(":")[2]))
    monkeypatch.setenv("MLX_TTS_API_KEY", "secret")
    service.key = known
    assert run(["speak", "Hello.", "--server", "auto", "-m", "tiny", "-o", "out.wav"]) == 0
    assert len(service.asked) == asked
    said = "speaking through process 17" if asked else "did not prove that it knows MLX_TTS_API_KEY"
    assert said in capsys.readouterr().err
