"""Checked settings -> a running server, until a signal ends it: what is being spoken is finished first."""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
import select
import socket
import sys
from collections.abc import Callable, Sized
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import partial
from types import FrameType
from typing import Any

import uvicorn
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.job.settings import user_lexicon
from mlx_tts.library.hub import is_on_disk
from mlx_tts.library.selection import models_to_serve
from mlx_tts.runtime.folders import data_folder
from mlx_tts.runtime.memory import give_back_pages
from mlx_tts.server.app import create_app
from mlx_tts.server.metrics import Metrics
from mlx_tts.server.model_pool import ModelPool
from mlx_tts.server.pace import Pace
from mlx_tts.server.serving import Serving
from mlx_tts.server.settings import ServerSettings
from mlx_tts.server.voices import UploadedVoices
from mlx_tts.server.wyoming_protocol import open_wyoming
from mlx_tts.text.source.parsers import keep_parser_warm, let_parser_go

DRAIN_SECONDS = 30.0
CONNECTIONS = 512
PAGES_SECONDS = 10.0  # how often what uploads and encoders have freed goes back to the system
THREADS = 64  # for encoders, recordings and loading: a slow one must not keep the others waiting
KEEP_CONNECTION_SECONDS = 75  # longer than proxies and clients keep an idle one, so that none is cut as they use it
MESSAGE_BYTES = 128 << 10  # of a WebSocket
SWITCH_SECONDS = 0.001  # how long the MLX thread may keep Python to itself while a client waits; 5 ms by default
log = logging.getLogger("mlx_tts.server")
HEADER_SECONDS = 10.0
HEADER_BYTES = 64 << 10
# What one connection may send before the others have their turn: fifty small requests or messages, which take about 25
# ms at worst. A body comes in larger parts, since its bytes are not looked at one by one.
TURN_BYTES, BODY_TURN_BYTES = 2 << 10, 64 << 10
MOST_FRAMES = 4096  # of one WebSocket message: empty frames cost memory and do not count as bytes
TOO_BIG = 1009
# Pings and pongs of one WebSocket in so long; then nothing is read from it until that is over.
MOST_PINGS, PING_SECONDS = 100, 1.0
LOOK_SECONDS = 1.0  # between two looks whether a client is there whose requests are not read any more
# macOS says POLLHUP where Linux says POLLRDHUP.
LEFT = select.POLLHUP | select.POLLERR | getattr(select, "POLLRDHUP", 0)


def serve(settings: ServerSettings, say: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM. say: prints the lines that tell where."""
    settings.check()
    serving = new_serving(settings)
    sys.setswitchinterval(SWITCH_SECONDS)
    with ExitStack() as sockets:
        listener = sockets.enter_context(listening(settings.host, settings.port, "--port"))
        wyoming = None
        if settings.wyoming_port is not None:
            wyoming = sockets.enter_context(listening(settings.host, settings.wyoming_port, "--wyoming"))
        sockets.callback(let_parser_go)
        server = _Server(serving, listener, wyoming, say)
        server.run(sockets=[listener])
    if server.failure is not None:
        raise server.failure


def new_serving(settings: ServerSettings) -> Serving:
    """Models, voices and figures of one server; nothing is loaded yet. MlxTtsError where no model can be served."""
    specs = models_to_serve(settings.models, is_on_disk)
    pool = ModelPool(specs, settings.rows, settings.keep_alive_seconds, settings.strict_names)
    for name, reason in pool.broken.items():
        log.error("the model %s is not served: %s", name, reason)
    if not pool.models:
        raise MlxTtsError("; ".join(pool.broken.values()))
    shelf = UploadedVoices(data_folder() / "uploaded-voices", data_folder() / "voices")
    serving = Serving(settings, pool, shelf, Metrics(), user_lexicon())
    serving.metrics.watch(
        lambda: sum(admission.active for admission in pool.admissions),
        lambda: sum(admission.waiting for admission in pool.admissions),
        lambda: sum(admission.live_rows for admission in pool.admissions),
    )
    serving.metrics.kept_bytes.set_function(lambda: serving.kept.bytes)
    return serving


def listening(host: str, port: int, option: str) -> socket.socket:
    """A bound socket; MlxTtsError where the port is taken, RequestError for what is not an address."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)[0]
    except (socket.gaierror, OverflowError, UnicodeError):
        raise RequestError(f"--host {host} is not an address of this machine: use 127.0.0.1 or 0.0.0.0") from None
    # asyncio sends small parts at once only where the protocol is named; else each waits 40 ms for the one before it
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        listener.close()
        why = "is in use by another program" if error.errno == errno.EADDRINUSE else f"failed ({error.strerror})"
        raise MlxTtsError(f"port {port} on {host} {why}: choose another with {option}, or 0 for a free one") from None
    listener.setblocking(False)
    return listener


class _Server(uvicorn.Server):
    """uvicorn's server with models that load behind open doors, and an end that waits for what is being spoken."""

    def __init__(
        self, serving: Serving, listener: socket.socket, wyoming: socket.socket | None, say: Callable[[str], None]
    ):
        self._serving, self._listener, self._wyoming_listener, self._say = serving, listener, wyoming, say
        self._wyoming: asyncio.Server | None = None
        self.failure: MlxTtsError | None = None
        self._background: list[asyncio.Task[None]] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        super().__init__(
            uvicorn.Config(
                create_app(serving),
                loop="asyncio",  # a transport of uvloop reads as much at once as it likes
                http=partial(BoundedProtocol, serving.is_speaking),  # type: ignore[arg-type]
                ws=BoundedWebSocket,
                ws_max_size=MESSAGE_BYTES,
                ws_ping_interval=20.0,
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                limit_concurrency=CONNECTIONS,
                timeout_keep_alive=KEEP_CONNECTION_SECONDS,
                timeout_graceful_shutdown=round(DRAIN_SECONDS),
            )
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._loop = asyncio.get_running_loop()
        self._loop.set_default_executor(ThreadPoolExecutor(THREADS, "mlx-tts server"))
        host = self._serving.settings.host
        shown = f"[{host}]" if ":" in host and not host.startswith("[") else host
        self._say(f"serving on http://{shown}:{self._listener.getsockname()[1]}")
        pool = self._serving.pool
        works = (self._warm_up(), pool.free_unused(), _give_back_pages())
        self._background = [asyncio.create_task(work) for work in works]
        if self._wyoming_listener is not None:
            self._wyoming = await open_wyoming(self._serving, self._wyoming_listener)
            self._say(f"wyoming on tcp://{shown}:{self._wyoming_listener.getsockname()[1]}")

    async def _warm_up(self) -> None:
        pool = self._serving.pool
        try:
            await pool.warm_up(pool.default)
        except Exception as error:  # noqa: BLE001 (other models are served; the log and /ready say what is wrong)
            pool.default.broken = True
            if len(pool.models) == 1:
                self.failure = MlxTtsError(f"the model {pool.default.id} could not be loaded: the lines above say why")
                self.should_exit = True
            else:
                log.error("the model %s is not ready: %s", pool.default.id, error)
            return
        gc.collect()
        keep_parser_warm()
        gc.freeze()  # what is there now stays: to look through it again takes 50 ms in the midst of speech
        log.info("ready")
        with suppress(Exception):  # nothing depends on it, and requests say what is wrong
            await pool.measure(pool.default)

    def handle_exit(self, _sig: int, _frame: FrameType | None) -> None:
        """The first signal lets speeches end, the second does not."""
        if self._serving.draining or self._loop is None:
            self.should_exit = self.force_exit = True
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._end_connections)
            return
        self._serving.draining = True
        self._loop.call_soon_threadsafe(lambda: self._background.append(asyncio.create_task(self._drain())))

    def _end_connections(self) -> None:
        """From Python 3.12 on, a server is closed only when all of its connections are."""
        for connection in list(self.server_state.connections):
            transport: Any = connection.transport
            if transport is not None:
                transport.abort()

    async def _drain(self) -> None:
        log.info("stopping: what is being spoken has %.0f s to end", DRAIN_SECONDS)
        for server in [*self.servers, *([self._wyoming] if self._wyoming is not None else [])]:
            server.close()
        active = self._serving.metrics.active
        until = asyncio.get_running_loop().time() + DRAIN_SECONDS
        while active._value.get() and asyncio.get_running_loop().time() < until:
            await asyncio.sleep(0.05)
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for task in self._background:
            task.cancel()
        await super().shutdown(sockets)
        await self._serving.pool.close()


async def _give_back_pages() -> None:
    while True:
        await asyncio.sleep(PAGES_SECONDS)
        await asyncio.to_thread(give_back_pages)


class _Flow(FlowControl):
    """Reads on only when no request waits for the answer to another. uvicorn reads on after each answer. If a client
    sends requests faster than they are answered, more and more of them would wait, and each turn of the garbage
    collector, during which nobody is served, would take longer."""

    def __init__(self, transport: Any, waiting: Sized, loop: asyncio.AbstractEventLoop):
        super().__init__(transport)
        self._waiting, self._loop = waiting, loop
        self._rests: asyncio.TimerHandle | None = None

    def resume_reading(self) -> None:
        if not self._waiting and self._rests is None:
            super().resume_reading()

    def rest(self, seconds: float) -> None:
        """Read nothing for so long."""
        self.pause_reading()
        if self._rests is not None:
            self._rests.cancel()
        self._rests = self._loop.call_later(seconds, self._go_on)

    def _go_on(self) -> None:
        self._rests = None
        if not self._transport.is_closing():
            self.resume_reading()


class BoundedProtocol(HttpToolsProtocol):
    """A connection has ten seconds for the headers of its first request; uvicorn itself ends idle ones later. It is
    read a little at a time, so that one that sends much does not hold up the others. is_busy: see Pace."""

    def __init__(self, is_busy: Callable[[], bool], *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        self._pace = Pace(is_busy)

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        transport.max_size = TURN_BYTES
        self.flow = self._flow = _Flow(transport, self.pipeline, self.loop)
        self._in_headers, self._header_bytes = True, 0
        self._answering: Any = None  # the request that is answered; the protocol's `cycle` is the one that came last
        self._deadline: asyncio.TimerHandle | None = self.loop.call_later(HEADER_SECONDS, self._give_up)
        self._looking: asyncio.TimerHandle | None = None

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self._stop_looking()
        self.pipeline.clear()
        super().connection_lost(exc)
        # The parser and this object hold each other until the collector comes: large headers must not wait for it.
        self.headers, self.scope = [], None  # type: ignore[assignment]
        if self._answering is not None and not self._answering.response_complete:
            self._answering.disconnected = True  # uvicorn tells this to the last of pipelined requests alone
            self._answering.message_event.set()

    def data_received(self, data: bytes) -> None:
        if self._in_headers:
            self._header_bytes += len(data)
        super().data_received(data)
        if self._in_headers and self._header_bytes > HEADER_BYTES:
            self._give_up()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_headers, self._header_bytes = True, 0
        if self._deadline is None:
            self._deadline = self.loop.call_later(HEADER_SECONDS, self._give_up)

    def on_headers_complete(self) -> None:
        self._in_headers = False
        self._stop_waiting()
        self._read_at_once(BODY_TURN_BYTES)
        super().on_headers_complete()
        if self._answering is None or self._answering.response_complete:
            self._answering = self.cycle
        if self.pipeline and self._looking is None:
            self._looking = self.loop.call_later(LOOK_SECONDS, self._look_for_client)

    def _look_for_client(self) -> None:
        """While requests wait behind another, nothing is read, so that a client that leaves is not noticed: its speech
        would keep its place until it is made."""
        self._looking = None
        transport: Any = self.transport
        if not self.pipeline or transport is None or transport.is_closing():
            return
        if has_left(transport.get_extra_info("socket")):
            transport.abort()
        else:
            self._looking = self.loop.call_later(LOOK_SECONDS, self._look_for_client)

    def _stop_looking(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None

    def on_response_complete(self) -> None:
        if self.pipeline:
            self._answering = self.pipeline[-1][0]
        if seconds := self._pace.wait_seconds():
            self._flow.rest(seconds)
        super().on_response_complete()

    def on_message_complete(self) -> None:
        self._read_at_once(TURN_BYTES)
        super().on_message_complete()

    def _read_at_once(self, most_bytes: int) -> None:
        transport: Any = self.transport
        if transport is not None:
            transport.max_size = most_bytes

    def _give_up(self) -> None:
        self._stop_waiting()  # or the timer would hold this connection and its headers for the rest of its ten seconds
        if self.transport is not None and not self.transport.is_closing():
            self.transport.close()

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def has_left(connection: Any) -> bool:
    """Whether the other side has closed the connection, or its half of it, with or without bytes that were not read."""
    look = select.poll()
    look.register(connection.fileno(), LEFT)
    return bool(look.poll(0))


class BoundedWebSocket(WebSocketsSansIOProtocol):
    """Read as little at a time as a request; a message has a limited number of frames, a second of pings and pongs.

    The loop would answer pings without a pause, and the threads that speak would wait for Python each time.
    """

    _pings = 0
    _ping_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        transport.max_size = TURN_BYTES

    def connection_lost(self, exc: Exception | None) -> None:
        if self._ping_timer is not None:
            self._ping_timer.cancel()
            self._ping_timer = None
        super().connection_lost(exc)

    def handle_ping(self) -> None:
        super().handle_ping()
        self._count_ping()

    def handle_pong(self, event: Any) -> None:
        super().handle_pong(event)
        self._count_ping()

    def _count_ping(self) -> None:
        self._pings += 1
        if self._ping_timer is None:
            self._ping_timer = self.loop.call_later(PING_SECONDS, self._read_again)
        if self._pings >= MOST_PINGS:
            self.transport.pause_reading()

    def _read_again(self) -> None:
        paused, self._pings, self._ping_timer = self._pings >= MOST_PINGS, 0, None
        if paused and not self.read_paused:  # else whoever takes the message that was read goes on
            self.transport.resume_reading()

    def handle_cont(self, event: Any) -> None:
        if len(self.frames) < MOST_FRAMES:
            super().handle_cont(event)
        else:
            self.frames = []
            self.conn.fail(TOO_BIG, "too many frames in one message")
            self.handle_parser_exception()
