"""`serve --ray`: the server's application as a deployment of Ray Serve, with a replica on every machine of a cluster.

Each replica has its own engine and queue. Ray Serve gives one address, sends each request to the less busy of two
replicas, asks for their health, replaces what died, and lets streams end before a replica goes.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import signal
import threading
from collections.abc import Callable
from typing import Any

from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.library import hub
from mlx_tts.library.selection import models_to_serve
from mlx_tts.runtime import mlx_thread
from mlx_tts.runtime.ray_cluster import Cluster, connected
from mlx_tts.server.app import create_app
from mlx_tts.server.run import DRAIN_SECONDS, new_serving
from mlx_tts.server.settings import ServerSettings
from mlx_tts.shortened import shortened

NAME = "mlx-tts"
HEALTH_SECONDS, HEALTH_TIMEOUT_SECONDS = 2.0, 30.0
STREAMS_OF_A_REPLICA = 256  # the replica's own queue answers 429 long before
LOOK_SECONDS = 1.0


class Replica:
    """The server on one machine, without its doors: Ray Serve listens."""

    def __init__(self, settings: ServerSettings, offline: bool):
        with contextlib.suppress(MlxTtsError):  # what is missing then is named by the next line
            for spec in models_to_serve(settings.models, hub.is_on_disk):
                hub.fetch(spec, offline=offline, log=None, progress=False)
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
        raise RequestError("--wyoming does not work on a cluster: run `mlx-tts serve --wyoming` on one machine")
    if settings.port == 0:
        raise RequestError("--port is 0: name the port that the cluster is to listen on")


def serve_on_cluster(settings: ServerSettings, address: str, offline: bool, say: Callable[[str], None]) -> None:
    """Deploy, and stay until SIGINT or SIGTERM; then what is being spoken is finished first. offline: replicas fetch no
    model that is not on their disks."""
    settings.check()
    must_fit(settings)
    with connected(address) as cluster:
        _be_quiet()
        stop = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: stop.set())
        deployed = None
        try:
            deployed = _deploy(cluster, settings, offline)
            shown = f"[{settings.host}]" if ":" in settings.host else settings.host
            say(f"serving on http://{shown}:{settings.port}")
            while not stop.wait(LOOK_SECONDS):
                if cluster.head_is_lost():
                    raise MlxTtsError("the head of the cluster does not answer any more: start it, and serve again")
        finally:
            if not cluster.head_is_lost():
                _remove(deployed)


def _be_quiet() -> None:
    """Ray Serve tells of its every step; its import sets up how."""
    from ray import serve

    logging.getLogger(serve.__name__).setLevel(logging.WARNING)


def _remove(deployed: float | None) -> None:
    """Let streams end and take the deployment away, unless another `serve --ray` has replaced it meanwhile."""
    from ray import serve

    ours = serve.status().applications.get(NAME)
    if ours is None or deployed in (None, ours.last_deployed_time_s):
        if ours is not None:
            serve.delete(NAME)
        serve.shutdown()


def _make_room() -> None:
    """Ray Serve keeps its port, and what a killed `serve --ray` left behind: that is taken away. MlxTtsError where it
    serves something else."""
    from ray import serve

    status = serve.status()
    others = sorted(set(status.applications) - {NAME})
    if others:
        raise MlxTtsError(
            f"Ray Serve runs on this cluster already, with {', '.join(others)}: take a cluster for mlx-tts alone"
        )
    if status.applications or status.proxies:
        serve.shutdown()


def _cause(text: str) -> str:
    """The last error that a text of Ray names; it holds the traceback of another machine."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    named = [match[1] for line in lines if (match := re.match(r"[\w.]+Error: (.+)", line))]
    return shortened((named or lines or ["it does not say why"])[-1], 300).rstrip(".")


def _deploy(cluster: Cluster, settings: ServerSettings, offline: bool) -> float:
    """A replica for every GPU, and for every machine without one; those that join later need a new `serve`. When it
    was deployed, by the clock of Ray Serve."""
    from ray import serve

    _make_room()
    nodes = [node for node in cluster.nodes().values() if node.get("GPU") or node.get("CPU", 0) >= 1]
    if not nodes:
        raise MlxTtsError("no machine of the cluster has a processor to give: `ray start --address=...` adds one")
    gpus = sum(int(node.get("GPU", 0)) for node in nodes)
    replicas = gpus or len(nodes)
    options: dict[str, Any] = {"num_cpus": 1, **({"num_gpus": 1} if gpus else {})}
    try:
        serve.start(proxy_location="HeadOnly", http_options={"host": settings.host, "port": settings.port})
    except RuntimeError as error:
        where = f"{settings.host}:{settings.port} ({_cause(str(error))})"
        raise MlxTtsError(
            f"the first machine of the cluster cannot listen on {where}: choose another --port or --host"
        ) from None
    deployment = serve.deployment(
        name=NAME,
        num_replicas=replicas,
        max_replicas_per_node=None if gpus else 1,
        max_ongoing_requests=STREAMS_OF_A_REPLICA,
        ray_actor_options=options,
        health_check_period_s=HEALTH_SECONDS,
        health_check_timeout_s=HEALTH_TIMEOUT_SECONDS,
        graceful_shutdown_timeout_s=DRAIN_SECONDS,
    )(serve.ingress()(Replica))
    try:
        serve.run(deployment.bind(settings, offline), name=NAME, route_prefix="/")
    except RuntimeError:
        tried = serve.status().applications[NAME].deployments[NAME].message
        raise MlxTtsError(f"the cluster could not start a replica: {_cause(tried)}") from None
    return float(serve.status().applications[NAME].last_deployed_time_s)
