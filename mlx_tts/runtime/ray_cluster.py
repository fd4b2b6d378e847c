"""An address -> a connection to a Ray cluster that is there already: its nodes, and whether its head still answers."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.extras import missing
from mlx_tts.shortened import reason_of, shown

LOOK_SECONDS = 1.0  # how often the nodes are asked for
SILENT_SECONDS = 20.0  # a head that has said nothing for so long, although its port is open, is lost as well
CONNECT_SECONDS = 5.0
TOKEN_FILE = Path("~/.ray/auth_token")


def must_be_safe(address: str) -> None:
    """RequestError for an address that would start a cluster, or for one without a password."""
    if find_spec("ray") is None:
        raise RequestError(missing("--ray needs Ray, on every machine the same version", "ray"))
    host, colon, port = address.rpartition(":")
    if address != "auto" and not (colon and host and port.isdigit()):
        raise RequestError(
            f"--ray is {shown(address)}: give the address of a cluster that is running, as in 192.168.1.10:6379, or "
            "auto; `ray start --head` starts one"
        )
    mode = os.environ.get("RAY_AUTH_MODE")
    if mode not in (None, "token"):
        raise RequestError(
            f"RAY_AUTH_MODE is {shown(mode)}: without a token anyone who reaches the cluster can run programs on it. "
            "Set RAY_AUTH_MODE=token on every machine"
        )
    if not _token():
        raise RequestError(
            "the cluster has no token here: `ray get-auth-token --generate` makes one; copy ~/.ray/auth_token to every "
            "machine and set RAY_AUTH_MODE=token there"
        )


def _token() -> str:
    """The token of this machine, from where Ray takes it; empty where there is none."""
    if token := os.environ.get("RAY_AUTH_TOKEN"):
        return token
    try:
        file = Path(os.environ.get("RAY_AUTH_TOKEN_PATH") or TOKEN_FILE).expanduser()
        return file.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


@contextmanager
def connected(address: str) -> Iterator[Cluster]:
    """Connect; never starts a cluster. Signals stay as they were."""
    must_be_safe(address)
    os.environ.setdefault("RAY_AUTH_MODE", "token")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", ".*")  # what Ray would print of its nodes on standard output
    if address != "auto":
        _must_answer(address)
        _must_ask_for_the_token(address)
    import ray

    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        ray.init(address=address, log_to_driver=False, configure_logging=False)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError, ray.exceptions.RayError) as error:
        why = reason_of(error)
        raise MlxTtsError(
            f"cannot join the cluster at {address} ({why}): run `ray start --address={address}` on this machine too, "
            "with the same token"
        ) from None
    finally:
        with contextlib.suppress(ValueError):  # not in the main thread
            for number, handler in handlers.items():
                signal.signal(number, handler)
    cluster = Cluster(ray)
    try:
        if address == "auto":
            _must_ask_for_the_token(cluster.head)
        yield cluster
    finally:
        cluster.close()


def _knock(address: str, seconds: float) -> None:
    """OSError or OverflowError where nothing listens at the address."""
    host, _, port = address.rpartition(":")
    socket.create_connection((host.strip("[]"), int(port)), seconds).close()


def _must_answer(address: str) -> None:
    try:
        _knock(address, CONNECT_SECONDS)
    except (OSError, OverflowError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise MlxTtsError(f"no cluster answers at {address} ({why}): start one with `ray start --head`") from None


def _must_ask_for_the_token(address: str) -> None:
    """MlxTtsError for a cluster that answers without a token, or that has another one than this machine."""
    if os.environ.get("RAY_USE_TLS") == "1":
        return  # then certificates say who may come in, and this question would not be understood
    if _refusal(address, None) is None:
        raise MlxTtsError(
            f"the cluster at {address} lets everybody in: anyone who reaches it can run programs on it. "
            "Stop it, set RAY_AUTH_MODE=token on every machine, and start it again"
        )
    why = _refusal(address, _token())
    if why == "UNAUTHENTICATED":
        raise MlxTtsError(
            f"the cluster at {address} does not take the token of this machine: copy ~/.ray/auth_token from its head"
        )
    if why is not None:
        raise MlxTtsError(f"no Ray cluster answers at {address} ({why}): start one with `ray start --head`")


def _refusal(address: str, token: str | None) -> str | None:
    """Ask the head whether it is alive; None if it answers, else the name of what it says instead."""
    import grpc  # of ray[serve]

    metadata = () if token is None else (("authorization", f"Bearer {token}"),)
    with grpc.insecure_channel(address, options=[("grpc.enable_http_proxy", 0)]) as channel:
        is_alive = channel.unary_unary("/ray.rpc.NodeInfoGcsService/CheckAlive")
        try:
            is_alive(b"", timeout=CONNECT_SECONDS, metadata=metadata)
        except grpc.RpcError as error:
            return str(error.code().name)
    return None


class Cluster:
    """The nodes that are alive. They are asked for by a thread of its own, because a question to a head that has died
    is never answered."""

    def __init__(self, ray: Any):
        self.ray = ray
        self._nodes: list[dict[str, Any]] = ray.nodes()
        self._answered = time.monotonic()
        self.head: str = ray.get_runtime_context().gcs_address
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="mlx-tts cluster", daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._closed.wait(LOOK_SECONDS):
            with contextlib.suppress(Exception):  # the main thread says what is wrong
                self._nodes = self.ray.nodes()
                self._answered = time.monotonic()

    def nodes(self) -> dict[str, dict[str, float]]:
        """The living nodes with what they have: {"CPU": 8.0, "GPU": 1.0, ...}."""
        return {node["NodeID"]: node["Resources"] for node in self._nodes if node["Alive"]}

    def head_is_lost(self) -> bool:
        """Whether the head has died or cannot be reached."""
        silent = time.monotonic() - self._answered
        if silent < 3 * LOOK_SECONDS:
            return False
        try:
            _knock(self.head, 1.0)
        except OSError:
            return True
        return silent > SILENT_SECONDS

    def close(self) -> None:
        """Leave the cluster; where its head has died there is nothing to tell it."""
        lost = self.head_is_lost()
        self._closed.set()
        if not lost:
            self.ray.shutdown()
