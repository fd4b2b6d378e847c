"""A client that goes before its answer has begun -> the end of all that is done for it.

Frameworks notice it only where a route sends something. Five hundred clients that had asked for the plan of a long text
and left were read one after the other, and meanwhile the server took no other connection.
"""

from __future__ import annotations

import asyncio
import logging

from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger("mlx_tts.server")


async def answer_unless_gone(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Let `app` answer an HTTP request, and cancel it when the client goes before the answer has begun. From then on
    the route's own work is told of it, as ever, by the message `http.disconnect`."""
    client = _Client(receive, send)
    watching = asyncio.create_task(client.watch(asyncio.current_task()))
    try:
        await app(scope, client.receive, client.send)
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if not client.was_cancelled or task is None or task.uncancel():
            raise  # the server itself ends it
        log.info("the client of %s is gone before its answer", scope["path"])
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)  # it has let go of the connection


class _Client:
    """One request's side of the connection. was_cancelled: whether its answer was given up."""

    def __init__(self, receive: Receive, send: Send):
        self._receive, self._send = receive, send
        self._body_is_read, self._gone = asyncio.Event(), asyncio.Event()
        self._has_begun = False
        self.was_cancelled = False

    async def receive(self) -> Message:
        if self._body_is_read.is_set():
            await self._gone.wait()
            return {"type": "http.disconnect"}
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self._gone.set()
        if message["type"] != "http.request" or not message.get("more_body"):
            self._body_is_read.set()
        return message

    async def send(self, message: Message) -> None:
        self._has_begun = True
        await self._send(message)

    async def watch(self, answering: asyncio.Task[None] | None) -> None:
        """From the end of the body on, until the client goes or the answer is over."""
        await self._body_is_read.wait()
        while not self._gone.is_set():
            if (await self._receive())["type"] == "http.disconnect":
                self._gone.set()
        if not self._has_begun and answering is not None:
            self.was_cancelled = True
            answering.cancel()
