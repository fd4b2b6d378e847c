"""`serve --ray`: the server's application as a deployment of Ray Serve, with a replica on every machine of a cluster.

Each replica has its own engine and queue. Ray Serve gives one address, sends each request to the less busy of two
replicas, asks for their health, replaces what died, and lets streams end before a replica goes.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable
from typing import Any

from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.runtime import mlx_thread
from mlx_tts.runtime.ray_cluster import Cluster, connected
from mlx_tts.server.app import create_app
from mlx_tts.server.run import DRAIN_SECONDS, new_serving
from mlx_tts.server.settings import ServerSettings

NAME = "mlx-tts"
HEALTH_SECONDS, HEALTH_TIMEOUT_SECONDS = 2.0, 30.0
STREAMS_OF_A_REPLICA = 256  # the replica's own queue answers 429 long before
LOOK_SECONDS = 1.0


class Replica:
    """The server on one machine, without its doors: Ray Serve listens."""

    def __init__(self, settings: ServerSettings):
        self._serving = new_serving(settings)
        self._background: list[asyncio.Task[None]] = []

    def __serve_build_asgi_app__(self) -> Any:
        return create_app(self._serving)

    async def check_health(self) -> None:
        """Called before the first request, which then finds the model warm, and again every few seconds."""
        pool = self._serving.pool
        if not self._background:
            self._background.append(asyncio.create_task(pool.free_unused()))
            await pool.warm_up(pool.default)
        fault = self._serving.fault if mlx_thread.is_alive() else "the engine has stopped"
        if fault is not None:
            raise MlxTtsError(f"the replica is broken: {fault}")


def must_fit(settings: ServerSettings) -> None:
    """RequestError for what a cluster does not have."""
    if settings.wyoming_port is not None:
        raise RequestError("--wyoming has no place on a cluster: run `mlx-tts serve --wyoming` on one machine")
    if settings.port == 0:
        raise RequestError("--port is 0: name the port that the cluster is to listen on")


def serve_on_cluster(settings: ServerSettings, address: str, say: Callable[[str], None]) -> None:
    """Deploy, and stay until SIGINT or SIGTERM; then what is being spoken is finished first."""
    settings.check()
    must_fit(settings)
    with connected(address) as cluster:
        stop = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: stop.set())
        try:
            _deploy(cluster, settings)
            shown = f"[{settings.host}]" if ":" in settings.host else settings.host
            say(f"serving on http://{shown}:{settings.port}")
            while not stop.wait(LOOK_SECONDS):
                if cluster.head_is_lost():
                    raise MlxTtsError("the head of the cluster does not answer any more: start it, and serve again")
        finally:
            if not cluster.head_is_lost():
                from ray import serve

                serve.delete(NAME)
                serve.shutdown()


def _deploy(cluster: Cluster, settings: ServerSettings) -> None:
    """A replica for every GPU, and for every machine without one; those that join later need a new `serve`."""
    from ray import serve

    nodes = [node for node in cluster.nodes().values() if node.get("GPU") or node.get("CPU", 0) >= 1]
    if not nodes:
        raise MlxTtsError("no machine of the cluster has a processor to give: `ray start --address=...` adds one")
    gpus = sum(int(node.get("GPU", 0)) for node in nodes)
    replicas = gpus or len(nodes)
    options: dict[str, Any] = {"num_cpus": 1, **({"num_gpus": 1} if gpus else {})}
    serve.start(proxy_location="HeadOnly", http_options={"host": settings.host, "port": settings.port})
    deployment = serve.deployment(
        name=NAME,
        num_replicas=replicas,
        max_ongoing_requests=STREAMS_OF_A_REPLICA,
        ray_actor_options=options,
        health_check_period_s=HEALTH_SECONDS,
        health_check_timeout_s=HEALTH_TIMEOUT_SECONDS,
        graceful_shutdown_timeout_s=DRAIN_SECONDS,
    )(serve.ingress()(Replica))
    serve.run(deployment.bind(settings), name=NAME, route_prefix="/")
