"""Hostile sessions over the WebSocket and over Wyoming."""

from __future__ import annotations

import json
import socket
import struct
import time
import zlib
from collections.abc import Callable

from tests.attack.http_sessions import LONG, ODD_TEXTS, ODD_VALUES
from tests.attack.wire import CONFIG, Session, event, frame, garbage, handshake, message, pieces, utterance

MESSAGES = ("session.config", "input.text", "input.done", "input.cancel", "session.close", "audio.start", "", "x" * 999)


def _open(session: Session, headers: str = "", receive_bytes: int | None = None) -> socket.socket:
    connection = session.connect(receive_bytes=receive_bytes)
    session.send(connection, handshake(headers))
    session.read(connection, 12)
    return connection


def socket_broken_off(session: Session) -> None:
    session.broken_off(handshake() + CONFIG + utterance(LONG) + message(type="input.cancel") + utterance())


def odd_handshakes(session: Session) -> None:
    rng = session.rng
    headers = rng.choice(
        ("", "Origin: http://evil.example\r\n", "Sec-WebSocket-Protocol: " + "a," * 9000 + "\r\n",
         "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits=99\r\n", "Sec-WebSocket-Extensions: x;;;\r\n",
         "Sec-WebSocket-Protocol: openai-insecure-api-key.x\r\n", "Host: evil.example\r\n")
    )  # fmt: skip
    version = rng.choice(("13", "8", "-1", "13, 13", "", "99999999999"))
    session.ask(handshake(headers, version, rng.choice(("MDEyMzQ1Njc4OUFCQ0RFRg==", "", "x", "é"))) + CONFIG)


def odd_frames(session: Session) -> None:
    rng = session.rng
    connection = _open(session)
    session.send(connection, CONFIG * rng.randrange(2))
    odd = (
        frame(b"{}", opcode=rng.choice((3, 7, 11, 15))), frame(b"{}", reserved=rng.randrange(1, 8)), frame(b"{}", masked=False),
        b"\x81\xff" + struct.pack(">Q", rng.choice((1 << 63, 1 << 40, 131_073))) + bytes(4), frame(b"\xff\xfe"), frame(b"", 8) * 50,
        frame(b"x" * 200, 9), frame(b"\x03", 8), frame(struct.pack(">H", 999) + b"\xff", 8), frame(b"", 0), frame(b"x", 2),
        frame(b"a" * 140_000), frame(b"{", final=False) + frame(b"}"), garbage(rng, 3000),
    )  # fmt: skip
    session.send(connection, rng.choice(odd))
    session.read(connection, 4096)


def many_parts(session: Session) -> None:
    connection = _open(session)
    while not session.over and session.send(connection, frame(b"", 0, final=False) * 1000):
        pass


def small_messages(session: Session) -> None:
    connection = _open(session)
    one = session.rng.choice((utterance(), message(type="input.text", text="a"), message(type="input.cancel"), CONFIG))
    session.send(connection, CONFIG)
    while not session.over and session.send(connection, one * 200):
        pass


def pings(session: Session) -> None:
    connection = _open(session)
    one = frame(b"x" * session.rng.choice((0, 125)), session.rng.choice((9, 10)))
    while not session.over and session.send(connection, one * 500):
        pass


def odd_messages(session: Session) -> None:
    rng = session.rng
    connection = _open(session)
    for _ in range(rng.randrange(1, 8)):
        fields = {name: rng.choice(ODD_VALUES) for name in rng.sample(("text", "voice", "model", "seed", "speed"), 2)}
        body = json.dumps({"type": rng.choice((*MESSAGES, *MESSAGES[:5], None, 5)), **fields})
        session.send(connection, frame(body.encode()))
    session.read(connection, 4096)


def odd_bodies(session: Session) -> None:
    connection = _open(session)
    body = session.rng.choice(
        (b"[" * 100_000, b'{"a":' * 20_000, b"9" * 120_000, b"null", b"", b'{"type":"input.text","text":"\\ud800"}', b"[" + b"{}," * 40_000)
    )  # fmt: skip
    session.send(connection, CONFIG + frame(body))
    session.read(connection, 4096)


def odd_speech(session: Session) -> None:
    connection = _open(session)
    text = session.rng.choice(ODD_TEXTS)
    session.send(connection, CONFIG + message(type="input.text", text=text[:15_000]) * 3 + message(type="input.done"))
    session.read(connection, 20_000)


def word_by_word(session: Session) -> None:
    connection = _open(session)
    session.send(connection, CONFIG)
    for word in LONG.split():
        if session.over or not session.send(connection, message(type="input.text", text=word + " ")):
            return
        time.sleep(0.01)


def deaf_socket(session: Session) -> None:
    connection = _open(session, receive_bytes=2048)
    session.send(connection, CONFIG + utterance(LONG * 4) * 5)
    time.sleep(1)


def idle_sockets(session: Session) -> None:
    for _ in range(30):
        connection = session.connect()
        session.send(connection, handshake() + CONFIG * session.rng.randrange(2))
    time.sleep(0.5)


def interrupted(session: Session) -> None:
    connection = _open(session)
    session.send(connection, CONFIG)
    while not session.over and session.send(connection, utterance(LONG) + message(type="input.cancel")):
        time.sleep(0.02)


def deflated(session: Session) -> None:
    connection = _open(session, "Sec-WebSocket-Extensions: permessage-deflate\r\n")
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = packer.compress(bytes(100_000_000)) + packer.flush(zlib.Z_SYNC_FLUSH)
    session.send(connection, CONFIG + frame(data[:-4], reserved=4))
    session.read(connection, 4096)


def half_closed_socket(session: Session) -> None:
    connection = _open(session)
    session.send(connection, CONFIG + utterance(LONG))
    session.leave(connection, "half")


def socket_in_many_packets(session: Session) -> None:
    connection = session.connect()
    for part in pieces(session.rng, handshake() + CONFIG + utterance() * 3, 80):
        session.send(connection, part)
    session.read(connection, 10_000)


def realtime(session: Session) -> None:
    """OpenAI's protocol: events out of order and with odd fields, responses that nobody waits for, and floods."""
    rng = session.rng
    connection = session.connect(receive_bytes=rng.choice((None, 2048)))
    session.send(connection, handshake(path="/v1/realtime"))
    content = [{"type": "input_text", "text": rng.choice((LONG, "Hi.", rng.choice(ODD_TEXTS)[:15_000]))}]
    item = {"type": "message", "role": "user", "content": content}
    events = [
        message(type="conversation.item.create", item=item),
        message(type="response.create", response={"input": [item], "conversation": "none"}),
        message(type="response.create"),
        message(type="response.cancel"),
        message(type="session.update", session={"audio": {"output": {"voice": rng.choice(ODD_VALUES)}}}),
        message(type="input_audio_buffer.append", audio="A" * 50_000),
        message(type=rng.choice(("response.create", "session.update", "conversation.item.create")), item=rng.choice(ODD_VALUES)),
        message(type="conversation.item.truncate", item_id=rng.choice(ODD_VALUES)),
    ]  # fmt: skip
    for _ in range(rng.randrange(1, 60)):
        if session.over or not session.send(connection, rng.choice(events)):
            return
    if rng.random() < 0.5:
        session.read(connection, 20_000)


def _wyoming(session: Session, data: bytes, most: int = 4096) -> None:
    connection = session.connect(session.target.wyoming)
    session.send(connection, data)
    session.read(connection, most)
    session.leave(connection)


def spoken(text: str = LONG) -> bytes:
    return event("synthesize", {"text": text, "voice": {"name": "ivy"}})


def streamed(text: str = LONG) -> bytes:
    start, stop = event("synthesize-start", {"voice": {"name": "ivy"}}), event("synthesize-stop")
    return start + event("synthesize-chunk", {"text": text}) + spoken(text) + stop


def wyoming_broken_off(session: Session) -> None:
    data = session.rng.choice((event("describe") + spoken(), streamed(), event("ping", {"text": "a"}) + streamed()))
    session.broken_off(data, session.target.wyoming)


def wyoming_lengths(session: Session) -> None:
    rng = session.rng
    length = rng.choice((-1, 99_000_000_000, 2**70, "5", None, 1.5, [], 1 << 20, 5000))
    header = {rng.choice(("data_length", "payload_length")): length}
    _wyoming(
        session, event(rng.choice(("describe", "synthesize", "audio-chunk")), {"text": "Hi."}, **header) + bytes(2000)
    )


def wyoming_lines(session: Session) -> None:
    rng = session.rng
    line = rng.choice(
        (b"\n" * 5000, b"{" * 60_000 + b"\n", b"x" * 200_000, b"null\n", b"[]\n", b'{"type":5}\n', b'{"type":"describe","data":5}\n',
         b'{"type":"synthesize","data":{"text":["a"]}}\n', b"GET / HTTP/1.1\r\n\r\n", b'{"type":"describe"}\r\n', b"\xff\n",
         b'{"data":{}}\n', b"9" * 50_000 + b"\n", garbage(rng, 5000))
    )  # fmt: skip
    _wyoming(session, line)


def wyoming_fields(session: Session) -> None:
    rng = session.rng
    kind = rng.choice(
        ("synthesize", "synthesize-start", "synthesize-chunk", "synthesize-stop", "ping", "describe", "x")
    )
    data = {"text": rng.choice(ODD_VALUES), "voice": rng.choice((*ODD_VALUES, {"name": rng.choice(ODD_VALUES)}))}
    _wyoming(session, event(kind, rng.choice((data, data, *ODD_VALUES))))


def wyoming_order(session: Session) -> None:
    events = [event("synthesize-start"), event("synthesize-chunk", {"text": LONG}), event("synthesize-stop"), spoken()]
    _wyoming(session, b"".join(session.rng.choice(events) for _ in range(session.rng.randrange(2, 12))), 20_000)


def wyoming_flooded(session: Session) -> None:
    connection = session.connect(session.target.wyoming)
    one = session.rng.choice(
        (event("describe"), event("ping"), spoken("Hi."), event("synthesize-chunk", {"text": "a"}))
    )
    while not session.over and session.send(connection, one * 200):
        pass


def wyoming_texts(session: Session) -> None:
    make = session.rng.choice((spoken, streamed))
    _wyoming(session, make(session.rng.choice(ODD_TEXTS)[:14_000]))


def wyoming_deaf(session: Session) -> None:
    session.send(session.connect(session.target.wyoming, 2048), spoken(LONG * 4))
    time.sleep(1)


def wyoming_slow(session: Session) -> None:
    session.slowly(session.connect(session.target.wyoming), event("describe") + streamed("Hi."), 2)


def wyoming_idle(session: Session) -> None:
    for _ in range(60):
        connection = session.connect(session.target.wyoming)
        session.send(connection, streamed()[: session.rng.randrange(60)])
    time.sleep(0.5)


KINDS: tuple[Callable[[Session], None], ...] = (
    socket_broken_off, odd_handshakes, odd_frames, many_parts, small_messages, pings, odd_messages, odd_bodies, odd_speech,
    word_by_word, realtime, deaf_socket, idle_sockets, interrupted, deflated, half_closed_socket, socket_in_many_packets,
    wyoming_broken_off, wyoming_lengths, wyoming_lines, wyoming_fields, wyoming_order, wyoming_flooded, wyoming_texts,
    wyoming_deaf, wyoming_slow, wyoming_idle,
)  # fmt: skip
