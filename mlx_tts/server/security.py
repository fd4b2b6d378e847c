"""Every request passes here first: host, origin, key, size and time; what leaves gets headers that browsers obey."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import logging
import re
import secrets
import socket
from collections.abc import Iterable
from functools import cache
from urllib.parse import SplitResult, urlsplit

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mlx_tts.server.answers import ApiError, bad_request, busy
from mlx_tts.server.leaving import answer_unless_gone
from mlx_tts.server.settings import ServerSettings
from mlx_tts.shortened import shown

BODY_BYTES = 4 << 20
UPLOAD_BYTES = (10 << 20) + (64 << 10)  # a recording of 10 MiB, and the form around it
LARGE_BODIES = {
    "/v1/audio/voices": UPLOAD_BYTES,
    "/page/api/sample": UPLOAD_BYTES,
    "/page/api/document": 64 << 20,  # novels with pictures
    "/page/api/file": 1 << 30,  # six hours of samples, which are encoded as they come
}
BODY_SECONDS, LEAST_BYTES = 30.0, 16 << 10  # in this time so much of a body must come, or its end
MOST_HELD_BYTES, MOST_STORED_BYTES = 256 << 20, 4 << 30  # of all bodies that are being read: in memory, and on the disk
STORED_BODIES = ("/page/api/document", "/page/api/file")
UNREAD_SECONDS = 60.0  # a client that takes nothing for so long is gone
OPEN_PATHS = ("/health", "/ready", "/")  # for those who watch the server: they tell nothing of its users
# --open-lists shows them without the key.
LISTS = ("/v1/models", "/v1/audio/models", "/v1/audio/voices", "/v1/voices", "/v2/voices")
# Docker's name for the machine that a container runs on, and this machine's own on its network: no page of the web has
# them, for a public name server knows neither.
OWN_NAMES = ("host.docker.internal", f"{socket.gethostname().partition('.')[0].casefold()}.local")
PAGE_FILE = re.compile(r"/page/[^/]+")  # a browser loads them before it can ask for the key; all they hold is public
KEY_HEADERS = (b"xi-api-key", b"x-api-key")  # where clients of ElevenLabs and of many others send it
KEY_PROTOCOL = "openai-insecure-api-key."
CONTENT_POLICY = b"default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
log = logging.getLogger("mlx_tts.server")
EXPOSED_HEADERS = b"x-request-id, request-id, retry-after, x-mlx-tts-voice, x-mlx-tts-cast"
ALLOWED_HEADERS = b"authorization, content-type, x-request-id, xi-api-key, x-api-key"


class Door:
    """An ASGI application around another one."""

    def __init__(self, app: ASGIApp, settings: ServerSettings):
        self._app, self._settings = app, settings
        self._bodies = {False: _Bodies(MOST_HELD_BYTES), True: _Bodies(MOST_STORED_BYTES)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        request_id = f"req_{secrets.token_hex(12)}"
        scope.setdefault("state", {})["request_id"] = request_id
        origin = _header(scope, b"origin")
        headers = self._headers(request_id, origin)
        try:
            self._check_host(scope)
            self._check_origin(scope, origin)
            if scope["type"] == "http" and scope["method"] == "OPTIONS" and origin is not None:
                await _answer(scope, send, 204, b"", headers)
                return
            self._check_key(scope)
        except ApiError as error:
            extra = [(name.lower().encode(), value.encode()) for name, value in error.headers.items()]
            extra.append((b"content-type", b"application/json"))
            await _answer(scope, send, error.status, error.as_bytes(), headers + extra)
            return
        path = scope["path"]
        body = _Body(receive, LARGE_BODIES.get(path, BODY_BYTES), self._bodies[path in STORED_BODIES])
        try:
            if scope["type"] == "http":
                await answer_unless_gone(self._app, scope, body.receive, _with_headers(scope, send, headers))
            else:
                await self._app(scope, receive, _with_headers(scope, send, headers))
        except ClientDisconnect:
            log.info("the client of %s %s is gone", scope["type"], path)
        finally:
            body.release()

    def _check_host(self, scope: Scope) -> None:
        """A name that is not ours is a page of a stranger, whose name was pointed at this machine."""
        host = _header(scope, b"host")
        name = "" if host is None else (_split(f"//{host}").hostname or "")
        allowed = {"localhost", *OWN_NAMES, *(entry.casefold() for entry in self._settings.allowed_hosts)}
        if name.casefold() not in allowed and not _is_address(name):
            raise ApiError(
                421,
                f"this server does not answer for the host {shown(host)}: start it with "
                f"--allowed-host {name or 'NAME'}",
                code="host_not_allowed",
            )

    def _check_origin(self, scope: Scope, origin: str | None) -> None:
        """A page of another site may look, but not speak."""
        if sum(key == b"origin" for key, _ in scope["headers"]) > 1:
            raise bad_request("the header Origin came more than once", code="invalid_header")
        if origin is None or self._is_ours(scope, origin):
            return
        if scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD"):
            raise ApiError(
                403,
                f"pages of {origin} may not use this server: start it with --cors-origin {origin}",
                code="origin_not_allowed",
            )

    def _is_ours(self, scope: Scope, origin: str) -> bool:
        own = _split(origin)
        same = own.netloc == _header(scope, b"host") and own.scheme in ("http", "https")
        return same or self._is_allowed(origin)

    def _is_allowed(self, origin: str) -> bool:
        return any(_origin_pattern(entry).fullmatch(origin) for entry in self._settings.cors_origins)

    def _check_key(self, scope: Scope) -> None:
        key = self._settings.api_key
        if key is None or scope["path"] in OPEN_PATHS or PAGE_FILE.fullmatch(scope["path"]):
            return
        if self._settings.open_lists and scope["path"] in LISTS and scope.get("method") in ("GET", "HEAD"):
            return
        scheme, _, given = (_header(scope, b"authorization") or "").partition(" ")
        offered = [given.strip()] if scheme.casefold() == "bearer" else []
        offered += [found.strip() for name in KEY_HEADERS if (found := _header(scope, name))]
        if scope["type"] == "websocket":
            offered += [
                name.removeprefix(KEY_PROTOCOL) for name in scope["subprotocols"] if name.startswith(KEY_PROTOCOL)
            ]
        # Each is compared in the same time, however much of it is right, and all of them are.
        if not sum(hmac.compare_digest(entry.encode(), key.encode()) for entry in offered):
            what = "is wrong" if any(offered) else "is missing: send Authorization: Bearer KEY"
            raise ApiError(401, f"the API key {what}", code="invalid_api_key", headers={"WWW-Authenticate": "Bearer"})

    def _headers(self, request_id: str, origin: str | None) -> list[tuple[bytes, bytes]]:
        headers = [
            (b"x-request-id", request_id.encode()),
            (b"request-id", request_id.encode()),  # ElevenLabs' name for it
            (b"x-content-type-options", b"nosniff"),
            (b"content-security-policy", CONTENT_POLICY),
            (b"referrer-policy", b"no-referrer"),
        ]
        if origin is not None and self._is_allowed(origin):
            headers += [
                (b"access-control-allow-origin", origin.encode("latin-1")),
                (b"access-control-allow-methods", b"GET, POST, DELETE, OPTIONS"),
                (b"access-control-allow-headers", ALLOWED_HEADERS),
                (b"access-control-expose-headers", EXPOSED_HEADERS),
                (b"access-control-max-age", b"600"),
                (b"vary", b"origin"),
            ]
        return headers


@cache
def _origin_pattern(entry: str) -> re.Pattern[str]:
    """--cors-origin: a star stands for any part of a host's name, or for all that there is."""
    if entry == "*":
        return re.compile(".*", re.DOTALL)
    return re.compile("[^/:@?#\\s]+".join(map(re.escape, entry.split("*"))))


def _header(scope: Scope, name: bytes) -> str | None:
    values = [value for key, value in scope["headers"] if key == name]
    return values[0].decode("latin-1") if len(values) == 1 else None


def _split(address: str) -> SplitResult:
    """ApiError 400 for what is not an address, such as a bracket that is never closed."""
    try:
        return urlsplit(address)
    except ValueError:
        raise bad_request(
            f"a header names {shown(address, 100)}, which is not an address", code="invalid_header"
        ) from None


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return True


def _with_headers(scope: Scope, send: Send, headers: Iterable[tuple[bytes, bytes]]) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.accept"):
            own = {name for name, _ in message.get("headers", [])}
            added = [(name, value) for name, value in headers if name not in own]
            message = {**message, "headers": [*message.get("headers", []), *added]}
        try:
            async with asyncio.timeout(UNREAD_SECONDS):
                await send(message)
        except TimeoutError:
            if scope["type"] == "websocket":
                raise  # as an OSError it ends the session
            raise ClientDisconnect from None

    return sending


class _Bodies:
    """All bodies of a kind that are being read. bytes: of what came of them."""

    def __init__(self, most_bytes: int):
        self.bytes, self.most_bytes = 0, most_bytes


class _Body:
    """The body of one request: an error where it is too large, whatever it says itself, or comes too slowly."""

    def __init__(self, receive: Receive, most_bytes: int, together: _Bodies):
        self._receive, self._most_bytes, self._together = receive, most_bytes, together
        self._bytes, self._counted = 0, 0  # counted: up to where it came in time
        self._complete = False
        self._until: float | None = None

    async def receive(self) -> Message:
        if self._complete:
            return await self._receive()
        clock = asyncio.get_running_loop().time
        self._until = self._until or clock() + BODY_SECONDS
        try:
            async with asyncio.timeout_at(self._until):
                message = await self._receive()
        except TimeoutError:
            raise ApiError(408, f"the body did not come within {BODY_SECONDS:.0f} s", code="timeout") from None
        size = len(message.get("body", b""))
        self._bytes += size
        self._together.bytes += size
        self._complete = not message.get("more_body", False)
        if self._bytes > self._most_bytes:
            raise ApiError(
                413, f"the body has more than {self._most_bytes >> 20} MiB: send less", code="body_too_large"
            )
        if self._together.bytes > self._together.most_bytes:
            raise busy("too much is being uploaded at once: try again soon", 5)
        if self._bytes - self._counted >= LEAST_BYTES:
            self._counted, self._until = self._bytes, None
        return message

    def release(self) -> None:
        self._together.bytes -= self._bytes
        self._bytes = 0


async def _answer(scope: Scope, send: Send, status: int, body: bytes, headers: list[tuple[bytes, bytes]]) -> None:
    """An answer to a request that goes no further; a WebSocket is refused by the same answer."""
    kind = "websocket.http.response" if scope["type"] == "websocket" else "http.response"
    headers = [*headers, (b"content-length", str(len(body)).encode())]
    await send({"type": f"{kind}.start", "status": status, "headers": headers})
    await send({"type": f"{kind}.body", "body": body})
