"""An OpenAI-compatible address, such as that of Ollama or LM Studio -> answers of its language model.

The address is the one that the user named: nothing is sent to another one, redirects are not followed, and no proxy is
asked.
"""

from __future__ import annotations

import http.client
import json
import threading
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.files import budget
from mlx_tts.shortened import listed, shortened, shown
from mlx_tts.text.source.web import end_connection, is_public, plain_reason

MOST_TOKENS = 4000  # of an answer: some models think aloud before it
READ_BYTES = 1 << 16
OPTION = "--labels-from"
ADVICE = "give an address such as http://127.0.0.1:11434"


@dataclass(frozen=True)
class LabelServer:
    """host, port: where it is. address: the one of these numbers that is used, so that it is the one that was looked
    at. path: in front of /v1. name: of the model."""

    is_secret: bool
    host: str
    port: int
    address: str
    path: str
    name: str = ""

    @property
    def where(self) -> str:
        return shortened(f"{self.host}:{self.port}", 100)

    @property
    def is_far(self) -> bool:
        """Whether it is neither on this machine nor in a network around it."""
        return is_public(self.address)

    def named(self, name: str | None) -> LabelServer:
        """The same with this model, or with the only one that is there. RequestError: there are several."""
        if name is None:
            data = self._asked("GET", "/v1/models")
            rows = data.get("data") if isinstance(data, dict) else None
            found = [row["id"] for row in rows or [] if isinstance(row, dict) and isinstance(row.get("id"), str)]
            if len(found) != 1:
                said = f"has {listed([shortened(one, 60) for one in found])}" if found else "does not list its models"
                raise RequestError(f"{self.where} {said}: choose one with --labels-model")
            name = found[0]
        return LabelServer(self.is_secret, self.host, self.port, self.address, self.path, name)

    def answer(self, task: str, passage: str) -> str:
        """What the model says. MlxTtsError: it cannot be had."""
        messages = [{"role": "system", "content": task}, {"role": "user", "content": passage}]
        body = {"model": self.name, "messages": messages, "temperature": 0, "max_tokens": MOST_TOKENS, "stream": False}
        data = self._asked("POST", "/v1/chat/completions", body)
        try:
            content = data["choices"][0]["message"]["content"]
        except (LookupError, TypeError):
            content = None
        return content if isinstance(content, str) else ""

    def _asked(self, method: str, place: str, body: Any = None) -> Any:
        """The JSON that it answers, None where it is none."""
        import socket
        import ssl

        deadline = time.monotonic() + budget.LABEL_SECONDS.allowed
        kind = http.client.HTTPSConnection if self.is_secret else http.client.HTTPConnection
        connection = kind(self.host, self.port)
        # A timeout of the socket is for each read: an answer that trickles is ended by this.
        watch = threading.Timer(budget.LABEL_SECONDS.allowed, end_connection, [connection])
        watch.daemon = True
        watch.start()
        try:
            connection.sock = socket.create_connection((self.address, self.port), budget.LABEL_SECONDS.allowed)
            if self.is_secret:
                connection.sock = ssl.create_default_context().wrap_socket(connection.sock, server_hostname=self.host)
            data = None if body is None else json.dumps(body).encode("utf-8", "replace")
            connection.request(method, self.path + place, data, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            said = self._read(answer)
            if time.monotonic() >= deadline:  # what was ended for its time may look like the end of an answer
                raise TimeoutError
        except (OSError, http.client.HTTPException) as error:
            if isinstance(error, TimeoutError) or time.monotonic() >= deadline:
                raise MlxTtsError(budget.LABEL_SECONDS.refusal(self.where)) from None
            raise MlxTtsError(f"no answer from {self.where} ({plain_reason(error)})") from None
        finally:
            watch.cancel()
            connection.close()
        if answer.status != 200:
            raise MlxTtsError(f"{self.where} answers {answer.status}{_message(said)}")
        return said

    def _read(self, answer: http.client.HTTPResponse) -> Any:
        parts, size = [], 0
        while data := answer.read1(READ_BYTES):
            parts.append(data)
            size += len(data)
            if size > budget.LABEL_BYTES.allowed:
                raise MlxTtsError(budget.LABEL_BYTES.refusal(self.where))
        if answer.length:
            raise http.client.IncompleteRead(b"", answer.length)
        try:
            return json.loads(b"".join(parts))
        except (ValueError, RecursionError):
            return None


def find_label_server(url: str) -> LabelServer:
    """What an address means, with or without /v1. RequestError: it is none. MlxTtsError: there is no such machine."""
    import socket

    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        parts, port = urlsplit(""), 0
    if parts.scheme not in ("http", "https") or not parts.hostname or not url.isprintable() or " " in url:
        raise RequestError(f"{OPTION} is {shown(url, 100)}: {ADVICE}")
    if parts.username is not None or parts.query or parts.fragment or not url.isascii():
        raise RequestError(f"{OPTION} is {shown(url, 100)}, with more than an address: {ADVICE}")
    path = parts.path.rstrip("/").removesuffix("/chat/completions").removesuffix("/v1")
    try:
        found = [str(entry[4][0]) for entry in socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)]
    except (OSError, UnicodeError) as error:
        raise MlxTtsError(f"no machine is called {shown(parts.hostname, 60)} ({plain_reason(error)})") from None
    found.sort(key=lambda address: ":" in address)  # `localhost` is both, and most of these programs listen on IPv4
    return LabelServer(parts.scheme == "https", parts.hostname, port, found[0], path)


def _message(said: Any) -> str:
    """What a server says of an error, in the ways that are usual."""
    error = said.get("error") if isinstance(said, dict) else None
    text = error.get("message") if isinstance(error, dict) else error
    plain = "".join(sign for sign in text if sign.isprintable()) if isinstance(text, str) else ""
    return f": {shortened(plain, 200)}" if plain else ""
