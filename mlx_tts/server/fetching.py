"""A model that the page asks for -> on disk and served, with its progress as server-sent events; `serve --allow-fetch`.
One that is on disk already is served at once.

The download is that of `mlx-tts pull`, in a process of its own: it takes no time from what is being spoken, and nothing
of it is left when it is stopped, when the client goes, or when the server ends.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager
from typing import Any
from urllib.parse import urlsplit

from fastapi import Request, Response
from starlette.types import Message, Receive, Scope, Send

from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.library import catalog, hub
from mlx_tts.library.catalog import ModelSpec
from mlx_tts.server.answers import ApiError, bad_request
from mlx_tts.server.requests import client_of, must_be_json, while_connected
from mlx_tts.server.serving import Serving
from mlx_tts.server.settings import KEY_VARIABLE, ServerSettings, is_loopback

EVERY_SECONDS = 0.4  # at most, between two events
NOTICED_SECONDS = 2.0  # within which it is seen that a client has gone, also on a busy machine
STOP_SECONDS = 5.0  # for the process to end by itself
CHILD = "mlx_tts.library.fetch_child"
STOPPING = "the server is being stopped"
HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]
log = logging.getLogger("mlx_tts.server")


def may_fetch(request: Request, settings: ServerSettings) -> bool:
    """Whether this client's page may fetch models. Where no key is asked, only a client on this machine may."""
    is_owner = settings.api_key is not None or is_loopback(client_of(request))
    return settings.allow_fetch and is_owner and not hub.is_offline()


async def model_to_fetch(request: Request, settings: ServerSettings) -> ModelSpec:
    """The model that a request asks for; ApiError where it may not be fetched or served, or is none of the list."""
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        # Also of a page that --cors-origin lets speak.
        raise ApiError(403, "only the server's own page may fetch models", code="origin_not_allowed")
    if not settings.allow_fetch:
        why = "start it with --allow-fetch, or run `mlx-tts pull` where it runs"
        raise ApiError(403, f"this server fetches no models for a page: {why}", code="fetch_not_allowed")
    if not may_fetch(request, settings):
        why = "HF_HUB_OFFLINE is set" if hub.is_offline() else "without a key only a browser on its own machine may"
        raise ApiError(403, f"this server fetches no models for this page: {why}", code="fetch_not_allowed")
    must_be_json(request)
    try:
        body = json.loads(await request.body())
    except ValueError:
        body = None
    name = body.get("model") if isinstance(body, dict) else None
    if not isinstance(name, str):
        raise bad_request('the body names no model: send {"model": ALIAS}', "model")
    try:
        return catalog.listed(name)
    except RequestError as error:
        raise ApiError(404, str(error), param="model", code="model_not_found") from None


class Fetching:
    """The one download of a server at a time."""

    def __init__(self, serving: Serving):
        self._serving = serving
        self._name: str | None = None
        self._is_ending = False

    async def events(self, spec: ModelSpec) -> AsyncGenerator[dict[str, Any], None]:
        """Fetch a model, unless it is on disk, and serve it; what happens. ApiError 409 where another is fetched,
        before anything is begun. Who stops a download and begins one at once may come before the first has been seen
        to go."""
        until = time.monotonic() + NOTICED_SECONDS
        while self._name is not None:
            if not self._is_ending and time.monotonic() > until:
                what = "is being fetched: wait until it is here, or stop it"
                raise ApiError(409, f"{self._name} {what}", code="fetch_in_progress")
            await asyncio.sleep(0.05)
        with self._place(spec.name):
            if hub.is_on_disk(spec):
                yield await self._serve(spec)
                return
            log.info("fetching %s for the page", spec.name)
            async with aclosing(self._fetched(spec)) as reports:
                async for report in reports:
                    if report.get("done"):
                        yield await self._serve(spec)
                    elif "error" in report:
                        log.error("%s could not be fetched: %s", spec.name, report["error"])
                        yield {"type": "fetch.failed", "model": spec.name, "message": report["error"]}
                    else:
                        yield {"type": "fetch.progress", "model": spec.name, **report}

    @contextmanager
    def _place(self, name: str) -> Iterator[None]:
        self._name, self._is_ending = name, False
        try:
            yield
        finally:
            self._name = None

    async def _serve(self, spec: ModelSpec) -> dict[str, Any]:
        try:
            await self._serving.pool.add(spec)
        except MlxTtsError as error:
            log.error("%s is on disk and cannot be served: %s", spec.name, error)
            return {"type": "fetch.failed", "model": spec.name, "message": str(error)}
        log.info("%s is on disk and served from now on", spec.name)
        return {"type": "fetch.done", "model": spec.name}

    async def _fetched(self, spec: ModelSpec) -> AsyncGenerator[dict[str, Any], None]:
        """What the child says, and the same again where it says nothing for a while; the last is done or an error."""
        environment = {name: value for name, value in os.environ.items() if name != KEY_VARIABLE}
        child = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", CHILD, spec.name),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=environment,
        )
        assert child.stdout is not None
        report: dict[str, Any] = {"received": 0, "total": spec.size_bytes}
        try:
            while not (report.get("done") or "error" in report):
                yield report
                try:
                    line = await asyncio.wait_for(child.stdout.readline(), EVERY_SECONDS)
                except TimeoutError:
                    line = json.dumps(report).encode()
                broken = {"error": f"the download broke off: `mlx-tts pull {spec.name}` says why"}
                report = json.loads(line) if line else broken
                if self._serving.draining:
                    report = {"error": STOPPING}
            yield report
        finally:
            self._is_ending = True
            await _end(child)


async def _end(child: asyncio.subprocess.Process) -> None:
    """Without its input the child stops; one that does not is ended."""
    assert child.stdin is not None
    child.stdin.close()
    try:
        async with asyncio.timeout(STOP_SECONDS):
            await child.wait()
    except BaseException as error:
        child.kill()
        if not isinstance(error, TimeoutError):
            raise
        await child.wait()


class FetchAnswer(Response):
    """The events of a download, until it is over or the client goes, which ends it."""

    media_type = "text/event-stream"

    def __init__(self, fetching: Fetching, spec: ModelSpec):
        super().__init__()
        self._fetching, self._spec = fetching, spec

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        _, error = await while_connected(self._tell(send), receive)
        if error is not None:
            raise error

    async def _tell(self, send: Send) -> None:
        start: Message | None = {"type": "http.response.start", "status": 200, "headers": HEADERS}
        async with aclosing(self._fetching.events(self._spec)) as events:
            async for event in events:
                if start is not None:
                    await send(start)
                    start = None
                body = f"data: {json.dumps(event, ensure_ascii=False)}\n\n".encode()
                await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})
