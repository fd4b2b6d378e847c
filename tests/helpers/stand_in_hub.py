"""A model hub on this machine, by real HTTP: never the real network."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.helpers.http_server import CalmServer

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class StandIn(BaseHTTPRequestHandler):
    """As much of the hub as a download needs: model information, the list of files, and the files."""

    commit = COMMIT
    files: dict[str, bytes]
    asked: list[str]
    refusal: tuple[int, str] | None = None
    promised: dict[str, bytes]  # files that are announced as something else than what is given
    redirects: str | None = None  # where files are: at another address, or always at one more
    cut: str | None = None  # a file whose connection breaks halfway
    slow: str | None = None  # a file that comes a drop at a time

    def log_message(self, *arguments):
        pass

    def announced(self, name: str, data: bytes) -> dict:
        data = self.promised.get(name, data)
        told = {
            "rfilename": name,
            "size": len(data),
            "blobId": hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest(),
        }
        if name.endswith("safetensors"):
            told["lfs"] = {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 100}
        return told

    def answer(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def do_GET(self):
        if self.refusal:
            return self.answer(b"{}", self.refusal[0], X_Error_Code=self.refusal[1])
        if "/tree/" in self.path:
            rows = [
                {"type": "file", "path": name, "size": len(data), "oid": hashlib.sha1(data).hexdigest()}
                for name, data in self.files.items()
            ]
            return self.answer(json.dumps(rows).encode(), Content_Type="application/json")
        if self.path.startswith("/api/"):
            siblings = [self.announced(name, data) for name, data in self.files.items()]
            information = {"id": "owner/model", "sha": self.commit, "siblings": siblings}
            return self.answer(json.dumps(information).encode(), Content_Type="application/json")
        name = self.path.split(f"/resolve/{self.commit}/")[1]
        if self.redirects == "once" and not self.path.startswith("/elsewhere"):
            return self.answer(b"", 302, Location=f"/elsewhere{self.path}", X_Repo_Commit=self.commit)
        if self.redirects == "for ever":
            return self.answer(b"", 302, Location=f"/x{self.path}")
        data = self.files[name]
        etag = f'"{hashlib.sha1(data).hexdigest()}"'
        if self.command == "HEAD":
            return self.answer(data, ETag=etag, X_Repo_Commit=self.commit)
        start = int((self.headers.get("Range") or "bytes=0-").split("=")[1].split("-")[0])
        self.asked.append(f"{name}@{start}")
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(data) - start))
        self.send_header("ETag", etag)
        self.end_headers()
        if name == self.cut:
            self.wfile.write(data[start : start + len(data) // 2])
            self.connection.close()
        elif name == self.slow:
            for at in range(start, len(data), 1000):
                self.wfile.write(data[at : at + 1000])
                time.sleep(0.01)
        else:
            self.wfile.write(data[start:])

    do_HEAD = do_GET


@contextmanager
def hub_with(files: dict[str, bytes], **settings: Any) -> Iterator[tuple[type[StandIn], str]]:
    """A hub whose only repository has these files, and its address. settings: what `StandIn` has."""
    handler = type("Handler", (StandIn,), {"files": files, "asked": [], "promised": {}, **settings})
    server = CalmServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield handler, f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
