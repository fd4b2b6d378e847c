"""What the routes ask of a request before they read it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from fastapi import Request, WebSocket
from starlette.types import Receive

from mlx_tts.server.answers import ApiError, not_ready
from mlx_tts.shortened import shown

if TYPE_CHECKING:
    from mlx_tts.server.serving import Serving


def client_of(connection: Request | WebSocket) -> str:
    """Who asks, for the shares of the queue."""
    return connection.client.host if connection.client is not None else "unknown"


async def while_connected(answering: Coroutine[Any, Any, None], receive: Receive) -> tuple[bool, BaseException | None]:
    """Answer a request whose body was read until that is done, or until the client goes, which ends it -> whether the
    client went, and what the answering raised."""
    task, gone = asyncio.create_task(answering), asyncio.create_task(_until_gone(receive))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        left = not task.done()
        task.cancel()
        await asyncio.wait({task})
        return left, None if task.cancelled() else task.exception()
    finally:
        gone.cancel()
        task.cancel()


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


@contextmanager
def counted_refusals(serving: Serving) -> Iterator[None]:
    """While a request for speech is read: what is refused counts among the answers, as everything is while the server
    is being stopped."""
    try:
        if serving.draining:
            raise not_ready("the server is being stopped", 5)
        yield
    except ApiError as error:
        serving.metrics.count(error.status)
        raise


def must_be_json(request: Request) -> None:
    """Pages of other sites can send forms and plain text without asking first, but not JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().casefold()
    if kind != "application/json":
        raise ApiError(
            415, f"Content-Type is {shown(kind or 'missing')}: send application/json", code="unsupported_media_type"
        )
