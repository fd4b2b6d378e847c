"""A server to attack -> sockets, requests and frames as strangers write them. Nothing leaves this machine."""

from __future__ import annotations

import contextlib
import json
import random
import socket
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass

ADDRESS, NEIGHBOUR = "127.0.0.1", "127.0.0.2"  # the attacker's, and that of the client who must not notice
PATIENCE_SECONDS = 0.5  # that a session waits for an answer, or for room to send
SESSION_SECONDS = 2.0  # that a flood goes on
SPEECH, STREAM = "/v1/audio/speech", "/v1/audio/speech/stream"
JSON = "Content-Type: application/json\r\n"


@dataclass(frozen=True)
class Target:
    """Where it listens."""

    http: int
    wyoming: int


class Session:
    """One hostile client: its random numbers and all of its sockets, which are closed at the end."""

    def __init__(self, target: Target, rng: random.Random):
        self.target, self.rng = target, rng
        self.sockets: list[socket.socket] = []
        self.until = time.monotonic() + SESSION_SECONDS

    @property
    def over(self) -> bool:
        return time.monotonic() > self.until

    def connect(self, port: int | None = None, receive_bytes: int | None = None) -> socket.socket:
        """A connection to the HTTP port, or to that of Wyoming. receive_bytes: how much the system reads ahead."""
        connection = socket.socket()
        self.sockets.append(connection)
        if receive_bytes is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        connection.settimeout(PATIENCE_SECONDS)
        with contextlib.suppress(OSError):
            connection.connect((ADDRESS, port or self.target.http))
        return connection

    def send(self, connection: socket.socket, data: bytes) -> bool:
        """False where the server takes no more of it."""
        try:
            connection.sendall(data)
        except OSError:
            return False
        return True

    def slowly(self, connection: socket.socket, data: bytes, size: int = 1, pause: float = 0.01) -> None:
        for at in range(0, len(data), size):
            if self.over or not self.send(connection, data[at : at + size]):
                return
            time.sleep(pause)

    def read(self, connection: socket.socket, most: int = 1 << 20) -> bytes:
        """What comes within the patience, up to so many bytes."""
        data = bytearray()
        with contextlib.suppress(OSError):
            while len(data) < most and not self.over and (part := connection.recv(min(65_536, most - len(data)))):
                data += part
        return bytes(data)

    def leave(self, connection: socket.socket, how: str | None = None) -> None:
        """Close it with FIN, with RST, or half of it."""
        how = how or self.rng.choice(("fin", "reset", "half"))
        with contextlib.suppress(OSError):
            if how == "reset":
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            if how == "half":
                connection.shutdown(socket.SHUT_WR)
                self.read(connection, 4096)
            connection.close()

    def broken_off(self, data: bytes, port: int | None = None) -> None:
        """Send it up to any byte, wait a moment or not, and leave."""
        connection = self.connect(port)
        self.send(connection, data[: self.rng.randrange(len(data) + 1)])
        if self.rng.random() < 0.5:
            self.read(connection, self.rng.choice((1, 100, 10_000)))
        self.leave(connection)

    def ask(self, data: bytes, most: int = 1 << 16) -> bytes:
        """Send it whole, and read what is said."""
        connection = self.connect()
        self.send(connection, data)
        answer = self.read(connection, most)
        self.leave(connection)
        return answer

    def close(self) -> None:
        for connection in self.sockets:
            with contextlib.suppress(OSError):
                connection.close()


def request(method: str, path: str, body: bytes = b"", headers: str = "", host: str = "localhost") -> bytes:
    head = f"{method} {path} HTTP/1.1\r\nHost: {host}\r\n{headers}"
    if body:
        head += f"Content-Length: {len(body)}\r\n"
    return f"{head}\r\n".encode("utf-8", "surrogateescape") + body


def post(path: str, data: object) -> bytes:
    return request("POST", path, json.dumps(data).encode(), JSON)


def speech(**fields: object) -> bytes:
    return post(SPEECH, {"input": "Hello there.", "voice": "ivy", "response_format": "pcm", "seed": 1, **fields})


def frame(data: bytes, opcode: int = 1, final: bool = True, masked: bool = True, reserved: int = 0) -> bytes:
    """One frame of a WebSocket. reserved: its three bits."""
    mask = 0x80 if masked else 0
    size = len(data)
    if size < 126:
        length = bytes([mask | size])
    elif size < 1 << 16:
        length = bytes([mask | 126]) + struct.pack(">H", size)
    else:
        length = bytes([mask | 127]) + struct.pack(">Q", size)
    return bytes([final << 7 | reserved << 4 | opcode]) + length + (bytes(4) if masked else b"") + data


def message(**fields: object) -> bytes:
    return frame(json.dumps(fields).encode())


def handshake(
    headers: str = "", version: str = "13", key: str = "MDEyMzQ1Njc4OUFCQ0RFRg==", path: str = STREAM
) -> bytes:
    lines = f"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: {version}\r\n"
    return request("GET", path, headers=f"{lines}Sec-WebSocket-Key: {key}\r\n{headers}")


CONFIG = message(type="session.config", voice="ivy", seed=1)


def utterance(text: str = "Hello there.") -> bytes:
    return message(type="input.text", text=text) + message(type="input.done")


def event(kind: str, data: object = None, payload: bytes = b"", **header: object) -> bytes:
    """One event of Wyoming."""
    fields = {"type": kind, "data": data if data is not None else {}, **header}
    if payload:
        fields["payload_length"] = len(payload)
    return json.dumps(fields).encode() + b"\n" + payload


def garbage(rng: random.Random, size: int) -> bytes:
    return rng.randbytes(rng.randrange(1, size))


def pieces(rng: random.Random, data: bytes, count: int) -> Iterator[bytes]:
    """The same bytes, cut at random."""
    cuts = sorted(rng.randrange(len(data) + 1) for _ in range(count - 1))
    for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
        yield data[start:end]
