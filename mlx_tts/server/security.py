"""Every request passes here first: host, origin, key, size and time; what leaves gets headers that browsers obey."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import re
import secrets
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mlx_tts.server.answers import ApiError
from mlx_tts.server.settings import ServerSettings

BODY_BYTES = 4 << 20
UPLOAD_BYTES = (10 << 20) + (64 << 10)  # a recording of 10 MiB, and the form around it
LARGE_BODIES = {
    "/v1/audio/voices": UPLOAD_BYTES,
    "/page/api/sample": UPLOAD_BYTES,
    "/page/api/document": 64 << 20,  # novels with pictures
    "/page/api/file": 1 << 30,  # six hours of samples, which are encoded as they come
}
BODY_SECONDS = 30.0
OPEN_PATHS = ("/health", "/ready", "/")  # for those who watch the server: they tell nothing of its users
PAGE_FILE = re.compile(r"/page/[^/]+")  # a browser loads them before it can ask for the key; all they hold is public
KEY_PROTOCOL = "openai-insecure-api-key."
CONTENT_POLICY = b"default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
ALLOWED_HEADERS = b"authorization, content-type, x-request-id"


class Door:
    """An ASGI application around another one."""

    def __init__(self, app: ASGIApp, settings: ServerSettings):
        self._app, self._settings = app, settings

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
        if scope["type"] == "http":
            receive = _limited(receive, LARGE_BODIES.get(scope["path"], BODY_BYTES))
        await self._app(scope, receive, _with_headers(send, headers))

    def _check_host(self, scope: Scope) -> None:
        """A name that is not ours is a page of a stranger, whose name was pointed at this machine."""
        host = _header(scope, b"host")
        name = "" if host is None else (urlsplit(f"//{host}").hostname or "")
        allowed = {"localhost", *(entry.casefold() for entry in self._settings.allowed_hosts)}
        if name.casefold() not in allowed and not _is_address(name):
            raise ApiError(
                421,
                f"this server does not answer for the host {host!r}: start it with --allowed-host {name or 'NAME'}",
                code="host_not_allowed",
            )

    def _check_origin(self, scope: Scope, origin: str | None) -> None:
        """A page of another site may look, but not speak."""
        if origin is None or self._is_ours(scope, origin):
            return
        if scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD"):
            raise ApiError(
                403,
                f"pages of {origin} may not use this server: start it with --cors-origin {origin}",
                code="origin_not_allowed",
            )

    def _is_ours(self, scope: Scope, origin: str) -> bool:
        own = urlsplit(origin)
        same = own.netloc == _header(scope, b"host") and own.scheme in ("http", "https")
        return same or self._is_allowed(origin)

    def _is_allowed(self, origin: str) -> bool:
        return "*" in self._settings.cors_origins or origin in self._settings.cors_origins

    def _check_key(self, scope: Scope) -> None:
        key = self._settings.api_key
        if key is None or scope["path"] in OPEN_PATHS or PAGE_FILE.fullmatch(scope["path"]):
            return
        scheme, _, given = (_header(scope, b"authorization") or "").partition(" ")
        offered = [given.strip()] if scheme.casefold() == "bearer" else []
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
            (b"x-content-type-options", b"nosniff"),
            (b"content-security-policy", CONTENT_POLICY),
            (b"referrer-policy", b"no-referrer"),
        ]
        if origin is not None and self._is_allowed(origin):
            headers += [
                (b"access-control-allow-origin", origin.encode("latin-1")),
                (b"access-control-allow-methods", b"GET, POST, DELETE, OPTIONS"),
                (b"access-control-allow-headers", ALLOWED_HEADERS),
                (b"access-control-expose-headers", b"x-request-id, retry-after"),
                (b"access-control-max-age", b"600"),
                (b"vary", b"origin"),
            ]
        return headers


def _header(scope: Scope, name: bytes) -> str | None:
    values = [value for key, value in scope["headers"] if key == name]
    return values[0].decode("latin-1") if len(values) == 1 else None


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return True


def _with_headers(send: Send, headers: Iterable[tuple[bytes, bytes]]) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.accept"):
            own = {name for name, _ in message.get("headers", [])}
            added = [(name, value) for name, value in headers if name not in own]
            message = {**message, "headers": [*message.get("headers", []), *added]}
        await send(message)

    return sending


def _limited(receive: Receive, most_bytes: int) -> Receive:
    """The same with an error for a body that is too large, however large it says it is, or that does not come."""
    got = 0
    complete = False

    async def receiving() -> Message:
        nonlocal got, complete
        if complete:
            return await receive()
        try:
            async with asyncio.timeout(BODY_SECONDS):
                message = await receive()
        except TimeoutError:
            raise ApiError(408, f"the body did not come within {BODY_SECONDS:.0f} s", code="timeout") from None
        got += len(message.get("body", b""))
        complete = not message.get("more_body", False)
        if got > most_bytes:
            raise ApiError(413, f"the body has more than {most_bytes >> 20} MiB: send less", code="body_too_large")
        return message

    return receiving


async def _answer(scope: Scope, send: Send, status: int, body: bytes, headers: list[tuple[bytes, bytes]]) -> None:
    """An answer to a request that goes no further; a WebSocket is refused by the same answer."""
    kind = "websocket.http.response" if scope["type"] == "websocket" else "http.response"
    headers = [*headers, (b"content-length", str(len(body)).encode())]
    await send({"type": f"{kind}.start", "status": status, "headers": headers})
    await send({"type": f"{kind}.body", "body": body})
