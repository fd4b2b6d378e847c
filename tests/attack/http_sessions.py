"""Hostile sessions over HTTP: the routes of speech, lists and voices, and those of the page."""

from __future__ import annotations

import io
import json
import struct
import time
import wave
import zipfile
from collections.abc import Callable

from tests.attack.wire import JSON, SPEECH, Session, garbage, pieces, post, request, speech

LONG = "This is a long story, and nobody knows yet how it will end. " * 20
FORMATS = ("mp3", "opus", "aac", "flac", "ogg", "m4a", "m4b", "wav", "pcm")
ROUTES = (
    "/",
    "/health",
    "/ready",
    "/metrics",
    "/v1",
    "/v1/models",
    "/v1/models/tiny",
    "/v1/audio/models",
    "/v1/audio/voices",
    "/page/api/facts",
    "/page/index.html",
)
ODD_VALUES = (
    None, True, -1, 0, 1e308, 10**40, "", "x", "\x00", "\ud800", [], [[]], {}, {"id": []}, {"id": "ivy"}, "ivy" * 999,
    "../../etc/passwd", "nan", [1] * 1000,
)  # fmt: skip
FIELDS = (
    "input", "model", "voice", "instructions", "response_format", "speed", "stream_format", "loudness", "marks", "plain",
    "seed", "language", "temperature", "top_k", "top_p", "repetition_penalty", "max_seconds", "normalise", "markup",
    "sentence_pause", "paragraph_pause", "guard", "retries", "options", "rate",
)  # fmt: skip
ODD_TEXTS = (
    "a" * 100_000,
    "汉" * 30_000,
    "1" * 50_000,
    "1,234.56 " * 6000,
    "3/4/2021 $12.50 5kg " * 4000,
    "www." * 20_000,
    "a.b@" * 20_000,
    "http://" * 12_000,
    "((((((((((" * 8000,
    "\u0301" * 50_000,
    "👩‍👩‍👧‍👦" * 6000,
    "\u202e" * 50_000,
    "<speak>" * 10_000,
    "<break/>" * 10_000,
    "[" * 40_000 + "](" * 20_000,
    "*" * 60_000,
    "`" * 60_000,
    "# \n" * 30_000,
    "| a " * 25_000,
    "> " * 40_000,
    "&amp;" * 18_000,
    "\n" * 90_000 + "a",
    ". " * 45_000,
    "Dr. " * 20_000,
    "XIV " * 20_000,
    "-" * 90_000,
    "\x00\x01\x02" * 20_000,
    "𝕬" * 20_000,
    "ﷺ" * 9000,
    "12:30 " * 15_000,
    '"' * 90_000,
)


def speech_broken_off(session: Session) -> None:
    session.broken_off(speech(input=LONG, response_format=session.rng.choice(FORMATS)))


def answer_broken_off(session: Session) -> None:
    events = session.rng.choice(("audio", "sse"))
    connection = session.connect()
    session.send(connection, speech(input=LONG, response_format=session.rng.choice(FORMATS[:6]), stream_format=events))
    connection.settimeout(2)
    session.read(connection, session.rng.choice((1, 50, 200, 1000, 20_000, 100_000)))
    session.leave(connection)


def half_closed(session: Session) -> None:
    connection = session.connect()
    session.send(connection, speech(input=LONG))
    session.leave(connection, "half")


def slow_sender(session: Session) -> None:
    session.slowly(session.connect(), speech(), session.rng.choice((1, 3, 20)))


def slow_header(session: Session) -> None:
    session.slowly(session.connect(), b"GET /health HTTP/1.1\r\n" + b"X-A: b\r\n" * 1000)


def slow_reader(session: Session) -> None:
    connection = session.connect(receive_bytes=2048)
    session.send(connection, speech(input=LONG * 4))
    while not session.over and session.read(connection, 1):
        time.sleep(0.05)


def no_reader(session: Session) -> None:
    for _ in range(6):
        session.send(session.connect(receive_bytes=2048), speech(input=LONG * 8, response_format="wav"))
    time.sleep(1)


def many_speeches(session: Session) -> None:
    connections = [session.connect() for _ in range(40)]
    for number, connection in enumerate(connections):
        session.send(connection, speech(seed=number, input=session.rng.choice(("Hi.", LONG))))
    time.sleep(session.rng.random())
    for connection in connections:
        session.leave(connection, session.rng.choice(("fin", "reset")))


def books(session: Session) -> None:
    for _ in range(8):
        session.send(session.connect(), speech(input=LONG * 60))
    time.sleep(1)


def pipelined(session: Session) -> None:
    one = session.rng.choice((speech(input=LONG), request("GET", "/v1/models"), request("GET", "/metrics"), speech()))
    connection = session.connect()
    session.send(connection, one * session.rng.choice((2, 20, 500)))
    session.read(connection)


def chunked(session: Session) -> None:
    head = request("POST", SPEECH, headers=JSON + "Transfer-Encoding: chunked\r\n")
    chunk = session.rng.choice(
        (
            b"ZZZ\r\n", b"-1\r\n", b"ffffffffffffffffff\r\n", b"5\r\nab", b"0\r\nX: y\r\n" * 1000, b"1;" + b"x" * 90_000,
            b"1\r\na\r\n" * 30_000, b"1\na\n0\n\n", b"\r\n" * 1000, b"3\r\nabcd\r\n0\r\n\r\n", garbage(session.rng, 3000),
        )
    )  # fmt: skip
    session.ask(head + chunk)


def wrong_length(session: Session) -> None:
    body = json.dumps({"input": LONG, "response_format": "pcm"}).encode()
    length = session.rng.choice(
        ("-1", "+5", "0x10", "1e3", "999999999999999999999", "", "5, 5", " 5", "1", str(len(body) + 9), str(len(body) - 9))
    )  # fmt: skip
    headers = f"{JSON}Content-Length: {length}\r\n" * session.rng.choice((1, 1, 2))
    session.ask(request("POST", SPEECH, headers=headers) + body)


def length_and_chunks(session: Session) -> None:
    headers = (
        f"{JSON}Content-Length: 4\r\nTransfer-Encoding: {session.rng.choice(('chunked', 'x, chunked', 'gzip'))}\r\n"
    )
    session.ask(request("POST", SPEECH, headers=headers) + b"0\r\n\r\n" + request("GET", "/health"))


def large_headers(session: Session) -> None:
    headers = session.rng.choice(
        ("X: " + "y" * 200_000 + "\r\n", "X: y\r\n" * 20_000, "x" * 100_000 + ": y\r\n", "Cookie: a=b;" * 9000 + "\r\n")
    )
    session.ask(request("GET", "/health", headers=headers))


def odd_headers(session: Session) -> None:
    rng = session.rng
    name = rng.choice(("Host", "Origin", "Authorization", "Content-Type", "Accept", "X-Request-Id", "Range", "Expect"))
    value = rng.choice(
        ("[", "[::1", "]", "http://[", "null", "\x00", "é", "\xff\xfe", "a" * 9000, " ", "localhost:99999", "@", "a@b",
         "Bearer " + "x" * 5000, "bytes=0-,0-,0-", "100-continue", "localhost, localhost", "evil.example#", "%00")
    )  # fmt: skip
    headers = f"{name}: {value}\r\n" * rng.choice((1, 1, 2))
    session.ask(request(rng.choice(("GET", "POST", "OPTIONS", "DELETE")), rng.choice(ROUTES), headers=headers))


def odd_lines(session: Session) -> None:
    rng = session.rng
    session.ask(
        rng.choice(
            (
                b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500),  # TLS
                b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET /\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\r\n" * 5000, b"\x00" * 5000,
                b"G" * 90_000, b"GET " + b"/" * 90_000 + b" HTTP/1.1\r\n\r\n", b"BREW /health HTTP/1.1\r\nHost: localhost\r\n\r\n",
                b"GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n", b"CONNECT a:1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
                b"GET /v1/models/%ff%fe%00 HTTP/1.1\r\nHost: localhost\r\n\r\n", garbage(rng, 5000),
            )
        )
    )  # fmt: skip


def paths(session: Session) -> None:
    rng = session.rng
    tail = rng.choice(
        ("../app.py", "..%2f..%2fapp.py", "%2e%2e/app.py", "%00", "a" * 8000, "//etc/passwd", "%0d%0aX:y", "%ed%a0%80", ".", "")
    )  # fmt: skip
    path = rng.choice(("/page/", "/v1/models/", "/v1/audio/voices/", "/")) + tail
    session.ask(request(rng.choice(("GET", "DELETE", "POST", "HEAD")), path))


def large_body(session: Session) -> None:
    body = b'{"input": "' + b"a" * session.rng.choice((4_190_000, 4_300_000, 9_000_000)) + b'"}'
    session.ask(request("POST", SPEECH, body, JSON))


def deep_json(session: Session) -> None:
    rng = session.rng
    body = rng.choice(
        (b"[" * 900_000, b'{"a":' * 400_000, b"[" + b"{}," * 900_000 + b"{}]", b'{"input":' + b"[" * 990 + b"]" * 990 + b"}",
         b'{"options":{' + b",".join(b'"%d":%d' % (n, n) for n in range(60_000)) + b"}}", b'"' + b"\\u0041" * 600_000 + b'"')
    )  # fmt: skip
    session.ask(request("POST", rng.choice((SPEECH, "/page/api/plan")), body, JSON))


def odd_json(session: Session) -> None:
    body = session.rng.choice(
        (b"", b"null", b"NaN", b'{"input":"a","seed":NaN}', b'{"input":"a","seed":' + b"9" * 9000 + b"}", b'{"speed":1e999}',
         b'{"input":"a","input":"b","input":["c"]}', b'\xef\xbb\xbf{"input":"a"}', '{"input":"a"}'.encode("utf-16"),
         b'{"input":"\\ud800"}', b'{"input":"a\\u0000b"}', b'{"input":"\xff"}', b"{}" * 1000, garbage(session.rng, 2000))
    )  # fmt: skip
    session.ask(request("POST", session.rng.choice((SPEECH, "/page/api/plan")), body or b" ", JSON))


def odd_fields(session: Session) -> None:
    rng = session.rng
    fields = {name: rng.choice(ODD_VALUES) for name in rng.sample(FIELDS, rng.randrange(1, 4))}
    session.ask(post(SPEECH, {"input": "Hi.", "response_format": "pcm", **fields}))


def odd_texts(session: Session) -> None:
    text = session.rng.choice(ODD_TEXTS)
    session.ask(speech(input=text[: session.rng.choice((len(text), 5001, 500, 299))]))


def odd_plans(session: Session) -> None:
    rng = session.rng
    text = "".join(rng.choice(ODD_TEXTS)[: rng.randrange(20_000)] for _ in range(rng.randrange(1, 6)))
    session.ask(post("/page/api/plan", {"input": text[:99_000], "language": rng.choice(("auto", "german", "chinese"))}))


def plans_at_once(session: Session) -> None:
    text = session.rng.choice(ODD_TEXTS)
    for _ in range(10):
        session.send(session.connect(), post("/page/api/plan", {"input": text[:99_000]}))
    time.sleep(0.5)


def unsent_body(session: Session) -> None:
    headers = session.rng.choice(("Expect: 100-continue\r\n", "")) + JSON + "Content-Length: 4000000\r\n"
    for path in (SPEECH, "/page/api/file", "/page/api/document", "/v1/audio/voices"):
        session.send(session.connect(), request("POST", path, headers=headers))
    time.sleep(0.5)


def idle_connections(session: Session) -> None:
    for _ in range(session.rng.choice((50, 150))):
        connection = session.connect()
        if session.rng.random() < 0.3:
            session.send(connection, request("GET", "/health"))
    time.sleep(0.5)


def comes_and_goes(session: Session) -> None:
    for _ in range(200):
        session.leave(session.connect(), session.rng.choice(("fin", "reset")))


def flooded(session: Session) -> None:
    one = request("GET", session.rng.choice(ROUTES))
    connection = session.connect()
    while not session.over and session.send(connection, one * 50):
        session.read(connection, 4096)


def file_broken_off(session: Session) -> None:
    session.broken_off(_file(session, bytes(session.rng.choice((10, 100_000, 3_000_000)))))


def file_unread(session: Session) -> None:
    connection = session.connect(receive_bytes=2048)
    session.send(connection, _file(session, session.rng.randbytes(2_000_000)))
    session.read(connection, session.rng.choice((1, 3000)))


def files_at_once(session: Session) -> None:
    for _ in range(8):
        session.send(session.connect(), _file(session, bytes(600_000))[:-1])
    time.sleep(0.5)


def odd_files(session: Session) -> None:
    head = session.rng.choice(
        (struct.pack("<I", 0xFFFFFFFF), struct.pack("<I", 8 << 20) + b"[" * (8 << 20), struct.pack("<I", 3) + b"{}}", b"",
         _head(format="exe"), _head(sample_rate=-1), _head(title="x" * 5000), _head(title="\x00\n\ud800"),
         _head(format="m4b", chapters=[{"start": n} for n in range(5000)]), _head(format="m4b", chapters=[{"start": 10**30}]),
         _head(format="m4b", cover="data:image/png;base64,AAAA"), _head(format="mp3", cover="data:image/svg+xml,<svg/>"),
         _head(format="m4b", chapters=[{"start": 9}, {"start": 5}, {"start": 1}]))
    )  # fmt: skip
    session.ask(request("POST", "/page/api/file", head + bytes(session.rng.choice((1, 3, 48_000)))))


def _head(**fields: object) -> bytes:
    data = json.dumps({"format": "mp3", "sample_rate": 24_000, **fields}).encode()
    return struct.pack("<I", len(data)) + data


def _file(session: Session, samples: bytes) -> bytes:
    return request("POST", "/page/api/file", _head(format=session.rng.choice(FORMATS)) + samples)


def _document(session: Session) -> bytes:
    rng = session.rng
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", rng.choice(("<a/>" * 1000, "<container>", "")))
        archive.writestr("x", bytes(3_000_000))
    return rng.choice(
        (packed.getvalue(), b"%PDF-1.4\n" + garbage(rng, 4000), garbage(rng, 9000), b"# A\n\nText.\n", b"<p>" * 9000)
    )


def documents(session: Session) -> None:
    name = session.rng.choice(("a.epub", "a.pdf", "a.md", "a.html", "a.txt", "../a", "", "a" * 999, "a.exe"))
    session.ask(request("POST", f"/page/api/document?name={name}", _document(session)))


def document_broken_off(session: Session) -> None:
    session.broken_off(request("POST", "/page/api/document?name=a.epub", _document(session)))


def _recording(session: Session, seconds: float = 1.0) -> bytes:
    data = io.BytesIO()
    with wave.open(data, "wb") as sound:
        sound.setparams((1, 2, 24_000, 0, "NONE", ""))
        sound.writeframes(session.rng.randbytes(round(48_000 * seconds)))
    whole = data.getvalue()
    start = session.rng.choice(
        (b"RIFF", b"fLaC", b"OggS", b"\xff\xfb\x90", b"\x1aE\xdf\xa3", b"v=0\r\nm=audio 9 RTP/AVP 0\r\n")
    )
    return session.rng.choice((whole, whole[:5000], start + garbage(session.rng, 20_000), whole[:40] + b"\xff" * 5000))


def samples(session: Session) -> None:
    session.ask(request("POST", "/page/api/sample", _recording(session)))


def _form(fields: dict[str, bytes], boundary: str = "x") -> bytes:
    body = b"".join(
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"'.encode()
        + (b'; filename="a.wav"' if name == "audio_sample" else b"")
        + b"\r\n\r\n" + data + b"\r\n"
        for name, data in fields.items()
    )  # fmt: skip
    return body + f"--{boundary}--\r\n".encode()


def _upload(session: Session, kind: str = "multipart/form-data; boundary=x", body: bytes | None = None) -> bytes:
    fields = {"name": b"stranger", "consent": b"yes", "model": b"tiny", "audio_sample": _recording(session)}
    return request("POST", "/v1/audio/voices", _form(fields) if body is None else body, f"Content-Type: {kind}\r\n")


def upload_broken_off(session: Session) -> None:
    session.broken_off(_upload(session))


def uploads_at_once(session: Session) -> None:
    for _ in range(8):
        session.send(session.connect(), _upload(session))
    time.sleep(0.5)


def odd_uploads(session: Session) -> None:
    rng = session.rng
    kind = rng.choice(("multipart/form-data", "multipart/form-data; boundary=", "multipart/mixed; boundary=x", "text/plain",
                       "multipart/form-data; boundary=" + "y" * 5000, "multipart/form-data; boundary=x"))  # fmt: skip
    body = rng.choice(
        (b"--x\r\n" * 50_000, b"--x" + b"-" * 90_000, _form({str(n): b"v" for n in range(3000)}), _form({"name": b"a" * 2_000_000}),
         b"--x\r\nContent-Disposition: " + b"a" * 200_000, _form({"audio_sample": b""}), garbage(rng, 9000),
         _form({"name": b"../x", "consent": b"yes", "audio_sample": _recording(session)}))
    )  # fmt: skip
    session.ask(_upload(session, kind, body))


def deletions(session: Session) -> None:
    for tail in ("voice_0123456789abcdef", "..%2f..%2fx", "%00", "*", "", "voice_" + "f" * 3000):
        session.ask(request("DELETE", f"/v1/audio/voices/{tail}"), 1000)


def in_many_packets(session: Session) -> None:
    connection = session.connect()
    for part in pieces(session.rng, speech() * 3, 60):
        session.send(connection, part)
    session.read(connection, 10_000)


KINDS: tuple[Callable[[Session], None], ...] = (
    speech_broken_off, answer_broken_off, half_closed, slow_sender, slow_header, slow_reader, no_reader, many_speeches,
    books, pipelined, chunked, wrong_length, length_and_chunks, large_headers, odd_headers, odd_lines, paths, large_body,
    deep_json, odd_json, odd_fields, odd_texts, odd_plans, plans_at_once, unsent_body, idle_connections, comes_and_goes,
    flooded, file_broken_off, file_unread, files_at_once, odd_files, documents, document_broken_off, samples,
    upload_broken_off, uploads_at_once, odd_uploads, deletions, in_many_packets,
)  # fmt: skip
